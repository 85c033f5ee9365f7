"""Curves of single subjects: callables like scikit-survival's, but evaluated exactly at every time."""

import pickle

import numpy as np
import pytest
from sksurv.functions import StepFunction

from hazboost.hazards.distribution import Distribution
from hazboost.prediction.curves import Curve, make_curves

KINDS = ["survival", "cumulative_hazard", "hazard"]
kinds = pytest.mark.parametrize("kind", KINDS)
X = np.array([1.0, 2.0, 5.0])


@pytest.fixture
def distribution(make_mixture):
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "identity")
    return Distribution(mixture, np.random.default_rng(0).uniform(0.2, 1.0, size=(4, 6)), unit=5.0)


@kinds
def test_each_subject_has_its_own_curve(distribution, kind):
    curves = make_curves(kind, distribution, X)
    assert curves.shape == (4,)
    assert curves.dtype == object
    times = np.array([0.0, 0.3, 4.0, 90.0])
    expected = getattr(distribution, kind)(times)
    for row, curve in enumerate(curves):
        assert isinstance(curve, Curve)
        np.testing.assert_allclose(curve(times), expected[row], rtol=1e-12)


@kinds
def test_curve_has_the_attributes_of_a_step_function(distribution, kind):
    curve = make_curves(kind, distribution, X)[1]
    step = StepFunction(x=X, y=curve.y, domain=curve.domain)
    np.testing.assert_array_equal(curve.x, step.x)
    np.testing.assert_array_equal(curve.y, curve(X))
    np.testing.assert_array_equal(curve(X), step(X))
    assert curve.domain == step.domain == (0.0, np.inf)


@kinds
def test_scalar_in_scalar_out_and_shapes_are_kept(distribution, kind):
    curve = make_curves(kind, distribution, X)[0]
    assert type(curve(2.0)) is float
    assert type(curve(2)) is float
    assert curve([1.0, 2.0]).shape == (2,)
    assert curve([]).shape == (0,)
    matrix = np.array([[5.0, 1.0], [0.5, 2.0]])
    assert curve(matrix).shape == (2, 2)
    assert curve(matrix)[1, 0] == pytest.approx(curve(0.5), rel=1e-14)


def test_curve_is_exact_beyond_the_training_range(make_mixture):
    mixture = make_mixture({"weibull": 1}, "exp", "uniform")
    curve = make_curves("survival", Distribution(mixture, np.log([[0.7, 1.3]]), unit=5.0), X)[0]
    for time in (0.0, 0.01, 3.3, 5.0, 12.0, 40.0):
        assert curve(time) == pytest.approx(np.exp(-0.7 * (time / 5.0) ** 1.3), rel=1e-12)


@pytest.mark.parametrize("times", [-1.0, np.nan, np.inf, [1.0, -1e-9], [[0.0, np.nan]]])
def test_negative_and_infinite_times_are_refused(distribution, times):
    with pytest.raises(ValueError, match="times must be finite and non-negative; got"):
        make_curves("survival", distribution, X)[0](times)


@kinds
def test_curves_can_be_pickled(distribution, kind):
    curves = make_curves(kind, distribution, X)
    for before, after in zip(curves, pickle.loads(pickle.dumps(curves)), strict=True):
        np.testing.assert_array_equal(after(X), before(X))
        assert repr(after) == repr(before)


@kinds
def test_curves_can_be_pickled_after_they_were_called(distribution, kind):
    curve = make_curves(kind, distribution, X)[0]
    values = curve(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(curve))(X), values)


def test_repr_says_what_it_is(distribution):
    assert repr(make_curves("hazard", distribution, X)[0]) == "Curve('hazard', domain=(0.0, inf), x=array of 3 times)"
