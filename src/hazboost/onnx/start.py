"""Scores before the first tree, as nodes of a graph."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from hazboost.data.design import Design
from hazboost.data.design.entries import LARGEST
from hazboost.data.design.learning import Indicators
from hazboost.onnx.tracing import TracedArray
from hazboost.prediction.model import Start
from hazboost.prediction.regression import ConstantStart, LinearStart
from hazboost.utils.arrays import Array


def start_scores(start: Start, features: TracedArray) -> Any:
    """Scores of each row, of shape (n, scores), or (1, scores) where they are the same for all."""
    if isinstance(start, ConstantStart):
        return start.intercept[None]
    if isinstance(start, LinearStart):
        return start.scores_of_shifts(_shifts(start.design, start.coefficient, features))
    raise ValueError(
        f"model: a start of class {type(start).__name__} cannot be exported; use init='linear', 'marginal', 'km' or "
        "'random'."
    )


def _shifts(design: Design, coefficient: Array, features: TracedArray) -> TracedArray:
    """What `Design.predict` computes, of shape (n, causes)."""
    width = len(design.numeric)
    numbers = range(len(design.indicators.positions))
    parts = [_of_category(design.indicators, number, coefficient[width:], features) for number in numbers]
    if width:
        parts.append(_numbers(design, features) @ coefficient[:width])
    return reduce(add, parts)


def _numbers(design: Design, features: TracedArray) -> TracedArray:
    """Standardised columns of numeric features."""
    numbers, columns = features[:, design.numeric], design.standardisation
    values = np.clip(numbers, -LARGEST, LARGEST)
    if columns.skewed.any():
        values = np.where(columns.skewed, columns.straightening(values), values)
    return columns.standardise(values, columns.center, columns.scale, np.isnan(numbers))


def _of_category(indicators: Indicators, number: int, coefficient: Array, features: TracedArray) -> TracedArray:
    """What a categorical feature adds: a table with a row for each category, and one of zeros for a missing one."""
    one, mine = indicators.of_feature(number)
    codes = np.append(np.arange(mine.sum(), dtype=np.float64), np.nan)[:, None]
    table = features.as_traced(replace(one, positions=np.array([0])).columns(codes) @ coefficient[mine])
    code = features[:, int(one.positions[0])]
    place = np.where(np.isnan(code), float(len(codes) - 1), code).astype(np.int64)
    return table.node("Gather", place, ndim=2, axis=0)
