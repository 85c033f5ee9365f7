"""What a summary reads of a fitted estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from hazboost.data.cohort import Cohort
from hazboost.prediction.model import Model


class FittedEstimator(Protocol):
    """A fitted `hazboost.FPBoost`: a protocol, because the estimator is a layer above this package."""

    @property
    def model_(self) -> Model:
        """The fitted model."""

    @property
    def cohort_(self) -> Cohort:
        """What is remembered of the training data."""

    @property
    def history_(self) -> Mapping[str, Sequence[float]]:
        """Losses by name, each with one value before the first round and one after every round."""

    @property
    def cv_results_(self) -> Mapping[str, Any]:
        """Held-out losses of the choices."""

    @property
    def diagnostics_(self) -> Mapping[str, Any]:
        """How well the model describes the training data."""

    @property
    def n_estimators_(self) -> int:
        """Number of rounds that were kept."""

    @property
    def max_depth_(self) -> int:
        """Depth of the trees."""

    @property
    def ridge_(self) -> float | None:
        """Strength of the ridge of the linear start."""

    @property
    def adaptive_ridge_(self) -> float | None:
        """Strength of its adaptive ridge."""

    @property
    def init(self) -> str:
        """Kind of start that was asked for."""

    @property
    def n_estimators(self) -> int | Literal["auto"]:
        """Number of rounds that was asked for."""

    @property
    def patience(self) -> int | None:
        """Rounds without gain after which training was to stop."""
