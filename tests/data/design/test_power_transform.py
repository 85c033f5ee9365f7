"""The power transform of skewed features, and the search for its power in all columns at once."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.preprocessing import PowerTransformer

from hazboost.data.design.entries import entries_of
from hazboost.data.design.power_transform import POWERS, PowerTransform, fit_power_transform, minimise_columns

#: Powers next to zero, down to the smallest number there is, are among the floats.
powers = st.floats(*POWERS) | st.sampled_from([0.0, 1.0, 2.0, 5e-324, -1e-310, 1e-18, 2.0 - 1e-16])


def straighten(column, unit, power):
    return PowerTransform(np.array([unit]), np.array([power]))(column[:, None])[:, 0]


@given(power=powers, unit=st.floats(1e-3, 1e3), factor=st.floats(1e-6, 1e6))
def test_straightening_rises_keeps_zero_and_missing_values_and_follows_the_unit(power, unit, factor):
    column = unit * np.r_[np.nan, np.linspace(-5.0, 5.0, 41)]
    straight = straighten(column, unit, power)
    assert np.isnan(straight[0])
    assert straight[21] == 0.0
    assert (np.diff(straight[1:]) > 0.0).all()
    np.testing.assert_allclose(straighten(column * factor, unit * factor, power), straight, rtol=1e-9, atol=1e-12)


@given(power=powers)
def test_straightening_has_slope_one_at_zero_on_both_sides(power):
    near = straighten(np.array([-2e-6, 2e-6]), 2.0, power)
    np.testing.assert_allclose(near, [-1e-6, 1e-6], rtol=1e-4)


@pytest.mark.parametrize("tiny", [0.0, 5e-324, 1e-310, -1e-300, 1e-17, -1e-15])
def test_powers_close_to_zero_are_logarithms(tiny):
    column = np.r_[0.0, np.logspace(-12, 12, 50)]
    np.testing.assert_allclose(straighten(column, 1.0, tiny), np.log1p(column), rtol=1e-12)
    np.testing.assert_allclose(straighten(-column, 1.0, 2.0 + tiny), -np.log1p(column), rtol=1e-12)


def skewed(n=300):
    """To the right, to the left, with both signs, with missing values, with many zeros, and mildly."""
    rng = np.random.default_rng(0)
    log_normal = rng.lognormal(size=(n, 6))
    X = log_normal * [1.0, -1e5, 1e-6, 1.0, 1.0, 1.0]
    X[:, 2] -= 3e-6
    X[rng.random(n) < 0.2, 3] = np.nan
    X[rng.random(n) < 0.7, 4] = 0.0
    X[:, 5] = rng.gamma(9.0, size=n)
    return X, rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("sparse", [False, True])
def test_powers_maximise_the_likelihood_of_a_normal_distribution(sparse):
    X, weight = skewed()
    learned = fit_power_transform(entries_of(scipy.sparse.csc_matrix(X) if sparse else X, weight))
    for position, column in enumerate(X.T):
        seen = ~np.isnan(column)
        values, share = column[seen], weight[seen] / weight[seen].sum()
        unit = share @ np.abs(values)

        def loss(power, values=values, share=share, unit=unit):
            straight = straighten(values, unit, power)
            jacobian = (power - 1.0) * (share @ (np.sign(values) * np.log1p(np.abs(values) / unit)))
            return 0.5 * np.log(share @ (straight - share @ straight) ** 2) - jacobian

        best = minimize_scalar(loss, bounds=POWERS, method="bounded", options={"xatol": 1e-9}).x
        assert learned.unit[position] == pytest.approx(unit, rel=1e-12)
        assert learned.power[position] == pytest.approx(best, abs=1e-6)


def test_power_is_that_of_scikit_learn_in_units_of_the_mean_size():
    column = np.random.default_rng(2).gamma(0.8, 30.0, 800)
    learned = fit_power_transform(entries_of(column[:, None], np.ones(800)))
    theirs = PowerTransformer(standardize=False).fit((column / column.mean())[:, None])
    assert learned.unit[0] == pytest.approx(column.mean())
    assert learned.power[0] == pytest.approx(theirs.lambdas_[0], abs=1e-5)
    np.testing.assert_allclose(
        straighten(column, column.mean(), theirs.lambdas_[0]),
        theirs.transform((column / column.mean())[:, None])[:, 0],
        rtol=1e-9,
    )


@given(st.lists(st.floats(-3.9, 5.9), max_size=5))
def test_minima_of_functions_are_found_all_at_the_same_time(minima):
    minima = np.array(minima)
    assert minimise_columns(lambda x: (x - minima) ** 2, len(minima), -4.0, 6.0) == pytest.approx(minima, abs=1e-9)
    # Not symmetric, so that the last parabola is not the function itself.
    curved = minimise_columns(lambda x: np.exp(x - minima) - (x - minima), len(minima), -4.0, 6.0)
    assert curved == pytest.approx(minima, abs=1e-6)


def test_minima_at_the_ends_and_of_constants_stay_in_the_range():
    slope = np.array([1.0, -1.0, 0.0])
    found = minimise_columns(lambda x: slope * x, 3, -4.0, 6.0)
    np.testing.assert_allclose(found[:2], [-4.0, 6.0], atol=1e-3)
    assert -4.0 <= found[2] <= 6.0
