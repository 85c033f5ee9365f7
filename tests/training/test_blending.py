"""Weights of a regression, of trees that correct it, and of trees alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.hazards.distribution import Distribution
from hazboost.training import blending
from hazboost.training.blending import STEPS as PARTS
from hazboost.training.blending import Blend, all_weights, are_doubtful, blend, choose_weights, usual_weights
from hazboost.training.expected import count_events, until_hazard
from hazboost.training.growing import Ensemble, Member
from hazboost.training.policy import POLICY
from hazboost.training.predicted import Weights
from hazboost.training.selection import Choice, average
from hazboost.training.single import Regression, fit_linear_start, without_features
from tests.training.exponentials import predicted
from tests.training.simulated import automatic, curved, curved_data, linear_data

TRUTHS = {
    "regression": (lambda a, b, c: a, (1.0, 0.0, 0.0)),
    "corrected": (lambda a, b, c: a + b, (0.0, 1.0, 0.0)),
    "alone": (lambda a, b, c: c, (0.0, 0.0, 1.0)),
    "both": (lambda a, b, c: 0.5 * (a + b) + 0.5 * c, (0.0, 0.5, 0.5)),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_many_held_out_subjects_decide(exponential, name):
    truth, expected = TRUTHS[name]
    assert choose_weights(exponential, [predicted(truth, n=4_000)]) == pytest.approx(expected, abs=1 / PARTS)


@pytest.mark.parametrize("with_alone", [False, True])
@pytest.mark.parametrize("name", TRUTHS)
def test_few_hardly_move_the_usual_weights(exponential, name, with_alone):
    weights = choose_weights(exponential, [predicted(TRUTHS[name][0], n=4, alone=with_alone)])
    usual = usual_weights(POLICY, with_alone=with_alone)
    assert np.abs(np.subtract(weights, usual)).max() <= 2 / PARTS
    assert weights != TRUTHS[name][1]


def test_without_trees_alone_they_have_no_weight(exponential):
    truth, _ = TRUTHS["alone"]
    assert choose_weights(exponential, [predicted(truth, n=1_000, alone=False)]).alone == 0.0


@pytest.mark.parametrize("with_alone", [False, True])
def test_weights_add_up_to_one(with_alone):
    weights = all_weights(with_alone=with_alone)
    assert len(set(weights)) == len(weights)
    assert usual_weights(POLICY, with_alone=with_alone) in weights
    np.testing.assert_array_equal(np.sum(weights, axis=1), 1.0)
    assert np.min(weights) == 0.0


@pytest.mark.parametrize(
    ("gain", "events", "doubtful"),
    [(-1.5, 100.0, False), (-1.5, 150.0, True), (-0.5, 300.0, False), (-0.5, 500.0, True), (0.1, 1e6, False)],
)
def test_the_fewer_events_the_clearer_a_loss_has_to_be(exponential, monkeypatch, gain, events, doubtful):
    """Two standard errors after 100, one after 200, and hardly any after very many."""
    part = predicted(TRUTHS["corrected"][0], n=100)
    noise = np.random.default_rng(0).normal(size=100)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    monkeypatch.setattr(type(exponential), "changes", lambda *_: -(noise + gain / 10.0))
    assert are_doubtful(exponential, [part], events) == doubtful


def test_there_are_no_trees_where_no_round_is_best(growing, monkeypatch):
    """Though all folds but one would have some."""
    curves = [[1.0, 9.0], [1.0, 0.5], [1.0, 0.5]]
    best = Ensemble(2, [Member(None, int(np.argmin(curve)), curve, curve) for curve in curves])
    assert best.rounds == 0 < best.without(0).rounds
    monkeypatch.setattr(type(growing), "predict", lambda *_: [])
    monkeypatch.setattr(type(growing), "predict_unseen", lambda *_: pytest.fail("nothing has to be asked"))
    made = blend(growing, best, np.array([100.0]), with_trees_alone=True)
    assert (made.weights, made.alone) == (Weights(1.0, 0.0), None)
    np.testing.assert_array_equal(made.trust, growing.trust)


def ensemble_of(rounds):
    """Two folds that are best after so many rounds."""
    losses = [float(abs(number - rounds)) for number in range(rounds + 2)]
    return Ensemble(2, [Member(None, rounds, losses, losses)] * 2)


@pytest.mark.parametrize(("rounds", "expected"), [(3, [0.25, 0.25, 0.25, 0.25]), (0, [0.5, 0.5])])
def test_trees_alone_that_never_grew_have_no_share(rounds, expected):
    """Shares are those of the ensembles that there are, and together one."""
    made = Blend([], np.ones(1), Weights(0.2, 0.4, 0.4), ensemble_of(rounds))
    averaged = average(ensemble_of(5), made)
    choice = Choice(None, 5, 2, np.ones(1), {}, averaged=averaged)
    np.testing.assert_allclose(choice.shares, expected)
    assert sum(one.weight for one in averaged) == pytest.approx(0.8 if rounds else 0.4)


@curved
def test_a_model_is_the_weighted_mean_of_its_parts(with_policy):
    """Of the trees of three folds, and of two folds without covariates, from a start that is the mean of theirs."""
    with_policy(calibration_strength=1e12)  # which changes nothing
    X, y = curved_data()
    fitted = automatic().fit(X, y)
    model, weights = fitted.model_, Weights(*fitted.cv_results_["weights"])
    assert weights.alone > 0.0 < weights.corrected
    assert sum(weights) == 1.0
    assert len(model.boosters) == len(model.shares) == 3 + POLICY.folds_alone
    shares = np.array([weights.corrected / 3] * 3 + [weights.alone / 2] * 2) / weights.trees
    np.testing.assert_allclose(model.shares, shares)
    encoded = model.schema.encode(X)
    start = model.start.margin(encoded)
    matrix = model.engine.matrix(encoded, start)
    parts = [model.engine.scores(trees, matrix) for trees in model.boosters]
    assert np.abs(parts[0] - parts[1]).max() > 0.01
    grown = start + model.trust * (np.average(parts, axis=0, weights=shares) - start)
    np.testing.assert_allclose(model.distribution(X).scores, grown, atol=1e-6)
    events = y[0].sum()
    trusts = [events / (events + 100.0 * 2.0**doublings) for doublings in POLICY.trust_doublings]
    believed = model.trust / weights.trees
    np.testing.assert_allclose(believed, min(trusts, key=lambda one: abs(one - believed[0])))


def test_trees_alone_are_left_out_where_they_do_not_help():
    """Where a straight line is all there is, they are given up after one fold or never begun."""
    lines = automatic().fit(*linear_data())
    assert lines.cv_results_["weights"][2] == 0.0
    assert len(lines.model_.boosters) in (1, 3)


def test_trees_that_hardly_help_are_left_out_where_events_are_many(with_policy):
    """Subjects of other folds have no use for them: the regression is nearer to the truth than with the trees."""
    X, y = linear_data(1_500, seed=8)
    X_new, times = linear_data(500, seed=30)[0], np.linspace(0.1, 3.0, 40)
    truth = np.exp(-((times * np.exp(0.7 * X_new[:, :1] - 0.5 * X_new[:, 1:2])) ** 1.5))

    def error(model):
        return float(np.sqrt(np.mean((model.predict_survival_function(X_new, times=times) - truth) ** 2)))

    plain = automatic().fit(X, y)
    assert plain.n_estimators_ == 0 < int(np.argmin(plain.cv_results_["round_loss"]))
    assert plain.model_.n_trees == 0
    with_policy(events_for_doubt=np.inf)
    grown = automatic().fit(X, y)
    assert grown.n_estimators_ > 0
    assert error(plain) < error(grown)


def test_without_a_regression_trees_stay(with_policy):
    """Nothing else would tell subjects apart."""
    with_policy(events_for_doubt=-np.inf)
    X, y = linear_data()
    assert automatic().fit(X, y).n_estimators_ == 0
    assert automatic(init="marginal").fit(X, y).n_estimators_ > 0


@curved
def test_copies_of_subjects_do_not_make_trees_doubtful(monkeypatch):
    """Three copies of each have three times the events, and say no more."""
    X, (event, time) = curved_data(300)
    rows, asked = np.tile(np.arange(300), 3), []
    monkeypatch.setattr(blending, "is_clear", lambda gain, mass, errors: asked.append(errors) or True)
    assert automatic().fit(X[rows], (event[rows], time[rows]), groups=rows).n_estimators_ > 0
    assert asked == [pytest.approx(-POLICY.events_for_doubt / event.sum())]


@pytest.mark.parametrize("seed", [10, 12, 17])
def test_trees_alone_begin_near_the_regression(with_policy, seed):
    """Without covariates the Weibull head has no share here, and given them it has most: halfway there is no hazard."""
    with_policy(trust_strength=1e9)  # as much of the trees is believed as usual
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    event, time = rng.random(300) < 0.7, rng.weibull(1.5, size=300) * np.exp(-X[:, 0] - (X[:, 1] > 0.0))
    model = FPBoost(random_state=seed, n_jobs=1, heads=None).fit(X, (event, time))  # with both heads
    assert model.cv_results_["weights"][2] > 0.0
    assert model.diagnostics_["survival_error"] < 0.05
    assert model.diagnostics_["expected_events"] == pytest.approx(model.diagnostics_["observed_events"], rel=0.1)


def test_a_regression_without_features_has_another_level_only(growing):
    plan, sample = growing.plan, growing.cv.folds[0].kept
    linear = replace(plan, given=replace(plan.given, init="linear"))
    regression = fit_linear_start(linear, sample, Regression(1.0))
    same, mixture = without_features(plan, regression, sample), plan.objective.mixture
    assert np.ptp(same.margin(sample.X), axis=0) == pytest.approx(0.0)
    moved = same.log_intercept - regression.log_intercept
    np.testing.assert_array_equal(moved != 0.0, mixture.scales[0] != 0.0)
    before = Distribution(mixture, regression.without_features().margin(sample.X))
    observed, expected = count_events(before, until_hazard(before, sample.target, POLICY.largest_difference))
    assert np.exp(mixture.scales @ moved)[0] * expected == pytest.approx(observed)
