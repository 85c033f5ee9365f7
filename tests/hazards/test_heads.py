"""Every head in the registry: its formulas agree with each other, with SciPy, and survive extreme values."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import erfcx

from hazboost.hazards.heads import HEADS, Evaluation, Head
from hazboost.hazards.heads.base import CURVATURE, GRADIENT, VALUE

heads = pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
ordinary = st.floats(-2.0, 2.0)
wide = st.floats(-8.0, 8.0)
log_times = st.floats(-12.0, 5.0)


def draw_parameters(data, head, values):
    return tuple(data.draw(values, label=f"log {one.name}") for one in head.parameters)


def log_cumulative(head, log_t, *log_parameters):
    return np.log(head.evaluate(log_t, *log_parameters).cumulative)


def assume_representable(head, log_t, *log_parameters):
    """Neither underflow nor the bound on exponents, where finite differences have nothing to say."""
    assume(1e-200 < head.evaluate(log_t, *log_parameters).cumulative < 250.0)


def step_for(log_t, *log_parameters):
    """A step that is small for the steepest of the drawn parameters."""
    return 1e-3 / (1.0 + np.exp(max(log_parameters)) * (1.0 + abs(log_t)))


def replaced(values, position, value):
    return (*values[:position], value, *values[position + 1 :])


@heads
@given(data=st.data())
def test_hazard_is_the_derivative_of_the_cumulative_hazard(head, data, differentiate):
    parameters, log_t = draw_parameters(data, head, wide), data.draw(log_times)
    assume_representable(head, log_t, *parameters)
    at, step = head.evaluate(log_t, *parameters), step_for(log_t, *parameters)
    slope = differentiate(lambda x: log_cumulative(head, x, *parameters), log_t, step)
    rounding = 1e-15 * (1.0 + abs(np.log(at.cumulative))) / step
    assert slope == pytest.approx(np.exp(at.log_hazard + log_t) / at.cumulative, rel=1e-5, abs=rounding)


@heads
@given(data=st.data())
def test_integrals_of_the_hazard_and_of_its_slopes_are_the_cumulative_ones(head, data):
    parameters, log_t = draw_parameters(data, head, ordinary), data.draw(st.floats(-4.0, 1.0))
    assume_representable(head, log_t, *parameters)
    at = head.evaluate(log_t, *parameters)
    depth = 1.0
    while head.evaluate(log_t - depth, *parameters).cumulative > 1e-13 * at.cumulative:
        depth *= 2.0

    def integral(factor):
        def integrand(x):
            inner = head.evaluate(x, *parameters)
            return np.exp(inner.log_hazard + x) / at.cumulative * factor(inner)

        panels = log_t - depth * np.array([1.0, 0.3, 0.1, 0.03, 0.0])
        return sum(
            integrate.quad(integrand, *ends, epsrel=1e-9, epsabs=1e-13)[0] for ends in itertools.pairwise(panels)
        )

    assert integral(lambda _: 1.0) == pytest.approx(1.0, rel=1e-7)
    for p, slope in enumerate(at.cumulative_slopes):
        expected = slope / at.cumulative
        assert integral(lambda inner, p=p: inner.log_hazard_slopes[p]) == pytest.approx(expected, rel=1e-5, abs=1e-11)


@heads
@given(data=st.data())
def test_slopes_are_those_of_finite_differences(head, data, differentiate):
    parameters, log_t = draw_parameters(data, head, wide), data.draw(log_times)
    assume_representable(head, log_t, *parameters)
    at, step = head.evaluate(log_t, *parameters), step_for(log_t, *parameters)
    for p, value in enumerate(parameters):
        log_hazard = differentiate(
            lambda x, p=p: head.evaluate(log_t, *replaced(parameters, p, x)).log_hazard, value, step
        )
        cumulative = differentiate(lambda x, p=p: log_cumulative(head, log_t, *replaced(parameters, p, x)), value, step)
        rounding = 1e-15 * (1.0 + abs(at.log_hazard) + abs(np.log(at.cumulative))) / step
        assert at.log_hazard_slopes[p] == pytest.approx(log_hazard, rel=1e-5, abs=rounding)
        assert at.cumulative_slopes[p] / at.cumulative == pytest.approx(cumulative, rel=1e-5, abs=rounding)


@heads
@given(data=st.data())
def test_cumulative_hazard_starts_at_zero_and_never_falls(head, data):
    parameters = draw_parameters(data, head, ordinary)
    cumulative = head.evaluate(np.linspace(-6_000.0, 600.0, 2001), *parameters).cumulative
    assert cumulative[0] < 1e-30
    assert (np.diff(cumulative) >= 0.0).all()


@pytest.mark.parametrize(
    "head", [one for one in HEADS.values() if one.cumulative_limit == np.inf], ids=lambda one: one.name
)
@given(data=st.data())
def test_a_cumulative_hazard_grows_for_the_smallest_weight(head, data):
    """Until it is much larger than one over the smallest weight; otherwise a weight of 1e-30 gives no event ever."""
    cumulative = head.evaluate(np.linspace(0.0, 690.0, 301), *draw_parameters(data, head, ordinary)).cumulative
    assert ((np.diff(cumulative) > 0.0) | (cumulative[1:] > 1e40)).all()


@pytest.mark.parametrize("z", [-3.0, 5.0, 99.9, 100.1, 299.0, 301.0, 1e5, 1e9, 1e32])
def test_a_log_normal_head_is_right_however_late_it_is(z):
    """With ``erfcx(x) = exp(x^2) erfc(x)`` nothing cancels."""
    ratio = erfcx(z / np.sqrt(2.0))
    hazard = np.sqrt(2.0 / np.pi) / ratio
    at = HEADS["lognormal"].evaluate(0.0, z, 0.0)
    assert at.cumulative == pytest.approx(0.5 * z * z - np.log(0.5 * ratio), rel=1e-13)
    assert at.log_hazard == pytest.approx(np.log(hazard), rel=1e-12)
    assert at.cumulative_slopes[0] == pytest.approx(hazard, rel=1e-10)
    rounding = 1e-13 * abs(z)
    assert at.log_hazard_slopes[0] == pytest.approx(hazard - z, rel=1e-7, abs=rounding)


@heads
@given(data=st.data())
def test_paths_rise_from_zero_at_least_as_fast_as_slopes_move(head, data):
    parameters = draw_parameters(data, head, wide)
    log_t = np.sort([-600.0, *data.draw(st.lists(st.floats(-30.0, 30.0), min_size=2, max_size=8), label="log t")])
    at = head.evaluate(log_t, *parameters)
    assert len(at.cumulative_paths) == len(head.parameters)
    for path, slope in zip(at.cumulative_paths, at.cumulative_slopes, strict=True):
        rise, rounding = np.diff(path), 1e-12 * path[1:] + np.finfo(float).tiny
        assert path[0] >= 0.0
        assert (rise >= -rounding).all()
        assert (np.abs(np.diff(slope)) <= rise + rounding).all()


@heads
def test_paths_start_at_zero_and_hold_in_small_steps(head):
    at = head.evaluate(np.linspace(-60.0, 3.0, 20_001), *np.array([0.3, -0.4, 0.2])[: len(head.parameters)])
    for path, slope in zip(at.cumulative_paths, at.cumulative_slopes, strict=True):
        assert path[0] < 1e-15
        assert (np.abs(slope) <= path * (1.0 + 1e-12)).all()
        assert (np.abs(np.diff(slope)) <= np.diff(path) + 1e-12 * path[1:] + np.finfo(float).tiny).all()


@heads
@given(data=st.data())
def test_change_of_time_unit_keeps_every_instant(head, data):
    parameters = draw_parameters(data, head, ordinary)
    log_t, log_unit = data.draw(st.floats(-5.0, 1.0)), data.draw(st.floats(-7.0, 7.0))
    before = head.evaluate(log_t, *parameters)
    after = head.evaluate(log_t + log_unit, *head.change_time_unit(log_unit, *parameters))
    assert after.cumulative == pytest.approx(before.cumulative, rel=1e-9, abs=0.0)
    assert after.log_hazard + log_unit == pytest.approx(before.log_hazard, rel=1e-9, abs=1e-9)


@heads
@given(data=st.data())
def test_the_scale_is_a_time(head, data):
    """It changes with the unit of time as every time does."""
    parameters, log_unit = draw_parameters(data, head, wide), data.draw(st.floats(-40.0, 40.0))
    moved = head.log_scale(*head.change_time_unit(log_unit, *parameters))
    rounding = 1e-12 * (1.0 + abs(log_unit) + abs(head.log_scale(*parameters)))
    assert moved == pytest.approx(head.log_scale(*parameters) + log_unit, rel=1e-9, abs=rounding)


@pytest.mark.parametrize("name", ["weibull", "exponential", "gompertz"])
@given(data=st.data())
def test_a_share_of_1_over_e_survives_the_scale(name, data):
    parameters = draw_parameters(data, HEADS[name], wide)
    at_scale = HEADS[name].cumulative(HEADS[name].log_scale(*parameters), *parameters)
    assert at_scale == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("name", ["loglogistic", "lognormal"])
@given(data=st.data())
def test_the_scale_is_the_median(name, data):
    parameters = draw_parameters(data, HEADS[name], wide)
    at_scale = HEADS[name].cumulative(HEADS[name].log_scale(*parameters), *parameters)
    assert at_scale == pytest.approx(np.log(2.0), rel=1e-9)


def test_a_family_need_not_state_a_scale():
    class Silent(Head):
        name = "silent"
        parameters = HEADS["exponential"].parameters
        evaluate = change_time_unit = lambda self, *arguments: arguments

    assert np.isnan(Silent().log_scale(np.zeros(3))).tolist() == [True] * 3


class Plateau:
    """The time of the first of a Poisson number of events, one on average, at times of the given distribution."""

    def __init__(self, times):
        self.times = times

    def sf(self, t):
        return np.exp(-self.times.cdf(t))

    def pdf(self, t):
        return self.sf(t) * self.times.pdf(t)


REFERENCES = {
    "weibull": lambda eta, k: stats.weibull_min(k, scale=eta ** (-1 / k)),
    "loglogistic": lambda eta, k: stats.fisk(k, scale=eta ** (-1 / k)),
    "exponential": lambda eta: stats.expon(scale=1 / eta),
    "gompertz": lambda eta, k: stats.gompertz(eta / k, scale=1 / k),
    "lognormal": lambda eta, k: stats.lognorm(1 / k, scale=eta ** (-1 / k)),
    "exponentiated_weibull": lambda eta, k, a: stats.exponweib(a, k, scale=eta ** (-1 / k)),
    "bounded": lambda eta, k: Plateau(stats.fisk(k, scale=eta ** (-1 / k))),
}


@heads
@given(data=st.data())
def test_survival_and_hazard_are_those_of_scipy(head, data):
    parameters = draw_parameters(data, head, ordinary)
    reference = REFERENCES[head.name](*np.exp(parameters))
    times = np.linspace(0.05, 2.0, 20)
    at = head.evaluate(np.log(times), *parameters)
    survival = np.exp(-at.cumulative)
    np.testing.assert_allclose(survival, reference.sf(times), rtol=1e-8, atol=1e-13)
    np.testing.assert_allclose(np.exp(at.log_hazard) * survival, reference.pdf(times), rtol=1e-8, atol=1e-12)


@heads
def test_everything_is_finite_for_extreme_values(head):
    extremes = np.array([-69.0, -40.0, -10.0, -1e-20, 0.0, 1e-20, 3.0, 10.0, 40.0, 69.0])
    times = np.array([-690.0, -300.0, -40.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 40.0, 300.0, 690.0])
    log_t, *parameters = np.meshgrid(times, *[extremes] * len(head.parameters), indexing="ij")
    with np.errstate(all="raise", under="ignore"):
        at = head.evaluate(log_t, *parameters)
        moved = head.change_time_unit(8.0, *parameters)
        scale = head.log_scale(*parameters)
    for values in (at.log_hazard, at.cumulative, *sum(at[2:], ()), *moved, scale):
        assert np.isfinite(values).all()
    assert (at.cumulative >= 0.0).all()
    assert (np.diff(at.cumulative, axis=0) >= 0.0).all()


@heads
def test_less_of_an_evaluation_is_the_same_bit_by_bit(head):
    """Without slopes, and without paths; a family may give more than was asked for, but no other numbers."""
    rng = np.random.default_rng(1)
    log_t = np.concatenate([rng.normal(scale=3.0, size=60), [-690.0, -40.0, 40.0, 690.0]])
    parameters = rng.normal(scale=2.0, size=(len(head.parameters), 5, len(log_t)))
    whole = head.evaluate(log_t, *parameters)
    np.testing.assert_array_equal(head.cumulative(log_t, *parameters), whole.cumulative)
    for order, needed in ((VALUE, 2), (GRADIENT, 4), (CURVATURE, 5)):
        part = head.evaluate(log_t, *parameters, order=order)
        for name, values, same in zip(Evaluation._fields, part, whole, strict=True):
            assert len(values) == len(same) or (not values and name not in Evaluation._fields[:needed])
            for one, other in zip(values, same, strict=False):
                np.testing.assert_array_equal(one, other, err_msg=name)


@heads
def test_arrays_broadcast(head):
    rng = np.random.default_rng(0)
    parameters = [rng.normal(size=(4, 1, 3)) for _ in head.parameters]
    log_t = rng.normal(size=(1, 5, 1))
    at = head.evaluate(log_t, *parameters)
    one = head.evaluate(log_t[0, 2, 0], *(values[1, 0, 2] for values in parameters))
    for values, value in zip(at[:2] + sum(at[2:], ()), one[:2] + sum(one[2:], ()), strict=True):
        assert np.broadcast_to(values, (4, 5, 3))[1, 2, 2] == pytest.approx(value, rel=1e-12)
    assert at.log_hazard.shape == at.cumulative.shape == (4, 5, 3)


def test_registry_names_its_members():
    assert {name: head.name for name, head in HEADS.items()} == {name: name for name in HEADS}
    assert len({type(head) for head in HEADS.values()}) == len(HEADS)
