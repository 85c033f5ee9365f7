"""Observed and expected events."""

import numpy as np
import pytest

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import Mixture
from hazboost.training.expected import censor_at_hazard, count_events


def exponential(n_causes=1, activation="scaled_softmax"):
    return Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS[activation], n_causes=n_causes)


def scores_of(mixture, log_hazards):
    """Scores of an exponential head for each cause, of shape (n, causes)."""
    scores = np.zeros((len(log_hazards), mixture.n_scores))
    for cause, block in enumerate(mixture.blocks):
        scores[:, block.scores(0)] = log_hazards[:, cause, None]
    return scores


def test_observed_and_expected_events_say_by_how_much_a_rate_is_wrong():
    """Two causes, with rates that are predicted half and three times as large as they are."""
    rng, n, mixture = np.random.default_rng(0), 5_000, exponential(2)
    rates, limit = np.array([0.5, 0.2]), rng.exponential(2.0, n)
    times = rng.exponential(1.0 / rates, size=(n, 2))
    first = times.min(axis=1)
    cause = np.where(first <= limit, 1 + times.argmin(axis=1), 0)
    time = np.minimum(first, limit)
    target = Target.of(time, np.where(cause > 0, time, np.inf), cause=cause)
    predicted = np.log(rates * [0.5, 3.0]) * np.ones((n, 1))
    distribution = Distribution(mixture, scores_of(mixture, predicted))
    for one, factor in ((1, 2.0), (2, 1.0 / 3.0)):
        observed, expected = count_events(distribution, target, one)
        assert observed == (cause == one).sum()
        assert expected == pytest.approx(time.sum() * np.exp(predicted[0, one - 1]))
        assert observed / expected == pytest.approx(factor, rel=0.06)


def test_one_who_outlives_a_confident_prediction_does_not_decide():
    rng, n, mixture = np.random.default_rng(0), 2_000, exponential()
    time = rng.exponential(1.0, n)
    time[0] = 1e6
    target = Target.of(time, time)
    distribution = Distribution(mixture, scores_of(mixture, np.zeros((n, 1))))
    counts = (count_events(distribution, censor_at_hazard(distribution, target, limit)) for limit in (np.inf, 3.0))
    free, limited = (observed / expected for observed, expected in counts)
    assert free < 0.01
    assert limited == pytest.approx(1.0, abs=0.06)


def test_the_limit_is_for_one_event_where_events_recur():
    """Ten events of one subject, of whom twice as many are expected: more than the limit, which is for each of them."""
    mixture, stop = exponential(), np.arange(1.0, 11.0)
    target = Target.of(stop, stop, entry=stop - 1.0, subject=np.zeros(10, dtype=int))
    distribution = Distribution(mixture, scores_of(mixture, np.full((10, 1), np.log(2.0))))
    assert count_events(distribution, censor_at_hazard(distribution, target, 3.0)) == pytest.approx((10.0, 20.0))


def test_subjects_are_followed_until_the_hazard_is_reached():
    """Hazards of 1 and 2 with a limit of 3: until 3 after entry, and until 1.5."""
    mixture, log_hazard = exponential(), np.log([[1.0], [2.0], [1.0]])
    target = Target.of(np.array([2.0, 2.0, 5.0]), np.array([2.0, 2.0, np.inf]), entry=np.array([0.0, 0.0, 1.0]))
    cut = censor_at_hazard(Distribution(mixture, scores_of(mixture, log_hazard)), target, 3.0)
    np.testing.assert_allclose(cut.lower, [2.0, 1.5, 4.0])
    np.testing.assert_array_equal(cut.upper, [2.0, np.inf, np.inf])
    np.testing.assert_array_equal(cut.cause, [1, 0, 0])
    np.testing.assert_array_equal(target.lower, [2.0, 2.0, 5.0])


