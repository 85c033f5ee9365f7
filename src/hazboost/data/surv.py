"""`Surv` builds the outcome ``y`` for every kind of survival data."""

from __future__ import annotations

import numbers
import re
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.data.frames import column_names, is_table
from hazboost.data.observations import KINDS, check_id, check_lengths, check_time
from hazboost.data.reading import read_columns
from hazboost.data.rounding import DIRECTIONS, merge_close, rounded_intervals
from hazboost.utils.arrays import Array
from hazboost.utils.describe import describe

#: ``Surv(a, b)`` or ``Surv(a, b, c)``; names may be quoted, and a ``type="..."`` may follow.
CALL = re.compile(r"^\s*Surv\s*\((?P<arguments>.*)\)\s*$", re.DOTALL)
TYPE = re.compile(r"""^type\s*=\s*["'](?P<type>\w+)["']$""")

#: How to spread times that were rounded up over their periods, where intervals are not possible. Who is censored at the
#: longest is spared: it usually is the end of the study.
RANDOM_TIMES = (
    "Surv.right(event, time - unit * ((event > 0) | (time < time.max())) * np.random.default_rng(0).random(len(time))) "
    "if times were rounded up"
)


class Surv:
    """Builds ``y``, a NumPy structured array with one row for each row of ``X``.

    A structured array can be split by scikit-learn's tools, such as ``train_test_split`` and ``cross_val_score``. Every
    argument is an array, a list or a Series or, with ``data``, the name of a column of that table (pandas, polars
    or Arrow). An event is boolean, or the number of its cause: 1, 2, ..., and 0 for censoring.

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
        """Right-censored event times, in the format of scikit-survival.

        Parameters
        ----------
        event : array-like of shape (n,), or name
            Whether the event was observed, or the number of its cause.
        time : array-like of shape (n,), or name
            Time of the event or of censoring.
        entry : array-like of shape (n,), or name, optional
            Time from which the subject was under observation (left truncation or delayed entry): subjects with an
            earlier event are not in the data.
        data : DataFrame, optional
            Contains the columns given by name.

        Returns
        -------
        structured array with the fields event, time and, if given, entry
        """
        return _build({"event": event, "time": time, "entry": entry}, data, "Surv.right")

    @staticmethod
    def counting(start: Any, stop: Any, event: Any, id: Any = None, *, data: Any = None) -> npt.NDArray[Any]:  # noqa: A002
        """Rows ``(start, stop]`` for time-varying covariates and recurrent events.

        A subject has one row for each period in which its covariates are constant. With recurrent events, a subject has
        further rows after an event.

        Parameters
        ----------
        start, stop : array-like of shape (n,), or name
            The subject is under observation after ``start`` and up to ``stop``.
        event : array-like of shape (n,), or name
            Whether an event was observed at ``stop``, or the number of its cause.
        id : array-like of shape (n,), or name, optional
            Subject of the row. Rows of one subject stay in the same cross-validation fold and count as one subject.
        data : DataFrame, optional
            Contains the columns given by name.

        Returns
        -------
        structured array with the fields event, start, stop and, if given, id
        """
        return _build({"event": event, "start": start, "stop": stop, "id": id}, data, "Surv.counting")

    @staticmethod
    def interval(lower: Any, upper: Any, *, entry: Any = None, data: Any = None) -> npt.NDArray[Any]:
        """Interval-censored event times: the event lies between two examinations.

        Parameters
        ----------
        lower : array-like of shape (n,), or name
            Last time at which the subject is known to be event-free. 0, NaN, None or minus infinity if there is none
            (left censoring). A row in which both ``lower`` and ``upper`` are NaN or None is refused.
        upper : array-like of shape (n,), or name
            First time at which the event is known to have happened; equal to ``lower`` if the event time is exact.
            Infinity, NaN or None if there is none (right censoring).
        entry : array-like of shape (n,), or name, optional
            Time from which the subject was under observation (left truncation).
        data : DataFrame, optional
            Contains the columns given by name.

        Returns
        -------
        structured array with the fields lower, upper and, if given, entry
        """
        return _build({"lower": lower, "upper": upper, "entry": entry}, data, "Surv.interval")

    @staticmethod
    def rounded(
        event: Any,
        time: Any,
        to: Literal["visit", "up", "down", "nearest"],
        *,
        unit: float | None = None,
        entry: Any = None,
        data: Any = None,
    ) -> npt.NDArray[Any]:
        """Times that were recorded on a coarse grid: at visits, or in months or years.

        Many events then share few distinct times. Taken as exact times, they bias the predicted survival; as intervals
        they do not. The result is that of `Surv.interval`.

        Parameters
        ----------
        event : array-like of shape (n,), or name
            Whether the event was observed. Causes cannot be told apart in an interval.
        time : array-like of shape (n,), or name
            Recorded time of the event or of censoring.
        to : {"visit", "up", "down", "nearest"}
            How times were recorded.
            ``visit``: an event was found at the visit at t, and happened after the one before. A censored subject was
            seen without event at t.
            ``up``: t is the end of a period, in which the event, or the censoring, happened at an unknown time.
            ``down``: t is the number of completed periods, and the event, or the censoring, happened in the next.
            ``nearest``: t is the nearest value of the grid.
        unit : float, optional
            Length of a period. By default periods reach from one distinct time of events to the next, which also fits
            visits at irregular times; give the unit if some periods have no event.
        entry : array-like of shape (n,), or name, optional
            Time from which the subject was under observation (left truncation), which was not rounded.
        data : DataFrame, optional
            Contains the columns given by name.

        Returns
        -------
        structured array with the fields lower, upper and, if given, entry

        Notes
        -----
        Except with ``visit``, subjects censored in a period count as without event until its beginning and its end in
        turn, so until its middle on average. Those who were censored at the longest time of all count until then, as
        that usually is the end of the study.

        Examples
        --------
        Examinations after 3, 6 and 12 months; the last subject was last seen, without event, after 6:

        >>> Surv.rounded([1, 1, 1, 0], [3.0, 6.0, 12.0, 6.0], to="visit")
        array([(0.,  3.), (3.,  6.), (6., 12.), (6., inf)],
              dtype=[('lower', '<f8'), ('upper', '<f8')])
        """
        name = "Surv.rounded"
        if to not in DIRECTIONS:
            raise ValueError(f"{name}: to must be one of {', '.join(map(repr, DIRECTIONS))}; got {to!r}.")
        if unit is not None and not (isinstance(unit, numbers.Real) and 0.0 < unit < np.inf):
            raise ValueError(f"{name}: unit must be a positive number, the length of a period; got {unit!r}.")
        y = _build({"event": event, "time": time}, data, name)
        began = None if entry is None else check_time(_look_up(entry, data, "entry", name), name, "entry")
        check_lengths({"time": y, "entry": y if began is None else began}, name)
        _refuse_unroundable(y["event"], y["time"], to, unit)
        lower, upper = rounded_intervals(y["event"], y["time"], to, unit, began)
        return _build({"lower": lower, "upper": upper, "entry": began}, None, name)

    @staticmethod
    def formula(formula: str, data: Any, *, id: Any = None) -> npt.NDArray[Any]:  # noqa: A002
        """Build ``y`` from the left-hand side of an R formula.

        An event coded 1 and 2 means two causes here, with a warning. In R it means censored and event: where that is
        meant, make it ``event == 2`` first.

        Parameters
        ----------
        formula : str
            ``Surv(time, event)``, ``Surv(start, stop, event)`` or ``Surv(lower, upper, type="interval2")``.
        data : DataFrame or mapping
            Contains the columns named in the formula.
        id : array-like of shape (n,), or name, optional
            Subject of the row; only with ``Surv(start, stop, event)``.

        Returns
        -------
        structured array
        """
        names, kind = _parse(formula)
        if id is not None and kind != "counting":
            raise ValueError(
                "Surv.formula: id can only be used with Surv(start, stop, event), for several rows of one subject; "
                f"leave it out. Got {formula!r}."
            )
        if kind == "counting":
            return Surv.counting(names[0], names[1], names[2], id=id, data=data)
        if kind == "interval":
            return Surv.interval(names[0], names[1], data=data)
        # R writes the time before the event; scikit-survival, and `Surv.right`, the event before the time.
        return Surv.right(names[1], names[0], data=data)


def _refuse_unroundable(event: npt.NDArray[Any], time: Array, to: str, unit: float | None) -> None:
    """Refuse events that cannot have been recorded as `Surv.rounded` is told."""
    if event.dtype != bool:
        raise ValueError(
            f"Surv.rounded: the event has causes 1 to {event.max()}, and an event in an interval has no cause here. "
            f"Record finer times, or draw each time at random within its period: {RANDOM_TIMES}."
        )
    at_zero = event & (time == 0.0)
    if at_zero.any() and to in ("visit", "up"):
        raise ValueError(
            f"Surv.rounded: an event at time 0 (row {np.flatnonzero(at_zero)[0]}) cannot have happened before it, as "
            f"to={to!r} says. If 0 is the first period, use to='down'; if the event was there at the start, leave out "
            "the subject."
        )
    if unit is None and to in ("down", "nearest") and len(np.unique(merge_close(time[event]))) == 1:
        raise ValueError(
            "Surv.rounded: all events have the same time, which does not say how long a period is; give unit."
        )


def _parse(formula: str) -> tuple[list[str], str]:
    """Column names and kind of data of a call of R's ``Surv``."""
    found = CALL.match(formula)
    parts = [part.strip() for part in found["arguments"].split(",")] if found else []
    types = [match["type"] for match in map(TYPE.match, parts) if match]
    names = [part.strip("\"'`") for part in parts if "=" not in part]
    # The kind follows from the number of columns and the type, with R's default types.
    kinds = {(2, "right"): "right", (3, "counting"): "counting", (2, "interval2"): "interval"}
    default = "counting" if len(names) == 3 else "right"
    kind = kinds.get((len(names), types[0] if types else default))
    # A part that is neither a name nor a type, such as origin=0, makes the last two numbers differ.
    if kind is None or len(names) + len(types) != len(parts):
        raise ValueError(
            "Surv.formula: write Surv(time, event), Surv(start, stop, event) or "
            f'Surv(lower, upper, type="interval2"); got {describe(formula)}.'
        )
    return names, kind


def _build(given: dict[str, Any], data: Any, name: str) -> npt.NDArray[Any]:
    """Look up columns, check them as `as_target` does for every ``y``, and return them as a structured array."""
    columns = {field: _look_up(values, data, field, name) for field, values in given.items() if values is not None}
    check_alignment(columns, f"{name}: ")
    kind = next(kind for kind, (needed, _) in KINDS.items() if set(needed) <= set(columns))
    target = read_columns(kind, columns, name)
    # Events of a single cause are stored as booleans, which scikit-survival and lifelines expect.
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


def _look_up(values: Any, data: Any, field: str, name: str) -> Any:
    """A column given directly, or by its name in a table; without a table, a single value is a column of one row."""
    if not isinstance(values, str) and (data is None or np.ndim(values) > 0):
        return np.atleast_1d(values) if np.ndim(values) == 0 else values
    if data is None:
        raise ValueError(f"{name}: {field}={describe(values)} is the name of a column; pass the DataFrame as data=.")
    # `data` may also be a plain mapping, which has no columns.
    if values not in (column_names(data) if is_table(data) else data):
        raise ValueError(f"{name}: data has no column {describe(values)}, given as {field}; check its spelling.")
    return data[values]
