"""The models that the studies compare. Every file of this folder is one family of models, wrapped once.

A file has a tuple ``PEERS``: for each study that the family takes part in, its name there and how it is fitted. A new
file is found by itself, so that adding a model takes that file and nothing else. What families share is in ``shared``;
``workers`` holds what runs in other interpreters. Packages other than those of hazboost are imported when a model is
fitted, so that a study runs with whatever is installed.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.peers.shared.base import Peer


def peers_of(study: str, order: Sequence[str] = (), last: Sequence[str] = ()) -> dict[str, Peer]:
    """The models of a study, by name.

    Parameters
    ----------
    study : str
        Name of the study.
    order, last : sequence of str
        Names that come first and last, in this order; models that are not named are between them.
    """
    found = {peer.name: peer for peer in all_peers() if peer.study == study}
    others = [name for name in found if name not in (*order, *last)]
    return {name: found[name] for name in (*order, *others, *last)}


def all_peers() -> list[Peer]:
    """Every entry of every file of this folder.

    Raises
    ------
    ValueError
        If two files have a model of the same name in one study.
    """
    modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__) if not found.ispkg]
    peers = [peer for module in modules for peer in module.PEERS]
    keys = [(peer.study, peer.name) for peer in peers]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise ValueError(f"the study {twice[0][0]!r} has two models named {twice[0][1]!r}.")
    return peers