@pytest.mark.parametrize(("lower", "upper"), [(1.0, 1.0), (4.0, 9.0)])
def test_nobody_is_cut_short_below_the_limit_or_where_there_are_intervals(lower, upper):
    mixture, target = exponential(), Target.of(np.full(3, lower), np.full(3, upper))
    assert censor_at_hazard(Distribution(mixture, scores_of(mixture, np.zeros((3, 1)))), target, 3.0) is target


@pytest.mark.parametrize("limit", [0.3, 1.0, 3.0, np.inf])
def test_a_right_model_is_right_until_every_limit(limit):
    """Events until the cumulative hazard has reached the limit, and what is expected until then."""
    rng, n, mixture = np.random.default_rng(1), 20_000, exponential()
    log_hazard = rng.normal(size=(n, 1))
    time, entry = rng.exponential(np.exp(-log_hazard[:, 0])), np.zeros(n)
    target = Target.of(time, time, entry=entry)
    distribution = Distribution(mixture, scores_of(mixture, log_hazard))
    observed, expected = count_events(distribution, censor_at_hazard(distribution, target, limit))
    assert observed == pytest.approx(expected, abs=4.0 * np.sqrt(expected))


def test_intervals_and_delayed_entry_count_as_expected():
    rng, n, mixture = np.random.default_rng(2), 5_000, exponential()
    time = rng.exponential(1.0, n)
    lower = np.floor(time / 0.5) * 0.5
    entry = np.where(np.arange(n) % 2, 0.5 * lower, 0.0)
    target = Target.of(lower, lower + 0.5, entry=entry)
    distribution = Distribution(mixture, scores_of(mixture, np.zeros((n, 1))))
    observed, expected = count_events(distribution, target)
    kept = lower - entry
    assert expected == pytest.approx(kept.sum())
    assert observed == pytest.approx(n * 0.5 / np.expm1(0.5))


@pytest.mark.parametrize("cause", [None, 1, 2])
def test_observed_less_expected_events_are_the_slope_of_the_likelihood_in_the_level(cause, differentiate):
    """For events, censored rows and intervals of either cause, with weights and delayed entry."""
    rng, n, mixture = np.random.default_rng(4), 300, exponential(2)
    lower, kind = rng.exponential(1.0, n), np.arange(n) % 4
    upper = np.select([kind < 2, kind == 2], [lower, lower + rng.exponential(2.0, n)], np.inf)
    times = {"entry": rng.random(n) * lower, "cause": np.where(kind < 2, 1 + kind, 0)}
    target = Target.of(lower, upper, rng.uniform(0.5, 2.0, n), **times)
    scores, observed = scores_of(mixture, rng.normal(size=(n, 2))), Observed.of(target, 2)
    level = mixture.scales.sum(axis=0) if cause is None else mixture.scales[cause - 1]

    def log_likelihood(shift):
        return -observed.total(row_loss(mixture, (scores + shift * level).T, observed, VALUE).value)

    happened, expected = count_events(Distribution(mixture, scores), target, cause)
    assert happened - expected == pytest.approx(differentiate(log_likelihood, 0.0), rel=1e-6)


def test_rows_of_a_subject_count_together():
    """Cut into pieces, in any order, subjects are followed until the same hazard."""
    rng, n, mixture = np.random.default_rng(3), 500, exponential()
    log_hazard, time = rng.normal(size=(n, 1)), rng.exponential(2.0, n)
    cut, order = time * rng.random(n), rng.permutation(2 * n)
    whole = Target.of(time, time)
    cuts = Target.of(
        np.r_[cut, time], np.r_[np.full(n, np.inf), time], entry=np.r_[0.0 * cut, cut], subject=np.r_[:n, :n]
    )[order]
    scores = scores_of(mixture, log_hazard)
    for limit in (0.5, 3.0, np.inf):
        one, several = Distribution(mixture, scores), Distribution(mixture, np.r_[scores, scores][order])
        once = count_events(one, censor_at_hazard(one, whole, limit))
        again = count_events(several, censor_at_hazard(several, cuts, limit))
        assert again == pytest.approx(once, rel=1e-9)
