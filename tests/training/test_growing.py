"""Trees of the folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.training.ensemble import Ensemble
from hazboost.training.growing import Growing
from hazboost.training.policy import POLICY
from hazboost.utils.progress import FoldProgress
from tests.training.ensembles import member
from tests.training.simulated import automatic, crossed_data, curved, curved_data, linear_data


def grow_all(growing):
    return growing.grow_folds(2, FoldProgress(3, ["rounds"], draw=False), range(3))


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("patience", [2.0, 5.0])
def test_patience_and_most_rounds_are_longer_for_shorter_steps(monkeypatch, with_policy, rate, patience):
    """With a held-out loss that never improves, a fold stops when its patience ends."""
    with_policy(patience=(patience, patience))
    seen = []
    grow_fold = Growing.grow_fold

    def watched(*arguments):
        seen.append(grow_fold(*arguments))
        return seen[-1]

    monkeypatch.setattr(Growing, "grow_fold", watched)
    X, y = linear_data(150)
    automatic(learning_rate=rate, init="marginal").fit(np.random.default_rng(1).normal(size=X.shape), y)
    assert seen
    for one in seen:
        best = int(np.argmin(one.held_out_loss[1:])) + 1
        assert one.best == best
        assert len(one.held_out_loss) - 1 == min(best + patience / rate, POLICY.max_rounds / rate)


def test_held_out_losses_are_those_of_shrunken_trees(monkeypatch):
    """The curve that chooses the rounds describes nearly the model that is used, in which trees are shrunk.

    No subject counts for more than its limit there, and how many reach it depends on the rows that trees were grown on.
    """
    members, starts = [], []
    grow_fold = Growing.grow_fold

    def watched(growing, fold, *arguments):
        members.append(grow_fold(growing, fold, *arguments))
        starts.append((growing, fold))
        return members[-1]

    monkeypatch.setattr(Growing, "grow_fold", watched)
    X, y = curved_data(300)
    automatic(max_depth=2).fit(X, y)
    limit = POLICY.largest_difference
    for grown_fold, (growing, fold) in zip(members, starts, strict=True):
        start = growing.starts[fold.number].margin(fold.held.X)
        engine, objective = growing.engine(fold, 2), growing.plan.objective
        grown = engine.scores(grown_fold.trees, engine.matrix(fold.held.X, start), (0, 3))
        rows = objective.observe(fold.held.target)
        shrunken = start + growing.shrinkage * (grown - start)
        at_start, *at_end = (objective.losses(scores, rows) for scores in (start, shrunken, grown))
        expected, unshrunken = (np.mean(at_start + np.clip(loss - at_start, -limit, limit)) for loss in at_end)
        assert 0.5 < growing.shrinkage[0] < 0.8
        assert grown_fold.held_out_loss[3] == pytest.approx(expected, abs=1e-5)
        assert abs(grown_fold.held_out_loss[3] - unshrunken) > 1e-4


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # they are, by 0.07, of the shallow trees above all
def test_deeper_trees_where_features_act_together(with_policy):
    """At a faster pace, or with more heads, shallow trees nearly learn it too."""
    with_policy(events_for_leaf=0.1)
    X, y = crossed_data()
    X_new, y_new = crossed_data(seed=1)
    options = {"colsample_bytree": 1.0, "subsample": 1.0, "learning_rate": 0.5, "heads": None}
    model, shallow = (automatic(max_depth=depth, **options).fit(X, y) for depth in ("auto", 2))
    assert model.max_depth_ > shallow.max_depth_ == 2
    assert model.score(X_new, y_new) > shallow.score(X_new, y_new) + 0.02
    given = automatic(max_depth=model.max_depth_, **options).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), given.predict(X))


@curved
def test_no_deeper_trees_where_two_features_are_enough():
    X, y = curved_data()
    model, shallow = (automatic(max_depth=depth).fit(X, y) for depth in ("auto", 2))
    assert model.max_depth_ == 2
    np.testing.assert_array_equal(model.predict(X), shallow.predict(X))


def test_few_events_are_not_enough_for_deeper_trees(monkeypatch, with_policy):
    with_policy(events_for_leaf=100 / 2**4)
    tried = []
    grow_folds = Growing.grow_folds

    def watched(growing, depth, *arguments):
        tried.append(depth)
        return grow_folds(growing, depth, *arguments)

    monkeypatch.setattr(Growing, "grow_folds", watched)
    automatic().fit(*crossed_data(99))
    assert set(tried) == {2}
    automatic().fit(*crossed_data(100))
    assert 4 in tried
    assert 8 not in tried


def of_rounds(growing, *rounds):
    """The trees of all folds, with a held-out loss that is best after so many rounds in each."""
    curves = [[-float(i) for i in range(number + 1)] for number in rounds]
    members = [
        one._replace(best=len(curve) - 1, held_out_loss=curve)
        for one, curve in zip(grow_all(growing), curves, strict=True)
    ]
    return Ensemble(2, tuple(members))


def test_without_rounds_there_is_no_gain(growing):
    """XGBoost reads a booster up to round 0 as all of it."""
    none = of_rounds(growing, 0, 0, 0)
    assert none.rounds == 0
    for part in growing.predict(none):
        np.testing.assert_array_equal(part.grown, part.start)
    gain, mass = growing.gain(none, none)
    np.testing.assert_array_equal(gain, np.zeros(10))
    np.testing.assert_array_equal(mass, np.full(10, 6.0))


def test_gains_are_those_of_groups_and_add_up_to_the_mean_loss(growing):
    """Of each group of six, of the trees after five rounds over none at all."""
    made = grow_all(growing)
    gain, mass = growing.gain(of_rounds(growing, 0, 0, 0), of_rounds(growing, 5, 5, 5))
    np.testing.assert_array_equal(mass, np.full(10, 6.0))
    held = [len(fold.held.target) for fold in growing.cv.folds]
    course = [(one.held_out_loss[0] - one.held_out_loss[5]) * n for one, n in zip(made, held, strict=True)]
    assert gain.sum() == pytest.approx(sum(course), rel=1e-4)


def test_gains_are_compared_in_the_folds_that_have_both(growing):
    first = replace(of_rounds(growing, 3, 3, 3), members=of_rounds(growing, 3, 3, 3).members[:1])
    gain, mass = growing.gain(of_rounds(growing, 0, 0, 0), first)
    assert len(gain) == len(mass) == len(np.unique(growing.cv.folds[0].held.group))


def test_trees_that_are_there_are_kept(growing):
    """The first fold is grown once, and the others as if all had been grown together."""
    first = growing.complete(Ensemble(2), 1)
    both = growing.complete(first)
    assert both.members[0] is first.members[0]
    assert growing.complete(both) is both
    for one, other in zip(both.members, grow_all(growing), strict=True):
        assert one.held_out_loss == other.held_out_loss


def test_unseen_subjects_get_as_many_rounds_as_suit_the_others(growing, monkeypatch):
    """The last fold alone would have one round, but the others want three: it gets the two that it made."""
    curves = [[9.0, 8.0, 7.0, 6.0], [9.0, 7.5, 8.5, 7.0], [2.0, 1.0, 4.0]]
    kept = []
    monkeypatch.setattr(Growing, "predict_fold", lambda _, member, fold, depth, rounds: kept.append((depth, rounds)))
    growing.predict_unseen(Ensemble(2, tuple(member(curve, subjects=1e3) for curve in curves)))
    assert kept == [(2, 3), (2, 3), (2, 2)]


def test_unseen_subjects_are_predicted_by_the_trees_of_their_fold(growing):
    ensemble = of_rounds(growing, 3, 5, 5)
    for part, same in zip(growing.predict_unseen(ensemble), growing.predict_rounds(ensemble, [3, 5, 5]), strict=True):
        np.testing.assert_array_equal(part.grown, same.grown)
        assert (part.grown != part.start).any()


def test_a_single_fold_is_its_own_judge(growing):
    """There are no others that could choose its rounds."""
    alone = replace(of_rounds(growing, 3, 3, 3), members=of_rounds(growing, 3, 3, 3).members[:1])
    ((part,), (same,)) = growing.predict_unseen(alone), growing.predict(alone)
    np.testing.assert_array_equal(part.grown, same.grown)


@pytest.mark.parametrize(("together", "threads"), [(1, 6), (2, 3), (4, 1), (10, 1)])
def test_folds_share_the_threads(growing, together, threads):
    plan = replace(growing.plan, objective=replace(growing.plan.objective, n_threads=6))
    sharing = replace(growing, plan=plan, together=together)
    assert sharing.threads == threads
    assert sharing.engine(growing.cv.folds[0], 2).settings["nthread"] == threads


def test_folds_sample_in_ways_of_their_own(growing):
    seeds = {growing.engine(fold, 2).settings["seed"] for fold in growing.cv.folds}
    assert len(seeds) == 3
