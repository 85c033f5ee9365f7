"""Training on rows that lie on the workers, by the steps of `hazboost.training.pipeline`.

Regressions need few subjects: the client fits them to rows that are drawn at random, with the draws of data in memory.
Trees are grown by all workers, each on its own rows, connected with the others: those of the folds one after the other,
on all rows that a fold keeps. Held-out rows are sent to the client and to all workers, of many no more than
`MOST_HELD_OUT`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from hazboost.dask.parts import Part, relative, without_subjects
from hazboost.dask.rows import Rows
from hazboost.dask.together import run_together
from hazboost.data.sample import Sample, join
from hazboost.data.summary import Summary
from hazboost.engines.base import Trees
from hazboost.engines.collective import fingerprint, own_place
from hazboost.prediction.model import Start
from hazboost.training import growing, pipeline
from hazboost.training.cross_validation import CrossValidation, Fold
from hazboost.training.ensemble import Member
from hazboost.training.fit import Fitted, Trained, advise, assemble, fit_start, in_user_time, of_all_rows, of_folds
from hazboost.training.growing import Growing
from hazboost.training.plan import Plan
from hazboost.training.state import State
from hazboost.utils.arrays import Indices
from hazboost.utils.progress import FoldProgress
from hazboost.utils.threads import single_threaded_blas

T = TypeVar("T")
#: Grows trees on some rows; returns them and everything else that is to be known.
Grow = Callable[[Plan, Sample], tuple[tuple[Trees, ...], T]]
#: Of so many subjects, of all folds together, losses are computed in every round, on every worker.
MOST_HELD_OUT = 50_000


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
    data, unit = Scattered(rows, summary.shortest), plan.time.unit
    watched = None if validation is None else validation.scaled(unit)
    with single_threaded_blas:
        scaled = drawn.scaled(unit, summary.shortest)
        state = data.choose(State(plan, scaled, summary.events_by_cause(plan.objective.mixture.n_causes)))
        fitted = of_folds(state) if state.averages_folds else data.fit(state, watched)
        trained = assemble(state, fitted, scaled, watched)
    advise(state.plan, drawn.target, trained)
    return in_user_time(trained, float(summary.events.sum() / summary.mass), validation)


def grow_last(
    plan: Plan, sample: Sample, *, start: Start, validation: Sample | None
) -> tuple[tuple[Trees, ...], Fitted]:
    """The given number of trees on top of a start."""
    fitted = of_all_rows(plan, start, sample, validation)
    return fitted.trees, fitted._replace(trees=())


def grow_member(
    plan: Plan, sample: Sample, *, growing: Growing, number: int, held: Sample, depth: int
) -> tuple[tuple[Trees, ...], Member]:
    """The model of the fold with such a number and such held-out rows."""
    fold = Fold(number, sample, held, sample)
    alone = replace(growing, plan=plan, cv=CrossValidation((fold,), 1))
    member = alone.grow_fold(fold, depth, FoldProgress(len(growing.starts), ["trees"], draw=False))
    return (member.trees,), member._replace(trees=None)


@dataclass(frozen=True)
class Scattered:
    """Rows on the workers, and how to train on them.

    Attributes
    ----------
    rows : Rows
        The rows.
    shortest : float
        The smallest positive time of all rows, in the user's unit.
    """

    rows: Rows
    shortest: float

    def choose(self, state: State) -> State:
        """All steps of the fit, of which three are done by the workers or need what they hold."""
        own = {one.__name__: one for one in (self.divide, choose_depth, grow_trees)}
        return pipeline.run([own.get(step.__name__, step) for step in pipeline.steps_of(state.plan)], state)

    def divide(self, state: State) -> State:
        """The folds: of all rows, or for a regression alone of those that were drawn."""
        plan = state.plan
        if not plan.chooses_rounds:
            return pipeline.divide(state)
        folds, policy, seed = state.folds, plan.search.policy, plan.search.seed
        parts = policy.parts_for(folds, len(self.rows.subjects))
        most = max(policy.subjects_for_linear, policy.subjects_for_column * state.sample.X.shape[1])
        divided = []
        for number, (kept, held) in enumerate(self.rows.divide(folds, seed, parts)):
            drawn, unseen = (
                one.draw(many, np.random.default_rng(seed)).scaled(plan.time.unit, self.shortest)
                for one, many in ((kept, most), (held, MOST_HELD_OUT // folds))
            )
            divided.append(FoldOnWorkers(number, drawn, unseen, drawn, replace(self, rows=kept)))
        return pipeline.with_folds(state, divided, parts)

    def fit(self, state: State, validation: Sample | None) -> Fitted:
        """A start that is fitted to drawn rows, and the given number of trees of all rows on top of it."""
        start = fit_start(state, state.sample)
        trees, fitted = self.grow(state.plan, partial(grow_last, start=start, validation=validation))
        return fitted._replace(trees=trees)

    def grow(self, plan: Plan, grow: Grow[T]) -> tuple[tuple[Trees, ...], T]:
        """Trees grown on the rows by all workers that hold some of them."""
        rows = self.rows
        dropped = rows.dropped()
        work = OnWorker(plan, grow, self.shortest, rows.mean_weight, dropped)
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


@dataclass(frozen=True)
class FoldOnWorkers(Fold):
    """A fold most of whose rows are on the workers.

    Attributes
    ----------
    data : Scattered
        All rows that are not held out; the client has only the drawn ones.
    """

    data: Scattered

    @property
    def is_in_memory(self) -> bool:
        """No: one fold after the other has all workers."""
        return False


class GrowingOnWorkers(Growing):
    """Trees of the folds, grown by all workers."""

    def grow_fold(self, fold: Fold, depth: int, progress: FoldProgress) -> Member:
        """The model of a fold, as `Growing.grow_fold` grows it."""
        data = cast("FoldOnWorkers", fold).data
        sent = Growing(self.plan, CrossValidation((), 1), self.starts, self.shrinkage, self.events)
        grow = partial(grow_member, growing=sent, number=fold.number, held=fold.held, depth=depth)
        (trees,), member = data.grow(self.plan, grow)
        return member._replace(trees=trees)


def choose_depth(state: State) -> State:
    """As `hazboost.training.growing.choose_depth`."""
    return growing.choose_depth(state, GrowingOnWorkers.of(state))


def grow_trees(state: State) -> State:
    """As `hazboost.training.growing.grow_trees`."""
    return growing.grow_trees(state, GrowingOnWorkers.of(state))


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
    grow: Grow[Any]
    shortest: float
    mean_weight: float
    dropped: Sequence[Indices]

    def __call__(self, numbers: Sequence[int], n_threads: int, parts: Sequence[Part]) -> Grown:
        """Grow trees on some partitions, given by number, together with all other workers."""
        left = [without_subjects(part, self.dropped[number]) for number, part in zip(numbers, parts, strict=True)]
        sample = relative(join(left), self.mean_weight).scaled(self.plan.time.unit, self.shortest)
        trees, rest = self.grow(self.plan.on_a_worker(n_threads), sample)
        return Grown("".join(map(fingerprint, trees)), *((trees, rest) if own_place() == 0 else (None, None)))
