"""From a table with categories and missing values to numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    import pandas as pd


class Preprocessor:
    """Numbers and booleans are imputed with the median and standardised; categories become columns of 0 and 1.

    A column that is constant in training becomes zero. A category that is missing, or unknown to training, has zeros
    in all columns of its feature: the paper counts no column for missing values, and its results on FLCHAIN are those
    of models that can distinguish a missing chapter from any other (``docs/running-experiments.md``).

    Attributes
    ----------
    names : tuple of str
        Names of the columns that come out: those of the numbers, then ``feature=category``.
    categorical : array of bool
        Which of them are the 0 and 1 of a category.
    """

    def fit(self, X: pd.DataFrame) -> Self:
        """Learn medians, means, scales and categories."""
        categories = X.select_dtypes("category")
        self._levels = {name: categories[name].cat.remove_unused_categories().cat.categories for name in categories}
        self._numbers = [name for name in X if name not in self._levels]
        self._scaler = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
        if self._numbers:
            self._scaler.fit(self._floats(X))
        indicators = [f"{name}={level}" for name, levels in self._levels.items() for level in levels]
        self.names = (*map(str, self._numbers), *indicators)
        self.categorical = np.arange(len(self.names)) >= len(self._numbers)
        return self

    def transform(self, X: pd.DataFrame) -> Array:
        """Numbers without missing values, one column for each name."""
        numbers = self._scaler.transform(self._floats(X)) if self._numbers else np.empty((len(X), 0))
        indicators = [
            X[name].to_numpy(dtype=object)[:, None] == levels.to_numpy(dtype=object)
            for name, levels in self._levels.items()
        ]
        return np.hstack([numbers, *indicators]).astype(np.float64)

    def _floats(self, X: pd.DataFrame) -> Array:
        floats: Array = X[self._numbers].astype(float).to_numpy()
        return floats
