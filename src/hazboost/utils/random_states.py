"""Sources of random numbers among what a user gave."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from hazboost.utils.describe import describe


def as_random_state(random_state: Any) -> np.random.RandomState:
    """What scikit-learn makes of a ``random_state``; an error that names the argument if it makes nothing of it."""
    try:
        found: np.random.RandomState = check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            "random_state must be a whole number from 0 to 4294967295, a numpy.random.RandomState, or None; got "
            f"{describe(random_state)}."
        ) from error
    return found


def as_seed(random_state: Any) -> int:
    """An integer seed: the one given where it is an integer, and else one that is drawn."""
    source = as_random_state(random_state)
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(source.randint(np.iinfo(np.int32).max))
