"""Choices by cross-validation, and the models that come of them."""

from __future__ import annotations

import pickle
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from hazboost import FPBoost, Surv
from hazboost.data.folds import split_folds
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training import cross_validation
from hazboost.training.cross_validation import CrossValidation, Fold, is_clear
from hazboost.training.plan import Plan
from hazboost.training.policy import POLICY
from tests.training.simulated import automatic, crossed_data, curved, curved_data, linear_data


def test_linear_data_get_a_weak_ridge_and_noise_a_strong_one():
    X, y = linear_data()
    learned = automatic().fit(X, y)
    noise = [automatic().fit(np.random.default_rng(seed).normal(size=X.shape), y) for seed in range(5, 10)]
    assert learned.ridge_ < min(model.ridge_ for model in noise)
    assert np.median([model.n_estimators_ for model in noise]) < 20  # of several hundred


@curved
def test_trees_add_what_is_not_linear():
    X, y = curved_data()
    X_new, y_new = curved_data(seed=1)
    model = automatic().fit(X, y)
    assert model.n_estimators_ > 5
    assert model.score(X_new, y_new) > 0.65
    linear = automatic(n_estimators=1, min_child_weight=1e6).fit(X, y)
    assert model.score(X_new, y_new) > linear.score(X_new, y_new) + 0.1


@curved
def test_choice_is_the_minimum_of_what_can_be_read_afterwards():
    X, y = curved_data()
    model = automatic().fit(X, y)
    results = model.cv_results_
    assert results["ridges"] == list(POLICY.ridges)
    assert model.ridge_ == results["ridges"][int(np.argmin(results["ridge_loss"]))]
    # Trees that begin without covariates have a number of rounds of their own.
    assert model.n_estimators_ >= int(np.argmin(results["round_loss"])) > 0
    assert len(model.history_["train_loss"]) == model.n_estimators_ + 1


def test_few_events_make_trees_count_less(with_policy):
    """``E / (E + 100)``, for each cause by itself, in the weight of its events relative to the mean weight.

    What is left of that is the weight of the trees in the blend, and what calibration changes.
    """
    with_policy(calibration_strength=1e12)  # so that it changes nothing
    X, (_, time) = curved_data(240)
    cause = np.select([np.arange(240) < 30, np.arange(240) < 130], [1, 2], 0)
    weight = np.where(cause == 1, 2.0, 1.0)
    fitted = automatic().fit(X, Surv.right(cause, time), sample_weight=weight)
    model, blended = fitted.model_, sum(fitted.cv_results_["weights"][1:])
    events = np.array([60.0, 100.0]) / weight.mean()
    for number, trust in enumerate(blended * events / (events + 100.0), start=1):
        np.testing.assert_allclose(model.trust[model.mixture.scores_of_causes[number - 1]], trust)
    given = automatic(n_estimators=3).fit(X, Surv.right(cause, time)).model_
    np.testing.assert_array_equal(given.trust, 1.0)


def test_above_a_number_of_subjects_trees_are_grown_anew_on_all_rows(with_policy, monkeypatch):
    """As they are with this number of rounds, at the same pace, from the start of the same ridge on all rows."""
    monkeypatch.setattr(Plan, "may_accelerate", False)  # folds and a hold-out may decide differently
    plain = {"ridges": (10.0,), "adaptive_steps": ()}
    with_policy(subjects_for_folds=100, **plain)
    X, y = curved_data(300)
    auto = automatic().fit(X, y)
    assert len(auto.model_.boosters) == 1
    assert auto.n_estimators_ == int(np.argmin(auto.cv_results_["round_loss"])) > 0
    with_policy(with_folds=POLICY.with_hold_out, **plain)
    fixed = automatic(n_estimators=auto.n_estimators_, subsample=1.0, colsample_bytree=1.0).fit(X, y)
    as_much = replace(fixed.model_, trust=auto.model_.trust)
    np.testing.assert_array_equal(auto.model_.distribution(X).scores, as_much.distribution(X).scores)


def test_without_a_linear_start_there_is_no_ridge():
    X, y = curved_data(300)
    model = automatic(init="marginal").fit(X, y)
    assert model.ridge_ is None
    assert set(model.cv_results_) == {"round_loss", "trust", "weights", "calibration", "shape_calibration"}
    neither = automatic(init="marginal", n_estimators=3).fit(X, y)
    assert neither.cv_results_ == {}
    assert neither.ridge_ is None


def test_given_rounds_are_those_of_shallow_trees():
    X, y = crossed_data(200)
    assert automatic(n_estimators=3).fit(X, y).max_depth_ == 2


def test_a_gain_is_clear_beyond_two_standard_errors():
    noise = np.random.default_rng(0).normal(size=400)
    noise -= noise.mean()
    weak, clear = (noise + errors * noise.std() / 20.0 for errors in (1.9, 2.1))
    mass = np.ones(400)
    assert not is_clear(weak, mass, 2.0)
    assert is_clear(clear, mass, 2.0)
    assert not is_clear(np.zeros(5), np.ones(5), 2.0)
    assert is_clear(3.0 * clear, 3.0 * mass, 2.0)
    heavy = np.r_[1_000.0, np.ones(299)]
    assert is_clear(0.1 * heavy, heavy, 2.0), "the same gain for everybody"


