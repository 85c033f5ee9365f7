"""Delayed entry (left truncation): survival by age of people who were first seen at 50 to 100 years of age.

The free light chain study (in scikit-survival) took blood of residents of a county, whatever their age, and followed
them. Age is the natural time scale, but nobody is in the data who died before the blood was taken. The example fits
1,500 people and predicts the others. Whoever ignores the age at entry counts years in which these people could not have
been seen to die, and promises too long a life.

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
    """Features that do not tell the age; and deaths, with the ages at entry and at the end."""
    X, y = load_flchain()
    followed = np.maximum(y["futime"], 0.5) / 365.25  # a death on the day of entry is one of its afternoon
    y = Surv.right(y["death"], X["age"] + followed, entry=X["age"])
    return X[["sex", "kappa", "lambda", "creatinine", "mgus"]], y


def observed_survival(y) -> np.ndarray:
    """Kaplan and Meier's estimate for those alive at 60, in which people join the risk set when they enter."""
    y = y[y["time"] > AGES[0]]
    time, survival = kaplan_meier_estimator(y["event"], y["time"], time_enter=np.maximum(y["entry"], AGES[0]))
    return np.r_[1.0, survival][np.searchsorted(time, AGES, side="right")]


def draw() -> Figure:
    """Fit with and without the age at entry, and compare with people who were not fitted."""
    X, y = load_data()
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=1500, stratify=y["event"], random_state=0)
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
    """Print the table, write the figure."""
    run(__doc__, "delayed_entry", draw, arguments)


if __name__ == "__main__":
    main()
