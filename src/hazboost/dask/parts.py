"""What workers do with one partition: read it, say what has to be known of it, hand out some of its subjects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.data.features import Schema, learn_schema, readable
from hazboost.data.folds import outcomes
from hazboost.data.observations import check_id, find_columns, hash_labels
from hazboost.data.reading import as_groups, as_target, check_rows
from hazboost.data.sample import Sample
from hazboost.data.summary import Summary
from hazboost.data.target import Target, followed
from hazboost.utils.arrays import Hashes, Indices

P = ParamSpec("P")
T = TypeVar("T")


def of_partition(function: Callable[P, T]) -> Callable[P, T]:
    """Let errors of a function, whose first argument is the number of a partition, begin with it.

    Rows that a message names are then those of the partition.
    """

    @wraps(function)
    def named(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError) as error:
            raise type(error)(f"partition {args[0]}: {error}") from error

    return named


@dataclass(frozen=True)
class Part:
    """The rows of one partition, as they were read.

    Attributes
    ----------
    sample : Sample
        Rows with a positive weight; weights are as given, and groups are hashes of their labels.
    ids : array of uint64, optional
        Hash of the id of each subject, in order of appearance, if ``y`` has ids.
    """

    sample: Sample
    ids: Hashes | None


@dataclass(frozen=True)
class Outline:
    """What the client has to know of the subjects of a partition.

    Attributes
    ----------
    sizes : array of int
        Number of rows of each subject, in order of appearance.
    kind : array of int8
        Outcome of each subject; see `hazboost.data.folds.outcomes`.
    group, ids : arrays of uint64, optional
        Hash of the group and of the id of each subject.
    telling : Target
        Of each outcome the row with the longest time: enough to check the outcomes of all rows.
    mass : float
        Weighted number of subjects.
    weights : pair of float
        The smallest and the largest weight.
    """

    sizes: Indices
    kind: npt.NDArray[np.int8]
    group: Hashes | None
    ids: Hashes | None
    telling: Target
    mass: float
    weights: tuple[float, float]


@of_partition
def learn_part(number: int, X: Any) -> tuple[int, Schema | None]:
    """Number of rows, and names and categories of the features; None without rows."""
    rows = X.shape[0]
    return rows, learn_schema(readable(X)) if rows else None


@of_partition
def read_part(number: int, schema: Schema, X: Any, y: Any, weight: Any, groups: Any) -> Part:
    """Encode the rows of a partition, and refuse what does not fit together."""
    check_alignment({"X": X, "y": y, "sample_weight": weight, "groups": groups})
    # Whether codes above 1 are causes is decided for all partitions together.
    target = as_target(y, weight, causes_known=True)
    encoded = schema.encode(readable(X))
    check_rows(encoded.shape[0], target)
    group = None
    if groups is not None:
        as_groups(groups, target)  # the same for all rows of a subject
        group = hash_labels(check_id(groups, "groups", "label")).view(np.int64).astype(np.intp)
    columns = find_columns(y, "y")[1]
    ids = hash_labels(check_id(columns["id"], "y")) if "id" in columns else None
    sample = Sample(encoded, target, group).without_weightless_rows()
    if ids is not None:
        ids = ids[target.weight > 0.0][np.unique(sample.target.number, return_index=True)[1]]
    return Part(sample.with_rows_joined(), ids)


@of_partition
def refuse_rows(number: int, y: Any) -> None:
    """Refuse outcomes of a partition without features."""
    count = len(y[0] if isinstance(y, tuple) else y)
    if count:
        raise ValueError(f"X has 0 rows and y has {count}; both need one for each subject.")


def outline(part: Part) -> Outline | None:
    """What the client has to know; None of a partition without rows."""
    sample, target = part.sample, part.sample.target
    if not len(target):
        return None
    subject = target.number
    first = np.unique(subject, return_index=True)[1]
    kind = outcomes(target, np.arange(len(target)))
    by_time = np.lexsort((followed(target.lower, target.upper), kind))
    last = np.flatnonzero(np.diff(kind[by_time], append=-1))
    return Outline(
        np.bincount(subject),
        outcomes(target, subject).astype(np.int8),
        None if sample.group is None else sample.group[first].astype(np.int64).view(np.uint64),
        part.ids,
        target[by_time[last]],
        float(target.mass.sum()),
        (float(target.weight.min()), float(target.weight.max())),
    )


def summarise_part(part: Part, dropped: Indices, mean_weight: float) -> Summary | None:
    """The summary of a partition without some of its subjects; None if nobody is left."""
    sample = relative(without_subjects(part, dropped), mean_weight)
    return sample.summary() if len(sample.target) else None


def take_subjects(part: Part, chosen: Indices) -> tuple[Sample, Indices]:
    """Rows of some subjects, by number in order of appearance, and for each row the number of its subject."""
    subject = part.sample.target.number
    rows = np.flatnonzero(np.isin(subject, chosen))
    return part.sample.rows(rows), subject[rows]


def without_subjects(part: Part, dropped: Indices) -> Sample:
    """Rows of all other subjects."""
    if not len(dropped):
        return part.sample
    return part.sample.rows(~np.isin(part.sample.target.number, dropped))


def relative(sample: Sample, mean_weight: float) -> Sample:
    """The same with weights relative to the mean over all subjects."""
    return replace(sample, target=replace(sample.target, weight=sample.target.weight / mean_weight))


def find_label(y: Any, wanted: int) -> str:
    """The id with this hash."""
    labels = np.unique(check_id(find_columns(y, "y")[1]["id"], "y"))
    return str(labels[int(np.argmax(hash_labels(labels) == np.uint64(wanted)))])
