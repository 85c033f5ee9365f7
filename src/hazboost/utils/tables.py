"""Tables: pandas DataFrames if pandas is installed, otherwise NumPy structured arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def make_table(columns: Mapping[str, npt.NDArray[Any]]) -> Any:
    """Make a table of columns; ``table["name"]`` returns a column in either form."""
    # pandas is optional, and slow to import for users who do not need it.
    try:
        import pandas as pd  # noqa: PLC0415
    except ImportError:
        table = np.empty(len(next(iter(columns.values()))), [(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            table[name] = column
        return table
    return pd.DataFrame(dict(columns))


def table_columns(table: Any) -> list[str]:
    """Names of the columns of a table of `make_table`."""
    return list(table.dtype.names if isinstance(table, np.ndarray) else table.columns)
