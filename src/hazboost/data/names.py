"""Names of the features: a table must have the same columns, in the same order, at prediction as in training.

The rules and the words are those of scikit-learn, which itself reads the names of some kinds of table only, depending
on its version.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.data.frames import column_names, is_table
from hazboost.utils.warn import warn_caller


def learn_columns(estimator: Any, X: Any) -> None:
    """Give an estimator scikit-learn's attributes ``n_features_in_`` and, if all names are text, the names."""
    names = text_names(X)
    estimator.n_features_in_ = X.shape[1]
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def match_columns(estimator: Any, X: Any, who: str) -> None:
    """Refuse features with other names, or another number of columns, than those that were learned."""
    learned, names = getattr(estimator, "feature_names_in_", None), text_names(X)
    if learned is not None and names is not None:
        _refuse_other_names(list(learned), names)
    elif learned is not None:
        warn_caller(
            f"X does not have valid feature names, but {who} was fitted with feature names. Columns are used by "
            "position; pass a DataFrame with the columns of training.",
            UserWarning,
        )
    elif names is not None:
        warn_caller(
            f"X has feature names, but {who} was fitted without feature names. Columns are used by position; check "
            "their order.",
            UserWarning,
        )
    if X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {who} is expecting {estimator.n_features_in_} features as input. Give "
            "the same columns as in training."
        )


def text_names(X: Any) -> list[str] | None:
    """Names of a table, if they are text; None for an array, and for a table whose columns are numbered."""
    names = column_names(X) if is_table(X) else []
    text = [name for name in names if isinstance(name, str)]
    if 0 < len(text) < len(names):
        types = ", ".join(sorted({type(name).__name__ for name in names}))
        raise TypeError(
            f"X: either all column names must be strings or none; got names of types {types}. "
            "Convert them with X.columns = X.columns.astype(str)."
        )
    return text or None


def _refuse_other_names(learned: list[str], names: list[str]) -> None:
    """Compare the names, and say which are new, missing or in another order."""
    if names == learned:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(names) - set(learned)), sorted(set(learned) - set(names))
    for title, listed in (("unseen at fit time", unseen), ("seen at fit time, yet now missing", missing)):
        if listed:
            shown = listed if len(listed) <= 5 else [*listed[:5], "..."]
            message += "".join([f"Feature names {title}:\n", *(f"- {name}\n" for name in shown)])
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)
