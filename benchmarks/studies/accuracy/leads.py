"""The part of the report on single peers: on how many data sets FPBoost is ahead of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.accuracy.means import Results, common_scores, mean_scores
from benchmarks.studies.accuracy.models import OWN
from benchmarks.studies.accuracy.scores import SCORES

#: Scores that are compared, and the digits to which equal ones are level.
COMPARED = ("c_index", "brier")
DIGITS = 4
LEVEL = 0.5 * 10.0**-DIGITS
#: Standard errors from which on a mean difference is clear, and the repeats that standard errors take.
CLEAR, FEWEST_REPEATS = 2.0, 3


class Lead(NamedTuple):
    """Numbers of data sets."""

    ahead: int
    level: int
    behind: int

    @property
    def share(self) -> float:
        """Share of the data sets on which FPBoost is ahead; NaN without any."""
        return self.ahead / sum(self) if sum(self) else float("nan")


class ClearLead(NamedTuple):
    """Numbers of data sets."""

    ahead: int
    behind: int


def lead_section(results: Results, names: Sequence[str]) -> str:
    """On how many data sets FPBoost is ahead of, level with and behind each of the other models, and clearly so."""
    peers = [name for name in names if name != OWN]
    leads = _table(peers, (*Lead._fields, "share ahead"), lambda *pair: _entries(lead_over(results, *pair)))
    text = (
        "Numbers of data sets, by means over the repeats in which both have a result; level is equal to "
        f"{DIGITS} digits.\n"
    )
    clear = _clear_part(results, peers) if _has_standard_errors(results) else []
    return "\n".join(["## Ahead of each peer\n", text, *leads, *clear]) + "\n"


def _has_standard_errors(results: Results) -> bool:
    """Whether any data set has repeats enough; without, a table of clear leads would say 0 everywhere."""
    repeats = Counter(cell.dataset for cell in results if cell.model == OWN)
    return max(repeats.values(), default=0) >= FEWEST_REPEATS


def _clear_part(results: Results, peers: Sequence[str]) -> list[str]:
    text = (
        f"\nClearly is by more than {CLEAR:.0f} standard errors of the mean difference over at least three repeats. "
        "Repeats share subjects, so that these standard errors are too small.\n"
    )
    columns = ("clearly ahead", "clearly behind")
    return [text, *_table(peers, columns, lambda *pair: map(str, clear_lead_over(results, *pair)))]


def _table(peers: Sequence[str], columns: Sequence[str], entries: Callable[[str, str], Iterable[str]]) -> list[str]:
    """A row for each peer, with the columns of every score."""
    first, *others = columns
    head = [column for score in COMPARED for column in (f"{SCORES[score][0]}: {first}", *others)]
    rows = [[peer, *(entry for score in COMPARED for entry in entries(peer, score))] for peer in peers]
    return grid(["FPBoost against", *head], rows)


def lead_over(results: Results, peer: str, score: str) -> Lead:
    """On how many data sets FPBoost is ahead of, level with and behind a peer."""
    lead = _difference(mean_scores(results, [OWN, peer], score).round(DIGITS), peer, score)
    ahead, behind = int((lead > LEVEL).sum()), int((lead < -LEVEL).sum())
    return Lead(ahead, len(lead) - ahead - behind, behind)


def clear_lead_over(results: Results, peer: str, score: str) -> ClearLead:
    """On how many data sets FPBoost is clearly ahead of and behind a peer."""
    leads = _difference(common_scores(results, [OWN, peer], score), peer, score).groupby(level="dataset")
    # Without repeats enough it is NaN, and comparisons are false.
    errors = (CLEAR * leads.sem()).clip(lower=LEVEL).where(leads.size() >= FEWEST_REPEATS)
    return ClearLead(int((leads.mean() > errors).sum()), int((leads.mean() < -errors).sum()))


def _difference(table: pd.DataFrame, peer: str, score: str) -> pd.Series:
    """By how much FPBoost is better."""
    return table[OWN] - table[peer] if SCORES[score][1] else table[peer] - table[OWN]


def _entries(lead: Lead) -> list[str]:
    return [*map(str, lead), f"{100 * lead.share:.0f} %"]
