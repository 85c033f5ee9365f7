"""Blocks of numbered cases: the tasks of worker processes, and what they send back."""

from __future__ import annotations

import time
from collections import Counter

from tests.fuzz.check import check
from tests.fuzz.numbered import case_of, choices_of
from tests.wording import template

BLOCK = 20


def run_block(seed, first):
    """Results of a block of cases."""
    began, accepted, refused, warned, failures = time.monotonic(), 0, Counter(), Counter(), []
    for number in range(first, first + BLOCK):
        report = check(case_of(choices_of(seed, number)))
        accepted += not report.refused
        refused.update([template(report.refused)] if report.refused else [])
        warned.update({template(message) for message in report.warned})
        failures += [{"case": number, "check": name, "text": text} for name, text in report.failures.items()]
    return {
        "seed": seed,
        "first": first,
        "accepted": accepted,
        "refused": refused,
        "warned": warned,
        "failures": failures,
        "seconds": round(time.monotonic() - began, 2),
    }


def failed_block(seed, first, what):
    """A block whose process has died or was ended."""
    failure = {"case": first, "check": "process", "text": f"cases {first} to {first + BLOCK - 1}: {what}"}
    return {
        "seed": seed,
        "first": first,
        "accepted": 0,
        "refused": {},
        "warned": {},
        "failures": [failure],
        "seconds": 0,
    }
