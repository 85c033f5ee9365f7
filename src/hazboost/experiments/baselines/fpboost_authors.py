"""FPBoost of the authors' own package, with the hyperparameters of the paper's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hazboost.experiments.baselines.base import Baseline, Fitted
from hazboost.experiments.baselines.curves import positive
from hazboost.experiments.baselines.fpboost_paper import SPACE
from hazboost.experiments.baselines.hyperparameters import HYPERPARAMETERS
from hazboost.experiments.baselines.own_interpreter import fit_remote
from hazboost.experiments.environments import Environment

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split

ENVIRONMENT = Environment("fpboost", ("fpboost==0.1.0", "torch==2.13.0"))
#: Columns of the table that the package does not know.
UNKNOWN = ("init", "patience")


def fit(split: Split, dataset: str, seed: int) -> Fitted:
    """Fit fpboost 0.1.0 with the column of the data set, or its defaults where the table has none.

    The package has neither the Kaplan-Meier start nor the early stopping of the paper's WHAS: it starts at random there
    and makes all rounds. Times of zero are moved to half the smallest positive one, as its hazards are infinite or
    zero there. A head whose shape has become 0 has all of its cumulative hazard at time zero, so that S(0) may be below
    1; this is left as the package has it.
    """
    settings = HYPERPARAMETERS[dataset].as_dict() if dataset in HYPERPARAMETERS else {}
    known = {name: value for name, value in settings.items() if name not in UNKNOWN}
    arrays = {"X": split.train.X, "event": split.train.event, "time": positive(split.train.time)}
    return fit_remote(ENVIRONMENT, "fit_fpboost", arrays, {**known, "random_state": seed})


FPBOOST_AUTHORS = Baseline(
    name="fpboost_authors",
    title="FPBoost (authors' package)",
    kind="fully parametric",
    learner="tree",
    fit=fit,
    space=SPACE,
    packages=("fpboost",),
    environment=ENVIRONMENT,
)
