"""Predictions: conditional on survival, with time-varying covariates, and for each cause."""

import pickle
import re

import numpy as np
import pytest
import scipy.sparse
from scipy.integrate import quad
from scipy.stats import rankdata
from sklearn.exceptions import UndefinedMetricWarning

from hazboost import FPBoost, Surv
from hazboost.hazards import distribution as distributions
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.metrics import concordance_index
from hazboost.prediction import model as models
from hazboost.prediction.model import parameter_columns
from hazboost.utils import blocks

RNG = np.random.default_rng(0)
N = 200
X = RNG.normal(size=(N, 3))
TIMES = np.linspace(0.0, 8.0, 30)


def fitted(n_causes=1, **parameters):
    time = 3.0 * RNG.weibull(1.4, N) * np.exp(-0.5 * X[:, 0])
    censoring = RNG.uniform(1.0, 8.0, N)
    cause = np.where(time <= censoring, RNG.integers(1, n_causes + 1, N), 0)
    y = Surv.right(cause, np.minimum(time, censoring))
    return FPBoost(**{"n_estimators": 10, "init": "marginal", "heads": None, "random_state": 0, **parameters}).fit(X, y)


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture(scope="module")
def competing():
    return fitted(3)


def test_survival_given_alive(model):
    plain = model.predict_survival_function(X[:5], times=TIMES)
    for alive in (2.0, np.array([0.0, 1.0, 2.5, 4.0, 20.0])):
        at = np.broadcast_to(alive, 5)
        given = model.predict_survival_function(X[:5], times=TIMES, alive_at=alive)
        there = np.array([curve(s) for curve, s in zip(model.predict_survival_function(X[:5]), at, strict=True)])
        np.testing.assert_allclose(given, np.where(at[:, None] <= TIMES, plain / there[:, None], 1.0), rtol=1e-9)
        hazard = model.predict_cumulative_hazard_function(X[:5], times=TIMES, alive_at=alive)
        np.testing.assert_allclose(np.exp(-hazard), given, rtol=1e-12)
        curves = model.predict_survival_function(X[:5], alive_at=alive)
        np.testing.assert_allclose([curve(TIMES) for curve in curves], given, rtol=1e-12)


def test_alive_at_zero_is_no_condition(model):
    np.testing.assert_allclose(
        model.predict_quantile(X, [0.1, 0.9], alive_at=0.0), model.predict_quantile(X, [0.1, 0.9])
    )
    np.testing.assert_allclose(model.predict_rmst(X, alive_at=0.0), model.predict_rmst(X), rtol=1e-9)


def test_quantiles_and_means_given_alive(model):
    alive = np.linspace(0.5, 5.0, 6)
    curves = model.predict_survival_function(X[:6], alive_at=alive)
    times = model.predict_quantile(X[:6], [0.0, 0.3, 0.8], alive_at=alive)
    np.testing.assert_allclose(times[:, 0], alive)
    np.testing.assert_allclose([curve(t) for curve, t in zip(curves, times, strict=True)], [[1.0, 0.7, 0.2]] * 6)
    np.testing.assert_array_equal(
        model.predict_median(X[:6], alive_at=alive), model.predict_quantile(X[:6], alive_at=alive)
    )
    by_hand = [s + quad(curve, s, 7.0, epsabs=1e-10)[0] for curve, s in zip(curves, alive, strict=True)]
    np.testing.assert_allclose(model.predict_rmst(X[:6], 7.0, alive_at=alive), by_hand, rtol=1e-6)
    np.testing.assert_allclose(model.predict_rmst(X[:6], 0.3, alive_at=alive), 0.3)
    assert (model.predict_mean(X[:6], alive_at=alive) >= model.predict_rmst(X[:6], 7.0, alive_at=alive)).all()


@pytest.mark.parametrize("alive_at", [-1.0, np.nan, np.ones(3), "late"])
def test_wrong_alive_at_is_refused(model, alive_at):
    with pytest.raises(ValueError, match="alive_at must be"):
        model.predict_survival_function(X[:2], alive_at=alive_at)


def test_constant_covariates_give_the_ordinary_survival_function(model):
    edges = np.array([0.0, 0.5, 2.0, 5.0])
    along = model.predict_survival_along(np.repeat(X[:1], 3, axis=0), edges[:-1], edges[1:], times=TIMES)
    np.testing.assert_allclose(along, model.predict_survival_function(X[:1], times=TIMES), rtol=1e-9)


