"""A report on a fitted model, one page for whoever must decide whether to trust it: `FPBoost.report`.

``docs/report.md`` says what is on the page, and when each of its flags is raised.
"""

from __future__ import annotations

from hazboost.report.flags.flag import Flag
from hazboost.report.writing import find_flags, report_page

__all__ = ["Flag", "find_flags", "report_page"]
