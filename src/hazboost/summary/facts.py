"""Facts about a fitted model, as a dictionary that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hazboost.data.cohort import LEVELS, Cohort, Feature
from hazboost.engines.storage import versions
from hazboost.prediction.model import Model
from hazboost.summary.estimator import FittedEstimator
from hazboost.summary.usual import effects, heads_of_usual_subject

#: Histories that are told, if there are any.
HISTORIES = ("train_loss", "validation_loss", "validation_concordance")
#: What is told of the diagnostics.
DIAGNOSTICS = (
    "subjects_compared",
    "observed_events",
    "expected_events",
    "survival_error",
    "survival_error_time",
    "at_bounds",
)


def gather(estimator: FittedEstimator) -> dict[str, Any]:
    """All facts. NaN, which JSON does not know, is None."""
    model, cohort = estimator.model_, estimator.cohort_
    names = model.schema.names_of(len(cohort.features))
    facts = {
        "data": _data(model, cohort),
        "heads": heads_of_usual_subject(model, cohort),
        "start": _start(estimator),
        "trees": _trees(estimator),
        "fit": _fit(estimator),
        "horizon": model.horizon,
        "features": [
            _feature(model, i, name, one) for i, (name, one) in enumerate(zip(names, cohort.features, strict=True))
        ],
        "effects": _effects(model, cohort, names),
        "curves": {name: getattr(cohort, name) for name in ("times", "observed", "expected")},
        "versions": versions(),
    }
    plain: dict[str, Any] = _plain(facts)
    return plain


def _data(model: Model, cohort: Cohort) -> dict[str, Any]:
    return {
        "subjects": cohort.subjects,
        "events": cohort.events,
        "median_follow_up": cohort.follow_up,
        "longest_follow_up": model.longest,
        "features": len(cohort.features),
        "categorical_features": len(model.schema.categories),
        "missing": float(np.mean(cohort.features.missing)),
    }


def _start(estimator: FittedEstimator) -> dict[str, Any]:
    tried = estimator.cv_results_.get("ridges")
    return {
        "init": estimator.init,
        "ridge": estimator.ridge_,
        "adaptive_ridge": estimator.adaptive_ridge_,
        "ridges_tried": 0 if tried is None else len(tried),
        "acts_on": estimator.model_.linear_effect,
    }


def _trees(estimator: FittedEstimator) -> dict[str, Any]:
    model = estimator.model_
    return {
        "rounds": estimator.n_estimators_,
        "rounds_chosen": estimator.n_estimators == "auto",
        "stopped_early": estimator.patience is not None,
        "depth": estimator.max_depth_,
        "trees": model.n_trees,
        "models": model.mixture.n_models,
        "learning_rate": model.engine.learning_rate,
        "shrinkage": sorted(set(model.shrinkage.tolist())),
        "shift": sorted(estimator.cv_results_.get("shift", ())),
    }


def _fit(estimator: FittedEstimator) -> dict[str, Any]:
    kept, held_out = estimator.n_estimators_, estimator.cv_results_.get("round_loss")
    found = {name: estimator.history_[name] for name in HISTORIES if len(estimator.history_.get(name, ()))}
    ends = {name: {"start": values[0], "end": values[min(kept, len(values) - 1)]} for name, values in found.items()}
    if held_out is not None:
        ends["held_out_loss"] = {"start": held_out[0], "end": min(held_out) if kept else held_out[0]}
    return {**ends, **{name: estimator.diagnostics_[name] for name in DIAGNOSTICS if name in estimator.diagnostics_}}


def _feature(model: Model, position: int, name: str, feature: Feature) -> dict[str, Any]:
    described = {"name": name, "missing": feature.missing}
    known = model.schema.categories.get(position)
    if known is not None:
        counts = zip(map(str, known), feature.counts.tolist(), strict=True)
        return {**described, "kind": "categories", "counts": [list(pair) for pair in counts]}
    levels = zip(LEVELS, feature.quantiles.tolist(), strict=True)
    return {**described, "kind": "number", "quantiles": {f"{level:g}": value for level, value in levels}}


def _effects(model: Model, cohort: Cohort, names: Sequence[str]) -> list[dict[str, Any]] | None:
    """Effects with names instead of positions, and categories instead of codes."""
    found = effects(model, cohort)
    if found is None:
        return None
    for one in found:
        position = one.pop("position")
        known = model.schema.categories.get(position)
        one["feature"] = names[position]
        for end in ("least", "most"):
            value = one[end]["value"]
            one[end]["value"] = value if known is None else str(known[int(value)])
    return found


def _plain(value: Any) -> Any:
    """The same of Python's own types."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
