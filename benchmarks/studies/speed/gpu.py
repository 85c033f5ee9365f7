"""The part of the study that needs a GPU: ``python -m benchmarks.studies.speed.gpu --output FILE``.

Needs NumPy, SciPy, scikit-learn, XGBoost and CuPy, and nothing else of the benchmarks' packages: no pandas, no
matplotlib, no network. All in one process; each result is a line of the file as soon as it is there, and what fails is
a line with its error. With ``--device cpu`` everything runs on NumPy, to try the script where there is no GPU.
"""

from __future__ import annotations

import argparse
import platform
import sys
import threading
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import xgboost as xgb

from benchmarks.harness import storage
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import check_names, names, positive, sizes
from benchmarks.harness.packages import installed
from benchmarks.harness.pool import short_traceback
from benchmarks.studies.speed.data import COLUMNS, Arrays, simulate
from hazboost import FPBoost
from hazboost.metrics import concordance_index

PACKAGES = ("hazboost", "numpy", "scipy", "scikit-learn", "xgboost", "cupy", "cupy-cuda12x", "cupy-cuda13x")
ROUNDS = 50
#: The same trees for FPBoost and for XGBoost.
TREES = {"max_depth": 6, "learning_rate": 0.1, "subsample": 0.5, "colsample_bytree": 0.5, "max_bin": 64}
#: Held-out rows that accuracy is judged on.
HELD_OUT = 10_000
#: Rows whose hazards are asked at their own times at once: the answer has as many times as rows.
AT_ONCE = 100
#: Seconds between two looks at the memory of the GPU.
PAUSE = 0.02
#: Part -> its default numbers of rows.
ROWS = {"host": (1_000_000, 10_000_000), "device": (100_000_000,), "accuracy": (1_000_000,), "defaults": (1_000_000,)}


@dataclass(frozen=True)
class Machine:
    """Where to compute: ``"cuda"`` with CuPy, or ``"cpu"`` with NumPy."""

    device: str

    @property
    def has_gpu(self) -> bool:
        """Whether it is a GPU."""
        return self.device != "cpu"

    def generator(self, seed: int) -> Any:
        """Random numbers, on the device if it is a GPU."""
        return (import_module("cupy") if self.has_gpu else np).random.default_rng(seed)

    def wait(self) -> None:
        """Wait until the device has done what it was told."""
        if self.has_gpu:
            import_module("cupy").cuda.Device().synchronize()

    def release(self) -> None:
        """Give back what CuPy keeps for later."""
        if self.has_gpu:
            import_module("cupy").get_default_memory_pool().free_all_blocks()

    def used_gib(self) -> float:
        """Memory of the device in use now, by whatever process."""
        if not self.has_gpu:
            return 0.0
        free, total = import_module("cupy").cuda.runtime.memGetInfo()
        return float(total - free) / 2**30

    def describe(self) -> dict[str, Any]:
        """The machine in words, with the versions of packages."""
        about = describe_machine() | {"python": platform.python_version(), "versions": installed(PACKAGES)}
        if self.has_gpu:
            runtime = import_module("cupy").cuda.runtime
            properties = runtime.getDeviceProperties(0)
            about |= {
                "gpu": properties["name"].decode(),
                "gpu_memory_gib": round(properties["totalGlobalMem"] / 2**30, 1),
                "cuda": runtime.runtimeGetVersion(),
                "driver": runtime.driverGetVersion(),
            }
        return about