def test_survival_along_changing_features(model):
    start, stop = np.array([3.0, 0.0, 1.0]), np.array([6.0, 2.0, 3.0])
    curves = model.predict_survival_along(X[:3], start, stop, ["a", "b", "a"])
    assert len(curves) == 2
    cumulative = model.predict_cumulative_hazard_function(X[:3])

    def rise(row, low, high):
        return cumulative[row](high) - cumulative[row](low)

    assert curves[0](0.5) == 1.0  # before the path begins
    assert curves[0](2.0) == pytest.approx(np.exp(-rise(2, 1.0, 2.0)))
    assert curves[0](5.0) == pytest.approx(np.exp(-rise(2, 1.0, 3.0) - rise(0, 3.0, 5.0)))
    assert curves[0](9.0) == pytest.approx(np.exp(-rise(2, 1.0, 3.0) - rise(0, 3.0, 9.0)))  # the last row goes on
    assert curves[1](4.0) == pytest.approx(np.exp(-rise(1, 0.0, 4.0)))
    np.testing.assert_array_equal(curves[0].x, model.unique_times_)
    values = model.predict_survival_along(X[:3], start, stop, ["a", "b", "a"], times=TIMES)
    np.testing.assert_allclose(values, [curve(TIMES) for curve in curves])


@pytest.mark.parametrize(
    ("start", "stop", "message"),
    [
        (
            [0.0, 2.0],
            [1.0, 3.0],
            "no gap; one row ends at 1.0 (row 0) and the next starts at 2.0 (row 1)",
        ),
        ([0.0, 0.5], [1.0, 3.0], "must not overlap; got (0.0, 1.0] (row 0) and (0.5, 3.0] (row 1)"),
        ([0.0, 3.0], [1.0, 3.0], "start must be before stop; got 3.0 and 3.0 (row 1)"),
        ([0.0], [1.0], "got 2 in X, 1 in start"),
    ],
)
def test_gaps_and_overlaps_of_rows_are_named(model, start, stop, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        model.predict_survival_along(X[:2], start, stop)


def test_incidence_of_a_single_cause_is_one_minus_survival(model):
    survival = model.predict_survival_function(X, times=TIMES)
    np.testing.assert_allclose(model.predict_cumulative_incidence_function(X, times=TIMES), 1.0 - survival, atol=1e-15)


@pytest.mark.parametrize("weight", ["softmax", "exp", "identity"])
@pytest.mark.parametrize("counts", [*({name: 1} for name in HEADS), dict.fromkeys(HEADS, 1)], ids=str)
def test_incidences_and_survival_sum_to_one(make_mixture, counts, weight):
    signed = weight == "identity"  # whose zeros take long to find
    counts, n = ({"weibull": 1, "loglogistic": 1}, 4) if signed and len(counts) > 1 else (counts, 15)
    mixture = make_mixture(counts, "exp", weight, 2 if signed else 3)
    scores = np.random.default_rng(3).normal(scale=1.2, size=(n, mixture.n_scores))
    distribution = Distribution(mixture, scores, 5.0)
    times = np.concatenate([[0.0, 1e-12, 1e-3], np.linspace(0.1, 9.0, 12), [50.0, 1e6]])
    for given in (distribution, distribution.given_alive_at(np.linspace(0.0, 4.0, n))):
        parts = [given.cumulative_incidence(times, cause) for cause in range(1, mixture.n_causes + 1)]
        np.testing.assert_allclose(sum(parts) + given.survival(times), 1.0, atol=1e-8)
        for part in parts:
            assert (np.diff(part, axis=1) >= -1e-9).all()
            assert (part[:, 0] == 0.0).all()


def test_incidence_is_the_integral(make_mixture):
    mixture = make_mixture({"weibull": 2, "loglogistic": 1}, "exp", "softmax", 2)
    rng = np.random.default_rng(4)
    distribution = Distribution(mixture, rng.normal(size=(6, mixture.n_scores)), 5.0)
    for row in range(6):
        one = distribution[row : row + 1]

        def density(x, one=one):
            time = np.array([np.exp(x)])
            return float(one.hazard(time, 2)[0, 0] * time[0] * one.survival(time)[0, 0])

        by_hand = quad(density, -200.0, np.log(4.0), limit=800, points=[-10.0, -3.0, 0.0], epsabs=1e-12)[0]
        assert one.cumulative_incidence(np.array([4.0]), 2)[0, 0] == pytest.approx(by_hand, abs=1e-8)


def test_incidences_by_hand_of_constant_hazards(make_mixture):
    mixture = make_mixture({"exponential": 1}, "exp", "uniform", 2)
    distribution = Distribution(mixture, np.log([[0.3, 0.9]]), 2.0)
    part = 0.25 * -np.expm1(-1.2 * TIMES / 2.0)
    np.testing.assert_allclose(distribution.cumulative_incidence(TIMES, 1)[0], part, atol=1e-10)
    lost = 0.25 * (8.0 - 2.0 / 1.2 * -np.expm1(-1.2 * 4.0))
    np.testing.assert_allclose(distribution.lost_time(8.0, 1), lost, rtol=1e-8)


def test_competing_predictions(competing):
    np.testing.assert_array_equal(competing.causes_, [1, 2, 3])
    whole = competing.predict_cumulative_incidence_function(X[:8], times=TIMES)
    assert whole.shape == (8, 3, 30)
    survival = competing.predict_survival_function(X[:8], times=TIMES)
    np.testing.assert_allclose(whole.sum(axis=1) + survival, 1.0, atol=1e-8)
    np.testing.assert_array_equal(
        competing.predict_cumulative_incidence_function(X[:8], times=TIMES, cause=2), whole[:, 1]
    )
    curves = competing.predict_cumulative_incidence_function(X[:8])
    assert curves.shape == (8, 3)
    np.testing.assert_allclose(curves[3, 1](TIMES), whole[3, 1], atol=1e-9)
    hazards = [competing.predict_hazard_function(X[:8], times=TIMES[1:], cause=cause) for cause in (1, 2, 3)]
    np.testing.assert_allclose(sum(hazards), competing.predict_hazard_function(X[:8], times=TIMES[1:]))
    lost = sum(competing.predict(X, cause=cause) for cause in (1, 2, 3))
    np.testing.assert_allclose(lost, competing.model_.horizon + competing.predict(X), rtol=1e-6)


def test_parameters_show_the_cause_of_each_head(model, competing):
    table = competing.predict_parameters(X[:2])
    assert list(table.columns) == ["subject", "cause", "head", "eta", "k", "scale", "w"]
    np.testing.assert_array_equal(table["cause"], [1, 1, 2, 2, 3, 3] * 2)
    levels = competing.model_.distribution(X[:2]).scores @ competing.model_.mixture.scales.T
    np.testing.assert_allclose(table.groupby(["subject", "cause"])["w"].sum(), np.exp(levels).ravel())
    assert "cause" not in model.predict_parameters(X[:2])
    shares = competing.head_contributions(X[:2], [1.0, 2.0])
    np.testing.assert_allclose(shares.groupby(["subject", "time"])["share"].sum(), 1.0)


@pytest.mark.parametrize("n_causes", [1, 3])
def test_no_times_give_empty_results(model, competing, n_causes):
    one = model if n_causes == 1 else competing
    for predict in (
        one.predict_survival_function,
        one.predict_cumulative_hazard_function,
        one.predict_hazard_function,
    ):
        assert predict(X[:5], times=[]).shape == (5, 0)
    incidence = one.predict_cumulative_incidence_function
    assert incidence(X[:5], times=[]).shape == ((5, 0) if n_causes == 1 else (5, n_causes, 0))
    for alive_at in (None, 2.0):
        assert incidence(X[:5], times=[], cause=1, alive_at=alive_at).shape == (5, 0)
    assert incidence(X[:5], cause=1)[0]([]).shape == (0,)
    shares = one.head_contributions(X[:5], [])
    assert len(shares) == 0
    assert list(shares.columns) == list(one.head_contributions(X[:5], [1.0]).columns)


#: H of a head of weight 1 at its scale: S = 1/e or 1/2, half of all of a bounded H, or F the power a of that of a
#: Weibull head.
AT_SCALE = {
    "weibull": 1.0,
    "exponential": 1.0,
    "gompertz": 1.0,
    "loglogistic": np.log(2.0),
    "lognormal": np.log(2.0),
    "bounded": 0.5,
}


@pytest.mark.parametrize("family", HEADS)
def test_the_scale_of_a_head_is_a_time_in_the_unit_of_the_user(make_mixture, family):
    """Whatever the unit; seconds and millions of years included, for which eta is beyond all understanding."""
    mixture = make_mixture({family: 2}, "exp", "uniform")
    scores = np.random.default_rng(10).normal(scale=1.5, size=(20, mixture.n_scores))
    years = parameter_columns(Distribution(mixture, scores, 5.0))
    assert np.isfinite(years["scale"]).all()
    for unit in (1e-6, 1.0, 12.0, 365.25, 86400.0 * 365.25):
        table = parameter_columns(Distribution(mixture, scores, 5.0 * unit))
        np.testing.assert_allclose(table["scale"], unit * years["scale"], rtol=1e-12)
        parameters = [table[parameter.name] for parameter in HEADS[family].parameters]
        expected = -np.log1p(-((1.0 - np.exp(-1.0)) ** parameters[2])) if len(parameters) == 3 else AT_SCALE[family]
        reached = HEADS[family].cumulative(np.log(table["scale"]), *map(np.log, parameters))
        np.testing.assert_allclose(reached, expected, rtol=1e-6)
        if family != "gompertz":
            k = parameters[1] if len(parameters) > 1 else 1.0
            np.testing.assert_allclose(table["scale"], parameters[0] ** (-1.0 / k), rtol=1e-9)


def test_the_scale_of_times_in_days_can_be_read():
    time = 2000.0 * np.random.default_rng(11).weibull(8.0, N)
    model = FPBoost(1, 0, init="marginal", n_estimators=1, random_state=0).fit(X, (np.ones(N, dtype=bool), time))
    table = model.predict_parameters(X)
    assert (table["eta"] < 1e-20).all()
    np.testing.assert_allclose(table["scale"], 2000.0, rtol=0.2)


def test_a_head_that_is_switched_off_has_no_scale(make_mixture):
    mixture = make_mixture({"weibull": 1}, "relu", "uniform")
    table = parameter_columns(Distribution(mixture, np.array([[1.0, 2.0], [-1.0, 2.0], [1.0, -2.0]]), 3.0))
    np.testing.assert_allclose(table["scale"], [3.0, np.nan, np.nan])


def test_score_of_a_cause(competing):
    rng = np.random.default_rng(5)
    event, time = rng.integers(0, 4, N), rng.uniform(0.1, 5.0, N)
    risk = np.log(competing.predict(X, cause=2))
    wins = pairs = 0.0
    for i in np.flatnonzero(event == 2):
        later = (time > time[i]) | ((event > 0) & (event != 2))
        pairs += later.sum()
        lead = risk[i] - risk[later]
        wins += (lead > 1e-8).sum() + 0.5 * (np.abs(lead) <= 1e-8).sum()
    assert competing.score(X, Surv.right(event, time), cause=2) == pytest.approx(wins / pairs)
    assert competing.score(X, (event > 0, time)) == competing.score(X, (event, time))


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # which is true
@pytest.mark.parametrize("risk_horizon", ["events", "longest"])
@pytest.mark.parametrize("longest", [1e6, 1e9, 1e12])
def test_one_very_long_follow_up_does_not_make_risks_tied(risk_horizon, longest):
    """Times are divided by the longest follow-up, and differences used to fall below the tolerance for ties."""
    rng = np.random.default_rng(7)
    time = rng.weibull(1.5, N) * np.exp(-X[:, 0])
    # Twenty rounds of all rows have few different trees, and subjects in the same leaves are rightly tied.
    settings = {"n_estimators": 20, "subsample": 0.5, "init": "marginal", "random_state": 0}
    settings["risk_horizon"] = risk_horizon
    plain = FPBoost(**settings).fit(X, (np.ones(N, dtype=bool), time))
    y = np.r_[np.ones(N, dtype=bool), False], np.r_[time, longest]
    model = FPBoost(**settings).fit(np.vstack([X, np.zeros(3)]), y)
    new = rng.normal(size=(N, 3))
    truth = np.ones(N, dtype=bool), rng.weibull(1.5, N) * np.exp(-new[:, 0])
    ranks = rankdata(model.predict(new))
    assert len(np.unique(ranks)) > 0.9 * N
    assert model.score(new, truth) == pytest.approx(concordance_index(truth, ranks), abs=1e-4)
    assert model.score(new, truth) > plain.score(new, truth) - 0.03


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")
def test_early_stopping_sees_the_ranking_in_spite_of_one_very_long_follow_up():
    rng = np.random.default_rng(8)
    time = rng.weibull(1.5, N) * np.exp(-X[:, 0])
    y = np.r_[np.ones(N, dtype=bool), False], np.r_[time, 1e10]
    model = FPBoost(n_estimators=20, init="marginal", random_state=0, patience=5, min_child_weight=0.0)
    history = model.fit(np.vstack([X, np.zeros(3)]), y).history_["validation_concordance"]
    assert max(history) > 0.7


@pytest.mark.parametrize("cause", [None, 2])
def test_weights_of_the_score_are_numbers_of_copies(competing, cause):
    rng = np.random.default_rng(9)
    y, weight = Surv.right(rng.integers(0, 4, N), rng.uniform(0.1, 5.0, N)), rng.integers(0, 4, N)
    rows = np.repeat(np.arange(N), weight)
    weighted = competing.score(X, y, cause, weight)
    assert weighted == pytest.approx(competing.score(X[rows], y[rows], cause), abs=1e-12)
    assert weighted != competing.score(X, y, cause)


@pytest.mark.parametrize("cause", [0, 4, 1.5, True])
def test_unknown_cause_is_refused(competing, cause):
    with pytest.raises(ValueError, match="cause must be one of those in the training data, 1, 2, 3"):
        competing.predict_cumulative_incidence_function(X[:2], cause=cause)


def test_score_needs_the_times_of_the_events(model):
    with pytest.raises(ValueError, match="rows 0, 1 are interval-censored; the metrics need exact event times"):
        model.score(X[:2], Surv.interval([0.0, 1.0], [1.0, 2.0]))


def test_score_does_not_depend_on_how_subjects_are_split_into_rows(model):
    rng = np.random.default_rng(6)
    event, time = rng.random(N) < 0.6, rng.uniform(0.1, 8.0, N)
    cut = time * rng.uniform(0.1, 0.9, N)
    start, stop, seen = np.r_[np.zeros(N), cut], np.r_[cut, time], np.r_[np.zeros(N), event]
    rows = np.tile(np.arange(N), 2)
    pieces = Surv.counting(start, stop, seen, id=rows)
    assert model.score(X[rows], pieces) == pytest.approx(model.score(X, (event, time)), abs=1e-12)


def test_undefined_score_is_nan_with_a_warning(model):
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        assert np.isnan(model.score(X[:2], (np.zeros(2, dtype=bool), np.array([1.0, 2.0]))))
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):  # one subject in two rows
        assert np.isnan(model.score(X[:2], Surv.counting([0.0, 1.0], [1.0, 2.0], [0, 1], id=[1, 1])))


