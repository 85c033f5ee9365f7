"""The type of a loaded data set: features, outcome, split, description and known leaks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from hazboost.utils.arrays import Indices, Mask

# pandas belongs to the extra ``datasets`` and is imported only when a data set is loaded.
if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Leak:
    """A leak: information on the outcome that would not be available when a prediction is made.

    Attributes
    ----------
    columns : tuple of str
        The features that reveal the outcome; empty if the leak is in the train/test split.
    what : str
        Description of the leak.
    """

    columns: tuple[str, ...]
    what: str


# eq=False: comparing the arrays with == would give arrays, not a truth value.
@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A right-censored data set.

    Attributes
    ----------
    name : str
        Name for `load_dataset`.
    title : str
        Name in the tables of the paper, or in SurvSet.
    X : DataFrame of shape (n, features)
        Covariates: numbers as float, binary flags as bool, categories as category. Missing values are NaN.
    y : structured array of shape (n,)
        ``event`` (bool) and ``time`` (float), as `hazboost.Surv.right` gives.
    test : array of bool of shape (n,), or None
        The test rows, if the source defines a split.
    groups : array of int of shape (n,), or None
        The subject of each row, if subjects have several rows; rows of one group belong into the same fold.
    description, citation : str
        What was observed, and the reference to cite.
    leaks : tuple of Leak
        Known leaks of the outcome.
    time_unit : str
        ``"days"``, ``"months"``, or ``"not given"``.
    """

    name: str
    title: str
    X: pd.DataFrame = field(repr=False)
    y: npt.NDArray[Any] = field(repr=False)
    test: Mask | None = field(default=None, repr=False)
    groups: Indices | None = field(default=None, repr=False)
    description: str
    citation: str = field(repr=False)
    leaks: tuple[Leak, ...] = ()
    time_unit: str


def drop_leaks(dataset: Dataset) -> Dataset:
    """The data set without the columns that leak the outcome."""
    columns = [column for leak in dataset.leaks for column in leak.columns]
    return replace(dataset, X=dataset.X.drop(columns=columns), leaks=())
