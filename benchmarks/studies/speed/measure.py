"""One measurement, in a process of its own: ``python -m benchmarks.studies.speed.measure ORDER``.

The order is a file of JSON, a `benchmarks.studies.speed.process.Order`. This module imports little, so that it runs in
the interpreter of the authors' package and with an earlier version of the library as well. A fit to a few rows comes
before the one that is measured: it imports, compiles and starts threads.
"""

from __future__ import annotations

import json
import runpy
import sys
import time as clock
from collections.abc import Callable, Iterable
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import numpy as np

from benchmarks.harness.memory import peak_gibibytes

#: Most rows of the fit that comes first and does not count.
WARM_UP = 200
#: Predictions are repeated until there are so many, or until they have taken so long.
MOST_RUNS, ENOUGH_SECONDS = 9, 1.0
#: Methods of the objective, in this version or in an earlier one, that evaluate the likelihood.
LIKELIHOOD = ("evaluate", "observe", "pseudo_residuals", "losses", "mean_loss")


class Model(Protocol):
    """What is timed."""

    def risk(self, X: Any) -> Any:
        """Scores of the rows."""

    def survival(self, X: Any, times: Any) -> Any:
        """Survival probabilities, rows by times."""


#: From features, event and time to a fitted model.
Fit = Callable[[Any, Any, Any], Model]
Result = dict[str, Any]


def main(path: Path) -> None:
    """Do what the order says, and leave the result in its file."""
    order = json.loads(path.read_text())
    with np.load(order["data"]) as stored:
        arrays = dict(stored)
    fit = worker_fit(order) if order["worker"] else peer_fit(order)
    result = ACTIONS[order["action"]](fit, arrays)
    Path(order["result"]).write_text(json.dumps(result | {"peak_gib": round(peak_gibibytes(), 4)}))


def peer_fit(order: dict[str, Any]) -> Fit:
    """The fit of a file of ``benchmarks.peers``."""
    base = import_module("benchmarks.peers.shared.base")
    peers = import_module(order["module"]).PEERS
    (peer,) = (one for one in peers if (one.study, one.name) == ("speed", order["peer"]))

    def fit(X: Any, event: Any, time: Any) -> Model:
        task = base.Task(base.Sample(X, event, time), None, "", order["seed"], order["threads"])
        model: Model = peer.fit(task, **order["arguments"])
        return model

    return fit


def worker_fit(order: dict[str, Any]) -> Fit:
    """The fit of a file of ``benchmarks.peers.workers``, in the interpreter that it is for."""
    functions = runpy.run_path(order["worker"])
    settings = {**order["arguments"], "random_state": order["seed"]}

    class Fitted:
        def __init__(self, model: Any) -> None:
            self.risk = partial(functions["risk"], model)
            self.survival = partial(functions["survival"], model)

    return lambda X, event, time: Fitted(functions["fit"]({"X": X, "event": event, "time": time}, settings))


def time_fit(fit: Fit, arrays: dict[str, Any]) -> Result:
    """Seconds of a fit, and of the risks of as many rows."""
    model, result = fitted(fit, arrays)
    return result | {"predict_seconds": typical_seconds(lambda: model.risk(arrays["X"]))}


def time_shares(fit: Fit, arrays: dict[str, Any]) -> Result:
    """As `time_fit`; and which share of the fit is the likelihood, and which XGBoost."""
    objective = import_module("hazboost.boosting.objective").Objective
    xgboost = import_module("xgboost")
    likelihood, trees = Stopwatch(), Stopwatch()
    for name in LIKELIHOOD:
        if hasattr(objective, name):
            likelihood.watch(objective, name)
    for owner, name in (
        (xgboost.Booster, "boost"),
        (xgboost.Booster, "predict"),
        (xgboost.QuantileDMatrix, "__init__"),
    ):
        trees.watch(owner, name)
    model, result = fitted(fit, arrays, before=(likelihood.reset, trees.reset))
    shares = {"likelihood_seconds": round(likelihood.seconds, 4), "trees_seconds": round(trees.seconds, 4)}
    return result | shares | {"predict_seconds": typical_seconds(lambda: model.risk(arrays["X"]))}


def time_risk(fit: Fit, arrays: dict[str, Any]) -> Result:
    """Seconds of the risks of new rows, and of nothing but the trees of the same model, in the two ways of XGBoost."""
    model, result = fitted(fit, arrays)
    new, boosters = arrays["new"], model.model.model_.boosters  # type: ignore[attr-defined]
    _, seconds, _ = timed(lambda: model.risk(new))
    matrix = import_module("xgboost").DMatrix
    _, in_place, _ = timed(lambda: [one.inplace_predict(new, predict_type="margin") for one in boosters])
    _, by_matrix, _ = timed(lambda: [one.predict(matrix(new), output_margin=True) for one in boosters])
    return result | {"predict_seconds": seconds, "in_place_seconds": in_place, "matrix_seconds": by_matrix}


def time_survival(fit: Fit, arrays: dict[str, Any]) -> Result:
    """Seconds of the survival of new rows at many times."""
    model, result = fitted(fit, arrays)
    values, seconds, _ = timed(lambda: model.survival(arrays["new"], arrays["times"]))
    return result | {"predict_seconds": seconds, "result_gib": round(values.nbytes / 2**30, 4)}


ACTIONS: dict[str, Callable[[Fit, dict[str, Any]], Result]] = {
    "fit": time_fit,
    "shares": time_shares,
    "risk": time_risk,
    "survival": time_survival,
}


def fitted(fit: Fit, arrays: dict[str, Any], before: Iterable[Callable[[], None]] = ()) -> tuple[Model, Result]:
    """Fit to a few rows, call what comes `before`, fit to all rows; the model and the seconds of the second fit."""
    X, event, time = (arrays[name] for name in ("X", "event", "time"))
    few = slice(None, None, -(-len(X) // WARM_UP))
    fit(X[few], event[few], time[few]).risk(X[few])
    for call in before:
        call()
    model, seconds, cpu_seconds = timed(lambda: fit(X, event, time))
    return model, {"n": X.shape[0], "d": X.shape[1], "fit_seconds": seconds, "fit_cpu_seconds": cpu_seconds}


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What the work returns, its seconds, and the seconds of all cores together."""
    started, busy = clock.perf_counter(), clock.process_time()
    result = work()
    return result, round(clock.perf_counter() - started, 4), round(clock.process_time() - busy, 4)


def typical_seconds(work: Callable[[], Any]) -> float:
    """Median seconds of work that may take a millisecond, and is done several times if it takes little."""
    seconds: list[float] = []
    while len(seconds) < MOST_RUNS and sum(seconds) < ENOUGH_SECONDS:
        started = clock.perf_counter()
        work()
        seconds.append(clock.perf_counter() - started)
    return round(median(seconds), 6)


class Stopwatch:
    """Seconds spent in the methods that it watches; one that is called by another is counted once."""

    def __init__(self) -> None:
        self.seconds, self._depth = 0.0, 0

    def reset(self) -> None:
        """Begin at zero."""
        self.seconds = 0.0

    def watch(self, owner: Any, name: str) -> None:
        """Replace a method by one that is timed."""
        method = getattr(owner, name)

        @wraps(method)
        def watched(*arguments: Any, **settings: Any) -> Any:
            started, self._depth = clock.perf_counter(), self._depth + 1
            try:
                return method(*arguments, **settings)
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.seconds += clock.perf_counter() - started

        setattr(owner, name, watched)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
