"""``python -m tests.report [seeds]``: which flags are raised for planted defects, and for clean data."""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict

from tests.report.study import run


def main(seeds: int = 3) -> None:
    """Print a table in Markdown, and the totals."""
    found, wanted, order = defaultdict(list), {}, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, name, _, expected, flags in run(range(seeds)):
            if (kind, name) not in wanted:
                order.append((kind, name))
            wanted[kind, name] = expected
            found[kind, name].append(flags)
            print(f"{kind}: {name}: {flags}", file=sys.stderr, flush=True)
    print(f"| data | flag that is due | raised, of {seeds} | other flags |")
    print("|---|---|---:|---|")
    totals = defaultdict(lambda: [0, 0, 0])
    for kind, name in order:
        expected, lists = wanted[kind, name], found[kind, name]
        hit = sum(expected in flags for flags in lists)
        rest = [flag for flags in lists for flag in flags if flag != expected]
        totals[kind] = [one + more for one, more in zip(totals[kind], (len(lists), hit, len(rest)), strict=True)]
        listed = ", ".join(f"{flag} {rest.count(flag)}" for flag in dict.fromkeys(rest))
        print(f"| {name} | {expected or 'none'} | {'' if kind == 'clean' else hit} | {listed} |")
    for kind in ("planted", "found"):
        print(f"\n{kind}: {totals[kind][1]} of {totals[kind][0]} defects flagged, {totals[kind][2]} other flags")
    print(f"\nclean: {totals['clean'][2]} flags for {totals['clean'][0]} data sets")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
