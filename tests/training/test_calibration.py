"""Calibration by held-out subjects."""

from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost, Surv
from hazboost.boosting.likelihood import row_loss
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import Mixture, columns
from hazboost.training.blending import Blend
from hazboost.training.calibration import CalibrationLoss, calibrate
from hazboost.training.policy import POLICY
from hazboost.training.predicted import Predicted, Weights

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
    """Scores before and after trees, which differ from zero by chance in the level and in the shape."""
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


def held_out(start, trees, target, parts=1):
    """The same subjects as those of several folds."""
    sample = Sample(np.zeros((len(start), 1)), target)
    rows = np.array_split(np.arange(len(start)), parts)
    return [Predicted(sample.rows(part), start[part], (start + trees)[part]) for part in rows]


def calibrated(mixture, parts, **constants):
    return calibrate(mixture, Blend(parts, np.ones(mixture.n_scores)), replace(POLICY, **constants))


@pytest.mark.parametrize("parts", [1, 5])
def test_many_subjects_say_what_is_wrong(parts):
    """Hazard, shape, and how far trees move both, from predictions that are wrong in all four."""
    rng, mixture = np.random.default_rng(0), weibull()
    start, trees = predictions(mixture, 20_000, rng)
    time, limit = drawn_times(mixture, truly(mixture, start, trees), rng), rng.exponential(1.5, 20_000)
    target = Target.of(np.minimum(time, limit), np.where(time <= limit, time, np.inf))
    found = calibrated(mixture, held_out(start, trees, target, parts))
    level, shape = positions(mixture)
    assert (found.hazard[0], found.shapes[0]) == pytest.approx((HAZARD, SHAPES), rel=0.04)
    assert (found.factor[level], found.factor[shape]) == pytest.approx((1.0 + MORE, 1.0 + LESS), abs=0.08)
    np.testing.assert_allclose(
        (start + found.factor * trees + found.shift)[:, [level, shape]],
        truly(mixture, start, trees)[:, [level, shape]],
        atol=0.15,
    )


def test_what_is_right_stays():
    rng, mixture = np.random.default_rng(1), weibull()
    start, trees = predictions(mixture, 20_000, rng)
    time = drawn_times(mixture, start + trees, rng)
    found = calibrated(mixture, held_out(start, trees, Target.of(time, time)))
    np.testing.assert_allclose(found.factor, 1.0, atol=0.05)
    np.testing.assert_allclose([found.hazard[0], found.shapes[0]], 1.0, atol=0.03)


@pytest.mark.parametrize("n", [1, 20, 1_000])
def test_the_ratio_of_few_events_is_believed_in_part(n):
    """With one exponential hazard, of which half is predicted, the slope of the loss and of its penalty cancel."""
    mixture = Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    scores, target = np.zeros((n, mixture.n_scores)), Target.of(np.full(n, 0.5), np.full(n, 0.5))
    found = calibrated(mixture, [Predicted(Sample(np.zeros((n, 1)), target), scores, scores)])
    logarithm = float(np.log(found.hazard[0]))
    assert 0.5 * n * found.hazard[0] - n + POLICY.calibration_strength * logarithm == pytest.approx(0.0, abs=1e-2 * n)
    assert 0.0 < logarithm < np.log(2.0)
    np.testing.assert_array_equal(found.factor, 1.0)
    np.testing.assert_allclose(found.shift @ mixture.scales.T, np.log(found.hazard))


@pytest.mark.parametrize(("true", "expected"), [(-1.0, 0.0), (5.0, 1.0 + POLICY.most_enlarged)])
def test_trees_are_never_reversed_nor_much_enlarged(true, expected):
    rng, mixture = np.random.default_rng(2), weibull()
    start, trees = predictions(mixture, 5_000, rng)
    level, shape = positions(mixture)
    trees[:, shape] = 0.0
    time = drawn_times(mixture, start + true * trees, rng)
    found = calibrated(mixture, held_out(start, trees, Target.of(time, time)), calibration_strength=0.0)
    assert found.factor[level] == pytest.approx(expected)


def test_one_who_outlives_a_confident_prediction_does_not_decide():
    rng, mixture = np.random.default_rng(3), weibull()
    start, trees = predictions(mixture, 2_000, rng)
    time = drawn_times(mixture, start + trees, rng)
    time[0] = 1e6
    found = calibrated(mixture, held_out(start, trees, Target.of(time, time)))
    assert (found.hazard[0], found.shapes[0]) == pytest.approx((1.0, 1.0), abs=0.08)


def test_weights_count():
    """Subjects of weight three are as good as three of them, and those of weight zero are not there."""
    rng, mixture = np.random.default_rng(4), weibull()
    start, trees = predictions(mixture, 300, rng)
    time, weight = drawn_times(mixture, truly(mixture, start, trees), rng), rng.integers(0, 4, 300)
    once = calibrated(mixture, held_out(start, trees, Target.of(time, time, weight.astype(float))))
    several = [np.repeat(one, weight, axis=0) for one in (start, trees, time)]
    again = calibrated(mixture, held_out(*several[:2], Target.of(several[2], several[2])))
    np.testing.assert_allclose(np.concatenate(once), np.concatenate(again), rtol=1e-3)


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
    np.testing.assert_allclose(found.hazard, [HAZARD, 1.0], rtol=0.05)
    np.testing.assert_allclose(found.shapes, [SHAPES, 1.0], rtol=0.04)
    for cause, expected in enumerate([(1.0 + MORE, 1.0 + LESS), (1.0, 1.0)]):
        assert found.factor[list(positions(mixture, cause))] == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("kind", ["right", "delayed", "interval", "several_rows"])
