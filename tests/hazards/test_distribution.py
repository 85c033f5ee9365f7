"""Predicted distributions: curves, quantiles and means, in the user's unit of time."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import beta, gamma, gammainc, log_ndtr

from hazboost.hazards import distribution as module
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS

weight_activations = pytest.mark.parametrize("weight", [*WEIGHT_ACTIVATIONS, "uniform"])
TIMES = np.array([0.0, 0.01, 0.2, 0.5, 0.9, 1.0, 2.0, 7.0])


@pytest.fixture
def mixed(make_mixture):
    """Distributions of seven subjects, all families, for any activation of the weights."""

    def make(weight, unit=1.0):
        mixture = make_mixture(dict.fromkeys(HEADS, 1), "softplus", weight)
        scores = np.random.default_rng(0).normal(size=(7, mixture.n_scores))
        return Distribution(mixture, scores, unit)

    return make


@pytest.fixture(scope="session")
def single(make_mixture):
    """One head with the given parameters and weight."""

    def make(name, *parameters, w=1.0, unit=1.0):
        mixture = make_mixture({name: 1}, "exp", "identity")
        return Distribution(mixture, np.array([[*np.log(parameters), w]]), unit)

    return make


def area_below(distribution, tau):
    """Integral of survival up to ``tau``: many small panels, even ones and ones that crowd towards zero."""
    ends = np.unique([0.0, *np.geomspace(1e-20, tau, 300), *np.linspace(0.0, tau, 300)])
    nodes, weights = np.polynomial.legendre.leggauss(10)
    half = 0.5 * np.diff(ends)[:, None]
    times = ends[:-1, None] + half * (nodes + 1.0)
    return (distribution.survival(times.ravel())[0] * (half * weights).ravel()).sum()


def careful_area_below(distribution, tau):
    """The same for any curve: panels in log-time are halved until S falls by next to nothing in each.

    S falls all the time, so this leaves no room for a step that is not seen.
    """
    edges = np.log(tau) + np.unique(np.r_[np.linspace(-650.0, 0.0, 200), np.log(np.linspace(0.01, 1.0, 100))])
    for _ in range(60):
        survival, width = distribution.survival(np.exp(edges))[0], np.diff(np.exp(edges))
        total = np.exp(edges[0]) + survival[1:] @ width
        coarse = (-np.diff(survival) * width > 3e-7 * total) | (survival[:-1] * width > 0.05 * total)
        if not coarse.any():
            break
        edges = np.sort(np.r_[edges, 0.5 * (edges[1:] + edges[:-1])[coarse]])
    nodes, weights = np.polynomial.legendre.leggauss(8)
    half = 0.5 * np.diff(edges)[:, None]
    times = np.exp(edges[:-1, None] + half * (nodes + 1.0))
    survival = distribution.survival(times.ravel())[0].reshape(times.shape)
    return np.exp(edges[0]) + (times * survival * half * weights).sum()


@weight_activations
def test_survival_cumulative_hazard_and_hazard_are_consistent(mixed, differentiate, weight):
    distribution = mixed(weight, unit=3.0)
    np.testing.assert_array_equal(distribution.survival(TIMES), np.exp(-distribution.cumulative_hazard(TIMES)))
    times = TIMES[1:]
    slope = differentiate(lambda x: distribution.cumulative_hazard(times + x), 0.0, step=1e-6)
    hazard = distribution.hazard(times)
    np.testing.assert_allclose(hazard, slope, rtol=1e-5, atol=1e-7)
    assert (hazard >= 0.0).all()


@weight_activations
def test_only_the_unit_of_time_changes(mixed, weight):
    scaled, days = mixed(weight), mixed(weight, unit=365.0)
    p = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(days.survival(365.0 * TIMES), scaled.survival(TIMES), rtol=1e-9)
    np.testing.assert_allclose(365.0 * days.hazard(365.0 * TIMES[1:]), scaled.hazard(TIMES[1:]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(days.shares(365.0 * TIMES[1:]), scaled.shares(TIMES[1:]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(days.quantile(p), 365.0 * scaled.quantile(p), rtol=1e-9)
    np.testing.assert_allclose(days.restricted_mean(365.0), 365.0 * scaled.restricted_mean(1.0), rtol=1e-9)
    np.testing.assert_allclose(days.mean(), 365.0 * scaled.mean(), rtol=1e-6)


@weight_activations
def test_own_times_for_each_subject(mixed, weight):
    distribution = mixed(weight)
    times = np.random.default_rng(1).uniform(0.0, 2.0, size=(7, 3))
    for name in ("survival", "cumulative_hazard", "hazard"):
        together = getattr(distribution, name)(times)
        for row in range(7):
            alone = getattr(distribution[row : row + 1], name)(times[row])
            np.testing.assert_allclose(together[[row]], alone, rtol=1e-12, atol=1e-15)


@weight_activations
def test_chunks_of_rows_change_nothing(mixed, monkeypatch, weight):
    distribution = mixed(weight)[:3]

    def everything():
        return [
            *(getattr(distribution, name)(TIMES) for name in ("survival", "hazard", "shares")),
            distribution.restricted_mean(1.5),
        ]

    whole = everything()
    monkeypatch.setattr(module, "BLOCK", 1)
    for before, after in zip(whole, everything(), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("n_causes", [1, 2])
def test_threads_change_nothing(make_mixture, monkeypatch, n_causes):
    monkeypatch.setattr(module, "LARGEST_BLOCK", 16)
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "softplus", "exp", n_causes)
    scores = np.random.default_rng(0).normal(size=(100, mixture.n_scores))
    alive, times = np.linspace(0.0, 1.0, 100), np.linspace(0.0, 2.0, 5)

    def everything(n_threads):
        distribution = Distribution(mixture, scores, 2.0, n_threads=n_threads)
        for one in (distribution, distribution.given_alive_at(alive)):
            yield from (one.survival(times), one.hazard(times, 1), one.cumulative_incidence(times, 1), one.mean())
            yield from (one.quantile(np.array([0.2, 0.5])), one.restricted_mean(1.5), one.lost_time(1.5, 1))
        yield distribution.shares(times)

    for one, several in zip(everything(1), everything(3), strict=True):
        np.testing.assert_array_equal(one, several)
        assert len(one) == 100


def test_curves_of_many_subjects_need_little_more_memory_than_the_result(make_mixture):
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "exp")
    distribution = Distribution(mixture, np.random.default_rng(0).normal(size=(20_000, mixture.n_scores)))
    times = np.linspace(0.0, 1.0, 100)
    for function in (distribution.survival, distribution.cumulative_hazard, distribution.hazard):
        tracemalloc.start()
        result = function(times)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= 1.3 * result.nbytes + 8 * 10 * module.BLOCK  # some arrays of the size of a block


@weight_activations
def test_shares_sum_to_one_where_no_weight_is_negative(mixed, weight):
    distribution = mixed(weight)
    parameters = distribution.mixture.parameters(distribution.scores.T)
    positive, active = (parameters.weight >= 0.0).all(axis=0), parameters.weight.any(axis=0)
    shares = distribution.shares(TIMES[1:])
    assert shares.shape == (7, 7, len(HEADS))
    assert (positive & active).any() or weight in ("tanh", "identity")
    np.testing.assert_allclose(shares.sum(axis=-1)[positive & active], 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.abs(shares).sum(axis=-1), np.repeat(active[:, None], 7, axis=1), rtol=1e-12)


def test_no_subject_gives_empty_results(mixed):
    nobody = mixed("relu")[:0]
    assert len(nobody) == 0
    assert nobody.survival(TIMES).shape == (0, len(TIMES))
    assert nobody.quantile(np.array([0.5])).shape == (0, 1)
    assert nobody.restricted_mean(1.0).shape == nobody.mean().shape == (0,)


@pytest.mark.parametrize("name", HEADS)
@settings(max_examples=25)
@given(data=st.data())
def test_quantile_inverts_survival(single, name, data):
    parameters = [np.exp(data.draw(st.floats(-2.0, 2.0))) for _ in HEADS[name].parameters]
    p, unit = data.draw(st.floats(1e-3, 0.999)), data.draw(st.sampled_from([1.0, 365.0]))
    w = data.draw(st.floats(0.1, 3.0))
    distribution = single(name, *parameters, w=w, unit=unit)
    quantile = distribution.quantile(np.array([p]))
    if 1.0 - p > np.exp(-w * HEADS[name].cumulative_limit):
        assert distribution.survival(quantile)[0, 0] == pytest.approx(1.0 - p, rel=1e-9)
    else:
        assert quantile[0, 0] == np.inf


@weight_activations
def test_quantiles_of_mixtures_invert_survival_and_never_fall(mixed, weight):
    p = np.array([0.0, 0.01, 0.3, 0.5, 0.8, 1.0])
    quantile = mixed(weight).quantile(p)
    assert (quantile[:, 0] == 0.0).all()
    assert (quantile[:, -1] == np.inf).all()
    assert (quantile[:, 1:] >= quantile[:, :-1]).all()
    reached = np.isfinite(quantile[:, 1:-1])
    survival = mixed(weight).survival(np.where(reached, quantile[:, 1:-1], 1.0))
    np.testing.assert_allclose(survival[reached], np.broadcast_to(1.0 - p[1:-1], reached.shape)[reached], rtol=1e-9)
    plateau = mixed(weight).survival(np.array([1e250]))
    assert (plateau > 1.0 - p[1:-1])[~reached].all()


@pytest.mark.parametrize("k", [0.3, 1.0, 4.0, 50.0])
def test_median_and_mean_of_a_weibull(single, k):
    eta, unit = 2.5, 10.0
    distribution = single("weibull", eta, k, unit=unit)
    scale = unit * eta ** (-1.0 / k)
    assert distribution.quantile(np.array([0.5]))[0, 0] == pytest.approx(scale * np.log(2.0) ** (1.0 / k), rel=1e-10)
    assert distribution.mean()[0] == pytest.approx(scale * gamma(1.0 + 1.0 / k), rel=1e-6 if k < 10.0 else 1e-3)


@pytest.mark.parametrize("k", [1.05, 1.5, 3.0, 50.0])
def test_mean_of_a_log_logistic(single, k):
    eta, unit = 0.7, 5.0
    expected = unit * eta ** (-1.0 / k) * np.pi / k / np.sin(np.pi / k)
    assert single("loglogistic", eta, k, unit=unit).mean()[0] == pytest.approx(expected, rel=1e-6 if k < 10.0 else 1e-3)


@pytest.mark.parametrize(("w", "k"), [(3.0, 0.5), (0.5, 4.0), (0.1, 20.0), (0.01, 200.0)])
def test_mean_of_a_weighted_log_logistic(single, w, k):
    """``S(t) = (1 + t^k)^-w``: for small weights and steep shapes all but a broken line."""
    expected = beta(1.0 / k, w - 1.0 / k) / k
    assert single("loglogistic", 1.0, k, w=w).mean()[0] == pytest.approx(expected, rel=1e-6 if k < 10.0 else 1e-3)


@pytest.mark.parametrize(("w", "k"), [(1.0, 1.0), (0.5, 2.0), (0.25, 4.0), (0.1, 10.0), (1.0, 0.5), (0.3, 2.0)])
@pytest.mark.parametrize("eta", [0.01, 0.3, 1.0, 7.0])
def test_mean_of_a_heavy_tail_is_infinite(single, eta, w, k):
    distribution = single("loglogistic", eta, k, w=w)
    assert distribution.mean()[0] == np.inf
    assert 0.0 < distribution.restricted_mean(1.0)[0] < 1.0


@pytest.mark.parametrize("w", [0.2, 5.0, 50.0, 400.0])
def test_a_bounded_cumulative_hazard_leaves_a_share_without_event(single, w):
    """The mean is infinite however small the share is, but the median need not be."""
    distribution = single("bounded", 2.0, 1.5, w=w, unit=10.0)
    assert distribution.survival(np.array([1e200]))[0, 0] == pytest.approx(np.exp(-w), rel=1e-9)
    assert distribution.mean()[0] == np.inf
    share = np.log(2.0) / w  # of all hazard before the median
    median = np.inf if share > 1.0 else 10.0 * (share / (1.0 - share) / 2.0) ** (1.0 / 1.5)
    assert distribution.quantile(np.array([0.5]))[0, 0] == pytest.approx(median, rel=1e-9)


@pytest.mark.parametrize(("k", "finite"), [(0.9, False), (3.0, True)])
def test_the_tail_of_the_mean_is_that_of_the_head_that_lasts(make_mixture, k, finite):
    """Survival behind a burst of risk that leaves exp(-60) falls as ``t^-k``."""
    scores = np.array([[0.0, np.log(k), 0.0, np.log(8.0), 1.0, 60.0]])
    mean = Distribution(make_mixture({"loglogistic": 1, "bounded": 1}, "exp", "relu"), scores).mean()
    assert np.isfinite(mean) == finite


@pytest.mark.parametrize("sigma", [0.1, 1.0, 3.0, 5.0])
def test_mean_of_a_log_normal(single, sigma):
    distribution = single("lognormal", np.exp(0.3 / sigma), 1.0 / sigma)
    assert distribution.mean()[0] == pytest.approx(np.exp(-0.3 + sigma**2 / 2.0), rel=1e-5)


def test_mean_of_constant_hazards(single, make_mixture):
    assert single("exponential", 0.2, unit=7.0).mean()[0] == pytest.approx(35.0, rel=1e-6)
    dead = Distribution(make_mixture({"weibull": 1}, "relu", "relu", background=0.01), -np.ones((1, 3)), 7.0)
    assert dead.mean()[0] == pytest.approx(700.0, rel=1e-6)


@pytest.mark.parametrize("name", HEADS)
@given(data=st.data())
def test_restricted_mean_is_the_integral_of_survival(single, name, data):
    parameters = [np.exp(data.draw(st.floats(-1.5, 1.5))) for _ in HEADS[name].parameters]
    tau = data.draw(st.floats(0.05, 20.0))
    distribution = single(name, *parameters, unit=2.0)
    assert distribution.restricted_mean(tau)[0] == pytest.approx(area_below(distribution, tau), rel=1e-6)


@pytest.mark.parametrize("k", [50.0, 1e3, 1e6])
def test_restricted_mean_of_a_steep_curve(single, k):
    """All die close to ``t = 1``."""
    distribution = single("weibull", 1.0, k)
    assert distribution.restricted_mean(0.5)[0] == pytest.approx(0.5, rel=1e-8)
    assert distribution.restricted_mean(2.0)[0] == pytest.approx(gamma(1.0 + 1.0 / k), rel=1e-8)


@pytest.mark.parametrize("k", [0.05, 0.1])
def test_restricted_mean_of_a_flat_curve(single, k):
    expected = integrate.quad(lambda x: np.exp(x - np.exp(k * x)), -60.0, 0.0, epsrel=1e-11)[0]
    assert single("weibull", 1.0, k).restricted_mean(1.0)[0] == pytest.approx(expected, rel=1e-8)


@weight_activations
def test_restricted_mean_rises_with_its_limit_to_the_mean(mixed, weight):
    distribution = mixed(weight)
    means = np.stack([distribution.restricted_mean(tau) for tau in (1e-12, 0.1, 0.5, 1.0, 5.0, 50.0)])
    assert ((means[0] > 0.5e-12) & (means[0] <= 1.000001e-12)).all()
    assert (np.diff(means, axis=0) >= -1e-6).all()
    mean = distribution.mean()
    assert (means <= mean * (1.0 + 1e-6)).all()
    finite = np.isfinite(mean)
    np.testing.assert_allclose(distribution.restricted_mean(1e200)[finite], mean[finite], rtol=1e-5)


@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@weight_activations
def test_nothing_is_nan_for_extreme_scores(make_mixture, parameter, weight):
    mixture = make_mixture(dict.fromkeys(HEADS, 1), parameter, weight)
    extremes = np.array([-1e30, -1e3, -1.0, -1e-40, 0.0, 1e-40, 1.0, 1e3, 1e30])
    scores = np.random.default_rng(3).choice(extremes, size=(30, mixture.n_scores))
    distribution = Distribution(mixture, scores, unit=1e3)
    times = np.array([0.0, 1e-300, 1e-9, 0.5, 1e3, 1e6, 1e300])
    with np.errstate(all="raise", under="ignore"):
        survival = distribution.survival(times)
        values = [
            distribution.hazard(times),
            distribution.shares(times),
            distribution.quantile(np.array([0.0, 0.1, 0.5, 1.0])),
            distribution.restricted_mean(1e3),
            distribution.mean(),
        ]
    assert (survival[:, 0] == 1.0).all()
    assert ((survival >= 0.0) & (survival <= 1.0)).all()
    assert (np.diff(survival, axis=1) <= 0.0).all()
    assert not any(np.isnan(value).any() for value in values)
    assert (values[3] <= 1e3 * (1.0 + 1e-6)).all()


def restricted_mean_by_hand(name, eta, k, tau):
    """Closed forms, from their logarithms or ratios where a factor is too large."""
    if name == "weibull":
        return eta ** (-1.0 / k) * gamma(1.0 + 1.0 / k) * gammainc(1.0 / k, eta * tau**k)
    if name == "lognormal":
        mu, sigma = -np.log(eta) / k, 1.0 / k
        z = (np.log(tau) - mu) / sigma
        return np.exp(np.log(tau) + log_ndtr(-z)) + np.exp(mu + sigma**2 / 2.0 + log_ndtr(z - sigma))
    # The integral of 1 / (1 + eta t^k) for k = 1 / m: polynomial division after substituting u = eta t^k.
    m, u = round(1.0 / k), eta * tau**k
    return m * eta**-m * (sum((-1.0) ** (m - 1 - i) * u**i / i for i in range(1, m)) + (-1.0) ** (m - 1) * np.log1p(u))


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e12])
@pytest.mark.parametrize("tau", [1e12, 1e22, 1e40, 1e150])
@pytest.mark.parametrize(
    ("name", "k"), [("loglogistic", 1.0), ("loglogistic", 0.5), ("lognormal", 0.1), ("weibull", 0.05), ("weibull", 1.0)]
)
def test_restricted_mean_of_a_heavy_tail(single, name, k, tau, unit):
    """However few are left, a tail that falls more slowly than 1 / t has most of the mass."""
    expected = unit * restricted_mean_by_hand(name, 1.3, k, tau)
    assert single(name, 1.3, k, unit=unit).restricted_mean(unit * tau)[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("sigma", [8.0, 10.0, 20.0])
def test_mean_of_a_very_wide_log_normal(single, sigma):
    """Finite, although S falls more slowly than 1 / t until H = 45."""
    mean = single("lognormal", 1.0, 1.0 / sigma).mean()[0]
    assert mean == pytest.approx(np.exp(sigma**2 / 2.0), rel=1e-8)


@pytest.mark.parametrize("w", [1e-3, 5e-4, 2e-4])
def test_mean_of_a_log_normal_of_small_weight(single, w):
    """S begins to fall only where H of the head alone is thousands."""

    def log_integrand(x):
        return x + w * log_ndtr(-3.5 * x)

    x = np.linspace(-30.0, 690.0, 200_001)
    peak = log_integrand(x).max()
    expected = peak + np.log(np.exp(log_integrand(x) - peak).sum() * (x[1] - x[0]))
    assert np.log(single("lognormal", 1.0, 3.5, w=w).mean()[0]) == pytest.approx(expected, rel=1e-8)


def test_a_heavy_tail_that_ends_late(make_mixture):
    """Until a constant hazard ends all, at a time of about 1e30, S is about t^(-1/2)."""
    mixture = make_mixture({"loglogistic": 1, "exponential": 1}, "exp", "uniform")
    distribution = Distribution(mixture, np.log([[1.0, 1.0, 2e-30]]))  # weights are one half, so H is half of the sum

    def integrand(x):
        return np.exp(x - 0.5 * np.logaddexp(0.0, x) - 1e-30 * np.exp(x))

    pieces = itertools.pairwise([-40.0, 0.0, 30.0, 60.0, 68.0, 69.0, 70.0, 73.0])
    expected = sum(integrate.quad(integrand, *ends, epsrel=1e-10)[0] for ends in pieces)
    assert distribution.mean()[0] == pytest.approx(expected, rel=1e-8)
    assert distribution.restricted_mean(1e100)[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("unit", [1e-290, 1e-12, 1e-3, 1.0, 4e8, 1e12, 1e150, 1e300])
def test_no_unit_of_time_overflows(make_mixture, unit):
    """Quantiles that are never reached, and times beyond the largest number, are infinite."""
    signed = make_mixture({"loglogistic": 1, "exponential": 1}, "exp", "identity")
    # h = 0.5 / (1 + t) - 0.3 until it is clipped at t = 2 / 3; S stays above 0.9.
    plateau = Distribution(signed, np.array([[0.0, 0.0, 0.0, 0.5, -0.3]]), unit)
    flat = Distribution(make_mixture({"weibull": 1}, "exp", "uniform"), np.array([[-5.0, -5.0]]), unit)
    p = np.array([0.0, 0.1, 0.5, 0.99, 1.0])
    with np.errstate(all="raise", under="ignore"):
        for distribution in (plateau, flat):
            quantile, mean = distribution.quantile(p), distribution.mean()
            restricted = distribution.restricted_mean(unit)
            assert not np.isnan(quantile).any()
            assert (quantile[:, 0] == 0.0).all()
            assert (quantile[:, -1] == np.inf).all()
            assert (quantile[:, 1:] >= quantile[:, :-1]).all()
            assert (mean >= 0.0).all()
            assert (restricted <= unit * (1.0 + 1e-6)).all()
    assert (plateau.quantile(p[1:]) == np.inf).all()
    assert plateau.restricted_mean(unit)[0] > 0.9 * unit


@pytest.mark.parametrize("hazard", [1e-14, 1e-9, 1e-3])
def test_lost_time_is_accurate_where_events_are_rare(single, hazard):
    expected = 7.0 * (hazard / 2.0 - hazard**2 / 6.0 + hazard**3 / 24.0)
    assert single("exponential", hazard, unit=7.0).lost_time(7.0, 1)[0] == pytest.approx(expected, rel=1e-8, abs=0.0)


@pytest.mark.parametrize("k", [1e-3, 0.01, 0.1, 1.0])
def test_times_lost_to_the_causes_sum_to_the_time_lost(make_mixture, k):
    """Also with a shape so small that a part of the events comes before any time that can be told from zero."""
    mixture = make_mixture({"weibull": 1}, "exp", "uniform", n_causes=2)
    logs = np.log([[0.6, k, 0.2, 2.0 * k]])
    distribution = Distribution(mixture, logs, 3.0)
    lost = sum(distribution.lost_time(2.0, cause) for cause in (1, 2))
    np.testing.assert_allclose(lost, 2.0 - distribution.restricted_mean(2.0), rtol=1e-7)


def test_a_hazard_at_its_bound_does_not_overflow_in_a_small_unit(single):
    hazard = single("gompertz", 1.0, 5.0, unit=1e-12).hazard(np.array([1e-10, 1e-8, 1.0]))
    assert np.isfinite(hazard).all()
    assert (np.diff(hazard) >= 0.0).all()


@pytest.mark.parametrize("families", [("weibull", "loglogistic"), tuple(HEADS)], ids=["two families", "all families"])
@pytest.mark.parametrize("parameter", ["exp", "softplus"])
@weight_activations
def test_restricted_mean_is_the_area_below_any_curve(make_mixture, weight, parameter, families):
    """From smooth curves to steps, early and late, several in succession, and clipped hazards."""
    mixture = make_mixture(dict.fromkeys(families, 1), parameter, weight)
    rng = np.random.default_rng(len(weight))
    scores = rng.normal(size=(6, mixture.n_scores)) * np.array([[0.5], [1.0], [2.0], [3.0], [4.0], [6.0]])
    distribution = Distribution(mixture, scores)
    areas = np.array([careful_area_below(distribution[row : row + 1], 0.7) for row in range(6)])
    np.testing.assert_allclose(distribution.restricted_mean(0.7), areas, rtol=1e-6, atol=1e-280)


@given(log_eta=st.floats(-8.0, 8.0), log_k=st.floats(-3.0, 10.0), log_tau=st.floats(-3.0, 3.0))
def test_restricted_mean_of_any_weibull(single, log_eta, log_k, log_tau):
    eta, k, tau = np.exp([log_eta, log_k, log_tau])
    z = log_eta + k * log_tau
    # The incomplete gamma function of a small argument is z^a / gamma(a + 1), and the mean is then tau.
    expected = tau if z < -30.0 else eta ** (-1.0 / k) * gamma(1.0 + 1.0 / k) * gammainc(1.0 / k, np.exp(min(z, 99.0)))
    assert single("weibull", eta, k).restricted_mean(tau)[0] == pytest.approx(expected, rel=2e-8)


def test_means_and_quantiles_stay_as_they_were(make_mixture):
    """Computed with 20 panels of 8 nodes, and with 60 bisections."""
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "softplus", "exp")
    distribution = Distribution(mixture, np.random.default_rng(5).normal(size=(4, 6)), 3.0)
    restricted = [0.7251393224207161, 1.3256225973715103, 1.6291586181195163, 1.504992589999003]
    given_alive = [1.727690774182116, 1.832888297747913, 1.9179557967958463, 1.8634906858339333]
    median = [0.2360565167747953, 2.288776700913326, 4.017921657243492, 3.9608305465850346]
    mean = [3.391650799088036, 10.455117091761412, 4.396012478404465, 15.226212492132426]
    np.testing.assert_allclose(distribution.restricted_mean(2.0), restricted, rtol=1e-9)
    np.testing.assert_allclose(
        distribution.given_alive_at(np.full(4, 0.7)).restricted_mean(2.0), given_alive, rtol=1e-9
    )
    np.testing.assert_allclose(distribution.quantile(np.array([0.5]))[:, 0], median, rtol=1e-12)
    np.testing.assert_allclose(distribution.mean(), mean, rtol=1e-9)


@pytest.fixture
def evaluations(monkeypatch):
    """Counts evaluations of the cumulative hazard, in rows times log-times."""
    counted, original = [], module.cumulative_hazard_of

    def cumulative_hazard(mixture, parameters, log_t):
        counted.append(log_t.size)
        return original(mixture, parameters, log_t)

    monkeypatch.setattr(module, "cumulative_hazard_of", cumulative_hazard)
    return counted


@pytest.mark.parametrize(
    ("predict", "most"),
    [
        pytest.param(lambda one: one.restricted_mean(0.8), 45, id="restricted mean"),
        pytest.param(lambda one: one.quantile(np.array([0.5])), 12, id="median"),
        pytest.param(lambda one: one.quantile(np.array([0.01])), 12, id="early quantile"),
        pytest.param(
            lambda one: one.given_alive_at(np.full(1000, 0.5)).quantile(np.array([0.5])), 13, id="given alive"
        ),
    ],
)
def test_usual_curves_take_few_evaluations(make_mixture, evaluations, predict, most):
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "softmax")
    scores = np.random.default_rng(0).normal(size=(1000, 6)) * [1.0, 0.4, 1.0, 0.4, 1.0, 1.0]
    predict(Distribution(mixture, scores))
    assert sum(evaluations) <= most * 1000


@weight_activations
def test_quantiles_are_as_precise_as_bisections(mixed, weight):
    distribution, p = mixed(weight, unit=5.0), np.array([0.001, 0.2, 0.5, 0.99])
    level = -np.log1p(-p)
    low, high = np.full((7, 4), -650.0), np.full((7, 4), 650.0)
    for _ in range(62):
        middle = 0.5 * (low + high)
        before = distribution.cumulative_hazard(np.exp(middle)) < level
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    reached = high < 649.0
    found = distribution.quantile(p)
    np.testing.assert_allclose(found[reached], np.exp(high[reached]), rtol=1e-12)
    np.testing.assert_array_equal(np.isinf(found), ~reached)


@pytest.mark.parametrize("weight", ["tanh", "identity"])
def test_a_clipped_hazard_does_not_depend_on_the_other_times(mixed, weight):
    """At late times, terms of both signs are so large that their difference is lost; H must not fall for that."""
    distribution, times = mixed(weight), np.geomspace(1e-3, 1e200, 12)
    together = distribution.cumulative_hazard(times)
    alone = np.column_stack([distribution.cumulative_hazard(times[[i]])[:, 0] for i in range(12)])
    np.testing.assert_allclose(np.minimum(alone, 50.0), np.minimum(together, 50.0), rtol=1e-9)


def test_one_thread_works_on_a_device(monkeypatch, make_mixture):
    """Each of several would have a block of its own in the device's memory, and all would wait for the same device."""
    used = []
    original = module.for_each_block

    def watched(work, n, step, n_threads=1):
        used.append(n_threads)
        original(work, n, step, n_threads)

    monkeypatch.setattr(module, "for_each_block", watched)
    monkeypatch.setattr(module, "BLOCK_ON_DEVICE", module.BLOCK)
    mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax")
    many = Distribution(mixture, np.zeros((20_000, mixture.n_scores)), n_threads=4)
    for there in (False, True):
        monkeypatch.setattr(module, "is_on_device", lambda _, there=there: there)
        many.survival(np.linspace(0.1, 1.0, 20))
    assert used == [4, 1]
