"""What a loaded data set is: features, outcome, split, and what a user has to know about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from hazboost.utils.arrays import Indices, Mask

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Leak:
    """Something by which a model can read the outcome without predicting it.

    Attributes
    ----------
    columns : tuple of str
        The features that tell the outcome; none where it is the split that leaks.
    what : str
        What they tell.
    """

    columns: tuple[str, ...]
    what: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A right-censored data set.

    Attributes
    ----------
    name : str
        What `load_dataset` was asked for.
    title : str
        Its name in the tables of the paper, or in SurvSet.
    X : DataFrame of shape (n, features)
        Numbers as float, flags as bool, categories as category. NaN where a value is missing.
    y : structured array of shape (n,)
        ``event`` (bool) and ``time`` (float), as `hazboost.Surv.right` gives.
    test : array of bool of shape (n,), or None
        The rows to test on, where the source says which.
    groups : array of int of shape (n,), or None
        Whose row it is, where a subject has several: split by it.
    description, citation : str
        What was observed, and whom to thank.
    leaks : tuple of Leak
        Where this data set tells the outcome.
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
    """The same rows without the columns that leak."""
    columns = [column for leak in dataset.leaks for column in leak.columns]
    return replace(dataset, X=dataset.X.drop(columns=columns), leaks=())
