"""What all metrics accept and refuse."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_val_score

from hazboost import FPBoost, Surv, metrics

EVENT, TIME = np.array([True, False, True, True, False, True]), np.array([1.0, 2.0, 3.0, 4.0, 6.0, 5.0])
RISK = np.array([2.0, 5.0, 3.0, 1.0, 4.0, 0.5])
SURVIVAL = np.linspace(0.9, 0.2, 12).reshape(6, 2)
TIMES = [1.5, 3.5]

#: Every metric as a function of ``y``.
METRICS = {
    "concordance_index": lambda y: metrics.concordance_index(y, RISK),
    "concordance_interval": lambda y: np.array(metrics.concordance_interval(y, RISK)),
    "concordance_difference": lambda y: np.array(metrics.concordance_difference(y, RISK, TIME[::-1])),
    "concordance_index_ipcw": lambda y: metrics.concordance_index_ipcw(y, y, RISK, 5.0),
    "cumulative_dynamic_auc": lambda y: np.append(*metrics.cumulative_dynamic_auc(y, y, RISK, TIMES)),
    "cumulative_dynamic_roc": lambda y: metrics.cumulative_dynamic_roc(y, y, RISK, 3.5).true_positive,
    "brier_score": lambda y: metrics.brier_score(y, y, SURVIVAL, TIMES),
    "integrated_brier_score": lambda y: metrics.integrated_brier_score(y, y, SURVIVAL, TIMES),
    "log_score": lambda y: metrics.log_score(y, y, SURVIVAL, TIMES),
    "integrated_log_score": lambda y: metrics.integrated_log_score(y, y, SURVIVAL, TIMES),
    "d_calibration": lambda y: metrics.d_calibration(y, SURVIVAL[:, 0]).counts,
    "calibration_curve": lambda y: metrics.calibration_curve(y, SURVIVAL[:, 0], 1.5, n_bins=2).observed,
    "residuals": lambda y: metrics.residuals(y, SURVIVAL[:, 0]).martingale,
}
every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)


def test_every_public_metric_is_tested_here():
    assert set(METRICS) == {name for name in metrics.__all__ if name[0].islower()}


@every_metric
def test_every_form_of_y_gives_the_same(metric):
    expected = metric((EVENT, TIME))
    for y in (
        Surv.right(EVENT, TIME),
        Surv.right(EVENT.astype(int), TIME, entry=np.zeros(6)),
        Surv.interval(TIME, np.where(EVENT, TIME, np.inf)),
        Surv.counting(np.zeros(6), TIME, EVENT, id=list("abcdef")),
        pd.DataFrame({"time": TIME, "event": EVENT}),
        pl.DataFrame({"time": TIME, "event": EVENT}),
    ):
        np.testing.assert_array_equal(metric(y), expected)


LABELS = list("abcdef")
#: Every argument that belongs to the rows of ``y``, as a function of that and of ``y``.
BESIDE_Y = {
    "concordance_index": metrics.concordance_index,
    "concordance_index, weights": lambda y, weight: metrics.concordance_index(y, RISK, sample_weight=weight),
    "concordance_interval": metrics.concordance_interval,
    "concordance_difference": lambda y, risk: metrics.concordance_difference(y, risk, RISK),
    "concordance_difference, other": lambda y, other: metrics.concordance_difference(y, RISK, other),
    "concordance_index_ipcw": lambda y, risk: metrics.concordance_index_ipcw(y, y, risk, 5.0),
    "cumulative_dynamic_auc": lambda y, risk: metrics.cumulative_dynamic_auc(y, y, risk, TIMES),
    "cumulative_dynamic_roc": lambda y, risk: metrics.cumulative_dynamic_roc(y, y, risk, 3.5),
    "brier_score": lambda y, estimate: metrics.brier_score(y, y, estimate, 3.5),
    "integrated_brier_score": lambda y, one: metrics.integrated_brier_score(y, y, pd.concat([one, one], axis=1), TIMES),
    "log_score": lambda y, estimate: metrics.log_score(y, y, estimate, 3.5),
    "integrated_log_score": lambda y, one: metrics.integrated_log_score(y, y, pd.concat([one, one], axis=1), TIMES),
    "d_calibration": metrics.d_calibration,
    "calibration_curve": lambda y, estimate: metrics.calibration_curve(y, estimate, 1.5, n_bins=2),
    "residuals": metrics.residuals,
}


@pytest.mark.parametrize("metric", BESIDE_Y.values(), ids=BESIDE_Y)
def test_rows_in_another_order_than_those_of_y_are_refused(metric):
    """By the same rule as in `FPBoost.fit`: labels of pandas must be in the same order, if both have some."""
    y = pd.DataFrame({"time": TIME, "event": EVENT}, index=LABELS)
    values = pd.Series(SURVIVAL[:, 0], index=LABELS)
    metric(y, values)
    metric(y, values.reset_index(drop=True))
    with pytest.raises(ValueError, match=r"^y(_test)? and \w+ have the same row labels .* in a different order"):
        metric(y, values[::-1])
    with pytest.raises(ValueError, match=r"^y(_test)?\[0\] and \w+ have the same row labels"):
        metric((y["event"], y["time"]), values[::-1])
    with pytest.raises(ValueError, match=r"^y(_test)? and \w+ have different index labels"):
        metric(y, values.rename(str.upper))


def test_rows_are_compared_in_every_metric():
    assert {name.partition(",")[0] for name in BESIDE_Y} == set(METRICS)


@every_metric
def test_interval_censored_rows_are_named(metric):
    y = Surv.interval(TIME, np.where(EVENT, TIME + np.array([0, 0, 1, 0, 0, 2]), np.inf))
    with pytest.raises(ValueError, match=r"^y(_train)?: rows 2, 5 are interval-censored; the metrics need exact"):
        metric(y)


@every_metric
def test_several_rows_of_one_subject_are_for_the_concordance_index_and_its_interval_only(metric):
    y = Surv.counting([0, 1, 0, 0, 0, 0], [1, 3, 3, 4, 6, 5], EVENT & (TIME > 1), id=list("aacdef"))
    if metric in [METRICS[name] for name in ("concordance_index", "concordance_interval", "concordance_difference")]:
        assert np.all(np.abs(metric(y)) < 1.0)
    else:
        with pytest.raises(
            ValueError, match=r"rows 0, 1 are of a subject with several rows; .* only concordance_index"
        ):
            metric(y)


Y = (EVENT, TIME)
REFUSALS = {
    "risk of another length": (
        lambda: metrics.concordance_index(Y, RISK[:5]),
        r"risk must have one value for each of the 6.*\(5,\)",
    ),
    "risk in columns": (
        lambda: metrics.concordance_index(Y, SURVIVAL),
        r"risk must have one value for each of the 6.*\(6, 2\)",
    ),
    "NaN risk": (lambda: metrics.concordance_index(Y, np.where(RISK > 4, np.nan, RISK)), r"NaN; got nan \(row 1\)"),
    "text risk": (lambda: metrics.concordance_index(Y, list("abcdef")), "risk must be numeric"),
    "NaN in the other risk": (
        lambda: metrics.concordance_difference(Y, RISK, np.where(RISK > 4, np.nan, RISK)),
        r"other must not be NaN; got nan \(row 1\)",
    ),
    "other risk of another length": (
        lambda: metrics.concordance_difference(Y, RISK, RISK[:5]),
        r"other must have one value for each of the 6.*\(5,\)",
    ),
    "level in percent": (
        lambda: metrics.concordance_interval(Y, RISK, level=95),
        "level must be a number between 0 and 1, such as 0.95; got 95",
    ),
    "level as text": (
        lambda: metrics.concordance_difference(Y, RISK, RISK, level="high"),
        "level must be a number between 0 and 1, such as 0.95; got 'high'",
    ),
    "cause 0": (lambda: metrics.concordance_index(Y, RISK, cause=0), "cause must be a positive whole number.*got 0"),
    "cause True": (lambda: metrics.concordance_index(Y, RISK, cause=True), "cause must be .*got True"),
    "cause as text": (lambda: metrics.concordance_index(Y, RISK, cause="death"), "cause must be .*got 'death'"),
    "columns for other times": (
        lambda: metrics.cumulative_dynamic_auc(Y, Y, SURVIVAL, [1.0, 2.0, 3.0]),
        r"risk must have one value for each of the 6 .*each of the 3 times; got shape \(6, 2\)",
    ),
    "NaN in columns": (lambda: metrics.cumulative_dynamic_auc(Y, Y, SURVIVAL * np.nan, TIMES), "and 9 more"),
    "estimate of another shape": (
        lambda: metrics.brier_score(Y, Y, SURVIVAL.T, TIMES),
        r"estimate must have one row for each of the 6 .*2 times; got shape \(2, 6\)",
    ),
    "percent": (lambda: metrics.brier_score(Y, Y, 100 * SURVIVAL, TIMES), r"between 0 and 1; got 90.0 \(row 0\)"),
    "NaN estimate": (lambda: metrics.log_score(Y, Y, SURVIVAL * np.nan, TIMES), r"between 0 and 1; got nan \(row 0\)"),
    "descending times": (lambda: metrics.brier_score(Y, Y, SURVIVAL, [2.0, 1.0]), "times must be strictly increasing"),
    "repeated times": (lambda: metrics.brier_score(Y, Y, SURVIVAL, [2.0, 2.0]), "times must be strictly increasing"),
    "no times": (lambda: metrics.brier_score(Y, Y, SURVIVAL[:, :0], []), "times must be one time or a list"),
    "negative times": (lambda: metrics.brier_score(Y, Y, SURVIVAL, [-1.0, 1.0]), "times must be finite and non-neg"),
    "several times for a curve": (
        lambda: metrics.calibration_curve(Y, SURVIVAL[:, 0], TIMES),
        "time must be a single time; got 2",
    ),
    "wrong training y": (lambda: metrics.brier_score(TIME, Y, SURVIVAL, TIMES), "^y_train must be"),
    "wrong test y": (lambda: metrics.brier_score(Y, TIME, SURVIVAL, TIMES), "^y_test must be"),
    "wrong y": (lambda: metrics.concordance_index(TIME, RISK), "^y must be"),
}


@pytest.mark.parametrize(("call", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusal_names_the_offender(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_single_precision_is_not_refused():
    assert metrics.brier_score(Y, Y, np.full(6, np.float32(1.0) + np.float32(1e-7)), 1.5)[0] > 0.0


def test_input_is_not_changed():
    y = Surv.right(EVENT, TIME, entry=TIME / 3)
    copies = y.copy(), RISK.copy(), SURVIVAL.copy()
    for metric in METRICS.values():
        metric(y)
    for value, copy in zip((y, RISK, SURVIVAL), copies, strict=True):
        np.testing.assert_array_equal(value, copy)


def test_metrics_are_scorers_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = Surv.right(rng.random(150) < 0.7, rng.exponential(np.exp(-X[:, 0])))
    model = FPBoost(n_estimators=10, init="marginal", random_state=0)
    expected = cross_val_score(model, X, y, cv=3)
    np.testing.assert_allclose(
        cross_val_score(model, X, y, cv=3, scoring=make_scorer(metrics.concordance_index)), expected
    )

    def negative_brier(model, X, y):
        times = np.quantile(y["time"], [0.2, 0.4, 0.6])
        survival = model.predict_survival_function(X, times=times)
        return -metrics.integrated_brier_score(y, y, survival, times)

    scores = cross_val_score(model, X, y, cv=3, scoring=negative_brier)
    assert ((scores < 0.0) & (scores > -0.3)).all()
