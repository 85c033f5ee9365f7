"""The estimator's public methods and attributes, against formulas and independent implementations."""

import json
from itertools import product

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid, quad
from scipy.special import log_ndtr
from sksurv.metrics import concordance_index_censored

from hazboost import FPBoost
from hazboost.estimator import MAX_HEADS
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.hazards.mixture import Mixture
from hazboost.training.starts import STARTS

STEPS = {
    "newton": {"solver": "newton"},
    "subject": {"solver": "gradient", "gradient_scaling": "subject", "reg_lambda": 0.0},
    "max": {"solver": "gradient", "gradient_scaling": "max", "reg_lambda": 0.0},
}
CURVES = ("survival", "cumulative_hazard", "hazard")

#: H(t) of each family as its documentation states it.
CUMULATIVE = {
    "weibull": lambda t, eta, k: eta * t**k,
    "loglogistic": lambda t, eta, k: np.log1p(eta * t**k),
    "exponential": lambda t, eta: eta * t,
    "gompertz": lambda t, eta, k: eta / k * np.expm1(k * t),
    "lognormal": lambda t, eta, k: -log_ndtr(-np.log(eta) - k * np.log(t)),
    "exponentiated_weibull": lambda t, eta, k, a: -np.log(-np.expm1(a * np.log1p(-np.exp(-eta * t**k)))),
    "bounded": lambda t, eta, k: eta * t**k / (1.0 + eta * t**k),
}


