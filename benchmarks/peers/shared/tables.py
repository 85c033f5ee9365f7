"""From a table with categories and missing values to what a model takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

if TYPE_CHECKING:
    import pandas as pd


def standardised() -> Any:
    """One-hot columns and imputed medians, constant columns dropped, standardised.

    A missing category is a category of its own; one unknown to training is all zeros.
    """
    return make_pipeline(_one_hot(SimpleImputer(strategy="median")), VarianceThreshold(), StandardScaler())


def one_hot_with_missing() -> Any:
    """One-hot columns; missing numbers stay missing."""
    return make_pipeline(_one_hot("passthrough"))


def _one_hot(numbers: SimpleImputer | str) -> ColumnTransformer:
    encoder = OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include="number")),
            ("categories", encoder, make_column_selector(dtype_include="category")),
        ]
    )


class KnownCategories:
    """Reduce categorical columns to the categories seen in training; others become missing."""

    def fit(self, X: pd.DataFrame) -> Self:
        """Remember the categories that occur."""
        categorical = X.select_dtypes("category")
        self.dtypes_ = {name: categorical[name].cat.remove_unused_categories().dtype for name in categorical}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """The table with the categories of training."""
        return X.astype(self.dtypes_)
