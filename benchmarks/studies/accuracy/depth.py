"""Automatic depth against depth 2 on large, clean data: ``python -m benchmarks.studies.accuracy.depth``.

`FPBoost()` and `FPBoost(max_depth=2)` are fitted to simulated data and judged on 10,000 new subjects by the C-index and
by the distance of the predicted from the true survival curves. Fits that have a result are skipped; then the table is
printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from benchmarks.harness import storage
from benchmarks.harness.cells import timed
from benchmarks.harness.paths import RESULTS
from hazboost import FPBoost
from hazboost.utils.arrays import Array

OUTPUT = RESULTS / "accuracy" / "depth"
SIZES, NEW, COLUMNS, SHAPE = (6_000, 20_000), 10_000, 20, 1.4
DEPTHS: tuple[Any, ...] = ("auto", 2)
#: Log-hazard ratios of subjects with standard normal features.
RISKS: dict[str, Callable[[Array], Array]] = {
    "additive": lambda X: 0.8 * np.sin(2.0 * X[:, 0]) + 0.6 * np.abs(X[:, 1]) + (X[:, 2] > 0.5) - 0.5 * X[:, 5],
    "product of two features": lambda X: 0.8 * X[:, 0] - 0.5 * X[:, 1] + (X[:, 2] > 0.5) + 0.5 * X[:, 3] * X[:, 4],
    "three features together": lambda X: (
        0.5 * X[:, 0] + 1.2 * (X[:, 1:4] > 0.0).all(axis=1) - 0.8 * (X[:, 4:7] > 0.0).all(axis=1)
    ),
}


def measure(risk: str, rows: int, depth: Any, seed: int = 0) -> dict[str, Any]:
    """Fit to one sample and judge on another."""
    rng = np.random.default_rng([seed, rows])
    X = rng.normal(size=(rows + NEW, COLUMNS))
    score = RISKS[risk](X)
    time = rng.weibull(SHAPE, len(X)) * np.exp(-score / SHAPE)
    limit = rng.exponential(1.5 * np.median(time), len(X))
    event, observed = time <= limit, np.minimum(time, limit)
    model, seconds = timed(
        lambda: FPBoost(max_depth=depth, random_state=seed).fit(X[:rows], (event[:rows], observed[:rows]))
    )
    new, times = X[rows:], np.quantile(time, np.linspace(0.05, 0.95, 19))
    truth = np.exp(-(times**SHAPE) * np.exp(score[rows:])[:, None])
    error = model.predict_survival_function(new, times=times) - truth
    return {
        "risk": risk,
        "rows": rows,
        "max_depth": depth,
        "chosen": model.max_depth_,
        "rounds": model.n_estimators_,
        "c_index": model.score(new, (event[rows:], observed[rows:])),
        "rmse": float(np.sqrt((error**2).mean())),
        "seconds": round(seconds, 1),
    }


def main() -> None:
    """Measure what is missing, and print the table."""
    lines = storage.read(OUTPUT, _cell)
    for cell in product(RISKS, SIZES, DEPTHS):
        if cell not in lines:
            lines[cell] = measure(*cell)
            storage.append(OUTPUT, "depth", lines[cell])
    sys.stdout.write("| data | rows | depth chosen | C-index, auto | depth 2 | error of S(t), auto | depth 2 |\n")
    sys.stdout.write("|---|---:|---:|---:|---:|---:|---:|\n")
    for risk, rows in product(RISKS, SIZES):
        auto, shallow = (lines[risk, rows, depth] for depth in DEPTHS)
        sys.stdout.write(
            f"| {risk} | {rows:,} | {auto['chosen']} | {100 * auto['c_index']:.2f} | {100 * shallow['c_index']:.2f} | "
            f"{auto['rmse']:.4f} | {shallow['rmse']:.4f} |\n"
        )


def _cell(line: dict[str, Any]) -> tuple[str, int, Any]:
    return line["risk"], line["rows"], line["max_depth"]


if __name__ == "__main__":
    main()
