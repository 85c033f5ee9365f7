"""Heads that are chosen by likelihood."""

from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost, Surv
from hazboost.data.target import Target
from hazboost.data.ties import spread_ties
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import Mixture
from hazboost.training.heads import (
    PLACES,
    SHAPES,
    add_heads,
    fit_heads,
    insert_head,
    possible_heads,
    price_of_head,
    widen,
    with_head,
)
from hazboost.training.marginal import MarginalLoss, burst_times, marginal_start
from hazboost.training.policy import POLICY

COUNTS = {"weibull": 1, "loglogistic": 1}
NO_BURSTS = replace(POLICY, most_bursts=0)


def mixture(counts=COUNTS, n_causes=1):
    return Mixture(counts, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"], n_causes=n_causes)


def waves(n, rng):
    """Two waves of events, of which the second is broader."""
    return np.where(rng.random(n) < 0.4, rng.normal(20.0, 2.0, n), rng.normal(80.0, 8.0, n))


def seen(time):
    """Everybody observed, in the median event time."""
    return Target.of(time / np.median(time), time / np.median(time))


def fitted(target, most):
    """Heads with at most so many bursts, and their fit."""
    heads, logs = possible_heads(mixture(), target, replace(POLICY, most_bursts=most))[-1]
    return heads, marginal_start(heads, target, None, logs)


LAWS = {
    "exponential": lambda n, rng: rng.exponential(size=n),
    "weibull": lambda n, rng: rng.weibull(3.0, size=n),
    "lognormal": lambda n, rng: rng.lognormal(size=n),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [100, 1000])
def test_ordinary_times_need_no_burst(law, n):
    times = [LAWS[law](n, np.random.default_rng(seed)) for seed in range(5)]
    chosen = [possible_heads(mixture(), seen(one), POLICY)[-1].mixture.counts.get("bounded", 0) for one in times]
    assert np.median(chosen) == 0


def test_heads_are_added_while_each_and_all_of_them_gain_enough():
    fit, found = fit_heads(mixture(), seen(waves(500, np.random.default_rng(1)))), set()
    gains = -np.diff([one.total for one in add_heads(fit, ["bounded"], 4, -np.inf, -np.inf)])
    means = np.cumsum(gains) / np.arange(1, 5)
    for least, mean in [(1.0, 0.0), (gains.max() + 1.0, 0.0), *[(-1.0, one - 1e-3) for one in means]]:
        enough = (gains >= least) & (means >= mean)
        added = len(add_heads(fit, ["bounded"], 4, least, mean)) - 1
        assert added == np.argmin([*enough, False])
        found.add(added)
    assert len(found) > 2


def test_a_weibull_head_may_be_enough_where_there_is_no_burst():
    rng = np.random.default_rng(0)
    for time, without in ((rng.weibull(1.5, 300), True), (waves(300, rng), False)):
        possible = [one.mixture.counts for one in possible_heads(mixture(), seen(time), POLICY)]
        assert (possible == [{"weibull": 1, "loglogistic": 0}, COUNTS]) == without
        assert (len(possible) == 1) == (possible[-1].get("bounded", 0) > 0) == (not without)


def test_the_second_head_may_be_left_out_however_much_it_adds_without_covariates():
    """Covariates may explain what it describes."""
    target = seen(np.random.default_rng(0).lognormal(0.0, 1.5, 1000))
    possible = possible_heads(mixture(), target, NO_BURSTS)
    without, with_second = (fit_heads(one.mixture, target).total for one in possible)
    assert without - with_second > 5.0 * price_of_head(target, 1)


@pytest.mark.parametrize("counts", [{"loglogistic": 1}, {"weibull": 2, "loglogistic": 1}, {**COUNTS, "gompertz": 1}])
def test_other_heads_than_the_usual_ones_were_asked_for(counts):
    time = np.random.default_rng(0).weibull(1.5, 300)
    assert [one.mixture.counts for one in possible_heads(mixture(counts), seen(time), NO_BURSTS)] == [counts]


def test_times_of_the_same_day_are_told_apart_only_to_choose():
    """The fit of heads that are given is the maximum of the likelihood of the recorded times."""
    time = np.ceil(np.random.default_rng(0).exponential(8.0, 300))
    given, target = mixture({"weibull": 1}), seen(time)
    exact, spread = (fit_heads(given, one).chosen(given).logs for one in (target, spread_ties(target)))
    at_exact, at_spread = (np.abs(MarginalLoss.of(given, target)(logs)[1]).max() for logs in (exact, spread))
    assert at_exact < 1e-4
    assert at_spread > 1e-3


@pytest.mark.parametrize("n", [100, 1000])
def test_two_waves_are_found(n):
    """The largest error of survival falls with n, where that of the heads to begin with stays above 0.1."""
    time = waves(n, np.random.default_rng(0))
    many = waves(200_000, np.random.default_rng(1))
    grid = np.linspace(10.0, 110.0, 101)
    truth = (many[:, None] > grid).mean(axis=0)

    def error(most):
        heads, logs = fitted(seen(time), most)
        return np.abs(Distribution(heads, logs[None], np.median(time)).survival(grid)[0] - truth).max()

    assert error(0) > 0.1
    assert error(3) < 2.5 / np.sqrt(n)


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("counts", [COUNTS, {"weibull": 2, "loglogistic": 1, "bounded": 1}, {"loglogistic": 1}])
@pytest.mark.parametrize(("family", "log_scale"), [("bounded", 500.0), ("loglogistic", -500.0), ("weibull", -500.0)])
def test_a_new_head_leaves_the_others_as_they_are(family, log_scale, counts, n_causes):
    """One that is over before everything, or begins after it, has no hazard; the others have the weights they had."""
    old = mixture(counts, n_causes)
    new = widen(old, family)
    logs = np.random.default_rng(0).normal(size=old.n_scores)
    wider = insert_head(old, new, logs, family, (log_scale, 0.0))
    times = np.array([[0.1, 0.5, 1.0, 4.0]])
    for cause in range(1, n_causes + 1):
        before, after = (
            Distribution(one, scores[None]).of_cause(cause).hazard(times) for one, scores in ((old, logs), (new, wider))
        )
        np.testing.assert_allclose(after, before, rtol=1e-9)


def test_another_head_never_lowers_the_likelihood():
    target = seen(waves(300, np.random.default_rng(0)))
    losses = []
    for most in range(4):
        heads, logs = fitted(target, most)
        losses.append(MarginalLoss.of(heads, target)(logs)[0])
    assert losses == sorted(losses, reverse=True)
    assert losses[1] < losses[0] - 0.1


def season(n, rng):
    """Times of a hazard with a period of one, nineteen times as high in winter as in summer."""
    grid = np.linspace(0.0, 30.0, 30_001)
    cumulative = 0.4 * (grid + 0.9 * (1.0 - np.cos(2.0 * np.pi * grid)) / (2.0 * np.pi))
    return np.interp(rng.exponential(size=n), cumulative, grid)


@pytest.mark.parametrize("seed", range(4))
def test_another_head_is_nearly_the_best_that_can_be_found(seed):
    """A likelihood of several waves has a maximum near each; a search from every place and shape finds no other."""
    target = seen(season(400, np.random.default_rng(seed)))
    fit = fit_heads(mixture(), target)
    for _ in range(2):
        wider = with_head(fit, "bounded")
        loss = wider.loss
        places = [
            (-shape * float(np.log(time)), float(np.log(shape)))
            for time in burst_times(target, PLACES)
            for shape in SHAPES
        ]
        starts = [insert_head(fit.mixture, wider.mixture, fit.logs, "bounded", place) for place in places]
        best = min(loss.subjects * loss(loss.minimise(start))[0] for start in starts)
        assert wider.total < best + 1.0
        fit = wider


def test_rounded_times_are_no_bursts():
    """Survival of a constant hazard in whole days: the first days have a tenth of all events each."""
    time = np.ceil(np.random.default_rng(0).exponential(8.0, 1000))
    assert possible_heads(mixture(), seen(time), POLICY)[-1].mixture.counts.get("bounded", 0) == 0


def simulate(n=200):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), Surv.right(np.ones(n, dtype=bool), waves(n, rng))


