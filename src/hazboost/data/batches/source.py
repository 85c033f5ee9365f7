"""`Batches`: where batches of rows come from. They can be read as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hazboost.data.batches.parquet import OUTCOME, ParquetFiles
from hazboost.data.frames import is_table
from hazboost.utils.describe import describe
from hazboost.utils.whole_numbers import is_whole_number


class Batch(NamedTuple):
    """Some rows: their features and, for training, their outcomes and weights."""

    X: Any
    y: Any = None
    sample_weight: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)


class Batches:
    """Rows that come in batches, for `FPBoost.fit_batches`.

    Parameters
    ----------
    source : callable or iterable
        A function without arguments that begins to read, or anything that can be iterated over several times, such as a
        list or a data loader. Each batch is a pair ``(X, y)`` or a triple ``(X, y, sample_weight)``, also as a list, in
        any form that `FPBoost.fit` takes; ``X`` alone if there is no outcome. A generator can be read only once: pass
        the function that makes it.

    Notes
    -----
    Every pass must give the same batches. How rows are cut into batches does not matter, but all rows of a subject
    (``Surv.counting`` with ``id``) must be in one of them. A column of categories must be one in every batch; the
    categories of all batches together are used.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import Batches, Surv
    >>> def read():
    ...     for seed in range(3):
    ...         rng = np.random.default_rng(seed)
    ...         yield rng.normal(size=(100, 2)), Surv.right(np.ones(100, dtype=bool), rng.exponential(size=100))
    >>> sum(len(batch.y) for batch in Batches(read))
    300
    """

    def __init__(self, source: Callable[[], Iterable[Any]] | Iterable[Any]) -> None:
        if isinstance(source, Iterator):
            raise TypeError(
                f"source: {describe(source)} can be read only once, and training reads the batches several times; pass "
                "the function that makes it, without calling it."
            )
        # Text and tables can be iterated over, but what they give are letters and names of columns.
        if not callable(source) and (isinstance(source, str) or is_table(source) or not isinstance(source, Iterable)):
            raise TypeError(
                f"source must be a function that begins to read, or a list of batches; got {describe(source)}. For "
                "files use Batches.from_parquet, and FPBoost.fit for a table in memory."
            )
        self._source = source

    @classmethod
    def from_parquet(
        cls,
        files: Any,
        *,
        event: str | None = None,
        time: str | None = None,
        entry: str | None = None,
        start: str | None = None,
        stop: str | None = None,
        id: str | None = None,  # noqa: A002
        lower: str | None = None,
        upper: str | None = None,
        weight: str | None = None,
        columns: Iterable[str] | None = None,
        batch_rows: int | None = None,
    ) -> Batches:
        """Rows of Parquet files. It needs pyarrow: ``pip install 'hazboost[parquet]'``.

        Parameters
        ----------
        files : path, or sequence of paths
            A file, a folder whose files end in ``.parquet``, in the order of their names, or several files.
        event, time, entry, start, stop, id, lower, upper : str, optional
            Columns of the outcome, as in `hazboost.Surv`: ``event`` and ``time`` (and ``entry``); ``start``, ``stop``
            and ``event`` (and ``id``); or ``lower`` and ``upper`` (and ``entry``). None of them for prediction.
        weight : str, optional
            Column of the weights.
        columns : sequence of str, optional
            Columns of the features, in this order; by default all others, except for the index of pandas. Columns
            that only names of folders hold, such as ``site=1``, are not read.
        batch_rows : int, optional
            Rows that are in memory at the same time; by default so many that they have two million values, which are 16
            megabytes. With ``id`` a batch also has the other rows of its last subject; rows of one subject must follow
            one another in the files.

        Returns
        -------
        Batches
        """
        if batch_rows is not None and not is_whole_number(batch_rows, 1):
            raise ValueError(f"batch_rows must be a positive whole number; got {describe(batch_rows)}.")
        if isinstance(columns, str):
            raise TypeError(f"columns must be a list of names; got {describe(columns)}. Use [{describe(columns)}].")
        given = dict(zip(OUTCOME, (event, time, entry, start, stop, id, lower, upper), strict=True))
        paths = [files] if isinstance(files, str | Path) else list(files)
        outcome = {name: column for name, column in given.items() if column is not None}
        chosen = None if columns is None else list(columns)
        return cls(ParquetFiles(tuple(map(Path, paths)), outcome, weight, chosen, batch_rows))

    def __iter__(self) -> Iterator[Batch]:
        begun = self._source() if callable(self._source) else self._source
        if not isinstance(begun, Iterable):
            raise TypeError(f"source: the function must return or yield batches; got {describe(begun)}.")
        for number, item in enumerate(begun):
            with in_batch(number):
                batch = _as_batch(item)
            yield batch
            del item, batch  # so that no two batches are in memory at the same time


def _as_batch(item: Any) -> Batch:
    """What one step of a source has given."""
    # Data loaders give lists. A list whose first part is a table is no list of rows, which would be features.
    is_list = isinstance(item, list) and len(item) > 0 and len(getattr(item[0], "shape", ())) == 2
    if not isinstance(item, tuple) and not is_list:
        return Batch(item)
    if not 1 <= len(item) <= 3:
        raise ValueError(
            f"source: give a pair (X, y) or a triple (X, y, sample_weight) for each batch; got {len(item)} parts."
        )
    return Batch(*item)


@contextmanager
def in_batch(number: int) -> Iterator[None]:
    """Say in an error in which batch it was."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if str(error).startswith("batches: "):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"batches: batch {number}: {error}") from error
