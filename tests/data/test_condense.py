"""Condensed rows have the likelihood of the whole."""

import numpy as np
import pandas as pd
import pytest

from hazboost.data.condense import as_if_only, condense, events_by_cause, join_rows
from hazboost.data.reading import as_target
from hazboost.data.target import Target
from tests.rows import loss_of_rows


def table(**columns):
    return pd.DataFrame(columns)


def test_condensed_target_keeps_the_likelihood_of_a_fit_without_features(make_mixture):
    rng = np.random.default_rng(0)
    time = rng.weibull(1.4, 20_000)
    event = rng.random(20_000) < 0.4
    target = Target.of(time, np.where(event, time, np.inf), rng.uniform(0.5, 1.5, 20_000))
    small = condense(target, 500)
    assert len(small) == 1000
    for whole, part in ((target.event, small.event), (~target.event, ~small.event)):
        assert small.weight[part].sum() == pytest.approx(target.weight[whole].sum())
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "softmax")
    scores = np.array([0.1, 0.3, -0.2, 0.2, 0.0, 0.0])
    means = [
        np.average(loss_of_rows(mixture, np.tile(scores, (len(one), 1)), one).value, weights=one.weight)
        for one in (target, small)
    ]
    assert means[0] == pytest.approx(means[1], abs=1e-4)


def test_few_rows_are_not_condensed():
    target = as_target(([True, False, True], [1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(np.sort(condense(target, 5).lower), target.lower)


def test_condensed_rows_of_every_kind_keep_the_likelihood(make_mixture):
    rng = np.random.default_rng(1)
    n = 12_000
    lower = rng.weibull(1.4, n)
    entry = np.where(rng.random(n) < 0.5, lower * rng.random(n), 0.0)
    kind = rng.integers(0, 3, n)
    upper = np.choose(kind, [lower, np.full(n, np.inf), lower * rng.uniform(1.1, 3.0, n)])
    cause = np.where(kind == 0, rng.integers(1, 3, n), 0)
    target = Target.of(lower, upper, rng.uniform(0.5, 1.5, n), entry=entry, cause=cause)
    small = condense(target, 500)
    assert len(small) <= 2000 + 2500
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "softmax", 2)
    scores = rng.normal(scale=0.3, size=mixture.n_scores)
    sums = [
        one.weight @ loss_of_rows(mixture, np.tile(scores, (len(one), 1)), one).value / n for one in (target, small)
    ]
    assert sums[0] == pytest.approx(sums[1], abs=1e-3)


def test_pieces_are_joined():
    subject, start, stop = [0, 1, 0, 0, 1], [0.0, 0.0, 1.0, 5.0, 2.0], [1.0, 2.0, 3.0, 6.0, 4.0]
    y = table(id=subject, start=start, stop=stop, event=[0, 1, 2, 0, 0])
    joined = join_rows(as_target(y))
    np.testing.assert_array_equal(joined.entry, [0.0, 5.0, 0.0, 2.0])  # a gap and an event are kept
    np.testing.assert_array_equal(joined.lower, [3.0, 6.0, 2.0, 4.0])
    np.testing.assert_array_equal(joined.cause, [2, 0, 1, 0])
    np.testing.assert_array_equal(joined.subject, [0, 0, 1, 1])


def test_pieces_are_not_joined_across_a_gap_or_a_change_of_weight():
    entry, weight = np.array([0.0, 1.0, 3.0, 4.0]), np.array([1.0, 1.0, 1.0, 2.0])
    stop = np.array([1.0, 2.0, 4.0, 5.0])
    joined = join_rows(Target.of(stop, np.full(4, np.inf), weight, entry=entry, subject=np.zeros(4, dtype=int)))
    np.testing.assert_array_equal(joined.entry, [0.0, 3.0, 4.0])
    np.testing.assert_array_equal(joined.lower, [2.0, 4.0, 5.0])
    np.testing.assert_array_equal(joined.weight, [1.0, 1.0, 2.0])


def test_one_cause_at_a_time():
    lower, upper = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 2.0, np.inf, 6.0, 5.0])
    target = Target.of(lower, upper, entry=0.5 * lower, cause=np.array([1, 2, 0, 0, 1]))
    only = as_if_only(target, 1, target.n_causes)
    np.testing.assert_array_equal(only.event, [True, False, False, True, True, False])
    np.testing.assert_allclose(only.weight, [1.0, 1.0, 1.0, 2 / 3, 1.0, 1 / 3])
    np.testing.assert_array_equal(only.lower, [1.0, 2.0, 3.0, 5.0, 5.0, 5.0])
    np.testing.assert_array_equal(only.entry, [0.5, 1.0, 1.5, 2.0, 2.5, 2.0])


def test_events_of_unknown_cause_belong_to_all_causes_alike_where_none_is_known():
    target = Target.of(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    assert [as_if_only(target, cause, 2).event_mass for cause in (1, 2)] == [1.0, 1.0]
    assert events_by_cause(target, 2).tolist() == [1.0, 1.0]