def simulate(n=150, seed=0, scale=100.0):
    """Weibull times whose scale depends on the first feature, censored, with ties, a zero and missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    time = scale * rng.weibull(1.5, n) * np.exp(-X[:, 0])
    censoring = scale * rng.exponential(1.5, n)
    y = time <= censoring, np.round(np.minimum(time, censoring), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


X, Y = simulate()
EVENT, TIME = Y
GRID = np.array([0.0, 0.5, 3.0, 20.0, 77.0, 150.0, 1000.0])


def small(**parameters):
    """A few rounds from the start without features, so that nothing is cross-validated."""
    return FPBoost(**{"n_estimators": 6, "init": "marginal", "random_state": 0, **parameters})


def with_heads(family, count=2, **parameters):
    """An estimator with heads of one family only."""
    own = {"weibull": "weibull_heads", "loglogistic": "loglogistic_heads"}
    heads = {own[family]: count} if family in own else {"heads": {family: count}}
    return small(**{"weibull_heads": 0, "loglogistic_heads": 0, **heads, **parameters})


def curves(model, kind, features, **arguments):
    return getattr(model, f"predict_{kind}_function")(features, **arguments)


def survival_from_table(table, times):
    """``exp(-sum_j w_j H_j(t))`` from the rows of `predict_parameters`."""
    total = np.zeros((table["subject"].max() + 1, len(times)))
    for row in table.itertuples():
        family = row.head.rsplit("_", 1)[0]
        parameters = [getattr(row, parameter.name) for parameter in HEADS[family].parameters]
        total[row.subject] += row.w * CUMULATIVE[family](times, *parameters)
    return np.exp(-total)


@pytest.fixture(scope="module")
def fitted():
    return small().fit(X, Y)


@pytest.mark.parametrize("kind", CURVES)
def test_curves_have_values_and_domain(fitted, kind):
    found = curves(fitted, kind, X[:3])
    assert found.shape == (3,)
    for curve in found:
        np.testing.assert_array_equal(curve.x, fitted.unique_times_)
        np.testing.assert_array_equal(curve.y, curve(curve.x))
        assert curve.domain == (0.0, np.inf)
        assert isinstance(curve(5.0), float)
        assert curve(np.ones((2, 3))).shape == (2, 3)
        assert kind in repr(curve)


@pytest.mark.parametrize("kind", CURVES)
def test_matrices_agree_with_curves(fitted, kind):
    found = curves(fitted, kind, X[:4])
    np.testing.assert_array_equal(curves(fitted, kind, X[:4], return_array=True), [c.y for c in found])
    np.testing.assert_array_equal(curves(fitted, kind, X[:4], times=GRID), [c(GRID) for c in found])
    np.testing.assert_array_equal(curves(fitted, kind, X[:4], return_array=True, times=GRID), [c(GRID) for c in found])


@pytest.mark.parametrize("kind", CURVES)
def test_order_of_times_does_not_matter(fitted, kind):
    forward = curves(fitted, kind, X[:4], times=GRID)
    np.testing.assert_array_equal(curves(fitted, kind, X[:4], times=GRID[::-1]), forward[:, ::-1])


def test_survival_is_one_at_zero_and_follows_from_the_hazards(fitted):
    survival, cumulative = (curves(fitted, kind, X, times=GRID) for kind in CURVES[:2])
    assert (survival[:, 0] == 1.0).all()
    assert (np.diff(survival) <= 0.0).all()
    np.testing.assert_allclose(survival, np.exp(-cumulative), rtol=1e-12)
    hazard = curves(fitted, "hazard", X[:5])
    for row in range(5):
        integral = quad(hazard[row], 20.0, 150.0)[0]
        np.testing.assert_allclose(integral, cumulative[row, 5] - cumulative[row, 3], rtol=1e-6)


def test_predict_is_minus_the_mean_restricted_to_when_most_events_had_come(fitted):
    horizon = np.quantile(TIME[EVENT], 0.75, method="inverted_cdf")
    np.testing.assert_array_equal(fitted.predict(X), -fitted.predict_rmst(X, tau=horizon))


def test_published_risk_is_minus_the_mean_restricted_to_the_follow_up():
    model = FPBoost.paper(n_estimators=5, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), -model.predict_rmst(X, tau=TIME.max()))


def test_mean_is_restricted_to_the_follow_up_where_nothing_is_said(fitted):
    np.testing.assert_array_equal(fitted.predict_rmst(X), fitted.predict_rmst(X, tau=float(TIME.max())))


@pytest.mark.parametrize("tau", [0.3, 40.0, 5000.0])
def test_restricted_mean_is_the_integral_of_survival(fitted, tau):
    found = fitted.predict_rmst(X[:5], tau)
    expected = [quad(lambda t, s=s: s(t), 0.0, tau, limit=200)[0] for s in curves(fitted, "survival", X[:5])]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize(("slow", "fast"), [(1.0, 5.0), (0.5, 8.0), (0.3, 10.0), (0.1, 10.0)])
def test_restricted_mean_is_exact_where_slow_and_fast_heads_meet(slow, fast):
    """One head lets survival fall over many decades of time, the other within a tenth of one."""
    mixture = Mixture({"weibull": 2}, PARAMETER_ACTIVATIONS["relu"], WEIGHT_ACTIVATIONS["relu"])
    distribution = Distribution(mixture, np.array([[0.1, 3.0, slow, fast, 0.5, 0.5]]))
    taus = np.array([0.3, 0.7, 1.0, 3.0, 100.0])
    found = np.concatenate([distribution.restricted_mean(tau) for tau in taus])
    times = np.r_[0.0, np.geomspace(1e-9, 100.0, 400_001)]
    integral = cumulative_trapezoid(distribution.survival(times)[0], times, initial=0.0)
    np.testing.assert_allclose(found, np.interp(taus, times, integral), rtol=1e-5)


def test_mean_is_the_integral_of_survival():
    model = with_heads("weibull").fit(X, Y)
    expected = [quad(lambda t, s=s: s(t), 0.0, np.inf, limit=500)[0] for s in curves(model, "survival", X[:5])]
    np.testing.assert_allclose(model.predict_mean(X[:5]), expected, rtol=1e-5)
    np.testing.assert_allclose(model.predict_rmst(X[:5], 1e9), model.predict_mean(X[:5]), rtol=1e-5)


def test_mean_is_infinite_where_survival_falls_slowly():
    time = np.exp(3.0 * np.random.default_rng(0).logistic(size=300))  # log-logistic with k = 1/3
    model = with_heads("loglogistic", 1, n_estimators=1).fit(np.arange(300.0)[:, None], (np.ones(300), time))
    assert np.isinf(model.predict_mean(np.zeros((1, 1)))).all()


def test_quantiles_invert_survival(fitted):
    q = [0.1, 0.5, 0.9]
    times = fitted.predict_quantile(X, q)
    assert times.shape == (len(X), 3)
    survival = np.array([curve(row) for curve, row in zip(curves(fitted, "survival", X), times, strict=True)])
    np.testing.assert_allclose(survival, np.tile([0.9, 0.5, 0.1], (len(X), 1)), rtol=1e-9)
    np.testing.assert_array_equal(fitted.predict_median(X), times[:, 1])
    np.testing.assert_array_equal(fitted.predict_quantile(X, 0.9), times[:, 2])


def test_quantiles_at_the_ends(fitted):
    np.testing.assert_array_equal(fitted.predict_quantile(X[:2], [0.0, 1.0]), [[0.0, np.inf]] * 2)


def test_score_is_scikit_survivals_concordance(fitted):
    expected = concordance_index_censored(EVENT, TIME, fitted.predict(X))[0]
    assert fitted.score(X, Y) == pytest.approx(expected, abs=1e-12)
    assert expected > 0.7


def test_times_are_the_observed_ones(fitted):
    np.testing.assert_array_equal(fitted.unique_times_, np.unique(TIME))
    np.testing.assert_array_equal(fitted.event_times_, np.unique(TIME[EVENT]))
    assert len(fitted.event_times_) < len(fitted.unique_times_) < len(TIME)


def test_every_family_has_its_formula_here():
    assert CUMULATIVE.keys() == HEADS.keys()


@pytest.mark.parametrize("family", HEADS)
def test_survival_can_be_rebuilt_from_the_table_of_parameters(family):
    model = with_heads(family).fit(X, Y)
    table = model.predict_parameters(X)
    names = [parameter.name for parameter in HEADS[family].parameters]
    assert list(table.columns) == ["subject", "head", *names, "scale", "w"]
    assert table["head"].tolist() == [f"{family}_1", f"{family}_2"] * len(X)
    np.testing.assert_array_equal(table["subject"], np.repeat(np.arange(len(X)), 2))
    assert np.isfinite(table[names]).all(axis=None)
    times = GRID[1:]
    np.testing.assert_allclose(survival_from_table(table, times), curves(model, "survival", X, times=times), rtol=1e-9)


def test_a_family_without_a_parameter_has_nan_in_its_column():
    model = FPBoost(1, 0, heads={"exponential": 1, "exponentiated_weibull": 1}, n_estimators=3, random_state=0)
    table = model.fit(X, Y).predict_parameters(X)
    assert list(table.columns) == ["subject", "head", "eta", "k", "a", "scale", "w"]
    missing = table.set_index("head")[["eta", "k", "a"]].isna().groupby(level="head", sort=False).all()
    assert missing.to_numpy().tolist() == [[False, False, True], [False, True, True], [False, False, False]]
    np.testing.assert_allclose(survival_from_table(table, GRID[1:]), curves(model, "survival", X, times=GRID[1:]))


def test_dead_heads_add_nothing_to_the_table():
    """A Weibull head with k = 0 would add the constant eta to H if the formula were applied to it."""
    model = FPBoost.paper(weibull_heads=3, loglogistic_heads=2, learning_rate=1.0, n_estimators=40, random_state=0)
    table = model.fit(X, Y).predict_parameters(X)
    scores = model.model_.distribution(X).scores
    alive = model.model_.mixture.parameters(scores.T).weight.any(axis=0)
    assert alive.any()
    assert ((table["k"] == 0.0) & (table["eta"] > 0.0)).any(), "no head has died: the test shows nothing"
    rebuilt = survival_from_table(table, GRID[1:])
    np.testing.assert_allclose(rebuilt[alive], curves(model, "survival", X, times=GRID[1:])[alive], rtol=1e-9)


def test_uniform_heads_have_equal_weights():
    model = small(weibull_heads=2, uniform_heads=True).fit(X, Y)
    np.testing.assert_allclose(model.predict_parameters(X)["w"], 1 / 3)
    assert model.model_.mixture.n_scores == 6
    assert model.score(X, Y) > 0.7


def test_learned_weights_differ_between_subjects():
    for activation in ("scaled_softmax", "softmax"):
        model = small(n_estimators=20, heads_activation=activation).fit(X, Y)
        weights = model.predict_parameters(X).pivot(index="subject", columns="head", values="w")
        assert (weights.std() > 1e-3).all()
        scores = model.model_.distribution(X).scores
        level = scores[:, model.model_.mixture.first_weight_score] if activation == "scaled_softmax" else 0.0
        np.testing.assert_allclose(weights.sum(axis=1), np.exp(level))


def test_shares_of_the_hazard_sum_to_one():
    model = small(heads=dict.fromkeys(set(HEADS) - {"weibull", "loglogistic"}, 1)).fit(X, Y)
    table = model.head_contributions(X[:6], [1.0, 50.0])
    assert list(table.columns) == ["subject", "time", "head", "share"]
    assert len(table) == 6 * 2 * len(HEADS)
    assert table["share"].between(0.0, 1.0).all()
    np.testing.assert_allclose(table.groupby(["subject", "time"])["share"].sum(), 1.0)


def test_shares_are_those_of_the_table_of_parameters():
    model = with_heads("exponential").fit(X, Y)
    parameters = model.predict_parameters(X)
    hazard = (parameters["w"] * parameters["eta"]).to_numpy().reshape(-1, 2)
    shares = model.head_contributions(X, [9.0])["share"].to_numpy().reshape(-1, 2)
    np.testing.assert_allclose(shares, hazard / hazard.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("init", STARTS)
def test_predictions_do_not_depend_on_the_unit_of_time(init):
    days, years = (small(init=init, n_estimators=10).fit(X, (EVENT, TIME / unit)) for unit in (1.0, 365.25))
    for kind, factor in (("survival", 1.0), ("cumulative_hazard", 1.0), ("hazard", 1 / 365.25)):
        expected = curves(years, kind, X, times=GRID[1:] / 365.25)
        np.testing.assert_allclose(curves(days, kind, X, times=GRID[1:]), expected * factor, rtol=1e-4)
    np.testing.assert_allclose(days.predict(X), years.predict(X) * 365.25, rtol=1e-4)
    np.testing.assert_allclose(days.predict_median(X), years.predict_median(X) * 365.25, rtol=1e-4)
    np.testing.assert_array_equal(days.unique_times_ / 365.25, years.unique_times_)


@pytest.mark.parametrize("unit", [1e-9, 1e12])
def test_extreme_units_of_time_are_harmless(fitted, unit):
    model = small().fit(X, (EVENT, TIME * unit))
    expected = curves(fitted, "survival", X, times=GRID)
    np.testing.assert_allclose(curves(model, "survival", X, times=GRID * unit), expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("weight", "parameter", "init", "step"),
    list(product(WEIGHT_ACTIVATIONS, PARAMETER_ACTIVATIONS, STARTS, STEPS)),
)
@pytest.mark.filterwarnings("ignore:training made the loss worse", "ignore:the fitted curves are poor")
def test_every_option_gives_proper_survival(weight, parameter, init, step):
    model = small(heads_activation=weight, parameter_activation=parameter, init=init, **STEPS[step]).fit(X, Y)
    assert np.isfinite(model.history_["train_loss"]).all()
    survival = curves(model, "survival", X, times=GRID)
    assert (survival[:, 0] == 1.0).all()
    assert ((survival >= 0.0) & (survival <= 1.0)).all()
    assert (np.diff(survival) <= 0.0).all()
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(curves(model, "hazard", X, times=GRID)).all()


@pytest.mark.parametrize("family", HEADS)
@pytest.mark.parametrize("init", STARTS)
def test_every_family_learns_from_every_start(family, init):
    model = with_heads(family, 1, init=init, n_estimators=20).fit(X, Y)
    assert model.history_["train_loss"][-1] < model.history_["train_loss"][0]
    assert model.score(X, Y) > 0.7


def test_head_counts_reach_the_model():
    model = small(weibull_heads=2, loglogistic_heads=0, heads={"gompertz": 1, "lognormal": 3}).fit(X, Y)
    names = [*(f"weibull_{i}" for i in (1, 2)), "gompertz_1", *(f"lognormal_{i}" for i in (1, 2, 3))]
    assert model.predict_parameters(X[:1])["head"].tolist() == names


def test_the_largest_number_of_heads_fits():
    model = with_heads("weibull", MAX_HEADS, n_estimators=1, init="random").fit(X, Y)
    assert len(model.predict_parameters(X[:1])) == MAX_HEADS


def scores(**parameters):
    return small(n_estimators=25, **parameters).fit(X, Y).model_.distribution(X).scores


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # so strong a penalty leaves the data
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_elastic_net_shrinks_scores(l1_ratio):
    sizes = [np.abs(scores(alpha=alpha, l1_ratio=l1_ratio)).mean() for alpha in (0.0, 0.3, 3.0)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_loss_includes_the_elastic_net():
    model = small(alpha=0.7, l1_ratio=0.25).fit(X, Y)
    F = model.model_.distribution(X).scores
    penalty = 0.7 * np.mean(0.25 * np.abs(F) + 0.75 * F**2)
    assert model.history_["train_loss"][-1] == pytest.approx(negative_log_likelihood(model, X, Y) + penalty, rel=1e-4)


def negative_log_likelihood(model, features, y):
    """The mean over subjects, from the public curves, at times none of which is zero."""
    event, time = y
    hazard = [curve(t) for curve, t in zip(curves(model, "hazard", features), time, strict=True)]
    cumulative = [curve(t) for curve, t in zip(curves(model, "cumulative_hazard", features), time, strict=True)]
    return np.mean(cumulative - event * np.log(hazard))


def test_history_starts_before_the_first_round_in_the_users_time():
    assert TIME.min() > 0.0
    history = {rounds: small(n_estimators=rounds).fit(X, Y).history_["train_loss"] for rounds in (1, 5)}
    assert [len(history[rounds]) for rounds in (1, 5)] == [2, 6]
    np.testing.assert_array_equal(history[1], history[5][:2])
    model = small(n_estimators=5).fit(X, Y)
    assert history[5][-1] == pytest.approx(negative_log_likelihood(model, X, Y), rel=1e-5)
    in_years = small(n_estimators=5).fit(X, (EVENT, TIME / 365.25)).history_["train_loss"]
    np.testing.assert_allclose(np.subtract(history[5], in_years), EVENT.mean() * np.log(365.25), rtol=1e-4)


# Powers of two change no digit of a weight. With any other factor weights are rounded otherwise: then the search for a
# start ends elsewhere on a ridge of equal likelihood (a scale and a share of a head can be exchanged), and trees have
# to choose between splits that are equally good.
@pytest.mark.parametrize("options", [{}, {"n_estimators": "auto", "init": "linear", "n_folds": 2}], ids=str)
@pytest.mark.parametrize("step", STEPS)
def test_only_ratios_of_weights_matter(options, step):
    """All constants that count subjects or events count them relative to the mean weight."""

    def fit(weight=None):
        return small(**options, **STEPS[step]).fit(X, Y, sample_weight=weight)

    weight = np.random.default_rng(0).uniform(0.2, 2.0, len(X))
    expected, unweighted = fit(weight), fit().predict(X)
    for factor in (2.0**-66, 2.0**-8, 2.0**10, 2.0**66):
        scaled = fit(factor * weight)
        np.testing.assert_array_equal(scaled.predict(X), expected.predict(X), f"factor {factor}")
        np.testing.assert_array_equal(scaled.history_["train_loss"], expected.history_["train_loss"])
        np.testing.assert_array_equal(fit(np.full(len(X), factor)).predict(X), unweighted, f"weights {factor}")


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("step", STEPS)
def test_weight_two_is_the_row_twice(init, step):
    """Where nothing counts subjects: the ridge of the leaves and their smallest size do, and the choice of heads."""
    twice = np.arange(len(X)) % 3 == 0
    options = {"tree_method": "exact", "init": init, "subsample": 1.0, **STEPS[step]}
    options |= {"reg_lambda": 0.0, "min_child_weight": 0.0, "heads": None}
    weighted = small(**options).fit(X, Y, sample_weight=1.0 + twice)
    rows = np.r_[np.arange(len(X)), np.flatnonzero(twice)]
    repeated = small(**options).fit(X[rows], (EVENT[rows], TIME[rows]))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-4)
    np.testing.assert_allclose(weighted.history_["train_loss"], repeated.history_["train_loss"], rtol=1e-4)
    assert np.abs(weighted.predict(X) / small(**options).fit(X, Y).predict(X) - 1.0).max() > 1e-2


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
@pytest.mark.parametrize("step", STEPS)
def test_weight_zero_is_the_row_removed(tree_method, step):
    """The removed rows include the longest follow-up, which must not set the unit of time."""
    kept = np.arange(len(X)) % 4 > 0
    kept[TIME.argmax()] = False
    options = {"tree_method": tree_method, **STEPS[step]}
    weighted = small(**options).fit(X, Y, sample_weight=kept.astype(float))
    removed = small(**options).fit(X[kept], (EVENT[kept], TIME[kept]))
    np.testing.assert_allclose(weighted.predict(X), removed.predict(X), rtol=1e-6)
    np.testing.assert_allclose(weighted.history_["train_loss"], removed.history_["train_loss"], rtol=1e-6)
    np.testing.assert_array_equal(weighted.unique_times_, removed.unique_times_)
    np.testing.assert_array_equal(weighted.event_times_, removed.event_times_)


@pytest.mark.parametrize("event", [True, False])
@pytest.mark.parametrize("init", STARTS)
def test_times_of_zero_are_accepted(event, init):
    time = np.where(np.arange(len(X)) < 3, 0.0, TIME)
    model = small(init=init).fit(X, (np.where(time == 0.0, event, EVENT), time))
    assert np.isfinite(model.history_["train_loss"]).all()
    assert np.isfinite(model.predict(X)).all()
    assert model.unique_times_[0] == 0.0
    assert (model.event_times_[0] == 0.0) == event


def test_an_event_at_zero_counts_as_half_the_smallest_positive_time():
    smallest = TIME.min()
    zero, half = (np.r_[at, TIME[1:]] for at in (0.0, smallest / 2.0 if TIME[0] > smallest else np.nan))
    event = np.r_[True, EVENT[1:]]
    at_zero, at_half = (small().fit(X, (event, time)).predict(X) for time in (zero, half))
    np.testing.assert_array_equal(at_zero, at_half)


def test_rows_censored_at_zero_change_no_likelihood():
    extra = np.r_[X, X[:2]]
    model = small(n_estimators=1).fit(extra, (np.r_[EVENT, [False] * 2], np.r_[TIME, [0.0] * 2]))
    start = small(n_estimators=1).fit(X, Y).history_["train_loss"][0]
    assert model.history_["train_loss"][0] * len(extra) == pytest.approx(start * len(X), rel=1e-5)


TREE_CONTROLS = {
    "learning_rate": 0.37,
    "max_depth": 3,
    "subsample": 0.62,
    "colsample_bytree": 0.76,
    "min_child_weight": 12.5,
    "reg_lambda": 1.7,
    "max_bin": 17,
}


@pytest.mark.parametrize("name", TREE_CONTROLS)
def test_tree_controls_reach_xgboost(name):
    model = small(**{name: TREE_CONTROLS[name]}).fit(X, Y)
    config = json.loads(model.model_.boosters[0].save_config())["learner"]["gradient_booster"]["tree_train_param"]
    assert float(config[name]) == pytest.approx(TREE_CONTROLS[name])


@pytest.mark.parametrize("name", TREE_CONTROLS)
def test_tree_controls_change_the_model(fitted, name):
    assert (small(**{name: TREE_CONTROLS[name]}).fit(X, Y).predict(X) != fitted.predict(X)).any()


@pytest.mark.parametrize("method", ["hist", "exact", "approx"])
def test_tree_method_reaches_xgboost(method):
    model = small(tree_method=method).fit(X, Y)
    config = json.loads(model.model_.boosters[0].save_config())["learner"]["gradient_booster"]["gbtree_train_param"]
    assert config["tree_method"] == method
    assert model.score(X, Y) > 0.7


def test_a_tree_for_each_score_and_round():
    model = small(weibull_heads=2, heads={"exponential": 1}, n_estimators=7).fit(X, Y)
    n_scores = 2 * 2 + 2 + 1 + (1 + 4)
    assert model.n_estimators_ == model.model_.boosters[0].num_boosted_rounds() == 7
    assert len(model.model_.boosters[0].get_dump()) == 7 * n_scores


#: Parameters that choose what is trained, not where it runs or what it prints.
RUNNING = {"n_jobs", "device", "random_state", "verbose"}


def test_paper_settings_are_the_published_ones():
    found = FPBoost.paper().get_params()
    expected = {
        "heads_activation": "relu",
        "parameter_activation": "relu",
        "init": "random",
        "gradient_scaling": "max",
        "tree_method": "exact",
        "reg_lambda": 0.0,
        "min_child_weight": 1.0,
        "subsample": 1.0,
        "colsample_bytree": 1.0,
        "uniform_heads": False,
        "patience": None,
    }
    assert expected.items() <= found.items()
    assert FPBoost.paper(learning_rate=1.0, weibull_heads=16).get_params().items() >= {
        ("learning_rate", 1.0),
        ("weibull_heads", 16),
    }


def test_paper_settings_do_not_follow_the_defaults(monkeypatch):
    """As if a later version had another default for everything that matters to the model."""
    before = FPBoost.paper().get_params()
    changed = {name: value if name in RUNNING else "changed" for name, value in FPBoost().get_params().items()}
    function = FPBoost.__init__
    keyword_only = function.__kwdefaults__
    positional = [name for name in function.__code__.co_varnames[1:] if name in changed and name not in keyword_only]
    monkeypatch.setattr(function, "__defaults__", tuple(changed[name] for name in positional))
    monkeypatch.setattr(function, "__kwdefaults__", {name: changed[name] for name in keyword_only})
    assert FPBoost().init == "changed"
    assert FPBoost.paper().get_params() == before


def test_paper_takes_no_unknown_parameter():
    with pytest.raises(TypeError, match="weibul_heads"):
        FPBoost.paper(weibul_heads=1)


def test_paper_learns(fitted):
    assert FPBoost.paper(n_estimators=30, learning_rate=1.0, random_state=0).fit(X, Y).score(X, Y) > 0.7


def test_a_later_set_params_does_not_disturb_a_fitted_model(fitted):
    model = small(heads=None).fit(X, Y)
    before = model.predict(X)
    model.set_params(weibull_heads=7, heads_activation="tanh", parameter_activation="relu")
    np.testing.assert_array_equal(model.predict(X), before)
    assert len(model.predict_parameters(X[:1])) == 2


def test_fitting_again_forgets_the_first_fit():
    model = small().fit(X, Y, eval_set=(X, Y))
    assert "validation_loss" in model.history_
    again = model.set_params(n_estimators=3).fit(X[:80, :2], (EVENT[:80], TIME[:80]))
    assert again is model
    assert again.n_features_in_ == 2
    assert again.history_.keys() == {"train_loss"}
    expected = small(n_estimators=3).fit(X[:80, :2], (EVENT[:80], TIME[:80])).predict(X[:, :2])
    np.testing.assert_array_equal(again.predict(X[:, :2]), expected)


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_score_does_not_depend_on_the_unit_of_time(fitted, unit):
    event, time = Y
    again = small().fit(X, (event, time * unit))
    assert again.score(X, (event, time * unit)) == pytest.approx(fitted.score(X, Y), abs=0.002)
