"""Tables: pandas DataFrames where pandas is installed, NumPy structured arrays where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def make_table(columns: Mapping[str, npt.NDArray[Any]]) -> Any:
    """A table with these columns; ``table["name"]`` gives one of them, in either form."""
    try:
        import pandas as pd  # noqa: PLC0415
    except ImportError:
        table = np.empty(len(next(iter(columns.values()))), [(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            table[name] = column
        return table
    return pd.DataFrame(dict(columns))
