"""`Surv` builds ``y`` for every kind of survival data."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.observations import check_id, check_lengths
from hazboost.data.target import as_target

#: ``Surv(a, b)``, ``Surv(a, b, c)``, each name perhaps in quotes, and perhaps a type.
CALL = re.compile(r"^\s*Surv\s*\((?P<arguments>.*)\)\s*$", re.DOTALL)
TYPE = re.compile(r"""^type\s*=\s*["'](?P<type>\w+)["']$""")


class Surv:
    """Builds ``y``: a NumPy structured array with one row for each row of ``X``, which scikit-learn can slice.

    Every argument is an array, a list or a Series; or, with ``data``, the name of a column of that DataFrame
    (pandas or polars). An event is boolean, or the number of its cause: 1, 2, ..., and 0 for none.

    Examples
    --------
    >>> from hazboost import Surv
    >>> Surv.right([True, False], [3.0, 5.0])
    array([( True, 3.), (False, 5.)], dtype=[('event', '?'), ('time', '<f8')])
    >>> Surv.interval([1.0, None], [2.0, 4.0])
    array([(1., 2.), (0., 4.)], dtype=[('lower', '<f8'), ('upper', '<f8')])
    >>> Surv.formula("Surv(start, stop, event)", {"start": [0, 2], "stop": [2, 3], "event": [0, 1]}, id=["a", "a"])
    array([(False, 0., 2., 'a'), ( True, 2., 3., 'a')],
          dtype=[('event', '?'), ('start', '<f8'), ('stop', '<f8'), ('id', '<U1')])
    """

    @staticmethod
    def right(event: Any, time: Any, *, entry: Any = None, data: Any = None) -> npt.NDArray[Any]:
        """Times of events and of right censoring, in the shape of scikit-survival.

        Parameters
        ----------
        event : array-like of shape (n,), or name
            Whether the event was seen, or the number of its cause.
        time : array-like of shape (n,), or name
            Time of the event or of censoring.
        entry : array-like of shape (n,), or name, optional
            Time from which the subject was watched (left truncation): who had the event before would not be here.
        data : DataFrame, optional
            Where names are looked up.

        Returns
        -------
        structured array with the fields event, time and, if given, entry
        """
        return _build({"event": event, "time": time, "entry": entry}, data, "Surv.right")

    @staticmethod
    def counting(start: Any, stop: Any, event: Any, id: Any = None, *, data: Any = None) -> npt.NDArray[Any]:  # noqa: A002
        """Rows ``(start, stop]``: covariates that change over time, and events that come again.

        A subject with changing covariates has one row for each stretch of time in which they stay the same. An event
        may be followed by further rows of the same subject.

        Parameters
        ----------
        start, stop : array-like of shape (n,), or name
            The row speaks of the times after ``start`` up to ``stop``.
        event : array-like of shape (n,), or name
            Whether an event was seen at ``stop``, or the number of its cause.
        id : array-like of shape (n,), or name, optional
            Whose row it is. It keeps the rows of a subject together where data are split or counted.
        data : DataFrame, optional
            Where names are looked up.

        Returns
        -------
        structured array with the fields event, start, stop and, if given, id
        """
        return _build({"event": event, "start": start, "stop": stop, "id": id}, data, "Surv.counting")

    @staticmethod
    def interval(lower: Any, upper: Any, *, entry: Any = None, data: Any = None) -> npt.NDArray[Any]:
        """Events between two looks.

        Parameters
        ----------
        lower : array-like of shape (n,), or name
            Last time known to be without event. 0, NaN, None or minus infinity: there is none (left censoring).
        upper : array-like of shape (n,), or name
            First time known to be after the event; equal to ``lower`` where its time was seen. Infinity, NaN or
            None: there is none (right censoring).
        entry : array-like of shape (n,), or name, optional
            Time from which the subject was watched (left truncation).
        data : DataFrame, optional
            Where names are looked up.

        Returns
        -------
        structured array with the fields lower, upper and, if given, entry
        """
        return _build({"lower": lower, "upper": upper, "entry": entry}, data, "Surv.interval")

    @staticmethod
    def formula(formula: str, data: Any, *, id: Any = None) -> npt.NDArray[Any]:  # noqa: A002
        """The left side of a formula, as in R.

        Unlike R, an event coded 1 and 2 has two causes: write 0 for censoring.

        Parameters
        ----------
        formula : str
            ``Surv(time, event)``, ``Surv(start, stop, event)`` or ``Surv(lower, upper, type="interval2")``.
        data : DataFrame or mapping
            Holds the columns that the formula names.
        id : array-like of shape (n,), or name, optional
            Whose row it is, with ``Surv(start, stop, event)``.

        Returns
        -------
        structured array
        """
        names, kind = _parse(formula)
        if id is not None and kind != "counting":
            raise ValueError(f"Surv.formula: an id goes with Surv(start, stop, event) only; got {formula!r}.")
        if kind == "counting":
            return Surv.counting(names[0], names[1], names[2], id=id, data=data)
        if kind == "interval":
            return Surv.interval(names[0], names[1], data=data)
        return Surv.right(names[1], names[0], data=data)


def _parse(formula: str) -> tuple[list[str], str]:
    """The names in a call of R's Surv, and the kind of data."""
    found = CALL.match(formula)
    parts = [part.strip() for part in found["arguments"].split(",")] if found else []
    types = [match["type"] for match in map(TYPE.match, parts) if match]
    names = [part.strip("\"'`") for part in parts if "=" not in part]
    kinds = {(2, "right"): "right", (3, "counting"): "counting", (2, "interval2"): "interval"}
    default = "counting" if len(names) == 3 else "right"
    kind = kinds.get((len(names), types[0] if types else default))
    if kind is None or len(names) + len(types) != len(parts):
        raise ValueError(
            "Surv.formula: write Surv(time, event), Surv(start, stop, event) or "
            f'Surv(lower, upper, type="interval2"); got {formula!r}.'
        )
    return names, kind


def _build(given: dict[str, Any], data: Any, name: str) -> npt.NDArray[Any]:
    """Look names up, check everything at the door of ``y``, and make a structured array of it."""
    columns = {field: _look_up(values, data, field, name) for field, values in given.items() if values is not None}
    columns = {field: np.atleast_1d(values) for field, values in columns.items()}
    check_lengths(columns, name)
    loose = np.empty(len(next(iter(columns.values()))), [(field, _raw(values)) for field, values in columns.items()])
    for field, values in columns.items():
        loose[field] = values
    target = as_target(loose, name=name)
    checked: dict[str, npt.NDArray[Any]] = {
        "event": target.cause if target.cause.max() > 1 else target.cause > 0,
        "time": target.lower,
        "start": target.entry,
        "stop": target.lower,
        "lower": target.lower,
        "upper": target.upper,
        "entry": target.entry,
    }
    if "id" in columns:
        checked["id"] = check_id(columns["id"], name)
    y = np.empty(len(target), [(field, checked[field].dtype) for field in columns])
    for field in columns:
        y[field] = checked[field]
    return y


def _raw(values: npt.NDArray[Any]) -> Any:
    """The dtype of a column as it was given, with its further axes so that the door can refuse them."""
    return (values.dtype, values.shape[1:])


def _look_up(values: Any, data: Any, field: str, name: str) -> npt.NDArray[Any]:
    """A column, given itself or, with a DataFrame, by its name."""
    if not isinstance(values, str):
        return _with_none(np.asarray(values))
    if data is None:
        raise ValueError(f"{name}: {field}={values!r} is the name of a column; give the DataFrame as data=.")
    if values not in getattr(data, "columns", data):
        raise ValueError(f"{name}: data has no column {values!r}, given as {field}.")
    return _with_none(np.asarray(data[values]))


def _with_none(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Pandas' own missing value is no number; None becomes NaN."""
    if values.dtype.kind != "O":
        return values
    return np.array([None if type(one).__name__ == "NAType" else one for one in values], dtype=object)
