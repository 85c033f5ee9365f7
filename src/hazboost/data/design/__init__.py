"""Design of the linear start: from encoded features to the columns of a linear predictor, and products with them."""

from __future__ import annotations

from hazboost.data.design.learning import Design, learn_design
from hazboost.data.design.products import DesignMatrix

__all__ = ["Design", "DesignMatrix", "learn_design"]
