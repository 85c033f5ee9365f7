"""The weighted sum of heads: layout of the scores, sums of hazards, and heads that have died."""

import numpy as np
import pytest

from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import SMALLEST_TIME, cumulatives, log_hazards, log_time, sum_hazards
from tests.rows import loss_of_rows

TIMES = np.array([0.0, 1e-9, 0.1, 0.5, 1.0, 3.0])
families = pytest.mark.parametrize("family", HEADS)
weights = pytest.mark.parametrize("weight", [*WEIGHT_ACTIVATIONS, "uniform"])


def observed(times, event):
    return Target.of(times, times if event else np.full_like(times, np.inf), np.ones_like(times))


def test_scores_are_laid_out_as_documented(make_mixture):
    mixture = make_mixture({"weibull": 2, "loglogistic": 1}, "exp", "identity")
    weibull, loglogistic = mixture.blocks
    assert [weibull.scores(0), weibull.scores(1)] == [slice(0, 2), slice(2, 4)]
    assert [loglogistic.scores(0), loglogistic.scores(1)] == [slice(4, 5), slice(5, 6)]
    assert (weibull.heads, loglogistic.heads) == (slice(0, 2), slice(2, 3))
    assert (mixture.first_weight_score, mixture.n_scores, mixture.n_heads) == (6, 9, 3)
    assert mixture.head_names == ["weibull_1", "weibull_2", "loglogistic_1"]


def test_families_keep_the_order_of_the_registry_and_empty_ones_have_no_scores(make_mixture):
    mixture = make_mixture({name: int(name != "gompertz") for name in reversed(HEADS)})
    assert [block.head.name for block in mixture.blocks] == [name for name in HEADS if name != "gompertz"]


def test_uniform_weights_take_no_scores(make_mixture):
    mixture = make_mixture({"weibull": 2, "exponential": 1}, "exp", "uniform")
    assert not mixture.learns_weights
    assert mixture.n_scores == mixture.first_weight_score == 5


def test_level_of_the_weights_is_their_first_score(make_mixture):
    mixture = make_mixture({"weibull": 2, "exponential": 1}, "exp", "scaled_softmax", 2)
    assert (mixture.first_weight_score, mixture.n_weight_scores, mixture.n_scores) == (10, 8, 18)
    np.testing.assert_array_equal(mixture.scores_of_causes[1], [5, 6, 7, 8, 9, 14, 15, 16, 17])
    np.testing.assert_array_equal(np.argwhere(mixture.scales), [[0, 10], [1, 14]])


@pytest.mark.parametrize("weight", ["softmax", "uniform"])
def test_without_a_level_the_scales_of_the_heads_scale_the_hazard(make_mixture, weight):
    mixture = make_mixture({"weibull": 2, "loglogistic": 1}, "exp", weight, 2)
    np.testing.assert_array_equal(np.argwhere(mixture.scales), [[0, 0], [0, 1], [0, 4], [1, 6], [1, 7], [1, 10]])


@weights
@pytest.mark.parametrize("n_causes", [1, 3])
def test_scores_of_a_cause_scale_its_hazard_alone(make_mixture, weight, n_causes):
    """Moved by one, the level multiplies the hazard by e at all times; scales do so where the hazard is Weibull's."""
    mixture = make_mixture({"weibull": 2}, "exp", weight, n_causes)
    scores = np.random.default_rng(0).uniform(0.1, 1.0, size=(4, mixture.n_scores))
    before = Distribution(mixture, scores)
    for cause in range(1, n_causes + 1):
        after = Distribution(mixture, scores + mixture.scales[cause - 1])
        for other in range(1, n_causes + 1):
            factor = np.e if other == cause else 1.0
            np.testing.assert_allclose(after.hazard(TIMES, other), factor * before.hazard(TIMES, other), rtol=1e-12)


def test_hazard_and_cumulative_hazard_are_weighted_sums_of_the_heads(make_mixture):
    mixture = make_mixture(dict.fromkeys(HEADS, 2), "exp", "relu")
    scores = np.random.default_rng(0).uniform(0.1, 1.0, size=(3, mixture.n_scores))
    hazard, cumulative = np.zeros((3, len(TIMES) - 1)), np.zeros((3, len(TIMES) - 1))
    head = 0
    for block in mixture.blocks:
        for i in range(block.count):
            parameters = [scores[:, block.scores(p)][:, [i]] for p in range(len(block.head.parameters))]
            at = block.head.evaluate(np.log(TIMES[None, 1:]), *parameters)
            weight = scores[:, [mixture.first_weight_score + head]]
            hazard += weight * np.exp(at.log_hazard)
            cumulative += weight * at.cumulative
            head += 1
    distribution = Distribution(mixture, scores)
    np.testing.assert_allclose(distribution.hazard(TIMES[1:]), hazard, rtol=1e-12)
    np.testing.assert_allclose(distribution.cumulative_hazard(TIMES[1:]), cumulative, rtol=1e-12)


