"""The course of a search for hyperparameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hazboost.plots.axes import CHOSEN, LINE, QUIET, make_axes, tidy

if TYPE_CHECKING:
    from hazboost.tuning.result import TuningResult

LABELS = {"likelihood": "held-out log-likelihood", "concordance": "held-out C-index"}


def plot_trials(result: TuningResult, ax: Any = None) -> Any:
    """Draw the score of each trial, the best so far, and the score of the estimator as it was given.

    Trials without a score, pruned or failed, are marks at the bottom. So are scores far below the others.

    Parameters
    ----------
    result : TuningResult
        What `hazboost.tune` returned.
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
    best = np.fmax.accumulate(score)
    low, high = _limits(score[complete], result.default_score)
    shown = complete & (score >= low)
    ax.step(trial, best, where="post", color=LINE, linewidth=1.5, label="best so far")
    ax.axhline(result.default_score, color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)), label="before")
    ax.plot(trial[shown], score[shown], "o", color=LINE, alpha=0.6, markersize=4, label="trial")
    found = int(np.nanargmax(score))
    ax.plot(trial[found], score[found], "o", color=CHOSEN, markersize=7, label="best")
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
    """Enough room for the better half of the scores and the default; a hopeless trial must not squash them."""
    high, low = float(scores.max()), min(float(np.median(scores)), default)
    margin = 0.25 * (high - low) or 1e-3 * max(abs(high), 1.0)
    return low - 2.0 * margin, high + margin
