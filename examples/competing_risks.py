"""Competing risks
===============

How likely is death from each of several causes for people over 70?

The free light chain study (in scikit-survival) has the cause of each death. A cumulative incidence is the probability
of dying from a cause by a given time, in the presence of the other causes. The model is fitted to 800 people, and its
mean prediction for the other people is compared with the Aalen-Johansen estimate of these. If deaths from other causes
are treated as censoring, the result is the probability in a world without the other causes. It is too high, and more so
for older people.

Run ``python examples/competing_risks.py``; the figure is written to ``demo/``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import train_test_split
from sksurv.datasets import load_flchain
from sksurv.nonparametric import cumulative_incidence_competing_risks

from drawing import (
    BLUE,
    FITTED,
    GREEN,
    IGNORANT,
    OBSERVED,
    ORANGE,
    explain_lines,
    name_curve,
    print_table,
    run,
    two_panels,
)
from hazboost import FPBoost, Surv

YEARS = np.linspace(0.0, 12.0, 49)
CAUSES = {1: ("circulation", BLUE), 2: ("cancer", ORANGE), 3: ("other", GREEN)}
GROUPS = {"70 to 79 years old": (70.0, 80.0), "80 years and older": (80.0, np.inf)}


def load_data():
    """Covariates of people over 70, and their time to death in years with the number of the cause."""
    # `chapter` is the ICD chapter of the cause of death. It defines the outcome and must not be a covariate.
    X, y = load_flchain()
    cause = np.select([~y["death"], X["chapter"] == "Circulatory", X["chapter"] == "Neoplasms"], [0, 1, 2], 3)
    old = (X["age"] >= 70.0).to_numpy()
    return X.loc[old, ["age", "sex", "kappa", "lambda", "creatinine"]], Surv.right(cause, y["futime"] / 365.25)[old]


def draw() -> Figure:
    """Mean predicted and observed cumulative incidences of test people in two age groups."""
    X, y = load_data()
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=800, stratify=y["event"], random_state=0)
    # Few folds, and a given number of rounds below, to be fast.
    model = FPBoost(n_folds=3, random_state=0).fit(X_train, y_train)
    incidence = model.predict_cumulative_incidence_function(X_test, times=YEARS)
    # The wrong analysis for comparison: deaths from other causes are treated as censoring.
    alone = FPBoost(n_estimators=100, n_folds=3, random_state=0)
    alone.fit(X_train, Surv.right(y_train["event"] == 1, y_train["time"]))
    without_others = 1.0 - alone.predict_survival_function(X_test, times=YEARS)

    figure, panels = two_panels(xlabel="years since the blood was taken", xlim=(0.0, 12.0), ylim=(0.0, 0.6))
    rows = {}
    for axes, (group, (youngest, oldest)) in zip(panels, GROUPS.items(), strict=True):
        inside = ((X_test["age"] >= youngest) & (X_test["age"] < oldest)).to_numpy()
        time, observed = cumulative_incidence_competing_risks(y_test["event"][inside], y_test["time"][inside])
        # Evaluate the step functions at YEARS; they are 0 before the first time.
        observed = observed[:, np.searchsorted(time, YEARS, side="right") - 1] * (time[0] <= YEARS)
        for cause, (name, colour) in CAUSES.items():
            fitted = incidence[inside, cause - 1].mean(axis=0)
            axes.plot(YEARS, observed[cause], color=colour, **OBSERVED)
            axes.plot(YEARS, fitted, color=colour, **FITTED)
            # Position 40 of YEARS is 10 years.
            rows[f"{name}, {group}"] = [observed[cause][40], fitted[40], None]
        ignorant = without_others[inside].mean(axis=0)
        axes.plot(YEARS, ignorant, color=BLUE, **IGNORANT)
        rows[f"circulation, {group}"][2] = ignorant[40]
        axes.set_title(group)
    panels[0].set(ylabel="probability of death of a cause")
    for height, (name, colour) in zip((0.55, 0.51, 0.47), CAUSES.values(), strict=True):
        name_curve(panels[0], 0.4, height, name, colour)
    print_table("risk of death within 10 years", ["Aalen-Johansen", "FPBoost", "others censored"], rows)
    explain_lines(figure, "Aalen-Johansen, test people", "circulation, others censored")
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and write the figure."""
    run(__doc__, "competing_risks", draw, arguments)


if __name__ == "__main__":
    main()
