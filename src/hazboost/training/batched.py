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
from hazboost.utils.arrays import Mask

#: Bins are quantiles of at most so many rows: hundreds for each bin.
ROWS_FOR_BINS = 100_000


def batched_matrix(engine: Engine, sample: Sample, start: Start) -> Matrix:
    """A sample as the engine holds it, read in a few passes.

    The bins are those of rows that are drawn at random and of the extremes of the features. They do not depend on how
    the rows are cut into batches, and need little memory; where all rows can be drawn, they are those of all rows.
    """
    X: FeatureBatches = sample.X
    drawn = _draw(X.shape[0], rows_to_load(ROWS_FOR_BINS, X))
    margins, some = _read(X, start, drawn)
    columns = target_columns(sample.target)
    weight = {"weight": columns["weight"][drawn]} if "weight" in columns else {}
    if not drawn.all():
        extremes = X.extremes()
        some.append(scipy.sparse.csr_matrix(np.nan_to_num(extremes)) if X.schema.sparse else extremes)
        weight = {name: np.append(values, np.ones(len(extremes))) for name, values in weight.items()}
    reference = scipy.sparse.vstack(some, format="csr") if X.schema.sparse else np.concatenate(some)
    bins = engine.matrix(reference, np.zeros((reference.shape[0], margins.shape[1])), weight)
    return engine.matrix(X, margins, columns, like=bins)


def _draw(rows: int, most: int) -> Mask:
    """Which rows are drawn, at random and at most so many."""
    drawn = np.ones(rows, dtype=bool)
    if rows > most:
        drawn[np.random.default_rng(0).permutation(rows)[most:]] = False
    return drawn


def _read(X: FeatureBatches, start: Start, drawn: Mask) -> tuple[npt.NDArray[Any], list[Any]]:
    """Scores of all rows before the first tree, and features of the drawn ones; in single precision, as engines do."""
    margins, some, first = [], [], 0
    for part in X.parts():
        rows = slice(first, first + part.shape[0])
        first = rows.stop
        margins.append(start.margin(part).astype(np.float32))
        some.append(part[drawn[rows]].astype(np.float32))
    return np.concatenate(margins), some
