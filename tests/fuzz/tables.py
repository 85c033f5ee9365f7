"""Features in every container: the same table as an array, a sparse matrix or a DataFrame of one of the libraries."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

try:
    import pyarrow as pa
except ImportError:
    pa = None

#: Just below the largest number of single precision, in which trees hold features.
LARGEST = 3.4e38
LABELS = ("low", "middle", "high", "none of these")
#: A label that training has not seen.
NEW_LABEL = "new"

VALUES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "few": lambda rng, n: rng.integers(0, 3, n).astype(float),
    "binary": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "constant": lambda rng, n: np.full(n, rng.choice([0.0, 1.0, -3.5])),
    "integer": lambda rng, n: rng.integers(-50, 100, n).astype(float),
    "skewed": lambda rng, n: np.exp(3.0 * rng.normal(size=n)),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.normal(size=n)),
    "far off": lambda rng, n: 1e6 + rng.normal(size=n),
    "large": lambda rng, n: 1e30 * rng.normal(size=n),
    "huge": lambda rng, n: (2e38 * rng.normal(size=n)).clip(-LARGEST, LARGEST),
    "small": lambda rng, n: 1e-30 * rng.normal(size=n),
    "tiny": lambda rng, n: 1e-300 * rng.normal(size=n),
    "category": lambda rng, n: rng.integers(0, 3, n).astype(float),
}

NAMES = {
    "plain": lambda i: f"x{i}",
    "words": lambda i: (
        ("age", "tumour size (mm)", "ß-blocker", "CD4 [cells/µl] < 200", "a,b", "f5")[i % 6] + "'" * (i // 6)
    ),
    "numbers in text": str,
    "numbers": lambda i: i,
}


@dataclass(frozen=True)
class Raw:
    """A table without container: numbers, NaN where missing; the numbers of a category are positions in its labels."""

    columns: tuple[np.ndarray, ...]
    kinds: tuple[str, ...]
    names: tuple

    def __getitem__(self, rows):
        return replace(self, columns=tuple(column[rows] for column in self.columns))

    def __len__(self):
        return len(self.columns[0])

    @property
    def has_categories(self):
        return "category" in self.kinds

    def matrix(self):
        return np.column_stack(self.columns)

    def with_column(self, position, values):
        columns = [*self.columns]
        columns[position] = np.broadcast_to(np.asarray(values, dtype=float), len(self)).copy()
        return replace(self, columns=tuple(columns))

    def labels(self, position):
        """Labels of the rows of a category, None where missing."""
        known = (*LABELS, NEW_LABEL)
        return [None if np.isnan(code) else known[int(code)] for code in self.columns[position]]


def make_raw(features, rows=None, seed=None):
    """The table of a description, or another one with its columns."""
    rng = np.random.default_rng(features.seed if seed is None else seed)
    rows = features.rows if rows is None else rows
    drawn = [VALUES[column.kind](rng, rows) for column in features.columns]
    columns = [
        np.where(rng.random(rows) < column.missing, np.nan, values)
        for column, values in zip(features.columns, drawn, strict=True)
    ]
    if features.container == "float32":
        with np.errstate(under="ignore"):
            columns = [column.astype(np.float32).astype(float) for column in columns]
    names = tuple(NAMES[features.names](i) for i in range(len(columns)))
    raw = Raw(tuple(columns), tuple(column.kind for column in features.columns), names)
    if features.distinct is None:
        return raw
    return raw[rng.integers(0, min(features.distinct, rows), rows)]


def new_rows(features, rows=3):
    """Rows that training has not seen: other values, an unknown category, and missing values where there were none."""
    raw = make_raw(replace(features, distinct=None), rows, seed=features.seed + 1_000)
    columns = [
        np.where(np.arange(rows) == 0, len(LABELS), column)
        if kind == "category"
        else (1.5 * column).clip(-LARGEST, LARGEST)
        for kind, column in zip(raw.kinds, raw.columns, strict=True)
    ]
    missing = np.arange(rows) == rows - 1
    return replace(raw, columns=tuple(np.where(missing, np.nan, column) for column in columns))


def is_whole(values):
    """Whether all values, apart from missing ones, are small whole numbers."""
    seen = values[~np.isnan(values)]
    return bool(len(seen)) and bool((seen == np.floor(seen)).all() and (np.abs(seen) < 1e6).all())


def is_single(values):
    """Whether single precision holds all values exactly."""
    with np.errstate(over="ignore", under="ignore"):
        return np.array_equal(values.astype(np.float32).astype(float), values, equal_nan=True)


def with_none(values, convert=float):
    return [None if np.isnan(value) else convert(value) for value in values]


# Containers without names


def as_single(raw, rng):
    with np.errstate(over="ignore", under="ignore"):
        return raw.matrix().astype(np.float32)


def as_masked(raw, rng):
    matrix = raw.matrix()
    return np.ma.array(np.where(np.isnan(matrix), 999.0, matrix), mask=np.isnan(matrix))


def as_object(raw, rng):
    matrix = raw.matrix().astype(object)
    matrix[np.isnan(raw.matrix())] = rng.choice(np.array([None, np.nan], dtype=object))
    return matrix


def as_sparse(kind):
    def convert(raw, rng):
        sparse = sp.csr_matrix(raw.matrix()) if kind == "csr" else sp.csc_matrix(raw.matrix())
        return sp.csr_array(sparse) if kind == "csr" and rng.random() < 0.3 else sparse

    return convert


# DataFrames


def as_pandas(raw, rng):
    """Floats and categories."""
    columns = {
        name: categorical(raw, i, rng) if kind == "category" else raw.columns[i]
        for i, (name, kind) in enumerate(zip(raw.names, raw.kinds, strict=True))
    }
    return pd.DataFrame(columns)


def as_pandas_dtypes(raw, rng):
    """A dtype for each column at random, of those that hold its values."""
    frame = as_pandas(raw, rng)
    for name, values, kind in zip(raw.names, raw.columns, raw.kinds, strict=True):
        if kind != "category":
            frame[name] = frame[name].astype(rng.choice(pandas_dtypes(values)))
    return frame


def pandas_dtypes(values):
    missing = bool(np.isnan(values).any())
    dtypes = ["float64", "Float64"]
    if is_single(values):
        dtypes += ["float32", "Float32"]
    if is_whole(values):
        dtypes += ["Int64", "Int16"] + ["int64", "int32"] * (not missing)
        if set(values[~np.isnan(values)]) <= {0.0, 1.0}:
            dtypes += ["boolean", "boolean"] + ["bool", "bool", "uint8"] * (not missing)
    return dtypes


def as_pandas_objects(raw, rng):
    """Numbers that pandas holds as objects, as it does after reading a messy file."""
    frame = as_pandas(raw, rng)
    for name, values, kind in zip(raw.names, raw.columns, raw.kinds, strict=True):
        if kind != "category":
            frame[name] = pd.Series(with_none(values), dtype=object)
    return frame


def as_pandas_sparse(raw, rng):
    frame = as_pandas(raw, rng)
    for name, kind in zip(raw.names, raw.kinds, strict=True):
        if kind != "category":
            frame[name] = pd.arrays.SparseArray(frame[name], fill_value=rng.choice([0.0, np.nan]))
    return frame


def row_labels(rows):
    """Labels of rows that are not 0, 1, 2, ..., the same for all arguments of a fit."""
    return np.arange(rows)[::-1] + 7


def as_pandas_indexed(raw, rng):
    return as_pandas(raw, rng).set_axis(row_labels(len(raw)), axis=0)


def as_pandas_arrow(raw, rng):
    frame = as_pandas(raw, rng)
    for name, values, kind in zip(raw.names, raw.columns, raw.kinds, strict=True):
        if kind != "category":
            whole = "int64[pyarrow]" if is_whole(values) and rng.random() < 0.5 else "double[pyarrow]"
            frame[name] = pd.array(with_none(values), dtype=whole)
    return frame


def categorical(raw, position, rng):
    """A category whose labels come in any order, with one that no row has."""
    labels = [*LABELS, NEW_LABEL] if NEW_LABEL in raw.labels(position) else list(LABELS)
    return pd.Categorical(raw.labels(position), categories=rng.permutation(labels), ordered=bool(rng.random() < 0.3))


def as_polars(raw, rng):
    columns = []
    for i, (name, values, kind) in enumerate(zip(raw.names, raw.columns, raw.kinds, strict=True)):
        if kind == "category":
            dtype = rng.choice([pl.Categorical, pl.Enum([*LABELS, NEW_LABEL])])
            columns.append(pl.Series(str(name), raw.labels(i), dtype=dtype))
        elif is_whole(values) and rng.random() < 0.7:
            binary = set(values[~np.isnan(values)]) <= {0.0, 1.0}
            dtype, convert = (pl.Boolean, bool) if binary and rng.random() < 0.5 else (pl.Int32, int)
            columns.append(pl.Series(str(name), with_none(values, convert), dtype=dtype))
        else:
            columns.append(pl.Series(str(name), with_none(values) if rng.random() < 0.5 else values, dtype=pl.Float64))
    return pl.DataFrame(columns)


def as_arrow(raw, rng):
    columns = {}
    for i, (name, values, kind) in enumerate(zip(raw.names, raw.columns, raw.kinds, strict=True)):
        if kind == "category":
            columns[str(name)] = pa.array(raw.labels(i)).dictionary_encode()
        elif is_whole(values) and rng.random() < 0.5:
            columns[str(name)] = pa.array(with_none(values, int), type=pa.int64())
        else:
            columns[str(name)] = pa.array(with_none(values), type=pa.float64())
    return pa.table(columns)


UNNAMED = {
    "array": lambda raw, rng: raw.matrix(),
    "fortran": lambda raw, rng: np.asfortranarray(raw.matrix()),
    "float32": as_single,
    "object": as_object,
    "masked": as_masked,
    "list": lambda raw, rng: raw.matrix().tolist(),
}
SPARSE = {"csr": as_sparse("csr"), "csc": as_sparse("csc")}
NAMED = {
    "pandas": as_pandas,
    "pandas dtypes": as_pandas_dtypes,
    "pandas objects": as_pandas_objects,
    "pandas sparse": as_pandas_sparse,
    "pandas indexed": as_pandas_indexed,
    "polars": as_polars,
}
if pa is not None:
    NAMED |= {"pandas arrow": as_pandas_arrow, "arrow": as_arrow}
CONTAINERS = UNNAMED | SPARSE | NAMED


def contain(raw, container, seed=0):
    """The table in a container; what is left open, such as dtypes, is drawn."""
    return CONTAINERS[container](raw, np.random.default_rng(seed))


def alike(container, raw):
    """Other containers in which the table means the same: names and categories stay, and so do stored zeros."""
    if container in SPARSE:
        return [one for one in SPARSE if one != container]
    family = NAMED if container in NAMED else UNNAMED
    return [one for one in family if one != container and (one != "float32" or is_single(raw.matrix()))]
