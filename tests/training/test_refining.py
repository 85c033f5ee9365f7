"""Heads that are chosen by held-out subjects, and added, given the linear predictor of a regression."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.boosting.observed import Observed
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.data.ties import are_coarse
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.mixture import Mixture
from hazboost.training.heads import Chosen, fit_heads, possible_heads, price_of_head
from hazboost.training.marginal import MarginalLoss, before_entry
from hazboost.training.policy import POLICY
from hazboost.training.refining import LossGivenShifts, Trial, compare_heads
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


def chosen_of(possible, X, target, policy=POLICY):
    sample = Sample(X, target)
    plan = automatic()._plan(SCHEMA, sample.summary(), 1, 0)
    return compare_heads(possible, sample, replace(plan, search=replace(plan.search, policy=policy)), 5)


def refined(X, time, policy=POLICY):
    """The heads that a likelihood without covariates favours, and those that are chosen given the covariates."""
    target = Target.of(time / np.median(time), time / np.median(time))
    first = possible_heads(MIXTURE, target, POLICY)[-1]
    return first, chosen_of([first], X, target, policy)


def possible_for(time):
    """A Weibull head alone, and beside a LogLogistic one; and what was observed."""
    target = Target.of(time / np.median(time), time / np.median(time))
    alone = replace(MIXTURE, counts={"weibull": 1, "loglogistic": 0})
    return [fit_heads(mixture, target).chosen(mixture) for mixture in (alone, MIXTURE)], target


def count_alone(times, effects=(0.5, -0.4, 0.0)):
    """Of ten data sets, in how many a regression has no LogLogistic head."""
    count = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 3))
        possible, target = possible_for(times(rng) * np.exp(X @ effects))
        count += chosen_of(possible, X, target) is possible[0]
    return count


def test_there_is_no_second_head_where_none_is_needed():
    assert count_alone(lambda rng: rng.weibull(1.5, 200)) >= 7


def test_the_second_head_stays_where_risks_rise_and_fall():
    assert count_alone(lambda rng: rng.lognormal(0.0, 1.0, 200)) <= 3


def test_strong_effects_need_no_second_head_though_all_subjects_together_do():
    """Without covariates the risk falls, because subjects at high risk leave first."""
    effects = np.array([1.0, -0.7, 0.0])
    possible, target = possible_for(
        np.random.default_rng(1).weibull(3.0, 200) * np.exp(np.random.default_rng(0).normal(size=(200, 3)) @ effects)
    )
    without, with_second = (fit_heads(one.mixture, target) for one in possible)
    assert without.total - with_second.total > price_of_head(target, 1)
    assert count_alone(lambda rng: rng.weibull(3.0, 200), effects) >= 7


def test_held_out_subjects_are_not_asked_where_a_regression_needs_its_heads(monkeypatch):
    possible, target = possible_for(np.random.default_rng(0).lognormal(0.0, 1.0, 500))
    monkeypatch.setattr(Trial, "better", lambda *_: pytest.fail("they were asked"))
    monkeypatch.setattr("hazboost.training.refining.wider_heads", lambda _: [])
    assert chosen_of(possible, np.random.default_rng(1).normal(size=(500, 2)), target) is possible[1]


def trial(losses):
    """Heads with given losses of held-out subjects, in two folds."""
    target = Target.of(np.ones(50), np.ones(50))
    made = Trial(None, None, [(None, Sample(np.zeros((50, 1)), target))] * 2, SCHEMA, POLICY)
    vars(made)["losses"] = np.split(losses, 2)
    return made


def test_others_have_to_be_clearly_better():
    first, better = trial(np.ones(100)), trial(np.full(100, 0.9))
    assert first.better(better, least=9.9) is better
    assert first.better(better, least=10.1) is first
    assert better.better(first) is better


def test_a_single_subject_does_not_decide():
    first, luckier = trial(np.ones(100)), trial(np.r_[-1e6, np.full(99, 1.1)])
    assert first.better(luckier) is first


@pytest.mark.parametrize(("gains", "enough"), [(np.r_[1e6, np.zeros(49)], True), (np.full(50, 0.2), False)])
def test_nor_does_a_single_one_ask_for_a_head(monkeypatch, gains, enough):
    """The price is 1.5 log(50) = 5.9: fifty subjects may pay it, but one of them only 3."""
    target = Target.of(np.ones(50), np.ones(50))
    losses = {"fewer": gains, "most": np.zeros(50)}
    monkeypatch.setattr("hazboost.training.refining.row_losses", lambda name, _: losses[name])
    fewer, most = (Trial(Chosen(MIXTURE, None), Sample(None, target), [], SCHEMA, POLICY) for _ in losses)
    for one, name in ((fewer, "fewer"), (most, "most")):
        vars(one)["regression"] = name
    assert fewer.is_enough(most) == enough


def test_heads_are_added_where_a_regression_is_off():
    first, wider = refined(*hazards(1_000, 0, guarantee=1.0)[:2])
    assert 0 < wider.mixture.n_scores - first.mixture.n_scores <= 3 * POLICY.most_added
    assert wider.logs.shape == (wider.mixture.n_scores,)


def test_none_is_added_that_held_out_subjects_do_not_need():
    first, same = refined(*hazards(1_000, 0, guarantee=1.0)[:2], replace(POLICY, least_advantage=1e6))
    assert same is first


def test_nothing_is_added_where_it_is_right():
    for seed in range(3):
        first, same = refined(*hazards(500, seed, guarantee=0.0)[:2])
        assert same is first


def test_rounded_times_are_no_bursts():
    X, time, _ = hazards(1_000, 0, guarantee=1.0)
    first, same = refined(X, np.ceil(2.0 * time))
    assert same is first


def test_fewer_heads_where_times_of_the_same_day_are_told_apart(monkeypatch):
    """An eighth of the events is on the first day, others on more than a hundred: not coarse, but not exact."""

    def possible(seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1_500, 3))
        days = np.ceil(60.0 * rng.weibull(0.5, 1_500) * np.exp(-0.5 * X[:, 0]))
        target = Target.of(days, days).scaled(float(np.median(days)))
        assert not are_coarse(target)
        return possible_heads(MIXTURE, target, POLICY)[-1:], X, target

    def heads(given):
        return chosen_of(*given).mixture.heads_per_cause

    samples = [possible(seed) for seed in (0, 2)]
    apart = [heads(one) for one in samples]
    monkeypatch.setattr("hazboost.training.refining.spread_ties", lambda target: target)
    assert all(few < many for few, many in zip(apart, [heads(one) for one in samples], strict=True))


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
    monkeypatch.setattr("hazboost.training.refining.wider_heads", lambda *_: [])
    assert with_more < 0.7 * error()


@pytest.mark.parametrize("entry", [0.0, 0.3])
@pytest.mark.parametrize("n_causes", [1, 2])
def test_without_shifts_the_loss_is_that_without_covariates(n_causes, entry):
    rng = np.random.default_rng(0)
    time, cause = entry + rng.exponential(size=50), rng.integers(0, n_causes + 1, 50)
    target = Target.of(time, np.where(cause > 0, time, np.inf), entry=np.full(50, entry), cause=cause)
    mixture = Mixture(MIXTURE.counts, MIXTURE.parameter_activation, MIXTURE.weight_activation, n_causes=n_causes)
    plain = MarginalLoss.of(mixture, target)
    observed, unseen = Observed.of(target, n_causes), before_entry(target, mixture)
    given = LossGivenShifts(plain.mixture, target, observed, 50.0, unseen, np.zeros((50, n_causes)))
    logs = rng.normal(scale=0.3, size=mixture.n_scores)
    np.testing.assert_allclose(given(logs)[0], plain(logs)[0])
    np.testing.assert_allclose(given(logs)[1], plain(logs)[1], atol=1e-12)
