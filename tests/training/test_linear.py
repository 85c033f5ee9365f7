"""The linear start: a parametric regression under the trees."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from hazboost import FPBoost, Surv
from hazboost.boosting.observed import Observed
from hazboost.data.design import learn_design
from hazboost.data.design import learning as design_module
from hazboost.data.design.products import DenseColumns
from hazboost.data.features import Schema, learn_schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.effects import Proportional
from hazboost.prediction.regression import LinearStart
from hazboost.training import linear
from hazboost.training.linear import _PenalisedLoss, first_start, fit_linear_path
from hazboost.training.marginal import marginal_start
from hazboost.training.policy import POLICY
from hazboost.training.refining import ENOUGH_TO_COMPARE
from tests.rows import loss_of_rows

BETA = np.array([0.8, -0.5, 0.0])
CAUSE_BETA = np.array([[0.8, 0.0], [0.0, -0.6], [0.5, -0.5]])
NUMBERS = Schema(None, {}, sparse=False)


def simulate(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 3.0]
    eta = np.exp(((X - [0.0, 5.0, 3.0]) / [1.0, 10.0, 0.1]) @ BETA)
    time = (rng.exponential(size=n) / eta) ** (1 / 1.5)
    limit = rng.exponential(2.0, n)
    event, time = time <= limit, np.minimum(time, limit)
    unit = time.max()
    return X, Target.of(time / unit, np.where(event, time / unit, np.inf), np.ones(n))


def simulate_causes(n, seed=0):
    """Two causes with constant hazards; each feature acts on one of them, the third on both."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    times = np.column_stack([rng.exponential(size=n) / np.exp(X @ beta) for beta in CAUSE_BETA.T])
    limit = rng.exponential(2.0, n)
    time, cause = np.minimum(times.min(axis=1), limit), 1 + times.argmin(axis=1)
    unit, cause = time.max(), np.where(limit < times.min(axis=1), 0, cause)
    return X, Target.of(time / unit, np.where(cause > 0, time / unit, np.inf), cause=cause)


def learn(X, target, schema=NUMBERS):
    return learn_design(X, schema, target.mass, POLICY.skewness, POLICY.farthest)


def path_of(mixture, X, target, ridges, first=None, design=None, directions=(), tolerance=linear.TOLERANCE):
    first = marginal_start(mixture.with_log_link, target, np.random.default_rng(0)) if first is None else first
    start = LinearStart.constant(mixture, first, design or learn(X, target), POLICY.largest_shift)
    return list(fit_linear_path(start, X, target, ridges, POLICY, directions, tolerance))


@pytest.mark.parametrize("weight", ["uniform", "scaled_softmax"])
def test_coefficients_of_a_weibull_regression_are_recovered(make_mixture, weight):
    """Whether they shift the scale of the head or the level of the weights."""
    X, target = simulate(8000)
    (start,) = path_of(make_mixture({"weibull": 1}, "exp", weight), X, target, [0.1])
    assert start.coefficient.shape == (3, 1)
    np.testing.assert_allclose(start.coefficient[:, 0], BETA, atol=0.05)


@pytest.mark.parametrize("weight", ["uniform", "scaled_softmax"])
def test_every_cause_has_coefficients_of_its_own(make_mixture, weight):
    X, target = simulate_causes(8000)
    mixture = make_mixture({"exponential": 1}, "exp", weight, 2)
    (start,) = path_of(mixture, X, target, [0.1])
    np.testing.assert_allclose(start.coefficient, CAUSE_BETA, atol=0.07)
    mean = Distribution(mixture, start.margin(np.zeros((1, 3))))
    feature = Distribution(mixture, start.margin(np.eye(3)))
    for cause in (1, 2):
        ratio = np.log(feature.hazard(np.array([0.5]), cause) / mean.hazard(np.array([0.5]), cause))[:, 0]
        np.testing.assert_allclose(ratio, CAUSE_BETA[:, cause - 1], atol=0.07)


def test_with_a_level_hazards_are_proportional_at_all_times(make_mixture):
    X, target = simulate(400)
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "scaled_softmax")
    (start,) = path_of(mixture, X, target, [1.0])
    hazard = Distribution(mixture, start.margin(X[:20])).hazard(np.linspace(0.01, 3.0, 30))
    ratio = hazard / hazard[0]
    np.testing.assert_allclose(ratio, np.repeat(ratio[:, :1], 30, axis=1), rtol=1e-9)
    np.testing.assert_allclose(
        np.log(ratio[:, 0]),
        (start.design.columns(X[:20]) @ start.coefficient - start.design.columns(X[:1]) @ start.coefficient)[:, 0],
        atol=1e-9,
    )


