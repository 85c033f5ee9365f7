"""Processes that grow trees together: here threads, of which XGBoost connects each on its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic, sleep

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.engines import LocalEngine
from hazboost.engines.collective import ConnectionLostError, communicator, fingerprint, start_tracker, stop_tracker

SETTINGS = {"tree_method": "hist", "max_bin": 16, "max_depth": 2, "learning_rate": 0.5, "nthread": 1}
RNG = np.random.default_rng(0)
X = RNG.integers(0, 5, size=(300, 3)).astype(float)
GOAL = np.column_stack([X[:, 0] > 2, X[:, 1]]).astype(float)
COLUMNS = {"lower": np.ones(300), "upper": np.ones(300)}
ENGINE = LocalEngine({**SETTINGS, "min_child_weight": 100.0}, 2)  # more than there are rows in one process


def grow(rows, rounds=5):
    """Trees, the loss over all rows after each round, and the largest error of all rows."""
    columns = {name: values[rows] for name, values in COLUMNS.items()}
    matrix = ENGINE.matrix(X[rows], np.zeros((len(X[rows]), 2)), columns)
    trees, losses = ENGINE.no_trees(matrix), []
    for _ in range(rounds):
        error = ENGINE.scores(trees, matrix) - GOAL[rows]
        losses.append(ENGINE.total(np.array([(error**2).sum(), len(error)])))
        trees = ENGINE.grow(trees, matrix, error, np.ones_like(error))
    return fingerprint(trees), np.array(losses), ENGINE.largest(float(np.abs(error).max()))


def in_threads(function, parts, patience=30):
    known = start_tracker(len(parts), "127.0.0.1", patience)

    def one(place):
        with communicator(place, known):
            return function(parts[place])

    with ThreadPoolExecutor(len(parts)) as pool:
        return [future.exception() or future.result() for future in [pool.submit(one, i) for i in range(len(parts))]]


def test_two_processes_grow_the_trees_of_one():
    _, losses, largest = grow(slice(None))
    parts = in_threads(grow, [slice(0, 70), slice(70, 300)])
    assert parts[0][0] == parts[1][0]
    for _, part_losses, part_largest in parts:
        np.testing.assert_allclose(part_losses, losses, rtol=1e-6)
        assert part_largest == pytest.approx(largest, rel=1e-5)


def test_an_error_in_one_process_ends_the_others():
    def fail_or_grow(rows):
        if rows.start == 70:
            raise ValueError("mine")
        return grow(rows)

    first, second = in_threads(fail_or_grow, [slice(0, 70), slice(70, 300)])
    assert isinstance(first, ConnectionLostError)
    assert isinstance(second, ValueError)


def fit(X, y):
    return FPBoost(n_estimators=1).fit(X, y)


def fit_batches(X, y):
    return FPBoost(n_estimators=1).fit_batches([(X, y)])


@pytest.mark.parametrize("train", [fit, fit_batches])
def test_a_fit_in_company_is_refused(train):
    """Each process would choose a start of its own, and the trees would be those of all of them."""

    def train_on(rows):
        n = len(X[rows])
        return train(X[rows], (np.ones(n), np.arange(1.0, n + 1.0)))

    refused = in_threads(train_on, [slice(0, 70), slice(70, 300)])
    for one in refused:
        assert isinstance(one, RuntimeError)
        assert str(one).startswith(f"FPBoost.{train.__name__} was called in a process that xgboost has connected")


def test_a_stopped_tracker_lets_go_of_those_who_wait_there():
    """A process that ends its work while another is still busy would wait for it, here for half a minute."""
    known = start_tracker(2, "127.0.0.1", 30)
    busy, began = Event(), monotonic()

    def leave(place):
        with communicator(place, known):
            if place == 1:
                busy.wait(25)

    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(leave, place) for place in range(2)]
        sleep(1.0)
        stop_tracker(known)
        futures[0].exception()
        busy.set()
    assert monotonic() - began < 20


def test_a_process_that_never_comes_is_missed():
    known = start_tracker(2, "127.0.0.1", 1)
    with pytest.raises(ConnectionLostError, match="could not be connected"), communicator(0, known):
        pass
