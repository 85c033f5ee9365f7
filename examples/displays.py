"""All plots on one data set
=========================

All displays of ``hazboost.plots``, small enough for a column of print: breast cancer patients (GBSG2).

Run ``python examples/displays.py``; the figures are written to ``demo/plots/``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from demo import load_data, split_data
from hazboost import FPBoost, plots
from hazboost.plots.display import Display

LOOK = {"figure.figsize": (3.3, 2.5), "savefig.dpi": 150, "font.size": 8.5}


def displays(model: FPBoost, X, y, y_train) -> Iterator[tuple[str, Callable[[], Display]]]:
    """Names of the figures, and what draws them."""
    order = np.argsort(model.predict(X))
    quarters = np.repeat(["lowest risk", "second quarter", "third quarter", "highest risk"], -(-len(X) // 4))[: len(X)]
    therapy = np.where(X["horTh"] == "yes", "hormones", "none")
    patient = X.iloc[[order[-30]]]
    yield "survival", lambda: plots.SurvivalDisplay.from_estimator(model, X.iloc[order], y[order], groups=quarters)
    yield (
        "at_risk",
        lambda: plots.SurvivalDisplay.from_estimator(model, X, y, groups=therapy).add_at_risk(),
    )
    yield "heads", lambda: plots.HeadsDisplay.from_estimator(model, patient)
    yield "history", lambda: plots.HistoryDisplay.from_estimator(model)
    yield "calibration", lambda: plots.CalibrationDisplay.from_estimator(model, X, y, time=3.0, n_bins=5)
    yield "d_calibration", lambda: plots.DCalibrationDisplay.from_estimator(model, X, y)
    yield "scores", lambda: plots.ScoresDisplay.from_estimator(model, X, y, y_train)
    yield "roc", lambda: plots.RocDisplay.from_estimator(model, X, y, y_train, time=3.0)
    yield "residuals", lambda: plots.ResidualsDisplay.from_estimator(model, X, y)
    yield "residuals_feature", lambda: plots.ResidualsDisplay.from_estimator(model, X, y, "deviance", "age")
    yield "importance", lambda: plots.ImportanceDisplay.from_estimator(model, X)
    yield "dependence", lambda: plots.DependenceDisplay.from_estimator(model, X, "pnodes", time=3.0)
    yield "dependence_two", lambda: plots.DependenceDisplay.from_estimator(model, X, ["progrec", "horTh"], time=3.0)
    yield "accumulated", lambda: plots.AccumulatedEffectsDisplay.from_estimator(model, X, "pnodes", time=3.0)
    yield "contributions", lambda: plots.ContributionsDisplay.from_estimator(model, patient, most=4)
    yield "parameters", lambda: plots.ParametersDisplay.from_estimator(model, X)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, and draw all displays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo"), help="folder for the figures")
    folder = parser.parse_args(arguments).output / "plots"
    folder.mkdir(parents=True, exist_ok=True)
    # A backend without windows, so that the example runs on servers.
    mpl.use("Agg")
    X_train, X_test, y_train, y_test = split_data(*load_data(), 0)
    model = FPBoost(random_state=0).fit(X_train, y_train)
    with mpl.rc_context(LOOK):
        for name, draw in displays(model, X_test, y_test, y_train):
            figure = draw().figure_
            figure.savefig(folder / f"{name}.png")
            plt.close(figure)
            print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
