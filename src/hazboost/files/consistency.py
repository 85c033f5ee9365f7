"""Whether the parts of a model fit together, so that a prediction finds everything where it looks for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from hazboost.data.cohort import LEVELS, Cohort
from hazboost.data.design import Design
from hazboost.data.features import LARGEST, Schema
from hazboost.engines.base import Engine
from hazboost.engines.divided import DividedEngine
from hazboost.engines.features import Features
from hazboost.engines.local import LocalEngine
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.effects import can_accelerate
from hazboost.prediction.model import Model, Start
from hazboost.prediction.regression import AcceleratedStart, ConstantStart, LinearStart
from hazboost.utils.arrays import Indices


def check_engine(engine: Engine, n_scores: int, n_features: int) -> None:
    """It makes so many scores of so many features; a divided one makes none of them twice."""
    if isinstance(engine, DividedEngine):
        scores = np.concatenate([part.scores for part in engine.parts])
        require(_are_positions(scores, n_scores) and len(np.unique(scores)) == len(scores), "scores of the parts")
        for part in engine.parts:
            require(_are_positions(part.features, n_features), "features of a part")
            check_engine(part.engine, len(part.scores), len(part.features))
    elif isinstance(engine, LocalEngine):
        require(engine.n_scores == n_scores, "scores of the engine")
        _check_features(engine.features, n_features)
        _check_settings(engine.settings)


def _check_features(features: Features | None, n_features: int) -> None:
    if features is None:
        raise ValueError("features of the engine are missing")
    require(features.n == n_features, "features of the engine")
    require(features.names is None or len(features.names) == n_features, "names of features")
    require(not features.directions or len(features.directions) == n_features, "directions of features")
    highest = np.array([] if features.highest is None else features.highest)
    require(features.highest is None or len(highest) == n_features, "largest values of features")
    require(bool(((np.abs(highest) <= LARGEST) | (highest == np.inf)).all()), "largest values of features")
    require(max(features.categorical, default=-1) < n_features, "categorical features")


def _check_settings(settings: Mapping[str, Any]) -> None:
    require(all(isinstance(one, str | int | float) for one in settings.values()), "settings of the trees")
    whole = all(type(settings.get(name)) is int and settings[name] >= 1 for name in ("nthread", "max_bin"))
    require(whole and isinstance(settings.get("learning_rate"), int | float), "settings of the trees")
    require(bool(re.fullmatch(r"cpu|(cuda|gpu)(:\d{1,3})?", str(settings.get("device")))), "device of the trees")


def check_model(model: Model, n_features: int) -> None:
    """Starts, shrinkage and schema belong to the heads and features. The engine was checked before its trees."""
    one = model.mixture.one_model
    require(model.shrinkage.shape == (one.n_scores,), "shrinkage")
    require(len(model.starts) == len(model.boosters) == model.mixture.n_models, "numbers of starts and of ensembles")
    _check_schema(model.schema, n_features)
    for start in model.starts:
        _check_start(start, one, model.schema, n_features)


def check_attributes(attributes: Mapping[str, Any], model: Model) -> None:
    """Fitted attributes are those of this model."""
    require(np.array_equal(attributes["causes_"], np.arange(1, model.mixture.n_causes + 1)), "causes_")
    require(attributes["n_estimators_"] == model.n_rounds, "n_estimators_")
    names = attributes.get("feature_names_in_")
    if names is not None:
        require(isinstance(names, np.ndarray) and names.tolist() == model.schema.names, "feature_names_in_")
    _check_cohort(attributes["cohort_"], model, attributes["n_features_in_"])
    for name in ("unique_times_", "event_times_"):
        times = attributes[name]
        require(len(times) > 0 and bool((times >= 0.0).all() and (np.diff(times) > 0.0).all()), name)


def _check_cohort(cohort: Cohort, model: Model, n_features: int) -> None:
    """It has as many features, categories and causes as the model."""
    curves = (model.mixture.n_causes, len(cohort.times))
    require(len(cohort.events) == curves[0] and cohort.observed.shape == cohort.expected.shape == curves, "cohort_")
    require(len(cohort.times) > 1 and bool((np.diff(cohort.times) > 0.0).all()), "times of the cohort")
    table, sizes = cohort.features, cohort.features.sizes
    require(table.missing.shape == sizes.shape == (n_features,), "features of the cohort")
    require(table.quantiles.shape == (n_features, len(LEVELS)), "quantiles of the cohort")
    require(bool((sizes >= 0).all()) and len(table.values) == len(table.counts) == sizes.sum(), "values of the cohort")
    for i, categories in model.schema.categories.items():
        require(sizes[i] == len(categories), "categories of the cohort")


def _check_schema(schema: Schema, n_features: int) -> None:
    require(schema.names is None or len(schema.names) == n_features, "names of columns")
    require(max(schema.categories, default=-1) < n_features, "columns with categories")
    require(not (schema.categories and (schema.sparse or schema.names is None)), "columns with categories")


def _check_start(start: Start, mixture: Mixture, schema: Schema, n_features: int) -> None:
    if isinstance(start, ConstantStart):
        require(start.intercept.shape == (mixture.n_scores,), "start")
    elif isinstance(start, LinearStart):
        same = start.mixture.n_scores, start.mixture.n_causes, dict(start.mixture.counts)
        require(same == (mixture.n_scores, mixture.n_causes, dict(mixture.counts)), "heads of the start")
        require(start.log_intercept.shape == start.at_bound.shape == (mixture.n_scores,), "start")
        _check_design(start.design, schema, n_features)
        require(start.coefficient.shape == (len(start.design.features), mixture.n_causes), "coefficients")
    if isinstance(start, AcceleratedStart):
        require(can_accelerate(mixture), "heads of the start")
        require(start.kappa.shape == (mixture.n_causes,) and bool((start.kappa > 0.0).all()), "kappa of the start")


def _check_design(design: Design, schema: Schema, n_features: int) -> None:
    """Every feature is a number or has indicators, one for each of its categories."""
    indicators, of = design.indicators, design.standardisation
    used = np.sort(np.concatenate([design.numeric, indicators.positions]))
    require(np.array_equal(used, np.arange(n_features)), "features of the start")
    require(np.array_equal(design.numeric, np.sort(design.numeric)), "features of the start")
    columns = (of.skewed, of.straightening.unit, of.straightening.power, of.center, of.scale)
    require(all(len(one) == len(design.numeric) for one in columns), "columns of the start")
    counts = [len(schema.categories.get(int(position), [])) for position in indicators.positions]
    require(np.array_equal(indicators.number, np.repeat(np.arange(len(counts)), counts)), "indicators of the start")
    require(0 not in counts and not (schema.sparse and counts), "indicators of the start")
    require(len(indicators.low) == len(indicators.high) == len(indicators.number), "indicators of the start")


def _are_positions(values: Indices, count: int) -> bool:
    return len(values) > 0 and bool(((values >= 0) & (values < count)).all())


def require(holds: bool, what: str) -> None:
    """Refuse parts that do not fit together."""
    if not holds:
        raise ValueError(f"{what} do not fit the rest")
