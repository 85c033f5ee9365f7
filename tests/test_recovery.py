"""Known truths come back from simulated data."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hazboost import FPBoost

N = 6000


def censored(rng, time):
    """Censor a quarter to a third of the times."""
    limit = rng.exponential(3.0 * np.median(time), len(time))
    return time <= limit, np.minimum(time, limit)


def draw(family, rng, eta, k):
    """Event times by inversion of H: Weibull ``H = eta t^k``, LogLogistic ``H = log(1 + eta t^k)``."""
    exponential = rng.exponential(size=len(eta))
    u = exponential if family == "weibull" else np.expm1(exponential)
    return (u / eta) ** (1.0 / k)


def survival(family, t, eta, k):
    u = eta[:, None] * t ** k[:, None]
    return np.exp(-u) if family == "weibull" else 1.0 / (1.0 + u)


SOLVERS = {
    "gradient": {"solver": "gradient", "reg_lambda": 0.0, "learning_rate": 0.1},
    "newton": {"solver": "newton", "learning_rate": 1.0},
}


def settings(solver="gradient", **heads):
    return FPBoost(
        **{"weibull_heads": 0, "loglogistic_heads": 0, **heads},
        **SOLVERS[solver],
        n_estimators=500,
        max_depth=1,
        init="marginal",
        subsample=1.0,
        colsample_bytree=1.0,
        random_state=0,
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("family", ["weibull", "loglogistic"])
def test_parameters_of_one_head_are_recovered(family, solver):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(N, 3)).astype(float)
    eta, k = np.exp(0.9 * X[:, 0] - 0.5), 1.0 + 1.0 * X[:, 1]
    model = settings(solver, **{f"{family}_heads": 1}).set_params(uniform_heads=True, n_estimators=1500)
    model.fit(X, censored(rng, draw(family, rng, eta, k)))
    table = model.predict_parameters(X)
    assert np.abs(np.log(table["eta"]) - np.log(eta)).mean() < 0.08
    assert np.abs(np.log(table["k"]) - np.log(k)).mean() < 0.05


def test_parameters_and_survival_of_a_mixture_of_hazards_are_recovered():
    """Two heads of weight one half: the earlier of two times, each with half of its head's cumulative hazard."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(N, 2)).astype(float)
    eta = {"weibull": np.exp(-0.8 + 1.2 * X[:, 0]), "loglogistic": np.exp(-0.3 + 1.0 * X[:, 1])}
    k = {"weibull": np.full(N, 3.0), "loglogistic": np.full(N, 0.8)}
    ageing = (2.0 * rng.exponential(size=N) / eta["weibull"]) ** (1.0 / k["weibull"])
    infant = (np.expm1(2.0 * rng.exponential(size=N)) / eta["loglogistic"]) ** (1.0 / k["loglogistic"])
    model = settings(weibull_heads=1, loglogistic_heads=1).set_params(uniform_heads=True, n_estimators=1500)
    model.fit(X, censored(rng, np.minimum(ageing, infant)))
    table = model.predict_parameters(X)
    for family in ("weibull", "loglogistic"):
        head = table[table["head"] == f"{family}_1"]
        assert np.abs(np.log(head["eta"]) - np.log(eta[family])).mean() < 0.2
        assert np.abs(np.log(head["k"]) - np.log(k[family])).mean() < 0.1
    t = np.linspace(0.05, 2.5, 40)
    truth = np.sqrt(
        survival("weibull", t, eta["weibull"], k["weibull"])
        * survival("loglogistic", t, eta["loglogistic"], k["loglogistic"])
    )
    assert np.abs(model.predict_survival_function(X, times=t) - truth).max() < 0.05


