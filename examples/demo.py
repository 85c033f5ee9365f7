"""FPBoost on clinical data, beside three common models
====================================================

Recurrence-free survival of 686 women with breast cancer (German Breast Cancer Study Group 2, packaged with
scikit-survival). Run it with ``make demo``, or ``python examples/demo.py --output DIR``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from joblib import Parallel, cpu_count, delayed
from matplotlib import pyplot as plt
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sksurv.datasets import load_gbsg2
from sksurv.ensemble import RandomSurvivalForest
from sksurv.functions import StepFunction
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import integrated_brier_score
from sksurv.nonparametric import kaplan_meier_estimator
from sksurv.preprocessing import OneHotEncoder

from hazboost import FPBoost
from hazboost.plots import HeadsDisplay, SurvivalDisplay

INK, FAINT = "#24292f", "#8c959f"
LABELS = {"xlabel": "years", "ylabel": "recurrence-free survival"}
STYLE = {
    "figure.figsize": (7.0, 4.8),
    "figure.constrained_layout.use": True,
    "savefig.dpi": 140,
    "savefig.bbox": "tight",
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 12,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#eaeef2",
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 10.5,
    "lines.linewidth": 2.2,
}

#: What the columns are called on the calculator, and their units.
WORDS = {
    "age": "Age",
    "estrec": "Oestrogen receptor",
    "horTh": "Hormone therapy",
    "menostat": "Menopause",
    "menostat=Pre": "before",
    "menostat=Post": "after",
    "pnodes": "Positive lymph nodes",
    "progrec": "Progesterone receptor",
    "tgrade": "Grade of the tumour",
    "tsize": "Size of the tumour",
}
UNITS = {"age": "years", "estrec": "fmol/mg", "progrec": "fmol/mg", "tsize": "mm"}


class KaplanMeier:
    """The same curve for all patients, the reference that a model has to beat."""

    def fit(self, X, y):
        """Estimate the curve; ``X`` is not used."""
        self.curve_ = StepFunction(*kaplan_meier_estimator(*columns(y)), domain=(0.0, None))
        return self

    def predict_survival_function(self, X):
        """The same curve for each patient."""
        return [self.curve_] * len(X)

    def score(self, X, y):
        """C-index of a model that ranks all patients equally."""
        return 0.5


def make_models(seed):
    """The models of the table. FPBoost accepts categories; the others need them one-hot encoded."""
    forest = RandomSurvivalForest(n_estimators=300, random_state=seed)
    # The leaf size of scikit-survival's user guide, which was chosen for these data.
    guided = RandomSurvivalForest(n_estimators=300, min_samples_leaf=15, random_state=seed)
    return {
        "FPBoost": FPBoost(random_state=seed),
        "Random survival forest": make_pipeline(OneHotEncoder(), forest),
        "the same, leaf size chosen": make_pipeline(OneHotEncoder(), guided),
        "Cox regression": make_pipeline(OneHotEncoder(), CoxPHSurvivalAnalysis()),
        "Kaplan-Meier (no features)": KaplanMeier(),
    }


def load_data():
    """Features as a DataFrame with categories, and the outcome with time in years."""
    X, y = load_gbsg2()
    y["time"] /= 365.25
    return X, y


def split_data(X, y, seed):
    """70 % for training and 30 % for testing, with the same proportion of events in both."""
    return train_test_split(X, y, test_size=0.3, stratify=columns(y)[0], random_state=seed)


def columns(y):
    """Event and time of a structured array."""
    return [y[name] for name in y.dtype.names]


def evaluate(model, X_test, y_train, y_test):
    """C-index and integrated Brier score, both times 100."""
    # Between the 10 % and 90 % quantiles of the test times: the censoring weights are unstable in the tail, where few
    # patients are still under observation.
    times = np.linspace(*np.quantile(columns(y_test)[1], [0.1, 0.9]), 100)
    survival = np.array([curve(times) for curve in model.predict_survival_function(X_test)])
    brier = integrated_brier_score(y_train, y_test, survival, times)
    return 100.0 * model.score(X_test, y_test), 100.0 * brier


def compare(X, y, n_splits):
    """Scores of all models on several random splits, of shape (splits, models, 2)."""
    seeds = range(n_splits)
    return np.array(Parallel(min(n_splits, cpu_count()))(delayed(compare_split)(X, y, seed) for seed in seeds))


def compare_split(X, y, seed):
    """Scores of all models on one random split."""
    X_train, X_test, y_train, y_test = split_data(X, y, seed)
    fitted = [model.fit(X_train, y_train) for model in make_models(seed).values()]
    return [evaluate(model, X_test, y_train, y_test) for model in fitted]


def print_table(scores):
    """Print the mean scores, one line per model, and how much better FPBoost is, with standard errors."""
    leads = (scores[:, :1] - scores) * [1.0, -1.0]
    errors = leads.std(axis=0, ddof=1) / np.sqrt(len(scores))
    print(f"{'test scores x 100':<28}{'C-index':>9}{'IBS':>9}     FPBoost is better by")
    print(f"{f'mean of {len(scores)} random splits':<28}{'(higher)':>9}{'(lower)':>9}{'C-index':>13}{'IBS':>14}")
    print("-" * 73)
    for name, means, lead, error in zip(make_models(0), scores.mean(axis=0), leads.mean(axis=0), errors, strict=True):
        better = [f"{one:.2f} ± {e:.2f}".rjust(14) for one, e in zip(lead, error, strict=True)]
        print(f"{name:<28}{means[0]:>9.1f}{means[1]:>9.1f}", *([] if name == "FPBoost" else better), sep="")


def draw_survival(model, X, y):
    """Predicted curves of three patients with low, medium and high risk, and the Kaplan-Meier curve of all."""
    patients = X.iloc[rows_at_risk(model, X, [0.05, 0.5, 0.95])]
    patients.index = [describe(patient) for patient in patients.itertuples()]
    display = SurvivalDisplay.from_estimator(model, patients, y)
    display.ax_.set(title="Predicted survival of three patients", **LABELS)
    return display.figure_


def draw_anatomy(model, X, y):
    """The hazard of one patient as the sum of the contributions of its heads."""
    patient = X.iloc[rows_at_risk(model, X, [0.8])]
    display = HeadsDisplay.from_estimator(model, patient)
    description = describe(next(patient.itertuples()))
    title = f"Anatomy of the hazard of one patient\n{description}"
    display.ax_.set(title=title, xlabel="years", ylabel="hazard per year")
    return display.figure_


def draw_calibration(model, X, y):
    """Mean predicted curves against Kaplan-Meier estimates, in four groups of predicted risk."""
    # Groups by predicted risk: calibration over all patients would hide errors that cancel.
    order = np.argsort(model.predict(X))
    quarters = np.repeat(["lowest quarter of risk", "second", "third", "highest"], -(-len(X) // 4))[: len(X)]
    display = SurvivalDisplay.from_estimator(model, X.iloc[order], y[order], groups=quarters)
    display.ax_.set(title="Predicted (smooth) and observed (steps, 95 % band)", **LABELS)
    return display.figure_


def rows_at_risk(model, X, levels):
    """Positions of the patients at the given quantiles of predicted risk."""
    ranked = np.argsort(model.predict(X))
    return [ranked[round(level * (len(X) - 1))] for level in levels]


def describe(patient):
    """Short description of a patient."""
    nodes = f"{patient.pnodes:.0f} positive node{'s' if patient.pnodes > 1 else ''}"
    return f"{patient.age:.0f} years old, {nodes}, tumour of {patient.tsize:.0f} mm, grade {patient.tgrade}"


def draw_figures(model, X_test, y_test):
    """All figures by name."""
    return {
        "survival": draw_survival(model, X_test, y_test),
        "anatomy": draw_anatomy(model, X_test, y_test),
        "calibration": draw_calibration(model, X_test, y_test),
    }


def write_pages(model, folder, X_train, X_test, y_train, y_test):
    """A report for whoever must decide whether to trust the model, and a calculator for whoever uses it."""
    title = "Recurrence of breast cancer"
    model.report(folder / "report.html", X_test, y_test, X_train, y_train, title=title)
    words = {"labels": WORDS, "units": UNITS, "time_unit": "years", "events": {1: "a recurrence"}}
    model.calculator(folder / "calculator.html", title=title, **words)
    return [folder / "report.html", folder / "calculator.html"]


def main(arguments=None):
    """Print the table, write the figures and the pages, and say where they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo"), help="folder for figures and pages")
    parser.add_argument("--splits", type=int, default=50, help="random splits that the scores average, 2 or more")
    parser.add_argument("--figures-only", action="store_true", help="no table, report or calculator")
    options = parser.parse_args(arguments)
    if options.splits < 2:
        parser.error(f"--splits {options.splits}: a standard error needs 2 or more")
    options.output.mkdir(parents=True, exist_ok=True)
    X, y = load_data()
    print(f"GBSG2: {len(X)} breast cancer patients, {columns(y)[0].sum()} recurrences or deaths\n")
    if not options.figures_only:
        print(f"Fitting five models to {options.splits} random splits ...\n")
        print_table(compare(X, y, options.splits))
        print()
    X_train, X_test, y_train, y_test = split_data(X, y, 0)
    model = FPBoost(random_state=0).fit(X_train, y_train)
    with mpl.rc_context(STYLE):
        for name, figure in draw_figures(model, X_test, y_test).items():
            path = options.output / f"{name}.png"
            figure.savefig(path)
            plt.close(figure)
            print(path)
    if not options.figures_only:
        print(*write_pages(model, options.output, X_train, X_test, y_train, y_test), sep="\n")


if __name__ == "__main__":
    main()
