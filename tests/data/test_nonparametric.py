"""Kaplan and Meier's estimate against scikit-survival's; all estimates, with delayed entry, against definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lifelines import KaplanMeierFitter
from sksurv.nonparametric import cumulative_incidence_competing_risks, kaplan_meier_estimator

from hazboost.data.nonparametric import (
    aalen_johansen,
    at_risk,
    censoring_distribution,
    evaluate_steps,
    kaplan_meier,
    median_follow_up,
    probabilities_since_entry,
)
from hazboost.data.target import Target


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
def test_weight_is_equivalent_to_repetition(seed):
    target = draw(seed)
    copies = np.random.default_rng(seed).integers(0, 4, len(target))
    weighted = kaplan_meier(Target.of(target.lower, target.upper, copies.astype(float)))
    repeated = kaplan_meier(target[np.repeat(np.arange(len(target)), copies)])
    np.testing.assert_array_equal(weighted[0], repeated[0])
    np.testing.assert_allclose(weighted[1], repeated[1], rtol=1e-12, atol=1e-15)


def test_follow_up_counts_subjects_by_their_weight():
    time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, False])
    weight, entry = np.array([5.0, 1.0, 1.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.5])
    weighted = Target.of(time, np.where(event, time, np.inf), weight, entry=entry)
    rows = np.repeat(np.arange(4), weight.astype(int))
    repeated = Target.of(time[rows], np.where(event, time, np.inf)[rows], entry=entry[rows])
    assert median_follow_up(weighted) == median_follow_up(repeated) == 1.0
    assert median_follow_up(Target.of(time, weighted.upper, entry=entry)) == 2.5


def test_estimate_is_a_probability_for_any_weights():
    """Sums of the same weights in two orders may differ in the last bit, which must not give negative estimates."""
    rng = np.random.default_rng(0)
    for n in rng.integers(1, 12, 500):
        time = rng.integers(1, 4, n).astype(float)
        survival = kaplan_meier(Target.of(time, time, rng.random(n)))[1]
        assert ((survival >= 0.0) & (survival <= 1.0)).all()
        assert (np.diff(survival) <= 0.0).all()


@st.composite
def delayed_rows(draw):
    rows = []
    for _ in range(draw(st.integers(1, 12))):
        time = draw(st.integers(0, 6))
        entry = draw(st.integers(0, time - 1)) if time > 0 else 0
        rows.append((draw(st.integers(0, 2)), float(time), float(entry)))
    return rows


@given(rows=delayed_rows())
def test_delayed_entry_causes_and_censoring(definitions, rows):
    definition = definitions(rows)
    cause, time, entry = (np.array(column) for column in zip(*rows, strict=True))
    target = Target.of(time, np.where(cause > 0, time, np.inf), entry=entry, cause=cause)
    grid = np.arange(0.0, 7.5, 0.5)
    np.testing.assert_array_equal(at_risk(target, grid), [definition.at_risk(t) for t in grid])
    for steps, start, expected in (
        (kaplan_meier(target), 1.0, definition.survival),
        (censoring_distribution(target), 1.0, definition.uncensored),
        (aalen_johansen(target, 1), 0.0, lambda t: definition.incidence(t, 1)),
        (aalen_johansen(target, 2), 0.0, lambda t: definition.incidence(t, 2)),
    ):
        found = evaluate_steps(steps, grid, start=start)
        np.testing.assert_allclose(found, [expected(t) for t in grid], atol=1e-12)
        before = evaluate_steps(steps, grid[1:], start=start, before=True)
        np.testing.assert_allclose(before, [expected(t - 0.25) for t in grid[1:]], atol=1e-12)


def test_incidences_and_survival_sum_to_one():
    rng = np.random.default_rng(0)
    time, cause = rng.integers(1, 9, 200).astype(float), rng.integers(0, 4, 200)
    target = Target.of(time, np.where(cause > 0, time, np.inf), rng.random(200), cause=cause)
    grid = np.arange(10.0)
    incidences = [evaluate_steps(aalen_johansen(target, c), grid, start=0.0) for c in (1, 2, 3)]
    total = np.sum(incidences, axis=0) + evaluate_steps(kaplan_meier(target), grid, start=1.0)
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def test_incidence_agrees_with_scikit_survival():
    rng = np.random.default_rng(1)
    time, cause = rng.integers(1, 30, 300).astype(float), rng.integers(0, 3, 300)
    theirs, incidence = cumulative_incidence_competing_risks(cause, time)
    target = Target.of(time, np.where(cause > 0, time, np.inf), cause=cause)
    for c in (1, 2):
        found = evaluate_steps(aalen_johansen(target, c), theirs, start=0.0)
        np.testing.assert_allclose(found, incidence[c], rtol=1e-12, atol=1e-15)


def test_delayed_entry_does_not_bias_the_estimate():
    """With delayed entry the estimate is unbiased; ignoring it overestimates early survival."""
    rng = np.random.default_rng(2)
    time, entry = rng.exponential(size=40_000), np.maximum(rng.uniform(-1.0, 1.0, 40_000), 0.0)
    kept = time > entry
    target = Target.of(time[kept], time[kept], entry=entry[kept])
    grid = np.array([0.3, 0.7, 1.5])
    np.testing.assert_allclose(evaluate_steps(kaplan_meier(target), grid, start=1.0), np.exp(-grid), atol=0.015)
    ignored = kaplan_meier(Target.of(time[kept], time[kept]))
    assert evaluate_steps(ignored, grid, start=1.0)[1] > np.exp(-0.7) + 0.05


def test_delayed_entry_agrees_with_lifelines():
    rng = np.random.default_rng(5)
    time, entry = np.round(rng.weibull(1.3, 300) + 0.3, 2), np.round(0.3 * rng.random(300), 2)
    event = rng.random(300) < 0.7
    theirs = KaplanMeierFitter().fit(time, event, entry=entry).survival_function_at_times(np.unique(time[event]))
    distinct, survival = kaplan_meier(Target.of(time, np.where(event, time, np.inf), entry=entry))
    np.testing.assert_array_equal(distinct, np.unique(time[event]))
    np.testing.assert_allclose(survival, theirs, atol=1e-12)


def test_probabilities_since_entry_are_conditional_on_being_without_event():
    """Survival falls to 3/4, 1/2 and 1/4 at times 1, 2 and 3; of cause 1 are the events at 1 and 3."""
    survival, incidence = (
        (np.arange(1.0, 4.0), np.array([0.75, 0.5, 0.25])),
        (np.array([1.0, 3.0]), np.array([0.25, 0.5])),
    )
    times, entry = np.array([0.5, 1.5, 2.0, 5.0]), np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(
        probabilities_since_entry(survival, None, times, entry),
        [[1.0, 0.75, 0.5, 0.25], [1.0, 1.0, 2 / 3, 1 / 3], [1.0, 1.0, 1.0, 0.5]],
    )
    np.testing.assert_allclose(
        probabilities_since_entry(survival, incidence, times, entry),
        [[0.0, 0.25, 0.25, 0.5], [0.0, 0.0, 0.0, 1 / 3], [0.0, 0.0, 0.0, 0.5]],
    )
