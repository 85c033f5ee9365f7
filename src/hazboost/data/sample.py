"""Features and outcomes of the same rows, and which rows belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from hazboost.data.condense import find_runs
from hazboost.data.duplicates import copies
from hazboost.data.features import highest_values
from hazboost.data.folds import outcomes, rows_of, split_units, units
from hazboost.data.summary import Summary, summarise
from hazboost.data.target import Target, join_targets, number_by_appearance
from hazboost.utils.arrays import Array, Indices, Mask
from hazboost.utils.devices import is_on_device, match_device, to_device, to_host

#: Of features in batches, so many values are read into memory at the same time: 80 megabytes. With up to 500 columns
#: that is all rows on which a fit in memory would choose, and fit the linear start.
VALUES_IN_MEMORY = 10_000_000
#: Where subjects have several rows, at most so many for each subject that is wanted are drawn: the information is in
#: the number of subjects, the cost in that of rows.
ROWS_OF_A_SUBJECT = 10
#: Trees hold times in single precision, which ends at 3.4e38.
LONGEST_IN_UNITS = 1e38


def rows_to_load(most: int, X: Any) -> int:
    """How many rows of features in batches to read into memory, at most ``most``."""
    return max(1, min(most, VALUES_IN_MEMORY // int(X.shape[1])))


def subjects_to_draw(most: int, subjects: int, rows: int, most_rows: int | None = None) -> int:
    """How many of the subjects, who have so many rows, to draw.

    At most ``most``, and only as many as have about ``most_rows`` or, by default, `ROWS_OF_A_SUBJECT` for each.

    Examples
    --------
    >>> subjects_to_draw(100, 500, 500), subjects_to_draw(100, 500, 10_000), subjects_to_draw(100, 80, 80)
    (100, 50, 80)
    """
    most_rows = ROWS_OF_A_SUBJECT * most if most_rows is None else most_rows
    return max(1, min(most, subjects, most_rows * subjects // rows))


@dataclass(frozen=True)
class Sample:
    """Encoded features, the outcome of each row, and groups of rows that folds must not divide.

    Attributes
    ----------
    X : array, sparse matrix or FeatureBatches of shape (n, features)
        Encoded features.
    target : Target
        What was observed.
    group : array of int, optional
        Number of the group of each row, where the user gave groups or there are copies of rows.
    """

    X: Any
    target: Target
    group: Indices | None = None

    def summary(self) -> Summary:
        """What has to be known of all rows before training."""
        return summarise(self.target, self.highest)

    @cached_property
    def highest(self) -> Array:
        """The largest value of each feature; NaN where all are missing."""
        return highest_values(self.X)

    def without_weightless_rows(self) -> Sample:
        """Rows of weight 0 count for nothing: not for the candidate splits of the trees, nor for the unit of time."""
        heavy = self.target.weight > 0.0
        return self if heavy.all() else replace(self.rows(heavy), target=self.target.only(heavy))

    def split(self, fraction: float, seed: int) -> tuple[Sample, Sample]:
        """Set a part of the subjects aside, stratified on the event where both parts can have some.

        Of batches, the part is no larger than what fits into memory.
        """
        if not self.is_in_memory:
            rows = len(self.target)
            fraction = min(fraction, rows_to_load(rows, self.X) / rows)
        unit = units(self.target, self.group)
        kept, aside = split_units(outcomes(self.target, unit), fraction, seed, grouped=self.group is not None)
        return self.rows(rows_of(unit, kept)), self.rows(rows_of(unit, aside))

    @property
    def is_in_memory(self) -> bool:
        """Whether the features are an array or a sparse matrix, and not in batches."""
        return not hasattr(self.X, "load")

    def in_memory(self) -> Sample:
        """The same with all features in the memory of the computer."""
        if is_on_device(self.X):
            return replace(self, X=to_host(self.X).astype(np.float64))
        return self if self.is_in_memory else replace(self, X=self.X.load())

    def load(self, rng: np.random.Generator, parts: int) -> Sample:
        """The same in memory; of batches only as many subjects, drawn at random, as fit there in so many parts."""
        if self.is_in_memory:
            return self.in_memory()
        rows, count = len(self.target), self.target.n_subjects
        number = subjects_to_draw(count, count, rows, rows_to_load(parts * rows, self.X) // parts)
        return self.in_memory() if number == count else self.draw(number, rng).in_memory()

    def on_device(self) -> Sample:
        """The same with all features, in single precision as trees hold them, in the memory of the GPU."""
        return replace(self, X=to_device(self.X, np.float32))

    def rows(self, rows: Indices | Mask) -> Sample:
        """Some of the rows; those of batches always in their own order."""
        if not self.is_in_memory and rows.dtype != np.bool_:
            rows = np.sort(rows).astype(np.intp)
        return Sample(
            self.X[match_device(rows, self.X)], self.target[rows], None if self.group is None else self.group[rows]
        )

    def with_rows_joined(self) -> Sample:
        """The same with rows of a subject joined that follow one another and have the same features and weight.

        The likelihood is the same. Nothing depends on how a subject was cut into rows any more: not the rows that are
        sampled for a tree, nor the curvature of their losses.
        """
        if not self.target.has_several_rows:
            return self
        runs = find_runs(self.target, self.X)
        if len(runs.first) == len(self.target):
            return self
        return replace(self.rows(runs.first), target=runs.join(self.target))

    def draw(self, most: int, rng: np.random.Generator) -> Sample:
        """The rows of at most ``most`` subjects, drawn at random; see `subjects_to_draw`.

        Of batches, no more than fit into memory.
        """
        subject, count = self.target.number, self.target.n_subjects
        most_rows = None if self.is_in_memory else rows_to_load(ROWS_OF_A_SUBJECT * most, self.X)
        number = subjects_to_draw(most, count, len(subject), most_rows)
        if number == count:
            return self
        return self.rows(rows_of(subject, np.sort(rng.choice(count, number, replace=False))))

    def by_group(self, values: Array) -> Array:
        """Sums over the subjects of each group, of values of the subjects in the order of appearance."""
        if self.group is None:
            return values
        first = np.unique(self.target.number, return_index=True)[1]
        return np.bincount(number_by_appearance(self.group[first]), weights=values).astype(np.float64)

    def with_copies_together(self, least: int) -> Sample:
        """Copies of a subject as one group, unless fewer than ``least`` groups, or groups with an event, would be left.

        Groups that the user has given stay as they are.
        """
        original = copies(self.X, self.target) if self.group is None else None
        if original is None:
            return self
        happened = self.target.event | self.target.interval
        if min(len(np.unique(original)), len(np.unique(original[happened]))) < least:
            return self
        return replace(self, group=original)

    def weighted(self, factor: float) -> Sample:
        """The same with all weights multiplied by a factor."""
        return replace(self, target=replace(self.target, weight=factor * self.target.weight))

    def with_mean_weight_one(self) -> Sample:
        """Weights relative to the mean over subjects, so that only their ratios matter."""
        weight = self.target.weight
        if (weight == 1.0).all() and not self.target.has_several_rows:
            return self
        largest = weight.max()
        relative = replace(self.target, weight=self.target.weight / largest)  # so that the sum does not overflow
        mean = relative.mass.sum() / relative.n_subjects
        return replace(self, target=replace(relative, weight=relative.weight / mean))

    def scaled(self, unit: float, shortest: float | None = None) -> Sample:
        """The same with time in ``unit``, and no event at time zero.

        ``shortest`` is the smallest positive time of all rows, where these are a part of them.
        """
        if self.target.longest > LONGEST_IN_UNITS * unit:
            raise ValueError(
                f"y: the longest time, {self.target.longest:g}, is more than {LONGEST_IN_UNITS:g} times the unit of "
                f"the model, {unit:g} (as a rule the median time of the events), which is too long for the trees. "
                "Check whether it stands for an unknown time."
            )
        smallest = None if shortest is None else shortest / unit
        return replace(self, target=self.target.scaled(unit).without_events_at_zero(smallest))


def join(samples: Sequence[Sample]) -> Sample:
    """Samples without a common subject, one after the other."""
    if len(samples) == 1:
        return samples[0]
    features = [sample.X for sample in samples]
    X = scipy.sparse.vstack(features, format="csr") if scipy.sparse.issparse(features[0]) else np.concatenate(features)
    groups = [sample.group for sample in samples if sample.group is not None]
    return Sample(X, join_targets([one.target for one in samples]), np.concatenate(groups) if groups else None)
