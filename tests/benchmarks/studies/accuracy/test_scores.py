import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.studies.accuracy import scores
from hazboost.metrics import integrated_brier_score


def outcomes(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time, censoring = rng.exponential(np.exp(-x)), rng.exponential(2.0, size=n)
    return x, (time <= censoring, np.minimum(time, censoring))


@pytest.mark.parametrize("quantile", [0.5, 0.8])
def test_brier_is_that_of_the_library_but_for_the_floor(quantile, monkeypatch):
    """Without ties, where the censoring just before an event and at it are the same."""
    _, train = outcomes(400, 0)
    x, test = outcomes(300, 1)
    grid = np.linspace(0.05, np.quantile(train[1], quantile), 50)
    survival = np.exp(-grid * np.exp(x)[:, None])
    theirs = integrated_brier_score(train, test, survival, grid)
    monkeypatch.setattr(scores, "CENSORING_FLOOR", 1e-9)
    assert scores.integrated_scores(train, test, survival, grid)[0] == pytest.approx(theirs, rel=1e-10)
    monkeypatch.setattr(scores, "CENSORING_FLOOR", 0.9)
    assert scores.integrated_scores(train, test, survival, grid)[0] < theirs


def test_scores_without_censoring():
    event = np.ones(4, dtype=bool)
    outcome = (event, np.array([1.0, 2.0, 3.0, 4.0]))
    grid = np.array([1.5, 2.5])
    survival = np.full((4, 2), 0.25)
    alive = np.array([0.75, 0.5])
    brier, log_score = scores.integrated_scores(outcome, outcome, survival, grid)
    assert brier == pytest.approx(np.mean(alive * 0.75**2 + (1 - alive) * 0.25**2))
    assert log_score == pytest.approx(-np.mean(alive * np.log(0.25) + (1 - alive) * np.log(0.75)))


def test_an_event_is_weighted_with_the_censoring_just_before_it():
    """Of four, one is censored at 1, at which another has the event, and one at 2; G is 1, 2/3, 1/3 from then on."""
    outcome = (np.array([True, False, False, True]), np.array([1.0, 1.0, 2.0, 3.0]))
    died, alive = scores.censoring_weights(outcome, outcome, np.array([0.5, 1.5, 3.5]))
    np.testing.assert_allclose(died, [[0, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 3]])
    np.testing.assert_allclose(alive, [[1, 0, 0], [1, 0, 0], [1, 1.5, 0], [1, 1.5, 0]])


def test_true_model_beats_constant():
    _, train = outcomes(400, 0)
    x, test = outcomes(400, 1)
    grid = scores.time_grid(train[1])
    good = scores.evaluate(train, test, x, np.exp(-grid * np.exp(x)[:, None]), grid)
    poor = scores.evaluate(train, test, np.zeros(400), np.full((400, len(grid)), 0.5), grid)
    assert poor["c_index"] == poor["c_index_ipcw"] == 0.5
    assert good["c_index"] > 0.7
    assert good["brier"] < poor["brier"]
    assert good["log_score"] < poor["log_score"]


def test_concordance_is_that_of_scikit_survival():
    metrics = pytest.importorskip("sksurv.metrics")
    util = pytest.importorskip("sksurv.util")
    _, train = outcomes(300, 3)
    x, test = outcomes(200, 4)
    grid = scores.time_grid(train[1])
    found = scores.evaluate(train, test, x, np.full((200, 100), 0.5), grid)["c_index_ipcw"]
    theirs = metrics.concordance_index_ipcw(
        util.Surv.from_arrays(*train), util.Surv.from_arrays(*test), x, tau=grid[-1]
    )
    assert found == pytest.approx(theirs[0], rel=1e-10)


class Counting:
    """True curves of subjects with exponential times, by their only feature; counts what is asked at once."""

    def __init__(self, factor=1.0):
        self.factor, self.largest = factor, 0

    def __call__(self, X, times):
        self.largest = max(self.largest, len(X) * len(times))
        return np.exp(-self.factor * times * np.exp(X["x"].to_numpy())[:, None])


def test_own_times_are_predicted_in_blocks(monkeypatch):
    monkeypatch.setattr(scores, "BLOCK", 50)
    x, (_, time) = outcomes(310, 0)
    curves = Counting()
    own = scores.at_own_times(curves, pd.DataFrame({"x": x}), time)
    np.testing.assert_allclose(own, np.exp(-time * np.exp(x)))
    assert curves.largest <= 50 * 50


@pytest.mark.parametrize(("factor", "sign"), [(1.0, 0), (1.5, -1), (0.6, 1)])
def test_calibration_finds_curves_that_are_too_low_or_too_high(factor, sign):
    x, test = outcomes(4_000, 2)
    found = scores.calibration(test, Counting(factor), pd.DataFrame({"x": x}))
    assert (found["d_calibration_p"] > 0.05) == (sign == 0)
    assert np.sign(np.round(found["median_excess"], 1)) == sign
    assert (found["d_deviation"] < 0.1) == (sign == 0)


def test_deviation_is_that_of_the_bins():
    """All of ten subjects have the event in the first of ten bins: it is ten times too large, the others are empty."""
    outcome = (np.ones(10, dtype=bool), np.linspace(1.0, 2.0, 10))
    found = scores.calibration(
        outcome, lambda X, times: np.full((len(X), len(times)), 0.05), pd.DataFrame(index=range(10))
    )
    assert found["d_deviation"] == pytest.approx(np.sqrt((9.0**2 + 9 * 1.0) / 10))
    assert found["median_excess"] == pytest.approx(0.05 - 0.5)


def test_distance_from_the_truth():
    assert scores.distance(np.array([[0.5, 0.5]]), np.array([[0.6, 0.2]])) == pytest.approx(np.sqrt(0.05))
