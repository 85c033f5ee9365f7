"""What the user gave, as partitions on the workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from dask.dataframe.dispatch import concat
from dask.delayed import Delayed
from distributed import Client, Future


@dataclass(frozen=True)
class Raw:
    """Futures of the partitions of each argument of ``fit``, pairs of them for a pair; None for what was not given."""

    X: Sequence[Future]
    y: Sequence[Any]
    sample_weight: Sequence[Any]
    groups: Sequence[Any]


def put_on_workers(client: Client, X: Sequence[Delayed], others: Mapping[str, Sequence[Any]]) -> Raw:
    """Begin to compute all partitions, and keep them on the workers."""
    columns: dict[str, Sequence[Any]] = {"X": X, "y": [], "sample_weight": [], "groups": []} | dict(others)
    flat = [one for column in columns.values() for part in column for one in _pieces(part)]
    futures = iter(client.compute(flat))  # at once, so that what they have in common is computed once
    held = {
        name: [_like(part, [next(futures) for _ in _pieces(part)]) for part in column]
        for name, column in columns.items()
    }
    return Raw(**{name: column or [None] * len(X) for name, column in held.items()})


def first_outcomes(client: Client, raw: Raw, counts: Sequence[int]) -> Any:
    """The first rows of the outcomes."""
    first = next(number for number, count in enumerate(counts) if count)
    return client.submit(_first_rows, raw.y[first], pure=False).result()


def gather(client: Client, raw: Raw, counts: Sequence[int]) -> dict[str, Any]:
    """All rows in memory, as arguments of ``fit``."""
    filled = [number for number, count in enumerate(counts) if count]
    gathered = {}
    for name in ("X", "y", "sample_weight", "groups"):
        parts = client.gather([getattr(raw, name)[number] for number in filled])
        if parts[0] is not None:
            pair = isinstance(parts[0], tuple)
            gathered[name] = tuple(map(_join, zip(*parts, strict=True))) if pair else _join(parts)
    return gathered


def _pieces(part: Any) -> tuple[Any, ...]:
    return part if isinstance(part, tuple) else (part,)


def _like(part: Any, pieces: list[Any]) -> Any:
    return tuple(pieces) if isinstance(part, tuple) else pieces[0]


def _first_rows(y: Any) -> Any:
    return tuple(one[:5] for one in y) if isinstance(y, tuple) else y[:5]


def _join(parts: Sequence[Any]) -> Any:
    """Partitions in one piece."""
    if scipy.sparse.issparse(parts[0]):
        return scipy.sparse.vstack(parts, format="csr")
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return concat(list(parts))  # with the categories of all of them
