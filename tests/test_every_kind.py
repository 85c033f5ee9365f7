"""Fits to every kind of survival data: cut in pieces, against lifelines, and against a known truth."""

import numpy as np
import pytest
from lifelines import AalenJohansenFitter, LogLogisticFitter, WeibullFitter

from hazboost import FPBoost, Surv
from hazboost.data.sample import Sample

FAST = {"init": "marginal", "subsample": 1.0, "colsample_bytree": 1.0, "random_state": 0}


def simulate(n, seed=0):
    """Weibull times of shape 1.5 whose scale depends on the first feature, and a right-censored sight of them."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), 1)
    time = 2.0 * rng.weibull(1.5, n) * np.exp(-0.6 * X[:, 0])
    censoring = rng.uniform(0.5, 6.0, n)
    return X, time, censoring, rng


def cut_subjects(event, time, rng):
    """Rows ``(start, stop]`` of subjects cut at random, in random order; also, the subject of each row."""
    subject, start, stop, seen = [], [], [], []
    for i, (happened, end) in enumerate(zip(event, time, strict=True)):
        edges = np.r_[0.0, np.sort(rng.uniform(0.0, end, rng.integers(0, 5))), end]
        subject += [i] * (len(edges) - 1)
        start, stop = [*start, *edges[:-1]], [*stop, *edges[1:]]
        seen += [0] * (len(edges) - 2) + [int(happened)]
    return np.array(subject), np.array(start), np.array(stop), np.array(seen)


GRADIENT = {"solver": "gradient", "reg_lambda": 0.0}
INVARIANT = {
    "gradient": GRADIENT,
    "gradient, penalised": {**GRADIENT, "alpha": 0.1},
    "gradient, km": {**GRADIENT, "init": "km"},
    "gradient, random": {**GRADIENT, "init": "random"},
    "gradient, early stopping": {**GRADIENT, "patience": 3, "stopping_metric": "likelihood"},
    "gradient, clipped": {**GRADIENT, "heads_activation": "identity", "learning_rate": 0.02},
    "newton": {},
    "newton, penalised": {"alpha": 0.1},
    # From a start without a search: a likelihood of so many heads has several maxima that are nearly as high.
    "newton, every family": {"heads": {"exponential": 1, "gompertz": 1, "lognormal": 1}, "init": "km"},
    "newton, weights without level": {"heads_activation": "relu", "parameter_activation": "softplus"},
    "newton, clipped": {"heads_activation": "tanh"},
    "newton, linear": {"init": "linear", "n_folds": 2},
    "newton, rounds by folds": {"init": "linear", "n_estimators": "auto", "learning_rate": 0.5, "n_folds": 2},
}


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # after few rounds, with hazards that are clipped
@pytest.mark.parametrize("parameters", INVARIANT.values(), ids=INVARIANT)
def test_cutting_subjects_in_pieces_does_not_change_the_model(parameters, monkeypatch):
    """Even if the pieces are not joined again, as where features change: losses and weights of rows add up."""
    monkeypatch.setattr(Sample, "with_rows_joined", lambda self: self)
    X, time, censoring, rng = simulate(150)
    event, time = time <= censoring, np.minimum(time, censoring)
    cause = event * rng.integers(1, 3, len(event))
    subject, start, stop, seen = cut_subjects(cause, time, rng)
    weight = rng.uniform(0.5, 2.0, len(X))
    settings = {**FAST, "n_estimators": 15, **parameters}
    whole = FPBoost(**settings).fit(X, Surv.right(cause, time), weight)
    parts = FPBoost(**settings).fit(X[subject], Surv.counting(start, stop, seen, id=subject), weight[subject])
    times = np.linspace(0.0, 6.0, 20)
    np.testing.assert_allclose(
        parts.predict_survival_function(X, times=times), whole.predict_survival_function(X, times=times), atol=2e-4
    )
    assert parts.n_estimators_ == whole.n_estimators_
    for name, losses in whole.history_.items():
        np.testing.assert_allclose(parts.history_[name], losses, atol=2e-4, err_msg=name)


@pytest.mark.parametrize("parameters", [{}, {"n_estimators": 15}, {"gradient_scaling": "max", "solver": "gradient"}])
def test_pieces_are_joined_before_training(parameters):
    """Nothing depends on them: not the rows that trees are grown on, nor the heads and the ridge that are chosen."""
    X, time, censoring, rng = simulate(150)
    event, time = time <= censoring, np.minimum(time, censoring)
    subject, start, stop, seen = cut_subjects(event, time, rng)
    settings = {"n_estimators": 5, "n_folds": 2, "random_state": 0, **parameters}
    whole = FPBoost(**settings).fit(X, Surv.right(event, time))
    parts = FPBoost(**settings).fit(X[subject], Surv.counting(start, stop, seen, id=subject))
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))
    np.testing.assert_array_equal(parts.unique_times_, whole.unique_times_)


@pytest.mark.parametrize("rate", [1.0, 5.0])
def test_rates_of_recurrent_events_follow_the_features(rate):
    """With many events for each subject, effects are known well, and a weak ridge is chosen."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    effect = np.array([0.7, -0.4])
    count = rng.poisson(2.0 * rate * np.exp(X @ effect))
    edges = [np.r_[0.0, np.sort(rng.uniform(0.0, 2.0, number)), 2.0] for number in count]
    subject = np.repeat(np.arange(400), count + 1)
    event = np.concatenate([np.arange(number + 1) < number for number in count])
    start, stop = (np.concatenate([one[part] for one in edges]) for part in (slice(-1), slice(1, None)))
    model = FPBoost(random_state=0).fit(X[subject], Surv.counting(start, stop, event, id=subject))
    assert model.ridge_ <= 30.0
    new = rng.normal(size=(1000, 2))
    error = np.log(model.predict_cumulative_hazard_function(new, times=[2.0])[:, 0] / (2.0 * rate)) - new @ effect
    assert np.sqrt(np.mean(error**2)) < 0.15 / np.sqrt(rate)
    expected = model.predict_cumulative_hazard_function(X, times=[2.0]).sum()
    assert expected == pytest.approx(count.sum(), rel=0.015)


