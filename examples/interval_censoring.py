"""Interval censoring
==================

When do lung tumours begin in mice that are examined only once, after death?

A tumour found after death began at an unknown earlier time; if there is none, its onset would have been later. So no
onset time is known exactly: the data of Hoel and Walburg (1972), from lifelines, have only intervals from 0 to the day
of death (left censoring) or from that day on (right censoring). The nonparametric estimate for such data is
Turnbull's. If the day of death is taken as the onset of the tumour, onset is estimated too late. Worse, the order of
the groups is reversed: germ-free mice have more tumours but live longer with them, and so they seem to have fewer.

Run ``python examples/interval_censoring.py``; the figure is written to ``demo/``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from lifelines import KaplanMeierFitter
from lifelines.datasets import load_mice
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from drawing import BLUE, FITTED, IGNORANT, OBSERVED, ORANGE, explain_lines, name_curve, print_table, run
from hazboost import FPBoost, Surv

DAYS = np.arange(0.0, 901.0, 10.0)
GROUPS = {"ge": ("germ-free environment", ORANGE, 0.93), "ce": ("conventional environment", BLUE, 0.86)}


def found_late(data):
    """The wrong outcome for comparison: the day on which a tumour was found as its onset."""
    found = np.isfinite(data["u"])
    return Surv.right(found, np.where(found, data["u"], data["l"]))


def turnbull(data) -> np.ndarray:
    """Turnbull's estimate; where it is not unique, the middle between its bounds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecation warnings of pandas about code of lifelines
        bounds = KaplanMeierFitter().fit_interval_censoring(data["l"], data["u"]).survival_function_
    # Evaluate the step function at DAYS.
    place = np.searchsorted(bounds.index, DAYS, side="right") - 1
    return bounds.mean(axis=1).to_numpy()[place]


def draw() -> Figure:
    """Fit the intervals and, for comparison, the days of death."""
    data = load_mice()
    X = data[["grp"]].astype("category")
    targets = Surv.interval("l", "u", data=data), found_late(data)
    # With so little information the chosen ridge depends on the folds; docs/kinds.md comments on other seeds.
    ours, theirs = (FPBoost(random_state=3).fit(X, y).predict_survival_function(X, times=DAYS) for y in targets)

    figure, axes = plt.subplots()
    rows = {}
    for group, (name, colour, height) in GROUPS.items():
        inside = (data["grp"] == group).to_numpy()
        # The group is the only covariate, so all mice of a group have the same prediction.
        curves = turnbull(data[inside]), ours[inside][0], theirs[inside][0]
        for curve, style in zip(curves, (OBSERVED, FITTED, IGNORANT), strict=True):
            axes.plot(DAYS, 1.0 - curve, color=colour, **style)
        name_curve(axes, 15.0, height, name, colour)
        rows[name] = [1.0 - curve[DAYS == 700.0][0] for curve in curves]
    print_table("risk of a tumour until day 700", ["Turnbull", "FPBoost", "found = began"], rows)
    axes.set(xlabel="age (days)", ylabel="probability of a lung tumour", xlim=(0.0, 900.0), ylim=(0.0, 1.0))
    axes.set_title("Lung tumours of 144 mice, each examined once, after death")
    explain_lines(figure, "Turnbull's estimate", "day of death used as onset")
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and write the figure."""
    run(__doc__, "interval_censoring", draw, arguments)


if __name__ == "__main__":
    main()
