"""The automatic fit as a whole: its steps, and what they choose."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from hazboost import FPBoost, Surv
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training import cross_validation, pipeline
from hazboost.training.cross_validation import likely_index
from hazboost.training.pipeline import divide, run, steps_of
from hazboost.training.policy import POLICY
from hazboost.training.state import State
from tests.training.simulated import automatic, crossed_data, curved, curved_data, linear_data

START = ["choose_heads", "divide", "choose_ridge", "choose_effect", "adapt_ridges"]
TREES = ["choose_depth", "grow_trees", "calibrate"]
#: Steps without which a fit still has all it needs.
OPTIONAL = [["choose_effect"], ["adapt_ridges"], ["choose_depth"], ["calibrate"], TREES]


def state_for(X, y, **parameters):
    event, time = y
    sample = Sample(X, Target.of(time, np.where(event, time, np.inf)))
    plan = automatic(**parameters)._plan(Schema(None, {}, sparse=False), sample.summary(), 1, 0)
    return State(plan, sample, np.array([float(np.sum(event))]))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, START + TREES),
        ({"init": "marginal"}, START + TREES),
        ({"n_estimators": 5}, START),
        ({"n_estimators": 5, "init": "marginal"}, START[:1]),
    ],
)
def test_steps_are_those_that_a_plan_asks_for_in_order(parameters, expected, monkeypatch):
    """Each gets what the one before has returned."""
    plan = state_for(*linear_data(60), **parameters).plan
    assert [step.__name__ for step in steps_of(plan)] == expected
    seen = []
    for name in expected:

        def note(state, name=name):
            seen.append(name)
            return state.add({name: [float(len(state.results))]})

        note.__name__ = name
        monkeypatch.setattr(pipeline, name, note)
    made = pipeline.choose(plan, Sample(np.zeros((2, 1)), Target.of(np.ones(2), np.ones(2))))
    assert seen == expected
    assert made.results == {name: [float(place)] for place, name in enumerate(expected)}


def test_a_step_that_is_left_out_is_not_made(with_policy):
    with_policy(steps_left_out=frozenset({"second"}))

    def step(name):
        def make(state):
            return state.add({name: []})

        make.__name__ = name
        return make

    state = run([step(name) for name in ("first", "second", "third")], state_for(*linear_data(60)))
    assert list(state.results) == ["first", "third"]


@curved
@pytest.mark.parametrize("left_out", OPTIONAL, ids="-".join)
@pytest.mark.parametrize("init", ["linear", "marginal"])
def test_without_a_step_a_model_still_predicts(left_out, init, with_policy):
    with_policy(steps_left_out=frozenset(left_out))
    X, y = curved_data(150)
    model = automatic(init=init, learning_rate=0.5).fit(X, y)
    survival = model.predict_survival_function(X, times=[0.0, 0.5, 1.0])
    assert (survival[:, 0] == 1.0).all()
    assert ((survival[:, 1:] > 0.0) & (np.diff(survival, axis=1) < 0.0)).all()
    of_steps = {"adapt_ridges": "adaptive_loss", "grow_trees": "round_loss", "calibrate": "shift"}
    assert not {of_steps.get(step) for step in left_out} & set(model.cv_results_)
    if "grow_trees" in left_out:
        assert model.n_estimators_ == 0
    elif left_out == ["choose_depth"]:
        assert model.max_depth_ == POLICY.depths_for(y[0].sum())[0]
    elif left_out == ["choose_effect"]:
        assert model.linear_effect_ in ("hazard", None)


@curved
def test_without_calibration_trees_have_the_usual_shrinkage(with_policy):
    """``E / (E + 100)``, for each cause by itself, in the weight of its events relative to the mean weight."""
    with_policy(steps_left_out=frozenset({"calibrate"}))
    X, (_, time) = curved_data(240)
    cause = np.select([np.arange(240) < 30, np.arange(240) < 130], [1, 2], 0)
    weight = np.where(cause == 1, 2.0, 1.0)
    model = automatic().fit(X, Surv.right(cause, time), sample_weight=weight).model_
    events = np.array([60.0, 100.0]) / weight.mean()
    for scores, share in zip(model.mixture.one_model.scores_of_causes, events / (events + 100.0), strict=True):
        np.testing.assert_allclose(model.shrinkage[scores], share)
    given = automatic(n_estimators=3).fit(X, Surv.right(cause, time)).model_
    np.testing.assert_array_equal(given.shrinkage, 1.0)


def test_one_subject_more_than_5000_changes_nothing():
    """One procedure for all numbers of subjects: as many folds, the same choices, curves as near to the truth."""
    X, (event, time) = linear_data(5_001)
    new, times = np.random.default_rng(1).normal(size=(300, 4)), np.linspace(0.1, 2.0, 20)
    truth = np.exp(-((times * np.exp(0.7 * new[:, :1] - 0.5 * new[:, 1:2])) ** 1.5))
    models, errors = [], []
    for n in (5_000, 5_001):
        models.append(FPBoost(max_depth=2, learning_rate=0.5, random_state=0).fit(X[:n], (event[:n], time[:n])))
        errors.append(np.sqrt(np.mean((models[-1].predict_survival_function(new, times=times) - truth) ** 2)))
    below, above = models
    assert below.cv_results_.keys() == above.cv_results_.keys()
    assert len(below.cv_results_["shift"]) == len(above.cv_results_["shift"])
    assert below.adaptive_ridge_ is not None is not above.adaptive_ridge_
    assert max(errors) < 0.02
    # Of 5,000 subjects any estimate has an error of about 0.01; that the folds are others changes less than that.
    assert abs(errors[1] - errors[0]) < 0.005


@pytest.mark.parametrize("n", [5_000, 5_001, 50_000])
def test_folds_are_as_many_and_hold_out_as_much_on_both_sides_of_5000(n):
    time = np.linspace(0.1, 1.0, n)
    state = divide(state_for(np.zeros((n, 1)), (np.arange(n) % 3 == 0, time), n_folds="auto"))
    folds = POLICY.folds_for(n / 3)
    assert len(state.cv.folds) == folds
    for fold in state.cv.folds:
        assert len(fold.held.target) == pytest.approx(n / POLICY.parts_for(folds, n), abs=1)
        assert len(fold.kept.target) + len(fold.held.target) == n
        assert len(fold.drawn.target) == min(len(fold.kept.target), POLICY.subjects_for_linear)


def test_many_subjects_are_divided_into_more_parts_than_folds(with_policy):
    """So that each model sees nearly all of them; no two hold out the same."""
    with_policy(subjects_held_out=4, subjects_for_linear=100, subjects_for_column=1)
    state = divide(state_for(np.arange(400.0)[:, None], (np.ones(400, dtype=bool), np.arange(400) + 1.0)))
    held = [set(fold.held.X[:, 0]) for fold in state.cv.folds]
    assert [len(one) for one in held] == [40, 40, 40]
    assert len(set.union(*held)) == 120
    assert {len(fold.drawn.target) for fold in state.cv.folds} == {100}


def test_a_regression_alone_is_chosen_with_some_of_the_subjects(with_policy):
    """Where rounds are given; the trees are grown on all of them."""
    with_policy(subjects_for_linear=90)
    y = np.ones(400, dtype=bool), np.arange(400) + 1.0
    state = divide(state_for(np.arange(400.0)[:, None], y, n_estimators=3))
    assert {len(fold.kept.target) + len(fold.held.target) for fold in state.cv.folds} == {90}


def test_linear_data_get_a_weak_ridge_and_noise_a_strong_one():
    X, y = linear_data()
    learned = automatic(n_estimators=1).fit(X, y)
    rng = [np.random.default_rng(seed) for seed in range(5, 10)]
    noise = [automatic(n_estimators=1).fit(one.normal(size=X.shape), y) for one in rng]
    assert learned.ridge_ < min(model.ridge_ for model in noise)


def test_noise_gets_few_trees_or_none():
    """Of the several hundred rounds that it may make."""
    _, y = linear_data()
    X = np.random.default_rng(5).normal(size=(len(y[0]), 4))
    model = automatic().fit(X, y)
    assert model.n_estimators_ < 50
    assert max(model.cv_results_["shrinkage"]) < 1.0
    survival = model.predict_survival_function(X, times=[0.5])
    assert np.ptp(survival) < 0.2


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
def test_what_was_chosen_can_be_read_afterwards():
    X, y = curved_data()
    model = automatic().fit(X, y)
    results, ridges = model.cv_results_, list(POLICY.ridges)
    assert ridges[: len(results["ridges"])] == results["ridges"]
    assert model.ridge_ == results["ridges"][likely_index(np.array(results["ridge_loss"]), len(X))]
    assert model.n_estimators_ == likely_index(np.array(results["round_loss"]), len(X)) > 0
    assert len(model.history_["train_loss"]) == model.n_estimators_ + 1
    np.testing.assert_array_equal(model.model_.shrinkage, results["shrinkage"])
    assert len(results["shift"]) == model.model_.mixture.one_model.n_scores


def test_defaults_choose_everything_and_average():
    X, y = curved_data(300)
    model = FPBoost(random_state=0).fit(X, y)
    assert len(model.model_.boosters) == POLICY.folds_for(y[0].sum())
    assert model.ridge_ in POLICY.ridges
    compared = {"ridges", "ridge_loss", "adaptive_ridges", "adaptive_loss", "round_loss"}
    assert set(model.cv_results_) == {*compared, "shift", "shrinkage"}
    assert model.max_depth_ in POLICY.depths


def test_without_a_linear_start_there_is_no_ridge():
    X, y = curved_data(300)
    model = automatic(init="marginal").fit(X, y)
    assert model.ridge_ is None
    assert set(model.cv_results_) == {"round_loss", "shift", "shrinkage"}
    neither = automatic(init="marginal", n_estimators=3).fit(X, y)
    assert neither.cv_results_ == {}
    assert neither.ridge_ is None


def test_without_a_regression_trees_stay():
    """Nothing else would tell subjects apart."""
    X, y = linear_data()
    assert automatic(init="marginal").fit(X, y).n_estimators_ > 0


def test_trees_that_gain_too_little_are_left_out_on_top_of_a_regression(with_policy):
    with_policy(events_without_doubt=1e-99)
    X, y = linear_data(150)
    model = automatic().fit(X, y)
    assert (model.n_estimators_, model.model_.n_trees, len(model.model_.boosters)) == (0, 0, 1)
    survival = model.predict_survival_function(X, times=[0.0, 1.0])
    assert (survival[:, 0] == 1.0).all()
    assert ((survival[:, 1] > 0.0) & (survival[:, 1] < 1.0)).all()


def test_given_rounds_are_those_of_shallow_trees():
    X, y = crossed_data(200)
    assert automatic(n_estimators=3).fit(X, y).max_depth_ == 2


def test_too_few_groups_are_refused():
    X, y = linear_data(60)
    with pytest.raises(ValueError, match=r"2 groups \(n_samples=60\) cannot be divided into 3 folds"):
        automatic().fit(X, y, groups=np.arange(60) % 2)
    group = np.arange(60) % 4
    with pytest.raises(ValueError, match=r"2 groups .* cannot be divided into 3 folds"):
        automatic().fit(X, y, sample_weight=(group < 2).astype(float), groups=group)


def test_few_groups_of_many_subjects_are_enough(with_policy):
    """There are at most as many parts as groups, however many the subjects."""
    with_policy(subjects_held_out=4)
    X, y = linear_data(400)
    model = automatic(n_folds="auto", n_estimators=2).fit(X, y, groups=np.arange(400) % 4)
    assert model.n_estimators_ == 2


def test_events_of_one_group_only_are_refused():
    X, (_, time) = linear_data(60)
    group = np.arange(60) % 6
    with pytest.raises(ValueError, match="all events are in one fold"):
        automatic().fit(X, (group == 0, time), groups=group)
    with pytest.raises(ValueError, match="all events are in one fold"):
        automatic().fit(X, (np.arange(60) == 7, time))


def spread_of_copies(container, groups):
    """How much predictions differ, where the truth is the same for all, with four copies of each of 100 subjects."""
    rng, person = np.random.default_rng(0), np.arange(400) // 4
    X, y = rng.normal(size=(100, 5))[person], (np.ones(400, dtype=bool), rng.weibull(1.5, 100)[person])
    given = {"different": np.arange(400), "copies": person}.get(groups)
    model = automatic(max_depth=2, learning_rate=0.5).fit(container(X), y, groups=given)
    return np.std(model.predict_survival_function(container(X), times=[0.8])[:, 0])


@pytest.fixture(scope="module")
def spread_if_different():
    """As if all rows were different subjects."""
    return spread_of_copies(np.array, "different")


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # of a model that knows everybody
@pytest.mark.parametrize("groups", [None, "copies"])
@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_copies_of_a_subject_do_not_choose_the_model(container, groups, spread_if_different):
    """Features are noise, but a model that knows one copy knows the others."""
    assert spread_of_copies(container, groups) < 0.3 * spread_if_different


def test_choice_and_model_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(cross_validation, "ROWS_FOR_A_THREAD", 1)
    X, y = curved_data(300)
    one, two = (automatic(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert (one.ridge_, one.n_estimators_) == (two.ridge_, two.n_estimators_)
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-5)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_folds_run_under_every_backend_of_joblib(backend, monkeypatch):
    monkeypatch.setattr(cross_validation, "ROWS_FOR_A_THREAD", 1)
    X, y = linear_data(60)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        model = automatic(learning_rate=1.0).fit(X, y)
    assert model.predict(X).tobytes() == automatic(learning_rate=1.0).fit(X, y).predict(X).tobytes()


def test_linear_part_is_in_every_prediction_and_travels_with_the_model():
    X, y = linear_data()
    model = automatic(n_estimators=1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert model.score(X, y) > 0.65
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    np.testing.assert_allclose(model.predict(X)[:5], model.predict(X[:5]))


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


def test_auto_refuses_patience():
    with pytest.raises(ValueError, match="patience=3 has no meaning"):
        automatic(patience=3).fit(*linear_data(50))


def test_validation_loss_is_that_of_the_model():
    """Also where trees count less, and curves of folds are averaged."""
    (X, y), (X_new, y_new) = curved_data(300), curved_data(200, seed=1)
    model = automatic().fit(X, y, eval_set=(X_new, y_new))
    assert len(model.model_.boosters) == 3
    at_the_end = model.history_["validation_loss"][-1]
    distribution, (event, time) = model.model_.distribution(X_new), y_new
    hazard = np.diagonal(distribution.hazard(time))
    cumulative = np.diagonal(distribution.cumulative_hazard(time))
    assert at_the_end == pytest.approx(-np.mean(event * np.log(hazard) - cumulative), rel=1e-4)


@pytest.mark.parametrize("n_folds", [2, 5, 7, 10])
def test_all_folds_together_count_a_held_out_subject_once(n_folds):
    X, y = np.arange(60.0)[:, None], (np.arange(60) % 2 == 0, np.arange(60) + 1.0)
    cv = divide(state_for(X, y, n_folds=n_folds)).cv
    assert len(cv.folds) == n_folds
    assert sum(fold.held.target.mass.sum() for fold in cv.folds) == pytest.approx(60.0)
    assert {float(mass) for fold in cv.folds for mass in fold.held.target.mass} == {cv.share}
