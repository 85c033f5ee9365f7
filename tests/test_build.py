"""The build: what developers and CI call, and the versions that it installs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_import_order_does_not_depend_on_the_output_of_the_demo(tmp_path):
    """Ruff takes a folder in the root for a module of ours, and `make demo` writes to ``demo/``."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    for _ in ("before the demo", "after the demo"):
        result = run(sys.executable, "-m", "ruff", "check", "--no-cache", "--select", "I", "examples", cwd=tmp_path)
        assert result.returncode == 0, result.stdout
        (tmp_path / "demo").mkdir(exist_ok=True)
