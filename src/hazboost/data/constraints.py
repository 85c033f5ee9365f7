"""Monotonicity and interaction constraints, as a user gives them."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hazboost.data.features import Schema
from hazboost.utils.describe import describe
from hazboost.utils.whole_numbers import is_whole_number


@dataclass(frozen=True)
class Constraints:
    """What the model may do with the features, by position.

    Attributes
    ----------
    directions : tuple of int
        For each feature 1 or -1 where the risk may only rise or only fall with it, and 0 elsewhere; empty without
        constraints.
    groups : tuple of tuples of int, optional
        Features that may interact; by default all of them.
    """

    directions: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] | None = None


def read_constraints(schema: Schema, width: int, monotone: Any, interaction: Any) -> Constraints:
    """Check the constraints of a user.

    Parameters
    ----------
    schema : Schema
        Names and categories of the features.
    width : int
        Number of features.
    monotone : mapping, sequence or None
        Directions by name or position of the feature, or one for each feature.
    interaction : sequence of sequences or None
        Groups of features that may interact, by name or position.
    """
    return Constraints(
        () if monotone is None else monotone_directions(schema, width, monotone),
        None if interaction is None else interaction_groups(schema, width, interaction),
    )


def monotone_directions(schema: Schema, width: int, given: Any) -> tuple[int, ...]:
    """Direction of each feature: 1 increasing, -1 decreasing, 0 unconstrained."""
    if isinstance(given, Mapping):
        # Features that are not mentioned are unconstrained.
        directions: list[Any] = [0] * width
        for feature, direction in given.items():
            directions[_position(schema, width, feature, "monotone_constraints")] = direction
    else:
        directions = list(given)
    if len(directions) != width:
        raise ValueError(
            f"monotone_constraints has {len(directions)} directions for {width} features; give one for each, 0 without "
            "a constraint, or a dict with the names of those that have one."
        )
    for direction in directions:
        if not isinstance(direction, numbers.Integral) or direction not in (-1, 0, 1):
            raise ValueError(f"monotone_constraints: every direction must be -1, 0 or 1; got {describe(direction)}.")
    ordered = [column for column in schema.categories if directions[column] != 0]
    if ordered:
        called = ordered[0] if schema.names is None else repr(schema.names[ordered[0]])
        raise ValueError(
            f"monotone_constraints: feature {called} has categories, which have no order; give it the direction 0, or "
            "convert its categories to numbers."
        )
    return tuple(int(direction) for direction in directions)


def interaction_groups(schema: Schema, width: int, given: Any) -> tuple[tuple[int, ...], ...]:
    """Groups of features by position."""
    name = "interaction_constraints"
    if not all(isinstance(group, list | tuple) for group in given):
        raise ValueError(f"{name} must be a list of groups of features, such as [[0, 1], [2]]; got {describe(given)}.")
    return tuple(tuple(_position(schema, width, feature, name) for feature in group) for group in given)


def _position(schema: Schema, width: int, feature: Any, name: str) -> int:
    """Position of a feature given by name or position."""
    # Names are strings, so a number is always a position, even if a column is named "0".
    if schema.names is not None and feature in schema.names:
        return schema.names.index(feature)
    if is_whole_number(feature, 0) and feature < width:
        return int(feature)
    raise ValueError(
        f"{name}: there is no feature {describe(feature)} in X; give the name of a column, or a position from 0 to "
        f"{width - 1}."
    )
