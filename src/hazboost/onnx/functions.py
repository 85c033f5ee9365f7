"""NumPy's and SciPy's functions in terms of ONNX operators, for arrays of `hazboost.onnx.tracing`.

ONNX has no ``expm1``, ``log1p`` and ``log_ndtr``. They are written here with errors of a few units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from scipy.special import erfcx

#: Degree with which `_log_scaled_erfc` is exact up to rounding.
DEGREE = 28


def _operator(name: str) -> Callable[..., Any]:
    """An operator on numbers."""

    def apply(*values: Any) -> Any:
        first, *others = (one.astype(np.float64) for one in values)
        return first.node(name, *others)

    return apply


def _comparison(name: str) -> Callable[..., Any]:
    """An operator whose result is a mask."""
    return lambda first, *others: first.node(name, *others, dtype=np.dtype(np.bool_))


def _expm1(x: Any) -> Any:
    r""":math:`u - 1` with :math:`u = e^x`; near zero :math:`(u - 1) x / \log u`, in which errors cancel (Kahan)."""
    u = np.exp(x)
    log_u = np.log(u)
    near = np.where(log_u == 0.0, x, (u - 1.0) * x / np.where(log_u == 0.0, 1.0, log_u))
    return np.where(np.absolute(x) < 0.5, near, u - 1.0)


def _log1p(x: Any) -> Any:
    r""":math:`\log u` with :math:`u = 1 + x`; near zero times :math:`x / (u - 1)`, in which errors cancel (Kahan)."""
    u = 1.0 + x
    rest = u - 1.0
    near = np.where(rest == 0.0, x, np.log(u) * x / np.where(rest == 0.0, 1.0, rest))
    return np.where(np.absolute(x) < 0.5, near, np.log(u))


def _logaddexp(one: Any, other: Any) -> Any:
    """``log(exp(a) + exp(b))``."""
    return np.maximum(one, other) + np.log1p(np.exp(-np.absolute(one - other)))


def _log_ndtr(x: Any) -> Any:
    r"""Logarithm of the normal distribution function.

    With :math:`y = |x| / \sqrt{2}` and :math:`\operatorname{erfc}(y) = e^{-y^2} r(y)` it is
    :math:`-y^2 + \log(r / 2)` below zero, and :math:`\log(1 - e^{-y^2} r / 2)` above.
    """
    y = np.absolute(x) * np.sqrt(0.5)
    log_tail = _log_scaled_erfc(y) - y * y - np.log(2.0)
    return np.where(x < 0.0, log_tail, np.log1p(-np.exp(log_tail)))


def _log_scaled_erfc(y: Any) -> Any:
    r""":math:`\log(e^{y^2} \operatorname{erfc}(y))` for positive numbers.

    It is :math:`\log t` plus a smooth function of :math:`t = 2 / (2 + y)`, which a polynomial approximates.
    """
    t = 2.0 / (2.0 + y)
    first, *others = SCALED_ERFC[::-1]
    value, s = first, 2.0 * t - 1.0
    for coefficient in others:
        value = value * s + coefficient
    return np.log(t) + value


def _smooth_part(s: Any) -> Any:
    t = 0.5 * (1.0 + np.asarray(s))
    return np.log(erfcx(2.0 / t - 2.0) / t)


#: Coefficients of the polynomial in ``2 t - 1``.
SCALED_ERFC: list[float] = Chebyshev.interpolate(_smooth_part, DEGREE).convert(kind=Polynomial).coef.tolist()


def _where(like: Any, condition: Any, yes: Any, no: Any) -> Any:
    condition, yes, no = (like.as_traced(one) for one in (condition, yes, no))
    return condition.node("Where", yes, no, dtype=yes.dtype)


def _clip(like: Any, values: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(values, low), high)


def _concatenate(like: Any, arrays: Sequence[Any], axis: int = 0) -> Any:
    first, *others = (like.as_traced(one) for one in arrays)
    return first.node("Concat", *others, axis=axis)


def _full_like(like: Any, values: Any, fill: float, shape: tuple[int, ...] | None = None, **_: Any) -> Any:
    """A number in a shape that is given, or in that of the values."""
    if shape is not None:
        return like.as_traced(np.full(shape, fill))
    return like.as_traced(fill).node("Expand", values.node("Shape", ndim=1, dtype=np.dtype(np.int64)), ndim=values.ndim)


UFUNCS: dict[str, Callable[..., Any]] = {
    "absolute": _operator("Abs"),
    "add": _operator("Add"),
    "divide": _operator("Div"),
    "equal": _comparison("Equal"),
    "exp": _operator("Exp"),
    "expm1": _expm1,
    "greater": _comparison("Greater"),
    "greater_equal": _comparison("GreaterOrEqual"),
    "isnan": _comparison("IsNaN"),
    "less": _comparison("Less"),
    "less_equal": _comparison("LessOrEqual"),
    "log": _operator("Log"),
    "log1p": _log1p,
    "log_ndtr": _log_ndtr,
    "logaddexp": _logaddexp,
    "logical_and": _comparison("And"),
    "logical_not": _comparison("Not"),
    "logical_or": _comparison("Or"),
    "bitwise_and": _comparison("And"),
    "bitwise_or": _comparison("Or"),
    "invert": _comparison("Not"),
    "matmul": _operator("Gemm"),  # MatMul and a transposition are joined by onnxruntime 1.21 in single precision only
    "maximum": _operator("Max"),
    "minimum": _operator("Min"),
    "multiply": _operator("Mul"),
    "negative": _operator("Neg"),
    "sign": _operator("Sign"),
    "sqrt": _operator("Sqrt"),
    "subtract": _operator("Sub"),
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "clip": _clip,
    "concatenate": _concatenate,
    "full_like": _full_like,
    "ones_like": lambda like, values, **options: _full_like(like, values, 1.0, **options),
    "where": _where,
    "zeros_like": lambda like, values, **options: _full_like(like, values, 0.0, **options),
}
