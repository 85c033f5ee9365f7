"""The parts of the study: which models are measured, on what, and with which settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.peers.shared.published_settings import HYPERPARAMETERS, published_settings
from benchmarks.studies.speed import data
from benchmarks.studies.speed.cells import Cell
from benchmarks.studies.speed.data import Arrays

OWN, PREVIOUS, AUTHORS, PAPER, AFT = "fpboost", "fpboost_previous", "fpboost_authors", "fpboost_paper", "xgb_aft"
OTHERS = ("xgb_aft", "xgb_cox", "comprisk", "survivalboost", "gradient_boosting", "forest")
#: One Weibull and one log-logistic head: two scales, two shapes, two shares and the level.
TREES_PER_ROUND = 7
#: Rows that the model is fitted to whose predictions are timed.
FITTED_FOR_PREDICTION = 20_000
#: Columns of the paper's table that the authors' package does not know.
UNKNOWN_TO_AUTHORS = ("init", "patience")

ROUNDS = {"n_estimators": 50, "max_depth": 6, "learning_rate": 0.1}
#: The same trees for all models and versions, whatever their defaults: those of XGBoost, and sampled ones.
HALF = {"subsample": 0.5, "colsample_bytree": 0.5, "max_bin": 64}
SAMPLING: Mapping[str, dict[str, Any]] = {
    "all rows and columns in 256 bins": {"subsample": 1.0, "colsample_bytree": 1.0, "max_bin": 256},
    "half of the rows and columns in 64 bins": HALF,
}
#: Fixed rounds begin without covariates, as XGBoost does, with the two heads: choosing heads and the regression of the
#: default start are no part of boosting.
START = {"init": "marginal", "heads": None}

Action = Literal["fit", "shares", "risk", "survival"]


@dataclass(frozen=True)
class Part:
    """A comparison.

    Attributes
    ----------
    models : tuple of str
        Compared with one another; they are measured one right after the other.
    settings : tuple of str
        What is varied besides the rows.
    rows : tuple of int
        Numbers of rows.
    arguments : callable
        From a cell to the settings that the model is fitted with.
    arrays : callable
        From a cell to its data, the same for all models.
    action : callable
        From a cell to what the measuring process does: see `benchmarks.studies.speed.measure`.
    threads : int or None
        Threads of this part; None for those of the command.
    """

    models: tuple[str, ...]
    settings: tuple[str, ...]
    rows: tuple[int, ...]
    arguments: Callable[[Cell], dict[str, Any]]
    arrays: Callable[[Cell], Arrays]
    action: Callable[[Cell], Action]
    threads: int | None = None

    def cells(self, name: str, rows: Sequence[int], threads: int, repeats: int) -> list[Cell]:
        """All cells of this part: for the same data and repeat, the models one after the other."""
        return [
            Cell(name, model, setting, n, self.threads or threads, repeat)
            for n in rows
            for setting in self.settings
            for repeat in range(repeats)
            for model in self.models
        ]


def fit(cell: Cell) -> Action:
    """Fit, and predict for the same rows."""
    return "fit"


def nothing(cell: Cell) -> dict[str, Any]:
    """All defaults."""
    return {}


def the_rounds(cell: Cell) -> dict[str, Any]:
    """A fixed number of rounds, from our own start."""
    return ROUNDS | HALF


def rounds_of(cell: Cell) -> dict[str, Any]:
    """A fixed number of rounds, with the same trees for every model."""
    return ROUNDS | SAMPLING[cell.setting] | ({} if cell.model == AFT else START)


def heads_of(cell: Cell) -> dict[str, Any]:
    """Half of the heads of each family, 20 rounds of shallow trees."""
    half = int(cell.setting) // 2
    heads = {"weibull_heads": half, "loglogistic_heads": half}
    return heads | ROUNDS | {"n_estimators": 20, "max_depth": 2} | HALF | START


def paper_of(cell: Cell) -> dict[str, Any]:
    """The published settings of a data set, as far as the authors' package knows them."""
    settings = published_settings(cell.setting)
    return {name: value for name, value in settings.items() if name not in UNKNOWN_TO_AUTHORS}


def _simulated(cell: Cell) -> Arrays:
    return data.numbered(cell.rows, cell.repeat)


PARTS: Mapping[str, Part] = {
    "fits": Part(
        (OWN, PREVIOUS, *OTHERS),
        ("defaults",),
        (1_000, 10_000, 100_000),
        arguments=nothing,
        arrays=_simulated,
        action=fit,
    ),
    "fixed": Part(
        (OWN, PREVIOUS, AFT),
        tuple(SAMPLING),
        (200_000,),
        arguments=rounds_of,
        arrays=_simulated,
        action=lambda cell: "fit" if cell.model == AFT else "shares",
    ),
    "heads": Part(
        (OWN, PREVIOUS),
        ("2", "4", "8", "16", "32", "64"),
        (10_000,),
        arguments=heads_of,
        arrays=_simulated,
        action=fit,
    ),
    "paper": Part(
        (PAPER, AUTHORS),
        tuple(HYPERPARAMETERS),
        (0,),
        arguments=paper_of,
        arrays=lambda cell: data.of_the_paper(cell.setting),
        action=lambda cell: "shares" if cell.model == PAPER else "fit",
        threads=1,
    ),
    "predict": Part(
        (OWN, PREVIOUS),
        ("risk", "survival"),
        (1_000_000,),
        arguments=the_rounds,
        arrays=lambda cell: data.with_new_rows(min(FITTED_FOR_PREDICTION, cell.rows), cell.rows, cell.repeat),
        action=lambda cell: "risk" if cell.setting == "risk" else "survival",
    ),
}