def test_threads_may_be_changed_after_the_fit(model, competing, monkeypatch):
    """Predictions do not depend on them."""
    used = []

    def for_each_block(work, n, step, n_threads=1):
        used.append(n_threads)
        return blocks.for_each_block(work, n, step, n_threads)

    monkeypatch.setattr(distributions, "for_each_block", for_each_block)
    monkeypatch.setattr(distributions, "LARGEST_BLOCK", 32)
    for fitted_model in (model, competing):
        before = [fitted_model.predict(X), fitted_model.predict_median(X), fitted_model.predict(X, cause=1)]
        assert set(used) == {1}
        several = clone_fitted(fitted_model).set_params(n_jobs=3)
        after = [several.predict(X), several.predict_median(X), several.predict(X, cause=1)]
        np.testing.assert_array_equal(before, after)
        assert 3 in used
        used.clear()


def clone_fitted(estimator):
    return pickle.loads(pickle.dumps(estimator))


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_scores_of_blocks_are_those_of_all_rows(kind, monkeypatch):
    fitted_model = fitted(init="linear")
    whole = fitted_model.model_.scores(X)
    monkeypatch.setattr(models, "BLOCK", 7)
    np.testing.assert_allclose(fitted_model.model_.scores(X), whole, rtol=1e-6)
    table = kind(X)
    np.testing.assert_allclose(fitted_model.predict(table), fitted_model.predict(X), rtol=1e-12)
