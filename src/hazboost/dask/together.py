"""Work that all workers do at the same time, connected with one another, and what happens when one of them is lost.

XGBoost's processes cannot go on without one of them. Workers that remain get an error at once, or after `SILENCE`
seconds if the other is there but does not answer. The work then restarts from the beginning on the workers that
are left, as soon as Dask has computed the lost partitions again; never is a part of the rows left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import Any, TypeVar

from distributed import Client, Future, KilledWorker, MultiLock, get_worker, wait
from distributed.comm import get_address_host

from hazboost.dask.placing import choose_workers
from hazboost.engines.collective import ConnectionLostError, communicator, start_tracker, stop_tracker
from hazboost.utils.warn import warn_caller

T = TypeVar("T")

#: Seconds within which all workers must begin, and after which one that does not answer counts as lost. The latter is
#: also how long two workers may wait for each other when a third is lost, before they notice.
PATIENCE, SILENCE = 300, 120
#: How often work is begun before it is given up.
ATTEMPTS = 3
#: Seconds between two looks at the workers, and for the last of them to report after the first has failed.
PAUSE, GRACE = 0.2, 10.0


class LostWorkerError(RuntimeError):
    """A worker was lost while all of them worked together."""


def run_together(client: Client, work: Callable[..., T], parts: Sequence[Future], sizes: Mapping[int, int]) -> list[T]:
    """Call a function on all workers at the same time, each with its share of the partitions, and return all results.

    Parameters
    ----------
    client : Client
        The connection to the cluster.
    work : callable
        Called with the numbers of the partitions that the worker works on, the number of threads it has, and these
        partitions.
    parts : sequence of Future
        The partitions.
    sizes : mapping of int to int
        Which of them to use, by number, and how many rows each of these has.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            # Partitions may take any time to be read; those of a lost worker are only computed again. Before that, the
            # workers that are left may wait at the tracker, and for one another, until they notice.
            _wait_for_parts(client, [parts[number] for number in sizes], None if attempt == 1 else 2 * PATIENCE)
            return _attempt(client, work, parts, sizes)
        except LostWorkerError as error:
            if attempt == ATTEMPTS:
                raise RuntimeError(
                    f"a worker was lost during training, {ATTEMPTS} times in a row, and no model was made. Most often "
                    "the memory of a worker was not enough: use more workers, or more memory for each; the logs of "
                    "the workers say more."
                ) from error
            warn_caller(
                "X: a worker was lost during training, which restarts on the workers that are left; the model will "
                "be that of all rows. If this happens often, give the workers more memory.",
                UserWarning,
            )
    raise AssertionError


def _attempt(client: Client, work: Callable[..., T], parts: Sequence[Future], sizes: Mapping[int, int]) -> list[T]:
    """Do the work once."""
    shared = _by_worker(client, parts, sizes)
    # One training at a time on each worker: two of them would wait for each other. XGBoost uses the same names.
    with MultiLock(list(shared), client):
        known = _start_tracker_for(client, len(shared))
        futures = {
            address: client.submit(
                _work_connected,
                address,
                place,
                known,
                work,
                mine,
                [parts[number] for number in mine],
                workers=[address],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
            for place, (address, mine) in enumerate(shared.items())
        }
        try:
            return _results(client, futures)
        except BaseException:
            # Those that are left may wait at the tracker for the lost one, and they have partitions to compute.
            client.run_on_scheduler(stop_tracker, known)
            raise
        finally:
            client.cancel(list(futures.values()), force=True)


def _wait_for_parts(client: Client, parts: Sequence[Future], patience: float | None) -> None:
    """Wait until all partitions are there, computed again where a worker was lost; for so many seconds at most."""
    if not client.nthreads():
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise RuntimeError(
                f"no worker is left, and none has come within {PATIENCE} seconds; no model was made. Check "
                "the cluster, and fit again."
            ) from error
    try:
        wait(parts, timeout=patience)
    except TimeoutError as error:
        raise RuntimeError(
            f"partitions of a lost worker were not computed again within {patience} seconds; no model was made. "
            "Restart the workers, which may still wait for the lost one, and fit again."
        ) from error
    failed = next((part for part in parts if part.status != "finished"), None)
    if failed is not None:
        reason = failed.exception() if failed.status == "error" else None
        raise RuntimeError(
            "a partition was lost with its worker and cannot be computed again; no model was made. Use X and y that "
            "are read from files or made by functions, not scattered to the workers."
        ) from reason


def _by_worker(client: Client, parts: Sequence[Future], sizes: Mapping[int, int]) -> dict[str, list[int]]:
    """Numbers of the partitions that each worker works on, in the order of the first of them.

    Partitions need not lie where they were read: Dask may give a task to an idle worker, which then has a copy; of two
    copies it drops one; and it computes those of a lost worker elsewhere. So they are placed anew.
    """
    where = client.who_has([parts[number] for number in sizes])
    holders = [where.get(parts[number].key, ()) for number in sizes]
    workers = sorted(client.nthreads())
    if not workers or not all(holders):
        raise LostWorkerError
    addresses = choose_workers(list(sizes.values()), holders, workers)
    shared: dict[str, list[int]] = {}
    for number, address in zip(sizes, addresses, strict=True):
        shared.setdefault(address, []).append(number)
    return shared


def _start_tracker_for(client: Client, workers: int) -> dict[str, Any]:
    """Start the tracker where the scheduler is, which all workers can reach."""
    host = get_address_host(client.scheduler.address)
    known: dict[str, Any] = client.run_on_scheduler(start_tracker, workers, host, PATIENCE, SILENCE)
    return known


def _work_connected(
    address: str,
    place: int,
    known: Mapping[str, Any],
    work: Callable[..., T],
    numbers: Sequence[int],
    parts: Sequence[Any],
) -> T:
    """What a worker does."""
    worker = get_worker()
    if worker.address != address:
        raise ConnectionLostError  # the other one was lost
    with communicator(place, known):
        return work(numbers, worker.state.nthreads, parts)


def _results(client: Client, futures: Mapping[str, Future]) -> list[Any]:
    """Wait for all results; stop waiting as soon as a worker fails or is lost."""
    noticed = None
    while True:
        statuses = {future.status for future in futures.values()}
        if statuses == {"finished"}:
            # A worker may be lost just now, and with it its result, which is then not computed again.
            with suppress(TimeoutError):
                return [future.result(timeout=GRACE) for future in futures.values()]
        errors = [future.exception() for future in futures.values() if future.status == "error"]
        own = [error for error in errors if not isinstance(error, ConnectionLostError | KilledWorker)]
        if own:
            raise own[0]
        noticed = noticed or (monotonic() if errors else None)
        # Workers that miss another one often report before that one does, which may have an error of its own.
        missed = noticed is not None and (len(errors) == len(futures) or monotonic() - noticed > GRACE)
        if missed or statuses & {"lost", "cancelled"} or not set(futures) <= set(client.nthreads()):
            raise LostWorkerError
        sleep(PAUSE)
