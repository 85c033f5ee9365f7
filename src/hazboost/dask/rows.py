"""Training data that lie on the workers, as the client sees them.

Subjects are numbered through all partitions, in order of appearance. Draws are made by number, with the generators that
`hazboost.data.sample.Sample` uses, so that the same subjects are drawn as from the same data in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from distributed import Client, Future

from hazboost.dask.parts import (
    Outline,
    find_label,
    learn_part,
    outline,
    read_part,
    refuse_rows,
    relative,
    summarise_part,
    take_subjects,
)
from hazboost.dask.placing import choose_workers
from hazboost.dask.raw import Raw
from hazboost.data.features import Schema, join_categories
from hazboost.data.folds import divide_units, split_units
from hazboost.data.observations import find_divided
from hazboost.data.reading import SMALLEST_WEIGHT
from hazboost.data.sample import Sample, join, subjects_to_draw
from hazboost.data.summary import Summary, combine
from hazboost.data.target import Target, join_targets, number_by_appearance
from hazboost.utils.arrays import Indices

#: Validation data are sent to every worker; more subjects would make a choice hardly better.
MOST_VALIDATION = 10_000


@dataclass(frozen=True)
class Rows:
    """Rows on the workers.

    Attributes
    ----------
    client : Client
        The connection to the cluster.
    parts : tuple of Future
        A `hazboost.dask.parts.Part` for each partition with rows.
    outlines : tuple of Outline
        What is known of each.
    subjects : array of int
        Numbers of the subjects, in the order in which they count: not all of those on the workers after a split.
    """

    client: Client
    parts: tuple[Future, ...]
    outlines: tuple[Outline, ...]
    subjects: Indices

    @property
    def telling(self) -> Target:
        """Some rows that stand for all when outcomes are checked."""
        return join_targets([one.telling for one in self.outlines])

    @property
    def n_rows(self) -> int:
        """Number of rows of the subjects that count."""
        return int(np.concatenate([one.sizes for one in self.outlines])[self.subjects].sum())

    @property
    def n_subjects(self) -> int:
        """Number of subjects on the workers."""
        return int(self._begins[-1])

    @property
    def several_rows(self) -> bool:
        """Whether any subject has more than one row."""
        return any(one.sizes.max() > 1 for one in self.outlines)

    @property
    def mean_weight(self) -> float:
        """Mean weight of the subjects on the workers; everything that the client gets is relative to it."""
        return sum(one.mass for one in self.outlines) / self.n_subjects

    @property
    def _begins(self) -> Indices:
        """Number of the first subject of each partition, and of all subjects."""
        return np.cumsum([0, *(len(one.kind) for one in self.outlines)])

    def summary(self) -> Summary:
        """What has to be known of all rows before training."""
        mean = self.mean_weight
        tasks = [
            self.client.submit(summarise_part, part, dropped, mean, pure=False)
            for part, dropped in zip(self.parts, self.dropped(), strict=True)
        ]
        return combine([one for one in self.client.gather(tasks) if one is not None])

    def dropped(self) -> list[Indices]:
        """For each partition, numbers within it of the subjects that do not count."""
        outside = np.ones(self.n_subjects, dtype=bool)
        outside[self.subjects] = False
        return [np.flatnonzero(outside[begin:end]) for begin, end in self._ranges()]

    def draw(self, most: int, rng: np.random.Generator) -> Sample:
        """The rows of at most ``most`` subjects, drawn at random; see `Sample.draw`."""
        count = len(self.subjects)
        number = subjects_to_draw(most, count, self.n_rows)
        if number == count:
            return self.take(self.subjects)
        return self.take(self.subjects[np.sort(rng.choice(count, number, replace=False))])

    def take(self, chosen: Indices) -> Sample:
        """The rows of some subjects: in the given order, or in that of the data where subjects have several rows."""
        local = [chosen[(chosen >= begin) & (chosen < end)] - begin for begin, end in self._ranges()]
        some = [place for place, numbers in enumerate(local) if len(numbers)]
        tasks = [self.client.submit(take_subjects, self.parts[i], local[i], pure=False) for i in some]
        samples, subjects = zip(*self.client.gather(tasks), strict=True)
        sample = relative(join(samples), self.mean_weight)
        if self.several_rows:
            return sample
        begins = self._begins
        order = np.argsort(np.concatenate([begins[i] + one for i, one in zip(some, subjects, strict=True)]))
        position = np.empty(len(chosen), dtype=np.intp)
        position[np.argsort(chosen)] = order
        return sample.rows(position)

    def split(self, fraction: float, seed: int) -> tuple[Rows, Indices]:
        """Rows to train on, and subjects to validate on: a share of them, but at most `MOST_VALIDATION`.

        A share of the groups is set aside whole, however many subjects they have.
        """
        unit, kind, grouped = self._units()
        kept, aside = split_units(kind, fraction, seed, grouped=grouped)
        if not grouped and len(aside) > MOST_VALIDATION:  # they come in random order
            kept, aside = np.concatenate([kept, aside[MOST_VALIDATION:]]), aside[:MOST_VALIDATION]
        return self._divided(unit, kept, aside)

    def divide(self, folds: int, seed: int, parts: int) -> list[tuple[Rows, Rows]]:
        """Pairs of rows to train on and rows to hold out; see `hazboost.data.folds.split_folds`."""
        unit, kind, grouped = self._units()
        pairs = divide_units(kind, folds, seed, parts, grouped=grouped)
        divided = [self._divided(unit, kept, held) for kept, held in pairs]
        return [(kept, replace(self, subjects=held)) for kept, held in divided]

    def _units(self) -> tuple[Indices, Indices, bool]:
        """The unit of each subject, the outcome of each unit, and whether units are groups."""
        kind = np.concatenate([one.kind for one in self.outlines])[self.subjects].astype(np.intp)
        groups = [one.group for one in self.outlines if one.group is not None]
        if not groups:
            return np.arange(len(kind)), kind, False
        unit = number_by_appearance(np.concatenate(groups)[self.subjects])
        by_unit = np.zeros(int(unit.max()) + 1, dtype=np.intp)
        np.maximum.at(by_unit, unit, kind)
        return unit, by_unit, True

    def _divided(self, unit: Indices, kept: Indices, aside: Indices) -> tuple[Rows, Indices]:
        """Rows of some units, and the subjects of others; in the given order if each unit has one row."""
        if self.several_rows or len(unit) > int(unit.max()) + 1:
            kept, aside = (np.flatnonzero(np.isin(unit, chosen)) for chosen in (kept, aside))
        return replace(self, subjects=self.subjects[kept]), self.subjects[aside]

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Numbers of the first subject of each partition, and of the first that is no longer in it."""
        begins = self._begins
        return zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)


