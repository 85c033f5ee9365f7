from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from benchmarks.peers.shared.base import Sample
from benchmarks.studies.paper.evaluation import METRICS, Predictions, censor, predict, score, time_grid
from benchmarks.studies.paper.protocol import Split


def sample(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 1))
    event_time, censoring = rng.exponential(0.3 * np.exp(-x[:, 0])), rng.uniform(0.2, 1.5, n)
    return Sample(x, event_time <= censoring, np.minimum(event_time, censoring))


def make_split(seed=0):
    train, validation, test = sample(400, seed), sample(100, seed + 1), sample(300, seed + 2)
    unit = train.time.max()
    parts = (replace(part, time=part.time / unit) for part in (train, validation, test))
    return Split(*parts, names=("x",), categorical=np.array([False]), unit=unit)


class Truth:
    def risk(self, X):
        return X[:, 0]

    def survival(self, X, times):
        return np.exp(-np.outer(np.exp(X[:, 0]), times) / 0.3)


class Nothing:
    def risk(self, X):
        return np.zeros(len(X))

    def survival(self, X, times):
        return np.full((len(X), len(times)), 0.5)


def test_the_truth_beats_nothing():
    split = make_split()
    good, poor = (score(split, predict(split, model)) for model in (Truth(), Nothing()))
    assert tuple(good) == METRICS
    for name in METRICS:
        assert good[name] < poor[name] if name.startswith("ibs") else good[name] > 0.7 > poor[name] == 0.5


def test_scikit_survival_agrees():
    metrics = pytest.importorskip("sksurv.metrics")
    util = pytest.importorskip("sksurv.util")
    split = make_split()
    # Its own rules: test times inside of the training range.
    train = util.Surv.from_arrays(split.train.event, split.train.time)
    test = util.Surv.from_arrays(*censor(split.test.event, split.test.time, 0.999))
    time = test["time"]
    grid = np.linspace(time.min() + 0.1 * np.ptp(time), time.max() - 0.1 * np.ptp(time), 100)
    risk, survival = Truth().risk(split.test.X), Truth().survival(split.test.X, grid)
    scores = score(split, predict(split, Truth()))
    harrell = metrics.concordance_index_censored(split.test.event, split.test.time, risk)[0]
    assert scores["c_index"] == pytest.approx(harrell, rel=1e-12)
    assert scores["c_td"] == pytest.approx(metrics.concordance_index_ipcw(train, test, risk)[0], rel=1e-10)
    assert scores["ibs"] == pytest.approx(metrics.integrated_brier_score(train, test, survival, grid), rel=1e-10)
    assert scores["auc"] == pytest.approx(metrics.cumulative_dynamic_auc(train, test, risk, grid)[1], rel=1e-10)


def test_censoring_is_that_of_the_training_part_alone():
    split = make_split()
    other = replace(split, validation=replace(split.validation, event=~split.validation.event))
    assert score(other, predict(other, Truth())) == score(split, predict(split, Truth()))
    changed = replace(split, train=replace(split.train, event=np.ones(400, dtype=bool)))
    assert score(changed, predict(changed, Truth()))["ibs"] != score(split, predict(split, Truth()))["ibs"]


def test_a_test_part_beyond_the_training_part_is_no_trouble():
    split = make_split()
    late = replace(split, test=replace(split.test, time=2.0 * split.test.time))
    assert late.test.time.max() > 1.5
    predictions = predict(late, Truth())
    assert all(grid.max() < 0.999 for grid, _ in predictions.survival.values())
    assert all(np.isfinite(value) for value in score(late, predictions).values())


def test_grids():
    split = make_split()
    (trimmed, _), (full, _) = predict(split, Truth()).survival.values()
    time = np.minimum(split.test.time, 0.999)
    assert len(trimmed) == len(full) == 100
    assert trimmed[[0, -1]] == pytest.approx(time.min() + np.ptp(time) * np.array([0.1, 0.9]))
    assert time.min() < full[0] < trimmed[0]
    assert trimmed[-1] < full[-1] < time.max()


def test_time_grid():
    assert time_grid(np.array([1.0, 11.0]), 0.1, 3).tolist() == [2.0, 6.0, 10.0]
    assert time_grid(np.array([1.0, 11.0]), 0.0, 4).tolist() == [3.0, 5.0, 7.0, 9.0]


def test_an_undefined_metric_is_nan():
    split = make_split()
    blind = replace(split, test=replace(split.test, event=np.zeros(300, dtype=bool)))
    with pytest.warns(UndefinedMetricWarning):
        scores = score(blind, predict(blind, Truth()))
    assert np.isnan([scores["c_index"], scores["c_td"], scores["auc"]]).all()


@pytest.mark.parametrize(("risk", "survival"), [(np.nan, 0.5), (0.0, np.nan)])
def test_what_is_no_number_is_refused(risk, survival):
    split = make_split()
    grid = np.linspace(0.1, 0.5, 5)
    predictions = Predictions(np.full(300, risk), {name: (grid, np.full((300, 5), survival)) for name in ("", "_full")})
    with pytest.raises(ValueError, match=r"NaN|finite|nan"):
        score(split, predictions)
