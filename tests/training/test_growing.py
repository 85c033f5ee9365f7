"""Trees of the folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.training.cross_validation import mean_curve
from hazboost.training.growing import Ensemble, Growing, Member
from hazboost.training.policy import POLICY
from hazboost.training.predicted import masses
from hazboost.utils.progress import FoldProgress
from tests.training.simulated import automatic, crossed_data, curved, curved_data, linear_data


def grow_all(growing):
    return growing.grow_folds(2, FoldProgress(3, ["rounds"], draw=False))


def test_a_stopped_fold_keeps_its_best_round():
    """For a number of rounds that it made, as many; beyond, the best one, which is not the last."""
    member = Member(None, 2, [6.0, 5.0, 4.0, 3.0, 2.0], [9.0, 8.0, 3.0, 4.0, 5.0])
    assert [member.rounds_kept(rounds) for rounds in (0, 1, 4, 5, 50)] == [0, 1, 4, 2, 2]


def test_the_curve_of_a_stopped_fold_goes_on_with_its_best_loss():
    stopped, other = Member(None, 1, [], [3.0, 1.0, 4.0]), Member(None, 4, [], [5.0, 4.0, 3.0, 2.0, 1.0])
    np.testing.assert_allclose(Ensemble(2, [stopped, other]).loss, [4.0, 2.5, 3.5, 1.5, 1.0])
    np.testing.assert_allclose(mean_curve([[3.0, 2.0], [1.0]], [0.0, 7.0]), [2.0, 4.5])


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("patience", [2.0, 5.0])
def test_patience_and_most_rounds_are_longer_for_shorter_steps(monkeypatch, with_policy, rate, patience):
    """With a held-out loss that never improves, a fold stops when its patience ends."""
    with_policy(with_folds=replace(POLICY.with_folds, patience=patience))
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
    """The curve that chooses the rounds describes the model that is used, in which trees count by the trust.

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
    for member, (growing, fold) in zip(members, starts, strict=True):
        start = growing.starts[fold.number].margin(fold.held.X)
        engine, objective = growing.engine(fold, 2), growing.plan.objective
        grown = engine.scores(member.trees, engine.matrix(fold.held.X, start), (0, 3))
        rows = objective.observe(fold.held.target)
        shrunken = start + growing.trust * (grown - start)
        at_start, *at_end = (objective.losses(scores, rows) for scores in (start, shrunken, grown))
        expected, unshrunken = (np.mean(at_start + np.clip(loss - at_start, -limit, limit)) for loss in at_end)
        assert 0.5 < growing.trust[0] < 0.8
        assert member.held_out_loss[3] == pytest.approx(expected, abs=1e-5)
        assert abs(member.held_out_loss[3] - unshrunken) > 1e-4


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # they are, by 0.07, of the shallow trees above all
@pytest.mark.parametrize("most_rows", [100, 5_000])
def test_deeper_trees_where_features_act_together(with_policy, most_rows):
    """With folds, and with one hold-out; at a faster pace, or with more heads, shallow trees nearly learn it too."""
    with_policy(subjects_for_folds=most_rows, events_for_leaf=0.1, with_hold_out=POLICY.with_folds)
    X, y = crossed_data()
    X_new, y_new = crossed_data(seed=1)
    options = {"colsample_bytree": 1.0, "subsample": 1.0, "learning_rate": 0.5, "heads": None}
    model, shallow = (automatic(max_depth=depth, **options).fit(X, y) for depth in ("auto", 2))
    assert (model.max_depth_, shallow.max_depth_) == (4, 2)
    assert model.score(X_new, y_new) > shallow.score(X_new, y_new) + 0.02
    given = automatic(max_depth=4, **options).fit(X, y)
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


def test_without_rounds_nothing_changes(growing):
    """XGBoost reads a booster up to round 0 as all of it."""
    rising = [one._replace(held_out_loss=list(range(len(one.held_out_loss)))) for one in grow_all(growing)]
    np.testing.assert_array_equal(growing.changes(growing.predict(Ensemble(2, rising))), np.zeros(10))


def test_changes_are_those_of_groups_and_add_up_to_the_mean_loss(growing):
    members = grow_all(growing)
    falling = [one._replace(best=5, held_out_loss=[-float(i) for i in range(6)]) for one in members]
    parts = growing.predict(Ensemble(2, falling))
    np.testing.assert_array_equal(masses(parts), np.full(10, 6.0))
    held = [len(fold.held.target) for fold in growing.cv.folds]
    course = [(one.held_out_loss[5] - one.held_out_loss[0]) * n for one, n in zip(members, held, strict=True)]
    assert growing.changes(parts).sum() == pytest.approx(sum(course), rel=1e-4)


def test_unseen_subjects_get_as_many_rounds_as_suit_the_others(growing, monkeypatch):
    """The last fold alone would have one round, but the others want three: it gets the two that it made."""
    curves = [[9.0, 8.0, 7.0, 6.0], [9.0, 7.5, 8.5, 7.0], [2.0, 1.0, 4.0]]
    members = [Member(None, int(np.argmin(curve)), [], curve) for curve in curves]
    kept = []
    monkeypatch.setattr(Growing, "predict_fold", lambda _, member, fold, depth, rounds: kept.append((depth, rounds)))
    growing.predict_unseen(Ensemble(2, members))
    assert kept == [(2, 3), (2, 3), (2, 2)]


def test_unseen_subjects_are_predicted_by_the_trees_of_their_fold(growing):
    curves = [[-float(i) for i in range(length)] for length in (4, 6, 6)]
    members = zip(grow_all(growing), curves, strict=True)
    ensemble = Ensemble(2, [one._replace(best=len(curve) - 1, held_out_loss=curve) for one, curve in members])
    for part, same in zip(growing.predict_unseen(ensemble), growing.predict_rounds(ensemble, [3, 5, 5]), strict=True):
        np.testing.assert_array_equal(part.grown, same.grown)
        assert (part.grown != part.start).any()


def test_a_single_hold_out_has_all_threads(growing):
    plan = replace(growing.plan, objective=replace(growing.plan.objective, n_threads=6))
    assert replace(growing, plan=plan).threads == 2
    one = replace(growing, plan=plan, cv=replace(growing.cv, folds=growing.cv.folds[:1]))
    assert one.threads == 6
    assert one.engine(one.cv.folds[0], 2).settings["nthread"] == 6
