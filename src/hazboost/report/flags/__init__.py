"""Flags: what may be wrong with a model or with the data by which it is judged, each a small function with evidence."""

from __future__ import annotations

from hazboost.report.flags import events, follow_up, leaks, likeness, performance
from hazboost.report.flags.flag import Check, Flag, NotAssessedError, Unchecked
from hazboost.report.judged import Judged

#: All checks, in the order in which they are reported. A new one is a function and a line in its file.
CHECKS: tuple[Check, ...] = (
    *leaks.CHECKS,
    *events.CHECKS,
    *follow_up.CHECKS,
    *likeness.CHECKS,
    *performance.CHECKS,
)

__all__ = ["CHECKS", "Check", "Flag", "Unchecked", "raise_flags"]


def raise_flags(evidence: Judged) -> tuple[list[Flag], list[Check], list[Unchecked]]:
    """Make all checks: flags with serious ones first, checks that found nothing, and those that could not be made."""
    flags: list[Flag] = []
    passed: list[Check] = []
    unchecked: list[Unchecked] = []
    for check in CHECKS:
        try:
            found = check.find(evidence)
        except NotAssessedError as reason:
            unchecked.append(Unchecked(check.title, str(reason)))
            continue
        if found is None:
            passed.append(check)
        else:
            flags.append(Flag(check.name, found.severity, check.title, found.evidence, found.details, check.advice))
    return sorted(flags, key=lambda flag: flag.severity != "serious"), passed, unchecked
