"""Recurrent events
================

How many episodes of soreness occur under a new and an old treatment?

400 patients of Hosmer and Lemeshow's book (in lifelines) have up to four episodes. A patient has one row for each
period between episodes, and the cumulative hazard is the expected number of episodes by time t. The nonparametric
estimate is that of Nelson and Aalen. If every row is treated as a separate patient at risk from the first day, the
number at risk is too large, and the expected number of episodes is about half of what it should be.

Run ``python examples/recurrent_events.py``; the figure is written to ``demo/``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lifelines import NelsonAalenFitter
from lifelines.datasets import load_recur
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from drawing import BLUE, FITTED, IGNORANT, OBSERVED, ORANGE, explain_lines, name_curve, print_table, run
from hazboost import FPBoost, Surv

DAYS = np.arange(0.0, 151.0, 1.0)
TREATMENTS = {"old treatment": (1, ORANGE, 3.9), "new treatment": (0, BLUE, 3.6)}
FEATURES = ["AGE", "TREAT"]


def observed_number(data) -> np.ndarray:
    """Nelson-Aalen estimate of the expected number of episodes."""
    # Delayed entry puts each row into the risk set for its own period only.
    counted = NelsonAalenFitter(nelson_aalen_smoothing=False).fit(data["TIME1"], data["CENSOR"], entry=data["TIME0"])
    return counted.cumulative_hazard_at_times(DAYS).to_numpy()


def draw() -> Figure:
    """Expected numbers of episodes with rows (start, stop], and with rows treated as separate patients."""
    data = load_recur().sort_values(["ID", "TIME0"])
    patients = data.drop_duplicates("ID")
    model = FPBoost(random_state=0)
    model.fit(data[FEATURES], Surv.counting("TIME0", "TIME1", "CENSOR", id="ID", data=data))
    ours = model.predict_cumulative_hazard_function(patients[FEATURES], times=DAYS)
    # The wrong analysis for comparison: every row as a patient of its own, at risk from day 0.
    ignorant = FPBoost(n_estimators=100, random_state=0)
    ignorant.fit(data[FEATURES], Surv.right("CENSOR", "TIME1", data=data))
    theirs = ignorant.predict_cumulative_hazard_function(patients[FEATURES], times=DAYS)

    figure, axes = plt.subplots()
    rows = {}
    for name, (treatment, colour, height) in TREATMENTS.items():
        inside = (patients["TREAT"] == treatment).to_numpy()
        observed = observed_number(data[data["TREAT"] == treatment])
        curves = observed, ours[inside].mean(axis=0), theirs[inside].mean(axis=0)
        for curve, style in zip(curves, (OBSERVED, FITTED, IGNORANT), strict=True):
            axes.plot(DAYS, curve, color=colour, **style)
        name_curve(axes, 4.0, height, name, colour)
        # DAYS has a step of one day, so position 100 is day 100.
        rows[name] = [curve[100] for curve in curves]
    print_table("episodes in 100 days", ["Nelson-Aalen", "FPBoost", "rows = patients"], rows)
    axes.set(xlabel="days", ylabel="expected number of episodes", xlim=(0.0, 150.0), ylim=(0.0, 4.3))
    axes.set_title("Episodes of soreness of 400 patients")
    explain_lines(figure, "Nelson-Aalen", "each row treated as a patient")
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and write the figure."""
    run(__doc__, "recurrent_events", draw, arguments)


if __name__ == "__main__":
    main()