@pytest.mark.parametrize("n_causes", [1, 2])
def test_the_slope_of_the_loss_is_its_derivative(n_causes, kind):
    """By differences, with weights and with trees alone."""
    rng, mixture, n = np.random.default_rng(6), weibull(n_causes), 60
    start, trees = predictions(mixture, n, rng)
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
    target = Target.of(time, upper, rng.uniform(0.5, 2.0, n), entry=entry, cause=cause, subject=subject)
    sample, (other, more) = Sample(np.zeros((n, 1)), target), predictions(mixture, n, rng)
    part = Predicted(sample, start, start + trees, Predicted(sample, other, other + more))
    loss = CalibrationLoss.of(mixture, Blend([part], np.full(mixture.n_scores, 0.7), Weights(0.2, 0.5, 0.3)), POLICY)
    numbers = rng.normal(scale=0.2, size=loss.n_numbers)
    steps = 1e-6 * np.eye(len(numbers))
    by_differences = [(loss(numbers + step)[0] - loss(numbers - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(loss(numbers)[1], by_differences, rtol=1e-5, atol=1e-5)


def test_calibrated_scores_have_the_loss_that_was_minimised():
    rng, mixture = np.random.default_rng(7), weibull()
    start, trees = predictions(mixture, 500, rng)
    time = drawn_times(mixture, truly(mixture, start, trees), rng)
    blend = Blend(held_out(start, trees, Target.of(time, time), 3), np.full(mixture.n_scores, 0.8))
    policy = replace(POLICY, calibration_strength=0.0, largest_difference=np.inf)
    found, loss = calibrate(mixture, blend, policy), CalibrationLoss.of(mixture, blend, policy)
    scores = np.concatenate([found.scores(part, blend) for part in blend.parts])
    losses = row_loss(mixture, columns(scores), loss.observed, VALUE).value
    assert losses.sum() == pytest.approx(loss(loss.minimise())[0])
    assert losses.sum() < loss(np.zeros(4))[0] - 5.0


def test_only_level_and_weights_are_calibrated_where_parameters_are_no_exponentials():
    """A start is shifted in log-parameters, which scores are not."""
    rng, mixture = np.random.default_rng(8), weibull(parameters="softplus")
    start, trees = predictions(mixture, 2_000, rng)
    time = rng.weibull(2.0, 2_000)
    found = calibrated(mixture, held_out(start, trees, Target.of(time, time)))
    first = mixture.first_weight_score
    np.testing.assert_array_equal(found.shift[:first], 0.0)
    np.testing.assert_array_equal(found.factor[:first], 1.0)
    assert found.shapes[0] == 1.0
    assert found.hazard[0] != 1.0


def test_a_hazard_that_is_too_large_for_all_is_made_smaller():
    """Also where every event comes after the limit of the cumulative hazard."""
    mixture = Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    scores, target = np.zeros((200, mixture.n_scores)), Target.of(np.full(200, 5.0), np.full(200, 5.0))
    found = calibrated(mixture, [Predicted(Sample(np.zeros((200, 1)), target), scores, scores)])
    assert found.hazard[0] < 0.5


def test_nothing_is_changed_where_weights_have_no_level():
    mixture = weibull(activation="relu")
    scores, target = np.ones((10, mixture.n_scores)), Target.of(np.ones(10), np.ones(10))
    found = calibrated(mixture, [Predicted(Sample(np.zeros((10, 1)), target), scores, scores + 1.0)])
    np.testing.assert_array_equal(found.shift, 0.0)
    np.testing.assert_array_equal(found.factor, 1.0)
    np.testing.assert_array_equal([found.hazard, found.shapes], 1.0)


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
        assert model.cv_results_["calibration"][0] == pytest.approx(1.0, abs=0.2)
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.08)  # an average of models varies less than each of them


def test_the_start_of_each_cause_is_calibrated(with_policy):
    """Of data without effects, so that there are no trees."""
    rng, n = np.random.default_rng(0), 300
    X, time = rng.normal(size=(n, 2)), rng.exponential(size=n)
    y = Surv.right(rng.integers(0, 3, n), time)

    def fit():
        return FPBoost(heads=None, weibull_heads=1, loglogistic_heads=0, n_folds=3, random_state=0).fit(X, y)

    model = fit()
    with_policy(calibration_strength=1e12)
    before, mixture, results = fit(), model.model_.mixture, model.cv_results_
    assert results["weights"][0] == 1.0
    moved = model.model_.start.log_intercept - before.model_.start.log_intercept
    np.testing.assert_allclose(mixture.scales @ moved, np.log(results["calibration"]), atol=1e-6)
    np.testing.assert_allclose(moved[mixture.of_role("shape")], np.log(results["shape_calibration"]), atol=1e-6)
    assert np.abs(np.log(results["calibration"])).min() > 1e-4


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
    for strength in (POLICY.calibration_strength, 1e12):
        with_policy(calibration_strength=strength)
        curves = [FPBoost(random_state=0).fit(*one).predict_survival_function(X, times=grid) for one in samples]
        errors.append([np.sqrt(np.mean((one - truth) ** 2)) for one in curves])
    assert np.mean(errors[0]) < 0.97 * np.mean(errors[1])
