"""Calibration by held-out subjects, and how much the trees count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost, Surv
from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.objective import Objective
from hazboost.boosting.steps import STEPS
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import Mixture, columns
from hazboost.training.calibration import MOST_ENLARGED, CalibrationLoss, fit_calibration
from hazboost.training.ensemble import Predicted
from hazboost.training.single import Regression
from hazboost.training.state import State
from tests.training.simulated import automatic

#: How much more, or less, trees should count in the level and in the shape; by what hazard and shape are multiplied.
MORE, LESS, HAZARD, SHAPES = 0.5, -0.4, 1.4, 1.25


def weibull(n_causes=1, activation="scaled_softmax", parameters="exp"):
    return Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS[parameters], WEIGHT_ACTIVATIONS[activation], n_causes=n_causes)


def positions(mixture, cause=0):
    """Where the level and the shape of a cause are."""
    block = mixture.blocks[cause]
    return int(np.flatnonzero(mixture.scales[cause])[0]), block.scores(1).start


def drawn_times(mixture, scores, rng, cause=0):
    """Times of Weibull hazards :math:`e^{level} t^k`."""
    level, shape = positions(mixture, cause)
    return (rng.exponential(size=len(scores)) * np.exp(-scores[:, level])) ** np.exp(-scores[:, shape])


def predictions(mixture, n, rng):
    """Scores before trees, and what these add with the usual shrinkage, by chance in the level and in the shape."""
    start, trees = np.zeros((2, n, mixture.n_scores))
    for cause in range(mixture.n_causes):
        level, shape = positions(mixture, cause)
        start[:, level] = rng.normal(scale=0.5, size=n)
        trees[:, level] = rng.normal(0.3, 0.5, size=n)
        trees[:, shape] = rng.normal(-0.2, 0.3, size=n)
    return start, trees


def truly(mixture, start, trees, cause=0):
    """The scores of a cause if predictions are wrong in all four ways."""
    level, shape = positions(mixture, cause)
    scores, apart = start + trees, trees - trees.mean(axis=0)
    scores[:, level] += np.log(HAZARD) + MORE * apart[:, level]
    scores[:, shape] += np.log(SHAPES) + LESS * apart[:, shape]
    return scores


def held_out(start, trees, target, parts=1, usual=1.0):
    """The same subjects as those of several folds, with trees before they are shrunk."""
    sample = Sample(np.zeros((len(start), 1)), target)
    rows = np.array_split(np.arange(len(start)), parts)
    return [Predicted(sample.rows(part), start[part], (start + trees / usual)[part]) for part in rows]


def state_for(mixture, usual=1.0, *, events=100.0, regression=None, **constants):
    """A fit with such heads and such a usual shrinkage."""
    sample = Sample(np.zeros((2, 1)), Target.of(np.array([1.0, 2.0]), np.array([1.0, 2.0])))
    plan = automatic()._plan(Schema(None, {}, sparse=False), sample.summary(), 1, 0)
    constants["shrinkage_events"] = (1.0 / usual - 1.0) * events
    search = replace(plan.search, policy=replace(plan.search.policy, **constants))
    plan = replace(plan, search=search, objective=Objective(mixture, 0.0, 0.5, STEPS["newton"]))
    return State(plan, sample, np.full(mixture.n_causes, events), regression=regression)


def calibrated(mixture, parts, usual=1.0, **constants):
    return fit_calibration(state_for(mixture, usual, **constants), parts, -np.inf)


@pytest.mark.parametrize(("parts", "usual"), [(1, 1.0), (5, 1.0), (1, 0.5), (5, 0.8)])
def test_many_subjects_say_what_is_wrong(parts, usual):
    """Hazard, shape, and how far trees move both, from predictions that are wrong in all four."""
    rng, mixture = np.random.default_rng(0), weibull()
    start, trees = predictions(mixture, 20_000, rng)
    time, limit = drawn_times(mixture, truly(mixture, start, trees), rng), rng.exponential(1.5, 20_000)
    target = Target.of(np.minimum(time, limit), np.where(time <= limit, time, np.inf))
    given = held_out(start, trees, target, parts, usual)
    found = calibrated(mixture, given, usual)
    both = list(positions(mixture))
    assert found.shrinkage[both] / usual == pytest.approx([1.0 + MORE, 1.0 + LESS], abs=0.08)
    added = found.shift + found.shrinkage / usual * trees.mean(axis=0) - trees.mean(axis=0)
    # Level and scale of a single head are the same: what is missing is divided between them.
    assert np.exp(mixture.scales @ added + added[mixture.blocks[0].scores(0)]) == pytest.approx(HAZARD, rel=0.04)
    assert np.exp(added[both[1]]) == pytest.approx(SHAPES, rel=0.04)
    scores = np.concatenate([found.scores(part) for part in given])
    scores[:, both[0]] += scores[:, mixture.blocks[0].scores(0)][:, 0]
    np.testing.assert_allclose(scores[:, both], truly(mixture, start, trees)[:, both], atol=0.15)


@pytest.mark.parametrize("usual", [1.0, 0.5])
def test_what_is_right_stays(usual):
    rng, mixture = np.random.default_rng(1), weibull()
    start, trees = predictions(mixture, 20_000, rng)
    time = drawn_times(mixture, start + trees, rng)
    found = calibrated(mixture, held_out(start, trees, Target.of(time, time), usual=usual), usual)
    np.testing.assert_allclose(found.shrinkage / usual, 1.0, atol=0.05)
    np.testing.assert_allclose(found.shift, 0.0, atol=0.03)


@pytest.mark.parametrize("usual", [1.0, 0.5])
def test_nothing_changes_where_there_is_nothing_to_learn_from(usual):
    """Nobody has an event, and the cost of any change is infinite in comparison with many who do."""
    rng, mixture = np.random.default_rng(2), weibull()
    start, trees = predictions(mixture, 500, rng)
    time = drawn_times(mixture, truly(mixture, start, trees), rng)
    nobody = calibrated(mixture, held_out(start, trees, Target.of(time, np.full(500, np.inf)), usual=usual), usual)
    np.testing.assert_array_equal(nobody.shift, 0.0)
    np.testing.assert_array_equal(nobody.shrinkage, usual)
    costly = {"shift_strength": 1e9, "shrinkage_strength": 1e9}
    many = calibrated(mixture, held_out(start, trees, Target.of(time, time), usual=usual), usual, **costly)
    np.testing.assert_allclose(many.shift, 0.0, atol=1e-5)
    np.testing.assert_allclose(many.shrinkage, usual, atol=1e-5)


@pytest.mark.parametrize("n", [1, 20, 1_000])
def test_the_ratio_of_few_events_is_believed_in_part(n):
    """With one exponential hazard, of which half is predicted, the slopes of the loss and of its penalty cancel."""
    mixture = Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    scores, target = np.zeros((n, mixture.n_scores)), Target.of(np.full(n, 0.5), np.full(n, 0.5))
    state = state_for(mixture)
    found = fit_calibration(state, [Predicted(Sample(np.zeros((n, 1)), target), scores, scores)], -np.inf)
    hazard = np.exp(found.shift.sum())  # of scale and level
    np.testing.assert_allclose(0.5 * n * hazard - n + state.policy.shift_strength * found.shift, 0.0, atol=1e-2 * n)
    assert 1.0 < hazard < 2.0
    np.testing.assert_array_equal(found.shrinkage, 1.0)


@pytest.mark.parametrize(("true", "expected"), [(-1.0, 0.0), (5.0, 1.0 + MOST_ENLARGED)])
def test_trees_are_never_reversed_nor_much_enlarged(true, expected):
    rng, mixture = np.random.default_rng(2), weibull()
    start, trees = predictions(mixture, 5_000, rng)
    level, shape = positions(mixture)
    trees[:, shape] = 0.0
    time = drawn_times(mixture, start + true * trees, rng)
    parts = held_out(start, trees, Target.of(time, time), usual=0.5)
    found = calibrated(mixture, parts, 0.5, shift_strength=1e-6, shrinkage_strength=1e-6)
    assert found.shrinkage[level] == pytest.approx(0.5 * expected)


@pytest.mark.parametrize("linear", [False, True])
def test_trees_that_are_noise_are_left_out_on_top_of_a_regression(linear):
    """There they have to gain the logarithm of the events over a number; without one, nothing else tells of anybody."""
    rng, mixture = np.random.default_rng(3), weibull()
    start, trees = predictions(mixture, 2_000, rng)
    least = np.log(2_000 / 200) if linear else -np.inf
    state = state_for(mixture, events=2_000.0, regression=Regression(1.0) if linear else None)
    for true, kept in ((0.0, not linear), (1.0, True)):
        time = drawn_times(mixture, start + true * (trees - trees.mean(axis=0)), rng)
        found = fit_calibration(state, held_out(start, trees, Target.of(time, time)), least)
        assert found.has_trees == kept
        assert found.shrinkage[positions(mixture)[0]] == pytest.approx(true, abs=0.15)


def test_trees_that_are_left_out_leave_a_start_that_is_calibrated():
    rng, mixture = np.random.default_rng(4), weibull()
    start, trees = predictions(mixture, 20_000, rng)
    level, shape = positions(mixture)
    wrong = start.copy()
    wrong[:, level] += np.log(HAZARD)
    wrong[:, shape] += np.log(SHAPES)
    time = drawn_times(mixture, wrong, rng)
    state = state_for(mixture, events=20_000.0, regression=Regression(1.0))
    found = fit_calibration(state, held_out(start, trees, Target.of(time, time)), np.inf)
    assert not found.has_trees
    np.testing.assert_array_equal(found.shrinkage, 0.0)
    assert np.exp(found.shift[shape]) == pytest.approx(SHAPES, rel=0.04)
    assert np.exp(found.shift.sum() - found.shift[shape]) == pytest.approx(HAZARD, rel=0.04)


def test_one_who_outlives_a_confident_prediction_does_not_decide():
    rng, mixture = np.random.default_rng(3), weibull()
    start, trees = predictions(mixture, 2_000, rng)
    time = drawn_times(mixture, start + trees, rng)
    time[0] = 1e6
    found = calibrated(mixture, held_out(start, trees, Target.of(time, time)))
    np.testing.assert_allclose(found.shift, 0.0, atol=0.08)


def test_weights_count():
    """Subjects of weight three are as good as three of them, and those of weight zero are not there."""
    rng, mixture = np.random.default_rng(4), weibull()
    start, trees = predictions(mixture, 300, rng)
    time, weight = drawn_times(mixture, truly(mixture, start, trees), rng), rng.integers(0, 4, 300)
    once = calibrated(mixture, held_out(start, trees, Target.of(time, time, weight.astype(float))))
    several = [np.repeat(one, weight, axis=0) for one in (start, trees, time)]
    again = calibrated(mixture, held_out(*several[:2], Target.of(several[2], several[2])))
    np.testing.assert_allclose(once.shift, again.shift, rtol=1e-3)
    np.testing.assert_allclose(once.shrinkage, again.shrinkage, rtol=1e-3)


def test_each_cause_is_calibrated_by_its_own_events():
    """The first is wrong in all four ways, the second is right."""
    rng, mixture = np.random.default_rng(5), weibull(2)
    start, trees = predictions(mixture, 20_000, rng)
    times = [
        drawn_times(mixture, truly(mixture, start, trees), rng, 0),
        drawn_times(mixture, start + trees, rng, 1),
    ]
    time = np.minimum(*times)
    target = Target.of(time, time, cause=1 + np.argmin(times, axis=0))
    found = calibrated(mixture, held_out(start, trees, target))
    added = found.shift + (found.shrinkage - 1.0) * trees.mean(axis=0)
    for cause, (hazard, shapes, more, less) in enumerate([(HAZARD, SHAPES, MORE, LESS), (1.0, 1.0, 0.0, 0.0)]):
        (level, shape), scale = positions(mixture, cause), mixture.blocks[cause].scores(0).start
        assert np.exp(added[level] + added[scale]) == pytest.approx(hazard, rel=0.05)
        assert np.exp(added[shape]) == pytest.approx(shapes, rel=0.04)
        assert found.shrinkage[[level, shape]] == pytest.approx([1.0 + more, 1.0 + less], abs=0.1)


def test_a_cause_without_events_stays_as_it_is():
    rng, mixture = np.random.default_rng(6), weibull(2)
    start, trees = predictions(mixture, 500, rng)
    time = drawn_times(mixture, truly(mixture, start, trees), rng)
    found = calibrated(mixture, held_out(start, trees, Target.of(time, time, cause=np.ones(500, dtype=int))))
    first, second = mixture.scores_of_causes
    np.testing.assert_array_equal(found.shift[second], 0.0)
    np.testing.assert_array_equal(found.shrinkage[second], 1.0)
    assert np.abs(found.shift[first]).min() > 1e-3


def observed(kind, n, n_causes, rng):
    """Subjects with weights, of one kind of survival data."""
    time, cause = rng.exponential(size=n), rng.integers(0, n_causes + 1, n)
    entry, subject = np.zeros(n), None
    upper = np.where(cause > 0, time, np.inf)
    if kind == "delayed":
        entry = 0.5 * time
    elif kind == "interval":
        upper = np.where(np.arange(n) % 2 == 0, 1.5 * time, upper)
        cause = np.where(np.arange(n) % 2 == 0, 1, cause)
    elif kind == "several_rows":
        entry, subject = np.where(np.arange(n) % 2 == 0, 0.0, 1.0), np.arange(n) // 2
        time, upper = time + entry, upper + entry
        time[::2], upper[::2], cause[::2] = 1.0, np.inf, 0
    return Target.of(time, upper, rng.uniform(0.5, 2.0, n), entry=entry, cause=cause, subject=subject)


def assert_slope_is_the_derivative(loss, rng):
    numbers = np.where(loss.free, rng.normal(scale=0.2, size=len(loss.free)), 0.0)
    steps = 1e-6 * np.eye(len(numbers))
    by_differences = [(loss(numbers + step)[0] - loss(numbers - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(loss(numbers)[1], by_differences, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["right", "delayed", "interval", "several_rows"])
@pytest.mark.parametrize("n_causes", [1, 2])
def test_the_slope_of_the_loss_is_its_derivative(n_causes, kind):
    rng, mixture = np.random.default_rng(6), weibull(n_causes)
    start, trees = predictions(mixture, 60, rng)
    parts = held_out(start, trees, observed(kind, 60, n_causes, rng), 1 if kind == "several_rows" else 3, 0.7)
    assert_slope_is_the_derivative(CalibrationLoss.of(state_for(mixture, 0.7), parts), rng)


@pytest.mark.parametrize("activation", WEIGHT_ACTIVATIONS)
@pytest.mark.parametrize("parameters", PARAMETER_ACTIVATIONS)
def test_only_log_parameters_and_weights_with_a_level_are_shifted(parameters, activation):
    """A start is shifted in log-parameters, which scores of other activations are not; trees can always count less."""
    rng, mixture = np.random.default_rng(8), weibull(activation=activation, parameters=parameters)
    n, first = 400, mixture.first_weight_score
    start, trees = np.full((n, mixture.n_scores), 1.0), rng.uniform(0.1, 0.9, size=(n, mixture.n_scores))
    time = rng.weibull(2.0, n)
    state, parts = state_for(mixture), held_out(start, trees, Target.of(time, time))
    assert_slope_is_the_derivative(CalibrationLoss.of(state, parts), rng)
    found = fit_calibration(state, parts, -np.inf)
    has_level, has_logs = mixture.weight_activation.has_level, mixture.has_log_scores
    assert (found.shift[:first] != 0.0).all() == (has_level and has_logs) == (found.shift[:first] != 0.0).any()
    assert (found.shift[first:] != 0.0).any() == has_level
    assert (found.shrinkage[:first] != 1.0).all()


def test_calibrated_scores_have_the_loss_that_was_minimised():
    rng, mixture = np.random.default_rng(7), weibull()
    start, trees = predictions(mixture, 500, rng)
    time = drawn_times(mixture, truly(mixture, start, trees), rng)
    parts = held_out(start, trees, Target.of(time, time), 3, 0.8)
    state = state_for(mixture, 0.8, shift_strength=1e-9, shrinkage_strength=1e-9, largest_difference=np.inf)
    found, loss = fit_calibration(state, parts, -np.inf), CalibrationLoss.of(state, parts)
    losses = row_loss(mixture, columns(np.concatenate([found.scores(part) for part in parts])), loss.observed, VALUE)
    assert losses.value.sum() == pytest.approx(loss(loss.minimise())[0])
    assert losses.value.sum() < loss(np.zeros(2 * mixture.n_scores))[0] - 5.0


def test_a_hazard_that_is_too_large_for_all_is_made_smaller():
    """Also where every event comes after the limit of the cumulative hazard, so that none is seen."""
    mixture = Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    scores, target = np.zeros((200, mixture.n_scores)), Target.of(np.full(200, 5.0), np.full(200, 5.0))
    found = calibrated(mixture, held_out(scores, scores, target))
    assert np.exp(found.shift.sum()) < 0.5  # of scale and level


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # 300 subjects, and large effects
def test_new_subjects_have_as_many_events_as_expected():
    """Curved effects that trees learn in part: without calibration too many or too few events are expected."""
    rng, ratios = np.random.default_rng(0), []

    def draw(n):
        X = rng.normal(size=(n, 4))
        time = rng.exponential(np.exp(-np.abs(2.0 * X[:, 0]) - X[:, 1]))
        limit = rng.exponential(0.5, n)
        return X, (time <= limit, np.minimum(time, limit))

    for _ in range(5):
        model = FPBoost(random_state=0).fit(*draw(300))
        X, (event, time) = draw(5_000)
        expected = model.model_.distribution(X).cumulative_hazard(time[:, None])[:, 0]
        ratios.append(np.minimum(expected, 3.0).sum() / event[expected <= 3.0].sum())
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.08)  # an average of models varies less than each of them


def test_the_start_of_each_cause_is_calibrated(with_policy):
    """Of data without effects, so that there are no trees."""
    rng, n = np.random.default_rng(0), 300
    X, time = rng.normal(size=(n, 2)), rng.exponential(size=n)
    y = Surv.right(rng.integers(0, 3, n), time)

    def fit():
        options = {"heads": None, "loglogistic_heads": 0, "n_folds": 3, "random_state": 0}
        return FPBoost(**options).fit(X, y)

    model, results = fit(), fit().cv_results_
    with_policy(steps_left_out=frozenset({"choose_depth", "grow_trees", "calibrate"}))
    before = fit()
    assert model.n_estimators_ == before.n_estimators_ == 0 == max(results["shrinkage"])
    moved = model.model_.starts[0].log_intercept - before.model_.starts[0].log_intercept
    np.testing.assert_allclose(moved, results["shift"], atol=1e-6)
    assert np.abs(moved[before.model_.mixture.scales.any(axis=0)]).min() > 1e-4


def crossed(n, rng):
    """Who is at risk is decided by the signs of two features together; half of the subjects leave early."""
    X = rng.normal(size=(n, 3))
    time = rng.weibull(1.5, n) * np.exp(-2.0 * (X[:, 0] * X[:, 1] < 0.0))
    limit = rng.exponential(1.0, n)
    return X, (time <= limit, np.minimum(time, limit))


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # they are at the end of the follow-up
def test_curves_are_nearer_to_the_truth_where_trees_decide(with_policy):
    """Shrunken trees leave subjects too close together; held-out subjects tell, and new ones are better for it."""
    rng, errors = np.random.default_rng(0), []
    grid = np.linspace(0.02, 1.5, 50)
    X, _ = crossed(500, rng)
    truth = np.exp(-(grid**1.5) * np.exp(3.0 * (X[:, 0] * X[:, 1] < 0.0))[:, None])
    samples = [crossed(400, rng) for _ in range(4)]
    for left_out in (frozenset(), frozenset({"calibrate"})):
        with_policy(steps_left_out=left_out)
        curves = [FPBoost(random_state=0).fit(*one).predict_survival_function(X, times=grid) for one in samples]
        errors.append([np.sqrt(np.mean((one - truth) ** 2)) for one in curves])
    assert np.mean(errors[0]) < 0.97 * np.mean(errors[1])
