"""The hyperparameter search."""

from __future__ import annotations

import gc
import sys
import warnings

import matplotlib as mpl
import numpy as np
import optuna
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold

from hazboost import FPBoost, Surv, tune
from hazboost.data.reading import as_target
from hazboost.training.policy import POLICY
from hazboost.tuning import search as search_module
from hazboost.tuning.scores import METRICS, marginal_losses, row_losses
from hazboost.tuning.search import expected_score
from hazboost.tuning.spaces import SPACES


def make_data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    time = rng.weibull(1.5, n) * np.exp(-X[:, 0])
    limit = rng.exponential(2.0, n)
    return X, (time <= limit, np.minimum(time, limit))


X, Y = make_data()
SMALL = FPBoost(1, 0, heads=None, init="marginal", n_estimators=4, max_depth=2)


def steps(trial):
    """A space with many poor configurations: the best learning rates are small."""
    return {
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 3.0, log=True),
        "max_depth": trial.suggest_int("max_depth", 1, 3),
    }


def search(**arguments):
    return tune(
        X,
        Y,
        **{
            "space": steps,
            "estimator": SMALL,
            "n_trials": 5,
            "cv": 3,
            "random_state": 0,
            "verbose": 0,
            **arguments,
        },
    )


def trials_of(result):
    """The trials without what may differ between equal searches: their duration and Optuna's numbers."""
    return result.trials.drop(columns=["trial", "seconds"])


def interrupt(monkeypatch, after):
    """Raise KeyboardInterrupt once this many folds are done."""
    left = iter(range(after))
    original = search_module.score_fold

    def score_fold(*args):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(search_module, "score_fold", score_fold)


@pytest.fixture(params=["sqlite", "journal"])
def storage(request, tmp_path):
    return f"sqlite:///{tmp_path}/study.db" if request.param == "sqlite" else tmp_path / "study.journal"


# Spaces


@pytest.mark.filterwarnings("ignore:training made the loss worse")  # two rounds at any learning rate may
@pytest.mark.parametrize("name", SPACES)
@settings(max_examples=5)
@given(seed=st.integers(0, 10_000))
def test_every_configuration_of_a_space_can_be_fitted(name, seed):
    space = SPACES[name]
    trial = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed)).ask()
    model = space.base().set_params(**space.suggest(trial))
    model._validate_params()
    # Fewer rounds and folds, to be quick; no patience, because 30 rows are too few for a validation part.
    quick = clone(model).set_params(n_estimators=2, n_folds=2, patience=None, random_state=seed)
    assert np.isfinite(quick.fit(X[:30], (Y[0][:30], Y[1][:30])).predict(X)).all()


def test_paper_space_has_the_ranges_of_the_paper():
    trial = optuna.create_study(sampler=optuna.samplers.RandomSampler(0)).ask()
    parameters = SPACES["paper"].suggest(trial)
    assert parameters["weibull_heads"] > 0
    assert trial.distributions == {
        "weibull_heads": IntDistribution(0, 32),
        "loglogistic_heads": IntDistribution(0, 32),
        "n_estimators": IntDistribution(1, 512),
        "max_depth": IntDistribution(1, 6),
        "heads_activation": CategoricalDistribution(["relu", "sigmoid", "softmax", "tanh", "identity"]),
        "learning_rate": FloatDistribution(0.01, 1.0),
        "alpha": FloatDistribution(0.0, 1.0),
        "l1_ratio": FloatDistribution(0.0, 1.0),
        "init": CategoricalDistribution(["random", "km"]),
        "patience": CategoricalDistribution([None, 16]),
    }
    assert SPACES["paper"].base().get_params() == FPBoost.paper().get_params()
    assert SPACES["paper"].sampler == "random"


@pytest.mark.parametrize("name", SPACES)
def test_a_configuration_has_at_least_one_head(name):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    study.enqueue_trial({"weibull_heads": 0})
    assert SPACES[name].suggest(study.ask())["loglogistic_heads"] >= 1


def test_the_first_trial_is_the_estimator_as_given():
    estimator = FPBoost(n_folds=2, solver="gradient", init="marginal", n_estimators=3)
    result = tune(X, Y, estimator=estimator, n_trials=2, cv=2, random_state=0, verbose=0)
    before, _ = result.study.trials
    assert before.params == {}
    assert list(result.trials["solver"]) == ["gradient", "newton"]
    assert list(result.trials["n_estimators"]) == [3, "auto"]
    assert result.best_score == max(result.trials["score"])


