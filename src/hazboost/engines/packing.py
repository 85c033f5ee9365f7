"""How named columns travel inside XGBoost's data.

XGBoost has two bounds, a weight and a label for each row, all in single precision. A custom objective may use them as
it likes, except that the weight also counts rows when features are binned. Columns named ``lower``, ``upper`` and
``weight`` have a field of their own. `IN_LABEL` shares the label, which must have one column or as many as there are
outputs: a model with fewer outputs gets idle ones beside them, whose gradient is zero and which never split.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import xgboost as xgb

from hazboost.engines.base import Columns
from hazboost.utils.arrays import Array

FIELDS = {"lower": "label_lower_bound", "upper": "label_upper_bound", "weight": "weight"}
#: Columns that share the label, in this order; what is not given is filled with these values.
IN_LABEL = {"entry": 0.0, "portion": 1.0}
MIN_OUTPUTS = len(IN_LABEL)


def pack(columns: Columns, outputs: int) -> dict[str, npt.NDArray[Any]]:
    """Fields of XGBoost's data that hold the columns."""
    unknown = set(columns) - set(FIELDS) - set(IN_LABEL)
    if unknown:
        raise ValueError(f"columns {sorted(unknown)} have no place in XGBoost's data.")
    fields = {field: columns[name] for name, field in FIELDS.items() if name in columns}
    if any(name in columns for name in IN_LABEL):
        n = len(next(iter(columns.values())))
        label = np.zeros((n, max(outputs, MIN_OUTPUTS)))
        for position, (name, default) in enumerate(IN_LABEL.items()):
            label[:, position] = columns.get(name, default)
        fields["label"] = label
    return fields


def unpack(matrix: xgb.DMatrix) -> dict[str, Array]:
    """The columns that `pack` put into the data, rounded to single precision."""
    n = matrix.num_row()
    columns = {name: matrix.get_float_info(field).astype(np.float64) for name, field in FIELDS.items()}
    label = matrix.get_label().astype(np.float64)
    if label.size:
        # XGBoost 3.1 returns a label of several columns as a flat array.
        columns |= dict(zip(IN_LABEL, label.reshape(n, -1)[:, : len(IN_LABEL)].T, strict=True))
    return {name: values for name, values in columns.items() if values.size}


def with_idle_outputs(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values of each output, on the last axis, with zeros for the idle ones."""
    missing = MIN_OUTPUTS - values.shape[-1]
    return values if missing <= 0 else np.pad(values, [*[(0, 0)] * (values.ndim - 1), (0, missing)])
