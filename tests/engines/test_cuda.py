"""What a user is told who asks for a GPU where there is none."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.engines import cuda
from hazboost.engines.cuda import check_cuda
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
