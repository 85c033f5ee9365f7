"""Which rows stay together, and how subjects are divided into folds."""

from __future__ import annotations

from itertools import chain, islice
from math import ceil

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from hazboost.data.target import Target, number_by_appearance
from hazboost.utils.arrays import Indices

#: Stands for the unknown cause of an event in an interval, above those of all causes.
INTERVAL = 127


def units(target: Target, group: Indices | None) -> Indices:
    """Number of the unit of each row that folds must not divide: its group or, where there are none, its subject."""
    return target.number if group is None else number_by_appearance(group)


def outcomes(target: Target, unit: Indices) -> Indices:
    """The outcome of each unit: 0 where it was censored, the cause of its event, or `INTERVAL`."""
    kind = np.zeros(int(unit.max()) + 1, dtype=np.intp)
    np.maximum.at(kind, unit, np.where(target.interval, INTERVAL, target.cause))
    return kind


def coarsen(kind: Indices, least: int) -> Indices:
    """Strata of units by outcome, of which each has at least ``least``: all outcomes, events or none, or all in one."""
    for coarser in (kind, (kind > 0).astype(np.intp)):
        counts = np.unique(coarser, return_counts=True)[1]
        if len(counts) > 1 and counts.min() >= least:
            return coarser
    return np.zeros_like(kind)


def rows_of(unit: Indices, chosen: Indices) -> Indices:
    """Rows of the chosen units; with one row for each, in the order of ``chosen``."""
    if len(unit) == int(unit.max()) + 1:
        return chosen
    return np.flatnonzero(np.isin(unit, chosen))


def split_units(kind: Indices, fraction: float, seed: int, *, grouped: bool) -> tuple[Indices, Indices]:
    """Units to train on and units to set aside, stratified by outcome where both parts can have some of each.

    Parameters
    ----------
    kind : array of int
        Outcome of each unit.
    fraction : float
        Share of the units to set aside.
    seed : int
        Seed of the draw.
    grouped : bool
        Whether units are groups of subjects, for the message.
    """
    stratum = coarsen(kind, 2)
    try:
        kept, aside = train_test_split(
            np.arange(len(kind)), test_size=fraction, stratify=stratum if stratum.any() else None, random_state=seed
        )
    except ValueError as error:
        what = "groups" if grouped else "subjects"
        raise ValueError(
            f"validation_fraction={fraction} cannot divide {len(kind)} {what} (n_samples={len(kind)}) into a training "
            "and a validation part; use more data, another fraction, eval_set, or patience=None."
        ) from error
    return kept, aside


def split_folds(
    target: Target, folds: int, seed: int, group: Indices | None = None, parts: int | None = None
) -> list[tuple[Indices, Indices]]:
    """Pairs of rows to train on and rows to hold out, in whole units, stratified where there are enough of a kind.

    Parameters
    ----------
    target : Target
        What was observed.
    folds : int
        Number of folds.
    seed : int
        Seed of the shuffling.
    group : array of int, optional
        Number of the group of each row.
    parts : int, optional
        Into how many parts the units are divided, if there are so many; each fold holds one of them out. With more
        folds than parts, units are divided again. By default there are as many parts as folds.
    """
    unit = units(target, group)
    pairs = divide_units(outcomes(target, unit), folds, seed, parts, grouped=group is not None, rows=len(unit))
    return [(rows_of(unit, kept), rows_of(unit, held)) for kept, held in pairs]


def divide_units(
    kind: Indices, folds: int, seed: int, parts: int | None = None, *, grouped: bool = False, rows: int = 0
) -> list[tuple[Indices, Indices]]:
    """The same for units, given the outcome of each; for messages, whether they are groups, and of how many rows."""
    fewest = min(folds, parts or folds)
    parts = max(fewest, min(parts or folds, len(kind)))
    if len(kind) < parts:
        what = "groups" if grouped else "subjects"
        enough = f"use {len(kind)} folds or fewer" if len(kind) > 1 else f"give at least two {what}"
        raise ValueError(
            f"n_folds={folds}: {len(kind)} {what} (n_samples={rows or len(kind)}) cannot be divided into {parts} "
            f"folds; {enough} (n_folds of FPBoost, cv of tune). With a given n_estimators and an init "
            "other than 'linear', FPBoost needs no folds."
        )
    stratum = coarsen(kind, parts)
    # A generator, unlike its seed, shuffles differently in each division.
    random = np.random.RandomState(seed)
    splitter = (StratifiedKFold if stratum.any() else KFold)(parts, shuffle=True, random_state=random)
    divisions = (splitter.split(np.zeros(len(kind)), stratum) for _ in range(ceil(folds / parts)))
    return list(islice(chain.from_iterable(divisions), folds))
