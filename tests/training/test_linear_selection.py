"""Choices of the linear start: its ridge, and what features act on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.data.design import learn_design
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.prediction.regression import LinearStart
from hazboost.training.cross_validation import CrossValidation, Fold
from hazboost.training.linear import fit_linear_path
from hazboost.training.linear_selection import Comparison, row_losses
from hazboost.training.plan import Plan
from hazboost.training.policy import POLICY
from tests.accelerated import BETA, TIMES, log_logistic, true_survival


def held_out(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    time, limit = rng.weibull(1.5, n) * np.exp(-0.7 * X[:, 0] + 0.5 * X[:, 1]), rng.exponential(2.0, n)
    event, time = time <= limit, np.minimum(time, limit) / np.minimum(time, limit).max()
    return Sample(X, Target.of(time, np.where(event, time, np.inf)))


def test_no_row_counts_for_more_than_its_limit_when_ridges_are_compared(make_mixture):
    """One subject who outlives a bold prediction costs three at most; everybody else is compared as they are."""
    data = held_out()
    mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax")
    start = np.zeros(mixture.n_scores)
    design = learn_design(data.X, Schema(None, {}, sparse=False), data.target.mass, POLICY.skewness, POLICY.farthest)
    first = LinearStart.constant(mixture, start, design, POLICY.largest_shift)
    path = list(fit_linear_path(first, data.X, data.target, [10.0, 1.0], POLICY))
    bold = replace(path[1], coefficient=np.full_like(path[1].coefficient, 3.0))
    limit = POLICY.largest_difference
    comparison = Comparison(CrossValidation((Fold(0, data, data, data),), 1), [path[0].without_features()], limit)
    losses = [comparison.mean([one]) for one in (*path, bold)]
    without = row_losses(path[0].without_features(), data)
    differences = [row_losses(one, data) - without for one in (*path, bold)]
    assert np.abs(differences[0]).max() < limit < differences[2].max()
    for loss, difference in zip(losses, differences, strict=True):
        clipped = np.clip(difference, -limit, limit)
        assert loss == pytest.approx((without + clipped).mean(), rel=1e-12)
    assert losses[2] < (without + differences[2]).mean()


def test_curves_of_accelerated_times_are_those_of_the_truth(monkeypatch):
    """Features that act on time are recognised, and the whole curves are nearer to the truth than with the hazard."""
    X, y = log_logistic(1500)
    new = np.random.default_rng(9).normal(size=(300, 3))

    def error(model):
        return float(np.sqrt(np.mean((model.predict_survival_function(new, times=TIMES) - true_survival(new)) ** 2)))

    model = FPBoost(random_state=0).fit(X, y)
    assert model.linear_effect_ == "time"
    assert error(model) < 0.03
    monkeypatch.setattr(Plan, "may_accelerate", False)
    proportional = FPBoost(random_state=0).fit(X, y)
    assert proportional.linear_effect_ == "hazard"
    assert error(model) < 0.7 * error(proportional)


def test_proportional_hazards_stay_proportional():
    """No event before a guarantee time, which features do not move."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 3))
    time = 1.0 + rng.exponential(size=500) * np.exp(-X @ BETA)
    model = FPBoost(n_estimators=1, random_state=0).fit(X, (time < 4.0, np.minimum(time, 4.0)))
    assert model.linear_effect_ == "hazard"


def test_where_a_hazard_may_only_rise_features_act_on_it():
    """A hazard with a peak that comes earlier is lower afterwards."""
    X, y = log_logistic(1_500)
    assert FPBoost(n_estimators=1, random_state=0).fit(X, y).linear_effect_ == "time"
    risen = FPBoost(n_estimators=1, monotone_constraints=[1, 0, 0], random_state=0).fit(X, y)
    assert risen.linear_effect_ == "hazard"


def test_without_a_linear_start_there_is_no_effect():
    X, y = log_logistic(100)
    assert FPBoost(n_estimators=1, init="marginal").fit(X, y).linear_effect_ is None


def test_among_many_useless_features_hazards_stay_proportional():
    """Both effects are the same for a Weibull hazard, but steep heads that are moved by noise overfit."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 40))
    time = rng.weibull(1.5, 300) * np.exp(-0.6 * X[:, 0])
    model = FPBoost(n_estimators=1, random_state=0).fit(X, (time < 2.0, np.minimum(time, 2.0)))
    assert model.linear_effect_ == "hazard"


def test_times_that_features_nearly_determine_are_found():
    """A steep head that follows a feature: the true survival functions are steps of the log-normal law."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.ones(200), np.exp(2.0 * X[:, 3] + 0.1 * rng.normal(size=200))
    model = FPBoost(random_state=0).fit(X, y)
    assert model.linear_effect_ == "time"
    ratio = model.predict_median(X[:50]) / np.exp(2.0 * X[:50, 3])
    assert 0.9 < ratio.min() < ratio.max() < 1.1


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_no_weaker_ridges_are_tried_once_the_loss_has_risen_twice(effect):
    """Noise wants a strong ridge, and needs no fits with weak ones; where features tell much, more are tried."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10))
    time = rng.weibull(1.5, 200) * np.exp(-effect * X[:, 0])
    model = FPBoost(n_estimators=1, random_state=0).fit(X, (time < 3.0, np.minimum(time, 3.0)))
    ridges, losses = (model.cv_results_[name] for name in ("ridges", "ridge_loss"))
    assert ridges == list(POLICY.ridges[: len(losses)])
    rises = np.diff(losses) > 0.0
    twice = rises[1:] & rises[:-1]
    assert not twice[:-1].any()
    assert twice[-1] or len(ridges) == len(POLICY.ridges)
    if effect == 0.0:
        assert len(ridges) < len(POLICY.ridges)