def test_a_custom_space_may_set_no_parameter():
    result = search(space=lambda trial: {}, n_trials=2)
    assert result.trials["score"][0] == result.trials["score"][1]
    assert result.best_params == {}
    assert "none, the estimator as given" in repr(result)


# Results and scores


@pytest.mark.parametrize("metric", ["likelihood", "concordance"])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_score_is_never_below_that_of_the_given_estimator(metric, seed):
    result = search(metric=metric, random_state=seed)
    assert result.trials["score"][0] == result.default_score
    assert result.best_score == result.trials["score"].max() >= result.default_score


def test_the_given_estimator_is_kept_if_it_is_best():
    result = search(space=lambda trial: {"learning_rate": trial.suggest_float("learning_rate", 5.0, 9.0)})
    assert result.best_params == {}
    assert result.best_score == result.default_score
    assert result.best_estimator.learning_rate == SMALL.learning_rate


def test_the_best_estimator_has_the_best_parameters_and_is_fitted_to_all_rows():
    given_one = clone(SMALL).set_params(min_child_weight=5.0)
    result = search(estimator=given_one, n_trials=8)
    assert result.best_params
    by_hand = clone(given_one).set_params(**result.best_params, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(result.best_estimator.predict(X), by_hand.predict(X))
    assert not hasattr(given_one, "model_")


def test_seed_of_the_estimator_is_kept():
    assert search(estimator=clone(SMALL).set_params(random_state=7), n_trials=1).best_estimator.random_state == 7


@pytest.mark.parametrize("metric", METRICS)
def test_score_is_the_mean_over_folds_of_the_held_out_scores(metric):
    folds = list(GroupKFold(3).split(X, groups=np.arange(len(X)) // 2))
    result = search(cv=folds, n_trials=1, metric=metric)
    target = as_target(Y)
    scores = []
    for train, held_out in folds:
        model = clone(SMALL).set_params(random_state=0).fit(X[train], target[train])
        scores.append(METRICS[metric](target[train], target[held_out])(model, X[held_out]))
    assert result.best_score == pytest.approx(np.mean(scores), rel=1e-12)


def test_groups_stay_together_in_folds_and_in_fits(monkeypatch):
    given, fit, patient = [], FPBoost.fit, np.arange(len(X)) // 4
    monkeypatch.setattr(FPBoost, "fit", lambda *args, **kwargs: given.append(kwargs["groups"]) or fit(*args, **kwargs))
    search(n_trials=1, groups=patient, metric="concordance")  # which fits nothing else
    *folds, last = given
    np.testing.assert_array_equal(last, patient)
    assert len(folds) == 3
    for groups in folds:
        assert (np.unique(groups, return_counts=True)[1] == 4).all()
    with pytest.raises(ValueError, match="groups must have one label for each of the 60 rows; got 3"):
        search(groups=[1, 2, 3])


def test_folds_may_come_from_a_splitter():
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)  # what a number of folds means
    assert search(cv=splitter, n_trials=1).best_score == search(cv=3, n_trials=1).best_score
    assert search(cv=KFold(3), n_trials=1).best_score != search(cv=3, n_trials=1).best_score
    shuffled = ShuffleSplit(2, random_state=0)
    pairs = list(shuffled.split(X))
    assert search(cv=shuffled, n_trials=1).best_score == search(cv=pairs, n_trials=1).best_score


def test_losses_are_those_of_the_predicted_curves():
    model = clone(SMALL).set_params(random_state=0).fit(X, Y)
    rows = []
    for i, (event, time) in enumerate(zip(*Y, strict=True)):
        hazard = model.predict_hazard_function(X[i : i + 1])[0](time)
        cumulative = model.predict_cumulative_hazard_function(X[i : i + 1])[0](time)
        rows.append(cumulative - event * np.log(hazard))
    np.testing.assert_allclose(row_losses(model, X, as_target(Y)), rows, rtol=1e-5, atol=1e-6)


def test_marginal_losses_are_those_of_one_hazard_for_all():
    rng = np.random.default_rng(0)
    time, limit = rng.exponential(5.0, (2, 4000))
    target = as_target((time <= limit, np.minimum(time, limit)))
    expected = target.lower / 5.0 - target.event * np.log(1.0 / 5.0)
    assert marginal_losses(target, target).mean() == pytest.approx(expected.mean(), abs=0.01)


def test_likelihood_counts_each_subject_within_a_limit_of_its_reference():
    weight = np.random.default_rng(1).random(len(X)) + 0.1
    target = as_target(Y, weight)
    model = clone(SMALL).set_params(random_state=0, n_estimators=300, reg_lambda=0.0, min_child_weight=0.0).fit(X, Y)
    held_out = X[::-1]  # the features of others, so that many predictions are far off
    losses, reference = row_losses(model, held_out, target), marginal_losses(target, target)
    change = losses - reference
    assert change.max() > POLICY.largest_difference
    counted = reference + np.clip(change, -POLICY.largest_difference, POLICY.largest_difference)
    score = METRICS["likelihood"](target, target)(model, held_out)
    assert score == pytest.approx(-np.average(counted, weights=weight), rel=1e-9)


def cut_in_four(features, y):
    """The same subjects with their follow-up cut into four rows of equal length and the same features."""
    event, time = y
    stop = np.outer(time, [0.25, 0.5, 0.75, 1.0])
    return np.repeat(features, 4, axis=0), Surv.counting(
        np.c_[np.zeros_like(time), stop[:, :3]].ravel(),
        stop.ravel(),
        np.outer(event, [False, False, False, True]).ravel(),
        id=np.repeat(np.arange(len(time)), 4),
    )


@pytest.mark.parametrize("unit", [1.0, 365.25])
def test_score_does_not_depend_on_how_the_follow_up_of_a_subject_is_cut_into_rows(unit):
    y = Y[0], unit * Y[1]
    train, held_out = np.arange(40), np.arange(40, 60)
    features, rows = cut_in_four(X, y)
    folds = (train[:, None] * 4 + np.arange(4)).ravel(), (held_out[:, None] * 4 + np.arange(4)).ravel()
    deterministic = clone(SMALL).set_params(subsample=1.0, colsample_bytree=1.0)
    options = {"space": steps, "estimator": deterministic, "n_trials": 1, "random_state": 0, "verbose": 0}
    whole = tune(X, y, cv=[(train, held_out)], **options).default_score
    assert tune(features, rows, cv=[folds], **options).default_score == pytest.approx(whole, rel=1e-3)


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # one head without features is too little
def test_one_outlier_does_not_decide_the_search():
    """The features are right for all held-out subjects but one, who lives 10,000 times as long as predicted."""
    rng = np.random.default_rng(0)
    high = np.arange(200) % 2
    time = rng.exponential(1.0, 200) * np.where(high, 0.02, 1.0)
    time[-1] = 10_000 * 0.02
    features, y = high[:, None].astype(float), (np.arange(200) < 199, time)
    fold = np.arange(100), np.arange(100, 200)
    blind = FPBoost(1, 0, init="marginal", n_estimators=60, learning_rate=1e-6)
    result = tune(
        features,
        y,
        space=lambda trial: {"learning_rate": 0.2},
        estimator=blind,
        n_trials=2,
        cv=[fold],
        random_state=0,
        verbose=0,
    )
    target = as_target(y)
    plain = [
        -row_losses(
            clone(blind).set_params(learning_rate=rate, random_state=0).fit(features[:100], target[:100]),
            features[100:],
            target[100:],
        )
        for rate in (1e-6, 0.2)
    ]
    assert plain[0].mean() > plain[1].mean()  # with the outlier, the model without features seems better
    assert plain[0][:-1].mean() + 0.3 < plain[1][:-1].mean()  # without it, the other one clearly is
    assert result.best_params == {"learning_rate": 0.2}
    assert result.best_score > result.default_score + 0.3


def test_weights_count_in_fit_and_score():
    weight = np.where(X[:, 0] > 0.0, 1.0, 1e-3)
    assert search(n_trials=1, sample_weight=weight).best_score != search(n_trials=1).best_score
    equal = search(n_trials=1, sample_weight=np.full(len(X), 3.0)).best_score  # only the ratios of weights count
    assert equal == pytest.approx(search(n_trials=1).best_score, rel=1e-6)


def test_an_estimator_that_knows_the_causes_does_not_ask_about_them():
    """Nobody is censored, and the codes could be those of R, in which 2 is the event and 1 is not."""
    causes = 1 + np.arange(len(X)) % 2, Y[1]
    options = {"space": steps, "n_trials": 1, "cv": 2, "random_state": 0, "verbose": 0}
    with pytest.warns(UserWarning, match="the event has the codes 1, 2, and no 0"):
        tune(X, causes, estimator=SMALL, **options)
    tune(X, causes, estimator=clone(SMALL).set_params(n_causes=2), **options)


def test_weights_count_in_the_concordance():
    weight = np.arange(len(X)) % 3 + 1.0
    target, model = as_target(Y, weight), clone(SMALL).set_params(random_state=0).fit(X, Y)
    score = METRICS["concordance"](target, target)(model, X)
    assert score == model.score(X, Y, sample_weight=weight) != model.score(X, Y)


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, scipy.sparse.csr_matrix, list])
def test_features_in_every_container(container):
    named = {"columns": list("abc")} if container is pd.DataFrame else {}
    result = tune(
        container(X.tolist() if container is list else X, **named),
        Y,
        space=steps,
        estimator=SMALL,
        n_trials=2,
        verbose=0,
    )
    assert np.isfinite(result.trials["score"]).all()


