"""One likelihood for every kind of observation: values by hand, slopes by finite differences, rows cut in pieces."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.hazards.heads.base import CURVATURE, GRADIENT, VALUE
from tests.rows import loss_of_rows

weight_activations = pytest.mark.parametrize("weight", [*WEIGHT_ACTIVATIONS, "uniform"])


def every_kind(rng, n, n_causes=1, scale=1.0):
    """Rows of all kinds: exact and right-censored, with and without delayed entry, left- and interval-censored."""
    lower = scale * rng.uniform(0.2, 1.2, n)
    kind = np.arange(n) % 6
    entry = np.where(kind % 2 == 1, lower * rng.uniform(0.0, 0.9, n), 0.0)
    upper = np.choose(kind // 2, [lower, np.full(n, np.inf), lower * rng.uniform(1.05, 2.0, n)])
    left = (kind == 4) & (rng.random(n) < 0.5)
    lower = np.where(left, 0.0, lower)
    cause = np.where(lower == upper, rng.integers(1, n_causes + 1, n), 0)
    return Target.of(lower, upper, entry=entry, cause=cause)


def draw_scores(rng, mixture, n):
    scores = rng.uniform(-1.2, 1.2, size=(n, mixture.n_scores))
    return np.where(np.abs(scores) < 0.05, 0.1, scores)


def likelihood_by_hand(mixture, scores, target):
    """The negative log-likelihood, from predicted hazards."""
    distribution = Distribution(mixture, scores)

    def cumulative(time):
        return distribution.cumulative_hazard(time[:, None])[:, 0]

    until = np.where(target.interval, target.upper, target.lower)
    loss = cumulative(target.lower) - cumulative(target.entry)
    for cause in range(1, mixture.n_causes + 1):
        rows = target.cause == cause
        loss[rows] -= np.log(distribution.hazard(target.lower[:, None], cause)[rows, 0])
    inside = -np.expm1(-(cumulative(until) - cumulative(target.lower)))
    return loss - np.log(np.where(target.interval, inside, 1.0))


@pytest.mark.parametrize("n_causes", [1, 3])
@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@weight_activations
def test_loss_is_that_of_the_predicted_hazards(make_mixture, is_smooth, parameter, weight, n_causes):
    mixture = make_mixture(dict.fromkeys(HEADS, 1), parameter, weight, n_causes)
    rng = np.random.default_rng(1)
    target, scores = every_kind(rng, 120, n_causes), draw_scores(rng, mixture, 120)
    if mixture.weight_activation.signed:  # an event where the hazard is clipped has a loss of its own
        scores[:, mixture.first_weight_score :] += 1.3
    loss = loss_of_rows(mixture, scores, target).value
    np.testing.assert_allclose(loss, likelihood_by_hand(mixture, scores, target), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("counts", [*({name: 1} for name in HEADS), {"weibull": 1, "loglogistic": 1}], ids=str)
@weight_activations
def test_gradient_is_that_of_finite_differences(make_mixture, differentiate, counts, weight, n_causes):
    mixture = make_mixture(counts, "softplus", weight, n_causes)
    rng = np.random.default_rng(2)
    target, scores = every_kind(rng, 36, n_causes), draw_scores(rng, mixture, 36)
    smooth = np.ones(36, dtype=bool)
    if mixture.weight_activation.signed:
        scores[:, mixture.first_weight_score :] += 0.7
        smooth = has_no_zero_near(mixture, scores, target)
        assert smooth.mean() > 0.3
    loss, gradient, _ = loss_of_rows(mixture, scores, target)
    for column, direction in enumerate(np.eye(mixture.n_scores)):
        expected = differentiate(lambda x, d=direction: loss_of_rows(mixture, scores + x * d, target).value, 0.0, 2e-5)
        error = np.abs(gradient[:, column] - expected)
        assert (error <= 1e-5 * np.abs(expected) + 1e-8 * (1.0 + np.abs(loss)))[smooth].all()


def test_interval_in_which_the_hazard_is_clipped_points_the_way_out(make_mixture, differentiate):
    """As an event does: a finite loss, whose slope is that of the hazard before clipping."""
    mixture = make_mixture({"weibull": 2}, "exp", "identity")
    scores = np.array([[0.0, 0.0, 0.0, 0.7, -1.0, 0.1]])  # -t + 0.1 t^2
    target = Target.of(np.array([0.3]), np.array([0.8]))
    loss, gradient, _ = loss_of_rows(mixture, scores, target)
    assert 0.0 < loss[0] < 100.0
    for column, direction in enumerate(np.eye(6)):
        slope = differentiate(lambda x, d=direction: loss_of_rows(mixture, scores + x * d, target).value, 0.0)
        np.testing.assert_allclose(gradient[:, column], slope, rtol=1e-7)
    assert gradient[0, 4] < 0.0


def has_no_zero_near(mixture, scores, target):
    """Rows none of whose times is near a zero of a cause's hazard, or one where its logarithm is continued."""
    smooth = np.ones(len(target), dtype=bool)
    for part in mixture.by_cause(scores.T):
        for time in (target.entry, target.lower, target.upper):
            at = np.where((time > 0.0) & np.isfinite(time), time, target.lower + 0.1)[:, None]
            near = [Distribution(mixture.one_cause, part.T).hazard(at * factor)[:, 0] for factor in (0.99, 1.0, 1.01)]
            smooth &= (np.min(near, axis=0) > 0.06) | (np.max(near, axis=0) == 0.0)
    return smooth


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@weight_activations
def test_everything_is_finite_for_extreme_scores_and_times(make_mixture, parameter, weight, n_causes):
    mixture = make_mixture(dict.fromkeys(HEADS, 1), parameter, weight, n_causes)
    rng = np.random.default_rng(8)
    n = 400
    times = np.array([0.0, 1e-300, 1e-9, 0.5, 0.5 + 1e-16, 0.5 + 1e-12, 1.0, 1e3, np.inf])
    entry, lower, upper = np.sort(rng.choice(times, size=(3, n)), axis=0)
    lower = np.where(np.isinf(lower), 1e3, lower)
    entry = np.minimum(entry, lower)
    target = Target.of(lower, upper, entry=entry, cause=np.where(lower == upper, rng.integers(1, n_causes + 1, n), 0))
    scores = rng.choice([-1e30, -1e3, -1.0, -1e-40, 0.0, 1e-40, 1.0, 1e3, 1e30], size=(n, mixture.n_scores))
    with np.errstate(all="raise", under="ignore"):
        loss = loss_of_rows(mixture, scores, target)
    for values in loss:
        assert np.isfinite(values).all()
    assert (loss.curvature >= 0.0).all()


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@weight_activations
def test_less_of_the_loss_is_the_same_bit_by_bit(make_mixture, parameter, weight, n_causes):
    """The loss alone, or with its gradient, as with the curvature; what was not asked for is empty."""
    mixture = make_mixture(dict.fromkeys(HEADS, 1), parameter, weight, n_causes)
    rng = np.random.default_rng(9)
    target, scores = every_kind(rng, 60, n_causes), 1.5 * draw_scores(rng, mixture, 60)
    target = Target.of(
        np.r_[target.lower, 0.0, 0.0],
        np.r_[target.upper, 0.0, np.inf],
        entry=np.r_[target.entry, 0.0, 0.0],
        cause=np.r_[target.cause, 1, 0],
    )
    scores = np.concatenate([scores, scores[:2]])
    whole = loss_of_rows(mixture, scores, target)
    for order in (VALUE, GRADIENT, CURVATURE):
        part = loss_of_rows(mixture, scores, target, order)
        for asked_for, one, other in zip(range(3), part, whole, strict=True):
            np.testing.assert_array_equal(one, other if asked_for <= order else np.empty((0, 0)))


