"""Kaplan and Meier's estimate against scikit-survival's."""

import numpy as np
import pytest
from lifelines import KaplanMeierFitter
from sksurv.nonparametric import kaplan_meier_estimator

from hazboost.nonparametric import kaplan_meier
from hazboost.target import Target


def draw(seed, n=60):
    rng = np.random.default_rng(seed)
    time, event = rng.integers(0, 15, n).astype(float), rng.random(n) < 0.6
    return Target.of(time, np.where(event, time, np.inf), np.ones(n))


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_survival(seed):
    target = draw(seed)
    time, survival = kaplan_meier(target)
    their_time, their_survival = kaplan_meier_estimator(target.event, target.lower)
    at = np.isin(their_time, target.lower[target.event])
    np.testing.assert_array_equal(time, their_time[at])
    np.testing.assert_allclose(survival, their_survival[at], rtol=1e-12, atol=1e-15)


def test_known_example():
    target = Target.of(np.array([3.0, 1.0, 2.0, 2.0]), np.array([3.0, 1.0, np.inf, 2.0]), np.ones(4))
    time, survival = kaplan_meier(target)
    np.testing.assert_array_equal(time, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(survival, [3 / 4, 1 / 2, 0.0], atol=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_weight_is_a_number_of_copies(seed):
    target = draw(seed)
    copies = np.random.default_rng(seed).integers(0, 4, len(target))
    weighted = kaplan_meier(Target.of(target.lower, target.upper, copies.astype(float)))
    repeated = kaplan_meier(target[np.repeat(np.arange(len(target)), copies)])
    np.testing.assert_array_equal(weighted[0], repeated[0])
    np.testing.assert_allclose(weighted[1], repeated[1], rtol=1e-12, atol=1e-15)


def test_estimate_is_a_probability_for_any_weights():
    """The last survivors' weights, added up in two orders, may differ in the last bit."""
    rng = np.random.default_rng(0)
    for n in rng.integers(1, 12, 500):
        time = rng.integers(1, 4, n).astype(float)
        survival = kaplan_meier(Target.of(time, time, rng.random(n)))[1]
        assert ((survival >= 0.0) & (survival <= 1.0)).all()
        assert (np.diff(survival) <= 0.0).all()


def test_delayed_entry_agrees_with_lifelines():
    rng = np.random.default_rng(5)
    time, entry = np.round(rng.weibull(1.3, 300) + 0.3, 2), np.round(0.3 * rng.random(300), 2)
    event = rng.random(300) < 0.7
    theirs = KaplanMeierFitter().fit(time, event, entry=entry).survival_function_at_times(np.unique(time[event]))
    distinct, survival = kaplan_meier(Target.of(time, np.where(event, time, np.inf), entry=entry))
    np.testing.assert_array_equal(distinct, np.unique(time[event]))
    np.testing.assert_allclose(survival, theirs, atol=1e-12)
