"""The models of the study, the quick ones first."""

from __future__ import annotations

from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Peer

OWN = "fpboost"
#: Shown in the report only if asked for.
REFERENCE = "kaplan_meier"
#: The strongest linear model.
RIVAL = "cox_ridge"
#: Order of the cells of a data set.
FIRST = (REFERENCE, "coxnet", "weibull_aft", "loglogistic_aft", "xgb_cox", "xgb_aft", RIVAL, "gbsa")
LAST = ("survivalboost", "rsf", OWN)
#: Models that are fitted to the large data sets; `README.md` says what the others would take.
LARGE = (REFERENCE, "coxnet", "weibull_aft", "xgb_cox", "xgb_aft", RIVAL, OWN)
#: Rows up to which a model is fitted. The time of the ridge grows at least with their square: minutes for this number.
MOST_ROWS = {RIVAL: 60_000}


def is_too_slow(name: str, rows: int) -> bool:
    """Whether a model is not fitted to data sets with that many rows."""
    return rows > MOST_ROWS.get(name, rows)


def models() -> dict[str, Peer]:
    """Every model of the study, by name."""
    return peers_of("accuracy", FIRST, LAST)


def peer_of(name: str) -> Peer:
    """A model of the study, or a variant of FPBoost that only the study of ablations fits to its data."""
    return (models() | peers_of("ablation"))[name]