def test_the_choice_is_visible_and_can_be_made_by_the_user():
    X, y = simulate()
    quick = {"n_estimators": 2, "n_folds": 2, "random_state": 0}
    chosen = FPBoost(**quick).fit(X, y)
    assert chosen.heads_["weibull"] == 1
    assert 1 <= chosen.heads_["bounded"] <= 3
    given = FPBoost(**quick, heads={"bounded": 2}).fit(X, y)
    assert given.heads_ == {**COUNTS, "bounded": 2}
    with pytest.warns(UserWarning, match="the fitted curves are poor"):
        assert FPBoost(**quick, heads=None).fit(X, y).heads_ == COUNTS


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")
@pytest.mark.parametrize(
    "parameters", [{"solver": "gradient"}, {"init": "km"}, {"heads_activation": "softmax"}, {"uniform_heads": True}]
)
def test_other_settings_have_the_heads_they_were_given(parameters):
    assert FPBoost(n_estimators=2, n_folds=2, random_state=0, **parameters).fit(*simulate()).heads_ == COUNTS


@pytest.mark.filterwarnings("ignore:.* the event has the codes 1, 2")
def test_every_kind_of_outcome_can_choose():
    """Causes, delayed entry and intervals of two waves."""
    rng = np.random.default_rng(0)
    time, X, entry = waves(400, rng), rng.normal(size=(400, 1)), rng.uniform(0.0, 40.0, 400)
    late = time > entry
    outcomes = {
        "causes": Surv.right(np.where(time < 40.0, 1, 2), time),
        "entry": Surv.right(late[late], time[late], entry=entry[late]),
        "intervals": Surv.interval(np.floor(time / 4.0) * 4.0, np.floor(time / 4.0) * 4.0 + 4.0),
    }
    for y in outcomes.values():
        model = FPBoost(n_estimators=1, n_folds=2, random_state=0).fit(X[: len(y)], y)
        survival = model.predict_survival_function(X[:1], times=[40.0, 60.0])[0]
        assert survival == pytest.approx(np.array([0.6, 0.6]), abs=0.08)
