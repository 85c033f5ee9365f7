"""Interval censoring: when do lung tumours begin in mice that were looked at once, after death?

A tumour found in a dead mouse began at some time before, and none found means none so far. So no time of an event is
known at all; what lifelines carries of Hoel and Walburg (1972) has only intervals from 0 to a day, or from a day on.
Turnbull's estimate, which has no shape of its own, is what the data say by themselves. Whoever takes the day of death
for the beginning of the tumour not only finds tumours too late. Germ-free mice have more tumours but live longer with
them, and so they seem to have fewer.

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
    """The same mice, with the tumour at the day on which it was found."""
    found = np.isfinite(data["u"])
    return Surv.right(found, np.where(found, data["u"], data["l"]))


def turnbull(data) -> np.ndarray:
    """Turnbull's estimate; where it is not determined, the middle of what is possible."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lifelines speaks of its own use of pandas
        bounds = KaplanMeierFitter().fit_interval_censoring(data["l"], data["u"]).survival_function_
    place = np.searchsorted(bounds.index, DAYS, side="right") - 1
    return bounds.mean(axis=1).to_numpy()[place]


def draw() -> Figure:
    """Fit intervals, and fit the days of death."""
    data = load_mice()
    X = data[["grp"]].astype("category")
    targets = Surv.interval("l", "u", data=data), found_late(data)
    ours, theirs = (FPBoost(random_state=3).fit(X, y).predict_survival_function(X, times=DAYS) for y in targets)

    figure, axes = plt.subplots()
    rows = {}
    for group, (name, colour, height) in GROUPS.items():
        inside = (data["grp"] == group).to_numpy()
        curves = turnbull(data[inside]), ours[inside][0], theirs[inside][0]
        for curve, style in zip(curves, (OBSERVED, FITTED, IGNORANT), strict=True):
            axes.plot(DAYS, 1.0 - curve, color=colour, **style)
        name_curve(axes, 15.0, height, name, colour)
        rows[name] = [1.0 - curve[DAYS == 700.0][0] for curve in curves]
    print_table("risk of a tumour until day 700", ["Turnbull", "FPBoost", "found = began"], rows)
    axes.set(xlabel="age (days)", ylabel="probability of a lung tumour", xlim=(0.0, 900.0), ylim=(0.0, 1.0))
    axes.set_title("Lung tumours of 144 mice, each looked at once, after death")
    explain_lines(figure, "Turnbull's estimate", "day of death taken for the beginning")
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, write the figure."""
    run(__doc__, "interval_censoring", draw, arguments)


if __name__ == "__main__":
    main()
