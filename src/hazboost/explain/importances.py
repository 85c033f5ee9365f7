"""How much each feature matters for all subjects together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hazboost.explain.dividing import contributions, score_contributions
from hazboost.explain.reading import ROLES, score_roles
from hazboost.prediction.predictor import Predictor
from hazboost.utils.tables import make_table


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
    scores = score_contributions(model, X)
    size, roles = np.abs(scores.values).mean(axis=0), score_roles(model.model_.mixture)
    overall = np.abs(contributions(model, X, of="rmst").values[:, 0]).mean(axis=0)
    columns: dict[str, NDArray[Any]] = {"feature": np.array(scores.features, dtype=object), "overall": overall}
    for role in ROLES:
        columns[role] = size[roles == role].sum(axis=0) if (roles == role).any() else np.full(len(overall), np.nan)
    return make_table(columns)
