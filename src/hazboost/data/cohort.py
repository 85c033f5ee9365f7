"""What is remembered of the people on whom a model was trained: counts, quantiles and curves, no rows.

Whoever uses a model later needs them to say whether a new subject is like those of the training, what is usual, and
how predictions compare with what happened to everybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from hazboost.utils.arrays import Array, Indices

#: Quantiles that are kept of each number, from the smallest value to the largest.
LEVELS = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
#: The values of a feature are listed where there are so many at most.
MOST_VALUES = 12


class Feature(NamedTuple):
    """One feature of the training data.

    Attributes
    ----------
    missing : float
        Share of rows in which it is missing.
    quantiles : array
        Of a number, its quantiles at `LEVELS`; NaN for categories.
    values : array
        Of a number with few distinct values, these; of categories, their codes; else empty.
    counts : array of int
        Rows with each of the values.
    """

    missing: float
    quantiles: Array
    values: Array
    counts: Indices


@dataclass(frozen=True)
class FeatureTable(Sequence[Feature]):
    """All features, in the order of the columns. There may be many, so that they share few arrays.

    Attributes
    ----------
    missing : array of shape (features,)
        Share of rows in which each feature is missing.
    quantiles : array of shape (features, levels)
        Quantiles at `LEVELS`.
    sizes : array of int of shape (features,)
        Number of values that are listed for each feature.
    values, counts : arrays
        Values and how often each occurs, of one feature after the other.
    """

    missing: Array
    quantiles: Array
    sizes: Indices
    values: Array
    counts: Indices

    def __len__(self) -> int:
        return len(self.missing)

    def __iter__(self) -> Iterator[Feature]:
        # One after the other by position, the time would grow with the square of their number.
        ends = np.cumsum(self.sizes)[:-1]
        values, counts = np.split(self.values, ends), np.split(self.counts, ends)
        return map(Feature, self.missing.tolist(), self.quantiles, values, counts)

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return [self[i] for i in range(len(self))[position]]
        i = range(len(self))[position]
        listed = slice(self.sizes[:i].sum(), self.sizes[: i + 1].sum())
        return Feature(float(self.missing[i]), self.quantiles[i], self.values[listed], self.counts[listed])


@dataclass(frozen=True)
class Cohort:
    """The people of the training data.

    Features and curves are those of rows drawn at random where there are many.

    Attributes
    ----------
    subjects : int
        Number of subjects.
    events : array of shape (causes,)
        Number of events of each cause, with weights relative to their mean; events in intervals, whose cause is not
        known, are divided like the others.
    follow_up : float
        Median follow-up: the time since entry by which half of the subjects would have been censored if there were no
        events (reverse Kaplan-Meier); NaN where that is not reached, with events in intervals, and with several rows
        of a subject.
    features : FeatureTable
        The features, in the order of the columns: ``features[i].quantiles``.
    times : array of shape (times,)
        Times of the curves, from 0 to the longest follow-up.
    observed : array of shape (causes, times)
        Cumulative incidence of each cause (Aalen-Johansen; with a single cause, one minus Kaplan-Meier); NaN where
        events lie in intervals or recur.
    expected : array of shape (causes, times)
        Mean of the cumulative incidences that the model predicts for them.
    """

    subjects: int
    events: Array
    follow_up: float
    features: FeatureTable
    times: Array
    observed: Array
    expected: Array


def describe_features(encoded: Any, categories: Mapping[int, Sized]) -> FeatureTable:
    """What the features of some rows are like; categories by position of their column.

    Entries that a sparse matrix does not store are zeros, as they look to the user.
    """
    dense = np.asarray(encoded.toarray() if scipy.sparse.issparse(encoded) else encoded, dtype=np.float64)
    ordered = np.sort(dense, axis=0)  # missing values come last
    known = (~np.isnan(ordered)).sum(axis=0)
    quantiles = _quantiles(ordered, known).T
    quantiles[list(categories)] = np.nan
    distinct = 1 + (np.diff(ordered, axis=0) > 0.0).sum(axis=0)
    listed = [_count(ordered[:n, i], categories.get(i), int(distinct[i])) for i, n in enumerate(known.tolist())]
    return FeatureTable(
        missing=1.0 - known / len(dense),
        quantiles=quantiles,
        sizes=np.array([len(values) for values, _ in listed], dtype=np.intp),
        values=np.concatenate([values for values, _ in listed]),
        counts=np.concatenate([counts for _, counts in listed]),
    )


def _count(column: Array, categories: Sized | None, distinct: int) -> tuple[Array, Indices]:
    """Values and how often each occurs: of all categories, and of numbers if these are few."""
    if categories is not None:
        codes = np.arange(len(categories), dtype=np.float64)
        return codes, np.bincount(column.astype(np.intp), minlength=len(codes))
    if distinct <= MOST_VALUES:
        return np.unique(column, return_counts=True)
    return np.empty(0), np.empty(0, dtype=np.intp)


def _quantiles(ordered: Array, known: Indices) -> Array:
    """Quantiles at `LEVELS` of the columns of a sorted matrix, whose first ``known`` rows are not missing."""
    place = np.outer(LEVELS, np.maximum(known - 1, 0))
    below, above = np.floor(place).astype(np.intp), np.ceil(place).astype(np.intp)
    low, high = np.take_along_axis(ordered, below, axis=0), np.take_along_axis(ordered, above, axis=0)
    # A weighted mean and not a difference, which would overflow between numbers at both ends of the range.
    share = place - below
    quantiles: Array = (1.0 - share) * low + share * high
    return quantiles
