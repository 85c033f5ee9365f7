"""Heads that are chosen by held-out subjects, and added, given the linear predictor of a regression."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.boosting.observed import Observed
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.mixture import Mixture
from hazboost.training.heads import fit_heads, possible_heads
from hazboost.training.marginal import MarginalLoss
from hazboost.training.policy import POLICY
from hazboost.training.refining import LossGivenShifts, best_heads, refine_heads
from tests.training.simulated import automatic

MIXTURE = Mixture({"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
SCHEMA = Schema(None, {}, sparse=False)


def hazards(n, seed, guarantee):
    """Strong effects on a constant hazard that begins after a guarantee time."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    rate = np.exp(X @ [1.0, -0.7, 0.0])
    time = guarantee + rng.exponential(1.0 / rate)
    return X, time, rate


def refined(X, time):
    target = Target.of(time / np.median(time), time / np.median(time))
    chosen = possible_heads(MIXTURE, target, POLICY)[0]
    return chosen, refine_heads(chosen, Sample(X, target), SCHEMA, POLICY)


def count_alone(times):
    """Of ten data sets, in how many held-out subjects are better without a LogLogistic head."""
    alone = replace(MIXTURE, counts={"weibull": 1, "loglogistic": 0})
    count = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 3))
        time = times(rng) * np.exp(X @ [0.5, -0.4, 0.0])
        target = Target.of(time / np.median(time), time / np.median(time))
        possible = [fit_heads(mixture, target).chosen(mixture) for mixture in (alone, MIXTURE)]
        count += best_heads(possible, Sample(X, target), SCHEMA, POLICY, folds=5, seed=0) is possible[0]
    return count


def test_held_out_subjects_need_no_second_head_where_there_is_none():
    assert count_alone(lambda rng: rng.weibull(1.5, 200)) >= 7


def test_held_out_subjects_need_the_second_head_where_risks_rise_and_fall():
    assert count_alone(lambda rng: rng.lognormal(0.0, 1.0, 200)) <= 3


def test_a_single_possibility_is_taken():
    X, time, _ = hazards(50, 0, guarantee=0.0)
    target = Target.of(time, time)
    only = fit_heads(MIXTURE, target).chosen(MIXTURE)
    assert best_heads([only], Sample(X, target), SCHEMA, POLICY, folds=5, seed=0) is only


def test_heads_are_added_where_a_regression_is_off():
    chosen, wider = refined(*hazards(1_000, 0, guarantee=1.0)[:2])
    assert 0 < wider.mixture.n_scores - chosen.mixture.n_scores <= 3 * POLICY.most_added
    assert wider.logs.shape == (wider.mixture.n_scores,)


def test_nothing_is_added_where_it_is_right():
    for seed in range(3):
        chosen, same = refined(*hazards(500, seed, guarantee=0.0)[:2])
        assert same is chosen


def test_rounded_times_are_no_bursts():
    X, time, _ = hazards(1_000, 0, guarantee=1.0)
    chosen, same = refined(X, np.ceil(2.0 * time))
    assert same is chosen


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # without the heads that are added
def test_curves_after_a_guarantee_time_are_nearer_to_the_truth(monkeypatch):
    """The mean curve of a regression whose heads were chosen without covariates is off by more."""
    X, time, _ = hazards(1_000, 0, guarantee=1.0)
    X_new, _, rate = hazards(2_000, 2, guarantee=1.0)
    grid = np.linspace(0.2, 6.0, 50)
    truth = np.exp(-rate[:, None] * np.maximum(grid - 1.0, 0.0)).mean(axis=0)

    def error():
        model = automatic(n_estimators=1, learning_rate=1e-9).fit(X, (np.ones(1_000, dtype=bool), time))
        return np.abs(model.predict_survival_function(X_new, times=grid).mean(axis=0) - truth).max()

    with_more = error()
    monkeypatch.setattr("hazboost.estimator.refine_heads", lambda chosen, *_: chosen)
    assert with_more < 0.7 * error()


@pytest.mark.parametrize("n_causes", [1, 2])
def test_without_shifts_the_loss_is_that_without_covariates(n_causes):
    rng = np.random.default_rng(0)
    time, cause = rng.exponential(size=50), rng.integers(0, n_causes + 1, 50)
    target = Target.of(time, np.where(cause > 0, time, np.inf), cause=cause)
    mixture = Mixture(MIXTURE.counts, MIXTURE.parameter_activation, MIXTURE.weight_activation, n_causes=n_causes)
    plain = MarginalLoss.of(mixture, target)
    given = LossGivenShifts(plain.mixture, target, Observed.of(target, n_causes), 50.0, np.zeros((50, n_causes)))
    logs = rng.normal(scale=0.3, size=mixture.n_scores)
    np.testing.assert_allclose(given(logs)[0], plain(logs)[0])
    np.testing.assert_allclose(given(logs)[1], plain(logs)[1], atol=1e-12)