def test_too_few_groups_are_refused():
    X, y = linear_data(60)
    with pytest.raises(ValueError, match=r"2 groups \(n_samples=60\) cannot be divided into 3 folds"):
        automatic().fit(X, y, groups=np.arange(60) % 2)
    group = np.arange(60) % 4
    with pytest.raises(ValueError, match=r"2 groups .* cannot be divided into 3 folds"):
        automatic().fit(X, y, sample_weight=(group < 2).astype(float), groups=group)


def test_events_of_one_group_only_are_refused():
    X, (_, time) = linear_data(60)
    group = np.arange(60) % 6
    with pytest.raises(ValueError, match="all events are in one fold"):
        automatic().fit(X, (group == 0, time), groups=group)
    with pytest.raises(ValueError, match="all events are in one fold"):
        automatic().fit(X, (np.arange(60) == 7, time))


def test_many_subjects_in_groups_are_held_out_once():
    n = POLICY.subjects_for_folds + 1
    target = Target.of(np.ones(n), np.where(np.arange(n) % 3 == 0, 1.0, np.inf), np.ones(n))
    ((kept, held),) = split_folds(target, 5, 0, np.arange(n) // 10, POLICY.hold_out_of(n))
    assert len(held) == pytest.approx(n / 5, abs=10)
    assert not set(kept // 10) & set(held // 10)


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # of a model that knows everybody
@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_copies_of_a_subject_do_not_choose_the_model(container):
    """Four copies of each subject, with features that are noise: a model that knows one copy knows the others."""
    rng = np.random.default_rng(0)
    person = np.arange(800) // 4
    X, y = rng.normal(size=(200, 5))[person], (np.ones(800, dtype=bool), rng.weibull(1.5, 200)[person])
    model = automatic(max_depth=2, learning_rate=0.5)
    assert model.fit(container(X), y).n_estimators_ < 3
    assert model.fit(container(X), y, groups=person).n_estimators_ < 3
    apart = np.arange(800)  # as if all rows were different subjects
    assert model.fit(container(X), y, groups=apart).n_estimators_ > 20


def test_folds_do_not_divide_groups():
    rng = np.random.default_rng(0)
    group = rng.permutation(np.arange(200) // 4)
    for kept, held in split_folds(Target.of(np.ones(200), np.ones(200)), 5, 0, group):
        assert not set(group[kept]) & set(group[held])
        assert (len(kept), len(held)) == (160, 40)


def test_a_validation_part_does_not_divide_groups():
    X, (event, time) = linear_data(40)
    data = Sample(X, Target.of(time, np.where(event, time, np.inf)), np.arange(40) // 4)
    train, aside = data.split(0.3, 0)
    assert not set(train.group) & set(aside.group)
    assert len(aside.target) == 12
    with pytest.raises(ValueError, match="cannot divide 1 groups"):
        replace(data, group=np.zeros(40, dtype=int)).split(0.2, 0)


def test_choice_and_model_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(cross_validation, "ROWS_FOR_A_THREAD", 1)
    X, y = curved_data(300)
    one, two = (automatic(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert (one.ridge_, one.n_estimators_) == (two.ridge_, two.n_estimators_)
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-5)


def test_linear_part_is_in_every_prediction_and_travels_with_the_model():
    X, y = linear_data()
    model = automatic(n_estimators=1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert model.score(X, y) > 0.65
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    np.testing.assert_allclose(model.predict(X)[:5], model.predict(X[:5]))


def test_no_round_at_all_is_a_model_too():
    X, y = linear_data(150)
    model = automatic(min_child_weight=1e6).fit(X, y)
    survival = model.predict_survival_function(X, times=[0.0, 1.0])
    assert (survival[:, 0] == 1.0).all()
    assert ((survival[:, 1] > 0.0) & (survival[:, 1] < 1.0)).all()


def test_missing_values_and_categories():
    X, y = linear_data(300)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["group"] = pd.Categorical(np.where(X[:, 0] > 0, "high", "low"))
    frame.loc[::7, "b"] = np.nan
    frame.loc[::11, "group"] = None
    model = automatic(n_estimators=5).fit(frame, y)
    assert np.isfinite(model.predict(frame)).all()
    assert model.score(frame, y) > 0.65


@pytest.mark.parametrize("activation", ["tanh", "identity"])
def test_newton_takes_negative_weights(activation):
    X, y = linear_data(150)
    model = automatic(heads_activation=activation, n_estimators=20, init="marginal").fit(X, y)
    assert model.history_["train_loss"][-1] < model.history_["train_loss"][0] - 0.02
    assert model.score(X, y) > 0.65


def test_defaults_choose_everything_and_average():
    X, y = curved_data(300)
    model = FPBoost(random_state=0).fit(X, y)
    assert len(model.model_.boosters) == model.n_folds + POLICY.folds_alone == 7
    assert model.ridge_ in POLICY.ridges
    compared = {"ridges", "ridge_loss", "adaptive_ridges", "adaptive_loss", "round_loss"}
    assert set(model.cv_results_) == {*compared, "trust", "weights", "calibration", "shape_calibration"}
    assert model.max_depth_ in POLICY.depths
    assert model.model_.mixture.counts == {"weibull": 1, "loglogistic": 1}
    assert model.model_.mixture.n_scores == 7


def test_auto_refuses_patience():
    with pytest.raises(ValueError, match="patience=3 has no meaning"):
        automatic(patience=3).fit(*linear_data(50))


def test_large_data_are_held_out_once():
    n = POLICY.subjects_for_folds + 1
    target = Target.of(np.ones(n), np.where(np.arange(n) % 3 == 0, 1.0, np.inf), np.ones(n))
    ((kept, held),) = split_folds(target, 5, 0, hold_out=POLICY.hold_out_of(target.n_subjects))
    assert len(held) == pytest.approx(n / 5, abs=1)
    assert POLICY.hold_out_of(n - 1) is None
    assert len(split_folds(target[:90], 5, 0)) == 5
    assert target.event[held].mean() == pytest.approx(target.event[kept].mean(), abs=0.01)


@pytest.mark.parametrize("n", [60, 6_000])
def test_a_subject_stays_on_one_side_and_causes_are_spread(n):
    subject = np.repeat(np.arange(n), 3)
    last = np.tile([False, False, True], n)
    cause = np.where(last, np.repeat(np.arange(n) % 3, 3), 0)
    start = np.tile([0.0, 1.0, 2.0], n)
    target = Target.of(start + 1.0, np.where(cause > 0, start + 1.0, np.inf), entry=start, cause=cause, subject=subject)
    rng = np.random.default_rng(0)
    target = target[rng.permutation(3 * n)]
    for kept, held in split_folds(target, 5, 0, hold_out=POLICY.hold_out_of(n)):
        assert not set(target.subject[kept]) & set(target.subject[held])
        assert len(kept) + len(held) == 3 * n
        counts = np.bincount(target.cause[held])[1:]
        assert counts.max() - counts.min() <= 2


def test_folds_are_those_of_the_subjects():
    whole = Target.of(np.ones(50), np.where(np.arange(50) % 2, 1.0, np.inf))
    subject = np.repeat(np.arange(50), 2)
    start = np.tile([0.0, 0.5], 50)
    upper = np.where(np.tile([False, True], 50) & (subject % 2 == 1), 1.0, np.inf)
    parts = Target.of(start + 0.5, upper, entry=start, subject=subject)
    for (_, one), (_, other) in zip(split_folds(whole, 5, 3), split_folds(parts, 5, 3), strict=True):
        np.testing.assert_array_equal(np.unique(parts.subject[other]), np.sort(one))


@pytest.mark.parametrize("most_rows", [100, 5_000])
def test_validation_loss_is_that_of_the_model_also_where_trees_count_less(with_policy, most_rows):
    """With the trees of the folds, and with trees grown anew."""
    with_policy(subjects_for_folds=most_rows)
    (X, y), (X_new, y_new) = curved_data(300), curved_data(200, seed=1)
    model = automatic().fit(X, y, eval_set=(X_new, y_new))
    assert len(model.model_.boosters) == (3 + POLICY.folds_alone if most_rows > 300 else 1)
    at_the_end = model.history_["validation_loss"][-1]
    distribution, (event, time) = model.model_.distribution(X_new), y_new
    hazard = np.diagonal(distribution.hazard(time))
    cumulative = np.diagonal(distribution.cumulative_hazard(time))
    assert at_the_end == pytest.approx(-np.mean(event * np.log(hazard) - cumulative), rel=1e-4)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_folds_run_under_every_backend_of_joblib(backend, monkeypatch):
    monkeypatch.setattr(cross_validation, "ROWS_FOR_A_THREAD", 1)
    X, y = linear_data(60)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        model = automatic(learning_rate=1.0).fit(X, y)
    assert model.predict(X).tobytes() == automatic(learning_rate=1.0).fit(X, y).predict(X).tobytes()


@pytest.mark.parametrize(("rows", "workers"), [(1_000, 1), (3_999, 1), (4_000, 2), (100_000, 6)])
def test_small_folds_are_worked_on_one_after_the_other(rows, workers):
    """Where there is little to do, threads only wait for the interpreter."""
    part = Sample(np.zeros((rows, 1)), Target.of(np.ones(rows), np.ones(rows)))
    assert CrossValidation((Fold(0, part, part), Fold(1, part, part)), 6).workers == workers


def test_a_hold_out_needs_two_groups_only():
    target = Target.of(np.ones(60), np.where(np.arange(60) % 2, 1.0, np.inf))
    group = np.arange(60) % 3
    ((kept, held),) = split_folds(target, 5, 0, group, hold_out=0.2)
    assert set(group[kept]).isdisjoint(group[held])
    with pytest.raises(ValueError, match=r"3 groups .* use 3 folds or fewer"):
        split_folds(target, 5, 0, group)
