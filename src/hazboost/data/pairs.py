"""Which of two columns is the event and which the time.

Their names decide, if they say it; then a boolean column is the event; and only then the order, event first as in
scikit-survival. An event that is read as a time would give a model of something else, without an error.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from hazboost.utils.arrays import as_numbers, as_plain
from hazboost.utils.warn import warn_caller

#: Words in the names of events and of times, as the data sets of textbooks and of R and Python packages use them.
EVENT_WORD = re.compile(
    r"events?|f?stat(us)?|(un)?cens(or(ed|ing)?)?|death|dead|died|deceased|fail(ed)?|failure|cause|delta|observed"
    r"|indicator|relapsed?|recurrence|churn(ed)?"
)
TIME_WORD = re.compile(
    r"times?|t|tte|durations?|start|stop|entry|exit|futime|ftime|survtime|lenfol|followup|(day|week|month|year|hour)s?"
)
#: Names that are rather those of the opposite of an event.
OPPOSITE_WORDS = {"censored", "alive", "survived"}
EVENT_FIRST = "give the event first and the time second, or name the columns 'event' and 'time'"


def order_pair(columns: tuple[Any, Any], names: tuple[Any, Any], argument: str) -> dict[str, Any]:
    """Two columns as ``event`` and ``time``.

    Parameters
    ----------
    columns : pair of array-likes
        The columns.
    names : pair
        Their names; None where they have none.
    argument : str
        What to call them in an error.
    """
    boolean = [_is_boolean(column) for column in columns]
    event = _event_by_name(names, boolean, argument)
    if event is None and sum(boolean) == 1:
        event = boolean.index(True)
    if event is None:
        event = 0
        _refuse_exchanged(*columns, argument)
    if OPPOSITE_WORDS & set(_words(names[event])):
        warn_caller(
            f"{argument}: {names[event]!r} is read as the event, True or 1 where it was observed. If it is True for "
            "subjects without the event, pass its opposite.",
            UserWarning,
        )
    return {"event": columns[event], "time": columns[1 - event]}


def _words(name: Any) -> list[str]:
    """The words of a name, in lower case: ``OS.time``, ``survivalTime`` and ``time_to_event`` have two or three."""
    separated = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name) if isinstance(name, str) else ""
    return re.findall(r"[a-z]+", separated.lower())


def _event_by_name(names: tuple[Any, Any], boolean: list[bool], argument: str) -> int | None:
    """Position of the event, if the names say which one it is.

    A name with words of both kinds, such as ``time_to_death``, is that of a time. A boolean column is no time, whatever
    its name: the result of ``data["time"] < 5`` is still called ``time`` in pandas.
    """
    event, time = (
        [any(known.fullmatch(word) for word in _words(name)) for name in names] for known in (EVENT_WORD, TIME_WORD)
    )
    if all(time) and not any(event) and not any(boolean):
        raise ValueError(
            f"{argument}: {names[0]!r} and {names[1]!r} both look like times; an event and a time are needed. Periods "
            "(start, stop] need an event as well: use hazboost.Surv.counting, and for bounds of an unknown time "
            "hazboost.Surv.interval."
        )
    # 1 for the name of a time, -1 for that of an event, 0 for one that says nothing.
    says = [int(t and not b) or -int(e) for e, t, b in zip(event, time, boolean, strict=True)]
    return None if says[0] == says[1] else int(np.argmin(says))


def _is_boolean(column: Any) -> bool:
    """Whether all values that are not missing are True or False."""
    values = np.asarray(column)
    if values.dtype.kind != "O":
        return values.dtype.kind == "b"
    found = set(map(type, as_plain(values).ravel().tolist())) - {type(None)}
    return bool(found) and found <= {bool, np.bool_}


def _refuse_exchanged(event: Any, time: Any, argument: str) -> None:
    """Refuse a pair in which only the order says what is what, and the order is most likely the wrong one."""
    try:
        codes, times = as_numbers(event, argument), as_numbers(time, argument)
    except ValueError:
        return  # the checks of each column have the better message
    if times.size and np.isin(times, (0.0, 1.0)).all() and (codes > 1.0).any():
        raise ValueError(
            f"{argument}: event and time look exchanged, as the second is only 0 and 1, and the first has values up to "
            f"{np.nanmax(codes):g}; {EVENT_FIRST}."
        )
