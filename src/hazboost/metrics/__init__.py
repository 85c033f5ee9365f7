"""How good a prediction is: discrimination, probabilities and calibration.

Wherever a metric takes ``y``, it takes every form that `FPBoost.fit` takes. Which metric answers which question, and
the rules that all of them share, are in ``docs/metrics.md``.
"""

from __future__ import annotations

from hazboost.metrics.auc import cumulative_dynamic_auc
from hazboost.metrics.calibration import CalibrationCurve, calibration_curve
from hazboost.metrics.checks import FollowUpWarning
from hazboost.metrics.concordance import concordance_index
from hazboost.metrics.d_calibration import DCalibration, d_calibration
from hazboost.metrics.scores import brier_score, integrated_brier_score, integrated_log_score, log_score
from hazboost.metrics.uno import concordance_index_ipcw

__all__ = [
    "CalibrationCurve",
    "DCalibration",
    "FollowUpWarning",
    "brier_score",
    "calibration_curve",
    "concordance_index",
    "concordance_index_ipcw",
    "cumulative_dynamic_auc",
    "d_calibration",
    "integrated_brier_score",
    "integrated_log_score",
    "log_score",
]
