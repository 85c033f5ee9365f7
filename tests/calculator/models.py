"""Models of every kind that a calculator has to reproduce, and rows for them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.base import clone

from hazboost import FPBoost, Surv


def numbers(n, seed):
    """Numbers: skewed, whole, with few values, of tiny and of large size."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": np.clip(rng.normal(58.0, 11.0, n), 21, 90).round(),
            "size": rng.lognormal(3.0, 0.6, n),
            "nodes": rng.poisson(3.0, n),
            "treated": rng.integers(0, 2, n),
            "tiny": rng.normal(0.0, 1e-6, n),
            "income": rng.lognormal(10.0, 1.0, n),
        }
    )


def categories(n, seed):
    """Categories and numbers, some of each missing."""
    rng = np.random.default_rng(seed)
    X = numbers(n, seed)
    X["grade"] = pd.Categorical(rng.choice(["low", "middle", "high"], n), ["low", "middle", "high"])
    X["hospital"] = pd.Categorical(rng.choice([f"H{i}" for i in range(9)], n))
    X["sex"] = pd.Categorical(rng.choice(["f", "m"], n))
    for name in ("age", "size", "grade", "hospital", "sex"):
        X[name] = X[name].where(rng.random(n) > 0.15)
    return X


def risk(X):
    """The logarithm of the hazard, as far as there is one."""
    risk = 0.03 * (X["age"].fillna(58.0) - 58.0) + 0.4 * np.log(X["size"].fillna(20.0) / 20.0) - 0.5 * X["treated"]
    if "grade" in X:
        risk = risk + 0.8 * (X["grade"] == "high") + 0.3 * X["hospital"].isin(["H1", "H2"])
    return (risk + 0.15 * X["nodes"] - 0.5).to_numpy()


def single(X, seed):
    """Times in days to one kind of event."""
    rng = np.random.default_rng(seed + 1)
    time = 1500.0 * rng.weibull(1.3, len(X)) * np.exp(-risk(X) / 1.3)
    end = rng.uniform(300.0, 3000.0, len(X))
    return Surv.right(time <= end, np.minimum(time, end) + 0.5)


def curved(X, seed):
    """Times in days, of which a regression knows little: the young and the old are at risk."""
    rng = np.random.default_rng(seed + 1)
    time = 1500.0 * rng.weibull(1.3, len(X)) * np.exp(-2.0 * (np.abs(X["age"] - 58.0) > 8.0))
    return Surv.right(np.ones(len(X), dtype=bool), time + 0.5)


def competing(X, seed):
    """Times in years to events of two causes."""
    rng = np.random.default_rng(seed + 1)
    first = 5.0 * rng.weibull(0.8, len(X)) * np.exp(-risk(X))
    second = 9.0 * rng.weibull(2.5, len(X)) * np.exp(-0.02 * (X["age"].fillna(58.0).to_numpy() - 58.0))
    end = rng.uniform(1.0, 12.0, len(X))
    time = np.minimum(np.minimum(first, second), end)
    return Surv.right(np.select([time == end, time == first], [0, 1], 2), np.maximum(time, 1e-3))


def accelerated(X, seed):
    """Times in days with two peaks, which features bring forward or put off."""
    rng = np.random.default_rng(seed + 1)
    early = rng.random(len(X)) < 0.5
    time = 1500.0 * np.exp(0.1 * rng.logistic(size=len(X)) - risk(X) - 1.5 * early)
    end = rng.uniform(300.0, 3000.0, len(X))
    return Surv.right(time <= end, np.minimum(time, end) + 0.5)


#: The models of the acceptance test: how to fit them, and how to make rows.
MODELS = {
    "numbers": (FPBoost(random_state=0), numbers, single),
    "categories": (FPBoost(random_state=0), categories, single),
    "competing": (FPBoost(random_state=0), categories, competing),
    "accelerated": (FPBoost(random_state=0), categories, accelerated),
    "paper": (FPBoost.paper(n_estimators=50, max_depth=3, random_state=0), numbers, single),
}


def fit(name, n=400, **parameters):
    """One of the models, with some parameters changed."""
    model, make, outcome = MODELS[name]
    X = make(n, 0)
    return clone(model).set_params(**parameters).fit(X, outcome(X, 0))


def rows(name, n):
    """Rows for one of them: like those of the training, and further away."""
    X = MODELS[name][1](n, 7)
    far = np.random.default_rng(8).random(n) < 0.1
    for column in ("age", "size", "income"):
        X[column] = X[column].where(~far, X[column] * 3.0)
    return X
