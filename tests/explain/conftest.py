"""Fitted models of every kind that explanations have to cope with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from hazboost import FPBoost, Surv

N = 160
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 4))
TIME = RNG.weibull(1.5, N) * np.exp(-0.8 * NUMBERS[:, 0] - 0.8 * (NUMBERS[:, 1] > 0.0) * (NUMBERS[:, 2] > 0.0))
CENSORING = RNG.uniform(0.5, 3.0, N)
Y = Surv.right(CENSORING > TIME, np.minimum(TIME, CENSORING))
CAUSES = Surv.right(np.where(CENSORING > TIME, RNG.integers(1, 3, N), 0), np.minimum(TIME, CENSORING))
WITH_GAPS = np.where(RNG.random(NUMBERS.shape) < 0.1, np.nan, NUMBERS)
TABLE = pd.DataFrame(WITH_GAPS, columns=list("abcd")).assign(
    site=pd.Categorical.from_codes(RNG.integers(0, 4, N), ["north", "east", "south", "west"]),
    sex=pd.Categorical.from_codes(RNG.integers(0, 2, N), ["f", "m"]),
)
FEW = {"n_estimators": 8, "random_state": 0}
PAPER = {"weibull_heads": 2, "loglogistic_heads": 1, "n_estimators": 30, "learning_rate": 0.5, "random_state": 0}

MODELS = {
    "table": lambda: (FPBoost(**FEW).fit(TABLE, Y), TABLE),
    "folds": lambda: (FPBoost(n_folds=3, random_state=0).fit(NUMBERS, Y), NUMBERS),
    "folds of causes": lambda: (
        FPBoost(n_folds=2, init="marginal", learning_rate=0.5, random_state=0).fit(TABLE, CAUSES),
        TABLE,
    ),
    "marginal": lambda: (FPBoost(**FEW, init="marginal").fit(NUMBERS, Y), NUMBERS),
    "sparse": lambda: (FPBoost(**FEW).fit(SPARSE, Y), SPARSE),
    "causes": lambda: (FPBoost(**FEW).fit(TABLE, CAUSES), TABLE),
    "paper": lambda: (FPBoost.paper(**PAPER).fit(NUMBERS, Y), NUMBERS),
    "bent": lambda: (
        FPBoost(**FEW, parameter_activation="softplus", heads_activation="softmax").fit(NUMBERS, Y),
        NUMBERS,
    ),
    "signed": lambda: (FPBoost(**FEW, heads_activation="tanh").fit(NUMBERS, Y), NUMBERS),
    "uniform": lambda: (FPBoost(**FEW, uniform_heads=True).fit(NUMBERS, Y), NUMBERS),
    "monotone": lambda: (FPBoost(**FEW, monotone_constraints={"a": 1}).fit(TABLE, Y), TABLE),
}
SPARSE = scipy.sparse.csr_matrix(np.where(np.abs(NUMBERS) < 0.5, 0.0, NUMBERS))
_FITTED = {}


@pytest.fixture
def fit():
    """``fit(name)``: a model of the registry with its features, fitted once."""

    def fitted(name):
        if name not in _FITTED:
            _FITTED[name] = MODELS[name]()
        return _FITTED[name]

    return fitted
