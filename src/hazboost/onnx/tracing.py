"""Arrays that are not known yet: what is computed from them is written down as nodes of a graph.

The formulas of heads, activations and starts use functions of NumPy and SciPy only, and NumPy passes these on to the
class of their arguments. Called with a `Traced` array a formula therefore writes its own nodes: there is no second
version of it, and a new family of heads can be exported as soon as it exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from hazboost.onnx.functions import FUNCTIONS, UFUNCS
from hazboost.onnx.graph import Graph

#: ONNX's numbers of the types of arrays that occur.
TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7, np.dtype(np.bool_): 9, np.dtype(np.float64): 11}
#: An end of a slice that is beyond every axis.
FAR = 2**62

#: A `Traced` array in a formula: the type hints of NumPy's functions know its own arrays only.
TracedArray: TypeAlias = Any


class Traced(NDArrayOperatorsMixin):
    """An array of a graph, by the name of its node.

    Sizes of axes are not known: each counts as 1 in `shape`, which broadcasts.

    Parameters
    ----------
    graph : Graph
        Takes the nodes.
    name : str
        Output of the node.
    ndim : int
        Number of axes.
    dtype : dtype
        Type of the numbers.
    """

    def __init__(self, graph: Graph, name: str, ndim: int, dtype: npt.DTypeLike = np.float64) -> None:
        self.graph = graph
        self.name = name
        self.ndim = ndim
        self.dtype = np.dtype(dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Ones, which broadcast."""
        return (1,) * self.ndim

    def node(
        self, operator: str, *others: Any, ndim: int | None = None, dtype: Any = None, **attributes: Any
    ) -> Traced:
        """What an operator makes of this array and others."""
        arrays = [self.as_traced(one) for one in others]
        widest = max(self.ndim, *(one.ndim for one in arrays)) if arrays else self.ndim
        name = self.graph.add(operator, self.name, *(one.name for one in arrays), **attributes)
        return Traced(self.graph, name, widest if ndim is None else ndim, dtype or self.dtype)

    def as_traced(self, value: Any) -> Traced:
        """An array of the same graph; numbers become constants."""
        if isinstance(value, Traced):
            return value
        values = np.asarray(value)
        values = values if values.dtype == np.bool_ else values.astype(np.float64)
        return Traced(self.graph, self.graph.constant(values), values.ndim, values.dtype)

    def whole(self, *values: int) -> str:
        """Name of a constant with whole numbers, which many operators take besides the array."""
        return self.graph.constant(np.array(values, dtype=np.int64))

    def astype(self, dtype: npt.DTypeLike, **_: Any) -> Traced:
        """The same numbers with another type."""
        kind = np.dtype(dtype)
        return self if kind == self.dtype else self.node("Cast", dtype=kind, to=TYPES[kind])

    @property
    def T(self) -> Traced:  # noqa: N802 - the name in NumPy
        """Axes in the opposite order."""
        return self.transpose(*range(self.ndim)[::-1])

    def transpose(self, *axes: int) -> Traced:
        """Axes in another order."""
        return self.node("Transpose", perm=list(axes))

    def reshape(self, *sizes: int) -> Traced:
        """Axes of other sizes: 0 for that of the same axis before, and -1 for what is left."""
        name = self.graph.add("Reshape", self.name, self.whole(*sizes))
        return Traced(self.graph, name, len(sizes), self.dtype)

    def sum(self, axis: int) -> Traced:
        """Sum over an axis."""
        return self._reduce("ReduceSum", axis)

    def max(self, axis: int) -> Traced:
        """Largest value over an axis."""
        return self._reduce("ReduceMax", axis)

    def any(self, axis: int | None = None) -> Any:
        """Whether a mask holds anywhere along an axis; without one, whether it may hold anywhere: yes."""
        return True if axis is None else self.astype(np.float64)._reduce("ReduceMax", axis) > 0.0

    def all(self) -> bool:
        """Whether a mask is known to hold everywhere: no."""
        return False

    def _reduce(self, operator: str, axis: int) -> Traced:
        name = self.graph.add(operator, self.name, self.whole(axis), keepdims=0)
        return Traced(self.graph, name, self.ndim - 1, self.dtype)

    def __getitem__(self, index: Any) -> Traced:
        parts = index if isinstance(index, tuple) else (index,)
        given = sum(part is not None and part is not Ellipsis for part in parts)
        result, axis = self, 0
        for part in parts:
            if part is Ellipsis:
                axis += self.ndim - given
            elif part is None:
                name = result.graph.add("Unsqueeze", result.name, result.whole(axis))
                result, axis = Traced(result.graph, name, result.ndim + 1, result.dtype), axis + 1
            elif isinstance(part, slice):
                result, axis = result._slice(part, axis), axis + 1
            else:
                places = np.asarray(part, dtype=np.int64)
                name = result.graph.add("Gather", result.name, result.graph.constant(places), axis=axis)
                result = Traced(result.graph, name, result.ndim - 1 + places.ndim, result.dtype)
                axis += places.ndim
        return result

    def _slice(self, part: slice, axis: int) -> Traced:
        if part == slice(None):
            return self
        limits = part.start or 0, FAR if part.stop is None else part.stop, axis, part.step or 1
        ends = [self.whole(one) for one in limits]
        return Traced(self.graph, self.graph.add("Slice", self.name, *ends), self.ndim, self.dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        rule = UFUNCS.get(ufunc.__name__)
        return NotImplemented if method != "__call__" or options or rule is None else rule(*map(self.as_traced, inputs))

    def __array_function__(self, function: Callable[..., Any], types: Any, inputs: Any, options: Any) -> Any:
        rule = FUNCTIONS.get(function.__name__)
        return NotImplemented if rule is None else rule(self, *inputs, **options)
