"""SUPPORT2, and the data sets of SurvSet with time-fixed covariates."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hazboost.data.surv import Surv
from hazboost.datasets.dataset import Dataset, Leak
from hazboost.datasets.packages import require
from hazboost.utils.arrays import Indices

# Only for types: pandas belongs to the extra ``datasets`` and is imported when a data set is loaded.
if TYPE_CHECKING:
    import pandas as pd

DRYSDALE = "Drysdale, SurvSet: an open-source time-to-event dataset repository, arXiv:2203.03094, 2022"
LEAKS = {
    "flchain": (
        Leak(
            ("fac_chapter",),
            'fac_chapter is the ICD chapter of the cause of death: "missing" exactly for subjects who did not die.',
        ),
    ),
    "support2": (
        Leak(
            ("fac_sfdm2",),
            'fac_sfdm2 is the state after two months: all 3123 patients with "<2 mo. follow-up" died by day 59, and of '
            "the others only 8.",
        ),
        Leak(
            ("fac_dnr",),
            'fac_dnr is not known at baseline: "dnr after sadm" is a do-not-resuscitate order given after admission to '
            "the study. Of its 2956 patients 93 % died, and half by day 20.",
        ),
    ),
}


def catalogue() -> pd.DataFrame:
    """One row per data set with time-fixed covariates: ``ds`` (name), ``n``, ``n_fac``, ``n_num`` and ``n_ohe``."""
    everything = require("SurvSet.data").SurvLoader().df_ds
    # Sets with time-dependent covariates (is_td) need rows (start, stop], which `Dataset` does not hold.
    return everything[~everything["is_td"].astype(bool)]


def names() -> tuple[str, ...]:
    """Names of the data sets with time-fixed covariates."""
    return tuple(map(str, catalogue()["ds"]))


def load(name: str) -> Dataset:
    """Load a data set by its name in SurvSet.

    If there are several event types (in one set), type 1 is the event and the others count as censoring. Missing
    categories are a category of their own, as encoded by SurvSet.
    """
    if name not in names():
        raise ValueError(
            f"name: SurvSet has no data set {name!r} with fixed covariates; use one of "
            "hazboost.datasets.dataset_names(). Load sets with time-varying covariates with SurvSet itself, and build "
            "y with hazboost.Surv.counting."
        )
    table, reference = _read(name)
    return Dataset(
        name=f"survset/{name}",
        title=name,
        X=_features(table),
        # One set (follic) has a second event type; comparing with 1 makes it censoring.
        y=Surv.right(table["event"].to_numpy() == 1, table["time"].to_numpy(dtype=float)),
        groups=_groups(table),
        description=f"{name} of SurvSet; its variables are described at {reference}.",
        citation=f"{DRYSDALE}.",
        leaks=LEAKS.get(name, ()),
        time_unit="not given",
    )


def support2() -> Dataset:
    """SUPPORT2: survival of seriously ill hospitalised patients."""
    return replace(
        load("support2"),
        name="support2",
        title="SUPPORT2",
        description=(
            "9105 seriously ill patients of five American hospitals, followed to death. The features include "
            "num_surv2m and num_surv6m, survival predictions of another model made on day 3."
        ),
        citation=(
            "Knaus et al., The SUPPORT prognostic model: objective estimates of survival for seriously ill "
            f"hospitalized adults, Annals of Internal Medicine 122:191-203, 1995; data: {DRYSDALE}."
        ),
        time_unit="days",
    )


def _read(name: str) -> tuple[pd.DataFrame, str]:
    """The data, and the address of the description of its variables."""
    loader = require("SurvSet.data").SurvLoader()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the files were written by an older NumPy
        content = loader.load_dataset(name)
    return content["df"], content["ref"]


def _features(table: pd.DataFrame) -> pd.DataFrame:
    """``num_*`` columns as floats, ``fac_*`` columns as categories with strings as levels."""
    pandas = require("pandas")
    return pandas.DataFrame({name: _as_feature(table[name]) for name in table if name.startswith(("num_", "fac_"))})


def _as_feature(column: pd.Series) -> pd.Series:
    if str(column.name).startswith("num_"):
        return column.astype(float)
    # Levels that mix numbers and strings cannot be sorted; their order would then depend on the order of the rows.
    return column.map(str, na_action="ignore").astype("category")


def _groups(table: pd.DataFrame) -> Indices | None:
    """The subject of each row, if some subjects have several rows (the two eyes of a patient, in two sets)."""
    subject: Indices = np.unique(table["pid"].to_numpy(), return_inverse=True)[1]
    return subject if subject.max() + 1 < len(subject) else None
