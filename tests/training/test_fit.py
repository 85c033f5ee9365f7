"""The model that is put together; early stopping, validation data and the history."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from hazboost import FPBoost, Surv
from hazboost.data.reading import as_target
from hazboost.data.sample import Sample
from hazboost.training import fit

METRICS = {"concordance": ("validation_concordance", np.argmax), "likelihood": ("validation_loss", np.argmin)}


def simulate(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    time = 30.0 * rng.weibull(1.3, n) * np.exp(-0.7 * X[:, 0])
    censoring = rng.exponential(60.0, n)
    return X, (time <= censoring, np.minimum(time, censoring))


X, Y = simulate(120, 0)
X_NEW, Y_NEW = simulate(80, 1)


def eager(**parameters):
    """Learns so fast that it soon learns too much."""
    defaults = {"n_estimators": 60, "max_depth": 4, "learning_rate": 0.5, "init": "marginal", "random_state": 0}
    return FPBoost(1, 1, **{**defaults, **parameters})


@pytest.fixture(scope="module", params=METRICS)
def stopped(request):
    model = eager(patience=4, stopping_metric=request.param)
    return model.fit(X, Y, eval_set=(X_NEW, Y_NEW))


def watched(model):
    name, best = METRICS[model.stopping_metric]
    return model.history_[name], best


def test_the_best_round_is_kept(stopped):
    values, best = watched(stopped)
    assert stopped.n_estimators_ == best(values[1:]) + 1
    assert stopped.n_estimators_ < stopped.n_estimators


def test_training_stops_when_patience_ends(stopped):
    values, _ = watched(stopped)
    assert len(values) - 1 == stopped.n_estimators_ + 4
    assert {len(values) for values in stopped.history_.values()} == {stopped.n_estimators_ + 5}


def test_the_stopped_model_is_the_one_trained_for_so_many_rounds(stopped):
    again = eager(n_estimators=stopped.n_estimators_).fit(X, Y)
    assert stopped.predict(X_NEW).tobytes() == again.predict(X_NEW).tobytes()
    assert stopped.history_["train_loss"][stopped.n_estimators_] == again.history_["train_loss"][-1]


def loss_of_predictions(model, X, y):
    """Mean negative log-likelihood, from predicted hazards."""
    event, time = y
    log_hazard = [np.log(h(t)) for h, t in zip(model.predict_hazard_function(X), time, strict=True)]
    cumulative = [H(t) for H, t in zip(model.predict_cumulative_hazard_function(X), time, strict=True)]
    return np.mean(cumulative - event * np.array(log_hazard))


def test_the_history_is_that_of_the_kept_model(stopped):
    kept = stopped.n_estimators_
    loss = loss_of_predictions(stopped, X_NEW, Y_NEW)
    assert stopped.history_["validation_loss"][kept] == pytest.approx(loss, rel=1e-5)
    if "validation_concordance" in stopped.history_:
        assert stopped.history_["validation_concordance"][kept] == pytest.approx(stopped.score(X_NEW, Y_NEW), abs=2e-3)


def test_the_concordance_of_the_start_is_chance():
    model = eager(patience=2).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    assert model.history_["validation_concordance"][0] == 0.5


@pytest.mark.parametrize("metric", METRICS)
def test_a_fraction_is_set_aside_for_stopping(metric):
    options = {"patience": 3, "stopping_metric": metric, "random_state": 7}
    model = eager(**options, validation_fraction=0.25).fit(X, Y)
    train, aside = Sample(X, as_target(Y)).split(0.25, 7)
    pair = (part.target.event for part in (train, aside)), (part.target.lower for part in (train, aside))
    (e_train, e_aside), (t_train, t_aside) = pair
    explicit = eager(**options).fit(train.X, (e_train, t_train), eval_set=(aside.X, (e_aside, t_aside)))
    assert model.n_estimators_ == explicit.n_estimators_
    assert model.history_ == explicit.history_
    assert model.predict(X).tobytes() == explicit.predict(X).tobytes()
    np.testing.assert_array_equal(model.unique_times_, np.unique(Y[1]))


def test_the_split_is_a_stratified_partition():
    X_rows = np.arange(200.0)[:, None]
    event = np.arange(200) % 10 == 0
    train, aside = Sample(X_rows, as_target((event, X_rows[:, 0] + 1.0))).split(0.2, 0)
    np.testing.assert_array_equal(np.sort(np.r_[train.X, aside.X], axis=0), X_rows)
    assert len(aside.target) == 40
    assert aside.target.event.sum() == 4
    np.testing.assert_array_equal(aside.X[:, 0] + 1.0, aside.target.lower)
    assert not np.array_equal(aside.X, Sample(X_rows, train.target).split(0.2, 1)[1].X)


def test_sample_weights_follow_their_rows_into_the_split():
    """With nearly all weight on a few rows, the validation loss must be theirs."""
    weight = np.where(np.arange(len(X)) % 2, 1e-9, 1.0)
    target = as_target(Y, weight)
    train, aside = Sample(X, target).split(0.3, 0)
    for part in (train, aside):
        rows = [np.flatnonzero(target.lower == time)[0] for time in part.target.lower]
        np.testing.assert_array_equal(part.target.weight, weight[rows])


@pytest.mark.parametrize("only", ["event", "censored"])
def test_a_single_row_of_a_kind_does_not_stop_the_split(only):
    event = np.arange(len(X)) == 0 if only == "event" else np.arange(len(X)) > 0
    parts = Sample(X, as_target((event, Y[1]))).split(0.2, 0)
    assert sum(len(part.target) for part in parts) == len(X)


def test_without_patience_the_validation_set_is_only_watched():
    model = eager(n_estimators=30).fit(X, Y, eval_set=[(X_NEW, Y_NEW)])
    assert model.n_estimators_ == 30
    assert {len(values) for values in model.history_.values()} == {31}
    assert model.history_.keys() == {"train_loss", "validation_loss", "validation_concordance"}
    assert model.predict(X).tobytes() == eager(n_estimators=30).fit(X, Y).predict(X).tobytes()


def test_without_patience_nothing_is_set_aside():
    assert eager(n_estimators=3).fit(X, Y).history_.keys() == {"train_loss"}


def test_an_explicit_set_is_used_instead_of_a_fraction():
    models = [eager(patience=3, validation_fraction=f).fit(X, Y, eval_set=(X_NEW, Y_NEW)) for f in (0.1, 0.6)]
    assert models[0].predict(X).tobytes() == models[1].predict(X).tobytes()


def test_patience_that_never_ends_makes_all_rounds():
    model = eager(n_estimators=5, patience=50).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    assert len(model.history_["train_loss"]) == 6
    assert model.n_estimators_ == np.argmax(model.history_["validation_concordance"][1:]) + 1


def test_validation_loss_is_in_the_users_time():
    scale = 365.25
    one, other = (
        eager(n_estimators=4).fit(X, (Y[0], Y[1] / u), eval_set=(X_NEW, (Y_NEW[0], Y_NEW[1] / u))).history_
        for u in (1.0, scale)
    )
    difference = np.subtract(one["validation_loss"], other["validation_loss"])
    np.testing.assert_allclose(difference, Y_NEW[0].mean() * np.log(scale), rtol=1e-4)


def test_a_validation_set_may_reach_beyond_the_training_follow_up():
    late = (Y_NEW[0], Y_NEW[1] + 10.0 * Y[1].max())
    model = eager(n_estimators=5).fit(X, Y, eval_set=(X_NEW, late))
    assert np.isfinite(model.history_["validation_loss"]).all()


def test_events_at_zero_in_the_validation_set():
    zero = (np.ones(len(X_NEW), dtype=bool), np.where(np.arange(len(X_NEW)) < 3, 0.0, Y_NEW[1]))
    model = eager(n_estimators=5).fit(X, Y, eval_set=(X_NEW, zero))
    assert np.isfinite(model.history_["validation_loss"]).all()


def test_the_training_loss_never_rises_at_a_small_learning_rate():
    slow = {"n_estimators": 40, "learning_rate": 0.02, "subsample": 1.0, "init": "marginal", "random_state": 0}
    for solver in ("gradient", "newton"):
        loss = FPBoost(2, 2, solver=solver, **slow).fit(X, Y).history_["train_loss"]
        assert (np.diff(loss) < 0.0).all()


def test_background_is_half_an_event_in_all_of_the_follow_up():
    model = eager(n_estimators=2).fit(X, Y).model_
    assert model.mixture.background / model.unit == pytest.approx(0.5 / Y[1].sum())


def curved(n, seed):
    """Nothing for a linear predictor, and something for trees."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 3))
    time = rng.weibull(1.5, n) * np.where(np.abs(features[:, 0]) > 0.7, 0.2, 1.0)
    limit = rng.exponential(2.0, n)
    return features, (time <= limit, np.minimum(time, limit))


