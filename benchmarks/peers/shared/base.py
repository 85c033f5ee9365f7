"""What every peer model states, what it is fitted to, and the check that every prediction passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from benchmarks.harness.environments import Environment
from hazboost.utils.arrays import Array

#: Rounding errors of single precision that a survival matrix may have.
TOLERANCE = 1e-5
#: Number of times over which survival is averaged into a risk.
RISK_TIMES = 100


@dataclass(frozen=True)
class Sample:
    """Rows with their outcome.

    Attributes
    ----------
    X : array or DataFrame of shape (n, d)
        Features.
    event : array
        Whether the event was seen; with competing causes the number of the cause, 0 for censoring.
    time : array
        Time of the event or of censoring.
    groups : array, optional
        The subject of each row; None where every row is one of its own.
    entry : array, optional
        Start of the time at risk of each row; None where all start at zero.
    upper : array, optional
        Where an event is only known to lie in an interval: the end of the interval, infinite where no event was seen;
        ``time`` is its beginning. None where times are exact.
    """

    X: Any
    event: npt.NDArray[Any]
    time: Array
    groups: Any = None
    entry: Any = None
    upper: Any = None


@dataclass(frozen=True)
class Task:
    """What a model is fitted to.

    Attributes
    ----------
    train : Sample
        Rows that the model is fitted to.
    validation : Sample or None
        Rows for early stopping only, in studies that hold some out for it.
    dataset : str
        Name of the data set, for models with published settings for it.
    seed : int
        Seed of everything random; the same seed gives the same model.
    threads : int
        Threads that a fit and its predictions may use, in the studies of speed and of learning; all others give one.
    """

    train: Sample
    validation: Sample | None
    dataset: str
    seed: int
    threads: int = 1


def with_validation(task: Task) -> tuple[Sample, Sample]:
    """The rows to fit and those for early stopping, which must be there."""
    if task.validation is None:
        raise ValueError(f"early stopping needs validation rows; the task of {task.dataset!r} has none.")
    return task.train, task.validation


class Fitted(Protocol):
    """A fitted model.

    Models for competing causes have ``incidence(X, times)`` of shape (n, causes, times) instead; those for changing
    covariates have `risk` and ``log_hazard(X, times)``, up to a constant for each time.
    """

    def risk(self, X: Any) -> Array:
        """Scores of shape (n,); higher means earlier."""
        ...

    def survival(self, X: Any, times: Array) -> Array:
        """Survival probabilities of shape (n, len(times))."""
        ...


class Encoder(Protocol):
    """From a table with categories and missing values to what a model takes."""

    def fit(self, X: Any) -> Self:
        """Learn from the training rows."""
        ...

    def transform(self, X: Any) -> Any:
        """What the model takes."""
        ...


def small(rows: int, columns: int) -> float:
    """Memory in GiB of a model that needs little more than its packages and its data."""
    return 0.7 + 1e-7 * rows * columns


@dataclass(frozen=True)
class Peer:
    """One model of one study.

    Parameters
    ----------
    study : str
        Study that it takes part in: ``"paper"``, ``"accuracy"``, ``"competing"``, ``"changing"``, ``"speed"``,
        ``"truth"``, ``"learning"`` or ``"ablation"``, whose models are fitted to the data of other studies.
    name : str
        Its key in results and on the command line.
    fit : callable
        From a `Task` to a fitted model. ``task.validation`` is for early stopping only. Uses one thread. In the study
        of speed it uses ``task.threads``, and may be given settings by name.
    packages : tuple of str
        Distributions that it needs, whose versions belong to a result.
    title : str
        Its name in tables; the key by default.
    kind, learner : str
        The paper's two groupings, for the tables of the study of the paper: what is assumed about time, and what
        estimates from features.
    encoder : callable, optional
        Makes the preprocessing of the model, in studies that give it tables with categories and missing values.
    monotone : bool
        Whether its survival functions never rise; they are refused if they do.
    environment : Environment, optional
        The interpreter of its own that the model runs in.
    memory : callable
        Peak GiB for (training rows, columns), so that several fits at once do not exceed the memory.
    takes : tuple of str
        What it takes besides right-censored rows: ``"entry"``, ``"interval"``, ``"causes"``; the study of known truths
        gives it nothing else.
    """

    study: str
    name: str
    fit: Callable[..., Any]
    packages: tuple[str, ...]
    title: str = ""
    kind: Literal["", "non-parametric", "semi-parametric", "fully parametric"] = ""
    learner: Literal["", "none", "linear", "tree", "neural"] = ""
    encoder: Callable[[], Encoder] | None = None
    monotone: bool = True
    environment: Environment | None = None
    memory: Callable[[int, int], float] = small
    takes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name)

    def train(self, task: Task) -> Trained:
        """Encode the training rows if the model wants that, fit the model, and check all that it predicts."""
        if self.encoder is None:
            return Trained(self, self.fit(task), lambda X: X)
        encoder = self.encoder().fit(task.train.X)
        encoded = replace(task, train=replace(task.train, X=encoder.transform(task.train.X)))
        return Trained(self, self.fit(encoded), encoder.transform)


@dataclass(frozen=True)
class Trained:
    """A fitted model with its preprocessing. Invalid risks and survival functions are refused, not repaired."""

    peer: Peer
    model: Any
    encode: Callable[[Any], Any]

    def risk(self, X: Any) -> Array:
        """Scores; higher means earlier."""
        values = np.asarray(self.model.risk(self.encode(X)), dtype=np.float64)
        check_risk(values, len(X), self.peer.name)
        return values

    def survival(self, X: Any, times: Array) -> Array:
        """Survival probabilities, subjects by times, clipped to [0, 1] where rounding left it."""
        times = np.asarray(times, dtype=np.float64)
        values = np.asarray(self.model.survival(self.encode(X), times), dtype=np.float64)
        check_survival(values, len(X), times, self.peer.name)
        if self.peer.monotone:
            check_monotone(values, times, self.peer.name)
        return np.clip(values, 0.0, 1.0)

    def incidence(self, X: Any, times: Array) -> Array:
        """Cumulative incidences, subjects by causes by times, clipped to [0, 1] where interpolation left it."""
        values = np.asarray(self.model.incidence(self.encode(X), times), dtype=np.float64)
        return np.clip(values, 0.0, 1.0)

    def log_hazard(self, X: Any, times: Array) -> Array:
        """Logarithms of the hazard, rows by times, up to a constant for each time."""
        return np.asarray(self.model.log_hazard(self.encode(X), times), dtype=np.float64)


def check_risk(values: Array, rows: int, name: str) -> None:
    """Refuse risks that are not one finite number for each subject."""
    if values.shape != (rows,):
        raise ValueError(f"{name}: risks have the shape {values.shape}; expected ({rows},).")
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: {np.sum(~np.isfinite(values))} of {rows} risks are not finite.")


def check_survival(values: Array, rows: int, times: Array, name: str) -> None:
    """Refuse what is not finite or not in [0, 1], beyond rounding errors of single precision."""
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


def check_monotone(values: Array, times: Array, name: str) -> None:
    """Refuse survival functions that rise in time, beyond rounding errors of single precision."""
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
