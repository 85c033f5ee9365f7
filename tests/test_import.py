"""What `import hazboost` loads, and what it loads on first use."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hazboost

#: Prints the modules that were loaded; the names of those that must not be among them follow.
COUNT = "import sys, hazboost; print(*(name for name in sys.modules if name.startswith('hazboost')))"
LATER = ("report", "plots", "explain", "onnx", "calculator", "files", "summary", "tuning", "metrics", "cli", "dask")


def test_importing_loads_what_a_fit_needs():
    run = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "hazboost.training.pipeline" in loaded
    assert len(loaded) <= 120
    assert not [name for name in loaded if name.split(".")[1:2] in ([later] for later in LATER)]


def test_every_public_name_is_there_on_first_use():
    names = [*hazboost.__all__, *hazboost.PACKAGES]
    code = f"import hazboost; print(*(name for name in {names} if name in dir(hazboost) and getattr(hazboost, name)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == names


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="hazboost has no public name 'nothing'"):
        _ = hazboost.nothing
