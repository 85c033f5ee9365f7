"""Delayed entry
=============

Left truncation: survival by age of people who entered a study at 50 to 100 years of age.

The free light chain study (in scikit-survival) took blood samples of residents of a county and followed them. Age is
the natural time scale, but people who died before the sample was taken are not in the data. The model is fitted to
1,500 people and predicts the others. If the age at entry is ignored, people count as at risk at ages at which their
death could not have been observed, and survival is overestimated.

Run ``python examples/delayed_entry.py``; the figure is written to ``demo/``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sklearn.model_selection import train_test_split
from sksurv.datasets import load_flchain
from sksurv.nonparametric import kaplan_meier_estimator

from drawing import BLUE, FITTED, IGNORANT, OBSERVED, ORANGE, explain_lines, name_curve, print_table, run
from hazboost import FPBoost, Surv

AGES = np.arange(60.0, 100.5, 0.5)
GROUPS = {"women": ("F", BLUE, 0.32), "men": ("M", ORANGE, 0.22)}


def load_data():
    """Covariates without age, and deaths with age at entry and at the end of follow-up."""
    X, y = load_flchain()
    # Entry must be before the end, so a death on the day of entry counts as half a day later.
    followed = np.maximum(y["futime"], 0.5) / 365.25
    y = Surv.right(y["death"], X["age"] + followed, entry=X["age"])
    return X[["sex", "kappa", "lambda", "creatinine", "mgus"]], y


def observed_survival(y) -> np.ndarray:
    """Kaplan-Meier estimate with delayed entry, conditional on being alive at 60."""
    # Few people are at risk at the youngest ages, where the estimate would be very variable; hence conditional on 60.
    y = y[y["time"] > AGES[0]]
    time, survival = kaplan_meier_estimator(y["event"], y["time"], time_enter=np.maximum(y["entry"], AGES[0]))
    return np.r_[1.0, survival][np.searchsorted(time, AGES, side="right")]


def draw() -> Figure:
    """Fit with and without the age at entry, and compare both with the Kaplan-Meier estimate of test people."""
    X, y = load_data()
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=1500, stratify=y["event"], random_state=0)
    # The wrong analysis for comparison leaves out the age at entry.
    known, ignorant = y_train, Surv.right(y_train["event"], y_train["time"])
    models = [FPBoost(random_state=0).fit(X_train, target) for target in (known, ignorant)]
    ours, theirs = (model.predict_survival_function(X_test, times=AGES, alive_at=60.0) for model in models)

    figure, axes = plt.subplots()
    rows = {}
    for name, (sex, colour, height) in GROUPS.items():
        inside = (X_test["sex"] == sex).to_numpy()
        curves = observed_survival(y_test[inside]), ours[inside].mean(axis=0), theirs[inside].mean(axis=0)
        for curve, style in zip(curves, (OBSERVED, FITTED, IGNORANT), strict=True):
            axes.plot(AGES, curve, color=colour, **style)
        name_curve(axes, 62.0, height, name, colour)
        rows[name] = [curve[AGES == 80.0][0] for curve in curves]
    print_table("survival from 60 to 80", ["Kaplan-Meier", "FPBoost", "entry ignored"], rows)
    axes.set(xlabel="age (years)", ylabel="survival of those alive at 60", xlim=(60.0, 100.0), ylim=(0.0, 1.02))
    axes.set_title("Survival by age, people first seen at 50 to 100 years")
    explain_lines(figure, "Kaplan-Meier, test people", "age at entry ignored")
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and write the figure."""
    run(__doc__, "delayed_entry", draw, arguments)


if __name__ == "__main__":
    main()
