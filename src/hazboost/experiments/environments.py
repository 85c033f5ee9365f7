"""Interpreters of their own, for models whose packages cannot live beside the others."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

#: Characters of a failed command's output that an error shows.
OUTPUT_TAIL = 1_500
#: One thread in whatever a worker imports.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SERVE = Path(__file__).parent / "baselines" / "workers" / "serve.py"

Arrays = Mapping[str, npt.NDArray[Any]]


class UnavailableError(RuntimeError):
    """An environment could not be made, or is not what it should be."""


class WorkerError(RuntimeError):
    """What was run in an environment failed."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment that is made on first use, in the user's cache.

    Parameters
    ----------
    name : str
        Its name. Where the environment variable ``HAZBOOST_PYTHON_<NAME>`` holds the path of an interpreter, that is
        used as it is, and nothing is made.
    requirements : tuple of str
        What pip installs, from where the user's settings of pip say.
    """

    name: str
    requirements: tuple[str, ...]

    @property
    def variable(self) -> str:
        """The environment variable that may name an interpreter."""
        return f"HAZBOOST_PYTHON_{self.name.upper()}"

    def python(self) -> Path:
        """Its interpreter; made first where there is none. Several processes may ask at once."""
        given = os.environ.get(self.variable)
        if given:
            return self._existing(Path(given))
        folder = self._folder()
        if not folder.exists():
            self._make(folder)
        return _interpreter(folder)

    def _existing(self, python: Path) -> Path:
        if not python.is_file():
            raise UnavailableError(f"{self.variable}={str(python)!r} is no file; it must be a Python interpreter.")
        return python

    def _folder(self) -> Path:
        """A folder that other requirements, and other versions of Python, do not share."""
        import pooch  # noqa: PLC0415 - an extra

        content = json.dumps([sys.version_info[:2], self.requirements])
        digest = hashlib.sha256(content.encode()).hexdigest()[:12]
        return Path(pooch.os_cache("hazboost")) / "environments" / f"{self.name}-{digest}"

    def _make(self, folder: Path) -> None:
        """Make the environment beside its place, and move it there when it is complete."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{self.name}-") as place:
            made = Path(place) / "environment"
            self._call([sys.executable, "-m", "venv", str(made)])
            self._call([str(_interpreter(made)), "-m", "pip", "install", "--quiet", *self.requirements])
            try:
                made.rename(folder)
            except OSError:
                if not folder.exists():  # else another process was faster, and its environment is as good
                    raise

    def _call(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            raise UnavailableError(
                f"the environment {self.name!r} could not be made: pip needs {' '.join(self.requirements)}. Make one "
                f"yourself and point {self.variable} at its interpreter. The last lines of the output:\n"
                f"{(done.stdout + done.stderr)[-OUTPUT_TAIL:]}"
            )

    def call(self, worker: str, action: str, folder: Path, arrays: Arrays, settings: Mapping[str, Any]) -> Arrays:
        """Run an action of a worker in this environment.

        Parameters
        ----------
        worker : str
            A file in ``baselines/workers``, without its ending.
        action : {"fit", "predict"}
            What to do. What ``fit`` learns stays in the folder for ``predict``.
        folder : Path
            Where arrays and settings are left and results found.
        arrays, settings : mapping
            What the action works on; settings must fit into JSON.

        Returns
        -------
        mapping of arrays
            What the action returned.
        """
        np.savez(folder / "input.npz", **arrays)  # type: ignore[arg-type]
        (folder / "settings.json").write_text(json.dumps(dict(settings)))
        command = [str(self.python()), str(SERVE), str(SERVE.parent / f"{worker}.py"), action, str(folder)]
        environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=False, env=environment | ONE_THREAD
        )
        if done.returncode != 0:
            raise WorkerError(
                f"{self.name}: {action} ended with the code {done.returncode}. The last lines of its output:\n"
                f"{(done.stdout + done.stderr)[-OUTPUT_TAIL:]}"
            )
        with np.load(folder / "output.npz") as output:
            return dict(output)


def _interpreter(folder: Path) -> Path:
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"