def automatic(**parameters):
    return FPBoost(**{"learning_rate": 0.3, "n_folds": 3, "random_state": 0, **parameters})


def two_causes(n, seed):
    """The same, and a second cause with a constant hazard."""
    features, (event, time) = curved(n, seed)
    other = np.random.default_rng(seed + 100).exponential(3.0, n)
    return features, Surv.right(np.where(other < time, 2, event), np.minimum(time, other))


@pytest.mark.parametrize("draw", [curved, two_causes])
@pytest.mark.parametrize("init", ["marginal", "linear"])
def test_the_hazard_of_a_model_is_the_mean_of_those_of_its_folds(init, draw):
    """Each with its own start and trees; and so for every cause."""
    model = automatic(init=init).fit(*draw(300, 0)).model_
    assert len(model.boosters) == len(model.starts) == model.mixture.n_models == 3
    new, times = draw(50, 1)[0], np.linspace(0.02, 3.0, 30)
    of_folds = [
        replace(model, boosters=(trees,), starts=(start,), mixture=model.mixture.one_model).distribution(new)
        for trees, start in zip(model.boosters, model.starts, strict=True)
    ]
    mean = model.distribution(new)
    for cause in [None, *range(1, model.mixture.n_causes + 1)]:
        each = np.array([one.of_cause(cause).hazard(times) for one in of_folds])
        assert np.ptp(each, axis=0).max() > 0.01  # folds differ
        np.testing.assert_allclose(mean.of_cause(cause).hazard(times), each.mean(axis=0), rtol=1e-10)
    survival = np.array([one.survival(times) for one in of_folds])
    np.testing.assert_allclose(mean.survival(times), np.exp(np.log(survival).mean(axis=0)), rtol=1e-10)


