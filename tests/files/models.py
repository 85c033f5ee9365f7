"""Small models of every kind that a file must be able to hold."""

from __future__ import annotations

import datetime as dt
import hashlib
import warnings
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from hazboost import FPBoost, Surv
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads import HEADS
from hazboost.training.starts import STARTS

ROWS = 90
TIMES = [0.0, 0.1, 0.5, 1.0, 3.0]
FAST = {"n_estimators": 3, "n_folds": 2, "random_state": 0}

#: With which trees help, so that the models of the folds are averaged.
SEVERAL = {"n_estimators": "auto", "init": "marginal", "learning_rate": 0.5}


@dataclass(frozen=True)
class Case:
    """Features, outcomes and parameters of a model."""

    features: str = "array"
    causes: int = 1
    parameters: dict[str, Any] = field(default_factory=dict)
    paper: bool = False
    outcome: str = "right"


def numbers():
    """Features of which the last is skewed."""
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    X[:, 2] = np.exp(2.0 * X[:, 2])
    return X


FEATURES = {
    "array": lambda X: X,
    "missing": lambda X: np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X),
    "sparse": lambda X: csr_matrix(np.where(X > 0.3, X, 0.0)),
    "float32": lambda X: X.astype(np.float32),
    "by column": np.asfortranarray,
    "table": lambda X: pd.DataFrame(X, columns=["age", "Größe", "a[0]<b"]),
    "numbered table": pd.DataFrame,
}


def features(kind):
    """Features of some kind, which may be that of their categories."""
    return FEATURES[kind](numbers()) if kind in FEATURES else categorical(numbers(), kind)


def categorical(X, kind):
    """A table with categories of one type, and another column with two levels."""
    codes = np.random.default_rng(2).integers(0, 4, len(X))
    levels = {
        "text": ["no", "yes", "ü", "?"],
        "whole": [10, 20, 30, 2**60],
        "real": [0.1, 0.2, 0.5, 1e300],
        "boolean": [True, False, True, False],
        "dates": [dt.date(2020, 1, day) for day in (1, 2, 3, 4)],
        "timestamps": list(pd.date_range("2020-01-01", periods=4, freq="7h")),
        "intervals": list(pd.interval_range(0.0, 1.0, 4, closed="left")),
    }[kind]
    column = pd.Series([levels[code] for code in codes], dtype=object).astype("category")
    column[::7] = np.nan
    two = pd.Series(np.where(codes > 1, "a", "b")).astype("category")
    return pd.DataFrame({"x": X[:, 0], "kind": column, "two": two, "z": X[:, 2]})


def outcome(case):
    rng = np.random.default_rng(3)
    X = numbers()
    time = rng.weibull(1.3, ROWS) * np.exp(-0.5 * X[:, 0] - np.abs(X[:, 1])) + 0.01
    if case.outcome == "interval":
        return Surv.interval(np.floor(4.0 * time) / 4.0, np.floor(4.0 * time) / 4.0 + 0.25)
    if case.outcome == "accelerated":
        early = rng.random(ROWS) < 0.5  # two peaks, which the first feature moves
        return Surv.right(rng.random(ROWS) < 0.9, np.exp(0.1 * rng.logistic(size=ROWS) - X[:, 0] - 1.5 * early))
    return Surv.right(rng.integers(1, case.causes + 1, ROWS) * (rng.random(ROWS) < 0.8), time)


CASES = {
    "defaults": Case(parameters={"n_estimators": "auto", "n_folds": 3}),
    "several models of two causes": Case(causes=2, parameters=SEVERAL),
    "several models, rising": Case(parameters={**SEVERAL, "monotone_constraints": [1, 0, 0]}),
    "names": Case("table"),
    "numbered columns": Case("numbered table"),
    "missing values": Case("missing"),
    "single precision": Case("float32"),
    "features by column": Case("by column"),
    "sparse": Case("sparse"),
    "sparse, marginal": Case("sparse", parameters={"init": "marginal"}),
    "competing causes": Case(causes=3),
    "a cause without events": Case(causes=2, parameters={"n_causes": 3}),
    "intervals": Case(outcome="interval"),
    "features that act on time": Case(outcome="accelerated"),
    "every family": Case(parameters={"heads": dict.fromkeys(sorted(set(HEADS) - {"weibull", "loglogistic"}), 1)}),
    "uniform": Case(parameters={"uniform_heads": True}),
    "rising": Case(parameters={"monotone_constraints": [1, 0, -1]}),
    "all constrained": Case(parameters={"monotone_constraints": (1, 1, -1), "init": "marginal"}),
    "constraints by name": Case("table", parameters={"monotone_constraints": {"age": 1}, "max_depth": 3}),
    "constraints as array": Case(parameters={"monotone_constraints": np.array([0, 1, 0])}),
    "groups": Case(parameters={"interaction_constraints": [(0, 1), [2]]}),
    "early stopping": Case(parameters={"patience": 2, "n_estimators": 6}),
    "generator": Case(parameters={"random_state": np.random.RandomState(3), "subsample": 0.5}),
    "numbers of NumPy": Case(parameters={"reg_lambda": np.float32(0.5), "max_depth": np.int64(3)}),
    "exact": Case("missing", parameters={"tree_method": "exact"}),
    "approximate": Case(parameters={"tree_method": "approx"}),
    "paper": Case(paper=True),
    "paper, many": Case(paper=True, causes=2, parameters={"weibull_heads": 2, "max_depth": 3}),
    **{f"start {name}": Case(parameters={"init": name}) for name in STARTS},
    **{f"weights {name}": Case(parameters={"heads_activation": name}) for name in WEIGHT_ACTIVATIONS},
    **{f"parameters {name}": Case(parameters={"parameter_activation": name}) for name in PARAMETER_ACTIVATIONS},
    **{
        f"categories, {kind}": Case(kind)
        for kind in ("text", "whole", "real", "boolean", "dates", "timestamps", "intervals")
    },
}


@cache
def fitted(name):
    """The model of a case."""
    case = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make = FPBoost.paper if case.paper else FPBoost
        return make(**{**FAST, **case.parameters}).fit(features(case.features), outcome(case))


def predictions(model, case):
    """Everything that the model predicts for its training features, as arrays and a table."""
    X = features(case.features)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays = [
            model.predict(X),
            model.predict_survival_function(X, times=TIMES),
            model.predict_hazard_function(X, return_array=True),
            model.predict_median(X),
            *(model.predict(X, cause=cause) for cause in model.causes_ if len(model.causes_) > 1),
        ]
        return [np.asarray(one) for one in arrays], model.predict_parameters(X)


def digest(model, case):
    """A checksum of everything that the model predicts."""
    arrays, table = predictions(model, case)
    return hashlib.sha256(b"".join(one.tobytes() for one in arrays) + table.to_csv().encode()).hexdigest()
