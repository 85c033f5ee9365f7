"""Interpreters of their own, for models whose packages cannot be installed beside the others."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

#: Characters of a failed command's output that an error shows.
OUTPUT_TAIL = 1_500
#: One thread in whatever a worker imports.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SERVE = Path(__file__).with_name("serve.py")

Arrays = Mapping[str, npt.NDArray[Any]]


class UnavailableError(RuntimeError):
    """An environment could not be made, or its interpreter is not there."""


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
    first_use : str
        Python to run once, before anybody uses the environment: for packages that compile something when they are first
        used, which several processes must not do at once.
    """

    name: str
    requirements: tuple[str, ...]
    first_use: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that may name an interpreter."""
        return f"HAZBOOST_PYTHON_{self.name.upper()}"

    @property
    def is_named(self) -> bool:
        """Whether the environment variable names an interpreter."""
        return bool(os.environ.get(self.variable))

    @property
    def is_there(self) -> bool:
        """Whether there is an interpreter, or one is named, so that none has to be made."""
        return self.is_named or self._folder().exists()

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
            if self.first_use:
                self._call([str(_interpreter(made)), "-c", self.first_use])
            try:
                made.rename(folder)
            except OSError:
                if not folder.exists():  # else another process was faster, and its environment is as good
                    raise

    def _call(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            raise UnavailableError(
                f"the environment {self.name!r} could not be made of {' '.join(self.requirements)}. Make one "
                f"yourself and point {self.variable} at its interpreter. The last lines of the output:\n"
                f"{(done.stdout + done.stderr)[-OUTPUT_TAIL:]}"
            )

    @cache  # noqa: B019 - a few environments, for as long as the process lives
    def versions(self, packages: tuple[str, ...]) -> dict[str, str]:
        """Versions of distributions in this environment; those that are not installed are left out."""
        code = (
            "import json, sys; from importlib.metadata import distributions; "
            "found = {d.name.lower(): d.version for d in distributions()}; "
            "print(json.dumps({n: found[n.lower()] for n in sys.argv[1:] if n.lower() in found}))"
        )
        command = [str(self.python()), "-c", code, *packages]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        found: dict[str, str] = json.loads(done.stdout)
        return found


class Worker:
    """A process in an environment that trains one model and predicts with it.

    Arrays travel through a temporary folder. The process ends with this object, or with the process that started it.

    Parameters
    ----------
    environment : Environment
        Whose interpreter it is.
    script : Path
        The file with the functions that are called: ``fit`` and ``predict``.
    """

    def __init__(self, environment: Environment, script: Path) -> None:
        self.name = script.stem
        self._path = Path(tempfile.mkdtemp(prefix="hazboost-"))
        with (self._path / "log.txt").open("w") as log:
            self._process = subprocess.Popen(  # noqa: S603
                [str(environment.python()), str(SERVE), str(script), str(self._path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | ONE_THREAD,
                text=True,
            )
        weakref.finalize(self, _end, self._process, self._path)

    def call(self, action: str, arrays: Arrays, settings: Mapping[str, Any] | None = None) -> Arrays:
        """Have the worker call its function ``action`` on arrays, and on settings that fit into JSON.

        Returns
        -------
        mapping of arrays
            What the function returned.
        """
        np.savez(self._path / "input.npz", **arrays)  # type: ignore[arg-type]
        (self._path / "settings.json").write_text(json.dumps(dict(settings or {})))
        if self._ask(action) != "done":
            code = self._process.wait()  # first, as a traceback is written at the very end
            log = (self._path / "log.txt").read_text(errors="replace")
            raise WorkerError(
                f"{self.name}: {action} ended with the code {code}. The last lines of its output:\n{log[-OUTPUT_TAIL:]}"
            )
        with np.load(self._path / "output.npz") as output:
            return dict(output)

    def _ask(self, action: str) -> str:
        """What the process answers; nothing if it has ended."""
        pipes = self._process.stdin, self._process.stdout
        try:
            print(action, file=pipes[0], flush=True)
        except BrokenPipeError:
            return ""
        return pipes[1].readline().strip() if pipes[1] is not None else ""


def _end(process: subprocess.Popen[str], folder: Path) -> None:
    """Close the pipe on which the process waits for more to do, wait for its end, and leave nothing behind."""
    with contextlib.suppress(BrokenPipeError):
        process.communicate()
    shutil.rmtree(folder)


def _interpreter(folder: Path) -> Path:
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"
