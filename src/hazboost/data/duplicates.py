"""Copies of the same subject, which folds must not divide.

A bootstrap sample or an oversampled class has copies of rows. If they fall into different folds, a model that has
memorised one copy seems to predict the other, and cross-validation chooses far too many rounds. But where features and
times have few values, different subjects have the same row by chance, and must be treated as the subjects they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, issparse

from hazboost.data.target import Target, number_by_appearance
from hazboost.utils.arrays import Array, Hashes, Indices
from hazboost.utils.devices import is_on_device, match_device, to_host

#: There are copies where subjects with the same features agree in their outcomes by this share more than by chance. On
#: the 58 sets of the accuracy study it is at most 0.1 (0.4 in one that has copies), and 0.17 to 1 in their bootstrap
#: samples, except where features have so few values that nobody can be told by them.
AGREEMENT = 0.15
#: Identical subjects are copies where there are so many times more of them than outcomes would coincide by chance.
MORE_THAN_CHANCE = 3.0


def copies(X: Any, target: Target) -> Indices | None:
    r"""Number of the original of each row, the same for all rows of a subject and of its copies; None without copies.

    Of the :math:`n_x` subjects with the same features, :math:`m` have the same outcome too, which has the frequency
    :math:`p_y` among all subjects. There are copies if the agreement beyond chance (Cohen's kappa), averaged over
    features that several subjects share, is high:

    .. math:: \kappa = \frac{f - q}{1 - q}, \qquad
        f = \operatorname{mean} \frac{m - 1}{n_x - 1}, \qquad q = \operatorname{mean} p_y .

    Then subjects are copies if nobody else has their features, :math:`m = n_x`, or if there are clearly more of them
    than by chance, :math:`m - 1 > 3 \, (n_x - 1) \, p_y`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, features)
        Encoded features.
    target : Target
        What was observed.
    """
    subject = target.number
    outcome = np.column_stack([target.lower, target.upper, target.entry, target.cause])
    feature_hash, outcome_hash = row_hashes(X), row_hashes(outcome, salt=1)
    # A subject is the sum of its rows, so their order does not matter.
    features, outcomes, both = (
        _sum_by(subject, hashes) for hashes in (feature_hash, outcome_hash, _mix(feature_hash ^ outcome_hash))
    )
    if (np.diff(np.sort(both)) > 0).all():  # no two subjects are the same
        return None
    n_same, n_features, n_outcome = map(_multiplicity, (both, features, outcomes))
    frequency = (n_outcome - 1) / max(len(both) - 1, 1)
    if _agreement(n_same, n_features, frequency) <= AGREEMENT:
        return None
    by_chance = (n_features - 1) * frequency
    copied = (n_same > 1) & ((n_same == n_features) | (n_same - 1 > MORE_THAN_CHANCE * by_chance))
    number = number_by_appearance(both)
    # Subjects that are no copies keep a number of their own.
    return number_by_appearance(np.where(copied, number, len(number) + np.arange(len(number))))[subject]


def _agreement(n_same: Array, n_features: Array, frequency: Array) -> float:
    """Cohen's kappa of the outcomes of subjects with the same features, averaged over these features."""
    shared = n_features > 1
    if not shared.any():
        return 0.0
    each_once = 1.0 / n_features[shared]
    found = np.average((n_same[shared] - 1) / (n_features[shared] - 1), weights=each_once)
    by_chance = np.average(frequency[shared], weights=each_once)
    return float((found - by_chance) / (1.0 - by_chance)) if by_chance < 1.0 else 0.0


def row_hashes(X: Any, salt: int = 0) -> Hashes:
    """A 64-bit hash of each row, the sum of the hashes of its entries: equal rows have equal hashes.

    Comparing hashes needs eight bytes a row, where a set of the rows themselves would need gigabytes for a million.
    Two different rows among a million have the same hash with a probability of about 1e-8.
    """
    if is_on_device(X):
        parts = (_mix(_bits(X[:, i]) + match_device(_salts(np.array([i]), salt), X)) for i in range(X.shape[1]))
        return np.asarray(to_host(sum(parts)), dtype=np.uint64)
    hashes = np.zeros(X.shape[0], dtype=np.uint64)
    if issparse(X):
        stored = csr_matrix(X)
        entries = _mix(_bits(stored.data) + _salts(stored.indices, salt))
        np.add.at(hashes, np.repeat(np.arange(X.shape[0]), np.diff(stored.indptr)), entries)
        return hashes
    for column in range(X.shape[1]):
        hashes += _mix(_bits(X[:, column]) + _salts(np.array([column]), salt))
    return hashes


def _bits(values: npt.NDArray[Any]) -> Hashes:
    """The bits of numbers."""
    return (values.astype(np.float64) + 0.0).view(np.uint64)  # adding 0.0 turns -0.0 into 0.0


def _salts(columns: npt.NDArray[Any], salt: int) -> Hashes:
    """A different number for every column, so that equal values in different columns have different hashes."""
    return (columns.astype(np.uint64) * np.uint64(2) + np.uint64(1 + salt)) * np.uint64(0x9E3779B97F4A7C15)


def _mix(bits: Hashes) -> Hashes:
    """Hashes by the finaliser of SplitMix64, in which every input bit reaches every output bit."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = bits ^ (bits >> np.uint64(31))
    return mixed


def _sum_by(subject: Indices, hashes: Hashes) -> Hashes:
    """Sum of the hashes of each subject's rows; sums wrap around."""
    if len(subject) == int(subject.max()) + 1:
        return hashes
    sums = np.zeros(int(subject.max()) + 1, dtype=np.uint64)
    np.add.at(sums, subject, hashes)
    return sums


def _multiplicity(values: Hashes) -> Array:
    """How often each value occurs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return counts[inverse.ravel()].astype(np.float64)
