"""The protocol of the paper: the rows for training, validation and testing, and their preprocessing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import train_test_split

from benchmarks.peers.shared.base import Sample
from benchmarks.studies.paper.preprocessing import Preprocessor
from hazboost.datasets import Dataset
from hazboost.utils.arrays import Indices, Mask


@dataclass(frozen=True)
class Protocol:
    """The numbers of the protocol.

    Attributes
    ----------
    test_share : float
        Share of the rows that are only tested on, the same for all seeds.
    test_seed : int
        Seed of that split. Data with a predefined split (METABRIC, WHAS) keep theirs.
    validation_share : float
        Share of the other rows that are for validation, drawn anew for each seed.
    seeds : int
        Number of seeds: 0, 1, 2, ...
    grid_size : int
        Number of times at which probabilities are judged.
    trim : float
        Share of the follow-up of the test rows that is cut off at both ends of the trimmed grid.
    follow_up : float
        Test rows are censored at this share of the longest follow-up of the training part, for metrics that
        weight with its censoring, which is not known beyond.
    """

    test_share: float = 0.2
    test_seed: int = 42
    validation_share: float = 0.2
    seeds: int = 30
    grid_size: int = 100
    trim: float = 0.1
    follow_up: float = 0.999


PROTOCOL = Protocol()


@dataclass(frozen=True)
class Split:
    """What a model is trained on, and what it is tested on.

    Attributes
    ----------
    train, validation, test : Sample
        The three parts: features without missing values, and times divided by the longest of the training part, which
        those of the other two may exceed.
    names : tuple of str
        Names of the columns.
    categorical : array of bool
        Which columns are the 0 and 1 of a category.
    unit : float
        What times were divided by.
    """

    train: Sample
    validation: Sample
    test: Sample
    names: tuple[str, ...]
    categorical: Mask
    unit: float


def prepare(dataset: Dataset, seed: int, protocol: Protocol = PROTOCOL) -> Split:
    """Split a data set and preprocess its parts, with what is learned from the training part alone.

    Parameters
    ----------
    dataset : Dataset
        Features and outcomes.
    seed : int
        Which of the splits into training and validation part.
    protocol : Protocol
        The shares.

    Returns
    -------
    Split
        The same for the same arguments.
    """
    parts = split_rows(dataset, seed, protocol)
    preprocessor = Preprocessor().fit(dataset.X.iloc[parts[0]])
    unit = float(dataset.y["time"][parts[0]].max())
    train, validation, test = (
        Sample(
            preprocessor.transform(dataset.X.iloc[rows]),
            dataset.y["event"][rows],
            dataset.y["time"][rows] / unit,
            None if dataset.groups is None else dataset.groups[rows],
        )
        for rows in parts
    )
    return Split(train, validation, test, preprocessor.names, preprocessor.categorical, unit)


def split_rows(dataset: Dataset, seed: int, protocol: Protocol = PROTOCOL) -> tuple[Indices, Indices, Indices]:
    """Row numbers of the training, validation and test part."""
    event, groups = dataset.y["event"], _groups(dataset)
    if dataset.test is None:
        tested = _hold_out(np.ones(len(event), dtype=bool), event, groups, protocol.test_share, protocol.test_seed)
    else:
        tested = dataset.test
    validated = _hold_out(~tested, event, groups, protocol.validation_share, seed)
    return np.flatnonzero(~tested & ~validated), np.flatnonzero(validated), np.flatnonzero(tested)


def _groups(dataset: Dataset) -> npt.NDArray[Any]:
    """The subject of each row; every row is one of its own where nothing else is known."""
    return np.arange(len(dataset.y)) if dataset.groups is None else dataset.groups


def _hold_out(among: Mask, event: Mask, groups: npt.NDArray[Any], share: float, seed: int) -> Mask:
    """A share of the subjects in question, stratified on whether they had the event, with all their rows."""
    subjects, inverse = np.unique(groups[among], return_inverse=True)
    had_event = np.bincount(inverse, weights=event[among]) > 0
    held_out = train_test_split(subjects, test_size=share, random_state=seed, stratify=had_event)[1]
    return among & np.isin(groups, held_out)