@pytest.mark.parametrize("weight", ["softmax", "relu", "tanh"])
def test_no_exposure_and_no_event_tell_nothing(make_mixture, weight):
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", weight, 2)
    time = np.array([0.0, 0.3, 1.0])
    target = Target.of(time, np.full(3, np.inf), entry=time)
    for values in loss_of_rows(mixture, draw_scores(np.random.default_rng(0), mixture, 3), target):
        np.testing.assert_array_equal(values, 0.0)


def test_narrow_interval_is_an_event_at_its_time(make_mixture):
    """The chance of an event in it is the hazard times the width."""
    mixture = make_mixture({"weibull": 2, "loglogistic": 1, "gompertz": 1}, "exp", "softmax")
    rng = np.random.default_rng(3)
    scores, time = draw_scores(rng, mixture, 50), rng.uniform(0.1, 1.0, 50)
    exact = loss_of_rows(mixture, scores, Target.of(time, time))
    narrow = loss_of_rows(mixture, scores, Target.of(time, time * (1.0 + 1e-6)))
    np.testing.assert_allclose(narrow.value, exact.value - np.log(1e-6 * time), rtol=1e-5)
    np.testing.assert_allclose(narrow.gradient, exact.gradient, rtol=1e-4, atol=1e-5)
    weights = slice(mixture.first_weight_score, None)
    np.testing.assert_allclose(narrow.curvature[:, weights], exact.curvature[:, weights], rtol=1e-4, atol=1e-5)
    # what a slope of H moves over the interval bounds what the logarithm of its rise does
    assert (narrow.curvature >= (1.0 - 1e-4) * exact.curvature).all()


