"""Inner folds for models that choose a setting by cross-validation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

FOLDS = 5
#: Above this number of rows one fold is held out instead of five in turn.
ONE_FOLD_ABOVE = 2_000

Indices = npt.NDArray[np.intp]


def inner_folds(event: npt.NDArray[np.bool_], seed: int) -> list[tuple[Indices, Indices]]:
    """Pairs of rows to fit on and rows to check on, stratified on the event."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(np.zeros(len(event)), event)
    pairs = list(folds)
    return pairs if len(event) <= ONE_FOLD_ABOVE else pairs[:1]
