"""Run an action of a worker: ``python serve.py worker.py fit|predict folder``.

A worker is a file with ``fit(arrays, settings) -> model`` and ``predict(model, arrays) -> arrays``.
"""

from __future__ import annotations

import json
import pickle
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np


def main(worker: str, action: str, folder: Path) -> None:
    """Read what the folder holds, act, and leave the result there."""
    functions = runpy.run_path(worker)
    with np.load(folder / "input.npz") as stored:
        arrays = dict(stored)
    result: dict[str, Any] = {}
    if action == "fit":
        model = functions["fit"](arrays, json.loads((folder / "settings.json").read_text()))
        (folder / "model.pickle").write_bytes(pickle.dumps(model))
    else:
        model = pickle.loads((folder / "model.pickle").read_bytes())  # noqa: S301 - what fit has left there
        result = functions["predict"](model, arrays)
    np.savez(folder / "output.npz", **result)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
