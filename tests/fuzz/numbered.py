"""Cases by number, and the simplest case that still fails."""

from __future__ import annotations

import random

from tests.fuzz.check import check
from tests.fuzz.strategies import make_case

#: Cases that are tried to simplify one.
ATTEMPTS = 300


def choices_of(seed, number):
    """The choices that make a case: the positions of the options."""
    rng, taken = random.Random(f"{seed}/{number}"), []

    def choose(options):
        taken.append(rng.randrange(len(options)))
        return options[taken[-1]]

    make_case(choose)
    return taken


def case_of(choices):
    """The case that choices make. After a change there may be fewer options than before."""
    remaining = iter(choices)
    return make_case(lambda options: options[min(next(remaining), len(options) - 1)])


def simplify(choices, failure):
    """The case after choosing earlier options, as long as the same check fails."""
    attempts, simpler = 0, True
    while simpler and attempts < ATTEMPTS:
        simpler = False
        for position, chosen in enumerate(choices):
            for earlier in sorted({0, chosen // 2, max(chosen - 1, 0)} - {chosen}):
                attempts += 1
                changed = [*choices[:position], earlier, *choices[position + 1 :]]
                if failure in check(case_of(changed)).failures:
                    choices, simpler = changed, True
                    break
    return case_of(choices)
