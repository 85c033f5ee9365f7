"""Cox's proportional hazards with covariates that change over time, of lifelines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.harness.risk_sets import event_times, gain_per_event
from benchmarks.peers.shared.base import Peer, Sample, Task
from hazboost.utils.arrays import Array, Mask

#: Ridge penalties to choose from.
PENALTIES = (0.001, 0.01, 0.1, 1.0)
FOLDS = 3


class TimeVaryingCox(NamedTuple):
    """A fitted `CoxTimeVaryingFitter`, its preprocessing, and the columns that vary in training."""

    model: Any
    encoder: Any
    varying: Any

    def risk(self, X: Any) -> Array:
        """The logarithm of the partial hazard."""
        import pandas as pd  # noqa: PLC0415

        columns = pd.DataFrame(self.encoder.transform(X)).add_prefix("x")
        return np.asarray(self.model.predict_log_partial_hazard(columns[self.varying]), dtype=np.float64)

    def log_hazard(self, X: Any, times: Array) -> Array:
        """The same at every time: the baseline hazard is a constant for each time."""
        return np.repeat(self.risk(X)[:, None], len(times), axis=1)


def fit(task: Task) -> TimeVaryingCox:
    """Fit with the penalty that predicts held-out subjects best."""
    import pandas as pd  # noqa: PLC0415

    train = task.train
    had_event = pd.Series(train.event).groupby(train.groups).max()
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=task.seed).split(had_event.index, had_event))
    gains = [
        np.mean([held_out_gain(train, np.isin(train.groups, had_event.index[inside]), penalty) for inside, _ in folds])
        for penalty in PENALTIES
    ]
    return fit_penalty(train, PENALTIES[int(np.argmax(gains))])


def held_out_gain(sample: Sample, inside: Mask, penalty: float) -> float:
    """Partial log-likelihood of the rows outside; minus infinity where the fit does not converge."""
    from lifelines.exceptions import ConvergenceError  # noqa: PLC0415

    held_out = rows_of(sample, ~inside)
    try:
        model = fit_penalty(rows_of(sample, inside), penalty)
    except ConvergenceError:
        return -np.inf
    log_hazard = model.log_hazard(held_out.X, event_times(held_out.event, held_out.time))
    return gain_per_event(held_out.entry, held_out.time, held_out.event, log_hazard)


def rows_of(sample: Sample, rows: Mask) -> Sample:
    """Some rows of a sample that has entries and groups."""
    parts = {name: getattr(sample, name)[rows] for name in ("event", "time", "groups", "entry")}
    return replace(sample, X=sample.X[rows], **parts)


def fit_penalty(sample: Sample, penalty: float) -> TimeVaryingCox:
    """Fit with one penalty; medians for missing numbers, indicators for categories, all scaled."""
    import pandas as pd  # noqa: PLC0415
    from lifelines import CoxTimeVaryingFitter  # noqa: PLC0415

    columns = make_column_transformer(
        (OneHotEncoder(drop="first", sparse_output=False, handle_unknown="ignore"), make_column_selector("^fac")),
        (SimpleImputer(strategy="median"), make_column_selector("^num")),
    )
    encoder = make_pipeline(columns, StandardScaler())
    encoded = pd.DataFrame(encoder.fit_transform(sample.X)).add_prefix("x")
    varying = encoded.columns[encoded.std() > 0]
    outcome = pd.DataFrame({"id": sample.groups, "event": sample.event, "start": sample.entry, "stop": sample.time})
    model = CoxTimeVaryingFitter(penalizer=penalty).fit(
        outcome.join(encoded[varying]), id_col="id", event_col="event", start_col="start", stop_col="stop"
    )
    return TimeVaryingCox(model, encoder, varying)


PEERS = (Peer("changing", "Cox", fit, ("lifelines",)),)
