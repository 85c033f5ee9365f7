"""Tables of pandas, polars and Arrow, recognised by their attributes: none of the three has to be installed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from hazboost.utils.describe import and_more


def is_table(data: Any) -> bool:
    """Whether this is a DataFrame or an Arrow table; a lazy one, whose rows do not exist yet, is refused."""
    kind = type(data)
    if kind.__name__ == "LazyFrame":
        raise TypeError(f"{kind.__module__.split('.')[0]}.LazyFrame is not supported; pass X.collect() or y.collect().")
    return _is_arrow(data) or (hasattr(data, "columns") and hasattr(data, "dtypes"))


def to_computer(data: Any) -> Any:
    """Tables and columns of cuDF, which are in the memory of a GPU, as those of pandas; anything else as it is."""
    return data.to_pandas() if type(data).__module__.startswith("cudf") else data


def column_names(table: Any) -> list[Any]:
    """Names of the columns."""
    # The attribute `columns` of an Arrow table holds the columns themselves.
    return list(table.column_names if _is_arrow(table) else table.columns)


def is_empty(column: Any) -> bool:
    """Whether every value of a column is missing."""
    missing = column.isna() if hasattr(column, "isna") else column.is_null()
    return bool(np.asarray(missing).all())


def refuse_repeated_names(names: list[Any], argument: str) -> None:
    """Refuse names that do not tell the columns apart."""
    repeated = [repr(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        listed = f"{and_more(repeated[:5], len(repeated))} {'is' if len(repeated) == 1 else 'are'} repeated"
        raise ValueError(f"{argument}: column names must be unique; {listed}. Rename or drop one of the columns.")


def _is_arrow(data: Any) -> bool:
    return hasattr(data, "column_names") and hasattr(data, "schema")