def test_categories():
    frame = pd.DataFrame(X, columns=list("abc")).assign(group=pd.Categorical(np.where(X[:, 0] > 0.0, "high", "low")))
    result = tune(frame, Y, space=steps, estimator=SMALL, n_trials=2, verbose=0)
    assert np.isfinite(result.best_estimator.predict(frame)).all()


# Pruned and failed trials


def score_by(function):
    """A metric whose scores are known: a function of the configuration, whatever the trees."""
    return lambda train, held_out: lambda model, X: function(model)


def test_trials_below_the_median_are_pruned_after_two_folds(monkeypatch):
    monkeypatch.setitem(METRICS, "likelihood", score_by(lambda model: -float(model.max_depth)))
    poor = {12, 14}
    result = search(space=lambda trial: {"max_depth": 3 if trial.number in poor else 2}, n_trials=16, cv=4)
    states = [trial.state.name for trial in result.study.trials]
    assert {number for number, state in enumerate(states) if state == "PRUNED"} == poor
    assert [len(result.study.trials[number].intermediate_values) for number in sorted(poor)] == [2, 2]
    assert list(result.trials["state"] == "pruned") == list(result.trials["score"].isna())


def test_no_trial_is_pruned_before_there_are_enough(monkeypatch):
    monkeypatch.setitem(METRICS, "likelihood", score_by(lambda model: -float(model.max_depth)))
    result = search(space=lambda trial: {"max_depth": 2 + trial.number}, n_trials=10)
    assert (result.trials["state"] == "complete").all()


