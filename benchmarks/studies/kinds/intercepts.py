"""One Weibull head without features against the parametric fitters of lifelines, on real data sets of lifelines.

Both maximise the same likelihood, so parameters and likelihood must agree; lifelines stops a little earlier.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost import FPBoost, Surv

#: Family -> class of lifelines.
FITTERS = {"weibull": "WeibullFitter", "loglogistic": "LogLogisticFitter"}


def example(name: str) -> Any:
    """A data set of lifelines."""
    from lifelines import datasets  # noqa: PLC0415

    return getattr(datasets, f"load_{name}")()


def psychiatric_patients() -> dict[str, Any]:
    """Age at death of 26 patients, at risk from the age at which they came to the hospital."""
    data = example("psychiatric_patients")
    return {"event": data.C, "time": data.Age + data["T"], "entry": data.Age}


def aids_cohort() -> dict[str, Any]:
    """Years from AIDS to death of 78 men, who entered the study after the diagnosis."""
    data = example("multicenter_aids_cohort_study")
    return {"event": data.D, "time": data["T"], "entry": data.W}


def diabetes() -> dict[str, Any]:
    """Years of diabetes until nephropathy of 731 patients; one in five is known by an interval."""
    data = example("diabetes")
    return {"lower": data.left, "upper": data.right}


def mice() -> dict[str, Any]:
    """Days until a lung tumour of 144 mice, inspected once, after death."""
    data = example("mice")
    return {"lower": data.l, "upper": data.u}


def groundwater() -> dict[str, Any]:
    """Concentrations of copper in 104 samples of ground water; the smallest are below the limit of detection."""
    data = example("lcd")
    return {"lower": np.where(data.E == 1, data["T"], 0.0), "upper": data["T"]}


DATASETS = {
    "psychiatric_patients": psychiatric_patients,
    "multicenter_aids_cohort_study": aids_cohort,
    "diabetes": diabetes,
    "mice": mice,
    "lcd": groundwater,
}


def measure(dataset: str, family: str, repeat: int) -> dict[str, Any]:
    """Scale, shape and mean log-likelihood of both."""
    columns = DATASETS[dataset]()
    return {"hazboost": ours(columns, family), "lifelines": theirs(columns, family)}


def ours(columns: dict[str, Any], family: str) -> list[float]:
    """Those of the start of a fit to a constant feature, which is the maximum of the likelihood."""
    y = Surv.interval(**columns) if "lower" in columns else Surv.right(**columns)
    heads: dict[str, Any] = {"weibull_heads": 0, "loglogistic_heads": 0, f"{family}_heads": 1}
    nothing = np.zeros((len(y), 1))
    model = FPBoost(**heads, uniform_heads=True, init="marginal", n_estimators=1, learning_rate=1e-12).fit(nothing, y)
    head = model.predict_parameters(nothing[:1]).iloc[0]
    return [float(head.eta ** (-1.0 / head.k)), float(head.k), -model.history_["train_loss"][0]]


def theirs(columns: dict[str, Any], family: str) -> list[float]:
    """Those of the fitter, whose names differ by family."""
    import lifelines  # noqa: PLC0415

    fitter = getattr(lifelines, FITTERS[family])()
    if "lower" in columns:
        fitter.fit_interval_censoring(columns["lower"], columns["upper"])
    else:
        fitter.fit(columns["time"], columns["event"], entry=columns["entry"])
    n = len(next(iter(columns.values())))
    return [*map(float, fitter.params_), float(fitter.log_likelihood_ / n)]