def learn_features(client: Client, raw: Raw) -> tuple[Schema, list[int]]:
    """Names and categories of the features in all partitions, and the number of rows of each."""
    learned = client.gather(client.map(learn_part, range(len(raw.X)), raw.X, pure=False))
    rows, schemas = [count for count, _ in learned], [schema for _, schema in learned if schema is not None]
    if not schemas:
        raise ValueError("X has no rows: all partitions are empty; give at least one row.")
    for schema in schemas[1:]:
        _refuse_other_kinds(schemas[0], schema)
    return join_categories(schemas), rows


def _refuse_other_kinds(first: Schema, other: Schema) -> None:
    """Refuse partitions that differ in more than the categories that they have."""
    if (first.names, set(first.categories), first.sparse) != (other.names, set(other.categories), other.sparse):
        raise ValueError(
            "X: partitions differ in their columns, or in which of them are categorical; convert them to the same."
        )


def read_rows(client: Client, raw: Raw, schema: Schema, counts: Sequence[int]) -> Rows:
    """Encode all partitions on the workers, and refuse what does not fit together."""
    empty = [number for number, count in enumerate(counts) if not count]
    client.gather([client.submit(refuse_rows, number, raw.y[number], pure=False) for number in empty])
    filled = [number for number, count in enumerate(counts) if count]
    where = client.who_has([raw.X[i] for i in filled])
    holders = [where.get(raw.X[i].key, ()) for i in filled]
    addresses = choose_workers([counts[i] for i in filled], holders, sorted(client.nthreads()))
    placed = {"allow_other_workers": True, "pure": False}  # others have to do it if that worker is lost
    parts = [
        client.submit(
            *(read_part, i, schema, raw.X[i], raw.y[i], raw.sample_weight[i], raw.groups[i]),
            workers=[address],
            **placed,
        )
        for i, address in zip(filled, addresses, strict=True)
    ]
    outlines = client.gather(client.map(outline, parts, pure=False))
    known = [(part, one, i) for part, one, i in zip(parts, outlines, filled, strict=True) if one is not None]
    if not known:
        raise ValueError("sample_weight is zero for every subject; at least one must be positive.")
    outlines = tuple(one for _, one, _ in known)
    _refuse_divided(client, outlines, [raw.y[i] for _, _, i in known], [i for _, _, i in known])
    _refuse_extreme_weights(outlines)
    return Rows(client, tuple(part for part, _, _ in known), outlines, np.arange(sum(len(o.kind) for o in outlines)))


def _refuse_divided(client: Client, outlines: Sequence[Outline], y: Sequence[Any], numbers: Sequence[int]) -> None:
    """Refuse subjects with rows in several partitions, which the workers would take for several subjects."""
    if any(one.ids is None for one in outlines):
        return
    found = find_divided([one.ids for one in outlines if one.ids is not None])
    if found is not None:
        label = client.submit(find_label, y[found.one], found.label, pure=False).result()
        raise ValueError(
            f"y: the rows of id {label} lie in the partitions {numbers[found.one]} and {numbers[found.other]}; all "
            "rows of a subject must lie in one. Shuffle the whole table by its id before it is divided into X and y: "
            "data.shuffle('id'), or data.set_index('id')."
        )


def _refuse_extreme_weights(outlines: Sequence[Outline]) -> None:
    """Refuse weights that would be lost in single precision beside those of other partitions."""
    smallest, largest = (pick(one.weights[i] for one in outlines) for i, pick in enumerate((min, max)))
    if smallest < SMALLEST_WEIGHT * largest:
        raise ValueError(
            f"sample_weight must be 0 or at least {SMALLEST_WEIGHT:g} of the largest, which is {largest:g}; got "
            f"{smallest:g}. Use 0 for rows that are not to count."
        )