def test_without_features_everybody_is_the_subject_at_the_mean(make_mixture):
    X, target = simulate_causes(300)
    (start,) = path_of(make_mixture({"weibull": 1}, "softplus", "scaled_softmax", 2), X, target, [1.0])
    plain = start.without_features()
    at_the_mean = start.mixture.scores_of_logs(start.log_intercept)
    np.testing.assert_array_equal(plain.margin(X), np.tile(at_the_mean, (300, 1)))
    assert np.ptp(start.margin(X), axis=0).max() > 0.1


def test_no_prediction_is_carried_away(make_mixture):
    """Separated data drive coefficients up; shifts and intercepts stay where they are told to."""
    _, target = simulate(60)
    split = target.event[:, None] * np.array([1.0, 1e6, -1.0])
    mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax")
    first = marginal_start(mixture, target, np.random.default_rng(0))
    (start,) = path_of(mixture, split, target, [1e-9], first)
    level = np.flatnonzero(mixture.scales[0])[0]
    margin = start.margin(1e3 * split)
    assert np.isfinite(margin).all()
    assert np.abs(margin[:, level] - start.log_intercept[level]).max() <= POLICY.largest_shift
    assert np.abs(start.log_intercept - first).max() <= POLICY.intercept_reach + 1e-9
    np.testing.assert_array_equal(
        start.log_intercept[mixture.first_weight_score :], first[mixture.first_weight_score :]
    )