def test_reports_are_estimates_of_the_score_and_end_with_it():
    result = search(cv=4)
    defaults = np.array(result.study.trials[0].user_attrs["fold_scores"])
    for trial in result.study.trials[1:]:
        folds = trial.user_attrs["fold_scores"]
        assert trial.intermediate_values[4] == pytest.approx(trial.value)
        assert trial.intermediate_values[1] == pytest.approx(defaults.mean() + folds[0] - defaults[0])
    assert expected_score(result.study, list(defaults[:2] + 0.5)) == pytest.approx(defaults.mean() + 0.5)


def test_a_configuration_that_cannot_be_fitted_fails_and_has_no_score():
    def space(trial):
        return {"patience": trial.suggest_categorical("patience", [3]), "n_estimators": "auto"}

    result = search(space=space, n_trials=3)
    assert list(result.trials["state"]) == ["complete", "failed", "failed"]
    assert result.trials["score"].isna().tolist() == [False, True, True]
    assert result.trials["error"][1].startswith("ValueError: patience=3 has no meaning with n_estimators='auto'")
    assert "2 failed" in repr(result)


@pytest.mark.parametrize("score", [np.nan, -np.inf])
def test_a_score_that_is_not_finite_is_a_failure(score, monkeypatch):
    monkeypatch.setitem(METRICS, "likelihood", score_by(lambda model: score if model.max_depth == 3 else -1.0))
    result = search(n_trials=12)
    failed = result.trials[result.trials["max_depth"] == 3]
    assert len(failed)
    assert (failed["state"] == "failed").all()
    assert failed["error"].str.contains(f"the held-out score is {score}").all()
    assert result.best_score == -1.0


def test_errors_in_a_custom_space_are_raised():
    def space(trial):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        search(space=space)
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        search(space=lambda trial: {"depth": 1})


def test_an_estimator_that_cannot_be_fitted_is_an_error():
    with pytest.raises(ValueError, match="'max_depth' parameter of FPBoost must be an int"):
        search(estimator=FPBoost(max_depth=0))


# Reproducible and resumed searches


def test_a_search_is_reproducible():
    pd.testing.assert_frame_equal(trials_of(search(n_trials=4)), trials_of(search(n_trials=4)))
    assert not trials_of(search(n_trials=2)).equals(trials_of(search(n_trials=2, random_state=1)))


