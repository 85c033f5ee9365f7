"""FPBoost of this library, at its defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hazboost import FPBoost
from hazboost.experiments.baselines.base import Baseline
from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split


@dataclass(frozen=True)
class Own:
    """A fitted `hazboost.FPBoost`."""

    model: FPBoost

    def risk(self, X: Array) -> Array:
        """Minus the mean survival time, restricted to the horizon of the model."""
        return self.model.predict(X)

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        values: Array = self.model.predict_survival_function(X, times=times)
        return values


def fit(split: Split, dataset: str, seed: int) -> Own:
    """Fit ``FPBoost(random_state=seed)`` to the training rows; it does not look at the validation rows.

    Its folds keep the rows of a subject together where the data name subjects, as the three parts do.
    """
    train = split.train
    return Own(FPBoost(random_state=seed).fit(train.X, (train.event, train.time), groups=train.groups))


FPBOOST = Baseline(
    name="fpboost",
    title="FPBoost (defaults)",
    kind="fully parametric",
    learner="tree",
    fit=fit,
    space={
        "learning_rate": (0.03, 0.05, 0.1, 0.2),
        "max_depth": (1, 2, 3, 4),
        "weibull_heads": (1, 2, 4),
        "loglogistic_heads": (1, 2, 4),
    },
    packages=("hazboost", "xgboost"),
)
