"""A fit to data that are larger than the memory, beside a fit in memory.

``python -m benchmarks.studies.speed.out_of_core`` writes Parquet files of simulated data, four times as large as a
limit. A process with this limit trains on them with `FPBoost.fit_batches`; another shows that reading all of them is
not possible with the limit; a third without limit reads all of them and trains with `FPBoost.fit`. It prints held-out
likelihood and C-index of both models, seconds and memory, and stores each as a JSON line as soon as it is there.

The limit is ``RLIMIT_DATA``: Linux enforces it on all memory that a process can write to, the heap and everything that
NumPy, Arrow and XGBoost allocate, whether it is used or only reserved. Files that are mapped to memory only to be read,
such as the code of libraries and the bins of XGBoost, do not count: the system may drop their pages at any time. The
limit on addresses, ``RLIMIT_AS``, would count these as well, half a gigabyte for the libraries alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import storage
from benchmarks.harness.options import shown
from benchmarks.harness.packages import installed
from benchmarks.harness.paths import RESULTS
from hazboost import Batches, FPBoost, Surv
from hazboost.metrics import concordance_index

OUTPUT, NAME = RESULTS / "speed", "out_of_core"
PACKAGES = ("hazboost", "numpy", "pyarrow", "xgboost")
MEGABYTE = 2**20
#: Settings of the trees, by their name. Few rounds, so that it takes minutes: each reads all bins for every level. All
#: rows and columns in each tree: of hundreds of columns five matter, and few trees would depend on which are drawn.
SETTINGS: dict[str, dict[str, Any]] = {
    "given": {"n_estimators": 15, "max_depth": 3, "learning_rate": 0.5, "subsample": 1.0, "colsample_bytree": 1.0},
    "chosen": {},
}
#: Rows of a file and of a group in it, and of the test data in all and at a time.
FILE_ROWS, GROUP_ROWS, TEST_ROWS, SCORED_ROWS = 20_000, 5_000, 20_000, 1_000
#: Threads get memory of their own, and the allocators of Arrow and of the C library would keep what was freed. Threads
#: that wait must not keep a core busy: where other programs run, trees from many pages would take ten times as long.
FRUGAL = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "2",
    "OMP_WAIT_POLICY": "passive",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "MALLOC_MMAP_THRESHOLD_": "131072",
}
Floats = npt.NDArray[np.float64]


def simulate(rows: int, columns: int, seed: int) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
    """Weibull times with linear effects, a threshold, an interaction and noise features; half of them are censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    risk = 0.8 * X[:, 0] - 0.5 * X[:, 1] + (X[:, 2] > 0.5) + 0.5 * X[:, 3] * X[:, 4]
    time_to_event = rng.weibull(1.4, rows) * np.exp(-risk / 1.4)
    limit = rng.exponential(1.0, rows)
    return X, time_to_event <= limit, np.minimum(time_to_event, limit)


def write_files(folder: Path, rows: int, columns: int) -> None:
    """One Parquet file after the other."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    for number in range(rows // FILE_ROWS):
        X, event, followed = simulate(FILE_ROWS, columns, number)
        named = {f"x{column}": X[:, column] for column in range(columns)}
        table = pa.table({"event": event, "time": followed, **named})
        pq.write_table(table, folder / f"{number:04}.parquet", row_group_size=GROUP_ROWS, use_dictionary=False)


def read(folder: Path) -> Batches:
    """The training data in batches."""
    return Batches.from_parquet(folder, event="event", time="time")


def read_everything(folder: Path) -> tuple[Any, npt.NDArray[Any]]:
    """The training data in memory."""
    import pyarrow as pa  # noqa: PLC0415

    batches = list(read(folder))
    event, followed = (np.concatenate([np.asarray(batch.y[name]) for batch in batches]) for name in ("event", "time"))
    return pa.concat_tables([batch.X for batch in batches]), Surv.right(event, followed)


def fit_batches(model: FPBoost, folder: Path) -> FPBoost:
    """Train from files."""
    return model.fit_batches(read(folder))


def fit_in_memory(model: FPBoost, folder: Path) -> FPBoost:
    """Train on everything that the files have."""
    return model.fit(*read_everything(folder))


WAYS: dict[str, Callable[[FPBoost, Path], FPBoost]] = {"batches": fit_batches, "memory": fit_in_memory}


def train(way: str, folder: Path, columns: int, settings: str = "given") -> dict[str, Any]:
    """Fit, and score on new data; run in a process of its own."""
    model = FPBoost(**SETTINGS[settings], n_jobs=2, random_state=0)
    begun = time.perf_counter()
    WAYS[way](model, folder)
    seconds, peak = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    losses, risks, outcomes = zip(*_test_scores(model, columns), strict=True)
    return {
        "seconds": round(seconds, 1),
        "peak_mb": round(peak * 1024 / MEGABYTE),
        "rounds": model.n_estimators_,
        "depth": model.max_depth_,
        "loss": float(np.mean(np.concatenate(losses))),
        "concordance": concordance_index(np.concatenate(outcomes), np.concatenate(risks)),
    }


def _test_scores(model: FPBoost, columns: int) -> Iterator[tuple[Floats, Floats, npt.NDArray[Any]]]:
    """Losses, risks and outcomes of new subjects, some at a time."""
    for part in range(TEST_ROWS // SCORED_ROWS):
        X, event, followed = simulate(SCORED_ROWS, columns, 1_000_000 + part)
        named = _as_named(X)
        curves = (model.predict_hazard_function(named), model.predict_cumulative_hazard_function(named))
        hazard, cumulative = (np.array([curve(at) for curve, at in zip(of, followed, strict=True)]) for of in curves)
        yield cumulative - event * np.log(hazard), model.predict(named), Surv.right(event, followed)


def _as_named(X: Floats) -> Any:
    """Features as in the files."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.table({f"x{column}": X[:, column] for column in range(X.shape[1])})


