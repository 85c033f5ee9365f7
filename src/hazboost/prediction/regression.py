r"""Scores before the first tree: the same for every subject, or linear in the features.

With a linear start, the log-hazard of a cause is :math:`b_c(t) + x^\top \beta_c`, or features act on time instead; see
`hazboost.prediction.effects`. For weights without a level, the linear predictor shifts the log-scales of all heads of
the cause. How these are fitted is in `hazboost.training.linear`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hazboost.data.design import Design
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.effects import Accelerated, Effect, Proportional
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.devices import match_device

#: Shifts below this count as none where something is divided by them.
SMALL_SHIFT = 1e-6


@dataclass(frozen=True)
class ConstantStart:
    """The same scores for every subject."""

    intercept: Array

    def margin(self, X: Any) -> Array:
        """The intercept, once for each row."""
        return match_device(np.tile(self.intercept, (X.shape[0], 1)), X)

    def shifted(self, shift: Array) -> ConstantStart:
        """The same with something added."""
        return ConstantStart(self.intercept + shift)

    def contributions(self, X: Any) -> tuple[Array, Array]:
        """All rows share everything."""
        return self.intercept, np.zeros((X.shape[0], len(self.intercept), X.shape[1]))


@dataclass(frozen=True)
class LinearStart:
    """Scores that depend linearly on the features.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    log_intercept : array of shape (scores,)
        Log-parameters and scores of weights at the mean of the features.
    design : Design
        How features become columns.
    coefficient : array of shape (columns, causes)
        Shift of the log-hazard of each cause for one standard deviation of the column.
    largest_shift : float
        Shifts are cut here, so that no combination of features leads to a hazard that is zero or infinite.
    at_bound : array of int of shape (scores,)
        Where the intercept is at a bound of its search; see `hazboost.training.marginal.at_bound`.
    """

    mixture: Mixture
    log_intercept: Array
    design: Design
    coefficient: Array
    largest_shift: float
    at_bound: Indices

    #: What features act on.
    acts_on: ClassVar[str] = "hazard"

    @classmethod
    def constant(cls, mixture: Mixture, log_intercept: Array, design: Design, largest_shift: float) -> LinearStart:
        """The same for everybody."""
        coefficient = np.zeros((len(design.features), mixture.n_causes))
        inside = np.zeros(mixture.n_scores, np.intp)
        return cls(mixture, log_intercept, design, coefficient, largest_shift, inside)

    @property
    def effect(self) -> Effect:
        """What the linear predictor acts on."""
        return Proportional(self.mixture)

    @cached_property
    def loading(self) -> Array:
        """What a shift of one adds to each log-parameter and score of a weight, of shape (causes, scores)."""
        return self.effect.loading(self.log_intercept)

    def margin(self, X: Any) -> Array:
        """Raw scores of each row, of shape (n, scores)."""
        return self.scores_of_shifts(self.design.predict(X, self.coefficient))

    def scores_of_shifts(self, shift: Array) -> Array:
        """Raw scores, of shape (n, scores), for shifts of shape (n, causes)."""
        shift = np.clip(shift, -self.largest_shift, self.largest_shift)
        log_intercept, loading = match_device(self.log_intercept, shift), match_device(self.loading, shift)
        # Each cause has scores of its own, so that a score gets the shift of one cause or none.
        return self.mixture.scores_of_logs(log_intercept[:, None] + loading.T @ shift.T).T

    def shifted(self, shift: Array) -> LinearStart:
        """The same with something added to the intercept.

        Features do what they did: they multiply the hazard, or make time run faster, by the same factor. Where they act
        on time, what they add to a log-scale is proportional to the shape, and changes with it.
        """
        return replace(self, log_intercept=self.log_intercept + shift)

    def contributions(self, X: Any) -> tuple[Array, Array]:
        r"""Scores at the mean of the features, and what each feature adds to them, of shape (n, scores, features).

        A score is a function :math:`g` of the shift :math:`s = \sum_f s_f` of its cause: the shift itself, cut at its
        bounds, and in parameters that are no exponentials bent by their activation. A feature adds its part of the
        sum, :math:`s_f (g(s) - g(0)) / s`.
        """
        parts = self.design.parts(X, self.coefficient)
        base, shift = self.scores_of_shifts(np.zeros((1, parts.shape[2]))), parts.sum(axis=1)
        # Where parts cancel the quotient is the slope of g, taken over a distance that is small and not rounded away.
        far = np.where(np.abs(shift) < SMALL_SHIFT, SMALL_SHIFT, shift)
        quotient = (self.scores_of_shifts(far) - base) / np.where(self.loading.any(axis=0), far @ self.loading, 1.0)
        return base[0], quotient[:, :, None] * np.einsum("nfc,cs->nsf", parts, self.loading)

    def without_features(self) -> LinearStart:
        """The same for everybody: the subject at the mean of the features."""
        return replace(self, coefficient=np.zeros_like(self.coefficient))


@dataclass(frozen=True)
class AcceleratedStart(LinearStart):
    """Scores of subjects whose features act on time; a shift is one of the log cumulative hazard at the unit of time.

    Attributes
    ----------
    kappa : array of shape (causes,)
        Time runs faster by the factor ``exp(shift / kappa)``; see `Accelerated`.
    """

    kappa: Array

    acts_on = "time"

    @classmethod
    def like(cls, start: LinearStart) -> AcceleratedStart:
        """Nearly the same scores, where shifts are small."""
        same = {field.name: getattr(start, field.name) for field in fields(LinearStart)}
        return cls(**same, kappa=Accelerated.at(start.mixture, start.log_intercept).kappa)

    @property
    def effect(self) -> Effect:
        """What the linear predictor acts on."""
        return Accelerated(self.mixture, self.kappa)
