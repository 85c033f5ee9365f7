"""Monotonicity and interaction constraints: from the user's form to that of XGBoost."""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping
from typing import Any

from hazboost.data.features import Schema


def tree_constraints(schema: Schema, width: int, monotone: Any, interaction: Any) -> dict[str, Any]:
    """XGBoost's parameters for the constraints, with features given by position.

    Positions work for all names, also for those that XGBoost refuses.

    Parameters
    ----------
    schema : Schema
        Names of the features.
    width : int
        Number of features.
    monotone : mapping, sequence or None
        Directions by name or position of the feature, or one for each feature.
    interaction : sequence of sequences or None
        Groups of features that may interact, by name or position.
    """
    settings: dict[str, Any] = {}
    if monotone is not None:
        settings["monotone_constraints"] = monotone_directions(schema, width, monotone)
    if interaction is not None:
        # XGBoost expects this one as a JSON string, unlike the monotone constraints.
        settings["interaction_constraints"] = json.dumps(interaction_groups(schema, width, interaction))
    return settings


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
        raise ValueError(f"monotone_constraints has {len(directions)} directions for {width} features.")
    for direction in directions:
        if not isinstance(direction, numbers.Integral) or direction not in (-1, 0, 1):
            raise ValueError(f"monotone_constraints: every direction must be -1, 0 or 1; got {direction!r}.")
    return tuple(int(direction) for direction in directions)


def interaction_groups(schema: Schema, width: int, given: Any) -> list[list[int]]:
    """Groups of features by position."""
    name = "interaction_constraints"
    if not all(isinstance(group, list | tuple) for group in given):
        raise ValueError(f"{name} must be a list of groups of features, such as [[0, 1], [2]]; got {given!r}.")
    return [[_position(schema, width, feature, name) for feature in group] for group in given]


def _position(schema: Schema, width: int, feature: Any, name: str) -> int:
    """Position of a feature given by name or position."""
    # Names are strings, so a number is always a position, even if a column is named "0".
    if schema.names is not None and feature in schema.names:
        return schema.names.index(feature)
    if isinstance(feature, numbers.Integral) and not isinstance(feature, bool) and 0 <= int(feature) < width:
        return int(feature)
    raise ValueError(f"{name}: there is no feature {feature!r} in X.")
