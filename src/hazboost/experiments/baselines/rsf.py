"""Random survival forest, of scikit-survival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hazboost.experiments.baselines.base import Baseline, Fitted
from hazboost.experiments.baselines.scikit_survival import PACKAGES, fit_scikit_survival

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split


def fit(split: Split, dataset: str, seed: int) -> Fitted:
    """Fit `RandomSurvivalForest` at its defaults: 100 trees, leaves of at least 3, all distinct times kept."""
    from sksurv.ensemble import RandomSurvivalForest  # noqa: PLC0415

    return fit_scikit_survival(RandomSurvivalForest(random_state=seed, n_jobs=1), split.train)


def memory(rows: int, columns: int) -> float:
    """Two curves over all distinct times, 2,000 at most in the study, in every node of 100 trees."""
    return 0.5 + 2.0 * 8.0 * 100 * (0.3 * rows) * min(rows, 2_000) / 2**30


RSF = Baseline(
    name="rsf",
    title="RSF",
    kind="non-parametric",
    learner="tree",
    fit=fit,
    space={
        "n_estimators": (100, 200, 400),
        "min_samples_leaf": (3, 6, 12, 24),
        "max_features": ("sqrt", 0.3, 1.0),
    },
    packages=PACKAGES,
    memory=memory,
)
