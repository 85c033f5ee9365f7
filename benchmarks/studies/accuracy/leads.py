"""The part of the report on single peers: on how many data sets FPBoost is ahead of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.accuracy.means import Results, mean_scores
from benchmarks.studies.accuracy.models import OWN
from benchmarks.studies.accuracy.scores import SCORES

#: Scores that are compared, and the digits to which equal ones are level.
COMPARED = ("c_index", "brier")
DIGITS = 4


class Lead(NamedTuple):
    """Numbers of data sets."""

    ahead: int
    level: int
    behind: int

    @property
    def share(self) -> float:
        """Share of the data sets on which FPBoost is ahead; NaN without any."""
        return self.ahead / sum(self) if sum(self) else float("nan")


def lead_section(results: Results, names: Sequence[str]) -> str:
    """On how many data sets FPBoost is ahead of, level with and behind each of the other models."""
    head = ["FPBoost against"]
    for score in COMPARED:
        head += [f"{SCORES[score][0]}: ahead", "level", "behind", "share ahead"]
    rows = [
        [name, *(entry for score in COMPARED for entry in _entries(lead_over(results, name, score)))]
        for name in names
        if name != OWN
    ]
    text = (
        "Numbers of data sets, by means over the repeats in which both have a result; level is equal to "
        f"{DIGITS} digits.\n"
    )
    return "\n".join(["## Ahead of each peer\n", text, *grid(head, rows)]) + "\n"


def lead_over(results: Results, peer: str, score: str) -> Lead:
    """On how many data sets FPBoost is ahead of, level with and behind a peer."""
    table = mean_scores(results, [OWN, peer], score).round(DIGITS)
    lead = table[OWN] - table[peer] if SCORES[score][1] else table[peer] - table[OWN]
    tolerance = 0.5 * 10.0**-DIGITS
    ahead, behind = int((lead > tolerance).sum()), int((lead < -tolerance).sum())
    return Lead(ahead, len(lead) - ahead - behind, behind)


def _entries(lead: Lead) -> list[str]:
    return [*map(str, lead), f"{100 * lead.share:.0f} %"]
