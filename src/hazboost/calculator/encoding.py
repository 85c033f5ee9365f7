"""Everything that predictions need, as plain data for the JavaScript in ``assets/model``."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.calculator.forest import encode_forest
from hazboost.data.design import Design
from hazboost.engines.structure import NO_CHILD, highest_values, read_trees
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.model import Model, Start
from hazboost.prediction.regression import ConstantStart, LinearStart
from hazboost.utils.arrays import Array

#: Families of heads that ``assets/model/heads.js`` knows.
FAMILIES = frozenset(
    {"weibull", "loglogistic", "exponential", "gompertz", "lognormal", "exponentiated_weibull", "bounded"}
)


def encode_model(model: Model, width: int) -> dict[str, Any]:
    """The model as JSON; ``width`` is the number of features."""
    return {
        "forest": encode_forest(model),
        "starts": [_encode_start(start) for start in model.starts],
        "mixture": _encode_mixture(model.mixture.one_model),
        "shrinkage": model.shrinkage.tolist(),
        "highest": _finite(highest_values(model.engine, width)),
        "sparse": model.schema.sparse,
        "unit": float(model.unit),
    }


def used_features(model: Model) -> set[int]:
    """Positions of the features on which predictions depend at all."""
    used = set()
    for start in model.starts:
        if isinstance(start, LinearStart):
            moving = np.abs(start.coefficient).max(axis=1, initial=0.0) > 0.0
            used |= set(start.design.features[moving].tolist())
    for trees in model.boosters:
        for tree in read_trees(model.engine, trees):
            used |= set(tree.feature[tree.left != NO_CHILD].tolist())
    return used


def _encode_start(start: Start) -> dict[str, Any]:
    if isinstance(start, LinearStart):
        return {
            "logIntercept": start.log_intercept.tolist(),
            "loading": start.loading.tolist(),
            "largestShift": float(start.largest_shift),
            **_encode_design(start.design, start.coefficient),
        }
    if isinstance(start, ConstantStart):
        return {"intercept": start.intercept.tolist()}
    raise TypeError(f"model: a calculator knows no start of type {type(start).__name__}; use one of FPBoost's own.")


def _encode_design(design: Design, coefficient: Array) -> dict[str, Any]:
    """The columns, with one list of coefficients (one for each cause) for each."""
    standard, indicators, numbers = design.standardisation, design.indicators, len(design.numeric)
    return {
        "farthest": float(standard.farthest),
        "numbers": [
            {
                "feature": int(design.numeric[i]),
                "straighten": [float(standard.straightening.unit[i]), float(standard.straightening.power[i])]
                if standard.skewed[i]
                else None,
                "center": float(standard.center[i]),
                "scale": float(standard.scale[i]),
                "coefficient": coefficient[i].tolist(),
            }
            for i in range(numbers)
            if np.isfinite(standard.scale[i]) and coefficient[i].any()  # others add nothing
        ],
        "categories": [
            {
                "feature": int(position),
                "low": indicators.low[indicators.number == number].tolist(),
                "high": indicators.high[indicators.number == number].tolist(),
                "coefficient": coefficient[numbers:][indicators.number == number].tolist(),
            }
            for number, position in enumerate(indicators.positions)
        ],
    }


def _encode_mixture(mixture: Mixture) -> dict[str, Any]:
    for block in mixture.one_cause.blocks:
        if block.head.name not in FAMILIES:
            raise ValueError(
                f"model: a calculator knows no heads of the family {block.head.name!r}; use a model without them."
            )
    return {
        "blocks": [[block.head.name, block.count, len(block.head.parameters)] for block in mixture.one_cause.blocks],
        "parameterActivation": mixture.parameter_activation.name,
        "weightActivation": mixture.weight_activation.for_heads(mixture.heads_per_cause).name,
        "background": float(mixture.background),
        "causes": mixture.n_causes,
    }


def _finite(values: Array) -> list[float | None]:
    """JSON has no infinity."""
    return [one if np.isfinite(one) else None for one in values.tolist()]
