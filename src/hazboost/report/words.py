"""Numbers as they are written on the page."""

from __future__ import annotations

import math

#: A space at which lines are not broken.
UNBROKEN = "\u00a0"


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits; a dash where there is none.

    Examples
    --------
    >>> number(1234.5), number(0.01234), number(float("nan"))
    ('1,234', '0.0123', '–')
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if abs(value) >= 10 ** (digits - 1) or value == 0.0:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.{digits}g}".replace("-", "−")


def fixed(value: float, decimals: int = 2) -> str:
    """A number with so many decimals; a dash where there is none."""
    return "–" if not math.isfinite(value) else f"{value:.{decimals}f}".replace("-", "−")


def percent(share: float, decimals: int = 0) -> str:
    """A share in per cent.

    Examples
    --------
    >>> [percent(share).replace(UNBROKEN, " ") for share in (0.123, 0.0012, 0.00001, 0.0)]
    ['12 %', '0.1 %', '< 0.1 %', '0 %']
    """
    if not math.isfinite(share):
        return "–"
    if 0.0 < abs(share) < 0.0005:
        return f"{'<' if share > 0.0 else '> −'} 0.1{UNBROKEN}%"
    small = abs(share) < 0.01 and share != 0.0 and decimals == 0
    return f"{100.0 * share:.{1 if small else decimals}f}{UNBROKEN}%".replace("-", "−")


def p_value(p: float) -> str:
    """A p-value."""
    return "–" if math.isnan(p) else ("< 0.001" if p < 0.001 else f"{p:.3f}")


def count(n: float, singular: str, plural: str | None = None) -> str:
    """So many of something: ``1 row``, ``2 rows``."""
    return f"{n:,.0f} {singular if n == 1 else plural or singular + 's'}"
