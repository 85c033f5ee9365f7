"""Several ensembles become one that predicts their weighted mean."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.engines import Features, LocalEngine
from hazboost.engines.divided import DividedEngine, Part
from hazboost.engines.merging import merge
from hazboost.engines.storage import restore_trees, store_trees
from tests.engines.test_storage import KINDS, OUTPUTS, SETTINGS, WIDTH, WITH_CATEGORIES, N, grow

SHARES = np.array([0.5, 0.3, 0.2])


def features_for(settings):
    """Categories where XGBoost knows them."""
    knows = settings["tree_method"] != "exact" and "multi_strategy" not in settings
    return WITH_CATEGORIES if knows else Features(WIDTH)


def ensembles(rounds, features=WITH_CATEGORIES, **settings):
    """An engine, ensembles of so many rounds, which differ, and data to predict for."""
    made = [grow(features, number, learning_rate=0.1 * place, **settings) for place, number in enumerate(rounds, 1)]
    engine, _, matrix = made[0]
    return engine, [trees for _, trees, _ in made], matrix


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("rounds", [(4, 4, 4), (2, 5, 0), (0, 0, 0)])
def test_scores_rounds_and_contributions_are_means(settings, rounds):
    engine, parts, matrix = ensembles(rounds, features_for(settings), **settings)
    same, merged = merge(engine, parts, SHARES, np.arange(OUTPUTS))
    assert same == engine
    assert engine.rounds(merged) == max(rounds)
    mean = sum(share * engine.scores(one, matrix) for share, one in zip(SHARES, parts, strict=True))
    np.testing.assert_allclose(engine.scores(merged, matrix), mean, rtol=0.0, atol=1e-6)
    first = sum(
        share * engine.scores(one, matrix, (0, 1))
        for share, one, made in zip(SHARES, parts, rounds, strict=True)
        if made
    )
    if max(rounds):
        np.testing.assert_allclose(engine.scores(merged, matrix, (0, 1)), first, rtol=0.0, atol=1e-6)
    if "multi_strategy" not in settings:  # which XGBoost cannot explain
        divided = sum(share * engine.contributions(one, matrix) for share, one in zip(SHARES, parts, strict=True))
        np.testing.assert_allclose(engine.contributions(merged, matrix), divided, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_merged_trees_can_be_stored(settings):
    engine, parts, matrix = ensembles((2, 5, 3), features_for(settings), **settings)
    engine, merged = merge(engine, parts, SHARES, np.arange(OUTPUTS))
    restored = restore_trees(engine, store_trees(engine, merged))
    np.testing.assert_array_equal(engine.scores(restored, matrix), engine.scores(merged, matrix))


def test_one_ensemble_stays_as_it_is():
    engine, (trees,), _ = ensembles((3,), tree_method="hist")
    assert merge(engine, [trees], np.ones(1), np.arange(OUTPUTS)) == (engine, trees)


@pytest.mark.parametrize("settings", [one for one in KINDS.values() if one["tree_method"] == "hist"])
@pytest.mark.parametrize("kept", [[1], [0, 2]])
def test_scores_that_are_not_kept(settings, kept):
    """Also where fewer are left than XGBoost needs."""
    three = LocalEngine({**SETTINGS, **settings}, 3, features_for(settings))
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(N, WIDTH - 1)), rng.integers(0, 5, N)])
    matrix = three.matrix(X, np.zeros((N, 3)), {"weight": np.ones(N)})
    trees = three.grow(three.no_trees(matrix), matrix, rng.normal(size=(N, 3)), np.ones((N, 3)))
    trees, kept = three.truncate(trees, 1), np.array(kept)
    fewer, merged = merge(three, [trees], np.ones(1), kept)
    assert fewer.n_scores == len(kept)
    found = fewer.scores(merged, fewer.matrix(X, np.zeros((N, len(kept)))))
    np.testing.assert_allclose(found, three.scores(trees, matrix)[:, kept], atol=1e-7)
    restore_trees(fewer, store_trees(fewer, merged))


def test_parts_of_a_divided_engine_are_merged_one_by_one():
    engine, parts, _ = ensembles((2, 3, 4), Features(WIDTH), tree_method="hist")
    scores, features = np.array([0, 3]), np.arange(WIDTH)
    divided = DividedEngine((Part(engine, scores, features), Part(engine, scores + 1, features)))
    made, merged = merge(divided, [(one, one) for one in parts], SHARES, np.array([0, 1, 4]))
    assert [part.scores.tolist() for part in made.parts] == [[0], [1, 2]]
    X = np.random.default_rng(0).normal(size=(N, WIDTH))
    found = made.scores(merged, made.matrix(X, np.zeros((N, 3))))
    mean = sum(
        share * engine.scores(one, engine.matrix(X, np.zeros((N, 2)))) for share, one in zip(SHARES, parts, strict=True)
    )
    np.testing.assert_allclose(found, mean[:, [0, 0, 1]], atol=1e-6)
