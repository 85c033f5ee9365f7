"""How predictions change with one or two features, all others as they are."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from hazboost.explain.reading import check_cause_of, check_grid, check_of, encode, feature_names
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.model import parameter_columns
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array, as_numbers
from hazboost.utils.describe import and_more, describe
from hazboost.utils.tables import make_table
from hazboost.utils.threads import count_threads
from hazboost.utils.whole_numbers import is_whole_number

#: Predicted functions of time, of (distribution, times, cause).
CURVES: dict[str, Callable[[Distribution, Array, int | None], Array]] = {
    "survival": lambda distribution, times, _: distribution.survival(times),
    "cumulative_hazard": lambda distribution, times, cause: distribution.of_cause(cause).cumulative_hazard(times),
    "hazard": lambda distribution, times, cause: distribution.hazard(times, cause),
    "cumulative_incidence": lambda distribution, times, cause: distribution.cumulative_incidence(times, cause or 1),
    "rmst": lambda distribution, times, _: np.column_stack([distribution.restricted_mean(tau) for tau in times]),
}
#: Columns of the table besides those of the features.
OWN_COLUMNS = frozenset({"subject", "time", "cause", "head", "value"})
#: Shares of the subjects between which values of a numeric feature are chosen: the extremes are often outliers.
QUANTILES = (0.05, 0.95)


def partial_dependence(
    model: Predictor,
    X: Any,
    features: Any,
    of: str = "survival",
    times: npt.ArrayLike | None = None,
    cause: int | None = None,
    grid: Any = 20,
    individual: bool = False,
) -> Any:
    r"""Predictions for all subjects as if one or two of their features had other values, and their mean.

    .. math:: \bar F(v) = \frac1n \sum_i F(x_i \text{ with the feature set to } v)

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
        Subjects over whom the mean is taken.
    features : str, int, or list of one or two of them
        Features by name, or by position.
    of : str, default="survival"
        ``"survival"``, ``"cumulative_hazard"``, ``"hazard"``, ``"cumulative_incidence"`` or ``"rmst"`` at ``times``;
        ``"median"``; or a column of `FPBoost.predict_parameters`, such as ``"scale"``, ``"k"`` or ``"w"``.
    times : float or array-like, optional
        Times, by default the one up to which `FPBoost.predict` compares risks. For ``"rmst"`` the times to which means
        are restricted.
    cause : int, optional
        With competing risks the cause of ``"hazard"`` or ``"cumulative_hazard"``, by default any, or of
        ``"cumulative_incidence"``, by default the first.
    grid : int or list, default=20
        Number of values of a numeric feature, quantiles from 5 % to 95 %; all values if there are no more. Or the
        values themselves, for a single feature. Categories are all used, unless they are given.
    individual : bool, default=False
        Return the predictions of all subjects (individual conditional expectations, ICE) instead of their means.

    Returns
    -------
    DataFrame with a column for each of the features, time, and value
        ``time`` for functions of time only. For a parameter also head and, with several causes, cause; with
        ``individual`` also subject, numbered from 0. A feature of such a name, say time, is called ``feature time``.
        Without pandas, a structured array with the same names.

    Notes
    -----
    scikit-learn's ``partial_dependence`` takes regressors and classifiers only, and a survival model is neither.

    Combinations of values may arise that no subject has; `accumulated_effects` avoids them.

    Subjects for whom a mean is infinite, as a median may be, make it infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import partial_dependence
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
    >>> table = partial_dependence(model, X, "x0", times=1.0, grid=[-1.0, 0.0, 1.0])
    >>> bool((np.diff(table["value"]) < 0).all())  # survival falls with the first feature
    True
    """
    encoded = encode(model, X)
    names = feature_names(model, encoded.shape[1])
    chosen = _positions(features, names)
    axes = [grid_values(model, encoded, feature, grid, alone=len(chosen) == 1) for feature in chosen]
    evaluate, points = measure_of(model, of, times, cause)
    predicted = []
    for setting in product(*axes):
        values = evaluate(with_values(model, encoded, chosen, setting))
        predicted.append(values if individual else values.mean(axis=0, keepdims=True))
    value = np.stack(predicted)
    _, n, n_points = value.shape
    settings = list(product(*(user_values(model, feature, axis) for feature, axis in zip(chosen, axes, strict=True))))
    columns: dict[str, npt.NDArray[Any]] = {
        column_title(names[feature]): np.repeat(make_column([setting[i] for setting in settings]), n * n_points)
        for i, feature in enumerate(chosen)
    }
    if individual:
        columns["subject"] = np.tile(np.repeat(np.arange(n), n_points), len(settings))
    columns |= {name: np.tile(column, len(settings) * n) for name, column in points.items()}
    return make_table({**columns, "value": value.ravel()})


def with_values(model: Predictor, encoded: Any, chosen: list[int], setting: Any) -> Distribution:
    """The distributions of subjects with other values of the chosen features, for all rows or one for each."""
    fitted, n_threads, sparse = model.model_, count_threads(model.n_jobs), scipy.sparse.issparse(encoded)
    changed = encoded.toarray() if sparse else np.array(encoded)
    changed[:, chosen] = setting
    # Zeros must not be stored where they were not in training.
    scores = fitted.scores(scipy.sparse.csr_matrix(changed) if sparse else changed, n_threads)
    return Distribution(fitted.mixture, scores, fitted.unit, n_threads=n_threads)


def _positions(features: Any, names: tuple[str, ...]) -> list[int]:
    """Positions of one or two features."""
    asked = list(features) if isinstance(features, list | tuple | np.ndarray) else [features]
    positions = [feature_position(one, names, "features") for one in asked]
    if len(set(positions)) != len(positions) or not 1 <= len(positions) <= 2:
        raise ValueError(f"features must be one feature, or two different ones; got {describe(features)}.")
    return positions


def feature_position(feature: Any, names: tuple[str, ...], argument: str) -> int:
    """Position of a feature that the user gave, by name or position, in an argument."""
    if is_whole_number(feature, 0) and feature < len(names):
        return int(feature)
    # An array would be compared with each name element by element.
    if not isinstance(feature, str) or feature not in names:
        known = and_more([repr(name) for name in names[:5]], len(names))
        raise ValueError(
            f"{argument} must be given by name or position among the columns of X, such as {known}; got "
            f"{describe(feature)}."
        )
    return names.index(feature)


def grid_values(
    model: Predictor, encoded: Any, feature: int, grid: Any, *, alone: bool, shares: tuple[float, float] = QUANTILES
) -> Array:
    """Values of a feature, as the trees read them; those of a numeric one are quantiles between two shares."""
    categories = model.model_.schema.categories.get(feature)
    if is_whole_number(grid, 2):
        return np.arange(float(len(categories))) if categories else _quantiles(encoded, feature, int(grid), shares)
    if isinstance(grid, numbers.Number | str) or not alone:
        raise ValueError(
            f"grid must be a whole number from 2 on or, for a single feature, a list of its values; got "
            f"{describe(grid)}."
        )
    if not len(grid):
        raise ValueError("grid must have at least one value; got an empty list.")
    if categories is None:
        return np.ravel(as_numbers(grid, "grid"))
    unknown = [one for one in grid if one not in categories]
    if unknown:
        known = and_more([repr(one) for one in categories[:5]], len(categories))
        raise ValueError(f"grid must be categories of the training data, {known}; got {describe(unknown[0])}.")
    return np.array([float(categories.index(one)) for one in grid])


def _quantiles(encoded: Any, feature: int, count: int, shares: tuple[float, float]) -> Array:
    """Quantiles of the observed values of a feature; all of them if there are no more."""
    values = feature_values(encoded, feature)
    seen = values[~np.isnan(values)]
    if not len(seen):
        raise ValueError("grid must be a list of values for a feature that is missing in every row of X.")
    distinct: Array = np.unique(seen)
    return distinct if len(distinct) <= count else np.unique(np.quantile(seen, np.linspace(*shares, count)))


def feature_values(encoded: Any, feature: int) -> Array:
    """Values of a feature in all rows, as the trees read them."""
    column = encoded[:, [feature]]
    values: Array = (column.toarray() if scipy.sparse.issparse(column) else column).ravel().astype(np.float64)
    return values


def column_title(name: str) -> str:
    """The name of a feature, unless another column of the table has it."""
    return f"feature {name}" if name in OWN_COLUMNS else name


def user_values(model: Predictor, feature: int, axis: Array) -> list[Any]:
    """Values of a feature as the user knows them."""
    categories = model.model_.schema.categories.get(feature)
    return axis.tolist() if categories is None else [categories[int(code)] for code in axis]


def make_column(values: list[Any]) -> npt.NDArray[Any]:
    """A column of numbers, or of anything else."""
    return np.array(values, dtype=None if isinstance(values[0], float) else object)


def measure_of(
    model: Predictor, of: str, times: npt.ArrayLike | None, cause: int | None
) -> tuple[Callable[[Distribution], Array], dict[str, npt.NDArray[Any]]]:
    """A function from distributions to values of shape (n, points), and columns that say what the points are."""
    mixture = model.model_.mixture
    check_of(of, [*CURVES, "median", *mixture.parameter_names, "scale", "w"])
    which = check_cause_of(model, of, cause)
    if of in CURVES:
        points = check_grid(model, of, times)
        return lambda distribution: CURVES[of](distribution, points, which), {"time": points}
    if of == "median":
        return lambda distribution: distribution.quantile(np.array([0.5])), {}
    one = mixture.one_model
    heads: dict[str, npt.NDArray[Any]] = {} if one.n_causes == 1 else {"cause": one.head_causes}
    heads["head"] = np.array(one.head_names, dtype=object)
    return lambda distribution: parameter_columns(distribution)[of].reshape(len(distribution), -1), heads
