"""Every activation in the registries: values, slopes, inverses, and who is alive."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hazboost.hazards.activations import (
    LARGEST,
    MAX_LOG,
    PARAMETER_ACTIVATIONS,
    WEIGHT_ACTIVATIONS,
    UniformWeight,
    steepness,
)

parameter_activations = pytest.mark.parametrize("activation", PARAMETER_ACTIVATIONS.values(), ids=PARAMETER_ACTIVATIONS)
weight_activations = pytest.mark.parametrize("activation", WEIGHT_ACTIVATIONS.values(), ids=WEIGHT_ACTIVATIONS)
EXTREMES = np.array([-1e300, -1e31, -1e30, -1e3, -40.0, -1.0, -1e-40, 0.0, 1e-40, 1.0, 40.0, 1e3, 1e30, 1e31, 1e300])


def softmax(x):
    return np.exp(x) / np.exp(x).sum(axis=0)


FORMULAS = {
    "relu": lambda x: np.maximum(x, 0.0),
    "softplus": lambda x: np.log(1.0 + np.exp(x)),
    "exp": np.exp,
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "softmax": softmax,
    "scaled_softmax": lambda x: np.exp(x[0]) * softmax(x[1:]),
    "tanh": np.tanh,
    "identity": lambda x: x,
}


def slope_of(activated):
    """Slopes of all parameters, where None means 1."""
    return np.ones_like(activated.log_value) if activated.slope is None else activated.slope


def alive_of(activated):
    """Which parameters are positive, where None means all."""
    return np.ones_like(activated.log_value, dtype=bool) if activated.alive is None else activated.alive


def slope_in(activation, score, gradient):
    """A gradient in the weights, as `pull_back` takes it: in their logarithms unless they may be negative."""
    return gradient if activation.signed else gradient * activation(score).value


@parameter_activations
def test_parameter_follows_its_formula(activation):
    scores = np.linspace(-5.0, 5.0, 41)
    activated = activation(scores)
    value = np.where(alive_of(activated), np.exp(activated.log_value), 0.0)
    np.testing.assert_allclose(value, FORMULAS[activation.name](scores), rtol=1e-12)


@weight_activations
@pytest.mark.parametrize("n_heads", [1, 3])
def test_weight_follows_its_formula(activation, n_heads):
    n_scores = activation.n_scores(n_heads)
    scores = np.random.default_rng(0).permutation(np.linspace(-5.0, 5.0, 14 * n_scores)).reshape(n_scores, 14)
    np.testing.assert_allclose(activation(scores).value, FORMULAS[activation.name](scores), rtol=1e-12, atol=1e-15)


@parameter_activations
@given(log_value=st.floats(-60.0, 60.0))
def test_inverse_undoes_the_activation(activation, log_value):
    activated = activation(activation.inverse(np.array([log_value])))
    assert alive_of(activated).all()
    assert activated.log_value[0] == pytest.approx(log_value, rel=1e-12, abs=1e-12)


@parameter_activations
@given(score=st.floats(-20.0, 20.0))
def test_parameter_slope_is_that_of_finite_differences(activation, score, differentiate):
    activated = activation(np.array([score]))
    if not alive_of(activated)[0]:
        assert slope_of(activated)[0] == 0.0
        return
    assume(abs(score) > 1e-6)
    slope = differentiate(lambda x: activation(np.array([x])).log_value[0], score, step=1e-3 * min(1.0, abs(score)))
    assert slope_of(activated)[0] == pytest.approx(slope, rel=1e-5, abs=1e-9)


@parameter_activations
def test_parameters_are_finite_and_flat_beyond_their_range(activation):
    with np.errstate(all="raise", under="ignore"):
        activated = activation(EXTREMES)
    log_value, slope, alive = activated.log_value, slope_of(activated), alive_of(activated)
    assert np.isfinite(log_value).all()
    assert np.isfinite(slope).all()
    assert (slope >= 0.0).all()
    assert (slope[np.abs(EXTREMES) > LARGEST] == 0.0).all()
    assert (slope[~alive] == 0.0).all()
    living = log_value[alive]
    assert (np.diff(living) >= 0.0).all()


def test_only_relu_kills_parameters_and_only_at_zero():
    for name, activation in PARAMETER_ACTIVATIONS.items():
        alive = alive_of(activation(np.array([-1.0, -0.0, 0.0, 1e-3])))
        assert alive.tolist() == ([False, False, False, True] if name == "relu" else [True] * 4)


def test_rows_of_activated_parameters():
    activated = PARAMETER_ACTIVATIONS["relu"](np.array([[1.0, 2.0, -4.0], [-1.0, 3.0, 5.0]]))
    chosen = activated.rows(np.array([2, 0]))
    for every, some in zip(activated, chosen, strict=True):
        np.testing.assert_array_equal(some, every[:, [2, 0]])


def test_what_holds_for_all_parameters_is_not_written_out():
    exp = PARAMETER_ACTIVATIONS["exp"]
    ordinary = exp(np.array([[0.0, 3.0]]))
    assert (ordinary.slope, ordinary.alive) == (ordinary.rows(np.array([1])).slope, None) == (None, None)
    np.testing.assert_array_equal(exp(np.array([0.0, 1.01 * MAX_LOG])).slope, [1.0, 0.0])
    assert PARAMETER_ACTIVATIONS["softplus"](np.zeros(2)).alive is None
    assert PARAMETER_ACTIVATIONS["relu"](np.ones(2)).alive.all()


away_from_the_kink = st.floats(0.01, 8.0) | st.floats(-8.0, -0.01)


@weight_activations
@given(data=st.data())
def test_pull_back_is_the_gradient_of_finite_differences(activation, data, differentiate):
    n_scores = activation.n_scores(4)
    score = data.draw(arrays(float, (n_scores, 1), elements=away_from_the_kink))
    gradient = data.draw(arrays(float, (4, 1), elements=st.floats(-3.0, 3.0)))

    def loss_along(direction):
        return differentiate(lambda x: (gradient * activation(score + x * direction[:, None]).value).sum(), 0.0)

    expected = [loss_along(direction) for direction in np.eye(n_scores)]
    rounding = 1e-12 * np.abs(activation(score).value).max()
    pulled = activation(score).pull_back(slope_in(activation, score, gradient))
    np.testing.assert_allclose(pulled[:, 0], expected, rtol=1e-5, atol=1e-10 + rounding)


@weight_activations
@given(data=st.data())
def test_curvature_bends_back_to_no_less_than_any_gradient_it_may_meet(activation, data):
    """Whatever pulls at a head's log-weight by no more than its mass, either way."""
    score = data.draw(arrays(float, (activation.n_scores(4), 1), elements=away_from_the_kink))
    part = data.draw(arrays(float, (4, 1), elements=st.floats(-1.0, 1.0)))
    mass = data.draw(arrays(float, (4, 1), elements=st.floats(0.0, 5.0)))
    weighted = activation(score)
    alive = np.abs(weighted.value) > 0.0
    gradient = np.where(alive, part * mass, 0.0) / np.where(alive, weighted.value, 1.0)
    curvature = weighted.bend_back(np.where(alive, mass, 0.0))
    assert (curvature >= 0.0).all()
    assert (np.abs(weighted.pull_back(slope_in(activation, score, gradient))) <= curvature * (1.0 + 1e-9) + 1e-12).all()