def test_a_resumed_search_is_the_same_as_one_in_one_go(storage):
    for n_trials in (1, 4, 13):
        result = search(n_trials=n_trials, storage=storage)
    assert len(result.trials) == 13
    pd.testing.assert_frame_equal(trials_of(result), trials_of(search(n_trials=13)))
    again = search(n_trials=3, storage=storage)
    pd.testing.assert_frame_equal(result.trials, again.trials)


@pytest.mark.parametrize("after", [1, 7])
def test_an_interrupted_search_can_be_resumed(after, tmp_path, monkeypatch):
    storage = tmp_path / "study.journal"
    with monkeypatch.context() as patch:
        interrupt(patch, after)
        with pytest.raises(KeyboardInterrupt):
            search(storage=storage)
    pd.testing.assert_frame_equal(trials_of(search(storage=storage)), trials_of(search()))


def test_a_killed_search_can_be_resumed(tmp_path):
    storage = tmp_path / "study.journal"
    search(n_trials=2, storage=storage).study.ask()  # a trial that never ends
    with storage.open("ab") as file:
        file.write(b'{"op_code":5,"wor')  # and an incomplete line
    resumed = search(storage=storage)
    pd.testing.assert_frame_equal(trials_of(resumed), trials_of(search()))
    assert [trial.state.name for trial in resumed.study.trials].count("FAIL") == 1


def test_a_search_without_a_seed_is_resumed_with_its_first_seed(tmp_path):
    storage = tmp_path / "study.journal"
    begun = search(n_trials=2, storage=storage, random_state=None)
    resumed = search(n_trials=4, storage=storage, random_state=None)
    pd.testing.assert_frame_equal(trials_of(resumed)[:2], trials_of(begun))


def test_studies_of_several_names_share_a_storage(tmp_path):
    storage = tmp_path / "study.journal"
    one, two = (
        search(n_trials=1, storage=storage, study_name=name, metric=metric)
        for name, metric in (("one", "likelihood"), ("two", "concordance"))
    )
    assert one.best_score < 0.5 < two.best_score


def test_threads_and_verbosity_may_change(tmp_path):
    search(n_trials=1, storage=tmp_path / "journal")
    threaded = clone(SMALL).set_params(n_jobs=2)
    assert len(search(n_trials=2, storage=tmp_path / "journal", estimator=threaded).trials) == 2


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_study_that_tune_did_not_create_is_refused(direction):
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(storage=storage, study_name="theirs", direction=direction)
    study.optimize(lambda trial: 1.0, n_trials=1)
    with pytest.raises(ValueError, match="study_name='theirs' is the name of a study that"):
        search(storage=storage, study_name="theirs")


def test_trials_in_parallel():
    result = search(n_trials=4, n_jobs=2)
    assert (result.trials["state"] == "complete").all()
    alone = search(n_trials=4)
    assert result.trials["score"][:2].tolist() == pytest.approx(alone.trials["score"][:2].tolist(), rel=1e-6)


