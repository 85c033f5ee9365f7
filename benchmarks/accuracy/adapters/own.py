"""FPBoost with no argument but the seed."""

from __future__ import annotations

from typing import Self

import pandas as pd

from hazboost import FPBoost
from hazboost.utils.arrays import Array, Mask


class Own:
    """`FPBoost` on the table as it is."""

    def __init__(self, seed: int) -> None:
        self.model = FPBoost(random_state=seed)

    def fit(self, X: pd.DataFrame, event: Mask, time: Array) -> Self:
        """Fit to a table as it is."""
        self.model.fit(X, (event, time))
        return self

    def risk(self, X: pd.DataFrame) -> Array:
        """Scores; higher means earlier."""
        return self.model.predict(X)

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return self.model.predict_survival_function(X, times=times)
