"""What a metric loses when the values of a feature are exchanged between subjects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse

from hazboost.data.alignment import check_alignment
from hazboost.data.features import readable
from hazboost.data.frames import column_names, is_table
from hazboost.data.reading import as_target
from hazboost.explain.reading import check_model, encode, feature_names
from hazboost.metrics import brier_score, integrated_brier_score
from hazboost.metrics.checks import as_grid
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.describe import describe
from hazboost.utils.devices import to_host
from hazboost.utils.random_states import as_random_state
from hazboost.utils.tables import make_table
from hazboost.utils.whole_numbers import is_whole_number

#: From a model, features and outcomes to a number that is higher for a better model.
Metric = Callable[[Any, Any, Any], float]
#: Shares of the observed events between which, and number of times at which, the Brier score is computed.
FIRST, LAST, N_TIMES = 0.1, 0.9, 50


def permutation_importance(
    model: Predictor,
    X: Any,
    y: Any,
    metric: Literal["concordance", "brier"] | Metric = "concordance",
    n_repeats: int = 5,
    random_state: Any = None,
    times: npt.ArrayLike | None = None,
) -> Any:
    """What a metric loses when the values of one feature are exchanged at random between the rows.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
        Features, best of subjects that the model was not fitted to.
    y : structured array, DataFrame, or pair of arrays
        Observed outcomes, as in `FPBoost.fit`.
    metric : {"concordance", "brier"} or callable, default="concordance"
        ``"concordance"`` is `FPBoost.score`. ``"brier"`` is minus the integrated Brier score over the times by which
        10 % to 90 % of the observed events have happened, with the censoring of ``y``. A callable gets the model, the
        features and ``y``, and returns a number that is higher for a better model, as scikit-learn's scorers do.
    n_repeats : int, default=5
        Exchanges of each feature.
    random_state : int, RandomState or None
        Seed of the exchanges.
    times : array-like, optional
        Increasing times, with ``metric="brier"`` only: the loss of the Brier score at each of them instead of that of
        its integral. One exchange serves all times.

    Returns
    -------
    DataFrame with the columns feature, mean and sd
        Mean and standard deviation of the loss over the repeats, one row for each feature, in the order of the columns
        of ``X``. With ``times`` there is also a column ``time``, and each feature has a row for each time. Without
        pandas, a structured array with the same names.

    Notes
    -----
    With delayed entry the Brier score is that of predictions given survival until entry.

    Features that say nearly the same stand in for one another, so that each of them loses little. Rows are exchanged
    one by one, also where several belong to one subject.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.explain import permutation_importance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
    >>> table = permutation_importance(model, X, y, random_state=0)
    >>> (table["mean"] > 0.1).tolist()
    [True, False, False]
    """
    check_model(model)
    check_alignment({"X": X, "y": y})
    if not is_whole_number(n_repeats, 1):
        raise ValueError(f"n_repeats must be a positive whole number; got {describe(n_repeats)}.")
    X = readable(X)
    n, width = encode(model, X).shape
    score, rng = _choose(metric, y, times), as_random_state(random_state)
    reference = score(model, X, y)
    losses = np.empty((width, n_repeats, *np.shape(reference)))
    for feature in range(width):
        for repeat in range(n_repeats):
            losses[feature, repeat] = reference - score(model, exchanged(X, feature, rng.permutation(n)), y)
    mean = losses.mean(axis=1)
    spread = losses.std(axis=1, ddof=1) if n_repeats > 1 else np.full(mean.shape, np.nan)
    names = np.array(feature_names(model, width), dtype=object)
    if times is None:
        return make_table({"feature": names, "mean": mean, "sd": spread})
    grid = as_grid(times)
    places = {"feature": np.repeat(names, len(grid)), "time": np.tile(grid, width)}
    return make_table({**places, "mean": mean.ravel(), "sd": spread.ravel()})


def exchanged(X: Any, feature: int, rows: Indices) -> Any:
    """Features from `readable`, with the values of one of them taken from other rows."""
    if is_table(X):
        return _exchanged_in_table(X, column_names(X)[feature], feature, rows)
    if scipy.sparse.issparse(X):
        columns = X.tocsc()
        parts = [columns[:, :feature], columns[:, [feature]].tocsr()[rows], columns[:, feature + 1 :]]
        return scipy.sparse.hstack(parts, format="csr")
    X = X.copy()
    X[:, feature] = X[rows, feature]
    return X


def _exchanged_in_table(X: Any, name: Any, feature: int, rows: Indices) -> Any:
    """The same for pandas, polars and Arrow, whose columns keep their types."""
    if hasattr(X, "iloc"):
        X = X.copy()
        X[name] = X[name].array.take(rows)
        return X
    if hasattr(X, "with_columns"):
        return X.with_columns(X[name][rows])
    return X.set_column(feature, name, X.column(feature).take(rows))


def _choose(metric: Any, y: Any, times: npt.ArrayLike | None) -> Callable[[Any, Any, Any], Any]:
    """The metric of a name, or the one that was given; with times, one that has a value at each of them."""
    if times is not None:
        if not (isinstance(metric, str) and metric == "brier"):
            raise ValueError(
                f"times are for metric='brier' only, whose values at these times are compared; got metric="
                f"{describe(metric)}. Pass metric='brier', or leave times out."
            )
        return partial(_minus_brier, score=brier_score, times=as_grid(times))
    if callable(metric):
        return metric  # type: ignore[no-any-return]
    if metric == "concordance":
        return lambda model, X, y: float(model.score(X, y))
    if metric == "brier":
        return partial(_minus_brier, score=integrated_brier_score, times=_middle_times(y))
    raise ValueError(
        f"metric must be 'concordance', 'brier', or a function of model, X and y that returns a number; got "
        f"{describe(metric)}."
    )


def _minus_brier(model: Any, X: Any, y: Any, *, score: Callable[..., Any], times: Array) -> Any:
    """Minus a Brier score of survival given entry, as it is defined with delayed entry."""
    survival = model.predict_survival_function(X, times=times, alive_at=as_target(y).entry)
    return -score(y, y, to_host(survival), times)


def _middle_times(y: Any) -> Array:
    """Times by which `FIRST` to `LAST` of the observed events have happened."""
    target = as_target(y)
    shares = np.linspace(FIRST, LAST, N_TIMES) if target.has_events else ()
    times = np.unique([target.event_quantile(share) for share in shares])
    if len(times) < 2:
        raise ValueError("y: events at two or more times are needed for metric='brier'; use metric='concordance'.")
    return times