def test_steepness_is_no_less_than_slope_and_squared_slope():
    slope = np.array([-3.0, -0.5, 0.0, 0.5, 1.0, 3.0])
    np.testing.assert_array_equal(steepness(slope), [9.0, 0.5, 0.0, 0.5, 1.0, 9.0])


def test_level_scales_all_weights_alike_and_shares_leave_their_sum():
    activation, rng = WEIGHT_ACTIVATIONS["scaled_softmax"], np.random.default_rng(0)
    score = rng.normal(size=(5, 20))
    raised, turned = score + 0.7 * np.eye(5)[:, :1], np.vstack([score[:1], rng.normal(size=(4, 20))])
    np.testing.assert_allclose(activation(raised).value, np.exp(0.7) * activation(score).value, rtol=1e-14)
    np.testing.assert_allclose(activation(turned).value.sum(axis=0), np.exp(score[0]), rtol=1e-14)
    assert activation.has_level
    assert [name for name, one in WEIGHT_ACTIVATIONS.items() if one.has_level] == ["scaled_softmax"]


@pytest.mark.parametrize("level", [-1e3, -1.01 * MAX_LOG, 1.01 * MAX_LOG, 1e3])
def test_level_beyond_its_range_has_no_slope_but_shares_have(level):
    weighted = WEIGHT_ACTIVATIONS["scaled_softmax"](np.array([[level], [0.3], [-0.2]]))
    assert weighted.value.sum() == pytest.approx(np.exp(np.sign(level) * MAX_LOG))
    for back in (weighted.pull_back, weighted.bend_back):
        (moved,) = back(np.array([[1.0], [0.0]])).T
        assert moved[0] == 0.0
        assert (moved[1:] != 0.0).all()


