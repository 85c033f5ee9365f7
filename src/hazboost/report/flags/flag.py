"""What a flag is, and how one is found."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hazboost.report.judged import Judged

Severity = Literal["serious", "caution"]


@dataclass(frozen=True)
class Flag:
    """A reason to trust a model less.

    Attributes
    ----------
    name : str
        Short name, as in ``docs/report.md``.
    severity : {"serious", "caution"}
        Serious flags may make the scores on the page worthless, or predictions wrong for everybody.
    title : str
        What is wrong, in a few words.
    evidence : str
        What was found.
    details : tuple of pairs of str
        Where it was found, such as the name of a feature, and what was found there.
    advice : str
        What to do.
    """

    name: str
    severity: Severity
    title: str
    evidence: str
    details: tuple[tuple[str, str], ...]
    advice: str

    def __str__(self) -> str:
        where = "; ".join(f"{place}: {found}" for place, found in self.details)
        return f"{self.severity}: {self.title}. {self.evidence}{f' ({where})' if where else ''} {self.advice}"


@dataclass(frozen=True)
class Finding:
    """What a check has found; the same as a flag without what is known of the check."""

    severity: Severity
    evidence: str
    details: tuple[tuple[str, str], ...] = ()


class NotAssessedError(Exception):
    """A check that cannot be made; the message says why, in words that follow "not checked:"."""


def need(what: str, *values: float) -> None:
    """Refuse a check whose numbers are not known: NaN is smaller than no threshold, and no finding either."""
    if any(math.isnan(value) for value in values):
        raise NotAssessedError(f"{what} could not be computed")


@dataclass(frozen=True)
class Check:
    """One thing that may be wrong.

    Attributes
    ----------
    name : str
        Short name.
    title : str
        What is wrong, if something is.
    advice : str
        What to do then.
    find : callable
        From the evidence to a finding, or None if all is well.
    """

    name: str
    title: str
    advice: str
    find: Callable[[Judged], Finding | None]


@dataclass(frozen=True)
class Unchecked:
    """A check that could not be made, and why."""

    title: str
    reason: str
