"""Contributions of the features to scores and to predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hazboost.explain.attribution import attribute, rows_at_a_time
from hazboost.explain.explanation import Explanation
from hazboost.explain.functionals import CumulativeHazard, Functional, Incidence, LogHazard, RestrictedMean, Survival
from hazboost.explain.path import divide
from hazboost.explain.reading import check_cause_of, check_grid, check_of, encode, feature_names, score_names
from hazboost.prediction.predictor import Predictor
from hazboost.utils.blocks import for_each_block
from hazboost.utils.threads import count_threads

Of = Literal["survival", "cumulative_hazard", "log_hazard", "cumulative_incidence", "rmst"]
FUNCTIONALS: dict[str, Callable[..., Functional]] = {
    "survival": Survival,
    "cumulative_hazard": CumulativeHazard,
    "log_hazard": LogHazard,
    "cumulative_incidence": Incidence,
    "rmst": RestrictedMean,
}


def score_contributions(model: Predictor, X: Any) -> Explanation:
    """Contributions of the features to every raw score: exact Shapley values of the trees, plus the linear start.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)

    Returns
    -------
    Explanation
        Its points are the scores. The base of a score is that of the linear start at the mean of the features, plus
        the mean of the trees over the training rows.

    Notes
    -----
    Where the shift of the linear start is cut at its bound, features keep their proportions.

    Where the model is the mean of the hazards of several models, scores are the means of theirs, and so are
    contributions. Parameters of the heads are exponentials of scores by default: that of the mean score is their
    geometric mean.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import score_contributions
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> model = FPBoost(heads=None, n_estimators=20, random_state=0).fit(X, y)  # one head of each family
    >>> explained = score_contributions(model, X)
    >>> explained.points.tolist()[-3:], explained.values.shape
    (['level', 'weibull_1 share', 'loglogistic_1 share'], (200, 7, 3))
    >>> bool(np.allclose(explained.base + explained.values.sum(axis=-1), explained.prediction, atol=1e-6))
    True
    """
    encoded = encode(model, X)
    fitted, (n, width) = model.model_, encoded.shape
    one = fitted.mixture.one_model
    n_scores = one.n_scores
    values, scores, bases = np.empty((n, n_scores, width)), np.empty((n, n_scores)), {}

    def fill(rows: slice) -> None:
        part = attribute(fitted, encoded[rows]).mean_over_models(fitted.mixture)
        values[rows], scores[rows], bases[rows.start] = part.values, part.scores, part.base

    for_each_block(fill, n, rows_at_a_time(fitted, width), count_threads(model.n_jobs))
    names = np.array(score_names(one), dtype=object)
    return Explanation(values, bases[0], scores, feature_names(model, width), "score", names)


def contributions(
    model: Predictor, X: Any, of: Of = "survival", times: npt.ArrayLike | None = None, cause: int | None = None
) -> Explanation:
    r"""Contributions of the features to a prediction, which add up to the prediction minus its base.

    All raw scores move along the straight line from their base to the subject, and what the prediction :math:`F` gains
    on the way is divided among the features by their parts of the scores (Aumann and Shapley):

    .. math:: \phi_f(F) = \sum_s \phi_{f, s} \int_0^1 \frac{\partial F}{\partial s}(b + u (x - b)) \, du

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
    of : {"survival", "cumulative_hazard", "log_hazard", "cumulative_incidence", "rmst"}, default="survival"
        What is explained. ``"rmst"`` is the mean survival time restricted to each of ``times``.
    times : float or array-like, optional
        Non-negative times, in the user's unit; by default the one up to which `FPBoost.predict` compares risks.
    cause : int, optional
        With competing risks the cause of a hazard, or of a cumulative incidence, which needs one. By default events of
        any cause count.

    Returns
    -------
    Explanation
        With contributions of shape (n, times, features).

    Notes
    -----
    The base is the prediction from the base of all scores, that of `score_contributions`. It is close to the
    prediction for an average subject, not to the average of predictions. The integral over the path has eight nodes;
    what it leaves is divided in proportion to the contributions, so that their sums are exact.

    Where the model is the mean of the hazards of several models, the scores of all of them move together, from the
    base of each.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import contributions
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
    >>> explained = contributions(model, X, of="survival", times=[0.5, 1.0])
    >>> predicted = model.predict_survival_function(X, times=[0.5, 1.0])
    >>> bool(np.allclose(explained.base + explained.values.sum(axis=-1), predicted, atol=1e-9))
    True
    >>> np.abs(explained.values).mean(axis=(0, 1)).argmax()  # only the first feature has an effect
    np.int64(0)
    """
    encoded = encode(model, X)
    functional = _functional(model, of, times, cause)
    fitted, (n, width), points = model.model_, encoded.shape, functional.times
    values, prediction, bases = np.empty((n, len(points), width)), np.empty((n, len(points))), {}

    def fill(rows: slice) -> None:
        part = divide(functional, fitted.mixture, attribute(fitted, encoded[rows]))
        values[rows], bases[rows.start], prediction[rows] = part

    for_each_block(fill, n, rows_at_a_time(fitted, width, functional.evaluations), count_threads(model.n_jobs))
    return Explanation(values, bases[0], prediction, feature_names(model, width), "time", points)


def _functional(model: Predictor, of: Any, times: npt.ArrayLike | None, cause: int | None) -> Functional:
    """Check what is to be explained."""
    check_of(of, FUNCTIONALS)
    grid, unit = check_grid(model, of, times), model.model_.unit
    which = check_cause_of(model, of, cause)
    if of == "cumulative_incidence" and which is None:
        if len(model.causes_) > 1:
            known = ", ".join(map(str, model.causes_))
            raise ValueError(f"cause must be given with of='cumulative_incidence'; use one of {known}.")
        which = 1
    return FUNCTIONALS[of](grid, unit, which)
