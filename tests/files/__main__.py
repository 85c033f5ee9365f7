"""A long run: ``python -m tests.files --cases 10000 --seed 0``."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.files.check import BASES
from tests.files.models import CASES, digest, fitted

#: Files that one process loads.
BLOCK = 500


def write_originals(folder):
    """The models whose files are changed, and what they predict."""
    for number, name in enumerate(BASES):
        fitted(name).save(folder / f"{number}.hzb")
    digests = {name: digest(fitted(name), CASES[name]) for name in BASES}
    (folder / "digests.json").write_text(json.dumps(digests), encoding="ascii")


def run_block(folder, seed, first, last):
    """Results of some files, in a process of their own."""
    command = [sys.executable, "-m", "tests.files.check", str(folder), str(seed), str(first), str(last)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)])
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if ended.returncode:
        last_seen = ended.stderr[-2000:]
        return {"counts": {}, "slowest": 0.0, "wrong": [[first, f"process ended with {ended.returncode}: {last_seen}"]]}
    return json.loads(ended.stdout)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.files", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000, help="number of changed files; 1000 by default")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other changes; 0 by default")
    options = parser.parse_args()
    counts, slowest, wrong = Counter(), 0.0, []
    with TemporaryDirectory() as name:
        write_originals(Path(name))
        for first in range(0, options.cases, BLOCK):
            found = run_block(Path(name), options.seed, first, min(first + BLOCK, options.cases))
            counts.update(found["counts"])
            slowest = max(slowest, found["slowest"])
            wrong += found["wrong"]
            sys.stderr.write(f"\r{min(first + BLOCK, options.cases)} of {options.cases}, {len(wrong)} wrong\x1b[K")
    sys.stderr.write("\n")
    print(*(f"{count:6}  {what}" for what, count in sorted(counts.items())), sep="\n")
    print(f"{counts.total()} files, at most {slowest:.2f} s each, {len(wrong)} wrong")
    print(*wrong[:20], sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
