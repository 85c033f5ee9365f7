"""The calibration curve: its bins, and the observed value in each."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from hazboost import Surv
from hazboost.metrics import calibration_curve


def draw(cause=False):
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    time, censoring = rng.exponential(np.exp(-x)), rng.exponential(2.0, 20_000)
    kind = rng.integers(1, 3, 20_000) if cause else 1
    return x, Surv.right(np.where(time <= censoring, kind, 0), np.minimum(time, censoring))


@pytest.mark.parametrize("cause", [None, 1])
def test_the_truth_lies_on_the_diagonal_and_a_wrong_rate_does_not(cause):
    x, y = draw(cause is not None)
    survival = np.exp(-0.5 * np.exp(x))
    truth = survival if cause is None else 0.5 * (1.0 - survival)
    curve = calibration_curve(y, truth, 0.5, cause=cause)
    np.testing.assert_allclose(curve.observed, curve.predicted, atol=0.04)
    assert (np.diff(curve.predicted) > 0.0).all()
    np.testing.assert_array_equal(curve.size, np.full(10, 2000))
    wrong = calibration_curve(y, truth**1.5, 0.5, cause=cause)
    assert np.abs(wrong.observed - wrong.predicted).max() > 0.1
    np.testing.assert_array_equal(wrong.observed, curve.observed)


def test_with_delayed_entry_the_prediction_is_not_conditional(truncated):
    sample, _ = truncated
    curve = calibration_curve(sample["y"], np.exp(-(0.8 ** np.exp(-sample["x"]))), 0.8, n_bins=5)
    np.testing.assert_allclose(curve.observed, curve.predicted, atol=0.03)


def test_known_example():
    y = ([1, 0, 1, 1, 0, 1], [1.0, 2.0, 3.0, 1.0, 3.0, 4.0])
    curve = calibration_curve(y, [0.6, 0.8, 0.9, 0.1, 0.2, 0.3], 2.5, n_bins=2)
    np.testing.assert_allclose(curve.predicted, [0.2, 2.3 / 3])
    np.testing.assert_allclose(curve.observed, [2 / 3, 2 / 3])
    np.testing.assert_array_equal(curve.size, [3, 3])


def test_equal_predictions_share_a_bin():
    y = (np.ones(6), np.arange(6.0))
    curve = calibration_curve(y, [0.5, 0.5, 0.5, 0.5, 0.5, 0.9], 2.5, n_bins=3)
    np.testing.assert_array_equal(curve.size, [5, 1])
    np.testing.assert_allclose(curve.observed, [2 / 5, 1.0])
    np.testing.assert_array_equal(calibration_curve(y, np.full(6, 0.5), 2.5).size, [6])


def test_a_bin_whose_follow_up_has_ended_gives_nan():
    y = ([1, 0, 1, 0], [1.0, 2.0, 3.0, 9.0])
    with pytest.warns(UndefinedMetricWarning, match="at time 5 cannot be estimated in 1 of 2 bins"):
        curve = calibration_curve(y, [0.1, 0.2, 0.8, 0.9], 5.0, n_bins=2)
    np.testing.assert_array_equal(curve.observed, [np.nan, 0.5])


def test_a_bin_whose_risk_set_ran_empty_gives_nan():
    y = Surv.right([1, 0, 1, 1], [1.0, 9.0, 1.0, 9.0], entry=[0.0, 2.0, 0.0, 0.5])
    with pytest.warns(UndefinedMetricWarning, match="at time 5 cannot be estimated in 1 of 2 bins"):
        curve = calibration_curve(y, [0.1, 0.1, 0.9, 0.9], 5.0, n_bins=2)
    np.testing.assert_array_equal(curve.observed, [np.nan, 0.5])


@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_observed_survival_is_zero_after_everybody_had_the_event():
    curve = calibration_curve(([1, 1], [1.0, 2.0]), [0.1, 0.1], 5.0, n_bins=1)
    np.testing.assert_array_equal(curve.observed, [0.0])
    curve = calibration_curve(([1, 2], [1.0, 2.0]), [0.1, 0.1], 5.0, n_bins=1, cause=2)
    np.testing.assert_array_equal(curve.observed, [0.5])


@pytest.mark.parametrize("n_bins", [0, 2.5, True])
def test_wrong_number_of_bins_is_refused(n_bins):
    with pytest.raises(ValueError, match="n_bins must be a positive whole number"):
        calibration_curve(([1], [1.0]), [0.5], 1.0, n_bins=n_bins)
