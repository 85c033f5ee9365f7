"""Figure of the course of a hyperparameter search."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from hazboost.plots.axes import CHOSEN, LINE, QUIET, make_axes, tidy

#: Axis labels of the built-in metrics; other metrics are labelled by their name.
LABELS = {"likelihood": "held-out log-likelihood", "concordance": "held-out C-index"}


class SearchResult(Protocol):
    """What `plot_trials` reads of a `hazboost.tuning.TuningResult`.

    A protocol, so that this module does not import the tuning, which is a layer above it and draws with it.
    """

    @property
    def trials(self) -> Any:
        """Table with the columns ``score`` (NaN unless complete) and ``state`` (complete, pruned or failed)."""

    @property
    def default_score(self) -> float:
        """Score of the estimator before the search."""

    @property
    def metric(self) -> str:
        """Name of the score; higher is better."""


def plot_trials(result: SearchResult, ax: Any = None) -> Any:
    """Draw the score of each trial, the best score so far, and the score of the given estimator.

    Trials without a score (pruned or failed), and trials with a score far below the others, are marked at the bottom.

    Parameters
    ----------
    result : TuningResult
        Result of `hazboost.tune`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    (ax,) = make_axes(1, ax)
    score, state = np.asarray(result.trials["score"], dtype=float), np.asarray(result.trials["state"])
    trial = np.arange(len(score))
    complete = state == "complete"
    best = np.fmax.accumulate(score)  # fmax ignores the NaN of trials without a score
    low, high = _limits(score[complete], result.default_score)
    shown = complete & (score >= low)
    ax.step(trial, best, where="post", color=LINE, linewidth=1.5, label="best so far")
    ax.axhline(result.default_score, color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)), label="before")
    ax.plot(trial[shown], score[shown], "o", color=LINE, alpha=0.6, markersize=4, label="trial")
    found = int(np.nanargmax(score))
    ax.plot(trial[found], score[found], "o", color=CHOSEN, markersize=7, label="best")
    # Marks at the bottom are placed by trial number horizontally and by a fraction of the panel vertically.
    bottom = {"transform": ax.get_xaxis_transform(), "linestyle": "none", "markersize": 5, "clip_on": False}
    for which, marker, colour, label in (
        (complete & ~shown, "v", LINE, "far below"),
        (state == "pruned", "|", QUIET, "pruned"),
        (state == "failed", "x", CHOSEN, "failed"),
    ):
        if which.any():
            ax.plot(trial[which], np.full(which.sum(), 0.02), marker=marker, color=colour, label=label, **bottom)
    ax.set_ylim(low, high)
    ax.set_xlabel("trial")
    ax.set_ylabel(LABELS.get(result.metric, result.metric))
    ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    tidy(ax)
    return ax


def _limits(scores: Any, default: float) -> tuple[float, float]:
    """Limits that show the better half of the scores and the default; a single bad trial must not flatten the rest."""
    high, low = float(scores.max()), min(float(np.median(scores)), default)
    # If all scores are equal, a margin relative to their size keeps the limits apart.
    margin = 0.25 * (high - low) or 1e-3 * max(abs(high), 1.0)
    return low - 2.0 * margin, high + margin
