"""The models of the study, FPBoost first."""

from __future__ import annotations

from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Peer

OWN = "fpboost"
#: Models whose trees grow on a GPU; they are fitted only if they are asked for.
ON_GPU = "_gpu"
#: FPBoost with settings of one's own, of which the report has the best.
BY_HAND = "hand_"
RIVALS = ("xgb_64", "xgb_256")


def models() -> dict[str, Peer]:
    """Every model of the study, by name."""
    return peers_of("learning", (OWN, *RIVALS, "cox"))


def usual() -> tuple[str, ...]:
    """The models that need no GPU."""
    return tuple(name for name in models() if not name.endswith(ON_GPU))
