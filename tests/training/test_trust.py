"""How much of what trees add is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.training.policy import POLICY
from hazboost.training.trust import choose_trust, trust_in_trees
from tests.training.exponentials import predicted
from tests.training.simulated import automatic, linear_data

#: Events after which half is believed, if nothing else is known.
EVENTS = np.array([POLICY.events_for_half_trust])


def believed(doublings, events=EVENTS):
    return float(events[0] / (events[0] + POLICY.events_for_half_trust * 2.0**doublings))


@pytest.mark.parametrize(("events", "factor", "share"), [(100.0, 1.0, 0.5), (300.0, 1.0, 0.75), (100.0, 4.0, 0.2)])
def test_half_is_believed_after_so_many_events(exponential, events, factor, share):
    np.testing.assert_allclose(trust_in_trees(exponential.plan, np.array([events]), factor), share)


def test_nothing_is_believed_of_a_cause_without_events(exponential):
    assert not trust_in_trees(exponential.plan, np.zeros(1)).any()


def test_given_rounds_are_not_shrunk(exponential):
    plan = replace(exponential.plan, given=replace(exponential.plan.given, rounds=10))
    assert not plan.chooses_rounds
    np.testing.assert_array_equal(trust_in_trees(plan, EVENTS), 1.0)


@pytest.mark.parametrize(
    ("truth", "doublings"),
    [
        (lambda a, b, c: a + 2.0 * b, min(POLICY.trust_doublings)),  # all of what the trees add is true
        (lambda a, b, c: a + b, 0),  # half of it
        (lambda a, b, c: a + 2.0 / 3.0 * b, 1),  # a third
        (lambda a, b, c: a, max(POLICY.trust_doublings)),  # nothing
    ],
)
def test_many_held_out_subjects_decide(exponential, truth, doublings):
    trust = choose_trust(exponential, [predicted(truth, n=20_000)], EVENTS)
    np.testing.assert_allclose(trust, believed(doublings))


@pytest.mark.parametrize("truth", [lambda a, b, c: a + 2.0 * b, lambda a, b, c: a])
def test_few_stay_near_what_is_usual(exponential, truth):
    trust = choose_trust(exponential, [predicted(truth, n=4)], EVENTS)
    assert believed(1) <= trust[0] <= believed(-1)


def test_after_very_many_events_nearly_everything_is_believed(exponential):
    """Whatever held-out subjects say."""
    trust = choose_trust(exponential, [predicted(lambda a, b, c: a, n=1_000)], np.array([1e6]))
    assert trust.min() > 0.99


def signs_differ(n, seed):
    """Who is at risk is decided by the signs of two features together."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    time = rng.weibull(1.5, n) * np.exp(-2.0 * (X[:, 0] * X[:, 1] < 0.0))
    return X, (time < 2.0, np.minimum(time, 2.0))


def test_trees_are_believed_where_features_act_together_rather_than_where_effects_are_linear(with_policy):
    with_policy(events_for_doubt=np.inf)  # trees are not left out
    shares = []
    for X, y in (signs_differ(300, seed=0), linear_data(300, seed=1)):
        chosen = automatic().fit(X, y).cv_results_
        trees = sum(chosen["weights"][1:])
        assert trees > 0.0
        shares.append(chosen["trust"][0] / trees / believed(0, np.array([y[0].sum()])))
    assert shares[0] > 1.0 > shares[1]