def test_no_database_connection_stays_open(tmp_path):
    gc.collect()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        result = search(n_trials=2, storage=f"sqlite:///{tmp_path}/study.db")
        assert len(result.study.trials) == 2  # the study can still be read
        assert result.study._storage._backend.engine.pool.status() == "NullPool"
        del result
        gc.collect()
    assert not caught


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
@pytest.mark.filterwarnings("ignore:unclosed database", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_database_in_memory(url):
    result = search(n_trials=2, storage=url)
    assert len(result.study.trials) == 2
    result.study._storage._backend.engine.dispose()


def test_no_trial_starts_after_the_timeout():
    assert len(search(timeout=0.0).trials) == 1


# Output


def test_table_has_one_row_for_each_trial_and_numbers_are_numbers():
    result = search()
    assert list(result.trials.columns) == ["trial", "state", "score", "seconds", "error", "learning_rate", "max_depth"]
    assert result.trials["learning_rate"][0] == SMALL.learning_rate
    assert result.trials["max_depth"].dtype.kind == "i"
    assert result.trials["seconds"].gt(0.0).all()


def test_repr():
    result = search(n_trials=8)
    assert f"likelihood {result.best_score:.4f}, {result.default_score:.4f} as given" in repr(result)
    assert "8 trials (8 complete, 0 pruned, 0 failed)" in repr(result)
    assert f"max_depth = {result.best_params['max_depth']}" in repr(result)


def test_bar_is_drawn_on_standard_error(capfd):
    search(verbose=1, n_trials=2)
    out, err = capfd.readouterr()
    assert out == ""
    assert "2/2 trials" in err
    assert err.endswith("\n")


def test_nothing_else_is_printed(capfd, storage):
    before = optuna.logging.get_verbosity()
    search(n_trials=1, storage=storage)
    assert capfd.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == before


def test_plot_shows_the_trials():
    with mpl.rc_context():
        mpl.use("Agg")
        from matplotlib import pyplot as plt

        result = search(n_trials=8)
        ax = result.plot()
        assert ax.get_xlabel() == "trial"
        assert ax.get_ylabel() == "held-out log-likelihood"
        drawn = {line.get_label(): line for line in ax.lines}
        assert drawn["best so far"].get_ydata()[-1] == result.best_score
        assert drawn["best"].get_ydata()[0] == result.best_score
        ax.figure.draw_without_rendering()
        other = plt.figure().add_subplot()
        assert result.plot(other) is other
        plt.close("all")


# Wrong arguments


class FewParameters(FPBoost):
    def __init__(self, n_estimators=4):
        super().__init__(n_estimators=n_estimators)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"metric": "brier"}, ValueError, "metric must be 'likelihood' or 'concordance'; got 'brier'"),
        ({"space": "ours"}, ValueError, "space must be 'default', 'paper' or a function"),
        ({"space": {"max_depth": [1, 2]}}, ValueError, "space must be 'default', 'paper' or a function"),
        ({"space": ["default"]}, ValueError, "space must be 'default', 'paper' or a function"),
        ({"metric": ["likelihood"]}, ValueError, "metric must be 'likelihood' or 'concordance'"),
        ({"n_trials": 0}, ValueError, "n_trials must be a positive int; got 0"),
        ({"timeout": "60"}, ValueError, "timeout must be a number of seconds, or None; got '60'"),
        ({"timeout": -1}, ValueError, "timeout must be a number of seconds, or None; got -1"),
        ({"space": lambda trial: None}, TypeError, "space: the function must return a dict of parameters; got None"),
        ({"cv": [(np.arange(9),)]}, ValueError, "cv: fold 0 must be a pair of training rows and held-out rows"),
        ({"cv": [(np.arange(60), [60])]}, ValueError, "cv: fold 0 must have numbers of rows from 0 to 59"),
        ({"cv": [(np.ones(9, bool), [1])]}, ValueError, "cv: fold 0 must have numbers of rows from 0 to 59"),
        ({"cv": 1}, ValueError, "cv must be at least 2 and"),
        ({"cv": 61}, ValueError, "cv must be at least 2 and at most the number of rows, 60; got 61"),
        ({"cv": []}, ValueError, "cv has no folds"),
        ({"cv": "3"}, TypeError, "cv must be a number of folds, a splitter of scikit-learn, or pairs of .*; got '3'"),
        ({"cv": 3.0}, TypeError, "cv must be a number of folds, .*; got 3.0"),
        ({"estimator": object()}, TypeError, "estimator must be an FPBoost; got object"),
        ({"estimator": FewParameters()}, TypeError, "FewParameters does not take n_causes and random_state, which"),
        ({"random_state": np.random.default_rng(0)}, ValueError, "random_state must be .*; got Generator"),
        ({"random_state": -1}, ValueError, "random_state must be a whole number from 0 to .*; got -1"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        search(**arguments)


def test_wrong_data():
    with pytest.raises(ValueError, match="X has 59 rows and y has 60"):
        tune(X[:59], Y, verbose=0)
    with pytest.raises(ValueError, match="y has no event"):
        tune(X, (np.zeros(60, dtype=bool), Y[1]), verbose=0)
    weight = np.r_[np.zeros(20), np.ones(40)]
    folds = [(np.arange(20, 60), np.arange(20))]
    with pytest.raises(ValueError, match="cv: fold 0 holds out no row with a positive weight"):
        search(cv=folds, sample_weight=weight)
    with pytest.raises(ValueError, match=r"cv: fold [01] has no event to learn from, because all events are held out"):
        tune(X, (np.arange(60) == 7, Y[1]), cv=2, verbose=0)


def test_without_optuna_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r'pip install "hazboost\[tune\]"'):
        search()


def test_importing_hazboost_imports_neither_optuna_nor_matplotlib(packages_imported):
    assert not {"optuna", "matplotlib"} & packages_imported
