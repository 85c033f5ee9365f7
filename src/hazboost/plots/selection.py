"""Figure of the cross-validation that chose the ridge penalty and the number of boosting rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hazboost.plots.axes import CHOSEN, LINE, make_axes, tidy, whole_numbers
from hazboost.utils.arrays import Array
from hazboost.utils.tables import make_table


class SelectedModel(Protocol):
    """What `plot_selection` reads of a fitted `hazboost.FPBoost`.

    A protocol, so that this module does not import the estimator, which is a layer above it.
    """

    @property
    def cv_results_(self) -> Mapping[str, Any]:
        """Held-out mean losses: ``ridges`` and ``ridge_loss``, ``round_loss``, or none of them."""

    @property
    def ridge_(self) -> float | None:
        """Chosen ridge penalty."""

    @property
    def n_estimators_(self) -> int:
        """Chosen number of boosting rounds."""


class Panel(NamedTuple):
    """What was chosen, ridge or rounds, the values that were compared, their losses, and the chosen value."""

    name: str
    values: Array
    losses: Array
    chosen: float

    @property
    def at(self) -> int:
        """Position of the chosen value, by distance rather than by equality, which is fragile for floats."""
        return int(np.argmin(np.abs(self.values - self.chosen)))


def plot_selection(model: SelectedModel, ax: Any = None) -> list[Any]:
    """Draw the held-out loss against the ridge penalty and against the number of rounds, and mark the chosen values.

    Parameters
    ----------
    model : FPBoost
        Fitted with ``init="linear"`` or ``n_estimators="auto"``, or both.
    ax : Axes, or sequence of Axes, optional
        One for each of the two that was chosen by cross-validation; a new figure by default.

    Returns
    -------
    list of Axes

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.plots import plot_selection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
    >>> [ax.get_xlabel() for ax in plot_selection(model)]  # the number of rounds was given
    ['ridge of the linear start']
    """
    panels = _panels(model)
    axes = make_axes(len(panels), ax)
    for axis, panel in zip(axes, panels, strict=True):
        _draw(axis, panel)
    axes[0].set_ylabel("held-out mean loss")
    return axes


def selection_frame(model: SelectedModel) -> Any:
    """The numbers that `plot_selection` draws, with the columns name, value, loss and chosen.

    Parameters
    ----------
    model : FPBoost
        Fitted with ``init="linear"`` or ``n_estimators="auto"``, or both.

    Returns
    -------
    DataFrame
        ``name`` is ridge or rounds, and ``chosen`` is true for one value of each. Without pandas, a structured array
        with the same names.
    """
    panels = _panels(model)
    return make_table(
        {
            "name": np.repeat(
                np.array([one.name for one in panels], dtype=object), [len(one.values) for one in panels]
            ),
            "value": np.concatenate([one.values for one in panels]),
            "loss": np.concatenate([one.losses for one in panels]),
            "chosen": np.concatenate([np.arange(len(one.values)) == one.at for one in panels]),
        }
    )


def _panels(model: SelectedModel) -> list[Panel]:
    """What was chosen by cross-validation."""
    check_is_fitted(model, "model_")
    results = model.cv_results_
    panels = []
    if "ridge_loss" in results:
        ridges, losses = (np.asarray(results[key], dtype=float) for key in ("ridges", "ridge_loss"))
        panels.append(Panel("ridge", ridges, losses, float(model.ridge_ or 0.0)))
    if "round_loss" in results:
        # The first loss is that of the start, before any tree, so position and number of rounds agree.
        losses = np.asarray(results["round_loss"], dtype=float)
        # Models in files of the first version may have kept more rounds than those of this curve.
        chosen = min(model.n_estimators_, len(losses) - 1)
        panels.append(Panel("rounds", np.arange(float(len(losses))), losses, float(chosen)))
    if not panels:
        raise ValueError(
            "model: nothing was chosen by cross-validation, so there is nothing to draw; fit with init='linear' or "
            "n_estimators='auto'."
        )
    return panels


def _draw(ax: Any, panel: Panel) -> None:
    """Draw one panel: the loss against the values that were compared."""
    name, values, losses, chosen = panel
    ax.plot(values, losses, color=LINE, linewidth=1.5, marker="o" if name == "ridge" else None, markersize=3.5)
    ax.axvline(chosen, color=CHOSEN, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    ax.plot([chosen], [losses[panel.at]], color=CHOSEN, marker="o", markersize=7, linestyle="none")
    if name == "ridge":
        # The penalties that are tried form a geometric sequence.
        ax.set_xscale("log")
    else:
        whole_numbers(ax)
    _limit_losses(ax, losses)
    ax.set_xlabel({"ridge": "ridge of the linear start", "rounds": "boosting rounds"}[name])
    ax.set_title(f"chosen: {name} = {chosen:g}", fontsize="medium", color=CHOSEN)
    tidy(ax)


def _limit_losses(ax: Any, losses: Any) -> None:
    """Cut off losses far above the better half, such as those of a weak ridge with many features.

    On a common scale they would flatten the rest of the curve. The first loss, that of the strongest ridge or of no
    rounds at all, always stays in the panel, because it shows how much was gained.
    """
    low = losses.min()
    span = max(5.0 * (np.median(losses) - low), 1.05 * (losses[0] - low))
    if 0.0 < span < losses.max() - low:
        ax.set_ylim(low - 0.05 * span, low + span)
