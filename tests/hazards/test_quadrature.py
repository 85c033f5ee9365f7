"""Integrals of many functions at once: against closed forms, kinks and noise."""

import numpy as np
import pytest

from hazboost.hazards.quadrature import SMOOTH_NODES, integrate, integrate_by_halves, integrate_smooth

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


@pytest.mark.parametrize("at", [0.001, 0.004, 0.3, 0.5, 0.996, 0.999])
def test_a_jump_is_found_wherever_it_is(at):
    """Also between the end of a panel and the node next to it."""
    got = integrate(lambda rows, x: (np.where(x < at, 1.0, 0.0), x), np.array([[0.0, 1.0]]), AT, np.array([1e-10]))
    np.testing.assert_allclose(got, np.clip(AT, 0.0, at), atol=1e-8)


def test_a_large_integral_leaves_the_others_alone():
    size = np.array([1e15, 1.0])
    edges, at = np.repeat([[0.0, 1.0, 2.0]], 2, axis=0), np.repeat([[0.5, 2.0]], 2, axis=0)
    got = integrate(lambda rows, x: (size[rows, None] * np.ones_like(x), x), edges, at, np.full(2, 1e-9))
    np.testing.assert_allclose(got, size[:, None] * at, rtol=1e-12)


@pytest.mark.parametrize("power", [0, 1, 5, 33, 62])
def test_the_smooth_rule_is_exact_for_polynomials(power):
    integral, _ = integrate_smooth(SMOOTH_NODES, SMOOTH_NODES[None] ** power)
    assert integral[0] == pytest.approx(1.0 / (power + 1.0), rel=1e-13)


@pytest.fixture
def falls():
    """Falls of all widths at all places, of which the steep ones are between two nodes, and their integrals."""
    place, width = (part.ravel() for part in np.meshgrid(np.linspace(0.0, 1.0, 1501), np.geomspace(1e-6, 1.0, 40)))
    log_cosh = [np.logaddexp(z, -z) for z in (place / width, (place - 1.0) / width)]

    def values(rows, x):
        return 0.5 * (1.0 + np.tanh((place[rows, None] - x) / width[rows, None]))

    return values, 0.5 * (1.0 + width * (log_cosh[0] - log_cosh[1]))


def test_the_smooth_rule_accepts_no_wrong_integral(falls):
    values, exact = falls
    integral, least = integrate_smooth(SMOOTH_NODES, values(slice(None), SMOOTH_NODES))
    smooth = least <= integral
    assert 0.1 < smooth.mean() < 0.9
    np.testing.assert_allclose(integral[smooth], exact[smooth], rtol=1e-7)


def test_halves_are_right_for_steeper_falls_too(falls):
    values, exact = falls
    integral = integrate_by_halves(lambda rows, x: integrate_smooth(x, values(rows, x)), len(exact))
    _, least = integrate_smooth(SMOOTH_NODES, values(slice(None), SMOOTH_NODES))
    known = np.isfinite(integral)
    assert known.mean() > (least <= exact).mean() + 0.2
    assert not known.all()
    np.testing.assert_allclose(integral[known], exact[known], rtol=1e-7)
