"""Training on rows that lie on the workers.

What is to be chosen is chosen by the client, on subjects that are drawn at random. Then every worker grows the same
trees on its own rows, connected with the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hazboost.dask.parts import Part, relative, without_subjects
from hazboost.dask.rows import Rows
from hazboost.dask.together import run_together
from hazboost.data.sample import Sample, join
from hazboost.data.summary import Summary
from hazboost.engines.base import Trees
from hazboost.engines.collective import fingerprint, own_place
from hazboost.prediction.model import Start
from hazboost.training.fit import History, Trained, advise, assemble, fit_start, grow_final, in_user_time
from hazboost.training.plan import Plan
from hazboost.training.selection import Choice, choose
from hazboost.utils.arrays import Array, Indices


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
        Some of them, drawn at random, on which choices are made; like all others in the user's unit of time.
    validation : Sample, optional
        Validation data.
    """
    unit = plan.time.unit
    scaled, watched = drawn.scaled(unit, summary.shortest), None if validation is None else validation.scaled(unit)
    choice = choose_on(plan, scaled, summary)
    start = fit_start(plan, scaled, choice)
    grown = grow_on_workers(plan, rows, summary, start, choice, watched)
    trained = assemble(plan, start, choice, grown, scaled, watched)
    advise(plan, drawn.target, trained)
    return in_user_time(trained, float(summary.events.sum() / summary.mass), validation)


def choose_on(plan: Plan, drawn: Sample, summary: Summary) -> Choice:
    """What is to be chosen, with the trust in trees that are grown on all rows and not on the drawn ones only."""
    choice, events = choose(plan, drawn), summary.events_by_cause(plan.objective.mixture.n_causes)
    half = plan.search.policy.events_for_half_trust if plan.chooses_rounds else 0.0
    shares: Array = np.where(events > 0.0, events / np.where(events > 0.0, events + half, 1.0), 0.0)
    results = {**choice.results, "trust": shares.tolist()} if plan.chooses_rounds else choice.results
    mixture = plan.objective.mixture
    per_cause = mixture.n_scores // mixture.n_causes
    trust = mixture.join_causes([np.full(per_cause, share) for share in shares])
    # Trees of folds of the drawn subjects are no model of all rows.
    return replace(choice, trust=trust, results=results, members=())


class Grown(NamedTuple):
    """What a worker has grown: a text that is the same for the same trees, the history, and of one worker the trees."""

    fingerprint: str
    history: History
    trees: tuple[Trees, ...] | None


@dataclass(frozen=True)
class Growing:
    """What a worker has to know to grow trees on its partitions.

    Attributes
    ----------
    plan, start, choice
        How to train, the start of the scores, and what was chosen.
    validation : Sample, optional
        Validation data in the model's unit of time, the same on all workers.
    shortest : float
        The smallest positive time of all rows, in the user's unit.
    mean_weight : float
        Mean weight of all subjects.
    dropped : sequence of arrays of int
        For each partition the subjects that are not to be trained on, by number within it.
    """

    plan: Plan
    start: Start
    choice: Choice
    validation: Sample | None
    shortest: float
    mean_weight: float
    dropped: Sequence[Indices]

    def __call__(self, numbers: Sequence[int], n_threads: int, parts: Sequence[Part]) -> Grown:
        """Grow trees on some partitions, given by number, together with all other workers."""
        left = [without_subjects(part, self.dropped[number]) for number, part in zip(numbers, parts, strict=True)]
        sample = relative(join(left), self.mean_weight).scaled(self.plan.time.unit, self.shortest)
        plan = self.plan.on_a_worker(n_threads)
        trees, history = grow_final(plan, sample, self.validation, self.start, self.choice)
        return Grown("".join(map(fingerprint, trees)), history, trees if own_place() == 0 else None)


def grow_on_workers(
    plan: Plan, rows: Rows, summary: Summary, start: Start, choice: Choice, validation: Sample | None
) -> tuple[tuple[Trees, ...], History]:
    """Trees grown by all workers that hold some of the rows."""
    dropped = rows.dropped()
    growing = Growing(plan, start, choice, validation, summary.shortest, rows.mean_weight, dropped)
    filled = [number for number, one in enumerate(rows.outlines) if len(dropped[number]) < len(one.kind)]
    grown = run_together(rows.client, growing, rows.parts, filled)
    if len({one.fingerprint for one in grown}) > 1:
        raise RuntimeError(
            "the workers have grown different trees, and no model was made; check that all of them have the same "
            "versions of Python, NumPy, XGBoost and hazboost."
        )
    trees = next(one.trees for one in grown if one.trees is not None)
    return trees, grown[0].history