@pytest.mark.parametrize("seed", [0, 11, 15])
def test_no_head_becomes_a_spike_at_the_last_event(make_mixture, seed):
    """An unbounded shape would give the longest training time an infinite density, and all later ones none."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 5))
    time, limit = 0.5 * rng.weibull(1.3, 120) * np.exp(-0.7 * X[:, 0]), rng.exponential(1.0, 120)
    event, time = time <= limit, np.minimum(time, limit) / np.minimum(time, limit).max()
    target = Target.of(time, np.where(event, time, np.inf))
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "scaled_softmax")
    (start,) = path_of(mixture, X, target, [10.0])
    cumulative = Distribution(mixture, start.margin(X)).cumulative_hazard(np.array([1.0, 1.2]))
    assert (cumulative[:, 1] < 1e3 * np.maximum(cumulative[:, 0], 1.0)).all()


@pytest.mark.parametrize("weight", ["softmax", "scaled_softmax", "identity"])
def test_fit_is_a_minimum_of_the_penalised_loss(make_mixture, weight):
    X, target = simulate_causes(400)
    mixture, ridge = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", weight, 2), 10.0
    (start,) = path_of(mixture, X, target, [ridge])
    columns = start.design.columns(X)

    def loss(beta):
        scores = start.log_intercept + columns @ beta @ mixture.scales
        return loss_of_rows(mixture, scores, target).value.mean() + 0.5 * ridge / len(X) * (beta**2).sum()

    best = loss(start.coefficient)
    rng = np.random.default_rng(0)
    assert all(loss(start.coefficient + 0.05 * rng.normal(size=(3, 2))) > best for _ in range(20))


def test_a_search_that_begins_near_ends_at_the_same_fit(make_mixture):
    X, target = simulate(400)
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "scaled_softmax")
    some, logs = np.arange(0, 400, 2), marginal_start(mixture.with_log_link, target, np.random.default_rng(0))
    (far,) = path_of(mixture, X, target, [3.0], logs)
    (near,) = path_of(mixture, X[some], target[some], [3.0], logs)
    first = first_start(mixture, logs, Sample(X, target), NUMBERS, POLICY, near)
    np.testing.assert_array_equal(first.design.columns(X).values, far.design.columns(X).values)
    np.testing.assert_array_equal(first.coefficient, near.coefficient)
    (reached,) = fit_linear_path(first, X, target, [3.0], POLICY)
    np.testing.assert_allclose(reached.coefficient, far.coefficient, atol=1e-4)


def test_a_fit_to_other_columns_is_not_near(make_mixture):
    X, target = simulate(400)
    mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax")
    (near,) = path_of(mixture, X[:, :2], target, [3.0])
    first = first_start(mixture, near.log_intercept, Sample(X, target), NUMBERS, POLICY, near)
    np.testing.assert_array_equal(first.coefficient, np.zeros((3, 1)))


@pytest.mark.parametrize("counts", [{"weibull": 1}, {"weibull": 1, "loglogistic": 1}], ids=len)
def test_fits_to_compare_are_within_a_hundredth_of_a_standard_error(make_mixture, counts):
    X, target = simulate(400)
    mixture = make_mixture(counts, "exp", "scaled_softmax")
    logs = marginal_start(mixture.with_log_link, target, np.random.default_rng(0))
    first = LinearStart.constant(mixture, logs, learn(X, target), POLICY.largest_shift)
    exact, rough = (
        fit_linear_path(first, X, target, POLICY.ridges, POLICY, tolerance=tolerance)
        for tolerance in (linear.TOLERANCE, ENOUGH_TO_COMPARE)
    )
    for ridge, one, other in zip(POLICY.ridges, exact, rough, strict=True):
        # Features are nearly independent, and standardised.
        standard_error = 1.0 / np.sqrt(target.event_mass + ridge)
        np.testing.assert_allclose(other.coefficient, one.coefficient, atol=0.01 * standard_error, rtol=0.0)


def test_a_stronger_ridge_shrinks_the_coefficients_but_keeps_a_ranking(make_mixture):
    X, target = simulate(300)
    path = path_of(make_mixture({"weibull": 1}, "exp", "uniform"), X, target, [10_000.0, 100.0, 1.0])
    sizes = [np.linalg.norm(start.coefficient) for start in path]
    assert 0.0 < sizes[0] < sizes[1] < sizes[2]
    assert np.corrcoef((path[0].design.columns(X) @ path[0].coefficient)[:, 0], X[:, 0])[0, 1] > 0.6


@pytest.mark.parametrize("parameter", list(PARAMETER_ACTIVATIONS))
def test_margin_gives_the_same_parameters_under_every_activation(make_mixture, parameter):
    X, target = simulate(200)
    mixture = make_mixture({"weibull": 1, "gompertz": 1}, parameter, "softmax")
    logs = make_mixture({"weibull": 1, "gompertz": 1}, "exp", "softmax")
    intercept = marginal_start(logs, target, np.random.default_rng(0))
    (start,) = path_of(mixture, X, target, [10.0], intercept)
    (plain,) = path_of(logs, X, target, [10.0], intercept)
    for one, other in zip(
        mixture.parameters(start.margin(X).T).activated, logs.parameters(plain.margin(X).T).activated, strict=True
    ):
        for left, right in zip(one, other, strict=True):
            np.testing.assert_allclose(left.log_value, right.log_value, atol=1e-6)


def test_weight_two_is_a_row_given_twice(make_mixture):
    X, target = simulate(120)
    mixture, twice = make_mixture({"weibull": 1}, "exp", "uniform"), np.arange(120) < 40
    heavy = Target.of(target.lower, target.upper, 1.0 + twice)
    rows = np.concatenate([np.arange(120), np.flatnonzero(twice)])
    (one,), (other,) = path_of(mixture, X, heavy, [5.0]), path_of(mixture, X[rows], target[rows], [5.0])
    np.testing.assert_allclose(one.coefficient, other.coefficient, atol=1e-4)


@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_each_cause_has_coefficients_of_its_own():
    """A feature that brings one cause forward and puts the other off."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(2000, 1))
    times = rng.exponential(1.0, (2, 2000)) * np.exp([-X[:, 0], X[:, 0]])
    y = Surv.right(times.argmin(axis=0) + 1, times.min(axis=0))
    start = FPBoost(1, 0, init="linear", n_estimators=1, n_folds=2, random_state=0).fit(X, y).model_.starts[0]
    np.testing.assert_allclose(start.coefficient[0] / start.design.standardisation.scale, [1.0, -1.0], atol=0.1)