@pytest.mark.parametrize("seed", [0, 10])
def test_there_is_little_hazard_before_the_first_entry(seed):
    """Nobody was seen before 40. The truth is Weibull in age, so that survival at 30 is known all the same."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, 2))
    time = 80.0 * (rng.exponential(size=3000) * np.exp(-0.7 * X[:, 0])) ** (1 / 6)
    entry = rng.uniform(40.0, 75.0, 3000)
    end, seen = entry + rng.uniform(2.0, 10.0, 3000), time > entry
    y = Surv.right((time <= end)[seen], np.minimum(time, end)[seen], entry=entry[seen])
    model = FPBoost(random_state=0).fit(X[seen], y)
    times = np.array([30.0, 50.0, 70.0])
    truth = np.exp(-((times / 80.0) ** 6))
    np.testing.assert_allclose(model.predict_survival_function(np.zeros((1, 2)), times=times)[0], truth, atol=0.05)
    given = model.predict_survival_function(np.zeros((1, 2)), times=times[1:], alive_at=42.0)[0]
    np.testing.assert_allclose(given, truth[1:] / np.exp(-((42.0 / 80.0) ** 6)), atol=0.05)


def predictions_of_cut_subjects(X, event, time):
    subject, start, stop, seen = cut_subjects(event, time, np.random.default_rng(1))
    return FPBoost(**FAST, n_estimators=10).fit(X[subject], Surv.counting(start, stop, seen, id=subject)).predict(X)


def predictions_in_another_order(X, event, time):
    order = np.random.default_rng(1).permutation(len(X))
    return FPBoost(**FAST, n_estimators=10).fit(X[order], Surv.right(event[order], time[order])).predict(X)


@pytest.mark.parametrize("predictions", [predictions_of_cut_subjects, predictions_in_another_order])
def test_bins_of_many_values_do_not_depend_on_the_rows(predictions):
    """With more values than bins, the quantiles that XGBoost sketches do."""
    rounded, time, censoring, rng = simulate(1500)
    X = rounded + rng.uniform(-0.05, 0.05, rounded.shape)
    event, time = time <= censoring, np.minimum(time, censoring)
    whole = FPBoost(**FAST, n_estimators=10).fit(X, Surv.right(event, time))
    np.testing.assert_allclose(predictions(X, event, time), whole.predict(X), atol=1e-5)


def without_features(n):
    """A feature that says nothing: the model is its start."""
    return np.zeros((n, 1))


def parameters_of(y, family, **parameters):
    """Scale and shape of a single head fitted without features, and the mean log-likelihood."""
    heads = {"weibull_heads": 0, "loglogistic_heads": 0, f"{family}_heads": 1}
    model = FPBoost(**heads, **FAST, uniform_heads=True, n_estimators=1, **parameters).fit(without_features(len(y)), y)
    row = model.predict_parameters(without_features(1)).iloc[0]
    return row["eta"], row["k"], -model.history_["train_loss"][0]


def truncated(n=800):
    _, time, censoring, rng = simulate(n, 3)
    entry = rng.uniform(0.0, 2.0, n)
    seen = np.minimum(time, censoring) > entry
    return (time <= censoring)[seen], np.minimum(time, censoring)[seen], entry[seen]


def looked_at(time, rng):
    """Intervals between looks at times of each subject's own; the last look may come too soon."""
    looks = np.cumsum(rng.uniform(0.2, 1.2, (len(time), 5)), axis=1)
    looks = np.column_stack([np.zeros(len(time)), looks, np.full(len(time), np.inf)])
    after = (looks < time[:, None]).sum(axis=1)
    rows = np.arange(len(time))
    return looks[rows, after - 1], looks[rows, after]


