"""The models of the study, FPBoost first."""

from __future__ import annotations

from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Peer
from benchmarks.studies.truth.situations import SITUATIONS

OWN = "fpboost"


def models() -> dict[str, Peer]:
    """Every model of the study, by name."""
    return peers_of("truth", (OWN, "cox_ridge", "weibull_aft", "rsf"), ("kaplan_meier",))


def can_take(peer: Peer, situation: str) -> bool:
    """Whether a model takes the data of a situation; where causes do not matter, it gets events of any cause."""
    needs = SITUATIONS[situation].needs
    return not needs or needs in peer.takes


def peer_of(name: str) -> Peer:
    """A model of the study, or a variant of FPBoost that only the study of ablations fits to its data."""
    return (models() | peers_of("ablation"))[name]