def test_gradient_is_that_of_the_loss_also_where_shifts_are_cut(make_mixture, differentiate):
    X, target = simulate(80)
    mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax")
    columns = learn(X, target).columns(X)
    loss = _PenalisedLoss(
        mixture, Proportional(mixture), columns, Observed.of(target, 1), target.mass, largest_shift=0.7
    )
    point = np.r_[np.zeros(mixture.n_scores), 0.9, -0.4, 0.2]
    cut = np.abs(columns @ point[mixture.n_scores :, None]) > 0.7
    assert 10 < cut.sum() < 70
    for position in range(len(point)):

        def along(value, position=position):
            moved = point.copy()
            moved[position] = value
            return loss(moved, 2.0)[0]

        assert loss(point, 2.0)[1][position] == pytest.approx(differentiate(along, point[position], 1e-6), abs=1e-6)


class WrittenOut:
    """A design whose columns are a plain array."""

    def __init__(self, design):
        self.design, self.features = design, design.features

    def columns(self, X):
        columns = self.design.columns(X)
        return DenseColumns(columns @ np.eye(columns.shape[1]))

    def predict(self, X, coefficient):
        return self.columns(X) @ coefficient


def mixed_features(n, rng):
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x", "z"])
    frame["five"], frame["two"] = (pd.Categorical(rng.choice(list(levels), n)) for levels in ("abcde", "ab"))
    frame = frame.mask(rng.random((n, 4)) < 0.05)
    schema = learn_schema(frame)
    return schema.encode(frame), schema


def sparse_features(n, rng):
    return scipy.sparse.random(n, 8, 0.3, format="csr", random_state=1, data_rvs=rng.standard_exponential), NUMBERS


@pytest.mark.parametrize("features", [mixed_features, sparse_features])
def test_path_is_that_of_columns_written_out(make_mixture, monkeypatch, features):
    monkeypatch.setattr(design_module, "WRITTEN_OUT", 0)
    _, target = simulate_causes(200)
    X, schema = features(200, np.random.default_rng(1))
    mixture, design = make_mixture({"weibull": 1}, "exp", "scaled_softmax", 2), learn(X, target, schema)
    ridges = [100.0, 10.0, 1.0]
    path, written = (path_of(mixture, X, target, ridges, design=one) for one in (design, WrittenOut(design)))
    for one, other in zip(path, written, strict=True):
        np.testing.assert_allclose(one.coefficient, other.coefficient, atol=1e-6)
        np.testing.assert_allclose(one.margin(X), other.margin(X), atol=1e-6)


def test_sparse_and_dense_features_have_the_same_start(make_mixture):
    _, target = simulate(150)
    X, _ = sparse_features(150, np.random.default_rng(2))
    mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax")
    (one,), (other,) = (path_of(mixture, data, target, [3.0]) for data in (X, X.toarray()))
    assert one.design.standardisation.skewed.any()
    np.testing.assert_allclose(one.margin(X), other.margin(X.toarray()), atol=1e-6)


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("width", [100, 300])
def test_many_columns_have_the_fit_of_all_coefficients(make_mixture, monkeypatch, n_causes, width):
    """It is searched among the combinations of the rows, which are fewer."""
    _, target = (simulate if n_causes == 1 else simulate_causes)(40)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 5)) @ rng.normal(size=(5, width)) + rng.normal(size=(40, width))
    X[:, :10] = np.exp(X[:, :10])
    mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax", n_causes)
    monkeypatch.setattr(linear, "MANY_UNKNOWNS", np.inf)
    unknowns, evaluate = [], _PenalisedLoss.__call__
    monkeypatch.setattr(
        _PenalisedLoss,
        "__call__",
        lambda self, point, ridge: unknowns.append(len(point)) or evaluate(self, point, ridge),
    )
    ridges = [1000.0, 30.0]
    # To the end, because a search in other coordinates stops elsewhere.
    reduced = path_of(mixture, X, target, ridges, tolerance=1e-13)
    assert max(unknowns) == mixture.n_scores + 40 * n_causes
    monkeypatch.setattr(linear, "MANY_COLUMNS", np.inf)
    full = path_of(mixture, X, target, ridges, tolerance=1e-13)
    assert max(unknowns) == mixture.n_scores + width * n_causes
    new = rng.normal(size=(20, width))
    for one, other in zip(reduced, full, strict=True):
        assert one.coefficient.shape == other.coefficient.shape == (width, n_causes)
        np.testing.assert_allclose(one.coefficient, other.coefficient, atol=1e-5)
        np.testing.assert_allclose(one.margin(new), other.margin(new), atol=1e-4)