@pytest.mark.parametrize(("family", "fitter"), [("weibull", WeibullFitter), ("loglogistic", LogLogisticFitter)])
def test_delayed_entry_agrees_with_lifelines(family, fitter):
    event, time, entry = truncated()
    theirs = fitter().fit(time, event, entry=entry)
    scale, shape = (theirs.lambda_, theirs.rho_) if family == "weibull" else (theirs.alpha_, theirs.beta_)
    eta, k, likelihood = parameters_of(Surv.right(event, time, entry=entry), family)
    assert k == pytest.approx(shape, rel=1e-3)
    assert eta ** (-1.0 / k) == pytest.approx(scale, rel=1e-3)
    assert likelihood == pytest.approx(theirs.log_likelihood_ / len(time), abs=1e-4)


@pytest.mark.parametrize(("family", "fitter"), [("weibull", WeibullFitter), ("loglogistic", LogLogisticFitter)])
def test_intervals_agree_with_lifelines(family, fitter):
    _, time, _, rng = simulate(600, 4)
    lower, upper = looked_at(time, rng)
    exact = rng.random(len(time)) < 0.1
    lower, upper = np.where(exact, time, lower), np.where(exact, time, upper)
    theirs = fitter().fit_interval_censoring(lower, upper)
    scale, shape = (theirs.lambda_, theirs.rho_) if family == "weibull" else (theirs.alpha_, theirs.beta_)
    eta, k, likelihood = parameters_of(Surv.interval(lower, upper), family)
    assert k == pytest.approx(shape, rel=1e-3)
    assert eta ** (-1.0 / k) == pytest.approx(scale, rel=1e-3)
    assert likelihood == pytest.approx(theirs.log_likelihood_ / len(time), abs=1e-4)


def test_incidences_agree_with_aalen_johansen():
    _, time, censoring, rng = simulate(1000, 5)
    other = rng.exponential(3.0, len(time))
    cause = np.where(np.minimum(time, other) > censoring, 0, np.where(time < other, 1, 2))
    y = Surv.right(cause, np.min([time, other, censoring], axis=0))
    model = FPBoost(**FAST, n_estimators=1).fit(without_features(len(y)), y)
    grid = np.linspace(0.2, 4.0, 12)
    for number in (1, 2):
        theirs = AalenJohansenFitter(calculate_variance=False, seed=0).fit(y["time"], y["event"], number)
        steps = theirs.cumulative_density_.iloc[:, 0]
        expected = steps.to_numpy()[np.searchsorted(steps.index.to_numpy(), grid, side="right") - 1]
        got = model.predict_cumulative_incidence_function(without_features(1), times=grid, cause=number)[0]
        np.testing.assert_allclose(got, expected, atol=0.025)


def true_survival(X, times):
    return np.exp(-((times / (2.0 * np.exp(-0.6 * X[:, :1]))) ** 1.5))


def observe(kind, n, seed=0):
    """Features and ``y`` of one kind; and, beside it, the ``y`` of who ignores the kind."""
    X, time, censoring, rng = simulate(n, seed)
    event, end = time <= censoring, np.minimum(time, censoring)
    if kind == "right":
        return X, Surv.right(event, end), Surv.right(np.ones(n), end)
    if kind == "delayed entry":
        entry = rng.uniform(0.0, 3.0, n)
        seen = end > entry
        return X[seen], Surv.right(event[seen], end[seen], entry=entry[seen]), Surv.right(event[seen], end[seen])
    if kind == "interval":
        lower, upper = looked_at(time, rng)
        found = np.isfinite(upper)
        return X, Surv.interval(lower, upper), Surv.right(found, np.where(found, upper, lower))
    if kind == "competing":
        other = rng.exponential(1.5, n)
        cause = np.where(np.minimum(time, other) > censoring, 0, np.where(time < other, 1, 2))
        first = np.min([time, other, censoring], axis=0)
        return X, Surv.right(cause, first), Surv.right(cause > 0, first)
    subject, start, stop, seen = cut_subjects(event, end, rng)
    return X[subject], Surv.counting(start, stop, seen, id=subject), Surv.right(seen, stop)


