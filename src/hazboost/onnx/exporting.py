"""A fitted model as an ONNX model."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hazboost.data.features import Schema
from hazboost.engines.structure import highest_values, read_trees
from hazboost.hazards.mixture import Mixture
from hazboost.onnx.graph import Graph, Value
from hazboost.onnx.heads import Heads, total
from hazboost.onnx.start import start_scores
from hazboost.onnx.tracing import TYPES, Traced, TracedArray
from hazboost.onnx.trees import sum_trees
from hazboost.prediction.model import Model
from hazboost.utils.describe import describe
from hazboost.utils.files import complete_file

#: Outputs that are functions of time.
OVER_TIME = ("survival", "cumulative_hazard", "cumulative_incidence")
OUTPUTS = ("scores", "parameters", *OVER_TIME)
DOUBLE = TYPES[np.dtype(np.float64)]


def write_onnx(path: str | os.PathLike[str], model: Model, n_features: int, outputs: Sequence[str]) -> None:
    """Write a fitted model for so many features to a file, with some of `OUTPUTS`."""
    _check(model.mixture, outputs)
    made = _make(model, n_features, outputs).SerializeToString()
    with complete_file(path) as beside:
        beside.write_bytes(made)


def _make(model: Model, n_features: int, outputs: Sequence[str]) -> Any:
    graph = Graph()
    inputs: dict[str, Value] = {"features": (DOUBLE, ["n", n_features])}
    scores = _scores(model, Traced(graph, "features", 2), n_features)
    heads = Heads(model.mixture, scores, model.unit)
    results = {"scores": scores} if "scores" in outputs else {}
    if "parameters" in outputs:
        results |= {f"parameter_{name}": values for name, values in heads.parameters().items()}
    if set(outputs) & set(OVER_TIME):
        inputs["times"] = (DOUBLE, ["times"])
        over_time = _over_time(heads, Traced(graph, "times", 1))
        results |= {name: values for name, values in over_time.items() if name in outputs}
    for name, values in results.items():
        graph.rename(values.name, name)
    shapes = {name: (DOUBLE, _shape(name, model.mixture)) for name in results}
    return graph.model(inputs, shapes, _metadata(model, n_features))


def _check(mixture: Mixture, outputs: Sequence[str]) -> None:
    """Refuse outputs that are not known, and what no graph can compute."""
    named = () if isinstance(outputs, str) else outputs  # a text would be taken for a list of its letters
    unknown = next((name for name in named if name not in OUTPUTS), None if named else outputs)
    if unknown is not None:
        raise ValueError(f"outputs must be a list of some of {', '.join(map(repr, OUTPUTS))}; got {describe(unknown)}.")
    if mixture.weight_activation.signed:
        raise ValueError(
            f"heads_activation={mixture.weight_activation.name!r}: weights that may be negative need a search for the "
            "times at which the hazard is clipped, for which ONNX has no operators; fit with another heads_activation, "
            "or keep the model with save()."
        )


def _scores(model: Model, features: TracedArray, n_features: int) -> TracedArray:
    """Raw scores of all models, of shape (n, scores): their starts plus their shrunken trees."""
    known = _with_known_categories(features, model.schema, n_features)
    mixture, n_models = model.mixture, len(model.starts)
    # Neither starts nor trees need to depend on the rows.
    nothing = np.zeros_like(features[:, :1])
    start = mixture.join_models([nothing + start_scores(start, known) for start in model.starts])
    trees = [
        replace(tree, score=int(scores[tree.score]))
        for scores, ensemble in zip(mixture.scores_of_models, model.boosters, strict=True)
        for tree in read_trees(model.engine, ensemble)
    ]
    grown = sum_trees(_as_trees_read(known, model, n_features), trees, mixture.n_scores)
    return start + grown * mixture.join_models([model.shrinkage[None]] * n_models)


def _with_known_categories(features: TracedArray, schema: Schema, n_features: int) -> TracedArray:
    """Features in which codes that stand for no category are missing."""
    if not schema.categories:
        return features
    low, high = np.full(n_features, -np.inf), np.full(n_features, np.inf)
    for position, categories in schema.categories.items():
        low[position], high[position] = 0.0, len(categories) - 1.0
    return np.where((features >= low) & (features <= high), features, np.nan)


def _as_trees_read(features: TracedArray, model: Model, n_features: int) -> TracedArray:
    """Values above the largest of the training data are set to that; zeros of a sparse matrix are missing."""
    if model.schema.sparse:
        features = np.where(features == 0.0, np.nan, features)
    highest = highest_values(model.engine, n_features)
    return np.where(features > highest, highest, features) if np.isfinite(highest).any() else features


def _over_time(heads: Heads, times: TracedArray) -> dict[str, TracedArray]:
    hazard = total(heads.cumulative_hazards(times))
    incidences = [one[:, None] for one in heads.cumulative_incidences(times)]
    return {
        "survival": np.exp(-hazard),
        "cumulative_hazard": hazard,
        "cumulative_incidence": np.concatenate(incidences, axis=1),
    }


def _shape(name: str, mixture: Mixture) -> list[str | int]:
    if name == "scores":
        return ["n", mixture.n_scores]
    if name in OVER_TIME:
        return ["n", mixture.n_causes, "times"] if name == "cumulative_incidence" else ["n", "times"]
    return ["n", mixture.one_model.n_heads]


def _metadata(model: Model, n_features: int) -> dict[str, str]:
    """What somebody needs to know who has only this file: columns, codes of categories, heads."""
    schema, mixture = model.schema, model.mixture.one_model
    names = schema.names_of(n_features)
    categories = {names[position]: [_plain(one) for one in known] for position, known in schema.categories.items()}
    return {
        "features": json.dumps(names),
        "categories": json.dumps(categories),
        "heads": json.dumps(mixture.head_names),
        "causes": json.dumps(mixture.head_causes.tolist()),
        "longest_follow_up": json.dumps(model.longest),
    }


def _plain(category: Any) -> Any:
    """A category as JSON has it: text and numbers as they are, all others as text."""
    value = category.item() if isinstance(category, np.generic) else category
    return value if isinstance(value, str | int | float | bool) else str(value)