def test_one_time_and_many_times_for_each_subject_agree(make_mixture):
    mixture = make_mixture({"weibull": 2, "exponential": 1})
    parameters = mixture.parameters(np.random.default_rng(1).normal(size=(mixture.n_scores, 4)))
    log_t = np.log(np.array([0.2, 0.4, 0.6]))
    many = mixture.evaluate(parameters, log_t[None])
    assert log_hazards(many).shape == cumulatives(many).shape == (3, 4, 3)
    own = mixture.evaluate(parameters, np.tile(log_t, (4, 1)))
    np.testing.assert_array_equal(log_hazards(own), log_hazards(many))
    np.testing.assert_array_equal(cumulatives(own), cumulatives(many))
    for i, x in enumerate(log_t):
        one = mixture.evaluate(parameters, np.full(4, x))
        np.testing.assert_array_equal(log_hazards(one), log_hazards(many)[:, :, i])
        np.testing.assert_array_equal(cumulatives(one), cumulatives(many)[:, :, i])


@weights
@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
def test_total_cumulative_hazard_is_the_weighted_sum_over_all_heads(make_mixture, parameter, weight):
    mixture = make_mixture(dict.fromkeys(HEADS, 2), parameter, weight, 2)
    parameters = mixture.parameters(np.random.default_rng(1).normal(size=(mixture.n_scores, 4)))
    for log_t in (np.log([0.1, 0.4, 1.0, 3.0]), np.log([[0.2, 0.4, 0.6]]), np.log(np.ones((4, 2)) / 3.0)):
        each = cumulatives(mixture.evaluate(parameters, log_t, VALUE))
        weight_of_each = parameters.weight[(..., *[None] * (log_t.ndim - 1))]
        total = mixture.total_cumulative(parameters, log_t)
        np.testing.assert_allclose(total, (weight_of_each * each).sum(axis=0), rtol=1e-12, atol=1e-14)


def test_some_rows_of_the_parameters_are_the_parameters_of_some_rows(make_mixture):
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "relu", "relu")
    scores = np.random.default_rng(2).normal(size=(mixture.n_scores, 6))
    rows = np.array([4, 1, 1])
    some, same = mixture.parameters(scores).rows(rows), mixture.parameters(scores[:, rows])
    np.testing.assert_array_equal(some.weight, same.weight)
    np.testing.assert_array_equal(some.alive, same.alive)
    np.testing.assert_array_equal(some.without_hazard, same.without_hazard)
    np.testing.assert_array_equal(some.activated[1][0].log_value, same.activated[1][0].log_value)


def test_no_dead_head_needs_no_mask(make_mixture):
    scores = np.random.default_rng(2).normal(size=(6, 5))
    parameters = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "relu").parameters(scores)
    for one in (parameters, parameters.rows(np.array([3, 0]))):
        assert one.alive is None
        np.testing.assert_array_equal(one.only_alive(one.weight), one.weight)
    dying = make_mixture({"weibull": 1, "loglogistic": 1}, "relu", "relu").parameters(scores)
    np.testing.assert_array_equal(dying.alive, [(scores[:2] > 0.0).all(axis=0), (scores[2:4] > 0.0).all(axis=0)])
    np.testing.assert_array_equal(dying.only_alive(np.ones((2, 5))), dying.alive)