def curve_error(X, y, **parameters):
    """Mean distance of predicted survival (net of competing causes) from the truth, over new subjects and times."""
    settings = {"n_estimators": 60, "init": "linear", "n_folds": 2, "random_state": 0, **parameters}
    model = FPBoost(1, 1, **settings).fit(X, y)
    new, times = np.column_stack([np.linspace(-1.5, 1.5, 30), np.zeros(30)]), np.linspace(0.2, 3.5, 12)
    distribution = model._distribution(new).of_cause(1)
    return np.abs(distribution.survival(times) - true_survival(new, times)).mean()


@pytest.mark.parametrize("kind", ["right", "delayed entry", "interval", "competing", "counting"])
def test_the_truth_is_found_and_ignoring_the_kind_is_worse(kind):
    few = np.mean([curve_error(*observe(kind, 120, seed)[:2]) for seed in range(3)])
    data = [observe(kind, 1500, seed) for seed in range(2)]
    known = np.mean([curve_error(X, y) for X, y, _ in data])
    ignorant = np.mean([curve_error(X, other) for X, _, other in data])
    assert known < 0.7 * few
    assert known < 0.04
    assert ignorant > 1.8 * known


def test_all_kinds_in_one_model():
    """Exact, right-, left- and interval-censored rows with delayed entry, both solvers and every start."""
    X, time, _, rng = simulate(200)
    lower, upper = looked_at(time, rng)
    exact = rng.random(200) < 0.3
    lower, upper = np.where(exact, time, lower), np.where(exact, time, upper)
    entry = np.where((rng.random(200) < 0.5) & (lower > 0.0), 0.5 * lower, 0.0)
    y = Surv.interval(lower, upper, entry=entry)
    for solver in ("gradient", "newton"):
        for init in ("random", "km", "marginal", "linear"):
            settings = {"solver": solver, "init": init, "n_estimators": 5, "learning_rate": 0.05, "random_state": 0}
            model = FPBoost(1, 1, **settings).fit(X, y)
            losses = model.history_["train_loss"]
            assert np.isfinite(losses).all()
            assert losses[-1] < losses[0]


def test_recurrent_events_give_the_rate():
    rng = np.random.default_rng(6)
    subject, start, stop, event = [], [], [], []
    for i in range(300):
        times = np.r_[0.0, np.sort(rng.uniform(0.0, 4.0, rng.poisson(4 * 0.7))), 4.0]
        subject += [i] * (len(times) - 1)
        start, stop = [*start, *times[:-1]], [*stop, *times[1:]]
        event += [1] * (len(times) - 2) + [0]
    y = Surv.counting(start, stop, event, id=subject)
    heads = {"weibull_heads": 0, "loglogistic_heads": 0, "heads": {"exponential": 1}}
    model = FPBoost(**heads, **FAST, uniform_heads=True, n_estimators=1).fit(without_features(len(y)), y)
    rate = model.predict_hazard_function(without_features(1), times=[1.0])[0, 0]
    assert rate == pytest.approx(sum(event) / 1200.0, rel=1e-4)


def test_stopping_on_the_c_index_needs_one_time_for_each_subject():
    X, time, _, rng = simulate(60)
    y = Surv.interval(*looked_at(time, rng))
    with pytest.raises(ValueError, match=r"y has intervals; use stopping_metric='likelihood'"):
        FPBoost(**FAST, n_estimators=3, patience=1).fit(X, y)
    model = FPBoost(**FAST, n_estimators=3, patience=3, stopping_metric="likelihood").fit(X, y)
    assert len(model.history_["validation_loss"]) > 1


def test_eval_set_with_an_unknown_cause_is_refused():
    X, time, _, _ = simulate(20)
    with pytest.raises(ValueError, match="eval_set: y has events of cause 2, and y of causes 1 to 1 only"):
        FPBoost(**FAST, n_estimators=1).fit(X, (np.ones(20), time), eval_set=(X, (np.full(20, 2), time)))
