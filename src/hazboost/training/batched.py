"""Training data whose features are in batches, as an engine holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from hazboost.boosting.columns import target_columns
from hazboost.data.batches import FeatureBatches
from hazboost.data.sample import Sample, rows_to_load
from hazboost.engines.base import Engine, Matrix
from hazboost.prediction.model import Start
from hazboost.utils.arrays import Array, Mask

#: Bins are quantiles of at most so many rows: hundreds for each bin.
ROWS_FOR_BINS = 100_000


def batched_matrix(engine: Engine, sample: Sample, start: Start) -> Matrix:
    """A sample as the engine holds it, read in a few passes.

    The bins are those of rows that are drawn at random and of the extremes of the features. They do not depend on how
    the rows are cut into batches, and need little memory; where all rows can be drawn, they are those of all rows.
    """
    X: FeatureBatches = sample.X
    columns = target_columns(sample.target)
    drawn = _draw(X.shape[0], rows_to_load(ROWS_FOR_BINS, X))
    margins, bins = _read(engine, X, start, drawn, columns.get("weight"))
    return engine.matrix(X, margins, columns, like=bins)


def _draw(rows: int, most: int) -> Mask:
    """Which rows are drawn, at random and at most so many."""
    drawn = np.ones(rows, dtype=bool)
    if rows > most:
        drawn[np.random.default_rng(0).permutation(rows)[most:]] = False
    return drawn


def _read(
    engine: Engine, X: FeatureBatches, start: Start, drawn: Mask, weight: Array | None
) -> tuple[npt.NDArray[Any], Matrix]:
    """Scores of all rows before the first tree, and data that have the bins of the drawn rows."""
    margins, some, first = [], [], 0
    for part in X.parts():
        rows = slice(first, first + part.shape[0])
        first = rows.stop
        margins.append(start.margin(part).astype(np.float32))  # as engines hold them
        some.append(part[drawn[rows]].astype(np.float32))
        del part  # so that no two parts are in memory at the same time
    weights = None if weight is None else weight[drawn]
    if not drawn.all():
        extremes = X.extremes().astype(np.float32)
        some.append(scipy.sparse.csr_matrix(np.nan_to_num(extremes)) if X.schema.sparse else extremes)
        weights = None if weights is None else np.append(weights, np.ones(len(extremes)))
    reference = scipy.sparse.vstack(some, format="csr") if X.schema.sparse else np.concatenate(some)
    without_start = np.zeros((reference.shape[0], margins[0].shape[1]))
    bins = engine.matrix(reference, without_start, {} if weights is None else {"weight": weights})
    return np.concatenate(margins), bins
