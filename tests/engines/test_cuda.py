"""What happens where there is no GPU."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import xgboost as xgb

from hazboost import FPBoost
from hazboost.engines import cuda
from hazboost.engines.cuda import CudaEngine, check_cuda
from hazboost.prediction.model import BLOCK
from tests.wording import faults


@pytest.fixture
def computer(monkeypatch):
    """Pretend to have a build of XGBoost, and a CuPy that counts GPUs in a certain way."""

    def pretend(count, *, built=True):
        def import_module(name):
            assert name == "cupy"
            return SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=count)))

        monkeypatch.setattr(cuda.xgb, "build_info", lambda: {"USE_CUDA": built})
        monkeypatch.setattr(cuda, "import_module", import_module)

    return pretend


def no_driver():
    raise RuntimeError("cudaErrorInsufficientDriver: the driver is too old")


def no_cupy():
    raise ImportError("No module named 'cupy'")


@pytest.mark.parametrize("device", ["cuda", "gpu", "cuda:0", "cuda:1"])
def test_a_gpu_that_is_there_is_accepted(computer, device):
    computer(lambda: 2)
    check_cuda(device)


@pytest.mark.parametrize(
    ("device", "count", "built", "kind", "words"),
    [
        ("cuda", lambda: 1, False, ValueError, "built without support for GPUs; install one that has it"),
        ("gpu", no_cupy, True, ImportError, r"needs CuPy.* pip install 'hazboost\[gpu\]'"),
        ("cuda:0", no_driver, True, ValueError, "no GPU was found .*the driver is too old"),
        ("cuda:2", lambda: 2, True, ValueError, "there are 2 GPUs, numbered from 0"),
        ("cuda", lambda: 0, True, ValueError, "there are 0 GPUs"),
    ],
)
def test_a_gpu_that_is_missing_is_refused_with_a_way_out(computer, device, count, built, kind, words):
    """Before anything is read: the outcome is no outcome."""
    computer(count, built=built)
    with pytest.raises(kind, match=rf"^device='{device}'.*{words}.*use device='cpu'\.$") as refusal:
        FPBoost(device=device).fit(np.ones((3, 1)), None)
    assert not faults(str(refusal.value))


@pytest.mark.parametrize("device", ["cpu:0", "cuda:", "gpu:a", "tpu"])
def test_what_is_neither_the_processor_nor_a_gpu_is_refused(computer, device):
    computer(lambda: 2)
    with pytest.raises(
        ValueError, match=rf"^device must be 'cpu', 'cuda' or, with its number, 'cuda:0'; got '{device}'"
    ):
        FPBoost(device=device).fit(np.ones((3, 1)), None)


def as_if_of_a_gpu(model):
    """The same model, with the engine that trains on a GPU."""
    engine = model.model_.engine
    settings = {**engine.settings, "device": "cuda"}
    model.model_ = replace(model.model_, engine=CudaEngine(settings, engine.n_scores, engine.features))
    for trees in model.model_.boosters:
        trees.set_param({"device": "cuda"})


def test_model_of_a_gpu_predicts_on_the_processor_where_there_is_none():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), (np.ones(200, dtype=bool), rng.exponential(size=200))
    model = FPBoost(n_estimators=5, random_state=0).fit(X, y)
    expected = model.predict_survival_function(X, times=[0.5, 1.0])
    as_if_of_a_gpu(model)
    np.testing.assert_array_equal(model.predict_survival_function(X, times=[0.5, 1.0]), expected)


def test_threads_of_one_prediction_share_the_trees_of_a_gpu():
    """A setting that one thread changes while others predict would be an error of XGBoost in some of the calls."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), (np.ones(200, dtype=bool), rng.exponential(size=200))
    model = FPBoost(n_estimators=5, init="marginal", n_jobs=4, random_state=0).fit(X, y)
    many = rng.normal(size=(12 * BLOCK, 3)).astype(np.float32)
    expected = model.predict(many)
    as_if_of_a_gpu(model)
    for _ in range(5):
        np.testing.assert_array_equal(model.predict(many), expected)


def test_trees_with_vectors_in_their_leaves_are_not_explained():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.random.default_rng(1).normal(size=(50, 3))
    engine = CudaEngine({"learning_rate": 0.1}, 3)
    matrix = engine.matrix(X, np.zeros((50, 3)))
    data = xgb.DMatrix(X, y)
    for explain in (engine.contributions, engine.interactions):
        single = xgb.train({"max_depth": 2}, data, 2)
        assert explain(single, matrix).shape[:3] == (50, 3, 3)
        together = xgb.train({"max_depth": 2, "multi_strategy": "multi_output_tree"}, data, 2)
        with pytest.raises(ValueError, match=r"^model was fitted on a GPU .* fit it with device='cpu'"):
            explain(together, matrix)


def test_scores_that_are_remembered_are_those_of_the_trees_that_are_asked_for():
    """Folds that are averaged have as many rounds each, so that the number does not say which trees were asked for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.ones(len(X), dtype=bool), rng.weibull(1.5, len(X)) * np.exp(-2.0 * np.abs(X[:, 0]))
    model = FPBoost(init="marginal", n_folds=3, subsample=0.5, random_state=0).fit(X, y).model_
    assert len(model.boosters) == 3
    start = model.starts[0].margin(X).astype(np.float32)
    there = cuda.CudaMatrix(X.astype(np.float32), start, {}, None, start.copy(), on_host=False)
    engine = CudaEngine(model.engine.settings, model.engine.n_scores, model.engine.features)
    for trees in (*model.boosters, model.boosters[0]):
        here = model.engine.scores(trees, model.engine.matrix(X, start))
        np.testing.assert_allclose(engine.scores(trees, there), here, atol=1e-5)
