"""What the tests of the command share: two ways to call it, and a small table."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from hazboost.cli import main

ROOT = Path(__file__).resolve().parents[2]


def executable():
    """The installed command, of the same Python; without an installation the module."""
    found = shutil.which("hazboost", path=str(Path(sys.executable).parent))
    return [sys.executable, "-m", "hazboost"] if found is None else [found]


def environment(**others):
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), **others}


def run(*arguments, cwd=None, stdin=None, env=None):
    """The command in a process of its own."""
    command = [*executable(), *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=environment(**(env or {})),
        timeout=100,
    )


def call(*arguments):
    """The command in this process, which starts faster; its exit code."""
    try:
        return main([str(one) for one in arguments])
    except SystemExit as stopped:
        return stopped.code


def simulated(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time = rng.weibull(1.5, n) * np.exp(-x) + 0.01
    return pd.DataFrame({"x": x, "time": time, "event": (rng.random(n) < 0.7).astype(int)})
