"""How long a default fit takes, beside scikit-survival's random survival forest at its defaults.

    python -m benchmarks.speed --rows 1000,10000 --repeats 3

Both fit the same data on one thread, in turn and in one process, so that a busy machine slows both. The forest keeps a
curve over all distinct times in every leaf, tens of gigabytes for 10,000 of them; beyond 1,000 rows both are given
times rounded up to 1,000 quantiles, which makes the forest faster. Prints medians and their ratio, and writes them as
JSON lines.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time as clock
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sksurv.ensemble import RandomSurvivalForest
from sksurv.util import Surv
from threadpoolctl import threadpool_limits

from hazboost import FPBoost

COLUMNS = 20
DISTINCT_TIMES = 1_000
RESULTS = Path(__file__).parent / "speed.jsonl"
PACKAGES = ("hazboost", "xgboost", "scikit-survival", "scikit-learn", "numpy")


def simulate(rows: int, seed: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Weibull times with linear effects, a threshold, an interaction and noise features; half of them are censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS))
    risk = 0.8 * X[:, 0] - 0.5 * X[:, 1] + (X[:, 2] > 0.5) + 0.5 * X[:, 3] * X[:, 4]
    time = rng.weibull(1.4, rows) * np.exp(-risk / 1.4)
    limit = rng.exponential(np.median(time) * 1.5, rows)
    event, time = time <= limit, np.minimum(time, limit)
    if rows > DISTINCT_TIMES:
        levels = np.quantile(time, np.linspace(0.0, 1.0, DISTINCT_TIMES))
        time = levels[np.searchsorted(levels, time)]
    return X, Surv.from_arrays(event, time)


def seconds(model: Any, X: npt.NDArray[np.float64], y: npt.NDArray[Any]) -> float:
    """Time of one fit."""
    started = clock.perf_counter()
    model.fit(X, y)
    return clock.perf_counter() - started


def compare(rows: int, repeats: int) -> dict[str, Any]:
    """Median seconds of both models on the same data."""
    times: dict[str, list[float]] = {"fpboost": [], "forest": []}
    for seed in range(repeats):
        X, y = simulate(rows, seed)
        times["fpboost"].append(seconds(FPBoost(random_state=seed, n_jobs=1), X, y))
        times["forest"].append(seconds(RandomSurvivalForest(random_state=seed, n_jobs=1), X, y))
    medians = {name: float(np.median(values)) for name, values in times.items()}
    return {
        "rows": rows,
        "columns": COLUMNS,
        "repeats": repeats,
        **medians,
        "ratio": medians["fpboost"] / medians["forest"],
    }


def main(arguments: list[str] | None = None) -> None:
    """Compare for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="1000,10000", help="numbers of rows, separated by commas")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    machine = {"machine": platform.machine(), "python": platform.python_version()}
    with threadpool_limits(1):
        for rows in map(int, options.rows.split(",")):
            line = compare(rows, options.repeats)
            sys.stdout.write(
                f"{rows:>8} rows  FPBoost {line['fpboost']:8.2f} s  forest {line['forest']:8.2f} s"
                f"  ratio {line['ratio']:.3f}\n"
            )
            with options.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line | machine | {name: version(name) for name in PACKAGES}) + "\n")


if __name__ == "__main__":
    main()
