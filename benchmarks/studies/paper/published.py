"""The numbers of the paper's tables, as printed there (x100).

The files ``published_scores.csv`` and ``published_improvements.csv`` beside this module hold every number of the
tables of C-Index, IBS, C-TD and AUC, of their means over the data sets, and of the improvements of FPBoost over the
other models by model type and estimator.

References
----------
Archetti, Lomurno, Piccinotti and Matteucci, "FPBoost: Fully Parametric Gradient Boosting for Survival Analysis".
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.harness.tables.table import Published

#: The data sets, with the titles of the paper's columns, in its order.
DATASETS = {
    "aids": "AIDS",
    "breast_cancer": "Breast",
    "flchain": "FLCHAIN",
    "gbsg2": "GBSG2",
    "metabric": "METABRIC",
    "support2": "SUPPORT2",
    "veterans": "Veterans",
    "whas": "WHAS",
}
#: Our models -> the row of the paper's tables that they are to be read beside. The authors' package and
#: ``FPBoost.paper`` are both meant to be the FPBoost of the paper.
ROWS = {
    "cox": "cox",
    "coxboost": "coxboost",
    "xgboost": "xgboost",
    "rsf": "rsf",
    "deepsurv_paper": "deepsurv",
    "deephit_paper": "deephit",
    "dsm_paper": "dsm",
    "fpboost_authors": "fpboost",
    "fpboost_paper": "fpboost",
}
#: The seven models that the paper compares FPBoost with.
COMPARED = tuple(ours for ours, theirs in ROWS.items() if theirs != "fpboost")
#: Models that the paper leaves out of the improvements in a metric, "given its outlier performance".
LEFT_OUT = {"ibs": ("xgboost",)}

_SCORES = Path(__file__).with_name("published_scores.csv")
_IMPROVEMENTS = Path(__file__).with_name("published_improvements.csv")


def published_score(metric: str, model: str, dataset: str) -> Published | None:
    """What the paper prints for one of *our* models on a data set, or on their ``"mean"``; None where it has nothing.

    Examples
    --------
    >>> published_score("c_index", "cox", "whas")
    Published(mean=81.7, half_width=0.1)
    >>> published_score("c_index", "deepsurv", "whas") is None  # beside deepsurv_paper, whose setting is the paper's
    True
    """
    return _scores().get((metric, ROWS.get(model, ""), dataset))


def published_improvement(metric: str, kind: str, learner: str) -> Published | None:
    """The paper's mean improvement of FPBoost over models of a kind and learner; either may be ``"all"``."""
    return _improvements().get((metric, kind, learner))


@cache
def _scores() -> dict[tuple[str, str, str], Published]:
    return {
        (row["metric"], row["model"], row["dataset"]): Published(float(row["mean"]), float(row["half_width"]))
        for row in _read(_SCORES)
    }


@cache
def _improvements() -> dict[tuple[str, str, str], Published]:
    return {
        (row["metric"], row["kind"], row["learner"]): Published(float(row["improvement"]))
        for row in _read(_IMPROVEMENTS)
    }


def _read(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
