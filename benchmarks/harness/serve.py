"""Train and predict on request, in another interpreter: ``python serve.py worker.py folder``.

A worker is a file with ``fit(arrays, settings) -> model`` and ``predict(model, arrays) -> arrays``; it is not named
like the package that it imports. Every line of the input is the name of one of the two functions; the answer is a line
``done``. The process ends with the input.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np


@contextmanager
def answers() -> Iterator[IO[str]]:
    """Standard output, for answers only: whatever else is printed, by libraries of C too, goes to standard error."""
    with os.fdopen(os.dup(1), "w") as output:
        os.dup2(2, 1)
        yield output


def main(worker: str, folder: Path) -> None:
    """Read what the folder holds, act, leave the result there, and wait for more."""
    functions = runpy.run_path(worker)
    model: Any = None
    with answers() as output:
        for line in sys.stdin:
            with np.load(folder / "input.npz") as stored:
                arrays = dict(stored)
            result: dict[str, Any] = {}
            if line.strip() == "fit":
                model = functions["fit"](arrays, json.loads((folder / "settings.json").read_text()))
            else:
                result = functions["predict"](model, arrays)
            np.savez(folder / "output.npz", **result)
            print("done", file=output, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
