"""How much each feature matters for all subjects together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hazboost.explain.attribution import attribute, rows_at_a_time
from hazboost.explain.functionals import RestrictedMean
from hazboost.explain.path import divide
from hazboost.explain.reading import ROLES, encode, feature_names, score_roles
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array
from hazboost.utils.blocks import for_each_block
from hazboost.utils.tables import make_table
from hazboost.utils.threads import count_threads


def importance(model: Predictor, X: Any) -> Any:
    """Mean size of the contributions of each feature: to the scores of each role, and to the mean survival time.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
        Subjects over whom the mean is taken.

    Returns
    -------
    DataFrame with the columns feature, overall, level, scale, shape and share
        One row for each feature, in the order of the columns of ``X``. Without pandas, a structured array with the
        same names. ``overall`` is the mean size of the contribution to the survival time, restricted as in
        `FPBoost.predict`, in the user's unit of time. The others are in units of raw scores, which for the level are
        those of the log-hazard: their mean sizes, added up over the scores of the role. A role without scores is NaN.

    See Also
    --------
    permutation_importance : What a metric loses without the feature.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import importance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> table = importance(FPBoost(n_estimators=20, random_state=0).fit(X, y), X)
    >>> str(table["feature"][np.argmax(table["overall"])])
    'x0'
    """
    encoded = encode(model, X)
    of_scores, overall = _mean_sizes(model, encoded)
    names, roles = feature_names(model, encoded.shape[1]), score_roles(model.model_.mixture.one_model)
    columns: dict[str, NDArray[Any]] = {"feature": np.array(names, dtype=object), "overall": overall}
    for role in ROLES:
        mine = of_scores[roles == role]
        columns[role] = mine.sum(axis=0) if len(mine) else np.full(len(names), np.nan)
    return make_table(columns)


def _mean_sizes(model: Predictor, encoded: Any) -> tuple[Array, Array]:
    """Mean sizes of contributions to the scores, (scores, features), and to the restricted mean, (features,)."""
    fitted, (n, width), sums = model.model_, encoded.shape, {}
    functional = RestrictedMean(np.array([fitted.horizon]), fitted.unit)

    def measure(rows: slice) -> None:
        part = attribute(fitted, encoded[rows])
        moved = divide(functional, fitted.mixture, part).values[:, 0]
        mean = part.mean_over_models(fitted.mixture).values
        sums[rows.start] = np.abs(mean).sum(axis=0), np.abs(moved).sum(axis=0)

    for_each_block(measure, n, rows_at_a_time(fitted, width, functional.evaluations), count_threads(model.n_jobs))
    # Added up in order, whichever block was ready first.
    of_scores, overall = zip(*(sums[first] for first in sorted(sums)), strict=True)
    return np.sum(of_scores, axis=0) / n, np.sum(overall, axis=0) / n
