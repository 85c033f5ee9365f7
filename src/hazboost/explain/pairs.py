"""Interactions of pairs of features in the trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hazboost.explain.attribution import attribute_pairs, rows_at_a_time
from hazboost.explain.reading import check_role, encode, feature_names
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.tables import make_table
from hazboost.utils.threads import count_threads, map_threads


def interaction_values(model: Predictor, X: Any, role: str = "level") -> Array:
    """Contributions of single features and of pairs to the scores of a role, for each subject.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
    role : str, default="level"
        ``"level"``, ``"scale"``, ``"shape"``, ``"share"``, or the name of a score as in `score_contributions`. Without
        a level, scales are what makes the hazard larger or smaller.

    Returns
    -------
    array of shape (n, scores, features, features)
        What a feature adds by itself is on the diagonal, and half of what a pair adds in each of its two places. The
        sums over the last axis are the contributions of `score_contributions`, to about 1e-6.

    Notes
    -----
    They are the Shapley interaction values of the trees. The time grows with the number of features, and the result
    with its square.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import interaction_values
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> interaction_values(FPBoost(n_estimators=20, random_state=0).fit(X, y), X).shape
    (200, 1, 3, 3)
    """
    encoded = encode(model, X)
    chosen = check_role(model.model_.mixture.one_model, role)
    return np.concatenate([pairs[:, chosen] for pairs in _in_blocks(model, encoded)])


def interactions(model: Predictor, X: Any, role: str = "level") -> Any:
    """Mean size of the interaction of each pair of features, in the scores of a role.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
        Subjects over whom the mean is taken.
    role : str, default="level"
        As in `interaction_values`.

    Returns
    -------
    DataFrame with the columns feature, other and strength
        One row for each pair, the strongest first: the mean size of what the pair adds besides what its features add
        by themselves, added up over the scores of the role. Without pandas, a structured array with the same names.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import interactions
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = np.ones(500, dtype=bool), rng.weibull(1.5, size=500) * np.exp(-2.0 * (X[:, 0] > 0) * (X[:, 2] > 0))
    >>> table = interactions(FPBoost(n_estimators=50, random_state=0).fit(X, y), X)
    >>> str(table["feature"][0]), str(table["other"][0])
    ('x0', 'x2')
    """
    encoded = encode(model, X)
    chosen = check_role(model.model_.mixture.one_model, role)
    total = sum(np.abs(pairs[:, chosen]).sum(axis=(0, 1)) for pairs in _in_blocks(model, encoded))
    one, other = np.triu_indices(encoded.shape[1], k=1)
    strength = 2.0 * np.asarray(total)[one, other] / encoded.shape[0]
    order: Indices = np.argsort(-strength, kind="stable")
    names = np.array(feature_names(model, encoded.shape[1]), dtype=object)
    return make_table({"feature": names[one[order]], "other": names[other[order]], "strength": strength[order]})


def _in_blocks(model: Predictor, encoded: Any) -> Iterator[Array]:
    """What all pairs add to all scores, for blocks of rows, as many at a time as there are threads."""
    fitted, n, n_threads = model.model_, encoded.shape[0], count_threads(model.n_jobs)
    step = rows_at_a_time(fitted, (1 + encoded.shape[1]) ** 2)
    for first in range(0, n, step * n_threads):
        firsts = range(first, min(first + step * n_threads, n), step)
        yield from map_threads(lambda i: attribute_pairs(fitted, encoded[i : i + step]), firsts, n_threads)
