"""The ridge Cox regression against scikit-survival and lifelines."""

from __future__ import annotations

import numpy as np
import pandas as pd
from lifelines import CoxPHFitter
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.util import Surv

from hazboost.data.target import Target
from hazboost.report.cox import RIDGES, _RiskSets, fit_cox, learn_design


def make(n=300, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 5.0, 0.1]
    time = rng.exponential(np.exp(-0.8 * X[:, 0] - 0.1 * X[:, 1]))
    censoring = rng.exponential(1.5, n)
    event, time = time <= censoring, np.minimum(time, censoring)
    time = np.ceil(time * 10) / 10 if ties else time
    return X, event, time


def target_of(event, time, entry=None):
    return Target.of(time, np.where(event, time, np.inf), entry=entry)


def test_coefficients_and_baseline_are_those_of_scikit_survival():
    X, event, time = make(ties=True)
    columns = learn_design(X, {}).columns(X)
    sets = _RiskSets(columns, target_of(event, time), event)
    for ridge in (0.5, 20.0):
        peer = CoxPHSurvivalAnalysis(alpha=ridge, ties="breslow", tol=1e-12).fit(columns, Surv.from_arrays(event, time))
        beta = sets.fit(ridge)
        np.testing.assert_allclose(beta, peer.coef_, rtol=1e-5, atol=1e-7)
        curve = peer.predict_cumulative_hazard_function(np.zeros((1, 3)))[0]
        np.testing.assert_allclose(sets.breslow(beta), curve(sets.times), rtol=1e-5)


def test_delayed_entry_is_that_of_lifelines():
    X, event, time = make()
    entry = np.random.default_rng(1).uniform(0.0, 0.3, len(time))
    kept = time > entry + 1e-3
    X, event, time, entry = X[kept], event[kept], time[kept], entry[kept]
    columns = learn_design(X, {}).columns(X)
    table = pd.DataFrame(columns, columns=["a", "b", "c"]).assign(event=event, time=time, entry=entry)
    peer = CoxPHFitter().fit(table, "time", "event", entry_col="entry")
    beta = _RiskSets(columns, target_of(event, time, entry), event).fit(1e-9)
    np.testing.assert_allclose(beta, peer.params_, rtol=1e-4)


def test_missing_values_categories_and_constant_columns_have_columns_of_their_own():
    X, event, time = make()
    X[:, 2] = 7.0
    X[::5, 1] = np.nan
    X = np.column_stack([X, np.random.default_rng(0).integers(3, size=len(X))])
    cox = fit_cox(X, target_of(event, time), event, {3: 3})
    assert len(cox.coefficients) == 3 + 3 + 1
    assert cox.coefficients[2] == 0.0
    assert np.isfinite(cox.log_ratio(X)).all()
    assert cox.coefficients[0] > 0.5


def test_held_out_rows_choose_a_small_ridge_for_strong_effects_and_a_large_one_for_noise():
    X, event, time = make(n=600)
    assert fit_cox(X, target_of(event, time), event, {}).ridge == RIDGES[0]
    rng = np.random.default_rng(1)
    noise, time, event = rng.normal(size=(150, 10)), rng.exponential(size=150), np.ones(150, dtype=bool)
    assert fit_cox(noise, target_of(event, time), event, {}).ridge == RIDGES[-1]
