"""Cases by number, and the simplest case that still fails."""

from __future__ import annotations

import random

from tests.fuzz.check import check
from tests.fuzz.strategies import make_case
from tests.wording import template

#: Cases that are tried to simplify one.
ATTEMPTS = 100


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


def kind_of(check_name, text):
    """The kind of a failure: failures of one kind are counted together, and one of them is simplified."""
    return f"{check_name}: {template(text)[:60]}"


def kinds_of(case):
    """Kinds of the failures of a case."""
    return {kind_of(name, text) for name, text in check(case).failures.items()}


def simplify(choices, kind):
    """The case after choosing earlier options, as long as it fails in the same way."""
    attempts, simpler = 0, True
    while simpler and attempts < ATTEMPTS:
        simpler = False
        for position, chosen in enumerate(choices):
            for earlier in sorted({0, chosen // 2, max(chosen - 1, 0)} - {chosen}):
                attempts += 1
                changed = [*choices[:position], earlier, *choices[position + 1 :]]
                if kind in kinds_of(case_of(changed)):
                    choices, simpler = changed, True
                    break
    return case_of(choices)
