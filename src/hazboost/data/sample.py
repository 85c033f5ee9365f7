"""Features and outcomes of the same rows, and which rows belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, issparse
from sklearn.model_selection import train_test_split

from hazboost.data.folds import rows_of, strata, units
from hazboost.data.target import Target, number_by_appearance
from hazboost.utils.arrays import Array, Indices, Mask


@dataclass(frozen=True)
class Sample:
    """Encoded features, the outcome of each row, and groups of rows that folds must not divide.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, features)
        Encoded features.
    target : Target
        What was observed.
    group : array of int, optional
        Number of the group of each row, where the user gave groups.
    """

    X: Any
    target: Target
    group: Indices | None = None

    def without_weightless_rows(self) -> Sample:
        """Rows of weight 0 count for nothing: not for the candidate splits of the trees, nor for the unit of time."""
        heavy = self.target.weight > 0.0
        return self if heavy.all() else replace(self.rows(heavy), target=self.target.only(heavy))

    def split(self, fraction: float, seed: int) -> tuple[Sample, Sample]:
        """Set a part of the subjects aside, stratified on the event where both parts can have some."""
        unit = units(self.target, self.group)
        kind = strata(self.target, unit, 2)
        try:
            kept, aside = train_test_split(
                np.arange(len(kind)), test_size=fraction, stratify=kind if kind.any() else None, random_state=seed
            )
        except ValueError as error:
            what = "subjects" if self.group is None else "groups"
            raise ValueError(f"validation_fraction={fraction} cannot split {len(kind)} {what}: {error}") from error
        return self.rows(rows_of(unit, kept)), self.rows(rows_of(unit, aside))

    def rows(self, rows: Indices | Mask) -> Sample:
        """Some of the rows."""
        return Sample(self.X[rows], self.target[rows], None if self.group is None else self.group[rows])

    def draw(self, most: int, rng: np.random.Generator) -> Sample:
        """At most about ``most`` rows: those of subjects drawn at random."""
        if len(self.target) <= most:
            return self
        subject = number_by_appearance(self.target.subject)
        count = int(subject.max()) + 1
        drawn = rng.choice(count, max(1, most * count // len(subject)), replace=False)
        return self.rows(rows_of(subject, np.sort(drawn)))

    def by_group(self, values: Array) -> Array:
        """Sums over the subjects of each group, of values of the subjects in the order of appearance."""
        if self.group is None:
            return values
        first = np.unique(number_by_appearance(self.target.subject), return_index=True)[1]
        return np.bincount(number_by_appearance(self.group[first]), weights=values).astype(np.float64)

    def count_duplicates(self) -> int:
        """Rows that have the features and the outcome of an earlier row."""
        target = self.target
        outcome = np.column_stack([target.lower, target.upper, target.entry, target.cause])
        return len(target) - len(np.unique(row_hashes(self.X) ^ row_hashes(outcome, salt=1)))

    def scaled(self, unit: float) -> Sample:
        """The same with time in ``unit``, and no event at time zero."""
        return replace(self, target=self.target.scaled(unit).without_events_at_zero())


def row_hashes(X: Any, salt: int = 0) -> npt.NDArray[np.uint64]:
    """A 64-bit hash of each row, the sum of the hashes of its entries: equal rows have equal hashes.

    Comparing hashes needs eight bytes a row, where a set of the rows themselves would need gigabytes for a million.
    Two different rows among a million have the same hash with a probability of about 1e-8.
    """
    stored = csr_matrix(X) if issparse(X) else None
    hashes = np.zeros(X.shape[0], dtype=np.uint64)
    if stored is not None:
        entries = _mix(stored.data, _salts(stored.indices, salt))
        np.add.at(hashes, np.repeat(np.arange(X.shape[0]), np.diff(stored.indptr)), entries)
        return hashes
    for column in range(X.shape[1]):
        hashes += _mix(X[:, column], _salts(np.array([column]), salt))
    return hashes


def _salts(columns: npt.NDArray[Any], salt: int) -> npt.NDArray[np.uint64]:
    """A different number for every column, so that equal values in different columns have different hashes."""
    return (columns.astype(np.uint64) * np.uint64(2) + np.uint64(1 + salt)) * np.uint64(0x9E3779B97F4A7C15)


def _mix(values: npt.NDArray[Any], salts: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Hashes of numbers by the finaliser of SplitMix64, in which every input bit reaches every output bit."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64) + salts  # adding 0.0 turns -0.0 into 0.0
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = bits ^ (bits >> np.uint64(31))
    return mixed
