"""Every model of the study, by name, in the order of the paper's tables."""

from hazboost.experiments.baselines.base import Baseline, Fitted, checked
from hazboost.experiments.baselines.boxhed import BOXHED
from hazboost.experiments.baselines.cox import COX
from hazboost.experiments.baselines.coxboost import COXBOOST
from hazboost.experiments.baselines.deephit import DEEPHIT, DEEPHIT_PAPER
from hazboost.experiments.baselines.deepsurv import DEEPSURV, DEEPSURV_PAPER
from hazboost.experiments.baselines.dsm import DSM, DSM_PAPER
from hazboost.experiments.baselines.fpboost import FPBOOST
from hazboost.experiments.baselines.fpboost_authors import FPBOOST_AUTHORS
from hazboost.experiments.baselines.fpboost_paper import FPBOOST_PAPER
from hazboost.experiments.baselines.kaplan_meier import KM
from hazboost.experiments.baselines.rsf import RSF
from hazboost.experiments.baselines.xgboost_cox import XGBOOST

#: Name -> baseline. Nothing heavy is imported before a model is fitted.
BASELINES: dict[str, Baseline] = {
    baseline.name: checked(baseline)
    for baseline in (
        KM,
        COX,
        COXBOOST,
        XGBOOST,
        RSF,
        DEEPSURV,
        DEEPSURV_PAPER,
        DEEPHIT,
        DEEPHIT_PAPER,
        DSM,
        DSM_PAPER,
        BOXHED,
        FPBOOST_AUTHORS,
        FPBOOST_PAPER,
        FPBOOST,
    )
}

__all__ = ["BASELINES", "Baseline", "Fitted"]
