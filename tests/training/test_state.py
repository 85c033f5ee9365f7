"""What is known while a model is fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training.ensemble import Ensemble, Predicted
from hazboost.training.state import Calibration, State, usual_shrinkage
from tests.training.ensembles import member
from tests.training.simulated import automatic


def state_for(n=200, events=(100.0,), group=None, **parameters):
    time = np.linspace(0.1, 1.0, n)
    sample = Sample(np.arange(float(n))[:, None], Target.of(time, time), group)
    plan = automatic(heads=None, **parameters)._plan(Schema(None, {}, sparse=False), sample.summary(), len(events), 0)
    return State(plan, sample, np.array(events))


@pytest.mark.parametrize(("events", "half", "share"), [(100.0, 100.0, 0.5), (300.0, 100.0, 0.75), (100.0, 400.0, 0.2)])
def test_trees_are_halved_after_so_many_events(events, half, share):
    state = state_for(events=(events,))
    search = replace(state.plan.search, policy=replace(state.policy, shrinkage_events=half))
    np.testing.assert_allclose(usual_shrinkage(replace(state.plan, search=search), state.events), share)


def test_the_events_of_each_cause_count_for_its_own_scores():
    state = state_for(events=(100.0, 300.0, 0.0))
    half = state.policy.shrinkage_events
    mixture = state.plan.objective.mixture
    for scores, events in zip(mixture.scores_of_causes, state.events, strict=True):
        np.testing.assert_allclose(state.usual_shrinkage[scores], events / (events + half))


def test_given_rounds_are_not_shrunk_but_for_causes_without_an_event():
    state = state_for(events=(1.0, 0.0), n_estimators=10)
    first, second = state.plan.objective.mixture.scores_of_causes
    np.testing.assert_array_equal(state.usual_shrinkage[first], 1.0)
    np.testing.assert_array_equal(state.usual_shrinkage[second], 0.0)


def test_without_a_calibration_trees_have_the_usual_shrinkage_and_nothing_is_shifted():
    state = state_for()
    np.testing.assert_array_equal(state.calibrated.shrinkage, state.usual_shrinkage)
    np.testing.assert_array_equal(state.calibrated.shift, 0.0)
    known = Calibration(np.ones(7), np.full(7, 0.3))
    assert state.add(calibration=known).calibrated is known


@pytest.mark.parametrize("helps", [False, True])
def test_folds_are_averaged_where_their_trees_help(helps):
    trees = Ensemble(4, (member([3.0, 2.0, 1.0]), member([3.0, 2.0, 1.0])))
    state = state_for().add(trees=trees, calibration=Calibration(np.zeros(7), np.full(7, 0.5 * helps)))
    assert state.averages_folds == helps
    assert state.rounds == (2 if helps else 0)
    assert state.depth == 4


def test_without_trees_of_folds_rounds_and_depth_are_those_that_were_given():
    given = state_for(n_estimators=7, max_depth=5)
    assert (given.averages_folds, given.rounds, given.depth) == (False, 7, 5)
    chosen = state_for()
    assert (chosen.averages_folds, chosen.rounds, chosen.depth) == (False, 0, chosen.policy.depths[0])


@pytest.mark.parametrize("n_folds", [2, 7])
def test_given_folds_are_kept(n_folds):
    assert state_for(n_folds=n_folds).folds == n_folds


@pytest.mark.parametrize(
    ("n", "groups", "most"), [(200, None, 200), (3, None, 3), (200, 4, 4), (200, 1, 2), (1, None, 2)]
)
def test_there_are_at_most_as_many_folds_as_subjects_or_groups(n, groups, most):
    """But two, so that what is missing can be said."""
    state = state_for(n, group=None if groups is None else np.arange(n) % groups, n_folds="auto")
    assert state.folds == min(state.policy.folds_for(100.0), most)


def test_results_are_added_to_those_before():
    state = state_for()
    assert state.add({"a": [1.0]}).add({"b": [2.0]}).results == {"a": [1.0], "b": [2.0]}
    assert state.results == {}


def test_calibrated_scores_are_those_of_the_formula():
    rng = np.random.default_rng(0)
    start, grown = rng.normal(size=(2, 5, 3))
    shift, shrinkage = rng.normal(size=(2, 3))
    part = Predicted(None, start, grown)
    np.testing.assert_allclose(Calibration(shift, shrinkage).scores(part), start + shrinkage * (grown - start) + shift)
    assert Calibration(shift, shrinkage).has_trees
    assert not Calibration(shift, np.zeros(3)).has_trees
