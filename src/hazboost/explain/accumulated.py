"""How predictions change with one feature among subjects who are like that: accumulated local effects."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.explain.dependence import (
    column_title,
    feature_position,
    feature_values,
    grid_values,
    make_column,
    measure_of,
    user_values,
    with_values,
)
from hazboost.explain.reading import encode, feature_names
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.describe import describe
from hazboost.utils.tables import make_table
from hazboost.utils.whole_numbers import is_whole_number

#: Quantiles that are the first and the last value of a numeric feature, so that each subject is in an interval.
EVERYBODY = (0.0, 1.0)


def accumulated_effects(
    model: Predictor,
    X: Any,
    feature: str | int,
    of: str = "survival",
    times: npt.ArrayLike | None = None,
    cause: int | None = None,
    grid: Any = 20,
) -> Any:
    r"""Changes of the prediction with one feature, each among the subjects near its value, added up.

    .. math:: A(z_k) = \sum_{j \le k} \frac1{n_j} \sum_{z_{j-1} \le x_i \le z_j}
              \bigl[F(x_i \text{ with } z_j) - F(x_i \text{ with } z_{j-1})\bigr] - c

    with :math:`c` such that the mean over subjects, interpolated between the values, is zero. Subjects are moved to
    the ends of their own interval only, so that no combinations of features arise that nobody has: unlike
    `partial_dependence`, this can be read where features go together.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
        Subjects whose predictions are compared. Those without a value of the feature, or with one outside of
        ``grid``, are left out.
    feature : str or int
        A feature by name, or by position.
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
        Number of values of a numeric feature, quantiles from the smallest to the largest; all values if there are no
        more. Or the values themselves. Categories have no order: list them in the one in which effects are added up.

    Returns
    -------
    DataFrame with a column for the feature, time, and value
        ``value`` is the difference to the mean. ``time`` for functions of time only. For a parameter also head and,
        with several causes, cause. A feature of such a name, say time, is called ``feature time``. Without pandas, a
        structured array with the same names.

    Notes
    -----
    Intervals are closed: a subject at a value between two intervals counts in both. Where every value of the feature is
    in the grid, as with categories, the effect between two neighbouring values is the mean over those who have either.

    References
    ----------
    Apley, Zhu, 2020, Visualizing the effects of predictor variables in black box supervised learning models.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import accumulated_effects
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
    >>> table = accumulated_effects(model, X, "x0", times=1.0, grid=[-1.0, 0.0, 1.0])
    >>> bool((np.diff(table["value"]) < 0).all())  # survival falls with the first feature
    True
    """
    encoded = encode(model, X)
    names = feature_names(model, encoded.shape[1])
    chosen = feature_position(feature, names, "feature")
    axis = _axis(model, encoded, chosen, grid)
    evaluate, points = measure_of(model, of, times, cause)
    ordered = chosen not in model.model_.schema.categories
    places = _places(feature_values(encoded, chosen), axis.astype(encoded.dtype), ordered=ordered)
    labels = user_values(model, chosen, axis)
    rows, steps = _members(places, labels)
    near = encoded[rows]
    low, high = (evaluate(with_values(model, near, [chosen], axis[ends, None])) for ends in (steps, steps + 1))
    _refuse_infinite(low, high, rows, of)
    counts = np.bincount(steps)
    changes = np.array([np.bincount(steps, one) / counts for one in (high - low).T])
    effects = np.array([_centred(np.concatenate([[0.0], np.cumsum(one)]), places) for one in changes])
    columns = {column_title(names[chosen]): np.repeat(make_column(labels), len(effects))}
    columns |= {name: np.tile(column, len(axis)) for name, column in points.items()}
    return make_table({**columns, "value": effects.T.ravel()})


def _axis(model: Predictor, encoded: Any, feature: int, grid: Any) -> Array:
    """Values between which effects are measured, as the trees read them, in order."""
    categories = model.model_.schema.categories.get(feature)
    if categories is not None and is_whole_number(grid, 2):
        raise ValueError(
            f"grid must list the categories in the order in which effects are added up, because categories have none; "
            f"they are {describe(categories)}."
        )
    axis = grid_values(model, encoded, feature, grid, alone=True, shares=EVERYBODY)
    as_stored = axis.astype(encoded.dtype)  # perhaps in single precision, in which they have to differ
    if is_whole_number(grid, 2):
        axis = as_stored = np.unique(as_stored)
    steps = np.diff(as_stored if categories is None else np.sort(as_stored))
    if not len(steps) or not (steps > 0.0).all():  # nor if a value is missing
        wanted = "increasing values" if categories is None else "different categories"
        got = describe(user_values(model, feature, axis))
        raise ValueError(f"grid must have two or more {wanted} of the feature; got {got}.")
    return axis


def _places(values: Array, axis: npt.NDArray[Any], *, ordered: bool) -> Array:
    """Where subjects are on the axis, counted in steps from its first value; NaN outside of it."""
    numbers = np.arange(float(len(axis)))
    if ordered:
        return np.asarray(np.interp(values, axis, numbers, left=np.nan, right=np.nan))
    places = np.full(len(values), np.nan)
    for number, code in zip(numbers, axis, strict=True):
        places[values == code] = number
    return places


def _members(places: Array, labels: list[Any]) -> tuple[Indices, Indices]:
    """Rows of the subjects in each closed interval, and the numbers of the intervals; a subject may be in two."""
    known = np.flatnonzero(~np.isnan(places))
    last = len(labels) - 2
    above = np.minimum(np.floor(places[known]), last).astype(np.intp)
    below = np.maximum(np.ceil(places[known]) - 1.0, 0.0).astype(np.intp)
    twice = above != below
    rows, steps = np.concatenate([known, known[twice]]), np.concatenate([above, below[twice]])
    empty = np.flatnonzero(np.bincount(steps, minlength=last + 1) == 0)
    if len(empty):
        low, high = (describe(labels[int(empty[0]) + end]) for end in (0, 1))
        raise ValueError(f"grid: no row of X has a value from {low} to {high}; leave one of them out.")
    return rows, steps


def _refuse_infinite(low: Array, high: Array, rows: Indices, of: str) -> None:
    """Refuse predictions that have no difference."""
    infinite = ~(np.isfinite(low) & np.isfinite(high)).all(axis=1)
    if infinite.any():
        raise ValueError(
            f"of={of!r} is infinite for row {rows[infinite].min()} of X, and has no differences to add up; use "
            "of='rmst', which is finite."
        )


def _centred(effects: Array, places: Array) -> Array:
    """Effects less their mean over subjects, whose effects are interpolated."""
    known = places[~np.isnan(places)]
    return effects - float(np.interp(known, np.arange(len(effects)), effects).mean())
