"""The automatic fit, step by step; `docs/defaults.md` has a heading for each step.

1. `choose_heads`: which hazards are mixed.
2. `divide`: into subjects that a model is fitted to and subjects that judge it, once for each fold.
3. `choose_ridge`, `choose_effect`, `adapt_ridges`: where the trees of each fold begin, a regression.
4. `choose_depth`, `grow_trees`: the trees of each fold, on top of its regression.
5. `calibrate`: a shift of each score, and how much its trees count.

The model is the mean of the hazards of the folds; `Model` has the formula, and `hazboost.training.fit` assembles it.
Where trees do not help, it is one regression of all rows. Where a number of rounds is given, nothing is grown in folds:
the trees are grown on all rows, on top of a regression of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hazboost.data.condense import events_by_cause
from hazboost.data.folds import split_folds
from hazboost.data.sample import Sample
from hazboost.training.calibration import calibrate
from hazboost.training.cross_validation import CrossValidation, Fold
from hazboost.training.growing import choose_depth, grow_trees
from hazboost.training.linear_selection import adapt_ridges, choose_effect, choose_ridge
from hazboost.training.plan import Plan
from hazboost.training.refining import choose_heads
from hazboost.training.single import drawn_for_linear
from hazboost.training.state import State

Step = Callable[[State], State]


def choose(plan: Plan, sample: Sample) -> State:
    """Run all steps that a plan asks for, with subjects in the model's unit of time."""
    return run(steps_of(plan), State(plan, sample, events_by_cause(sample.target, plan.objective.mixture.n_causes)))


def steps_of(plan: Plan) -> tuple[Step, ...]:
    """All steps; fewer where a number of rounds is given, and nothing is to be chosen of the start."""
    start: tuple[Step, ...] = (choose_heads, divide, choose_ridge, choose_effect, adapt_ridges)
    if plan.chooses_rounds:
        return (*start, choose_depth, grow_trees, calibrate)
    return start if plan.has_linear_start else (choose_heads,)


def run(steps: Sequence[Step], state: State) -> State:
    """One step after the other, without those that the policy leaves out."""
    for step in steps:
        if step.__name__ not in state.plan.search.policy.steps_left_out:
            state = step(state)
    return state


def divide(state: State) -> State:
    """The folds: each holds out a part of the subjects.

    With many events there are fewer folds, and with many subjects they hold out smaller parts. With more folds than
    parts, subjects are divided again. A regression alone needs few subjects.
    """
    plan, sample = state.plan, state.sample
    search, policy = plan.search, plan.search.policy
    if not plan.chooses_rounds:
        sample = drawn_for_linear(plan, sample)
    parts = policy.parts_for(state.folds, sample.target.n_subjects)
    rows = split_folds(sample.target, state.folds, search.seed, sample.group, parts)
    divided = []
    for number, (kept, held) in enumerate(rows):
        learned = sample.rows(kept)
        unseen = sample.rows(held).load(np.random.default_rng(search.seed), state.folds)
        divided.append(Fold(number, learned, unseen, drawn_for_linear(plan, learned)))
    return with_folds(state, divided, parts)


def with_folds(state: State, folds: Sequence[Fold], parts: int) -> State:
    """The same with folds, which on average count a held-out subject once, and each of which can be learned from."""
    # Stratification spreads events over the folds, but few events or few groups may end up in one of them.
    if not all(fold.drawn.target.has_events for fold in folds):
        raise ValueError(
            f"n_folds={state.folds}: all events are in one fold, and there is none to learn from when it is held out; "
            "use more data, or give n_estimators and an init other than 'linear', which need no folds."
        )
    share = min(1.0, parts / len(folds))
    counted = tuple(replace(fold, held=fold.held.weighted(share)) for fold in folds)
    return state.add(cv=CrossValidation(counted, state.plan.objective.n_threads, share))
