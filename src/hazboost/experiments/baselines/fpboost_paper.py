"""FPBoost as published, of this library, with the hyperparameters of the paper's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hazboost import FPBoost
from hazboost.experiments.baselines.base import Baseline
from hazboost.experiments.baselines.fpboost import Own
from hazboost.experiments.baselines.hyperparameters import HYPERPARAMETERS

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split

#: The paper's search space, of which its table holds the best.
SPACE: dict[str, tuple[Any, ...]] = {
    "weibull_heads": (0, 1, 2, 4, 8, 16, 32),
    "loglogistic_heads": (0, 1, 2, 4, 8, 16, 32),
    "n_estimators": (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
    "max_depth": (1, 3, 6),
    "heads_activation": ("relu", "sigmoid", "softmax", "tanh", "identity"),
    "learning_rate": (0.01, 0.1, 1.0),
    "alpha": (0.0, 0.01, 0.1, 0.5, 1.0),
    "l1_ratio": (0.0, 0.25, 0.5, 0.75, 1.0),
}


def fit(split: Split, dataset: str, seed: int) -> Own:
    """Fit `FPBoost.paper` with the column of the data set, or the authors' defaults where the table has none.

    Where the table has a patience (WHAS), early stopping watches the C-index of the validation part.
    """
    settings = HYPERPARAMETERS[dataset].as_dict() if dataset in HYPERPARAMETERS else {}
    model = FPBoost.paper(**settings, random_state=seed)
    watched = split.validation if model.patience is not None else None
    eval_set = None if watched is None else (watched.X, (watched.event, watched.time))
    return Own(model.fit(split.train.X, (split.train.event, split.train.time), eval_set=eval_set))


FPBOOST_PAPER = Baseline(
    name="fpboost_paper",
    title="FPBoost (paper)",
    kind="fully parametric",
    learner="tree",
    fit=fit,
    space=SPACE,
    packages=("hazboost", "xgboost"),
)
