"""scikit-survival's tools accept the estimator; the library itself does not import it."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sksurv.column import encode_categorical
from sksurv.datasets import load_gbsg2, load_veterans_lung_cancer, load_whas500
from sksurv.functions import StepFunction
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.meta import EnsembleSelection, Stacking
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
from sksurv.testing import assert_chf_properties, assert_survival_function_properties
from sksurv.util import Surv

from hazboost import FPBoost


def small(**parameters):
    """Some rounds from the start without features, with two heads: nothing is chosen."""
    return FPBoost(**{"n_estimators": 15, "init": "marginal", "heads": None, "random_state": 0, **parameters})


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


def test_the_library_does_not_import_scikit_survival(packages_imported):
    assert "hazboost" in packages_imported
    assert "sksurv" not in packages_imported


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


# What scikit-survival tests of each of its own estimators. Three of its expectations are not ours, as they are those of
# step functions or of its classes: S = 1 until the first training time, an error after the last, its own base class.


@pytest.fixture(scope="module")
def whas500():
    """A hundred patients, with all features as numbers, as a pandas and as a polars frame."""
    X, y = load_whas500()
    frame = encode_categorical(X).astype(float).iloc[:100]
    return frame, pl.DataFrame({name: column.tolist() for name, column in frame.items()}), y[:100]


def test_survival_functions_have_the_properties_that_it_asserts():
    """One of them is that most subjects do not survive the last time, which is so in these data."""
    X, y = load_veterans_lung_cancer()
    frame = encode_categorical(X).astype(float)
    model = small(n_estimators=30).fit(frame, y)
    assert_survival_function_properties(model.predict_survival_function(frame, return_array=True))
    assert_chf_properties(model.predict_cumulative_hazard_function(frame, return_array=True))


@pytest.mark.parametrize("function", ["survival", "cumulative_hazard"])
def test_an_array_has_the_values_of_the_functions_at_the_unique_times(function, whas500):
    frame, _, y = whas500
    model = small().fit(frame[30:], y[30:])
    predict = getattr(model, f"predict_{function}_function")
    curves = np.vstack([curve(model.unique_times_) for curve in predict(frame[:30])])
    np.testing.assert_allclose(curves, predict(frame[:30], return_array=True), rtol=1e-12)


def test_functions_are_defined_before_within_and_beyond_the_follow_up(whas500):
    """At half of the first time nearly all are event-free; a step function would say all."""
    frame, _, y = whas500
    model = small().fit(frame, y)
    times = y["lenfol"].min() / 2.0, np.median(y["lenfol"]), y["lenfol"].max(), y["lenfol"].max() + 1.0
    for survival, hazard in zip(
        model.predict_survival_function(frame), model.predict_cumulative_hazard_function(frame), strict=True
    ):
        values = [survival(time) for time in times]
        assert all(isinstance(value, float) for value in values)
        assert 1.0 >= values[0] > values[1] > values[2] > values[3] >= 0.0
        np.testing.assert_allclose([hazard(time) for time in times], -np.log(values), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("time", [-1e-8, -1.0, np.finfo(float).min])
def test_negative_times_are_refused(time):
    y = Surv.from_arrays(event=np.ones(7, dtype=bool), time=[1.0, 9.0, 3.0, time, 1.0, 8.0, 1e10])
    with pytest.raises(ValueError, match=r"every time must be non-negative; got .* \(row 3\)"):
        FPBoost().fit(np.random.default_rng(0).normal(size=(7, 3)), y)


def test_names_of_features_are_learned_and_compared(whas500):
    frame, _, y = whas500
    model = small().fit(frame, y)
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns, strict=True)
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        model.predict(frame[frame.columns[::-1]])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but FPBoost was fitted with"):
        unnamed = model.predict(frame.to_numpy())
    np.testing.assert_array_equal(unnamed, model.predict(frame))
    with pytest.warns(UserWarning, match="X has feature names, but FPBoost was fitted without feature names"):
        small().fit(frame.to_numpy(), y).predict(frame)


def test_polars_and_pandas_give_the_same(whas500):
    frame, same, y = whas500
    model, other = small().fit(frame, y), small().fit(same, y)
    np.testing.assert_array_equal(model.feature_names_in_, other.feature_names_in_, strict=True)
    np.testing.assert_array_equal(model.predict(frame), other.predict(same), strict=True)
    assert model.predict(frame).shape == y.shape
    assert model.score(frame, y) == other.score(same, y)
    for name in ("predict_survival_function", "predict_cumulative_hazard_function"):
        for curve, of_polars in zip(getattr(model, name)(frame[:10]), getattr(other, name)(same[:10]), strict=True):
            np.testing.assert_array_equal(curve.x, of_polars.x, strict=True)
            np.testing.assert_array_equal(curve.y, of_polars.y, strict=True)


def test_lazy_frames_are_refused(whas500):
    _, same, y = whas500
    with pytest.raises(TypeError, match=r"polars\.LazyFrame is not supported"):
        small().fit(same.lazy(), y)
    with pytest.raises(TypeError, match=r"polars\.LazyFrame is not supported"):
        small().fit(same, y).predict(same.lazy())


def test_polars_in_cross_validation_and_grid_searches(whas500):
    frame, same, y = whas500
    scores, of_polars = (cross_val_score(small(n_estimators=3), X, y, cv=KFold(3)) for X in (frame, same))
    np.testing.assert_array_equal(scores, of_polars)
    grid = {"max_depth": [1, 2]}
    search, of_polars = (GridSearchCV(small(n_estimators=3), grid, cv=2).fit(X, y) for X in (frame, same))
    assert search.best_params_ == of_polars.best_params_


def test_stacking(whas500):
    """As a base estimator, and as the one that combines the others."""
    X, y = whas500[0].to_numpy(), whas500[2]
    base = [("boosted", small()), ("linear", CoxPHSurvivalAnalysis(alpha=1.0))]
    risks = np.column_stack([clone(model).fit(X, y).predict(X) for _, model in base])
    for last in (CoxPHSurvivalAnalysis(alpha=1.0), small()):
        stack = Stacking(last, base, probabilities=False).fit(X, y)
        np.testing.assert_allclose(stack.predict(X), clone(last).fit(risks, y).predict(risks))


def test_ensemble_selection(whas500):
    frame, _, y = whas500

    def concordance(model, X, y):
        return concordance_index_censored(y["fstat"], y["lenfol"], model.predict(X))[0]

    base = [("one", small(max_depth=1)), ("two", small(max_depth=2))]
    ensemble = EnsembleSelection(base, scorer=concordance, cv=KFold(3), n_estimators=1).fit(frame.to_numpy(), y)
    assert concordance(ensemble, frame.to_numpy(), y) > 0.7
