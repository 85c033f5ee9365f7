"""SUPPORT2, and the time-fixed data sets of SurvSet."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hazboost.data.surv import Surv
from hazboost.datasets.dataset import Dataset, Leak
from hazboost.datasets.packages import require
from hazboost.utils.arrays import Indices

if TYPE_CHECKING:
    import pandas as pd

DRYSDALE = "Drysdale, SurvSet: an open-source time-to-event dataset repository, arXiv:2203.03094, 2022"
LEAKS = {
    "flchain": Leak(
        ("fac_chapter",),
        'fac_chapter is the chapter of the cause of death: "missing" exactly for those who did not die.',
    ),
    "support2": Leak(
        ("fac_sfdm2",),
        'fac_sfdm2 is the state after two months: all 3123 patients with "<2 mo. follow-up" died by day 59, and only 8 '
        "of the others did.",
    ),
}


def catalogue() -> pd.DataFrame:
    """One row for each time-fixed set: ``ds`` (its name), ``n``, ``n_fac``, ``n_num`` and ``n_ohe``."""
    everything = require("SurvSet.data").SurvLoader().df_ds
    return everything[~everything["is_td"].astype(bool)]


def names() -> tuple[str, ...]:
    """Names of the time-fixed sets."""
    return tuple(map(str, catalogue()["ds"]))


def load(name: str) -> Dataset:
    """A set by its name in SurvSet.

    With several kinds of event (one set) the first is the event, the others are censoring. Missing categories are, by
    SurvSet, a category of their own.
    """
    if name not in names():
        raise ValueError(
            f"SurvSet has no time-fixed data set {name!r}; it has {', '.join(names())}. Sets with covariates that "
            "change over time are loaded by SurvSet itself; `hazboost.Surv.counting` makes their y."
        )
    table, reference = _read(name)
    return Dataset(
        name=f"survset/{name}",
        title=name,
        X=_features(table),
        y=Surv.right(table["event"].to_numpy() == 1, table["time"].to_numpy(dtype=float)),
        groups=_groups(table),
        description=f"{name} of SurvSet; its variables are described at {reference}.",
        citation=f"{DRYSDALE}.",
        leaks=(LEAKS[name],) if name in LEAKS else (),
        time_unit="not given",
    )


def support2() -> Dataset:
    """SUPPORT2: death of seriously ill patients in hospital and after."""
    return replace(
        load("support2"),
        name="support2",
        title="SUPPORT2",
        description=(
            "9105 seriously ill patients of five American hospitals, followed to death. Among the features are "
            "forecasts: num_surv2m and num_surv6m, of a model, made on day 3."
        ),
        citation=(
            "Knaus et al., The SUPPORT prognostic model: objective estimates of survival for seriously ill "
            f"hospitalized adults, Annals of Internal Medicine 122:191-203, 1995; data: {DRYSDALE}."
        ),
        time_unit="days",
    )


def _read(name: str) -> tuple[pd.DataFrame, str]:
    """The table, and the address of its description."""
    loader = require("SurvSet.data").SurvLoader()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the files were written by an older NumPy
        content = loader.load_dataset(name)
    return content["df"], content["ref"]


def _features(table: pd.DataFrame) -> pd.DataFrame:
    """``num_*`` as floats, ``fac_*`` as categories with strings as levels."""
    pandas = require("pandas")
    return pandas.DataFrame({name: _as_feature(table[name]) for name in table if name.startswith(("num_", "fac_"))})


def _as_feature(column: pd.Series) -> pd.Series:
    if str(column.name).startswith("num_"):
        return column.astype(float)
    return column.map(str, na_action="ignore").astype("category")


def _groups(table: pd.DataFrame) -> Indices | None:
    """Whose row it is, where somebody has several (two eyes, in two sets)."""
    subject: Indices = np.unique(table["pid"].to_numpy(), return_inverse=True)[1]
    return subject if subject.max() + 1 < len(subject) else None
