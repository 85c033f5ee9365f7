"""What every baseline states, and the check that every prediction passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    from hazboost.experiments.environments import Environment
    from hazboost.experiments.protocol import Split

#: Rounding errors of single precision that a survival matrix may have.
TOLERANCE = 1e-5
#: Number of times over which survival is averaged into a risk.
RISK_TIMES = 100


class Fitted(Protocol):
    """A trained model. Times are in units of the longest training time, as in the `Split` it was trained on."""

    def risk(self, X: Array) -> Array:
        """Scores of shape (n,); higher means earlier."""
        ...

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities of shape (n, len(times))."""
        ...


Fit = Callable[["Split", str, int], Fitted]


def small(rows: int, columns: int) -> float:
    """Memory in GiB of a model that needs little more than its packages and its data."""
    return 0.7 + 1e-7 * rows * columns


@dataclass(frozen=True)
class Baseline:
    """One model of the study.

    Parameters
    ----------
    name : str
        Its key in results and on the command line.
    title : str
        Its name in tables.
    kind, learner : str
        The paper's two groupings: what is assumed about time, and what estimates from features.
    fit : callable
        ``fit(split, dataset, seed)`` trains on ``split.train``; ``split.validation`` is for early stopping only. Uses
        one thread, and gives the same model for the same seed.
    space : mapping
        What one would search, and where; empty where there is nothing to search. The study runs no search.
    packages : tuple of str
        Distributions whose versions belong to a result.
    environment : Environment, optional
        The interpreter of its own that the model runs in.
    memory : callable
        Peak GiB for (training rows, columns), for who runs several fits at once.
    """

    name: str
    title: str
    kind: Literal["non-parametric", "semi-parametric", "fully parametric"]
    learner: Literal["none", "linear", "tree", "neural"]
    fit: Fit
    space: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    environment: Environment | None = None
    memory: Callable[[int, int], float] = small


@dataclass(frozen=True)
class Checked:
    """A trained model. What is no risk or no survival function is refused, not repaired."""

    name: str
    model: Fitted

    def risk(self, X: Array) -> Array:
        """Scores; higher means earlier."""
        values = np.asarray(self.model.risk(X), dtype=np.float64)
        check_risk(values, len(X), self.name)
        return values

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times, without what rounding puts outside of [0, 1]."""
        times = np.asarray(times, dtype=np.float64)
        values = np.asarray(self.model.survival(X, times), dtype=np.float64)
        check_survival(values, len(X), times, self.name)
        return np.clip(values, 0.0, 1.0)


def checked(baseline: Baseline) -> Baseline:
    """The same baseline, with the check around what it predicts."""
    return replace(baseline, fit=partial(_fit_checked, baseline.name, baseline.fit))


def _fit_checked(name: str, fit: Fit, split: Split, dataset: str, seed: int) -> Fitted:
    return Checked(name, fit(split, dataset, seed))


def check_risk(values: Array, rows: int, name: str) -> None:
    """Refuse risks that are not one finite number for each subject."""
    if values.shape != (rows,):
        raise ValueError(f"{name}: risks have the shape {values.shape}; expected ({rows},).")
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: {np.sum(~np.isfinite(values))} of {rows} risks are not finite.")


def check_survival(values: Array, rows: int, times: Array, name: str) -> None:
    """Refuse what is not finite, not in [0, 1] or rising in time, beyond rounding errors of single precision."""
    if values.shape != (rows, len(times)):
        raise ValueError(f"{name}: survival has the shape {values.shape}; expected {(rows, len(times))}.")
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"{name}: survival of {bad.any(axis=1).sum()} of {rows} subjects is not finite, "
            f"first at time {times[bad.any(axis=0).argmax()]:.6g}."
        )
    if values.min(initial=0.0) < -TOLERANCE or values.max(initial=1.0) > 1.0 + TOLERANCE:
        raise ValueError(f"{name}: survival is in [{values.min():.6g}, {values.max():.6g}]; expected [0, 1].")
    rise = np.diff(values[:, np.argsort(times)], axis=1).max(initial=0.0)
    if rise > TOLERANCE:
        raise ValueError(f"{name}: a survival function rises by {rise:.6g} between two times.")


def mean_survival_risk(survival: Callable[[Array, Array], Array], X: Array) -> Array:
    r"""The risk of a model that has no score of its own, as the authors of FPBoost define it.

    .. math:: r = -\frac{1}{100} \sum_{i=1}^{100} S(t_i)

    with :math:`t_i` evenly spaced between 0 and the longest training time, here 1.
    """
    risk: Array = -survival(X, np.linspace(0.0, 1.0, RISK_TIMES)).mean(axis=1)
    return risk