@given(seed=st.integers(0, 10**6), pieces=st.integers(2, 6))
@settings(max_examples=12)
@pytest.mark.parametrize("weight", ["softmax", "relu", "identity"])
def test_cutting_a_row_in_pieces_changes_nothing(make_mixture, weight, seed, pieces):
    mixture = make_mixture({"weibull": 2, "loglogistic": 1, "lognormal": 1}, "exp", weight, 2)
    rng = np.random.default_rng(seed)
    target, scores = every_kind(rng, 24, 2), draw_scores(rng, mixture, 24)
    cut, row = cut_rows(target, pieces, rng)
    whole, parts = loss_of_rows(mixture, scores, target), loss_of_rows(mixture, scores[row], cut)
    np.testing.assert_allclose(np.bincount(row, parts.value), whole.value, rtol=1e-9, atol=1e-9)
    for column in range(mixture.n_scores):
        summed = np.bincount(row, parts.gradient[:, column])
        np.testing.assert_allclose(summed, whole.gradient[:, column], rtol=1e-8, atol=1e-9)


def cut_rows(target, pieces, rng):
    """Cut every row at random times between entry and the last time without event; also, the row of each piece."""
    edges = np.sort(rng.random((len(target), pieces - 1)), axis=1)
    edges = target.entry[:, None] + edges * (target.lower - target.entry)[:, None]
    bounds = np.concatenate([target.entry[:, None], edges, target.lower[:, None]], axis=1)
    last = np.arange(pieces) == pieces - 1
    upper = np.where(last, target.upper[:, None], np.inf)
    row = np.repeat(np.arange(len(target)), pieces)
    cause = np.where(last, target.cause[:, None], 0).ravel()
    lower, entry = bounds[:, 1:].ravel(), bounds[:, :-1].ravel()
    return Target.of(lower, upper.ravel(), target.weight[row], entry=entry, cause=cause, subject=row), row


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@weight_activations
@pytest.mark.parametrize("counts", [*({name: 2} for name in HEADS), dict.fromkeys(HEADS, 1)], ids="+".join)
def test_curvature_is_additive_positive_and_no_smaller_than_the_gradient(
    make_mixture, counts, parameter, weight, n_causes
):
    """So a leaf, minus the gradient over the curvature, lies in [-1, 1], and does not feel how subjects are cut."""
    mixture = make_mixture(counts, parameter, weight, n_causes)
    rng = np.random.default_rng(4)
    target, scores = (
        every_kind(rng, 60, n_causes, scale=rng.choice([0.05, 1.0, 4.0], 60)),
        1.5 * draw_scores(rng, mixture, 60),
    )
    cut, row = cut_rows(target, 4, rng)
    whole, parts = loss_of_rows(mixture, scores, target), loss_of_rows(mixture, scores[row], cut)
    assert (np.abs(whole.gradient) <= whole.curvature * (1.0 + 1e-9) + 1e-12).all()
    assert ((whole.curvature > 0.0) | (np.abs(whole.gradient) < 1e-14)).all()
    for column in range(mixture.n_scores):
        summed = np.bincount(row, parts.curvature[:, column])
        np.testing.assert_allclose(summed, whole.curvature[:, column], rtol=1e-8, atol=1e-12)


