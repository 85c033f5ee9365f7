"""Time-varying covariates
=======================

Does a heart transplant help the patients of the Stanford programme?

Patients wait for a heart, and some of them get one. Each patient has a row for the waiting time and, if transplanted, a
second row from the day of the operation; ``predict_survival_along`` predicts over such rows. If instead the final value
of ``transplant`` is used for the whole follow-up, patients who lived long enough to get a heart are compared with those
who did not (immortal time bias), and the operation seems very effective. With time-varying rows there is no benefit in
these data.

Run ``python examples/changing_covariates.py``; the figure is written to ``demo/``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from lifelines.datasets import load_stanford_heart_transplants
from matplotlib.figure import Figure

from drawing import BLUE, FITTED, IGNORANT, ORANGE, name_curve, print_table, run, two_panels
from hazboost import FPBoost, Surv

FEATURES = ["age", "year", "surgery", "transplant"]
DAYS = np.arange(0.0, 731.0, 5.0)
OPERATION = 60.0


def fit_models(data: pd.DataFrame) -> tuple[FPBoost, FPBoost]:
    """One model with time-varying covariates, and one with the final value of each patient."""
    # The id keeps the two rows of a patient in the same fold of the cross-validation within the fit.
    y = Surv.counting("start", "stop", "event", id="id", data=data)
    # The wrong analysis for comparison: the final value of the covariates for the whole follow-up.
    end = data.sort_values(["id", "start"]).groupby("id").last()
    return (
        FPBoost(random_state=0).fit(data[FEATURES], y),
        FPBoost(random_state=0).fit(end[FEATURES], Surv.right("event", "stop", data=end)),
    )


def typical_patient(data: pd.DataFrame) -> pd.DataFrame:
    """Two rows of a patient with median covariates: waiting, and with a new heart."""
    # Median over patients, not over rows, as transplanted patients have two.
    patient = data.drop_duplicates("id")[FEATURES].median().to_frame().T
    return pd.concat([patient.assign(transplant=0.0), patient.assign(transplant=1.0)])


def draw() -> Figure:
    """Survival of a typical patient with and without transplant, from both models."""
    data = load_stanford_heart_transplants()
    model, ignorant = fit_models(data)
    patient = typical_patient(data)
    waiting = model.predict_survival_function(patient[:1], times=DAYS)[0]
    # The same patient with an operation on day 60; until then the curve is that of waiting.
    operated = model.predict_survival_along(patient, start=[0.0, OPERATION], stop=[OPERATION, 730.0], times=DAYS)[0]
    never, always = ignorant.predict_survival_function(patient, times=DAYS)

    figure, (left, right) = two_panels(
        xlabel="days since acceptance", xlim=(0.0, 730.0), ylim=(0.0, 1.02), xticks=range(0, 700, 200)
    )
    for axes, curves, style in ((left, (waiting, operated), FITTED), (right, (never, always), IGNORANT)):
        for curve, colour in zip(curves, (BLUE, ORANGE), strict=True):
            axes.plot(DAYS, curve, color=colour, **style)
    left.axvline(OPERATION, color=ORANGE, linewidth=0.8)
    left.set(ylabel="survival")
    left.set_title("Rows with start and stop")
    right.set_title("Last value, from the first day on")
    name_curve(left, 75.0, 0.93, f"new heart on day {OPERATION:.0f}", ORANGE)
    name_curve(left, 330.0, 0.42, "waiting all along", BLUE)
    name_curve(right, 250.0, 0.62, "with a new heart", ORANGE)
    name_curve(right, 200.0, 0.12, "without", BLUE)
    year = DAYS == 365.0
    rows = {
        "waiting all along": [waiting[year][0], never[year][0]],
        f"new heart on day {OPERATION:.0f}": [operated[year][0], always[year][0]],
    }
    print_table("survival of one year", ["FPBoost", "change ignored"], rows)
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and write the figure."""
    run(__doc__, "changing_covariates", draw, arguments)


if __name__ == "__main__":
    main()
