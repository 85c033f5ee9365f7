"""Loaders of the eight data sets of the paper and of those of SurvSet. They need the extra ``datasets``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from hazboost.datasets import deepsurv, scikit_survival, survset
from hazboost.datasets.dataset import Dataset, Leak, drop_leaks

#: The data sets of the paper, in its order.
LOADERS: dict[str, Callable[[], Dataset]] = {
    "aids": scikit_survival.aids,
    "breast_cancer": scikit_survival.breast_cancer,
    "flchain": scikit_survival.flchain,
    "gbsg2": scikit_survival.gbsg2,
    "metabric": deepsurv.metabric,
    "support2": survset.support2,
    "veterans": scikit_survival.veterans,
    "whas": deepsurv.whas,
}
#: How to remove the leaks of data sets for which dropping columns is not enough.
REMEDIES: dict[str, Callable[[Dataset], Dataset]] = {"whas": deepsurv.split_by_patient}
PAPER = tuple(LOADERS)
SURVSET = "survset/"


def load_dataset(name: str, *, leak_free: bool = False) -> Dataset:
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of `PAPER`, or ``"survset/<name>"`` for a data set of SurvSet with time-fixed covariates.
    leak_free : bool, default False
        Whether to remove known leaks of the outcome. False: columns and split as in the paper. True: FLCHAIN without
        ``chapter``; SUPPORT2 without ``fac_sfdm2`` and ``fac_dnr``; WHAS without ``x0``, and with the patients as
        ``groups`` in place of the published split. Data sets without a known leak are unchanged.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from hazboost.datasets import load_dataset
    >>> gbsg2 = load_dataset("gbsg2")
    >>> gbsg2.X.shape, gbsg2.y.dtype.names, gbsg2.time_unit
    ((686, 8), ('event', 'time'), 'days')
    """
    dataset = _load(name)
    return REMEDIES.get(name, drop_leaks)(dataset) if leak_free else dataset


def _load(name: str) -> Dataset:
    if name in LOADERS:
        return LOADERS[name]()
    if name.startswith(SURVSET):
        return survset.load(name.removeprefix(SURVSET))
    raise ValueError(f"name must be one of {', '.join(PAPER)} or {SURVSET}<name in SurvSet>; got {name!r}.")


def dataset_names() -> tuple[str, ...]:
    """Names that `load_dataset` accepts: `PAPER` and, if SurvSet is installed, its data sets."""
    # find_spec looks for the package without importing it, and pandas with it.
    if importlib.util.find_spec("SurvSet") is None:
        return PAPER
    return (*PAPER, *(SURVSET + name for name in survset.names()))


__all__ = ["PAPER", "Dataset", "Leak", "dataset_names", "load_dataset"]
