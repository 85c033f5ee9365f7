"""Metrics of discrimination, of predicted probabilities and of calibration, and residuals.

Every ``y`` may have any form that `FPBoost.fit` accepts. ``docs/metrics.md`` says which metric answers which question
and lists the conventions they share (ties, censoring weights, competing risks, delayed entry, warnings).
"""

from __future__ import annotations

from hazboost.metrics.auc import cumulative_dynamic_auc
from hazboost.metrics.calibration import CalibrationCurve, calibration_curve
from hazboost.metrics.checks import FollowUpWarning
from hazboost.metrics.concordance import concordance_index
from hazboost.metrics.d_calibration import DCalibration, d_calibration
from hazboost.metrics.interval import ConcordanceInterval, concordance_difference, concordance_interval
from hazboost.metrics.residuals import SubjectResiduals, residuals
from hazboost.metrics.roc import RocCurve, cumulative_dynamic_roc
from hazboost.metrics.scores import brier_score, integrated_brier_score, integrated_log_score, log_score
from hazboost.metrics.uno import concordance_index_ipcw

__all__ = [
    "CalibrationCurve",
    "ConcordanceInterval",
    "DCalibration",
    "FollowUpWarning",
    "RocCurve",
    "SubjectResiduals",
    "brier_score",
    "calibration_curve",
    "concordance_difference",
    "concordance_index",
    "concordance_index_ipcw",
    "concordance_interval",
    "cumulative_dynamic_auc",
    "cumulative_dynamic_roc",
    "d_calibration",
    "integrated_brier_score",
    "integrated_log_score",
    "log_score",
    "residuals",
]