@dataclass
class Peak:
    """The most memory of the device in use within a ``with`` block, looked at 50 times a second."""

    machine: Machine
    gib: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Peak:
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(PAUSE):
            self.gib = max(self.gib, self.machine.used_gib())


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure part by part."""
    options = parse(arguments)
    machine = Machine(options.device)
    write(options.output, {"kind": "machine"} | machine.describe())
    for part in options.part:
        for rows in options.rows or ROWS[part]:
            for line in PARTS[part](rows, machine, options.repeats):
                write(options.output, {"part": part, "rows": rows, "columns": COLUMNS} | line)
            machine.release()


def write(path: Path, line: dict[str, Any]) -> None:
    """Append a line to the file, and show it."""
    storage.append(path.parent, path.stem, line)
    sys.stderr.write(f"{line}\n")


def attempts(works: dict[str, Callable[[], dict[str, Any]]]) -> Any:
    """One line for each model; an error is its line."""
    for model, work in works.items():
        try:
            yield {"model": model, "error": None} | work()
        except Exception:  # noqa: BLE001 - the others are measured whatever happens to one
            yield {"model": model, "error": short_traceback()}


def from_host(rows: int, machine: Machine, repeats: int) -> Any:
    """Fits to data in the memory of the host."""
    return both_models(simulate(rows, np.random.default_rng(0), np.float32), machine, repeats)


def from_device(rows: int, machine: Machine, repeats: int) -> Any:
    """Fits to data that are generated on the device and never leave it."""
    return both_models(simulate(rows, machine.generator(0), np.float32), machine, repeats)


def both_models(data: Arrays, machine: Machine, repeats: int) -> Any:
    """FPBoost, and XGBoost AFT with the same trees."""
    return attempts(
        {
            "fpboost": lambda: repeated(lambda: fit_own(data, machine), data["X"], machine, repeats),
            "xgb_aft": lambda: repeated(lambda: fit_aft(data, machine), data["X"], machine, repeats),
        }
    )


def by_accuracy(rows: int, machine: Machine, repeats: int) -> Any:
    """The same fit on the device and on the processor, judged on other rows."""
    data, new = held_out(rows)
    return attempts(
        {
            "fpboost": lambda: judged(fit_own(data, machine), new),
            "fpboost, on the processor": lambda: judged(fit_own(data, Machine("cpu")), new),
        }
    )


def by_defaults(rows: int, machine: Machine, repeats: int) -> Any:
    """`FPBoost` with all that it chooses by itself."""
    data, new = held_out(rows)

    def measure() -> dict[str, Any]:
        last: dict[str, FPBoost] = {}

        def fit() -> FPBoost:
            last["model"] = fit_own(data, machine, {})
            return last["model"]

        result = repeated(fit, data["X"], machine, repeats)
        chosen = {"rounds": int(last["model"].n_estimators_), "depth": int(last["model"].max_depth_)}
        return result | chosen | judged(last["model"], new)

    return attempts({"fpboost": measure})


PARTS: dict[str, Callable[[int, Machine, int], Any]] = {
    "host": from_host,
    "device": from_device,
    "accuracy": by_accuracy,
    "defaults": by_defaults,
}


def held_out(rows: int) -> tuple[Arrays, Arrays]:
    """Data to fit to, and other rows to judge on."""
    data = simulate(rows, np.random.default_rng(0), np.float32)
    return data, simulate(HELD_OUT, np.random.default_rng(1), np.float32)


def fit_own(data: Arrays, machine: Machine, settings: dict[str, Any] | None = None) -> FPBoost:
    """Fit FPBoost with one head of each kind: fixed rounds where there are no settings; all cores without a GPU."""
    chosen: dict[str, Any] = {"n_estimators": ROUNDS, "heads": None, **TREES} if settings is None else settings
    model = FPBoost(**chosen, device=machine.device, n_jobs=-1, random_state=0)
    return model.fit(data["X"], (data["event"], data["time"]))


class Aft:
    """XGBoost's accelerated failure time model, with the same trees."""

    def __init__(self, data: Arrays, machine: Machine) -> None:
        upper = np.where(data["event"], data["time"], np.inf)
        matrix = xgb.QuantileDMatrix(
            data["X"], label_lower_bound=data["time"], label_upper_bound=upper, max_bin=TREES["max_bin"]
        )
        settings = TREES | {"objective": "survival:aft", "device": machine.device}
        self.booster = xgb.train(settings, matrix, num_boost_round=ROUNDS)

    def predict(self, X: Any) -> Any:
        """Predicted times."""
        return self.booster.inplace_predict(X)


def fit_aft(data: Arrays, machine: Machine) -> Aft:
    """Fit XGBoost AFT."""
    return Aft(data, machine)


def repeated(fit: Callable[[], Any], X: Any, machine: Machine, repeats: int) -> dict[str, Any]:
    """Seconds of the first fit, which also starts the device, and of those after it; likewise of predictions."""
    fits, predictions, peak = [], [], 0.0
    for _ in range(repeats + 1):
        model: Any = None  # the one before is released
        machine.release()
        with Peak(machine) as watched:
            model, seconds = timed(fit, machine)
        fits.append(seconds)
        peak = max(peak, watched.gib)
        predictions.append(timed(lambda model=model: model.predict(X), machine)[1])  # type: ignore[misc]
    return {
        "first_fit_seconds": fits[0],
        "fit_seconds": fits[1:],
        "first_predict_seconds": predictions[0],
        "predict_seconds": predictions[1:],
        "peak_gpu_gib": round(peak, 2),
    }


def timed(work: Callable[[], Any], machine: Machine) -> tuple[Any, float]:
    """What the work returns, and its seconds until the device has done all of it."""
    machine.wait()
    started = clock.perf_counter()
    result = work()
    machine.wait()
    return result, round(clock.perf_counter() - started, 4)


def judged(model: FPBoost, new: Arrays) -> dict[str, float]:
    """C-index and mean log-likelihood on other rows."""
    outcome = new["event"], new["time"]
    return {
        "c_index": round(float(concordance_index(outcome, model.predict(new["X"]))), 5),
        "log_likelihood": round(mean_log_likelihood(model, new), 5),
    }


def mean_log_likelihood(model: FPBoost, new: Arrays) -> float:
    r"""Mean of :math:`\delta \log h(t) - H(t)` of right-censored rows, each at its own time."""
    total = 0.0
    for first in range(0, len(new["time"]), AT_ONCE):
        rows = slice(first, first + AT_ONCE)
        X, time, event = new["X"][rows], new["time"][rows], new["event"][rows]
        # Times must be sorted; the rows are sorted with them, so that each is at its own time on the diagonal.
        order = np.argsort(time)
        hazard = np.diag(model.predict_hazard_function(X[order], times=time[order]))
        cumulative = np.diag(model.predict_cumulative_hazard_function(X[order], times=time[order]))
        total += float(np.sum(np.where(event[order], np.log(hazard), 0.0) - cumulative))
    return total / len(new["time"])


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studies.speed.gpu", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="file of JSON lines to append to, such as gpu.jsonl")
    parser.add_argument("--part", type=names, default=tuple(PARTS), help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rows", type=sizes, default=(), help="like 1e6,1e7; those of the part by default")
    parser.add_argument("--repeats", type=positive, default=3, help="fits after the first; 3 by default")
    parser.add_argument("--device", default="cuda", help="cuda by default; cpu to try the script")
    options = parser.parse_args(arguments)
    if options.output.suffix != ".jsonl":
        parser.error(f"--output: the name must end with .jsonl; got {options.output.name}")
    check_names(parser, "--part", options.part, PARTS)
    return options


if __name__ == "__main__":
    main()
