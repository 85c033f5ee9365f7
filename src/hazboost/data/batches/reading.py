"""The first pass over batches: all that is kept in memory, and checks that name the batch.

Outcomes and weights of all rows are kept, a few numbers for each: boosting needs them in every round. What is said of
all rows together (events, times, weights, causes) is therefore computed and checked by the same code, and with the same
result, as for data in memory. Features are only looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hazboost.data.alignment import check_alignment
from hazboost.data.batches.features import FeatureBatches
from hazboost.data.batches.source import Batch, Batches, in_batch
from hazboost.data.features import Schema, highest_values, join_categories, learn_schema, readable
from hazboost.data.names import learn_columns
from hazboost.data.observations import check_id, find_columns, find_divided, hash_labels
from hazboost.data.reading import as_target, check_rows, warn_of_codes_of_r
from hazboost.data.sample import Sample
from hazboost.data.target import Target, join_targets
from hazboost.utils.arrays import Array, Hashes
from hazboost.utils.describe import and_more


class _Read(NamedTuple):
    """What is kept of one batch."""

    schema: Schema
    target: Target
    weighted: bool
    highest: Array
    subjects: Hashes


def read_batches(
    batches: Batches, named: Any, *, causes_known: bool = False, cache: Path | None = None
) -> tuple[Schema, Sample]:
    """Read batches once, and make a sample of which the features stay where they are.

    Parameters
    ----------
    batches : Batches
        Where the rows come from.
    named : object
        Takes scikit-learn's attributes for the number and names of features.
    causes_known : bool
        Whether codes above 1 are known to be causes; see `as_target`.
    cache : Path, optional
        A folder in which others may keep what they make of the features.
    """
    parts: list[_Read] = []
    for number, batch in enumerate(batches):
        with in_batch(number):
            if not batch.n_rows:
                raise ValueError("X has no rows; leave such batches out.")
            X = readable(batch.X)
            if number == 0:
                learn_columns(named, X)
            parts.append(_read_batch(batch, X))
            _check_same_columns(parts[0], parts[-1])
        del batch, X  # so that no two batches are in memory at the same time
    if not parts:
        raise ValueError(
            "batches: there is not a single one. Check the source; if it is a function, it must begin to read anew "
            "whenever it is called."
        )
    _refuse_divided_subjects([part.subjects for part in parts])
    target = join_targets([part.target for part in parts])
    target = as_target(target, target.weight)  # compares the weights of all batches
    if not causes_known:
        warn_of_codes_of_r(target, "y")
    schema = join_categories([part.schema for part in parts])
    highest = np.fmax.reduce([part.highest for part in parts])
    sizes, everything = tuple(len(part.target) for part in parts), np.ones(len(target), dtype=bool)
    X = FeatureBatches(batches, schema, sizes, everything, np.arange(len(highest)), highest, cache)
    return schema, Sample(X, target)


def _read_batch(batch: Batch, X: Any) -> _Read:
    """Check a batch as `FPBoost.fit` checks all data."""
    if batch.y is None:
        raise ValueError("y is missing; give a pair (X, y), and with from_parquet the columns of the outcome.")
    schema = learn_schema(X)
    encoded = schema.encode(X)
    check_alignment({"X": X, "y": batch.y, "sample_weight": batch.sample_weight})
    # One batch may lack censored rows by chance, which says nothing of what the codes mean.
    target = as_target(batch.y, batch.sample_weight, causes_known=True)
    check_rows(encoded.shape[0], target)
    highest = highest_values(encoded[target.weight > 0.0])
    return _Read(schema, target, batch.sample_weight is not None, highest, _subjects(batch.y))


def _subjects(y: Any) -> Hashes:
    """A number for each id in a batch, which is the same for the same id in another one; none without ids."""
    columns = {} if isinstance(y, Target) else find_columns(y, "y")[1]
    return np.unique(hash_labels(check_id(columns["id"], "y"))) if "id" in columns else np.empty(0, dtype=np.uint64)


def _check_same_columns(first: _Read, other: _Read) -> None:
    """Refuse a batch with other columns than the first one, or in another order."""
    if len(first.highest) != len(other.highest):
        raise ValueError(
            f"X has {len(other.highest)} columns, and in batch 0 it has {len(first.highest)}; give every batch the "
            "same columns in the same order."
        )
    if first.schema.names != other.schema.names or first.schema.sparse != other.schema.sparse:
        found, expected = (_describe_columns(one.schema) for one in (other, first))
        raise ValueError(
            f"X has {found}, and in batch 0 it has {expected}; give every batch the same columns in the same order."
        )
    differ = sorted(first.schema.categories.keys() ^ other.schema.categories.keys())
    if differ:
        was, now = ("categorical", "numeric") if differ[0] in first.schema.categories else ("numeric", "categorical")
        name = (first.schema.names or [])[differ[0]]
        raise ValueError(
            f"X: column {name!r} is {now}, and in batch 0 it is {was}; convert it in all batches to the same."
        )
    if first.weighted != other.weighted:
        raise ValueError("sample_weight must be given in all batches or in none of them, and batch 0 differs.")


def _describe_columns(schema: Schema) -> str:
    if schema.names is None:
        return f"a {'sparse matrix' if schema.sparse else 'plain array'} without names"
    return f"the columns {and_more(schema.names[:5], len(schema.names))}"


def _refuse_divided_subjects(subjects: Sequence[Hashes]) -> None:
    """Refuse a subject with rows in two batches, which would count as two."""
    found = find_divided(subjects)
    if found is not None:
        raise ValueError(
            f"batches: batches {found.one} and {found.other} have rows of the same id; all rows of a subject must be "
            "in one batch. Sort the rows by id, and cut them between subjects."
        )
