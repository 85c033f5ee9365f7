"""One hold-out in the place of folds: what is chosen on drawn rows, and which trees are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from hazboost import FPBoost
from hazboost.training import fit, linear_selection, single
from hazboost.training.growing import Growing
from hazboost.training.policy import POLICY

#: Many subjects, in miniature: those of `simulate` are held out once, and choices are made on some of the rest.
FEW = {
    "subjects_for_folds": 100,
    "subjects_for_choices": 150,
    "subjects_for_ridge": 120,
    "subjects_for_linear": 140,
    "subjects_for_column": 1,
}


def simulate(n=600, seed=0):
    """Who is at risk is decided by two features together."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    time = rng.weibull(1.5, n) * np.exp(0.5 * X[:, 2] - 2.0 * (X[:, 0] * X[:, 1] > 0.0))
    return X, (np.ones(n, dtype=bool), time)


class Watch:
    """How many rows each start, each hold-out and the final trees were given."""

    def __init__(self, monkeypatch):
        self.starts, self.accelerated, self.trees, self.final = [], [], [], []
        fit_linear_starts, grow_fold, matrix = single.fit_linear_starts, Growing.grow_fold, fit.training_matrix

        def watched_starts(plan, sample, ridges, most, *, accelerates=False, near=None):
            path = fit_linear_starts(plan, sample, ridges, most, accelerates=accelerates, near=near)
            drawn = sample.draw(most, np.random.default_rng(plan.search.seed))
            (self.accelerated if accelerates else self.starts).append((len(ridges), len(drawn.target)))
            return path

        def watched_fold(growing, fold, depth, *arguments):
            self.trees.append((depth, len(fold.kept.target), len(fold.held.target)))
            return grow_fold(growing, fold, depth, *arguments)

        def watched_matrix(engine, sample, *arguments, **options):
            self.final.append(len(sample.target))
            return matrix(engine, sample, *arguments, **options)

        monkeypatch.setattr(single, "fit_linear_starts", watched_starts)
        monkeypatch.setattr(linear_selection, "fit_linear_starts", watched_starts)
        monkeypatch.setattr(Growing, "grow_fold", watched_fold)
        monkeypatch.setattr(fit, "training_matrix", watched_matrix)


@pytest.fixture
def watch(monkeypatch):
    return Watch(monkeypatch)


@pytest.fixture
def with_policy(monkeypatch):
    def change(**constants):
        monkeypatch.setattr("hazboost.estimator.POLICY", replace(POLICY, **{**FEW, **constants}))

    return change


def automatic(**parameters):
    return FPBoost(**{"random_state": 0, **parameters})


def test_ridge_and_depth_are_chosen_on_drawn_rows_and_rounds_on_all(with_policy, watch):
    """Of 600 subjects 120 are held out, and trees of the chosen depth are grown again on the other 480."""
    with_policy(events_for_leaf=0.1)
    model = automatic().fit(*simulate())
    tried = watch.trees[:-1]
    assert [depth for depth, _, _ in tried] == [2, 4, 8][: len(tried)]
    assert len(tried) > 1
    assert {(kept, held) for _, kept, held in tried} == {(150, 120)}
    assert watch.trees[-1] == (model.max_depth_, 480, 120)
    compared, *fitted = watch.starts
    assert compared == (len(POLICY.ridges), 120)
    assert set(fitted) == {(1, 140)}
    assert len(model.cv_results_["round_loss"]) - 1 >= model.n_estimators_ > 0


def test_trees_are_grown_again_where_many_subjects_were_held_out(with_policy, watch):
    with_policy()
    model = automatic(max_depth=2).fit(*simulate())
    assert watch.final == [600]
    assert len(model.model_.boosters) == 1
    assert len(model.history_["train_loss"]) == model.n_estimators_ + 1


def test_the_model_of_a_small_hold_out_is_kept(with_policy, watch):
    """No trees are grown after those whose rounds were chosen, and their start is that of the hold-out."""
    with_policy(most_held_out=60)
    X, y = simulate()
    model = automatic(max_depth=2).fit(X, y)
    assert watch.trees == [(2, 150, 60), (2, 540, 60)]
    assert watch.final == []
    assert len(watch.starts) == 2
    assert len(model.model_.boosters) == 1
    assert model.n_estimators_ == int(np.argmin(model.cv_results_["round_loss"])) > 0
    assert len(model.history_["train_loss"]) == model.n_estimators_ + 1
    X_new, y_new = simulate(seed=1)
    assert model.score(X_new, y_new) > 0.65


def test_the_ridge_of_given_rounds_is_chosen_on_drawn_rows(with_policy, watch):
    """A fifth of them is held out, and all rows are for the trees."""
    with_policy()
    model = automatic(n_estimators=3).fit(*simulate())
    assert watch.starts == [(len(POLICY.ridges), 120), (1, 120)]
    assert watch.accelerated == [(1, 120)]
    assert watch.trees == []
    assert watch.final == [600]
    assert model.ridge_ in POLICY.ridges


def test_linear_algebra_has_one_thread_during_a_fit(monkeypatch):
    """And as many as before after it."""

    def threads(*_):
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    monkeypatch.setattr(fit, "_train", threads)
    with threadpool_limits(2, user_api="blas"):
        assert threads() == {2}
        assert fit.train_model(None, None, None) == {1}
        assert threads() == {2}
