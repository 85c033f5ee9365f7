"""The command: ``python -m benchmarks speed`` measures how long a default fit takes, beside a random survival forest.

Both fit the same data on one thread, in turn and in one process, so that a busy machine slows both. The forest keeps a
curve over all distinct times in every leaf, tens of gigabytes for 10,000 of them; beyond 1,000 rows both are given
times rounded up to 1,000 quantiles, which makes the forest faster. Prints medians and their ratio, and appends them to
the results.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness import storage
from benchmarks.harness.cells import timed
from benchmarks.harness.options import numbers, positive, shown
from benchmarks.harness.packages import installed
from benchmarks.harness.paths import RESULTS
from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Sample, Task
from benchmarks.peers.shared.curves import round_up

OUTPUT = RESULTS / "speed"
COLUMNS = 20
DISTINCT_TIMES = 1_000
ROWS = (1_000, 10_000)
#: FPBoost, and the model that it is compared with.
OWN, REFERENCE = "fpboost", "forest"
PACKAGES = ("hazboost", "xgboost", "scikit-survival", "scikit-learn", "numpy")


def simulate(rows: int, seed: int) -> Sample:
    """Weibull times with linear effects, a threshold, an interaction and noise features; half of them are censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS))
    risk = 0.8 * X[:, 0] - 0.5 * X[:, 1] + (X[:, 2] > 0.5) + 0.5 * X[:, 3] * X[:, 4]
    time = rng.weibull(1.4, rows) * np.exp(-risk / 1.4)
    limit = rng.exponential(np.median(time) * 1.5, rows)
    return Sample(X, time <= limit, round_up(np.minimum(time, limit), DISTINCT_TIMES))


def compare(rows: int, repeats: int) -> dict[str, Any]:
    """Median seconds of every model of the study on the same data."""
    peers = peers_of("speed", (OWN, REFERENCE))
    times: dict[str, list[float]] = {name: [] for name in peers}
    for seed in range(repeats):
        task = Task(simulate(rows, seed), None, "simulated", seed)
        for name, peer in peers.items():
            times[name].append(timed(partial(peer.fit, task))[1])
    medians = {name: float(np.median(values)) for name, values in times.items()}
    return {
        "rows": rows,
        "columns": COLUMNS,
        "repeats": repeats,
        **medians,
        "ratio": medians[OWN] / medians[REFERENCE],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare for each number of rows."""
    options = parse(arguments)
    machine = {"machine": platform.machine(), "python": platform.python_version()}
    with threadpool_limits(1):
        for rows in options.rows:
            line = compare(rows, options.repeats)
            sys.stdout.write(
                f"{rows:>8} rows  FPBoost {line[OWN]:8.2f} s  forest {line[REFERENCE]:8.2f} s"
                f"  ratio {line['ratio']:.3f}\n"
            )
            storage.append(options.output, "speed", line | machine | installed(PACKAGES))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks speed",
        description="Seconds of a default fit beside scikit-survival's random survival forest at its defaults.",
    )
    parser.add_argument("--rows", type=numbers, default=ROWS, help="numbers of rows; 1000,10000 by default")
    parser.add_argument("--repeats", type=positive, default=3, help="fits whose median is taken; 3 by default")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of the results; {shown(OUTPUT)}")
    return parser.parse_args(arguments)
