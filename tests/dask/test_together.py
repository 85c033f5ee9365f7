"""Workers that work together, and what happens when one of them fails or is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from time import monotonic, sleep

import numpy as np
import pytest
from distributed import Client, LocalCluster

import hazboost
import hazboost.dask.together
from hazboost.dask import FPBoost
from hazboost.dask.together import _wait_for_parts, run_together
from hazboost.engines.collective import own_place
from tests.dask.conftest import cut, simulate

#: Few subjects and few rounds; how well the model fits is not what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:the fitted curves are poor")


@pytest.fixture
def parts(client):
    addresses = sorted(client.nthreads())
    return [
        client.submit(lambda number=number: number, workers=[addresses[number % 2]], pure=False) for number in range(4)
    ]


def test_every_worker_gets_the_partitions_it_holds(client, parts):
    def work(numbers, n_threads, held):
        return own_place(), list(numbers), list(held), n_threads

    assert run_together(client, work, parts, dict.fromkeys([0, 1, 3], 1)) == [(0, [0], [0], 1), (1, [1, 3], [1, 3], 1)]


def test_all_workers_are_used_wherever_the_partitions_are(client, parts):
    """Dask may leave copies of all partitions on all workers, or may drop all copies of one worker."""

    def work(numbers, n_threads, held):
        return list(numbers)

    sizes = {0: 10, 1: 40, 2: 30, 3: 20}
    addresses = sorted(client.nthreads())
    client.replicate(parts)
    assert sorted(run_together(client, work, parts, sizes)) == [[0, 1], [2, 3]]
    on_one = [client.submit(lambda: None, workers=addresses[:1], pure=False) for _ in parts]
    assert sorted(run_together(client, work, on_one, sizes)) == [[0, 1], [2, 3]]


def test_an_error_of_one_worker_is_the_one_that_is_raised(client, parts):
    """The other one only misses it, and there is no second attempt."""

    def work(numbers, n_threads, held):
        from hazboost.engines import LocalEngine

        if own_place() == 1:
            raise ZeroDivisionError("mine")
        return LocalEngine({}, 1).total(np.ones(1))

    with pytest.raises(ZeroDivisionError, match="mine"):
        run_together(client, work, parts, {0: 1, 1: 1})
    assert len(client.nthreads()) == 2


def test_a_worker_that_does_not_answer_is_an_error_in_the_end(client, parts, monkeypatch):
    def work(numbers, n_threads, held):
        from hazboost.engines import LocalEngine

        if own_place() == 1:
            sleep(4)
        return LocalEngine({}, 1).total(np.ones(1))

    monkeypatch.setattr(hazboost.dask.together, "PATIENCE", 1)
    monkeypatch.setattr(hazboost.dask.together, "SILENCE", 1)
    monkeypatch.setattr(hazboost.dask.together, "GRACE", 0.5)
    monkeypatch.setattr(hazboost.dask.together, "ATTEMPTS", 1)
    with pytest.raises(RuntimeError, match="a worker was lost during training, 1 times in a row, and no model"):
        run_together(client, work, parts, {0: 1, 1: 1})


@contextmanager
def processes_without_nannies(count):
    """A cluster whose workers are not started again when they die, and their processes by address."""
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", scheduler_port=0) as cluster,
        Client(cluster) as client,
    ):
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        started = [subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL) for _ in range(count)]
        try:
            client.wait_for_workers(count, timeout=60)
            yield cluster, client, client.run(os.getpid)
        finally:
            for process in started:
                process.kill()
                process.wait()


def test_partitions_that_are_never_computed_again_are_an_error(client):
    """A worker that is left may be busy for ever, waiting for the lost one."""
    busy = client.submit(sleep, 20.0, pure=False)
    with pytest.raises(RuntimeError, match=r"within 0\.2 seconds; no model was made\. Restart the workers"):
        _wait_for_parts(client, [busy], 0.2)
    busy.cancel()


@contextmanager
def killed_in_training(cluster, pids):
    """Kill a worker as soon as all of them grow trees."""

    def kill():
        deadline = monotonic() + 60
        while monotonic() < deadline:
            busy = [
                address
                for address, worker in dict(cluster.scheduler.workers).items()
                if any("_work_connected" in str(task.key) for task in set(worker.processing))
            ]
            if len(busy) >= 2:
                sleep(0.5)
                os.kill(pids[busy[-1]], signal.SIGKILL)
                return
            sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    yield
    thread.join()


def test_a_killed_worker_leads_to_a_new_beginning_and_then_to_an_error(large, monkeypatch):
    """The model is that of all rows; where there are no more attempts, there is none."""
    monkeypatch.setattr(hazboost.dask.together, "SILENCE", 10)
    monkeypatch.setattr(hazboost.dask.together, "PATIENCE", 100)
    X, Y = simulate()
    options = {"n_estimators": 400, "learning_rate": 0.01, "subsample": 1.0, "colsample_bytree": 1.0, "random_state": 0}
    local = hazboost.FPBoost(**options).fit(X, Y)
    with processes_without_nannies(3) as (cluster, client, pids):
        with (
            killed_in_training(cluster, pids),
            pytest.warns(UserWarning, match="a worker was lost during training, which restarts on the workers"),
        ):
            fitted = FPBoost(**options).fit(cut(X), cut(Y))
        assert len(client.nthreads()) == 2
        np.testing.assert_allclose(fitted.history_["train_loss"], local.history_["train_loss"], rtol=1e-6)
        np.testing.assert_allclose(fitted.predict(X), local.predict(X), rtol=1e-5)
        monkeypatch.setattr(hazboost.dask.together, "ATTEMPTS", 1)
        estimator = FPBoost(**options)
        with (
            killed_in_training(cluster, pids),
            pytest.raises(RuntimeError, match=r"a worker was lost during training.*use more workers, or more memory"),
        ):
            estimator.fit(cut(X), cut(Y))
        assert not hasattr(estimator, "model_")