@weight_activations
def test_number_of_scores_and_heads(activation):
    for n_heads in (1, 3):
        score = np.zeros((activation.n_scores(n_heads), 2))
        assert activation(score).value.shape == (n_heads, 2)
        for back in activation(score)[1:]:
            assert back(np.ones((n_heads, 2))).shape == score.shape


@pytest.mark.parametrize("score", [1.0, 10.0, 15.0, 18.0])
def test_saturating_weights_keep_an_accurate_slope(score):
    tanh, sigmoid = (
        WEIGHT_ACTIVATIONS[name](at).pull_back(slope_in(WEIGHT_ACTIVATIONS[name], at, np.ones((1, 1))))[0, 0]
        for name, at in (("tanh", np.array([[score]])), ("sigmoid", np.array([[2.0 * score]])))
    )
    assert tanh == pytest.approx(np.cosh(score) ** -2.0, rel=1e-5, abs=0.0)
    assert sigmoid == pytest.approx(np.cosh(score) ** -2.0 / 4.0, rel=1e-5, abs=0.0)


def test_softmax_weights_sum_to_one_and_couple_the_heads():
    activation, score = WEIGHT_ACTIVATIONS["softmax"], np.array([[1.0], [-2.0], [0.5]])
    weighted = activation(score)
    assert weighted.value.sum() == pytest.approx(1.0, rel=1e-15)
    pulled = weighted.pull_back(slope_in(activation, score, np.array([[1.0], [0.0], [0.0]])))
    assert (pulled[1:, 0] < 0.0).all()
    assert pulled.sum() == pytest.approx(0.0, abs=1e-15)


@weight_activations
def test_weights_are_finite_for_extreme_scores_and_negative_only_where_signed(activation):
    score = np.stack(np.meshgrid(EXTREMES, EXTREMES)).reshape(2, -1)
    with np.errstate(all="raise", under="ignore"):
        value, pull_back, bend_back = activation(score)
        pulled, bent = pull_back(np.ones_like(value)), bend_back(np.abs(value))
    assert np.isfinite(value).all()
    assert np.isfinite(pulled).all()
    assert np.isfinite(bent).all()
    assert (bent >= 0.0).all()
    assert (value < 0.0).any() == activation.signed


@weight_activations
@pytest.mark.parametrize("n_heads", [1, 2, 3, 128])
def test_equal_weights_are_equal_positive_and_can_move(activation, n_heads):
    score = np.full((activation.n_scores(n_heads), 1), activation.inverse_of_equal_weights(n_heads))
    value, pull_back, _ = activation(score)
    assert (value > 0.0).all()
    assert np.ptp(value) == 0.0
    if n_heads > 1:
        np.testing.assert_allclose(value, 1.0 / n_heads, rtol=1e-12)
        assert pull_back(np.eye(n_heads)[:, [0]])[0, 0] > 0.0


def test_uniform_weights_have_no_score():
    value, *ways_back = UniformWeight(4)(np.empty((0, 3)))
    np.testing.assert_array_equal(value, np.full((4, 3), 0.25))
    assert UniformWeight(4).n_scores(4) == 0
    for back in ways_back:
        assert back(np.ones((4, 3))).shape == (0, 3)
