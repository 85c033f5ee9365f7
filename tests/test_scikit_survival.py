"""scikit-survival's tools accept the estimator; the library itself does not import it."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sksurv.column import encode_categorical
from sksurv.datasets import load_gbsg2, load_veterans_lung_cancer, load_whas500
from sksurv.functions import StepFunction
from sksurv.metrics import (
    as_concordance_index_ipcw_scorer,
    as_cumulative_dynamic_auc_scorer,
    as_integrated_brier_score_scorer,
    brier_score,
    concordance_index_censored,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    integrated_brier_score,
)
from sksurv.nonparametric import kaplan_meier_estimator
from sksurv.preprocessing import OneHotEncoder
from sksurv.util import Surv

from hazboost import FPBoost


def small(**parameters):
    return FPBoost(**{"n_estimators": 15, "init": "marginal", "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def gbsg2():
    X, y = load_gbsg2()
    return X, y


@pytest.fixture(scope="module")
def numeric(gbsg2):
    return encode_categorical(gbsg2[0]).to_numpy(dtype=float), gbsg2[1]


@pytest.fixture(scope="module")
def fitted(numeric):
    X, y = numeric
    return small().fit(X[:400], y[:400])


@pytest.fixture(scope="module")
def times(gbsg2):
    return np.quantile(gbsg2[1]["time"], np.linspace(0.1, 0.8, 10))


def test_the_library_does_not_import_scikit_survival():
    script = "import sys, hazboost; print('sksurv' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "False"


@pytest.mark.parametrize("load", [load_gbsg2, load_veterans_lung_cancer, load_whas500])
def test_packaged_data_sets_with_categories(load):
    X, y = load()
    model = small().fit(X, y)
    assert model.score(X, y) > 0.65
    event, time = y.dtype.names
    risk = -np.log(-model.predict(X))  # times are tied by their ratio
    assert model.score(X, y) == pytest.approx(concordance_index_censored(y[event], y[time], risk)[0])
    np.testing.assert_array_equal(model.unique_times_, np.unique(y[time]))


def test_survival_averages_to_kaplan_meier(gbsg2):
    X, y = gbsg2
    time, expected = kaplan_meier_estimator(y["cens"], y["time"])
    survival = small().fit(X, y).predict_survival_function(X, times=time).mean(axis=0)
    assert np.abs(survival - expected)[time < np.quantile(y["time"], 0.9)].max() < 0.06


def test_surv_makes_the_target(gbsg2, numeric):
    X, y = numeric
    same = Surv.from_arrays(y["cens"], y["time"], name_event="e", name_time="t")
    np.testing.assert_array_equal(small().fit(X, same).predict(X), small().fit(X, y).predict(X))


def test_pipeline_with_its_encoder(gbsg2):
    X, y = gbsg2
    pipeline = make_pipeline(OneHotEncoder(), small()).fit(X, y)
    assert pipeline.score(X, y) > 0.65
    assert "horTh=yes" in pipeline[-1].feature_names_in_
    assert pipeline.predict_survival_function(X[:2])[0](0.0) == 1.0


def test_cross_validation_in_a_pipeline(gbsg2):
    X, y = gbsg2
    scores = cross_val_score(make_pipeline(OneHotEncoder(), small()), X, y, cv=KFold(3, shuffle=True, random_state=0))
    assert (scores > 0.6).all()


def test_grid_search_over_heads_in_a_pipeline(gbsg2):
    X, y = gbsg2
    grid = {"fpboost__weibull_heads": [0, 2], "fpboost__loglogistic_heads": [1, 3]}
    search = GridSearchCV(make_pipeline(OneHotEncoder(), small(n_estimators=3)), grid, cv=2).fit(X, y)
    best, model = search.best_params_, search.best_estimator_[-1]
    heads = model.predict_parameters(search.best_estimator_[:-1].transform(X[:1]))["head"].str.split("_").str[0]
    assert (heads == "weibull").sum() == best["fpboost__weibull_heads"]
    assert (heads == "loglogistic").sum() == best["fpboost__loglogistic_heads"]
    assert search.score(X, y) == search.best_estimator_.score(X, y)


def test_concordance_ipcw_scorer(fitted, numeric, times):
    X, y = numeric
    scorer = as_concordance_index_ipcw_scorer(small(), tau=times[-1]).fit(X[:400], y[:400])
    expected = concordance_index_ipcw(y[:400], y[400:], fitted.predict(X[400:]), tau=times[-1])[0]
    assert scorer.score(X[400:], y[400:]) == pytest.approx(expected)
    assert expected > 0.6


def test_integrated_brier_score_scorer(fitted, numeric, times):
    X, y = numeric
    scorer = as_integrated_brier_score_scorer(small(), times=times).fit(X[:400], y[:400])
    expected = integrated_brier_score(y[:400], y[400:], fitted.predict_survival_function(X[400:], times=times), times)
    assert -scorer.score(X[400:], y[400:]) == pytest.approx(expected)
    assert expected < 0.22


def test_cumulative_dynamic_auc_scorer(fitted, numeric, times):
    X, y = numeric
    scorer = as_cumulative_dynamic_auc_scorer(small(), times=times).fit(X[:400], y[:400])
    expected = cumulative_dynamic_auc(y[:400], y[400:], fitted.predict(X[400:]), times)[1]
    assert scorer.score(X[400:], y[400:]) == pytest.approx(expected)
    assert expected > 0.6


@pytest.mark.parametrize(
    "make",
    [as_concordance_index_ipcw_scorer, as_integrated_brier_score_scorer, as_cumulative_dynamic_auc_scorer],
)
def test_scorers_in_a_grid_search(make, numeric, times):
    X, y = numeric
    arguments = {"tau": times[-1]} if make is as_concordance_index_ipcw_scorer else {"times": times}
    search = GridSearchCV(
        make(small(n_estimators=3), **arguments),
        {"estimator__weibull_heads": [1, 2]},
        cv=KFold(2, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    heads = search.best_estimator_.estimator_.predict_parameters(X[:1])["head"]
    assert len(heads) == 1 + search.best_params_["estimator__weibull_heads"]


def test_brier_score_of_curves_and_of_matrices(fitted, numeric, times):
    X, y = numeric
    curves = np.stack([curve(times) for curve in fitted.predict_survival_function(X[400:])])
    matrix = fitted.predict_survival_function(X[400:], return_array=True)
    columns = np.searchsorted(fitted.unique_times_, times)
    on_grid = fitted.unique_times_[columns]
    np.testing.assert_array_equal(
        brier_score(y[:400], y[400:], matrix[:, columns], on_grid)[1],
        brier_score(y[:400], y[400:], fitted.predict_survival_function(X[400:], times=on_grid), on_grid)[1],
    )
    assert integrated_brier_score(y[:400], y[400:], curves, times) < 0.22


def test_curves_can_be_used_like_step_functions(fitted, numeric):
    X, _ = numeric
    for curve in fitted.predict_survival_function(X[:3]):
        step = StepFunction(curve.x, curve.y)
        inside = fitted.unique_times_
        np.testing.assert_array_equal(step(inside), curve(inside))
        assert curve.domain[0] <= step.domain[0]
        assert curve.domain[1] >= step.domain[1]
        assert curve.x.shape == curve.y.shape
        between = 0.5 * (inside[1:] + inside[:-1])
        assert (curve(between) <= step(between)).all(), "the step waits until the next time"
        assert curve(10.0 * inside[-1]) < step(inside[-1])


def test_times_that_no_step_function_would_take(fitted, numeric):
    """Beyond the training range and at time zero."""
    X, _ = numeric
    survival = fitted.predict_survival_function(X[:5], times=[0.0, 1e-6, 1e6])
    assert (survival[:, 0] == 1.0).all()
    assert (survival[:, 2] < survival[:, 1]).all()


def test_a_structured_target_with_any_field_names(numeric):
    X, y = numeric
    renamed = y.astype([("b", bool), ("a", np.float64)])
    np.testing.assert_array_equal(small().fit(X, renamed).predict(X), small().fit(X, y).predict(X))
    assert small().fit(X, y).score(X, renamed) == small().fit(X, renamed).score(X, y)
