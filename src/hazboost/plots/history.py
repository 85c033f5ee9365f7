"""The loss of each boosting round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hazboost.plots.axes import QUIET, curve_style, whole_numbers
from hazboost.plots.display import Display
from hazboost.utils.arrays import Array
from hazboost.utils.tables import make_table


@dataclass
class HistoryDisplay(Display):
    """Training and validation loss by boosting round; a second panel has the C-index, where it was recorded.

    `from_estimator` makes one. `hazboost.plots.plot_selection` draws the losses of the cross-validation, by which the
    number of rounds is chosen.

    Attributes
    ----------
    history : dict of str to array
        What was recorded, by name; the first value is that of the start, before any tree.
    """

    history: dict[str, Array]

    @classmethod
    def from_estimator(cls, model: Any, ax: Any = None) -> Self:
        """Draw ``history_`` of a model.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        ax : Axes, or sequence of two Axes with a concordance, optional
            Where to draw; a new figure by default.

        Returns
        -------
        HistoryDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import HistoryDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = HistoryDisplay.from_estimator(model)
        >>> len(display.history["train_loss"])  # before the first round, and after each
        21
        """
        check_is_fitted(model, "history_")
        return cls({name: np.asarray(values, dtype=float) for name, values in model.history_.items()}).plot(ax)

    def frame(self) -> Any:
        """The history, with the columns round, name and value.

        Returns
        -------
        DataFrame
            ``name`` is a key of ``history_``. Without pandas, a structured array with the same names.
        """
        sizes = [len(values) for values in self.history.values()]
        return make_table(
            {
                "round": np.concatenate([np.arange(size) for size in sizes]),
                "name": np.repeat(np.array(list(self.history), dtype=object), sizes),
                "value": np.concatenate(list(self.history.values())),
            }
        )

    def _panels(self) -> int:
        return 2 if self._named("_concordance") else 1

    def _named(self, end: str) -> dict[str, Array]:
        return {name: values for name, values in self.history.items() if name.endswith(end)}

    def _draw(self, axes: list[Any]) -> None:
        losses = self._named("_loss")
        for number, (name, values) in enumerate(losses.items()):
            axes[0].plot(values, label=name.removesuffix("_loss") if len(losses) > 1 else None, **curve_style(number))
        if "validation_loss" in losses:
            _mark(axes[0], losses["validation_loss"], int(np.argmin(losses["validation_loss"])))
        axes[0].set(xlabel="boosting rounds", ylabel="mean loss" if len(losses) > 1 else "mean training loss")
        for values in self._named("_concordance").values():
            axes[1].plot(values, **curve_style(1))
            _mark(axes[1], values, int(np.argmax(values)))
            axes[1].set(xlabel="boosting rounds", ylabel="validation C-index")
        for ax in axes:
            whole_numbers(ax)


def _mark(ax: Any, values: Array, best: int) -> None:
    """Mark the best round."""
    ax.axvline(best, color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    ax.plot([best], [values[best]], marker="o", markersize=4.5, linestyle="none", color=curve_style(1)["color"])
