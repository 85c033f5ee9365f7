"""The cross-validation that chose the ridge and the number of rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hazboost.plots.axes import CHOSEN, LINE, make_axes, tidy

if TYPE_CHECKING:
    from hazboost.estimator import FPBoost


def plot_selection(model: FPBoost, ax: Any = None) -> list[Any]:
    """Draw the held-out loss against the ridge and against the rounds, with a mark where they were chosen.

    Parameters
    ----------
    model : FPBoost
        Fitted with ``init="linear"`` or ``n_estimators="auto"``, or both.
    ax : Axes, or sequence of Axes, optional
        One for each of the two that was chosen; a new figure by default.

    Returns
    -------
    list of Axes
    """
    check_is_fitted(model, "model_")
    results = model.cv_results_
    panels: list[tuple[str, Any, Any, float]] = []
    if "ridge_loss" in results:
        panels.append(("ridge", results["ridges"], results["ridge_loss"], float(model.ridge_ or 0.0)))
    if "round_loss" in results:
        losses = results["round_loss"]
        panels.append(("rounds", range(len(losses)), losses, float(model.n_estimators_)))
    if not panels:
        raise ValueError(
            "nothing was chosen by cross-validation, so there is nothing to draw; fit with init='linear' or "
            "n_estimators='auto'."
        )
    axes = make_axes(len(panels), ax)
    for axis, panel in zip(axes, panels, strict=True):
        _draw(axis, *panel)
    axes[0].set_ylabel("held-out mean loss")
    return axes


def _draw(ax: Any, name: str, values: Any, losses: Any, chosen: float) -> None:
    """One panel: the loss against what is chosen."""
    values, losses = np.asarray(values, dtype=float), np.asarray(losses)
    ax.plot(values, losses, color=LINE, linewidth=1.5, marker="o" if name == "ridge" else None, markersize=3.5)
    at = int(np.argmin(np.abs(values - chosen)))
    ax.axvline(chosen, color=CHOSEN, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    ax.plot([chosen], [losses[at]], color=CHOSEN, marker="o", markersize=7, linestyle="none")
    if name == "ridge":
        ax.set_xscale("log")
    _cut_off_hopeless(ax, losses)
    ax.set_xlabel({"ridge": "ridge of the linear start", "rounds": "boosting rounds"}[name])
    ax.set_title(f"chosen: {name} = {chosen:g}", fontsize="medium", color=CHOSEN)
    tidy(ax)


def _cut_off_hopeless(ax: Any, losses: Any) -> None:
    """Let losses far above the better half leave the panel: with many features a weak ridge would squash the rest.

    The first stays, the strongest ridge or no rounds at all: it says what there was to gain.
    """
    low = losses.min()
    span = max(5.0 * (np.median(losses) - low), 1.05 * (losses[0] - low))
    if 0.0 < span < losses.max() - low:
        ax.set_ylim(low - 0.05 * span, low + span)
