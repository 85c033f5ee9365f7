"""One Weibull head without features against the parametric fitters of lifelines, on real data sets of lifelines.

Both maximise the same likelihood, so parameters and likelihood must agree; lifelines stops a little earlier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from lifelines import LogLogisticFitter, WeibullFitter, datasets

from hazboost import FPBoost, Surv

FITTERS = {"weibull": WeibullFitter, "loglogistic": LogLogisticFitter}


def psychiatric_patients() -> dict[str, Any]:
    """Age at death of 26 patients, who came to the hospital at some age."""
    data = datasets.load_psychiatric_patients()
    return {"event": data.C, "time": data.Age + data["T"], "entry": data.Age}


def aids_cohort() -> dict[str, Any]:
    """Years from AIDS to death of 78 men, who came into the study with AIDS."""
    data = datasets.load_multicenter_aids_cohort_study()
    return {"event": data.D, "time": data["T"], "entry": data.W}


def diabetes() -> dict[str, Any]:
    """Years of diabetes until nephropathy of 731 patients; one in five is known by an interval."""
    data = datasets.load_diabetes()
    return {"lower": data.left, "upper": data.right}


def mice() -> dict[str, Any]:
    """Days until a lung tumour of 144 mice, looked for once, after death."""
    data = datasets.load_mice()
    return {"lower": data.l, "upper": data.u}


def lagoon() -> dict[str, Any]:
    """Concentrations of copper in 104 samples of ground water; the smallest are below what can be measured."""
    data = datasets.load_lcd()
    return {"lower": np.where(data.E == 1, data["T"], 0.0), "upper": data["T"]}


DATASETS = {
    "psychiatric_patients": psychiatric_patients,
    "multicenter_aids_cohort_study": aids_cohort,
    "diabetes": diabetes,
    "mice": mice,
    "lcd": lagoon,
}


def measure(dataset: str, family: str, repeat: int) -> dict[str, Any]:
    """Scale, shape and mean log-likelihood of both."""
    columns = DATASETS[dataset]()
    return {"hazboost": ours(columns, family), "lifelines": theirs(columns, family)}


def ours(columns: dict[str, Any], family: str) -> list[float]:
    """The start of a fit to a feature that says nothing is maximum likelihood."""
    y = Surv.interval(**columns) if "lower" in columns else Surv.right(**columns)
    heads = {"weibull_heads": 0, "loglogistic_heads": 0, f"{family}_heads": 1}
    nothing = np.zeros((len(y), 1))
    model = FPBoost(**heads, uniform_heads=True, init="marginal", n_estimators=1, learning_rate=1e-12).fit(nothing, y)
    head = model.predict_parameters(nothing[:1]).iloc[0]
    return [float(head.eta ** (-1.0 / head.k)), float(head.k), -model.history_["train_loss"][0]]


def theirs(columns: dict[str, Any], family: str) -> list[float]:
    """The fitter's, whose names differ by family."""
    fitter = FITTERS[family]()
    if "lower" in columns:
        fitter.fit_interval_censoring(columns["lower"], columns["upper"])
    else:
        fitter.fit(columns["time"], columns["event"], entry=columns["entry"])
    n = len(next(iter(columns.values())))
    return [*map(float, fitter.params_), float(fitter.log_likelihood_ / n)]