@given(seed=st.integers(0, 10**6), spread=st.floats(0.1, 6.0), scale=st.floats(1e-4, 30.0))
@example(seed=94972, spread=6.0, scale=24.0)
@settings(max_examples=25)
@weight_activations
def test_curvature_is_no_smaller_than_the_gradient_for_wild_scores(make_mixture, weight, seed, spread, scale):
    mixture = make_mixture(dict.fromkeys(HEADS, 1), "exp", weight)
    rng = np.random.default_rng(seed)
    target, scores = every_kind(rng, 24, scale=scale), spread * draw_scores(rng, mixture, 24)
    loss = loss_of_rows(mixture, scores, target)
    assert (np.abs(loss.gradient) <= loss.curvature * (1.0 + 1e-9) + 1e-12).all()


def test_causes_are_mixtures_of_their_own(make_mixture):
    """Without intervals the loss of several causes is the sum of the losses of each, the others being censoring."""
    mixture = make_mixture({"weibull": 1, "loglogistic": 2}, "exp", "softmax", 3)
    rng = np.random.default_rng(5)
    time, cause = rng.uniform(0.1, 1.0, 60), rng.integers(0, 4, 60)
    target = Target.of(time, np.where(cause > 0, time, np.inf), cause=cause)
    scores = draw_scores(rng, mixture, 60)
    whole = loss_of_rows(mixture, scores, target)
    parts = [
        loss_of_rows(mixture.one_cause, part.T, Target.of(time, np.where(cause == number, time, np.inf)))
        for number, part in enumerate(mixture.by_cause(scores.T), start=1)
    ]
    np.testing.assert_allclose(whole.value, sum(part.value for part in parts), rtol=1e-12)
    np.testing.assert_array_equal(whole.gradient.T, mixture.join_causes([part.gradient.T for part in parts]))
    np.testing.assert_array_equal(whole.curvature.T, mixture.join_causes([part.curvature.T for part in parts]))


def test_layout_of_causes(make_mixture):
    mixture = make_mixture({"weibull": 2, "loglogistic": 1}, "exp", "softmax", 2)
    assert mixture.n_heads == 6
    assert mixture.n_scores == 18
    np.testing.assert_array_equal(mixture.scores_of_causes[0], [0, 1, 2, 3, 4, 5, 12, 13, 14])
    np.testing.assert_array_equal(mixture.scores_of_causes[1], [6, 7, 8, 9, 10, 11, 15, 16, 17])
    np.testing.assert_array_equal(mixture.head_causes, [1, 1, 1, 2, 2, 2])
    scores = np.arange(36.0).reshape(18, 2)
    np.testing.assert_array_equal(mixture.join_causes(mixture.by_cause(scores)), scores)


@weight_activations
def test_weights_of_a_cause_are_those_of_its_own_scores(make_mixture, weight):
    mixture = make_mixture({"weibull": 2, "exponential": 1}, "exp", weight, 3)
    scores = draw_scores(np.random.default_rng(6), mixture, 7).T
    whole = mixture.parameters(scores)
    alone = [mixture.one_cause.parameters(part) for part in mixture.by_cause(scores)]
    np.testing.assert_array_equal(whole.weight, np.concatenate([one.weight for one in alone]))
    slope = np.random.default_rng(7).normal(size=whole.weight.shape)
    for way_back in ("pull_back", "bend_back"):
        by_hand = [getattr(one, way_back)(part) for one, part in zip(alone, np.split(slope, 3), strict=True)]
        np.testing.assert_array_equal(getattr(whole, way_back)(slope), np.concatenate(by_hand))
