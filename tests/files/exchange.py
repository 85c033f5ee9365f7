"""Do files go from one version to another? ``python -m tests.files.exchange OLD_PYTHON NEW_PYTHON``.

Each interpreter, with its own versions of Python, XGBoost and NumPy, saves one model of every kind with what it
predicts; each other one loads all of them and predicts. hazboost is that of this checkout in all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def save_all(folder):
    """Save models of every kind, and what they predict; print the versions that did it."""
    import pandas as pd
    import xgboost

    from tests.files.models import CASES, fitted

    for number, name in enumerate(CASES):
        fitted(name).save(folder / f"{number}.hzb")
        np.savez(folder / f"{number}.npz", *numbers_of(fitted(name), CASES[name]))
    versions = {"XGBoost": xgboost.__version__, "NumPy": np.__version__, "pandas": pd.__version__}
    print("Python", sys.version.split()[0], *(f"{name} {version}" for name, version in versions.items()))


def load_all(folder):
    """Load what another interpreter has saved; print the largest difference of each model's predictions."""
    from hazboost import load
    from tests.files.models import CASES

    found = {}
    for number, name in enumerate(CASES):
        here = numbers_of(load(folder / f"{number}.hzb"), CASES[name])
        there = list(np.load(folder / f"{number}.npz").values())
        found[name] = max(difference(one, other) for one, other in zip(here, there, strict=True))
    print(json.dumps(found))


def numbers_of(model, case):
    """Everything that a model predicts, as arrays of numbers."""
    from tests.files.models import predictions

    arrays, table = predictions(model, case)
    return [np.asarray(one, dtype=np.float64) for one in (*arrays, table.select_dtypes("number"))]


def difference(one, other):
    """The largest difference, relative to the size of the numbers; infinities and NaN must be the same."""
    if one.shape != other.shape:
        return np.inf
    finite = np.isfinite(one)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return np.inf
    return float(np.max(np.abs(one - other)[finite] / np.maximum(np.abs(other[finite]), 1e-300), initial=0.0))


def run(python, task, folder):
    """Do a task with another interpreter."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [python, "-m", "tests.files.exchange", f"--{task}", str(folder)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment, cwd=ROOT).stdout


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.files.exchange", description=__doc__)
    parser.add_argument("pythons", nargs="*", help="interpreters that have the packages of the tests")
    parser.add_argument("--save", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.save:
        save_all(options.save)
    elif options.load:
        load_all(options.load)
    else:
        return exchange(options.pythons)
    return False


def exchange(pythons):
    """Let each interpreter load the files of every other one; whether a prediction differs by more than rounding."""
    with TemporaryDirectory() as name:
        folders = {python: Path(name) / str(number) for number, python in enumerate(pythons)}
        versions = {}
        for python, folder in folders.items():
            folder.mkdir()
            versions[python] = run(python, "save", folder).strip()
        wrong = False
        for one, other in permutations(pythons, 2):
            found = json.loads(run(other, "load", folders[one]))
            worst = max(found, key=found.get)
            print(f"saved by {versions[one]}\nloaded by {versions[other]}")
            print(f"  {len(found)} models, largest relative difference {found[worst]:.1e} ({worst})")
            wrong = wrong or found[worst] > 1e-12
    return wrong


if __name__ == "__main__":
    sys.exit(main())
