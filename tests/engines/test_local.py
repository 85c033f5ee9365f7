"""XGBoost in this process, behind the interface of an engine."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hazboost.engines import LocalEngine
from hazboost.engines.packing import IN_LABEL, pack

SETTINGS = {"tree_method": "hist", "max_bin": 16, "max_depth": 2, "learning_rate": 0.5, "reg_lambda": 0.0, "nthread": 1}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
START = RNG.normal(size=(80, 3))
GOAL = np.column_stack([np.sign(X[:, 0]), X[:, 1], np.zeros(80)])
COLUMNS = {"lower": np.arange(80.0), "upper": np.arange(80.0) + 0.5}


def grown(rounds=4, **settings):
    """Squared error towards a known goal: every round must come closer."""
    engine = LocalEngine({**SETTINGS, **settings}, 3)
    matrix = engine.matrix(X, START, COLUMNS)
    trees = engine.no_trees(matrix)
    for _ in range(rounds):
        trees = engine.grow(trees, matrix, engine.scores(trees, matrix) - START - GOAL, np.ones((80, 3)))
    return engine, matrix, trees


def test_scores_begin_at_the_start_and_move_with_the_trees():
    engine, matrix, trees = grown(0)
    np.testing.assert_allclose(engine.scores(trees, matrix), START, rtol=1e-6)
    errors = []
    for rounds in range(5):
        engine, matrix, trees = grown(rounds)
        assert engine.rounds(trees) == rounds
        errors.append(np.abs(engine.scores(trees, matrix) - START - GOAL).mean())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.3 * errors[0]


def test_scores_are_as_precise_as_xgboost_holds_them():
    engine, matrix, trees = grown(2)
    for rounds in (None, (0, 1)):
        assert engine.scores(trees, matrix, rounds).dtype == np.float32


def test_all_rows_are_in_one_place():
    engine = LocalEngine(SETTINGS, 3)
    np.testing.assert_array_equal(engine.total(np.array([2.0, 3.0])), [2.0, 3.0])
    assert engine.largest(4.0) == 4.0


def test_rounds_add_up_and_can_be_cut_off():
    engine, matrix, trees = grown(4)
    parts = [engine.scores(trees, matrix, (made, made + 1)) - START for made in range(4)]
    np.testing.assert_allclose(START + np.sum(parts, axis=0), engine.scores(trees, matrix), atol=1e-5)
    cut = engine.truncate(trees, 2)
    assert engine.rounds(cut) == 2
    np.testing.assert_allclose(engine.scores(cut, matrix), START + parts[0] + parts[1], atol=1e-5)
    assert engine.rounds(engine.truncate(trees, 4)) == 4
    config = json.loads(engine.with_settings(nthread=3).truncate(trees, 2).save_config())
    assert config["learner"]["generic_param"]["nthread"] == "1"  # blocks of rows are shared by threads instead
    with pytest.raises(ValueError, match="rounds must be at least 1"):
        engine.truncate(trees, 0)


def test_new_data_are_predicted_with_the_same_trees():
    """Whether they are held out from training, or come later."""
    engine, matrix, trees = grown(4)
    for other in (engine.matrix(X, START), engine.matrix(X, START, COLUMNS, like=matrix)):
        np.testing.assert_allclose(engine.scores(trees, other), engine.scores(trees, matrix), atol=1e-6)


@pytest.mark.parametrize("store", [np.asarray, lambda X: csr_matrix(np.nan_to_num(X))])
def test_held_out_scores_are_those_of_the_finished_model(store):
    """Also for values far above all that were seen in training, where trees ask whether a value is missing."""
    missing = RNG.random(80) < 0.5
    train = store(np.where(missing, np.nan, RNG.uniform(1.0, 2.0, 80))[:, None])
    held = store(np.array([[1.5], [np.nan], [100.0]]))
    columns = {name: values[:3] for name, values in COLUMNS.items()}
    engine = LocalEngine(SETTINGS, 3)
    matrix = engine.matrix(train, START, COLUMNS)
    goal = np.where(missing, -1.0, 1.0)[:, None]
    trees = engine.grow(engine.no_trees(matrix), matrix, -goal * np.ones(3), np.ones((80, 3)))
    watched = engine.scores(trees, engine.matrix(held, np.zeros((3, 3)), columns, like=matrix))
    finished = engine.scores(trees, engine.matrix(held, np.zeros((3, 3))))
    assert abs(finished[0, 0] - finished[1, 0]) > 0.5
    np.testing.assert_array_equal(watched, finished)


@pytest.mark.parametrize(
    ("settings", "moves"),
    [
        ({"min_child_weight": 79.0}, [True, False]),
        ({"min_child_weight": 81.0}, [False, False]),
        ({"min_child_weight": 60.0, "subsample": 0.5}, [False, False]),
        ({"min_child_weight": 0.0}, [True, True]),
    ],
)
def test_the_only_leaf_of_a_tree_has_the_weight_of_a_leaf_as_well(settings, moves):
    """Eighty rows weigh one each for the first score, and half of it for the second."""
    engine = LocalEngine({**SETTINGS, **settings}, 2)
    start = np.zeros((80, 2))
    matrix = engine.matrix(np.zeros((80, 1)), start, COLUMNS)  # nothing to split
    gradient, hessian = np.ones((80, 2)), np.tile([1.0, 0.5], (80, 1))
    scores = engine.scores(engine.grow(engine.no_trees(matrix), matrix, gradient, hessian), matrix)
    np.testing.assert_array_equal((scores != start).all(axis=0), moves)
    np.testing.assert_array_equal((scores != start).any(axis=0), moves)
    np.testing.assert_array_equal(gradient, 1.0)


def test_settings_of_a_copy_leave_the_original_alone():
    engine, *_ = grown(0)
    deeper = engine.with_settings(max_depth=5, seed=3)
    assert (deeper.settings["max_depth"], engine.settings["max_depth"]) == (5, 2)
    assert deeper.learning_rate == engine.learning_rate == 0.5


@pytest.mark.parametrize("n_scores", [1, 2, 5])
def test_columns_come_back(n_scores):
    columns = {
        **COLUMNS,
        "weight": RNG.uniform(1, 2, 80),
        "entry": RNG.uniform(size=80),
        "portion": RNG.uniform(size=80),
    }
    engine = LocalEngine(SETTINGS, n_scores)
    for names in (COLUMNS, columns, {"lower", "entry"}):
        sent = {name: columns[name] for name in names}
        got = engine.columns(engine.matrix(X, np.zeros((80, n_scores)), sent))
        filled = {name: np.full(80, default) for name, default in IN_LABEL.items()} if "entry" in sent else {}
        assert got.keys() == {**filled, **sent}.keys()
        for name, values in {**filled, **sent}.items():
            np.testing.assert_allclose(got[name], values, rtol=1e-6)


def test_columns_that_have_no_place_are_refused():
    with pytest.raises(ValueError, match=r"columns \['age'\] have no place"):
        pack({"age": np.zeros(3)}, 2)


@pytest.mark.parametrize(("rows_for_a_thread", "threads"), [(50_000, 1), (50, 2), (1, 4)])
def test_few_rows_get_few_threads(rows_for_a_thread, threads, monkeypatch):
    """Threads that wait for one another made fits to 10,000 rows slower on two cores than on one."""
    monkeypatch.setattr("hazboost.engines.local.ROWS_FOR_A_THREAD", rows_for_a_thread)
    engine = LocalEngine({**SETTINGS, "nthread": 4}, 2)
    matrix = engine.matrix(np.zeros((100, 1)), np.zeros((100, 2)), {"lower": np.ones(100)})
    config = json.loads(engine.no_trees(matrix).save_config())
    assert int(config["learner"]["generic_param"]["nthread"]) == threads
