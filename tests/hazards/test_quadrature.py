"""Integrals of many functions at once: against closed forms, kinks and noise."""

import numpy as np
import pytest

from hazboost.hazards.quadrature import integrate

AT = np.array([[-1.0, 0.0, 0.3, 1.7, 2.0, 9.0]])


def test_powers_and_waves_against_closed_forms():
    power = np.array([0.5, 3.0, 40.0])
    edges = np.repeat([[0.0, 1.0, 2.0]], 3, axis=0)
    at = np.repeat(AT, 3, axis=0)
    got = integrate(lambda rows, x: (np.cos(power[rows, None] * x), x), edges, at, np.full(3, 1e-12))
    np.testing.assert_allclose(got, np.sin(power[:, None] * np.clip(at, 0.0, 2.0)) / power[:, None], atol=1e-11)


def test_the_measure_is_what_is_integrated_against():
    got = integrate(lambda rows, x: (x, x**3), np.array([[0.0, 2.0]]), AT, np.array([1e-12]))
    np.testing.assert_allclose(got, 0.75 * np.clip(AT, 0.0, 2.0) ** 4, atol=1e-12)


def test_a_kink_is_found():
    got = integrate(lambda rows, x: (np.abs(x - np.sqrt(0.5)), x), np.array([[0.0, 2.0]]), AT, np.array([1e-10]))
    rise = np.clip(AT, 0.0, 2.0) - np.sqrt(0.5)
    np.testing.assert_allclose(got, 0.5 * (rise * np.abs(rise) + 0.5), atol=1e-9)


def test_noise_is_given_up():
    """Rounding errors are not followed into ever smaller panels."""
    points = []

    def noisy(rows, x):
        points.append(x.size)
        return 1.0 + 1e-6 * np.random.default_rng(x.size).normal(size=x.shape), x

    got = integrate(noisy, np.array([[0.0, 1.0]]), np.array([[1.0]]), np.array([1e-12]))
    assert got[0, 0] == pytest.approx(1.0, abs=1e-5)
    assert sum(points) < 100_000


def test_rows_without_width_have_no_integral():
    edges = np.array([[1.0, 1.0], [0.0, 1.0], [2.0, 2.0]])
    got = integrate(lambda rows, x: (np.ones_like(x), x), edges, np.full((3, 1), 0.5), np.full(3, 1e-9))
    np.testing.assert_allclose(got[:, 0], [0.0, 0.5, 0.0])
    empty = integrate(lambda rows, x: (x, x), edges[:1], np.ones((1, 2)), np.ones(1))
    np.testing.assert_array_equal(empty, [[0.0, 0.0]])
