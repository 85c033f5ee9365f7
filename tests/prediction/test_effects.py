"""What a linear predictor acts on: the hazard, or time."""

from __future__ import annotations

import lifelines
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hazboost.boosting.observed import Observed
from hazboost.data.design import learn_design
from hazboost.data.features import Schema
from hazboost.data.target import Target
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.prediction.effects import Accelerated, Proportional, can_accelerate
from hazboost.prediction.regression import AcceleratedStart, LinearStart
from hazboost.training.linear import _PenalisedLoss, fit_linear_path
from hazboost.training.marginal import marginal_start
from hazboost.training.policy import POLICY
from tests.accelerated import TIMES, log_logistic

MIXED = {"weibull": 1, "loglogistic": 1, "bounded": 2}


def target_of(y):
    event, time = y
    return Target.of(time, np.where(event, time, np.inf), np.ones(len(time)))


def start_of(mixture, X, target):
    design = learn_design(X, Schema(None, {}, sparse=False), target.mass, POLICY.skewness, POLICY.farthest)
    logs = marginal_start(mixture.with_log_link, target, np.random.default_rng(0))
    return LinearStart.constant(mixture, logs, design, POLICY.largest_shift)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 2]), st.floats(-2.0, 2.0))
def test_time_runs_faster_by_one_factor_for_all_heads(make_mixture, seed, n_causes, shift):
    """H(t | s) = H0(t exp(s / kappa)) for every cause, whatever the parameters of the heads are."""
    mixture = make_mixture(MIXED, "exp", "scaled_softmax", n_causes, background=0.0)
    logs = np.random.default_rng(seed).normal(0.0, 0.7, mixture.n_scores)
    effect = Accelerated.at(mixture, logs)
    shifts = shift * np.arange(1.0, n_causes + 1.0)
    moved = Distribution(mixture, (logs + shifts @ effect.loading(logs))[None])
    for cause in range(1, n_causes + 1):
        factor = np.exp(shifts[cause - 1] / effect.kappa[cause - 1])
        found = moved.of_cause(cause).cumulative_hazard(TIMES)
        before = Distribution(mixture, logs[None]).of_cause(cause).cumulative_hazard(factor * TIMES)
        np.testing.assert_allclose(found, before, rtol=1e-9)


def test_a_small_shift_changes_the_cumulative_hazard_alike(make_mixture):
    """At the unit of time, which is what makes one ridge serve both."""
    mixture = make_mixture(MIXED, "exp", "scaled_softmax", background=0.0)
    logs = np.random.default_rng(3).normal(0.0, 0.5, mixture.n_scores)

    def log_cumulative(effect, shift):
        scores = logs + shift * effect.loading(logs)[0]
        return np.log(Distribution(mixture, scores[None]).cumulative_hazard(np.ones(1))).item()

    slopes = [
        (log_cumulative(effect, 1e-5) - log_cumulative(effect, -1e-5)) / 2e-5
        for effect in (Proportional(mixture), Accelerated.at(mixture, logs))
    ]
    np.testing.assert_allclose(slopes, 1.0, rtol=1e-6)


def test_both_are_the_same_model_for_a_weibull_hazard(make_mixture):
    X, y = log_logistic(300)
    target = target_of(y)
    first = start_of(make_mixture({"weibull": 1}, "exp", "scaled_softmax"), X, target)
    (hazard,) = fit_linear_path(first, X, target, [1e-3], POLICY)
    (time,) = fit_linear_path(AcceleratedStart.like(hazard), X, target, [1e-3], POLICY)
    one, other = (Distribution(first.mixture, start.margin(X)).survival(TIMES) for start in (hazard, time))
    np.testing.assert_allclose(one, other, atol=1e-4)
    assert (hazard.acts_on, time.acts_on) == ("hazard", "time")


@pytest.mark.parametrize("n_causes", [1, 2])
def test_gradient_is_that_of_the_loss(make_mixture, differentiate, n_causes):
    X, y = log_logistic(60)
    target = Target.of(y[1], np.where(y[0], y[1], np.inf), cause=np.where(y[0], 1 + np.arange(60) % n_causes, 0))
    mixture = make_mixture(MIXED, "exp", "scaled_softmax", n_causes)
    first = start_of(mixture, X, target)
    effect = Accelerated.at(mixture, first.log_intercept)
    columns = first.design.columns(X)
    loss = _PenalisedLoss(mixture, effect, columns, Observed.of(target, n_causes), target.mass, largest_shift=5.0)
    point = np.r_[first.log_intercept, np.linspace(-0.5, 0.6, 3 * n_causes)]
    for position in range(len(point)):

        def along(value, position=position):
            moved = point.copy()
            moved[position] = value
            return loss(moved, 2.0)[0]

        assert loss(point, 2.0)[1][position] == pytest.approx(differentiate(along, point[position], 1e-5), abs=1e-6)


def test_the_regression_of_lifelines_is_found(make_mixture):
    """A single LogLogistic head, next to no ridge: the time ratios of a log-logistic regression."""
    X, y = log_logistic(1500, seed=4)
    target = target_of(y)
    first = start_of(make_mixture({"loglogistic": 1}, "exp", "scaled_softmax", background=0.0), X, target)
    first = LinearStart.constant(first.mixture, np.zeros(first.mixture.n_scores), first.design, POLICY.largest_shift)
    (hazard,) = fit_linear_path(first, X, target, [1e-6], POLICY)
    (start,) = fit_linear_path(AcceleratedStart.like(hazard), X, target, [1e-6], POLICY)
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(event=y[0], time=y[1])
    other = lifelines.LogLogisticAFTFitter().fit(table, "time", "event").params_["alpha_"][["a", "b", "c"]]
    ratios = -(start.coefficient[:, 0] / start.design.standardisation.scale) / start.kappa
    np.testing.assert_allclose(ratios, other, atol=2e-3)


@pytest.mark.parametrize("acts_on", ["hazard", "time"])
def test_features_do_the_same_after_the_intercept_was_shifted(make_mixture, acts_on):
    """Calibration changes the baseline hazard; features still multiply it, or time, by the same factor."""
    X, y = log_logistic(300, seed=5)
    mixture = make_mixture({"loglogistic": 1, "weibull": 1}, "exp", "scaled_softmax", background=0.0)
    (start,) = fit_linear_path(start_of(mixture, X, target_of(y)), X, target_of(y), [1.0], POLICY)
    of_hazard = np.exp(start.design.predict(X, start.coefficient))
    of_time = np.ones_like(of_hazard)
    if acts_on == "time":
        start = AcceleratedStart.like(start)
        of_hazard, of_time = of_time, of_hazard ** (1.0 / start.kappa)
    for one in (start, start.shifted(np.random.default_rng(0).normal(scale=0.3, size=mixture.n_scores))):
        found = Distribution(mixture, one.margin(X)).cumulative_hazard(np.tile(TIMES, (len(X), 1)))
        baseline = Distribution(mixture, one.without_features().margin(X)).cumulative_hazard(of_time * TIMES)
        np.testing.assert_allclose(found, of_hazard * baseline, rtol=1e-9)


@pytest.mark.parametrize("family", sorted(HEADS))
def test_families_of_a_power_of_time_can_be_accelerated(make_mixture, family):
    assert can_accelerate(make_mixture({family: 1})) == (family not in ("exponential", "gompertz"))
