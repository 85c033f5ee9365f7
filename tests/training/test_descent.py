"""Minima inside bounds, beside those of SciPy and of algebra."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, lsq_linear, minimize, rosen, rosen_der

from hazboost.training.descent import QuasiNewton, bounded_step, differences, positive, solve


def rosenbrock(point):
    return rosen(point), rosen_der(point)


@pytest.mark.parametrize("high", [2.0, 0.5])
def test_minimum_of_rosenbrock(high):
    low, high = np.full(4, -2.0), np.full(4, high)
    first = np.array([-1.2, 0.3, -0.5, 0.1])
    search = QuasiNewton(np.column_stack([low, high]), np.eye(4), tolerance=1e-14)
    found = search.minimise(rosenbrock, first)
    expected = minimize(rosen, np.clip(1.0, low, high), jac=rosen_der, method="L-BFGS-B", bounds=Bounds(low, high))
    np.testing.assert_allclose(found, expected.x, atol=1e-4)


def quadratic(seed, size=5):
    """A convex function of some unknowns, as a matrix and a vector."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size + 3, size)) * np.exp(rng.normal(size=size))
    return root.T @ root, rng.normal(size=size) * np.exp(rng.normal(size=size))


@given(st.integers(0, 10_000))
def test_step_is_the_minimum_of_the_quadratic_inside_the_bounds(seed):
    hessian, slope = quadratic(seed)
    lowest, highest = -np.random.default_rng(seed).random((2, 5)) * [[1.0], [-1.0]]
    step = bounded_step(hessian, slope, lowest, highest)
    root = np.linalg.cholesky(hessian).T  # |root d + root^-T slope|^2 / 2 is the quadratic plus a constant
    expected = lsq_linear(root, -np.linalg.solve(root.T, slope), (lowest, highest), method="bvls", tol=1e-14).x
    np.testing.assert_allclose(step, expected, atol=1e-6)


def test_unknown_with_equal_bounds_stays():
    hessian, slope = quadratic(1)
    low, high = np.full(5, -np.inf), np.full(5, np.inf)
    low[2] = high[2] = 0.7
    first = np.array([0.0, 0.0, 0.7, 0.0, 0.0])
    found = QuasiNewton(np.column_stack([low, high]), hessian.copy(), 1e-14).minimise(
        lambda at: (slope @ at + 0.5 * at @ hessian @ at, slope + hessian @ at), first
    )
    assert found[2] == 0.7
    others = [0, 1, 3, 4]
    np.testing.assert_allclose((slope + hessian @ found)[others], 0.0, atol=1e-6)


def test_known_curvature_saves_evaluations():
    """The minimum of a quadratic is one step away, and a path of penalties hardly more for each of them."""
    hessian, slope = quadratic(2)
    seen = []

    def function(at, ridge):
        seen.append(ridge)
        return slope @ at + 0.5 * at @ hessian @ at + 0.5 * ridge * at @ at, slope + hessian @ at + ridge * at

    everywhere = np.tile([-np.inf, np.inf], (5, 1))
    exact = differences(partial(function, ridge=0.0), np.zeros(5), slope, np.arange(5))
    np.testing.assert_allclose(exact, hessian, rtol=1e-8)
    search, at, before = QuasiNewton(everywhere, exact, 1e-10), np.zeros(5), 0.0
    for ridge in (100.0, 10.0, 1.0):
        search.hessian[np.diag_indices(5)] += ridge - before
        before = ridge
        at = search.minimise(partial(function, ridge=ridge), at)
        np.testing.assert_allclose(at, -np.linalg.solve(hessian + ridge * np.eye(5), slope), atol=1e-6)
        assert seen.count(ridge) == 2


def test_search_ends_at_a_minimum_although_it_begins_where_the_function_is_concave():
    def double_well(at):
        return float(np.sum(at**4 - at**2)), 4.0 * at**3 - 2.0 * at

    first = np.array([0.01, -0.02])
    concave = differences(double_well, first, double_well(first)[1], np.arange(2))
    assert np.linalg.eigvalsh(concave).max() < 0.0
    found = QuasiNewton(np.tile([-3.0, 3.0], (2, 1)), concave, 1e-14).minimise(double_well, first)
    np.testing.assert_allclose(found, [np.sqrt(0.5), -np.sqrt(0.5)], atol=1e-5)


def test_search_that_cannot_gain_stays():
    found = QuasiNewton(np.tile([-1.0, 1.0], (2, 1)), np.eye(2), 1e-9).minimise(
        lambda at: (0.0 if np.array_equal(at, [0.5, 0.5]) else np.nan, np.ones(2)), np.array([0.5, 0.5])
    )
    np.testing.assert_array_equal(found, [0.5, 0.5])


def test_curvatures_of_very_different_sizes():
    """Rounding makes the matrix of the second function look as if it had a negative curvature."""
    sizes = np.array([1e-12, 1.0, 1e8, 1e20])
    turned = np.linalg.qr(np.random.default_rng(4).normal(size=(4, 4)))[0]
    wide = (turned * sizes) @ turned.T
    for hessian in (np.diag(sizes), wide, np.full((4, 4), np.nan)):
        search = QuasiNewton(np.tile([-5.0, 5.0], (4, 1)), hessian.copy(), 1e-12)
        found = search.minimise(lambda at: (0.5 * at @ wide @ at, wide @ at), np.ones(4))
        assert found @ wide @ found <= np.ones(4) @ wide @ np.ones(4)


def test_positive_matrix_is_kept():
    hessian, _ = quadratic(3)
    np.testing.assert_allclose(positive(hessian), hessian, rtol=1e-10)
    assert np.linalg.eigvalsh(positive(-hessian)).min() > 0.0


def test_curvatures_that_are_not_positive_count_by_size():
    np.testing.assert_allclose(solve(np.diag([2.0, -4.0]), np.array([2.0, 4.0])), [1.0, 1.0])
