"""One pass over the rows, compiled by Numba where that is installed (``hazboost[fast]``).

What is compiled are the formulas of the likelihood, as [they write themselves down](tracing.py) for a single row. The
code holds no lock, so that threads that share the blocks do not wait for one another, as they do between the many
short functions of NumPy. It has no threads of its own, which calls from several threads would not be safe with.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from inspect import getsource, isfunction
from threading import Lock
from types import FunctionType
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.boosting import elementary
from hazboost.boosting.tracing import NoSourceError, Source

#: Rows that are worked on at a time: few enough for all their numbers to stay in the processor's nearest cache.
CHUNK = 64
#: Without the interpreter lock, and with NumPy's results of divisions by zero.
OPTIONS = {"nogil": True, "error_model": "numpy"}

#: Fills the arrays after ``columns`` for some rows, of which the columns have one number each.
RowFunction = Callable[..., None]
#: From a row's numbers, by name, to what is filled in: an array of one axis for each number, of two for several.
Formula = Callable[[Mapping[str, Any]], Sequence[Any]]

# All numbers of a chunk are in one array, at distances that are known: so the compiler sees that the loop in the middle
# may work on several rows at once.
TEMPLATE = """
def {name}(row, scores, {arguments}):
    room = np.empty({room})
    for first in range(0, len(row), {chunk}):
        count = min({chunk}, len(row) - first)
        for b in range(count):
            k, i = first + b, row[first + b]
            {read}
        for b in range({chunk}):
            {work}
        for b in range(count):
            i = row[first + b]
            {write}
"""

_compiled: dict[Hashable, RowFunction | None] = {}
_lock = Lock()


@cache
def numba() -> Any:
    """Numba, or None where it is not installed, does not know this NumPy, or is told not to compile."""
    try:
        module = import_module("numba")
    except ImportError:
        return None
    return None if module.config.DISABLE_JIT else module


def compiled(
    key: Hashable,
    formula: Formula,
    scores: npt.NDArray[Any],
    columns: Mapping[str, npt.NDArray[Any] | float],
    outputs: Sequence[npt.NDArray[Any]],
) -> RowFunction | None:
    """A function of rows, by a formula on columns; None where that cannot be compiled.

    Parameters
    ----------
    key : hashable
        Equal for equal formulas.
    formula : callable
        See `Formula`; called with names of columns, and with ``score`` for the scores.
    scores : array of shape (n, scores)
        For their number and type.
    columns : mapping of str to array or float
        For their names and types.
    outputs : sequence of arrays
        What is to be filled in, for their types.
    """
    with _lock:
        if key not in _compiled:
            _compiled[key] = _compile(formula, scores, columns, outputs)
        return _compiled[key]


def _compile(
    formula: Formula,
    scores: npt.NDArray[Any],
    columns: Mapping[str, npt.NDArray[Any] | float],
    outputs: Sequence[npt.NDArray[Any]],
) -> RowFunction | None:
    try:
        text = write_function(formula, scores.shape[1], columns)
    except (NoSourceError, AttributeError, TypeError):  # a formula that does more than compute with numbers
        return None
    # What the compiler keeps is found by the name of a function, which therefore has all that the function consists of.
    function = make_function(text, f"rows_{sha256((text + getsource(elementary)).encode()).hexdigest()[:16]}")
    try:
        try:
            made: RowFunction = numba().njit(function, cache=True, **OPTIONS)
        except RuntimeError:  # there is no folder in which it could be kept
            made = numba().njit(function, **OPTIONS)
        arrays = [one if _is_scalar(one) else one[:0] for one in (scores, *columns.values(), *outputs)]  # type: ignore[index]
        made(np.empty(0, np.intp), *arrays)
    except numba().core.errors.NumbaError:
        return None
    return made


def make_function(text: str, name: str) -> Any:
    """Run the text of a function that the elementary functions are compiled into.

    It is said to come from this file: the compiler keeps what it has made by the place of a function and its name.
    """
    functions = {**vars(elementary), "np": np, "inf": np.inf}
    if numba():
        for helper, function in vars(elementary).items():
            if isfunction(function):
                # A copy, which calls copies.
                copy = FunctionType(function.__code__, functions, helper)
                functions[helper] = numba().njit(copy, forceinline=True, **OPTIONS)
    exec(compile(text.replace("{name}", name), __file__, "exec"), functions)  # noqa: S102 - from our own formulas
    return functions[name]


def write_function(formula: Formula, n_scores: int, columns: Mapping[str, Any]) -> str:
    """Text of the function, with a place for its name."""
    source = Source()
    places = {f"score_{s}": f"scores[i, {s}]" for s in range(n_scores)}
    places |= {name: f"{name}[k]" for name, one in columns.items() if not _is_scalar(one)}
    score = source.numbers([f"score_{s}" for s in range(n_scores)])
    outputs = formula({"score": score, **{one: source.numbers([one])[0] for one in columns}})
    targets: list[tuple[str, Any]] = []
    for number, output in enumerate(outputs):
        several = output.ndim > 1
        targets += [
            (f"out_{number}[i, {s}]" if several else f"out_{number}[i]", part)
            for s, part in enumerate(output.parts[:, 0] if several else output.parts)
        ]
    lines = source.lines([part for _, part in targets])
    read = [expression for _, expression in lines if expression in places]
    slots = {name: f"room[{slot * CHUNK} + b]" for slot, name in enumerate([*read, *range(len(targets))])}
    work = [f"{name} = {slots.get(expression, expression)}" for name, expression in lines]
    return TEMPLATE.format(
        name="{name}",
        arguments=", ".join([*columns, *(f"out_{number}" for number in range(len(outputs)))]),
        room=len(slots) * CHUNK,
        chunk=CHUNK,
        read=_join([f"{slots[one]} = {places[one]}" for one in read]),
        work=_join([*work, *(f"{slots[number]} = {part}" for number, (_, part) in enumerate(targets))]),
        write=_join([f"{place} = {slots[number]}" for number, (place, _) in enumerate(targets)]),
    )


def _is_scalar(column: Any) -> bool:
    return isinstance(column, float)


def _join(lines: Sequence[str]) -> str:
    return ("\n" + 12 * " ").join(lines)
