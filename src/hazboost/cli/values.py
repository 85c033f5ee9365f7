"""Reading single columns: numbers, dates and categories."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from hazboost.cli.errors import InputError
from hazboost.cli.packages import require
from hazboost.utils.arrays import Array
from hazboost.utils.describe import describe

#: Text among more distinct numbers than this is no category.
MOST_CODES = 10
#: Dates such as 31.12.2020, 12/31/20 and 2020/12/31, with or without a time of day.
OTHER_DATE = re.compile(r"\s*(\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./]\d{1,2}[./]\d{1,2})(?![\d./-])")
#: What dates such as 2020-12-31 begin with.
BEGINS_WITH_DIGIT = re.compile(r"\s*\d")
#: A text with more distinct values than this, in most rows another, is a name and no category.
MOST_CATEGORIES = 100


def is_text(column: Any) -> bool:
    """Whether a column is of text, or of Python's objects."""
    return column.dtype == object or str(column.dtype) in ("string", "str")


def is_date(column: Any) -> bool:
    """Whether a column is of dates, or of texts that begin with one."""
    if not is_text(column):
        return bool(column.dtype.kind == "M")
    given = column.dropna()
    return len(given) > 0 and not as_numbers(given[:1]).notna().any() and bool(as_dates(given[:1]).notna().any())


def refuse_other_dates(column: Any) -> None:
    """Refuse dates that are not written like 2020-12-31, of which nobody knows what is the day and what the month."""
    given = column.dropna() if is_text(column) else column[:0]
    if len(given) and not is_date(column) and OTHER_DATE.match(str(given.iloc[0])):
        raise InputError(
            f"column {column.name!r} has dates, such as {describe(str(given.iloc[0]))}; write them like 2020-12-31."
        )


def as_numbers(column: Any) -> Any:
    """A column as numbers, missing where it has none."""
    return require("pandas").to_numeric(column, errors="coerce")


def as_dates(column: Any) -> Any:
    """A column as dates, missing where it has none that is written like 2020-12-31."""
    pandas = require("pandas")
    dates = column
    if is_text(column):
        texts = column.map(str, na_action="ignore")
        dates = texts.where(texts.str.match(BEGINS_WITH_DIGIT, na=False))  # pandas also reads "now" and "today"
    return pandas.to_datetime(dates, format="ISO8601", errors="coerce", utc=True)


def read_numbers(column: Any) -> Array:
    """Numbers, NaN where they are missing; any text is refused."""
    numbers = as_numbers(column) if is_text(column) else column
    if column.dtype.kind in "mM" or str(column.dtype) == "category":
        raise InputError(f"column {column.name!r} must have numbers; got values of type {column.dtype}; convert them.")
    _refuse_first(column, numbers.isna() & column.notna())
    read: Array = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    return read


def read_finite(column: Any) -> Array:
    """Numbers of a feature, which must not be infinite."""
    numbers = read_numbers(column)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise InputError(
            f"column {column.name!r} is infinite in row {column.index[infinite[0]]}; leave the value empty if it is "
            "missing."
        )
    return numbers


def read_dates(column: Any) -> Any:
    """Dates, NaT where they are missing; other texts are refused."""
    dates = as_dates(column)
    wrong = np.flatnonzero(dates.isna() & column.notna())
    if len(wrong):
        raise InputError(
            f"column {column.name!r} must have dates like 2020-12-31; got {describe(column.iloc[wrong[0]])} in row "
            f"{column.index[wrong[0]]}."
        )
    return dates


def as_categories(column: Any) -> Any:
    """Text as categories; other columns as they are.

    Text among numbers is a mistake, and so are dates, decimals with commas, and text that is different in most rows.
    """
    refuse_other_dates(column)
    if is_date(column):
        raise InputError(
            f"column {column.name!r} has dates; use a number instead, such as an age, or leave it out with --drop "
            f"{column.name}."
        )
    if not is_text(column):
        return column
    numbers, given = as_numbers(column), column.notna()
    counted = numbers.notna()
    # Stages 1, 2 and 3a are categories; ages with a question mark among them are not.
    if counted[given].all() or (2 * counted.sum() > given.sum() and numbers.nunique() > MOST_CODES):
        _refuse_first(column, given & ~counted)
        return numbers
    texts = column.map(str, na_action="ignore")
    if given.any() and texts[given].str.fullmatch(r"\s*-?\d+,\d+\s*").mean() > 0.5:
        raise InputError(
            f"column {column.name!r} has commas in its numbers, such as {describe(texts[given].iloc[0])}; write them "
            "with points."
        )
    if texts.nunique() > MOST_CATEGORIES and given.sum() < 2 * texts.nunique():
        raise InputError(
            f"column {column.name!r} has text that is different in most rows, such as "
            f"{describe(texts[given].iloc[0])}; leave it out with --drop {column.name}."
        )
    return texts.astype("category")


def as_known_categories(column: Any, known: list[Any], *, keep_text: bool) -> Any:
    """Categories as the model knows them, whether they were read as text or as numbers.

    Unknown ones are numbers if the model knows numbers and they can be read so. Other text is then missing, unless it
    is kept for the model to judge.
    """
    by_text = {str(category): category for category in known}
    texts = column.astype(object).map(str, na_action="ignore")
    values = texts.map(lambda text: by_text.get(text, text), na_action="ignore")
    if not any(isinstance(category, str) for category in known):
        unknown = texts.notna() & ~texts.isin(list(by_text))
        numbers = as_numbers(texts[unknown])
        values[unknown] = numbers.astype(object).where(numbers.notna(), texts[unknown] if keep_text else None)
    return values.astype(object).astype("category")


def _refuse_first(column: Any, wrong: Any) -> None:
    """Refuse the first value that should be a number."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        raise InputError(
            f"column {column.name!r} must have numbers; got {describe(column.iloc[rows[0]])} in row "
            f"{column.index[rows[0]]}; leave the value empty if it is missing."
        )