#: Shifts of the log-hazard: by straight lines, and by what only trees can learn.
EFFECTS = {
    "linear": lambda features: 0.5 * features[:, 1] - 0.7 * features[:, 0],
    "curved": lambda features: -1.5 * (np.abs(features[:, 0]) > 0.7),
    "crossed": lambda features: 2.0 * (features[:, 0] * features[:, 1] > 0.0),
}


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # of 100 subjects
@pytest.mark.parametrize("effect", EFFECTS)
def test_curves_come_nearer_to_the_truth_with_more_subjects(effect):
    """Survival functions of new subjects, for Weibull hazards with a third of the subjects censored."""
    shift, times = EFFECTS[effect], np.linspace(0.05, 2.0, 40)
    new = np.random.default_rng(99).normal(size=(500, 3))
    truth = np.exp(-np.exp(shift(new))[:, None] * times**1.5)

    def error(n, seed):
        rng = np.random.default_rng(seed)
        features = rng.normal(size=(n, 3))
        time = (rng.exponential(size=n) * np.exp(-shift(features))) ** (1 / 1.5)
        limit = rng.exponential(2.0, n)
        model = automatic(max_depth=2, learning_rate=0.4).fit(features, (time <= limit, np.minimum(time, limit)))
        return np.sqrt(np.mean((model.predict_survival_function(new, times=times) - truth) ** 2))

    few, more, many = (np.mean([error(n, seed) for seed in range(2)]) for n in (100, 400, 1_600))
    # Over four samples the ratios to the first are 0.4 and 0.3, 0.7 and 0.3, 0.7 and 0.5. A mean of two varies by a
    # tenth where trees are needed, and by a fourth where none are.
    assert more < 0.9 * few
    assert many < 0.65 * few
    assert many < 1.2 * more


@pytest.mark.parametrize("init", ["marginal", "linear"])
def test_the_history_of_averaged_models_is_that_of_their_average(init):
    (features, y), new = curved(200, 0), curved(100, 1)
    model = automatic(init=init).fit(features, y, eval_set=new)
    assert len(model.model_.boosters) == 3
    assert model.history_.keys() == {"train_loss", "validation_loss"}
    assert len(model.history_["validation_loss"]) == model.n_estimators_ + 1 > 2
    assert model.history_["validation_loss"][-1] == pytest.approx(loss_of_predictions(model, *new), rel=1e-5)
    assert automatic(init=init).fit(features, y).predict(new[0]).tobytes() == model.predict(new[0]).tobytes()
    model.model_ = replace(model.model_, shrinkage=np.zeros_like(model.model_.shrinkage))
    assert model.history_["validation_loss"][0] == pytest.approx(loss_of_predictions(model, *new), rel=1e-6)


def test_no_round_at_all_has_a_history_of_the_start(with_policy):
    with_policy(events_without_doubt=1e-99)  # no trees can gain so much
    old, new = curved(200, 0), curved(100, 1)
    model = automatic().fit(*old, eval_set=new)
    assert model.n_estimators_ == 0
    assert model.history_["validation_loss"] == [pytest.approx(loss_of_predictions(model, *new), rel=1e-5)]
    # Boosting knows nothing of the calibration that comes after it.
    (start,), shift = model.model_.starts, np.array(model.cv_results_["shift"])
    model.model_ = replace(model.model_, starts=(start.shifted(-shift),))
    assert model.history_["train_loss"] == [pytest.approx(loss_of_predictions(model, *old), rel=1e-5)]


@pytest.mark.filterwarnings("ignore:the validation metric was still improving")
def test_the_c_index_of_several_rows_is_refused_however_validation_data_come():
    subject = np.repeat(np.arange(60), 2)
    start = np.tile([0.0, 1.0], 60)
    event = np.tile([False, True], 60)
    features = np.repeat(X[:60], 2, axis=0)
    y = Surv.counting(start, start + np.where(event, 1.0 + subject, 1.0), event, id=subject)
    model = FPBoost(1, 1, n_estimators=3, init="marginal", patience=2, random_state=0)
    model.fit(features, y, eval_set=(features, y))  # rows with the same features are one
    features[::2, 0] += 1.0
    with pytest.raises(ValueError, match="several rows of one subject"):
        model.fit(features, y)
    with pytest.raises(ValueError, match="several rows of one subject"):
        model.fit(features, y, eval_set=(features, y))


def test_linear_algebra_has_one_thread_during_a_fit(monkeypatch):
    """And as many as before after it."""

    def threads(*_):
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    monkeypatch.setattr(fit, "_train", threads)
    with threadpool_limits(2, user_api="blas"):
        assert threads() == {2}
        assert fit.train_model(None, None, None) == {1}
        assert threads() == {2}