def run_apart(way: str, folder: Path, options: argparse.Namespace, limit_mb: int | None) -> dict[str, Any]:
    """Train in a process with a limit on its memory; ``error`` says what happened where that is not enough."""
    command = [sys.executable, "-m", __spec__.name, "--way", way, "--folder", str(folder)]
    command += ["--columns", str(options.columns), "--settings", options.settings]
    limited = None if limit_mb is None else partial(_limit_memory, limit_mb * MEGABYTE)
    done = subprocess.run(  # noqa: S603
        command,
        env={**os.environ, **FRUGAL},
        capture_output=True,
        text=True,
        preexec_fn=limited,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"the code {done.returncode}"]
        return {"error": last[0][:100]}
    return {**json.loads(done.stdout.splitlines()[-1]), "error": None}


def _limit_memory(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_STACK, (MEGABYTE, resource.getrlimit(resource.RLIMIT_STACK)[1]))  # of a thread
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare a fit from files with a limit and a fit in memory without."""
    options = parse(arguments)
    if options.way:
        trained = train(options.way, options.folder, options.columns, options.settings)
        sys.stdout.write(json.dumps(trained) + "\n")
        return
    rows = -(-4 * options.limit * MEGABYTE // (8 * options.columns * FILE_ROWS)) * FILE_ROWS
    with TemporaryDirectory(dir=options.folder) as folder:
        begun = time.perf_counter()
        write_files(Path(folder), rows, options.columns)
        data_mb = rows * options.columns * 8 / MEGABYTE
        _say(
            f"{rows:,} rows, {options.columns} columns: {data_mb:,.0f} MB in memory, limit {options.limit} MB; written "
            f"in {time.perf_counter() - begun:.0f} s; settings: {SETTINGS[options.settings] or 'chosen by the fit'}"
        )
        about = {"data_rows": rows, "columns": options.columns, "data_mb": round(data_mb), "settings": options.settings}
        for way, limit in (("batches", options.limit), ("memory", options.limit), ("memory", None)):
            result = run_apart(way, Path(folder), options, limit)
            _say(f"  {way}, {'no limit' if limit is None else f'{limit} MB'}: {describe(result)}")
            line = {"way": way, "limit_mb": limit, **about, **result, **_origin(options.output)}
            storage.append(options.output, NAME, line)


def describe(result: dict[str, Any]) -> str:
    """A result in a line."""
    if result["error"] is not None:
        return f"failed with {result['error']}"
    return (
        f"held-out loss {result['loss']:.4f}, C-index {result['concordance']:.4f}, {result['rounds']} rounds of depth "
        f"{result['depth']}, {result['seconds']:.0f} s, peak {result['peak_mb']:,} MB"
    )


def _say(text: str) -> None:
    """A line of the output, which is seen at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _origin(output: Path) -> dict[str, Any]:
    """The machine and the versions of a result."""
    from benchmarks.studies.speed.process import own_commit  # noqa: PLC0415 - a process with a limit needs neither
    from benchmarks.studies.speed.run import remember_machine  # noqa: PLC0415

    return {"machine": remember_machine(output), "commit": own_commit(), "versions": installed(PACKAGES)}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=750, help="memory in megabytes")
    parser.add_argument("--columns", type=int, default=500, help="number of features")
    parser.add_argument("--settings", choices=sorted(SETTINGS), default="given", help="of the trees: given, or chosen")
    parser.add_argument("--folder", type=Path, help="where to write the files, instead of that for temporary ones")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of the results, {shown(OUTPUT)}")
    parser.add_argument("--way", choices=sorted(WAYS), help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
