"""The models of the study: those of the paper in the order of its tables, others after them, FPBoost last."""

from __future__ import annotations

from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Peer

#: Order of the rows of the tables.
FIRST = (
    "km",
    "cox",
    "coxboost",
    "xgboost",
    "rsf",
    "deepsurv",
    "deepsurv_paper",
    "deephit",
    "deephit_paper",
    "dsm",
    "dsm_paper",
    "boxhed",
)
#: The three FPBoosts, highlighted in tables and figures.
OWN = ("fpboost_authors", "fpboost_paper", "fpboost")


def models() -> dict[str, Peer]:
    """Every model of the study, by name."""
    return peers_of("paper", FIRST, OWN)
