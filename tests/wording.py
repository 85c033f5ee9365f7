"""What every error and warning must be like, whoever reads it."""

from __future__ import annotations

import inspect
import re

from hazboost import FPBoost, Surv, datasets, metrics, plots, tune

LONGEST = 600
#: Text of other libraries, and of Python itself, that says nothing to a user of this one.
FOREIGN = re.compile(
    r"Traceback|xgboost/|Check failed|dmlc|\.cc:|\.py\b|0x[0-9a-f]{4}|ufunc|could not be broadcast|<class|<function|"
    r"object is not|has no attribute|cannot convert|Cannot convert|could not convert|Could not convert|invalid literal|"
    r"unsupported operand|not supported between|truth value|setting an array element|argument must be a|"
    r"np\.(float|int|str|bool)|NAType|Expected 2D|ensure_|n_samples|sample\(s\)|feature\(s\)|dim \d|"
    r"Length of values|cannot reindex|out of bounds|object arrays|unexpected keyword|positional argument"
)


def public_arguments():
    """Names of all arguments of public functions and methods."""
    callables = [tune, datasets.load_dataset]
    callables += [one for module in (metrics, plots) for _, one in inspect.getmembers(module, inspect.isfunction)]
    for owner in (FPBoost, Surv):
        callables += [member for name, member in inspect.getmembers(owner, callable) if not name.startswith("_")]
    names = {name for one in [FPBoost, *callables] for name in inspect.signature(one).parameters}
    return names - {"self", "kwargs"}


ARGUMENTS = public_arguments()
NAMED = re.compile(r"(?<!\w)(" + "|".join(sorted(map(re.escape, ARGUMENTS), key=len, reverse=True)) + r")(?!\w)")


def faults(message):
    """What is wrong with the text of an error or warning."""
    found = []
    if len(message) > LONGEST:
        found.append(f"{len(message)} characters")
    if not message.rstrip().endswith("."):
        found.append("no full stop at the end")
    if foreign := FOREIGN.search(message):
        found.append(f"foreign words: {foreign[0]!r}")
    if not NAMED.search(message):
        found.append("no argument is named")
    return found


def template(message):
    """The first line of a message without the values in it, so that messages of one kind can be counted."""
    short = re.sub(r"'[^']*'", "'…'", message.split("\n", maxsplit=1)[0])
    return re.sub(r"\d[\d.,e+-]*\d|\d", "#", short)[:160]
