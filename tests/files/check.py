"""Loads changed files one after the other, in a process that may take a gigabyte and not more."""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from hazboost import ModelFileError, load
from tests.files.models import CASES, digest, features
from tests.files.mutations import CHANGES, mutate

GIGABYTE = 2**30
#: Models whose files are changed, one after the other.
BASES = ["defaults", "rising", "categories, text", "sparse", "paper, many"]


def limit_memory():
    """At most a gigabyte more than what the process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + GIGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def check(folder, seed, number):
    """What has become of a changed file: how it was changed, the result, the processor's seconds, and the message."""
    base = BASES[number // len(CHANGES) % len(BASES)]
    original = (folder / f"{BASES.index(base)}.hzb").read_bytes()
    mutation = mutate(original, seed, number)
    path = folder / f"changed-{seed}-{number}.hzb"
    path.write_bytes(mutation.data)
    began = time.process_time()
    message = ""
    try:
        model = load(path)
    except ModelFileError as error:
        result, message = "refused", str(error)
    else:
        result = judge(model, base, mutation.forged, folder)
    seconds = time.process_time() - began
    path.unlink()
    return {"how": mutation.how, "result": result, "seconds": seconds, "message": message}


def judge(model, base, forged, folder):
    """Whether a model that was loaded is the one that was saved or, if it was forged, predicts something."""
    expected = json.loads((folder / "digests.json").read_text(encoding="ascii"))[base]
    if not forged:
        return "same" if digest(model, CASES[base]) == expected else "WRONG PREDICTIONS"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model.predict(features(CASES[base].features))
    return "forged"


def main(folder, seed, first, last):
    """Print how many files of which kind had which result, the longest time, and what went wrong."""
    limit_memory()
    counts, slowest, wrong = Counter(), 0.0, []
    for number in range(first, last):
        print(number, file=sys.stderr, flush=True)  # the last one that is seen is the one that ended the process
        try:
            found = check(folder, seed, number)
        except Exception as error:  # noqa: BLE001 - whatever it is, it should have been a ModelFileError
            found = {"how": "", "result": f"{type(error).__name__}: {error}", "seconds": 0.0, "message": ""}
        counts[f"{found['how']}: {found['result']}"] += 1
        slowest = max(slowest, found["seconds"])
        if found["result"] not in ("refused", "same", "forged") or found["seconds"] > 1.0:
            wrong.append([number, found])
    print(json.dumps({"counts": counts, "slowest": slowest, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
