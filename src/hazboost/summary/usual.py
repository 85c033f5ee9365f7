"""The usual subject of the training data, and what each feature changes for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from hazboost.data.cohort import LEVELS, Cohort, Feature
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import columns, cumulatives, log_time
from hazboost.prediction.model import Model, parameter_columns
from hazboost.utils.arrays import Array

#: With more features, their effects are not computed: the table of subjects grows with the square of their number.
MOST_FEATURES = 500
#: Quantiles to which a number is moved: not the extremes, which few subjects have.
MOVED = slice(LEVELS.index(0.05), LEVELS.index(0.95) + 1)


def usual_subject(cohort: Cohort) -> Array:
    """Encoded features of a subject that has the median of every number and the most frequent of all categories."""
    return np.array([_usual(one) for one in cohort.features])


def _usual(feature: Feature) -> float:
    if np.isnan(feature.quantiles).all() and len(feature.values):
        return float(feature.values[np.argmax(feature.counts)])
    return float(feature.quantiles[LEVELS.index(0.5)])


def distribution_of(model: Model, rows: Array) -> Distribution:
    """Predicted distributions of subjects, from dense encoded features."""
    encoded = scipy.sparse.csr_matrix(rows) if model.schema.sparse else rows
    return Distribution(model.mixture, model.scores(encoded), model.unit).on_host()


def heads_of_usual_subject(model: Model, cohort: Cohort) -> list[dict[str, Any]]:
    """Parameters of every head of the usual subject, and its share of the cumulative hazard until the horizon."""
    usual = distribution_of(model, usual_subject(cohort)[None])
    table = parameter_columns(usual)
    mixture, one = model.mixture, model.mixture.one_model
    parameters = mixture.parameters(columns(usual.scores))
    log_t = log_time(np.array([model.horizon / model.unit]))
    of_models = (parameters.weight * cumulatives(mixture.evaluate(parameters, log_t, VALUE)))[:, 0]
    hazard = of_models[mixture.heads_of_models].sum(axis=0)
    total = np.bincount(one.head_causes, hazard)[one.head_causes]
    shares = hazard / np.where(total > 0.0, total, 1.0)
    families = [block.head.name for block in one.blocks for _ in range(block.count)]
    names = [name for name in table if name not in ("subject", "cause", "head")]
    return [
        {
            "name": one.head_names[i],
            "family": families[i],
            "cause": int(one.head_causes[i]),
            "share": float(shares[i]),
            "parameters": {name: float(table[name][i]) for name in names if not np.isnan(table[name][i])},
        }
        for i in range(one.n_heads)
    ]


def effects(model: Model, cohort: Cohort) -> list[dict[str, Any]] | None:
    """The mean time without event, until the horizon, of the usual subject as one feature after the other is changed.

    Numbers take quantiles from 5 % to 95 %, or all of their values if these are few, and categories each other. The
    features that change most come first. None if there are more than `MOST_FEATURES`.
    """
    width = len(cohort.features)
    if width > MOST_FEATURES:
        return None
    values = [_values(one) for one in cohort.features]
    moved = np.repeat(np.arange(width), [len(one) for one in values])
    rows = np.tile(usual_subject(cohort), (len(moved), 1))
    rows[np.arange(len(moved)), moved] = np.concatenate(values)
    means = distribution_of(model, rows).restricted_mean(model.horizon)
    found = [_effect(i, values[i], means[moved == i]) for i in range(width) if len(values[i])]
    return sorted(found, key=lambda one: one["least"]["mean"] - one["most"]["mean"])


def _values(feature: Feature) -> Array:
    return feature.values if len(feature.values) else np.unique(feature.quantiles[MOVED])


def _effect(position: int, values: Array, means: Array) -> dict[str, Any]:
    ends = {"least": int(np.argmin(means)), "most": int(np.argmax(means))}
    return {
        "position": position,
        **{end: {"value": float(values[i]), "mean": float(means[i])} for end, i in ends.items()},
    }