@pytest.mark.parametrize("n_causes", [1, 2])
def test_path_without_a_matrix_is_the_same(make_mixture, monkeypatch, n_causes):
    """With many unknowns no matrix of their curvatures is kept."""
    X, target = (simulate if n_causes == 1 else simulate_causes)(500)
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "scaled_softmax", n_causes)
    ridges = [1000.0, 100.0, 10.0, 1.0]
    with_matrix = path_of(mixture, X, target, ridges)
    monkeypatch.setattr(linear, "MANY_UNKNOWNS", 0)
    without = path_of(mixture, X, target, ridges)
    for one, other in zip(with_matrix, without, strict=True):
        np.testing.assert_allclose(one.coefficient, other.coefficient, atol=2e-3)


#: From far below to far above whatever was seen.
GRID = np.r_[-1e300, -np.logspace(6, -6, 25), 0.0, np.logspace(-6, 6, 25), 1e300]


def skewed_features(rng, n):
    """Symmetric, skewed to either side, and mostly zero."""
    rare = np.where(rng.random(n) < 0.7, 0.0, rng.lognormal(size=n))
    return np.column_stack([rng.normal(size=n), rng.lognormal(size=n), 2.0 - rng.lognormal(size=n), rare])


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    directions=st.tuples(*[st.sampled_from([-1, 0, 1])] * 4),
    n_causes=st.integers(1, 2),
    sparse=st.booleans(),
    weight=st.sampled_from(["scaled_softmax", "softmax"]),
)
def test_margin_moves_in_the_given_directions_only(make_mixture, seed, directions, n_causes, sparse, weight):
    rng = np.random.default_rng(seed)
    _, target = (simulate if n_causes == 1 else simulate_causes)(60, seed)
    X = skewed_features(rng, 60)
    store = scipy.sparse.csr_matrix if sparse else np.asarray
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "softplus", weight, n_causes)
    (start,) = path_of(mixture, store(X), target, [1.0], directions=directions)
    for feature, direction in enumerate(directions):
        rows = np.repeat(X[rng.integers(60)][None], len(GRID), axis=0)
        rows[:, feature] = GRID
        steps = np.diff(start.margin(store(rows)), axis=0)
        if direction:
            assert (direction * steps >= -1e-12).all()


def test_a_direction_against_the_data_removes_a_feature_and_one_with_them_changes_nothing(make_mixture):
    X, target = simulate_causes(800)
    mixture = make_mixture({"exponential": 1}, "exp", "scaled_softmax", 2)
    (free,), (along,), (against,) = (
        path_of(mixture, X, target, [1.0], directions=directions) for directions in [(), (1, -1, 0), (-1, 1, 0)]
    )
    np.testing.assert_array_less(0.1, np.abs(free.coefficient[[0, 1, 2, 2], [0, 1, 0, 1]]))
    # The first feature brings the first cause forward, and the second puts the second cause off.
    np.testing.assert_allclose(along.coefficient[[0, 1], [0, 1]], free.coefficient[[0, 1], [0, 1]], atol=0.02)
    np.testing.assert_array_equal(against.coefficient[[0, 1], [0, 1]], 0.0)
    np.testing.assert_allclose(against.coefficient[2], free.coefficient[2], atol=0.15)


def test_many_columns_keep_their_directions(make_mixture):
    _, target = simulate(30)
    X = np.random.default_rng(4).normal(size=(30, 200))
    directions = np.resize([1, -1, 0], 200)
    (start,) = path_of(make_mixture({"weibull": 1}, "exp", "scaled_softmax"), X, target, [1.0], directions=directions)
    assert (directions[:, None] * start.coefficient >= 0.0).all()
    assert (start.coefficient[directions == 0] < 0.0).any()


def test_monotone_constraints_hold_for_the_linear_start():
    X, target = simulate(200)
    y = target.event, target.lower
    options = {"n_estimators": 1, "n_folds": 2, "random_state": 0}
    free = FPBoost(**options).fit(X, y).model_.starts[0].coefficient[:, 0]
    bound = FPBoost(**options, monotone_constraints=[-1, -1, 1]).fit(X, y).model_.starts[0].coefficient[:, 0]
    assert free[0] > 0.1
    assert bound[0] == 0.0
    assert bound[1] < -0.1
    assert bound[2] >= 0.0
