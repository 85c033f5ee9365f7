"""All that the sections and the flags of a report read, computed once: rows, predictions, and a Cox regression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import _safe_indexing

from hazboost.data.cohort import Cohort
from hazboost.data.nonparametric import at_risk
from hazboost.data.target import Target, number_by_appearance
from hazboost.explain.reading import feature_names
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.predictor import Predictor
from hazboost.report.cox import Cox, fit_cox
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.threads import count_threads

#: Predictions are compared with outcomes for so many rows at most, and a Cox regression is fitted to so many. Others
#: are left out at random, which the page says.
MOST_ROWS, MOST_FOR_COX = 10_000, 20_000
#: A Cox regression is not made of more columns.
MOST_COLUMNS = 300
#: Scores are computed at so many times, between these quantiles of the event times, while so many are at risk.
TIMES, FIRST, LAST, ENOUGH_AT_RISK = 25, 0.1, 0.9, 10
#: Ends that differ by a smaller share of the time are one and the same.
APART = 1e-6


@dataclass(frozen=True)
class Rows:
    """Features, as given and as the model reads them, and outcomes of the same rows.

    Attributes
    ----------
    X : array, table or sparse matrix
        As given.
    encoded : array of shape (n, features)
        As numbers; categories are codes, and missing values NaN.
    target : Target
        What was observed.
    """

    X: Any
    encoded: Array
    target: Target

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: Indices) -> Rows:
        """Some of the rows."""
        return Rows(take_rows(self.X, rows), self.encoded[rows], self.target[rows])


def take_rows(X: Any, rows: Indices) -> Any:
    """Some rows of anything in which features may be given."""
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    return X.take(rows) if hasattr(X, "column_names") else _safe_indexing(X, rows)


@dataclass(frozen=True)
class Evidence:
    """A model, the rows on which it is judged and, where given, the rows on which it was trained.

    Attributes
    ----------
    model : FPBoost
        A fitted model.
    test : Rows
        Rows on which the model is judged: all of them.
    train : Rows or None
        Training rows.
    groups : array of str or None
        Labels of the test rows whose scores are to be compared.
    seed : int
        Seed of draws, folds and bootstrap samples.
    """

    model: Predictor
    test: Rows
    train: Rows | None
    groups: Any
    seed: int

    @property
    def cohort(self) -> Cohort:
        """What is remembered of the training data."""
        cohort: Cohort = self.model.cohort_
        return cohort

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return feature_names(self.model, self.test.encoded.shape[1])

    @property
    def categories(self) -> dict[int, list[Any]]:
        """Categories of the categorical features, by position."""
        return self.model.model_.schema.categories

    @property
    def sizes(self) -> dict[int, int]:
        """Number of categories of the categorical features, by position."""
        return {position: len(known) for position, known in self.categories.items()}

    @property
    def causes(self) -> list[int | None]:
        """The causes for which scores are computed: None for any event, where there is only one."""
        several = len(self.model.causes_) > 1
        return [int(one) for one in self.model.causes_] if several else [None]

    @cached_property
    def drawn(self) -> Indices:
        """Numbers of the test rows that are judged."""
        n = len(self.test)
        rng = np.random.default_rng(self.seed)
        return np.arange(n) if n <= MOST_ROWS else np.sort(rng.choice(n, MOST_ROWS, replace=False))

    @cached_property
    def judged(self) -> Rows:
        """The test rows that are judged: all of them, or a draw."""
        return self.test if len(self.drawn) == len(self.test) else self.test.take(self.drawn)

    @cached_property
    def known(self) -> Rows:
        """The rows from which most can be learned about the data: those of the training, or else those of the test."""
        rows = self.test if self.train is None else self.train
        if len(rows) <= MOST_FOR_COX:
            return rows
        return rows.take(np.sort(np.random.default_rng(self.seed).choice(len(rows), MOST_FOR_COX, replace=False)))

    @cached_property
    def distribution(self) -> Distribution:
        """Predicted distributions of the judged rows."""
        fitted, n_threads = self.model.model_, count_threads(self.model.n_jobs)
        encoded = as_trained(self.model, self.judged.encoded)
        return Distribution(fitted.mixture, fitted.scores(encoded, n_threads), fitted.unit, n_threads=n_threads)

    @cached_property
    def after_entry(self) -> Distribution:
        """The same, given that nothing had happened at entry."""
        target = self.judged.target
        return self.distribution.given_alive_at(target.entry) if target.entry.any() else self.distribution

    @cached_property
    def risk(self) -> Array:
        """Risk of the judged rows: minus the logarithm of their restricted mean survival time."""
        mean = self.distribution.restricted_mean(self.model.model_.horizon)
        return -np.log(np.maximum(mean, np.finfo(float).tiny))

    @cached_property
    def span(self) -> tuple[float, float]:
        """Quantiles of the event times, or the first and the last time with enough subjects at risk between them."""
        target = self.judged.target
        exits = np.unique(target.lower)
        under_observation = at_risk(target, exits)
        enough = exits[under_observation >= min(ENOUGH_AT_RISK, under_observation.max())]
        low, high = (target.event_quantile(share) for share in (FIRST, LAST))
        return max(low, float(enough[0])), min(high, float(enough[-1]))

    @property
    def spans_time(self) -> bool:
        """Whether the two are apart; with few subjects, or events that are all tied, they are not."""
        low, high = self.span
        return low < (1.0 - APART) * high

    @cached_property
    def grid(self) -> Array:
        """Times at which probabilities are judged: over the span, or half of the time since the first entry."""
        low, high = self.span
        half = 0.5 * (float(self.judged.target.entry.min()) + high)
        return np.linspace(low if self.spans_time else half, high, TIMES)

    @cached_property
    def moment(self) -> float:
        """The time for which single probabilities are judged: that of `FPBoost.predict`, or the last of the grid."""
        return float(min(self.model.model_.horizon, self.grid[-1]))

    @property
    def at_risk_at_moment(self) -> float:
        """Number of judged rows at risk at that time."""
        return float(at_risk(self.judged.target, np.array([self.moment]))[0])

    @property
    def delayed(self) -> bool:
        """Whether any of the judged rows entered late."""
        return bool((self.judged.target.entry > 0.0).any())

    @cached_property
    def cox(self) -> dict[int, Cox] | str:
        """A Cox regression for each cause, or why there is none."""
        rows = self.known
        if self.train is None:
            return "the training rows were not given (X_train and y_train)"
        if rows.target.interval.any() or rows.target.has_several_rows:
            return "the training rows have events in intervals, or several rows of a subject"
        width = rows.encoded.shape[1] + sum(self.sizes.values())
        if width > MOST_COLUMNS:
            return f"there are more than {MOST_COLUMNS} columns, {width} with one for each category"
        causes = {int(cause): rows.target.cause == cause for cause in self.model.causes_}
        if not all(event.any() for event in causes.values()):
            return "the training rows that were given have no event of some cause"
        return {
            cause: fit_cox(rows.encoded, rows.target, event, self.sizes, self.seed) for cause, event in causes.items()
        }


def as_trained(model: Predictor, dense: Array) -> Any:
    """Encoded features as the trees read them: sparse where they were in training."""
    if not model.model_.schema.sparse:
        return dense
    sparse = scipy.sparse.csr_matrix(dense)
    sparse.eliminate_zeros()
    return sparse


def resampled(target: Target, rows: Indices) -> Target:
    """Rows of a bootstrap sample, in which a subject that was drawn twice is two subjects."""
    part = target[rows]
    return Target.of(part.lower, part.upper, part.weight, entry=part.entry, cause=part.cause)


def levels_of(labels: Any) -> tuple[Indices, list[Any]]:
    """Number of the label of each row, and the labels in order of appearance."""
    number = number_by_appearance(np.asarray(labels))
    first = np.unique(number, return_index=True)[1]
    return number, np.asarray(labels)[first].tolist()
