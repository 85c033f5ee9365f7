"""How fits scale with threads: ``python -m benchmarks.studies.speed.threads --output FILE``.

Two parts: a round of boosting beside the seconds of XGBoost's ``boost`` in it, with the compiled gradient and without;
and the whole default fit. It needs NumPy, SciPy, scikit-learn and XGBoost only, and Numba for the compiled gradient.
"""

from __future__ import annotations

import argparse
import sys
import time as clock
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import xgboost as xgb

from benchmarks.harness import storage
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import check_names, names, numbers, sizes
from benchmarks.harness.packages import installed
from benchmarks.studies.speed.data import COLUMNS, Arrays, simulate
from hazboost import FPBoost
from hazboost.boosting import kernel

PACKAGES = ("hazboost", "numpy", "scikit-learn", "xgboost", "xgboost-cpu", "numba")
THREADS = (2, 4, 8, 16)
DEPTHS = (2, 4)
#: Rounds that are timed; the first and the last are not.
ROUNDS = 15
#: Part -> its number of rows.
ROWS = {"rounds": 1_000_000, "fits": 200_000}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure part by part."""
    options = parse(arguments)
    write(options.output, {"kind": "machine"} | describe_machine() | {"versions": installed(PACKAGES)})
    for part in options.part:
        rows = (options.rows or (ROWS[part],))[0]
        data = simulate(rows, np.random.default_rng(0), np.float32)
        for line in PARTS[part](data, options.threads):
            write(options.output, {"part": part, "rows": rows, "columns": COLUMNS} | line)


def write(path: Path, line: dict[str, Any]) -> None:
    """Append a line to the file, and show it."""
    storage.append(path.parent, path.stem, line)
    sys.stderr.write(f"{line}\n")


def time_rounds(data: Arrays, threads: Sequence[int]) -> Iterator[dict[str, Any]]:
    """A round of seven trees in 64 bins."""
    for depth, compiled, number in product(DEPTHS, (True, False), threads):
        settings = {"n_estimators": ROUNDS + 2, "max_depth": depth, "max_bin": 64, "heads": None, "init": "marginal"}
        enough = kernel.ENOUGH_ROWS if compiled else sys.maxsize
        with patch.object(kernel, "ENOUGH_ROWS", enough), BoostClock() as boost:
            fit(data, number, settings)
        yield {"depth": depth, "threads": number, "compiled": compiled} | boost.medians()


def time_fits(data: Arrays, threads: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The default fit; one to fewer rows comes first, which compiles what is compiled."""
    fit({name: values[:30_000] for name, values in data.items()}, max(threads), {"n_estimators": 2})
    for number in sorted(threads, reverse=True):
        started = clock.perf_counter()
        model = fit(data, number, {})
        seconds = round(clock.perf_counter() - started, 2)
        yield {"threads": number, "seconds": seconds, "rounds": model.n_estimators_, "depth": model.max_depth_}


PARTS: dict[str, Callable[[Arrays, Sequence[int]], Iterator[dict[str, Any]]]] = {
    "rounds": time_rounds,
    "fits": time_fits,
}


def fit(data: Arrays, threads: int, settings: dict[str, Any]) -> FPBoost:
    """Fit FPBoost with so many threads."""
    return FPBoost(**settings, n_jobs=threads, random_state=0).fit(data["X"], (data["event"], data["time"]))


class BoostClock:
    """When each call of XGBoost's ``boost`` began and ended, within a ``with`` block."""

    def __enter__(self) -> BoostClock:
        self.began: list[float] = []
        self.ended: list[float] = []
        boost = xgb.Booster.boost

        def timed(*arguments: Any, **named: Any) -> None:
            self.began.append(clock.perf_counter())
            boost(*arguments, **named)
            self.ended.append(clock.perf_counter())

        self._patch = patch.object(xgb.Booster, "boost", timed)
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.stop()

    def medians(self) -> dict[str, float]:
        """Milliseconds of a round, from one call to the next, and of the call; the median of their ratios."""
        began, ended = np.array(self.began), np.array(self.ended)
        whole, inside = np.diff(began)[1:], (ended - began)[1:-1]
        return {
            "round_ms": round(1e3 * float(np.median(whole)), 2),
            "boost_ms": round(1e3 * float(np.median(inside)), 2),
            "ratio": round(float(np.median(whole / inside)), 3),
        }


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studies.speed.threads", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="file of JSON lines to append to")
    parser.add_argument("--part", type=names, default=tuple(PARTS), help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rows", type=sizes, default=(), help="like 1e6; those of the part by default")
    parser.add_argument("--threads", type=numbers, default=THREADS, help="like 2,4; 2,4,8,16 by default")
    options = parser.parse_args(arguments)
    if options.output.suffix != ".jsonl":
        parser.error(f"--output: the name must end with .jsonl; got {options.output.name}")
    check_names(parser, "--part", options.part, PARTS)
    return options


if __name__ == "__main__":
    main()
