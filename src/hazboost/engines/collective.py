"""Processes that grow the same trees, each on its own rows.

Inside `communicator`, XGBoost sums the histograms of all processes whenever it grows a tree, so that all of them get
the same trees; `together` does the same with our own numbers. Outside of it a process is alone and everything stays as
it is. The processes need not know one another: each is told where the tracker is, which brings them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from threading import Thread
from typing import Any

import numpy.typing as npt
import xgboost as xgb
from xgboost.collective import CommunicatorContext, Op
from xgboost.core import XGBoostError
from xgboost.tracker import RabitTracker

from hazboost.utils.arrays import Array

#: Errors of the connection come from this part of XGBoost, and say so.
IN_COLLECTIVE = re.compile(r"[/\\]collective[/\\]")

#: Trackers of this process, by port.
RUNNING: dict[int, RabitTracker] = {}


class ConnectionLostError(RuntimeError):
    """Another of the processes no longer answers, or has failed."""


def is_distributed() -> bool:
    """Whether this process is connected with others."""
    return bool(xgb.collective.is_distributed())


def together(values: npt.NDArray[Any], operation: Op) -> Array:
    """Sums or largest values over all processes."""
    if not is_distributed():
        return values
    return xgb.collective.allreduce(values, operation)


def own_place() -> int:
    """Number of this process among those that are connected; 0 where it is alone."""
    return int(xgb.collective.get_rank())


def require_single_process(who: str) -> None:
    """Refuse to begin where this process is connected with others, with whose rows trees would be mixed."""
    if is_distributed():
        raise RuntimeError(
            f"{who} was called in a process that xgboost has connected with others, such as a worker of Ray Train; the "
            "trees would be grown on the rows of all of them, and the rest of the model on those of one. Fit outside "
            "of it, or use hazboost.dask.FPBoost."
        )


def start_tracker(processes: int, host: str | None, patience: int, silence: int | None = None) -> dict[str, Any]:
    """Start what brings processes together, in a thread of this process; return what they have to know of it.

    Parameters
    ----------
    processes : int
        How many there are.
    host : str, optional
        Address under which they reach this process.
    patience : int
        Seconds after which it is an error that a process has not come, or has not left.
    silence : int, optional
        Seconds after which it is an error that a process does not answer; by default the same.
    """
    tracker = RabitTracker(n_workers=processes, host_ip=host, sortby="task", timeout=patience)
    tracker.start()
    known: dict[str, Any] = {**tracker.worker_args(), "dmlc_timeout": silence or patience, "dmlc_retry": 3}
    RUNNING[known["dmlc_tracker_port"]] = tracker
    Thread(target=_wait_for, args=(tracker, known), daemon=True).start()
    return known


def _wait_for(tracker: RabitTracker, known: Mapping[str, Any]) -> None:
    """Wait until all processes have left, and clear up."""
    with suppress(XGBoostError):  # one of them was lost, which the others have noticed themselves
        tracker.wait_for()
    stop_tracker(known)


def stop_tracker(known: Mapping[str, Any]) -> None:
    """Stop a tracker of this process, if it still runs: those who wait there for a lost process then go on."""
    tracker = RUNNING.pop(known["dmlc_tracker_port"], None)
    if tracker is not None:
        with suppress(XGBoostError):
            tracker.free()


@contextmanager
def communicator(place: int, known: Mapping[str, Any]) -> Iterator[None]:
    """Connect this process with the others while trees are grown.

    Parameters
    ----------
    place : int
        Number of this process, 0 to one less than there are.
    known : mapping
        What `start_tracker` returned.
    """
    context = CommunicatorContext(**known, dmlc_task_id=f"{place:08d}")  # the tracker sorts them by this, as text
    try:
        context.__enter__()  # prints the number of the process, whatever the verbosity
    except XGBoostError as error:
        raise ConnectionLostError("the processes could not be connected") from error
    try:
        yield
    except BaseException as error:
        with suppress(XGBoostError):  # what went wrong first is what matters
            context.__exit__()
        if isinstance(error, XGBoostError) and IN_COLLECTIVE.search(str(error)):
            raise ConnectionLostError("another process was lost") from error
        raise
    context.__exit__()


def fingerprint(trees: xgb.Booster | Sequence[Any]) -> str:
    """A text that is the same for the same trees, of one engine or of several side by side."""
    boosters = [trees] if isinstance(trees, xgb.Booster) else trees
    return "".join(sha256(booster.save_raw()).hexdigest() for booster in boosters)
