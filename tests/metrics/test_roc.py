"""The ROC curve at a time against its definition, and against the AUC."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_curve

from hazboost.metrics import cumulative_dynamic_auc, cumulative_dynamic_roc


@pytest.mark.parametrize("cause", [None, 1])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore:.*is not defined")
def test_points_are_shares_of_cases_and_controls_and_their_area_is_the_auc(examples, definitions, as_y, cause, data):
    train, test, risk, (t, *_) = data.draw(examples)
    causes = (1, 2) if cause is None else (cause,)
    curve = cumulative_dynamic_roc(as_y(train), as_y(test), risk, t, cause=cause)
    (auc,), _ = cumulative_dynamic_auc(as_y(train), as_y(test), risk, [t], cause=cause)
    np.testing.assert_array_equal(curve.auc, auc)
    np.testing.assert_allclose(trapezoid(curve.true_positive, curve.false_positive), auc, rtol=0.0, atol=1e-12)
    of_cases, of_controls = np.zeros(len(test)), np.zeros(len(test))
    for i, (event, time, entry) in enumerate(test):
        weight = 1.0 / definitions(train).under_observation(min(time, t))
        if time <= t and event > 0:
            (of_cases if event in causes else of_controls)[i] = weight
        elif time > t and (entry < t or entry == 0):
            of_controls[i] = weight
    assert curve.threshold.tolist() == [np.inf, *np.unique(risk)[::-1]]
    for share, weight in ((curve.true_positive, of_cases), (curve.false_positive, of_controls)):
        expected = [weight[risk >= c].sum() / weight.sum() if weight.any() else np.nan for c in curve.threshold]
        np.testing.assert_allclose(share, expected, rtol=1e-10)


def test_without_censoring_the_curve_is_that_of_a_classifier():
    rng = np.random.default_rng(0)
    risk = rng.normal(size=500).round(1)
    time = rng.exponential(np.exp(-risk))
    y = np.ones(500, dtype=bool), time
    false_positive, true_positive, threshold = roc_curve(time <= 0.7, risk, drop_intermediate=False)
    curve = cumulative_dynamic_roc(y, y, risk, 0.7)
    np.testing.assert_allclose(curve.false_positive, false_positive)
    np.testing.assert_allclose(curve.true_positive, true_positive)
    np.testing.assert_array_equal(curve.threshold, threshold)


def test_risks_closer_than_1e_8_are_one_threshold():
    y = ([True, True, False, False], [1.0, 2.0, 3.0, 4.0])
    curve = cumulative_dynamic_roc(y, y, [0.5, 0.2, 0.5 + 1e-9, 0.1], 2.5)
    np.testing.assert_array_equal(curve.threshold, [np.inf, 0.5, 0.2, 0.1])
    np.testing.assert_array_equal(curve.true_positive, [0.0, 0.5, 1.0, 1.0])
    np.testing.assert_array_equal(curve.false_positive, [0.0, 0.5, 0.5, 1.0])
    assert curve.auc == trapezoid(curve.true_positive, curve.false_positive) == 0.625


def test_dense_risks_have_nearly_the_area_of_the_auc():
    rng = np.random.default_rng(0)
    risk = rng.random(2000)
    y = np.ones(2000, dtype=bool), rng.exponential(np.exp(-2.0 * risk))
    curve = cumulative_dynamic_roc(y, y, 1e-6 * risk, 0.5)
    assert len(curve.threshold) <= 102
    assert trapezoid(curve.true_positive, curve.false_positive) == pytest.approx(curve.auc, abs=1e-3)


@pytest.mark.parametrize(("time", "missing"), [(1.0, "true_positive"), (6.0, "false_positive")])
def test_without_cases_or_controls_the_curve_is_nan(time, missing):
    y = ([True, True, True], [2.0, 3.0, 5.0])
    with pytest.warns(UndefinedMetricWarning, match=rf"^time: the ROC curve is not defined \(NaN\) at time {time:g}: "):
        curve = cumulative_dynamic_roc(y, y, [3.0, 1.0, 2.0], time)
    assert np.isnan(curve.auc)
    assert np.isnan(getattr(curve, missing)).all()
