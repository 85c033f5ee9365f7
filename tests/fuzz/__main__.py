"""A long run: ``python -m tests.fuzz --cases 20000 --seed 0 --jobs 2 --log fuzz.jsonl``.

Cases are numbered, and a case is made of the seed and its number only. Every line of the log is the result of a block
of cases, written when it is done; the same command goes on after the last line. ``--only 17`` shows one case.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

from benchmarks.harness.pool import Limits, run_tasks
from tests.fuzz.blocks import BLOCK, failed_block, run_block
from tests.fuzz.check import check
from tests.fuzz.numbered import case_of, choices_of, kind_of, simplify

#: Seconds for a block, after which its process is ended: some input may make a fit hang.
TIMEOUT = 300.0


def main(arguments=None):
    options = parse(arguments)
    if options.only is not None:
        show(options.seed, options.only)
        return 0
    done = read(options.log, options.seed)
    firsts = [first for first in range(0, options.cases, BLOCK) if first not in done]
    results = run_tasks(firsts, partial(run_block, options.seed), partial(failed_block, options.seed), limits(options))
    for block in results:
        with options.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(block) + "\n")
        done[block["first"]] = block
        sys.stderr.write(f"\r{BLOCK * len(done)} of {options.cases} cases, {count_failures(done)} failures\x1b[K")
    sys.stderr.write("\n")
    blocks = [done[first] for first in sorted(done) if first < options.cases]
    summarize(blocks, options.seed)
    return 1 if count_failures(done) else 0


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--cases", type=int, default=1_000, help="number of cases; 1000 by default")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other cases; 0 by default")
    parser.add_argument("--jobs", type=int, default=1, help="processes; one by default")
    parser.add_argument(
        "--log", type=Path, default=Path("fuzz.jsonl"), help="where results are kept; fuzz.jsonl by default"
    )
    parser.add_argument("--only", type=int, metavar="NUMBER", help="show this case and what is wrong with it")
    return parser.parse_args(arguments)


def limits(options):
    return Limits(jobs=options.jobs, timeout=TIMEOUT)


def read(path, seed):
    """Blocks of this seed that were done before, by their first case. A line cut short by a crash is left out."""
    done = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            block = json.loads(line)
        except json.JSONDecodeError:
            continue
        if block["seed"] == seed:
            done[block["first"]] = block
    return done


def count_failures(done):
    return sum(len(block["failures"]) for block in done.values())


def summarize(blocks, seed):
    """Print counts, and the simplest case for every kind of failure, which takes some seconds each."""
    refused, warned = (sum((Counter(block[name]) for block in blocks), Counter()) for name in ("refused", "warned"))
    accepted, seconds = (sum(block[name] for block in blocks) for name in ("accepted", "seconds"))
    cases = BLOCK * len(blocks)
    print(
        f"{cases} cases, {accepted} accepted, {refused.total()} refused, {1000 * seconds / max(cases, 1):.0f} ms each"
    )
    for title, counts in (("Refused", refused), ("Warned", warned)):
        print(f"\n{title}:", *(f"{count:6}  {message}" for message, count in counts.most_common()), sep="\n")
    print("\nFailed:", flush=True)
    kinds = defaultdict(list)
    for failure in (failure for block in blocks for failure in block["failures"]):
        kinds[kind_of(failure["check"], failure["text"])].append(failure)
    for kind, found in sorted(kinds.items(), key=lambda item: -len(item[1])):
        first = found[0]
        print(f"{len(found):6}  {first['check']}: {first['text'].splitlines()[0][:300]}")
        print(f"        case {first['case']}, simplified: {simplest(seed, first['case'], kind)!r}", flush=True)


def simplest(seed, number, kind):
    """The simplest case that fails in the same way; the case itself if its process died."""
    choices = choices_of(seed, number)
    return case_of(choices) if kind.startswith("process") else simplify(choices, kind)


def show(seed, number):
    """Print a case and its report."""
    case = case_of(choices_of(seed, number))
    report = check(case)
    print(case)
    print(f"refused: {report.refused}" if report.refused else "accepted")
    for message in report.warned:
        print(f"warned: {message}")
    for name, text in report.failures.items():
        print(f"failed: {name}: {text}")


if __name__ == "__main__":
    sys.exit(main())
