"""Engines side by side: each grows the trees of its own scores on its own features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hazboost.engines import Features, LocalEngine, monotone_engine
from hazboost.engines.divided import DividedEngine, Part

SETTINGS = {"tree_method": "hist", "max_bin": 16, "max_depth": 2, "learning_rate": 0.5, "reg_lambda": 0.0, "nthread": 1}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
START = RNG.normal(size=(80, 4))
GOAL = np.column_stack([np.abs(X[:, 0]), X[:, 0] + X[:, 1], X[:, 2], np.ones(80)])
COLUMNS = {"lower": np.arange(80.0), "upper": np.arange(80.0) + 0.5}


def make(features, n_scores):
    return LocalEngine(SETTINGS, n_scores, features)


def grow(engine, X=X, rounds=5):
    """Squared error towards a known goal."""
    matrix = engine.matrix(X, START, COLUMNS)
    trees = engine.no_trees(matrix)
    for _ in range(rounds):
        trees = engine.grow(trees, matrix, engine.scores(trees, matrix) - START - GOAL, np.ones((80, 4)))
    return matrix, trees


@pytest.fixture
def divided():
    """Scores 0 and 2 on all features, score 1 on the last two; score 3 belongs to nobody."""
    first = Part(make(Features(3), 2), np.array([0, 2]), np.arange(3))
    second = Part(make(Features(2), 1), np.array([1]), np.array([1, 2]))
    return DividedEngine((first, second))


@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_every_score_is_that_of_its_own_engine(divided, container):
    matrix, trees = grow(divided, container(X))
    found = divided.scores(trees, matrix)
    for part in divided.parts:
        alone = part.engine.matrix(container(X[:, part.features]), START[:, part.scores], COLUMNS)
        grown = part.engine.no_trees(alone)
        for _ in range(5):
            slope = part.engine.scores(grown, alone) - (START + GOAL)[:, part.scores]
            grown = part.engine.grow(grown, alone, slope, np.ones(slope.shape))
        np.testing.assert_array_equal(found[:, part.scores], part.engine.scores(grown, alone))
    np.testing.assert_allclose(found[:, 3], START[:, 3], rtol=1e-6)
    assert np.abs(found - START)[:, :3].max(axis=0).min() > 0.5


def test_rounds_settings_and_columns_are_those_of_all_parts(divided):
    matrix, trees = grow(divided)
    assert divided.rounds(trees) == 5
    assert divided.rounds(divided.truncate(trees, 2)) == 2
    steps = [divided.scores(trees, matrix, (made, made + 1)) - matrix.start for made in range(5)]
    np.testing.assert_allclose(matrix.start + np.sum(steps, axis=0), divided.scores(trees, matrix), atol=1e-5)
    np.testing.assert_array_equal(divided.columns(matrix)["lower"], COLUMNS["lower"])
    assert divided.learning_rate == 0.5
    assert divided.scores(trees, matrix).dtype == np.float32
    assert [part.engine.settings["seed"] for part in divided.with_settings(seed=3).parts] == [3, 3]


def test_contributions_are_those_of_the_parts(divided):
    """They add up to the scores, also where a part has some of the features only, or none has the score."""
    matrix, trees = grow(divided)
    pairs, found = divided.interactions(trees, matrix), divided.contributions(trees, matrix)
    assert found.shape == (80, 4, 4)
    np.testing.assert_allclose(found.sum(axis=-1), divided.scores(trees, matrix), atol=1e-5)
    np.testing.assert_allclose(pairs.sum(axis=-1), found, atol=1e-5)
    assert not found[:, 1, 0].any()
    assert not found[:, 3, :3].any()
    for part, one, grown in zip(divided.parts, matrix.parts, trees, strict=True):
        of_part = part.engine.contributions(grown, one)
        np.testing.assert_array_equal(found[:, part.scores][..., part.features], of_part[..., :-1])


def test_sums_are_those_of_any_one_part(divided):
    """All parts have the same rows, which count once."""
    np.testing.assert_array_equal(divided.total(np.array([2.0, 3.0])), [2.0, 3.0])
    assert divided.largest(4.0) == 4.0


def test_new_data_use_the_bins_of_the_training_data(divided):
    matrix, trees = grow(divided)
    for other in (divided.matrix(X, START), divided.matrix(X, START, COLUMNS, like=matrix)):
        np.testing.assert_allclose(divided.scores(trees, other), divided.scores(trees, matrix), atol=1e-6)


SCALES = np.array([True, False, False, True])


def test_without_directions_one_engine_grows_all_trees():
    assert monotone_engine(make, Features(3), SCALES) == make(Features(3), 4)
    assert monotone_engine(make, Features(3, directions=(0, 0, 0)), SCALES).n_scores == 4


def test_constrained_features_move_scales_only_and_in_one_direction():
    engine = monotone_engine(make, Features(3, directions=(1, 0, 0)), SCALES)
    _, trees = grow(engine)
    path = np.repeat(X[:1], 50, axis=0)
    path[:, 0] = np.linspace(-3.0, 3.0, 50)
    steps = np.diff(engine.scores(trees, engine.matrix(path, np.zeros((50, 4)))), axis=0)
    assert (steps >= 0.0).all()
    assert steps[:, SCALES].any()
    assert not steps[:, ~SCALES].any()


def test_scores_that_no_feature_may_move_have_no_trees():
    engine = monotone_engine(make, Features(3, directions=(1, -1, 1)), SCALES)
    matrix, trees = grow(engine)
    assert len(trees) == 1
    np.testing.assert_allclose(engine.scores(trees, matrix)[:, ~SCALES], START[:, ~SCALES], rtol=1e-6)
    everything_scales = monotone_engine(make, Features(3, directions=(1, 0, 0)), np.ones(4, dtype=bool))
    assert len(everything_scales.parts) == 1
