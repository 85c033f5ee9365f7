"""Reading a model file, and the features that a model needs from a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.progress import Rows
from hazboost.cli.tables import BLOCK, read_blocks, read_table, require_columns
from hazboost.cli.values import as_known_categories, read_finite
from hazboost.estimator import FPBoost, load
from hazboost.utils.describe import and_more


def read_model(path: str, jobs: int | None = None) -> FPBoost:
    """The model in a file, which predicts with so many threads."""
    try:
        model = load(path)
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise InputError(f"{path}: there is no such file, or you may not read it; check the path.") from error
    model.n_jobs, model.verbose = jobs, 0
    return model


def features_of(model: FPBoost, path: str, table: Any, *, first: bool = True) -> Any:
    """The columns that the model was fitted to, in their order; others are left out.

    A new category is a missing value. Whether there is text for numbers, because a column is coded in another way, is
    judged on the ``first`` rows of a table; later ones may be few.
    """
    schema = model.model_.schema
    names = list(getattr(model, "feature_names_in_", []))
    if not names:
        if len(table.columns) != model.n_features_in_:
            raise InputError(
                f"{path}: the model was fitted to {model.n_features_in_} columns without names, and the table has "
                f"{len(table.columns)} columns; give a table with the same columns in the same order."
            )
        names = list(table.columns)
    require_columns(path, table, names)
    features = table[names].copy()
    for position, name in enumerate(names):
        known, column = schema.categories.get(position), table[name]
        if known is None:
            features[name] = read_finite(column)
        else:
            features[name] = as_known_categories(column, known, keep_text=first)
    # Numbered columns have no names of their own for the model.
    return features if hasattr(model, "feature_names_in_") else features.set_axis(range(len(names)), axis=1)


def name_unused(model: FPBoost, table: Any, kept: Sequence[str]) -> None:
    """Say on standard error which columns have no use, which may be misspelt or meant for something."""
    unused = [str(name) for name in table.columns if name not in {*getattr(model, "feature_names_in_", table), *kept}]
    if unused:
        sys.stderr.write(f"columns that are not used: {and_more(unused[:8], len(unused))}\n")


def feature_table(model: FPBoost, path: str) -> tuple[Any, Any]:
    """A whole table, and the features of its rows."""
    table = read_table(path, categorical_names(model))
    return table, features_of(model, path, table)


def feature_blocks(
    model: FPBoost, path: str, progress: Rows, rows: int = BLOCK, *, kept: Sequence[str] = ()
) -> Iterator[tuple[Any, Any]]:
    """Blocks of a table, each with the features of its rows; ``progress`` learns how much has been read.

    Columns that are ``kept`` and are no features are texts, as they are written in a CSV file: 007 is not 7.
    """
    others = [name for name in kept if name not in getattr(model, "feature_names_in_", kept)]
    for block in read_blocks(path, rows, [*categorical_names(model), *others], progress.reach):
        yield block, features_of(model, path, block, first=block.index[0] == 0)


def categorical_names(model: FPBoost) -> list[str]:
    """Names of the columns that are categories to the model."""
    schema = model.model_.schema
    return [] if schema.names is None else [schema.names[position] for position in schema.categories]
