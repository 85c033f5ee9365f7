"""Elementary functions as sums and products, of which a compiler can do several rows at once.

A call of the C library is done for one number at a time. Errors are a few units in the last place. Arguments are those
of the likelihood: its exponents are bounded, and its logarithms are of positive numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: The logarithm of 2 in two parts, the first of which has zeros at its end, so that its multiples are exact.
LOG_2, LOG_2_REST = 0.693147180369123816490, 1.90821492927058770002e-10
#: Added to a double, it leaves the nearest whole number in the last bits.
TO_WHOLE = 1.5 * 2.0**52
#: A whole number in the last bits of 2^52 becomes its double.
TO_FLOAT = 2.0**52
TO_FLOAT_BITS = int(np.float64(TO_FLOAT).view(np.int64))
ONE_BITS, FRACTION_BITS = int(np.float64(1.0).view(np.int64)), 2**52 - 1
SMALLEST_NORMAL, SCALE = 2.0**-1022, 2.0**54
#: Beyond these exponents, there is nothing and infinity.
LOWEST, HIGHEST = -708.0, 709.0
SQRT_2 = 2.0**0.5


def bits(x: Any) -> Any:
    """The bits of a double, as a whole number."""
    return np.float64(x).view(np.int64)  # the compiler asks for the type before `view`


def number(x: Any) -> Any:
    """The double that has some bits."""
    return np.int64(x).view(np.float64)


def exp(x: Any) -> Any:
    r""":math:`e^x = 2^n e^r` with the whole number ``n`` next to :math:`x / \log 2`."""
    shifted = x * (1.0 / (LOG_2 + LOG_2_REST)) + TO_WHOLE
    n = shifted - TO_WHOLE
    r = (x - n * LOG_2) - n * LOG_2_REST
    late = 1 / 5040 + r * (1 / 40320 + r * (1 / 362880 + r * (1 / 3628800 + r * (1 / 39916800 + r / 479001600))))
    power = 1.0 + r * (1.0 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r * late))))))
    value = number(bits(power) + (bits(shifted) << 52))
    return (value if x > LOWEST else 0.0) if x < HIGHEST else np.inf


def log(x: Any) -> Any:
    r""":math:`\log x = e \log 2 + 2 \operatorname{artanh} \frac{m - 1}{m + 1}` for :math:`x = 2^e m`."""
    normal = x >= SMALLEST_NORMAL
    parts = bits(x if normal else x * SCALE)
    fraction = number((parts & FRACTION_BITS) | ONE_BITS)
    exponent = number((parts >> 52) | TO_FLOAT_BITS) - (TO_FLOAT + (1023.0 if normal else 1077.0))
    e, m = (exponent + 1.0, 0.5 * fraction) if fraction > SQRT_2 else (exponent, fraction)
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    late = 1 / 13 + q * (1 / 15 + q * (1 / 17 + q * (1 / 19 + q * (1 / 21 + q / 23))))
    artanh = s * (1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * late))))))
    return e * LOG_2 + (2.0 * artanh + e * LOG_2_REST)


def log1p(x: Any) -> Any:
    """``log(u)`` with ``u = 1 + x``, and what rounding has taken from ``u``."""
    u = 1.0 + x
    return log(u) + (x - (u - 1.0)) / u


def expm1(x: Any) -> Any:
    r""":math:`u - 1` with :math:`u = e^x`; near zero times :math:`x / \log u`, in which errors cancel (Kahan)."""
    u = exp(x)
    log_u = log(u if abs(x) < 0.5 else 2.0)
    near = (u - 1.0) * x / (log_u if u != 1.0 else 1.0)
    return (near if u != 1.0 else x) if abs(x) < 0.5 else u - 1.0


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """`np.where` of numbers."""
    return yes if condition else no


def maximum(one: Any, other: Any) -> Any:
    """The larger of two numbers."""
    return max(other, one)


def minimum(one: Any, other: Any) -> Any:
    """The smaller of two numbers."""
    return min(other, one)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return choose(x > 0.0, 1.0, choose(x < 0.0, -1.0, 0.0))
