"""Training on rows that lie on the workers.

What is to be chosen is chosen by the client, on subjects that are drawn at random, by the code and with the draws of
`hazboost.training`. Trees of all rows are grown by every worker on its own rows, connected with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hazboost.dask.parts import Part, relative, without_subjects
from hazboost.dask.rows import Rows
from hazboost.dask.together import run_together
from hazboost.data.sample import Sample, join
from hazboost.data.summary import Summary
from hazboost.engines.base import Trees
from hazboost.engines.collective import fingerprint, own_place
from hazboost.prediction.model import Start
from hazboost.training.cross_validation import CrossValidation, Fold
from hazboost.training.fit import Trained, advise, assemble, fit_start, grow_final, in_user_time
from hazboost.training.growing import Ensemble, Growing
from hazboost.training.plan import Plan
from hazboost.training.selection import Choice, choose_start, find_best, keep
from hazboost.training.trust import trust_in_trees
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.progress import FoldProgress
from hazboost.utils.threads import single_threaded_blas

#: Grows trees on some rows; returns them and everything else that is to be known.
Grow = Callable[[Plan, Sample], tuple[tuple[Trees, ...], Any]]


def train_on_workers(plan: Plan, rows: Rows, summary: Summary, drawn: Sample, validation: Sample | None) -> Trained:
    """Train on rows of the workers; watch, and with patience stop on, validation data.

    Parameters
    ----------
    plan : Plan
        How to train.
    rows : Rows
        The training data.
    summary : Summary
        What is known of all of them.
    drawn : Sample
        Some of them, drawn at random, to fit the start on; like all others in the user's unit of time.
    validation : Sample, optional
        Validation data.
    """
    data, unit = Scattered(plan, rows, summary), plan.time.unit
    watched = None if validation is None else validation.scaled(unit)
    with single_threaded_blas:
        choice = data.choose()
        scaled = drawn.scaled(unit, summary.shortest)
        start = choice.start or fit_start(plan, scaled, choice)
        if choice.averaged:
            grown = grow_final(plan, scaled, watched, start, choice)
        else:
            grown = data.grow(rows, partial(grow_last, start=start, choice=choice, validation=watched))
        trained = assemble(plan, start, choice, grown, scaled, watched)
    advise(plan, drawn.target, trained)
    return in_user_time(trained, float(summary.events.sum() / summary.mass), validation)


def grow_last(
    plan: Plan, sample: Sample, *, start: Start, choice: Choice, validation: Sample | None
) -> tuple[tuple[Trees, ...], Any]:
    """The trees of the model, with the arguments of `grow_final` in another order."""
    return grow_final(plan, sample, validation, start, choice)


def grow_held_out(
    plan: Plan, sample: Sample, *, held: Sample, start: Start, trust: Array, depth: int
) -> tuple[tuple[Trees, ...], Any]:
    """Trees of one depth, grown until the loss of held-out rows has not improved for long."""
    fold = Fold(0, sample, held)
    growing = Growing(plan, CrossValidation((fold,), plan.objective.n_threads), (start,), trust)
    member = growing.grow_fold(fold, depth, FoldProgress(1, ["rounds"], draw=False))
    return (member.trees,), member._replace(trees=None)


@dataclass(frozen=True)
class Scattered:
    """The training data, and how to train on them.

    Attributes
    ----------
    plan : Plan
        How to train.
    rows : Rows
        The training data.
    summary : Summary
        What is known of all of them.
    """

    plan: Plan
    rows: Rows
    summary: Summary

    def choose(self) -> Choice:
        """What `hazboost.training.selection.choose` chooses for many subjects."""
        plan, policy = self.plan, self.plan.search.policy
        share = policy.hold_out_of(self.summary.n_subjects)
        if plan.chooses_rounds:
            return self.choose_rounds(share or policy.hold_out)
        trust = trust_in_trees(plan, self.events)
        if not plan.has_linear_start:
            return Choice(None, plan.given.rounds or 0, plan.first_depth, trust, {})
        return choose_start(plan, self.draw(self.rows), share and policy.hold_out, trust)

    def choose_rounds(self, share: float) -> Choice:
        """Hold out a share of the subjects; choose ridge and depth on some of the others, and rounds on all of them."""
        search = self.plan.search
        kept, numbers = self.rows.hold_out(share, search.folds, search.seed)
        held = self.scaled(self.rows.take(numbers))
        cv = CrossValidation((Fold(0, self.draw(kept), held),), self.plan.objective.n_threads)
        found = find_best(self.plan, cv, self.events)
        if cv.n_kept < kept.n_rows:
            (start,), depth = found.growing.starts, found.best.depth
            grow = partial(grow_held_out, held=held, start=start, trust=found.growing.trust, depth=depth)
            (trees,), member = self.grow(kept, grow)
            found = found._replace(best=Ensemble(depth, [member._replace(trees=trees)]))
        return keep(found, share)

    @property
    def events(self) -> Array:
        """Weighted number of events of each cause."""
        return self.summary.events_by_cause(self.plan.objective.mixture.n_causes)

    def draw(self, rows: Rows) -> Sample:
        """Some of the rows, drawn at random to choose on."""
        search = self.plan.search
        return self.scaled(rows.draw(search.policy.subjects_for_choices, np.random.default_rng(search.seed)))

    def scaled(self, sample: Sample) -> Sample:
        """A part of the rows in the model's unit of time."""
        return sample.scaled(self.plan.time.unit, self.summary.shortest)

    def grow(self, rows: Rows, grow: Grow) -> tuple[tuple[Trees, ...], Any]:
        """Trees grown on some of the rows by all workers that hold some of them."""
        dropped = rows.dropped()
        work = OnWorker(self.plan, grow, self.summary.shortest, rows.mean_weight, dropped)
        # All rows of a partition count here, also those that were dropped: in every training it then stays where it is.
        sizes = {
            number: int(one.sizes.sum())
            for number, one in enumerate(rows.outlines)
            if len(dropped[number]) < len(one.kind)
        }
        grown = run_together(rows.client, work, rows.parts, sizes)
        if len({one.fingerprint for one in grown}) > 1:
            raise RuntimeError(
                "the workers have grown different trees, and no model was made; check that all of them have the same "
                "versions of Python and of all packages."
            )
        return next((one.trees, one.rest) for one in grown if one.trees is not None)


class Grown(NamedTuple):
    """What a worker has grown: a text that is the same for the same trees, and of one worker the result."""

    fingerprint: str
    trees: tuple[Trees, ...] | None
    rest: Any


@dataclass(frozen=True)
class OnWorker:
    """What a worker has to know to grow trees on its partitions.

    Attributes
    ----------
    plan : Plan
        How to train.
    grow : callable
        Grows trees.
    shortest : float
        The smallest positive time of all rows, in the user's unit.
    mean_weight : float
        Mean weight of all subjects.
    dropped : sequence of arrays of int
        For each partition the subjects that are not to be trained on, by number within it.
    """

    plan: Plan
    grow: Grow
    shortest: float
    mean_weight: float
    dropped: Sequence[Indices]

    def __call__(self, numbers: Sequence[int], n_threads: int, parts: Sequence[Part]) -> Grown:
        """Grow trees on some partitions, given by number, together with all other workers."""
        left = [without_subjects(part, self.dropped[number]) for number, part in zip(numbers, parts, strict=True)]
        sample = relative(join(left), self.mean_weight).scaled(self.plan.time.unit, self.shortest)
        trees, rest = self.grow(self.plan.on_a_worker(n_threads), sample)
        return Grown("".join(map(fingerprint, trees)), *((trees, rest) if own_place() == 0 else (None, None)))
