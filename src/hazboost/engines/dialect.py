"""How XGBoost wants to be told of the features, and what it must not be told."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import scipy.sparse

from hazboost.engines.features import Features

#: Characters that XGBoost does not allow in names.
REFUSED = frozenset("[]<")


def feature_names(features: Features | None) -> list[str] | None:
    """Names of the features; None if XGBoost would refuse one, in which case it numbers them."""
    if features is None or features.names is None or any(REFUSED & set(name) for name in features.names):
        return None
    return list(features.names)


def feature_types(features: Features | None) -> list[str] | None:
    """Types of the features; None if all are numbers."""
    if features is None or not features.categorical:
        return None
    return ["c" if position in features.categorical else "q" for position in range(features.n)]


def constraints(features: Features | None) -> dict[str, Any]:
    """Parameters for the constraints, by position of the features: positions work for all names."""
    settings: dict[str, Any] = {}
    if features is not None and any(features.directions):
        settings["monotone_constraints"] = features.directions
    if features is not None and features.groups is not None:
        # XGBoost expects this one as a JSON string, unlike the monotone constraints.
        settings["interaction_constraints"] = json.dumps(features.groups)
    return settings


def within_range(X: Any, features: Features | None) -> Any:
    """Features with values above the largest of the training data set to that.

    A split between missing and other values has a threshold of about twice the largest value; XGBoost would send a
    value above it the way of the missing ones.
    """
    if features is None or features.highest is None:
        return X
    highest = np.array(features.highest)
    if scipy.sparse.issparse(X):
        limits = highest[X.indices]
        return X if (X.data <= limits).all() else _with_data(X, np.minimum(X.data, limits))
    return np.minimum(X, highest) if (highest < X).any() else X


def _with_data(X: scipy.sparse.csr_matrix, data: Any) -> scipy.sparse.csr_matrix:
    """A sparse matrix with the same places of other entries."""
    return scipy.sparse.csr_matrix((data, X.indices, X.indptr), shape=X.shape)
