"""A fitted model as one web page that needs no server: `FPBoost.calculator`."""

from __future__ import annotations

from hazboost.calculator.page import calculator_page

__all__ = ["calculator_page"]