@pytest.mark.parametrize("n_heads", [1, 4])
@pytest.mark.parametrize("sign", [np.asarray, np.abs], ids=["any", "positive"])
def test_hazards_add_up_in_logarithms(sign, n_heads):
    rng = np.random.default_rng(3)
    weight, log_hazard = sign(rng.normal(size=(n_heads, 50))), rng.normal(size=(n_heads, 50))
    part = weight * np.exp(log_hazard)
    total = sum_hazards(weight, log_hazard)
    np.testing.assert_allclose(total.hazard, np.maximum(part.sum(axis=0), 0.0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(total.share, part / np.abs(part).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(np.exp(total.log_total), np.abs(part).sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("shift", [-1e4, 1e4])
def test_sums_of_hazards_do_not_leave_the_doubles(shift):
    with np.errstate(all="raise", under="ignore"):
        total = sum_hazards(np.array([[1.0], [2.0], [0.0]]), np.array([[shift], [shift], [0.0]]))
    np.testing.assert_allclose(total.log_total, shift + np.log(3.0), rtol=1e-15)
    np.testing.assert_allclose(total.share, [[1 / 3], [2 / 3], [0.0]], rtol=1e-9)
    assert np.isfinite(total.hazard).all()


def test_no_head_means_no_hazard_and_no_warning():
    with np.errstate(all="raise"):
        total = sum_hazards(np.zeros((3, 2)), np.ones((3, 2)))
        assert (total.hazard == 0.0).all()
    assert (total.log_total == -np.inf).all()
    assert (total.share == 0.0).all()


def test_log_time_is_finite_at_zero():
    np.testing.assert_array_equal(log_time(np.array([0.0, 1.0])), [np.log(SMALLEST_TIME), 0.0])


@families
@weights
def test_dead_head_contributes_nothing(make_mixture, family, weight):
    """Kill each parameter in turn: what is left is the mixture without that head."""
    n_parameters = len(HEADS[family].parameters)
    both = make_mixture({family: 2}, "relu", weight)
    alone = make_mixture({family: 1}, "relu", "identity")
    rng = np.random.default_rng(4)
    for p in range(n_parameters):
        scores = rng.uniform(0.5, 1.5, size=(1, both.n_scores))
        scores[0, 2 * p + 1] = -0.3
        weight_of_first = both.parameters(scores.T).weight[0, 0]
        assert weight_of_first > 0.0
        left = np.array([[*scores[0, 0 : 2 * n_parameters : 2], weight_of_first]])
        with_dead, without = Distribution(both, scores), Distribution(alone, left)
        np.testing.assert_allclose(with_dead.cumulative_hazard(TIMES), without.cumulative_hazard(TIMES), rtol=1e-12)
        np.testing.assert_allclose(with_dead.hazard(TIMES), without.hazard(TIMES), rtol=1e-12)
        for event in (True, False):
            target = observed(TIMES[2:], event)
            dead, dead_gradient, _ = loss_of_rows(both, np.repeat(scores, 4, axis=0), target)
            lone, lone_gradient, _ = loss_of_rows(alone, np.repeat(left, 4, axis=0), target)
            np.testing.assert_allclose(dead, lone, rtol=1e-12)
            np.testing.assert_array_equal(dead_gradient[:, 1 : 2 * n_parameters : 2], 0.0)
            np.testing.assert_allclose(
                dead_gradient[:, 0 : 2 * n_parameters : 2], lone_gradient[:, :-1], rtol=1e-10, atol=1e-14
            )


@families
def test_survival_starts_at_one_whatever_has_died(make_mixture, family):
    mixture = make_mixture({family: 1}, "relu", "relu", background=0.1)
    for column in range(mixture.n_scores):
        scores = np.ones((1, mixture.n_scores))
        scores[0, column] = 0.0
        survival = Distribution(mixture, scores).survival(TIMES)
        assert survival[0, 0] == 1.0
        assert survival[0, -1] < 1.0


@families
@weights
@pytest.mark.parametrize("event", [True, False])
def test_subject_all_of_whose_heads_have_died_gets_the_background_hazard(make_mixture, family, weight, event):
    mixture = make_mixture({family: 2}, "relu", weight, background=0.01)
    scores = np.full((len(TIMES) - 1, mixture.n_scores), -1.0)
    distribution = Distribution(mixture, scores[:1], unit=2.0)
    np.testing.assert_allclose(distribution.hazard(TIMES), 0.01 / 2.0)
    np.testing.assert_allclose(distribution.cumulative_hazard(TIMES)[0], 0.01 * TIMES / 2.0)
    loss, gradient, _ = loss_of_rows(mixture, scores, observed(TIMES[1:], event))
    np.testing.assert_allclose(loss, 0.01 * TIMES[1:] - event * np.log(0.01), rtol=1e-12)
    np.testing.assert_array_equal(gradient, 0.0)


@pytest.mark.parametrize("weight", ["relu", "identity", "tanh"])
def test_weights_of_zero_leave_the_background_hazard(make_mixture, weight):
    mixture = make_mixture({"weibull": 1, "exponential": 1}, "exp", weight, background=0.25)
    scores = np.zeros((1, mixture.n_scores))
    np.testing.assert_allclose(Distribution(mixture, scores).cumulative_hazard(TIMES)[0], 0.25 * TIMES)
    loss, gradient, _ = loss_of_rows(mixture, scores, observed(np.array([2.0]), event=True))
    assert loss[0] == pytest.approx(0.5 - np.log(0.25))
    np.testing.assert_array_equal(gradient, 0.0)
