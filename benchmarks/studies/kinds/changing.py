"""Covariates that change over time: FPBoost against the Cox model of lifelines, on the eight such sets of SurvSet.

Each repeat trains on seven tenths of the subjects, and judges the other three. A model ranks, at every event, the rows
that are at risk then by their hazard at that time; for the Cox model that is the order of its partial hazards. Scores:

- the share of pairs (who has the event, another at risk) in the right order, a concordance index over risk sets;
- the partial log-likelihood of an event, above that of a draw by lot among those at risk:
  ``log h_i(t) / sum_j h_j(t) + log n(t)``;
- the concordance of one number for each row with `hazboost.metrics.concordance_index`: `FPBoost.predict`, or the
  partial hazard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from lifelines import CoxTimeVaryingFitter
from lifelines.exceptions import ConvergenceError
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from SurvSet.data import SurvLoader

from hazboost import FPBoost, Surv, metrics

Array = npt.NDArray[np.float64]
DATASETS = ("heart", "heartvalve", "Rossi", "epileptic", "csl", "aids", "FRTCS", "oldmort")
PENALTIES = (0.001, 0.01, 0.1, 1.0)


class Scores(NamedTuple):
    """Logarithms of the hazard of each row at each time of an event, up to a constant; and one risk for each row."""

    log_hazard: Array
    risk: Array


def load(name: str) -> pd.DataFrame:
    """The rows of a set, with factors as categories, and subjects by number."""
    data = SurvLoader().load_dataset(name)["df"]
    data = data.assign(pid=pd.factorize(data.pid)[0])
    factors = [column for column in data if column.startswith("fac_")]
    return data.astype(dict.fromkeys(factors, "category"))


def features(data: pd.DataFrame) -> pd.DataFrame:
    """The columns that describe a row."""
    return data.filter(regex="^(num|fac)_")


def split(data: pd.DataFrame, repeat: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Seven tenths of the subjects for training, with the same part of subjects with an event."""
    event = data.groupby("pid").event.max()
    chosen, _ = train_test_split(event.index, test_size=0.3, stratify=event, random_state=repeat)
    inside = data.pid.isin(chosen)
    return data[inside], data[~inside]


def fpboost(train: pd.DataFrame, test: pd.DataFrame, times: Array, seed: int) -> Scores:
    """The defaults of this library; rows of a subject stay together because of their ``id``."""
    y = Surv.counting("time", "time2", "event", id="pid", data=train)
    model = FPBoost(random_state=seed).fit(features(train), y)
    hazard = model.predict_hazard_function(features(test), times=times)
    return Scores(np.log(hazard), model.predict(features(test)))


def cox(train: pd.DataFrame, test: pd.DataFrame, times: Array, seed: int) -> Scores:
    """A Cox model with the ridge that predicts held-out subjects best, among four."""
    event = train.groupby("pid").event.max()
    folds = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(event.index, event))
    gains = [
        np.mean([held_out_gain(train, event.index[inside], penalty) for inside, _ in folds]) for penalty in PENALTIES
    ]
    logarithm = fit_cox(train, test, PENALTIES[int(np.argmax(gains))])
    return Scores(np.repeat(logarithm[:, None], len(times), axis=1), logarithm)


def held_out_gain(data: pd.DataFrame, chosen: Any, penalty: float) -> float:
    """Partial log-likelihood of the subjects that were not chosen; the worst where the fit does not converge."""
    inside = data.pid.isin(chosen)
    held_out = data[~inside]
    try:
        logarithm = fit_cox(data[inside], held_out, penalty)
    except ConvergenceError:
        return -np.inf
    return gain_per_event(held_out, np.repeat(logarithm[:, None], len(event_times(held_out)), axis=1))


def fit_cox(train: pd.DataFrame, test: pd.DataFrame, penalty: float) -> Array:
    """Log partial hazards of the test rows; medians for missing numbers, indicators for categories, all scaled."""
    encoder = make_column_transformer(
        (OneHotEncoder(drop="first", sparse_output=False, handle_unknown="ignore"), make_column_selector("^fac")),
        (SimpleImputer(strategy="median"), make_column_selector("^num")),
    )
    encoder = make_pipeline(encoder, StandardScaler())
    columns = pd.DataFrame(encoder.fit_transform(features(train)), index=train.index).add_prefix("x")
    varying = columns.columns[columns.std() > 0]
    outcome = train[["pid", "event", "time", "time2"]]
    model = CoxTimeVaryingFitter(penalizer=penalty).fit(
        outcome.join(columns[varying]), id_col="pid", event_col="event", start_col="time", stop_col="time2"
    )
    new = pd.DataFrame(encoder.transform(features(test)), columns=columns.columns)
    return np.asarray(model.predict_log_partial_hazard(new[varying]), dtype=np.float64)


MODELS: dict[str, Callable[[pd.DataFrame, pd.DataFrame, Array, int], Scores]] = {"FPBoost": fpboost, "Cox": cox}


def event_times(data: pd.DataFrame) -> Array:
    """Distinct times of events, ascending."""
    return np.unique(data.time2[data.event == 1].to_numpy(dtype=np.float64))


def risk_sets(data: pd.DataFrame) -> Iterator[tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]:
    """For each time of events, the rows with an event and those at risk."""
    start, stop, event = data.time.to_numpy(), data.time2.to_numpy(), data.event.to_numpy() == 1
    for time in event_times(data):
        yield event & (stop == time), (start < time) & (time <= stop)


def gain_per_event(data: pd.DataFrame, log_hazard: Array) -> float:
    """Mean partial log-likelihood of an event above that of a draw by lot."""
    total = 0.0
    for column, (with_event, at_risk) in enumerate(risk_sets(data)):
        own = log_hazard[:, column]
        total += (own[with_event] - np.logaddexp.reduce(own[at_risk]) + np.log(at_risk.sum())).sum()
    return float(total / data.event.sum())


def concordance_over_risk_sets(data: pd.DataFrame, log_hazard: Array) -> float:
    """Share of pairs, of who has the event and who is at risk without it, that the hazards at that time order right."""
    right, pairs = 0.0, 0
    for column, (with_event, at_risk) in enumerate(risk_sets(data)):
        own = log_hazard[:, column]
        difference = own[with_event][:, None] - own[at_risk & ~with_event]
        right += (difference > 1e-8).sum() + 0.5 * (np.abs(difference) <= 1e-8).sum()
        pairs += difference.size
    return float(right / pairs)


def measure(dataset: str, model: str, repeat: int) -> dict[str, Any]:
    """Scores of one model on one split."""
    train, test = split(load(dataset), repeat)
    scores = MODELS[model](train, test, event_times(test), repeat)
    y = Surv.counting("time", "time2", "event", id="pid", data=test)
    return {
        "concordance": concordance_over_risk_sets(test, scores.log_hazard),
        "gain": gain_per_event(test, scores.log_hazard),
        "static": metrics.concordance_index(y, scores.risk),
    }
