"""The paper's table of the hyperparameters of FPBoost, one for each of its data sets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Hyperparameters:
    r"""A column of the table, in its order. All have the learning rate 1 and ReLU weights.

    ``l1_ratio`` is the paper's :math:`\gamma`; where it has none, :math:`\alpha` is 0.
    """

    n_estimators: int
    weibull_heads: int
    loglogistic_heads: int
    max_depth: int
    alpha: float
    l1_ratio: float = 0.0
    init: Literal["random", "km"] = "random"
    patience: int | None = None
    learning_rate: float = 1.0
    heads_activation: str = "relu"


HYPERPARAMETERS = {
    "aids": Hyperparameters(16, 32, 4, 1, 0.5),
    "breast_cancer": Hyperparameters(32, 1, 0, 1, 0.01, 0.25),
    "flchain": Hyperparameters(32, 64, 1, 3, 0.1),
    "gbsg2": Hyperparameters(16, 4, 8, 1, 0.01),
    "metabric": Hyperparameters(32, 1, 1, 1, 0.0),
    "support2": Hyperparameters(16, 4, 8, 3, 0.1),
    "veterans": Hyperparameters(64, 1, 4, 1, 0.0),
    "whas": Hyperparameters(128, 16, 1, 6, 0.0, init="km", patience=16),
}


def published_settings(dataset: str) -> dict[str, Any]:
    """The column of a data set, by the names of `hazboost.FPBoost`, which are the authors'; empty if it has none."""
    return asdict(HYPERPARAMETERS[dataset]) if dataset in HYPERPARAMETERS else {}