def test_bounded_heads_recover_the_shares_of_the_cured():
    """The first of a Poisson number of Weibull times; heads without a plateau are poor, and the default adds some."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(N // 2, 1)).astype(float)
    number = rng.poisson(np.where(X[:, 0] == 1.0, 0.5, 1.6))
    weakest = rng.exponential(size=len(X)) / np.maximum(number, 1)  # the smallest of so many exponential variables
    time = np.where(number > 0, 0.8 * np.sqrt(weakest), np.inf)
    limit = rng.uniform(1.0, 6.0, len(X))
    y, both = (time <= limit, np.minimum(time, limit)), np.array([[0.0], [1.0]])

    model = FPBoost(weibull_heads=0, loglogistic_heads=0, heads={"bounded": 2}, random_state=0).fit(X, y)
    plateau = model.predict_survival_function(both, times=[1e6])[:, 0]
    np.testing.assert_allclose(plateau, np.exp([-1.6, -0.5]), atol=0.03)
    assert (model.predict_mean(both) == np.inf).all()
    assert np.isfinite(model.predict_median(both)).tolist() == [True, False]
    with pytest.warns(ConvergenceWarning, match="the fitted curves are poor"):
        FPBoost(heads=None, random_state=0).fit(X, y)
    chosen = FPBoost(random_state=0).fit(X, y)
    np.testing.assert_allclose(chosen.predict_survival_function(both, times=[4.0])[:, 0], plateau, atol=0.03)


def test_more_data_bring_the_curve_closer_to_the_truth():
    errors = []
    for n in (300, 2000, 15000):
        rng = np.random.default_rng(2)
        X = rng.integers(0, 2, size=(n, 1)).astype(float)
        eta, k = np.exp(1.0 * X[:, 0]), np.full(n, 1.5)
        model = settings(weibull_heads=1).fit(X, censored(rng, draw("weibull", rng, eta, k)))
        t = np.linspace(0.05, 2.0, 30)
        truth = survival("weibull", t, np.exp([0.0, 1.0]), np.full(2, 1.5))
        errors.append(np.abs(model.predict_survival_function([[0.0], [1.0]], times=t) - truth).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01


def test_defaults_come_closer_with_more_data_and_find_what_is_not_linear():
    """A risk that is high at both ends of the first feature, and ages faster with the second."""
    errors, t = [], np.linspace(0.1, 2.0, 20)
    new = np.random.default_rng(9).uniform(-1.0, 1.0, size=(300, 3))
    truth = survival("weibull", t, *both_ends(new))
    for n in (150, 1000):
        rng = np.random.default_rng(3)
        X = rng.uniform(-1.0, 1.0, size=(n, 3))
        model = FPBoost(random_state=0).fit(X, censored(rng, draw("weibull", rng, *both_ends(X))))
        errors.append(np.abs(model.predict_survival_function(new, times=t) - truth).mean())
    without_features = np.abs(truth.mean(axis=0) - truth).mean()
    assert errors[1] < 0.7 * errors[0]
    assert errors[1] < 0.5 * without_features


def both_ends(X):
    return np.exp(1.5 * (np.abs(X[:, 0]) > 0.5) - 0.5), 1.2 + 0.6 * (X[:, 1] > 0.0)


def error_of(copied, seed):
    """Root mean squared error of S(t) on new subjects, after a fit to some rows of 300 subjects."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 6))
    eta = np.exp(0.8 * X[:, 0] - 0.5 * X[:, 1])
    event, time = censored(rng, draw("weibull", rng, eta, np.full(300, 1.5)))
    model = FPBoost(n_folds=3, random_state=0).fit(X[copied], (event[copied], time[copied]))
    new, times = rng.normal(size=(1000, 6)), np.linspace(0.05, 2.5, 30)
    truth = survival("weibull", times, np.exp(0.8 * new[:, 0] - 0.5 * new[:, 1]), np.full(1000, 1.5))
    return np.sqrt(np.mean((model.predict_survival_function(new, times=times) - truth) ** 2))


@pytest.mark.parametrize("seed", [0, 1])
def test_copies_of_all_rows_teach_nothing_new(seed):
    """Divided between folds, copies reward memorising: the error used to be three to five times as large."""
    assert error_of(np.repeat(np.arange(300), 3), seed) < 1.25 * error_of(np.arange(300), seed)
