"""Formulas on arrays written out for a single row, as source that a compiler can take.

NumPy passes its functions on to the class of their arguments. The likelihood, the activations and the heads use little
else, so that they write down what they compute when they are called with `Numbers`: there is no second version of any
formula, and a new family can be compiled as soon as it exists. Where a formula asks whether something holds for all
rows or for any, the answer is that it may not, or may, which leads to the code that is right for every row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

Parts = npt.NDArray[np.object_]

#: NumPy's functions of numbers, as operators or functions of `hazboost.boosting.elementary`. There are no branches,
#: over which compilers take long.
UFUNCS = {
    "absolute": "abs({})",
    "add": "{} + {}",
    "bitwise_and": "{} & {}",
    "bitwise_or": "{} | {}",
    "divide": "{} / {}",
    "equal": "{} == {}",
    "exp": "exp({})",
    "expm1": "expm1({})",
    "greater": "{} > {}",
    "greater_equal": "{} >= {}",
    "invert": "not {}",
    "isfinite": "abs({}) < inf",
    "less": "{} < {}",
    "less_equal": "{} <= {}",
    "log": "log({})",
    "log1p": "log1p({})",
    "logical_not": "not {}",
    "logical_or": "{} | {}",
    "logical_and": "{} & {}",
    "maximum": "maximum({}, {})",
    "minimum": "minimum({}, {})",
    "multiply": "{} * {}",
    "negative": "-{}",
    "not_equal": "{} != {}",
    "sign": "sign({})",
    "subtract": "{} - {}",
}
VARIABLE = re.compile(r"\bv\d+\b")


class NoSourceError(Exception):
    """A formula cannot be written down: it has a function that is not in the table, or a condition."""


class Source:
    """Lines each of which computes one number. What was computed before is not computed again."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def name(self, expression: str) -> str:
        """The variable that has the value of an expression."""
        return self.names.setdefault(expression, f"v{len(self.names)}")

    def numbers(self, expressions: Sequence[str]) -> Any:
        """Numbers with these values, of shape (len(expressions), 1)."""
        return Numbers(self, np.array([[self.name(one)] for one in expressions], dtype=object))

    def lines(self, wanted: Sequence[Any]) -> list[tuple[str, str]]:
        """Variables and their expressions, as far as some numbers need them."""
        needed, kept = set(map(str, wanted)), []
        for expression, name in reversed(self.names.items()):
            if name in needed:
                kept.append((name, expression))
                needed.update(VARIABLE.findall(expression))
        return kept[::-1]


class Numbers(NDArrayOperatorsMixin):
    """An array of numbers some of which are not known yet, but by the names of their variables.

    Parameters
    ----------
    source : Source
        Takes the expressions.
    parts : array of str and float
        Names of variables, and constants.
    """

    def __init__(self, source: Source, parts: Any) -> None:
        self.source = source
        self.parts: Parts = parts if isinstance(parts, np.ndarray) else np.array(parts, dtype=object)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.parts.shape

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return self.parts.ndim

    dtype = np.dtype(np.float64)

    def __len__(self) -> int:
        return len(self.parts)

    def __bool__(self) -> bool:
        raise NoSourceError("a condition on numbers that are not known")

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return Numbers(self.source, self.parts[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        self.parts[index] = _parts(value)

    def copy(self) -> Numbers:
        """The same numbers, to be changed."""
        return Numbers(self.source, self.parts.copy())

    def astype(self, dtype: Any) -> Any:
        """Numbers from a mask."""
        return self.write("choose({}, 1.0, 0.0)", self)

    def sum(self, axis: int) -> Any:
        """Sum over the first axis."""
        return reduce(np.add, list(self))

    def max(self, axis: int) -> Any:
        """Largest number over the first axis."""
        return reduce(np.maximum, list(self))

    def any(self, axis: int | None = None) -> Any:
        """Where a number is not zero, on the first axis; without an axis, whether one may be: yes."""
        return True if axis is None else reduce(np.logical_or, list(self != 0.0))

    def all(self) -> bool:
        """Whether none is known to be zero: no."""
        return False

    def write(self, template: str, *inputs: Any) -> Numbers:
        """Numbers from an expression of others."""

        def write_one(*values: Any) -> str:
            return self.source.name(template.format(*(one if isinstance(one, str) else repr(one) for one in values)))

        return Numbers(self.source, np.frompyfunc(write_one, len(inputs), 1)(*map(_parts, inputs)))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        template = UFUNCS.get(ufunc.__name__)
        if method != "__call__" or options or template is None:
            raise NoSourceError(f"the function {ufunc.__name__}")
        result = self.write(template, *inputs)
        if out is None:
            return result
        out[0][...] = result
        return out[0]

    def __array_function__(self, function: Callable[..., Any], types: Any, inputs: Any, options: Any) -> Any:
        rule = FUNCTIONS.get(function.__name__)
        if rule is None:
            raise NoSourceError(f"the function {function.__name__}")
        return rule(self if isinstance(inputs[0], (list, tuple)) else inputs[0], *inputs, **options)


def _parts(value: Any) -> Parts:
    """Names and constants; masks of NumPy become numbers."""
    return value.parts if isinstance(value, Numbers) else np.asarray(value, dtype=np.float64).astype(object)


def _where(like: Any, condition: Any, yes: Any, no: Any) -> Any:
    source = next(one for one in (condition, yes, no) if isinstance(one, Numbers))
    return source.write("choose({}, {}, {})", condition, yes, no)


def _clip(like: Any, values: Any, low: Any, high: Any, out: Any = None) -> Any:
    return np.minimum(np.maximum(values, low), high, out=out)


def _concatenate(like: Any, arrays: Sequence[Any]) -> Any:
    return Numbers(like.source, np.concatenate([_parts(one) for one in arrays]))


def _full_like(like: Any, values: Any, fill: float = 0.0, shape: tuple[int, ...] | None = None) -> Any:
    return Numbers(like.source, np.full(like.shape if shape is None else shape, fill, dtype=object))


#: NumPy's functions that are not universal ones.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "any": lambda _, values, axis=None: values.any(axis),
    "clip": _clip,
    "concatenate": _concatenate,
    "empty_like": _full_like,
    "full_like": _full_like,
    "ones_like": lambda like, values: _full_like(like, values, 1.0),
    "where": _where,
    "zeros_like": _full_like,
}
