"""What the page asks for: one input for each feature that the model uses, with the range that was usual in training."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, log10
from typing import Any

import numpy as np

from hazboost.calculator.encoding import used_features
from hazboost.data.cohort import LEVELS, Feature
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array

#: Numbers with so few values, or whole ones in a row, are chosen from a list.
FEW_VALUES = 4
#: Inputs that are always shown; others are folded away, beginning with those of the smallest effect.
MOST_SHOWN = 16
#: Steps of a slider.
STEPS = 100
#: Positions of quantiles: of the slider's ends, of the usual range, and of the middle.
SLIDER, USUAL, MIDDLE = (1, 7), (3, 5), LEVELS.index(0.5)


def make_inputs(model: Predictor, labels: Mapping[str, str], units: Mapping[str, str]) -> list[dict[str, Any]]:
    """The inputs, in the order of the columns."""
    schema, features = model.model_.schema, model.cohort_.features
    names = schema.names_of(len(features))
    inputs = []
    for position in sorted(used_features(model.model_)):
        name, feature = names[position], features[position]
        categories = schema.categories.get(position)
        inputs.append(
            {
                "feature": position,
                "label": str(labels.get(name, name)),
                "unit": str(units.get(name, "")),
                "missing": feature.missing,
                **_question(name, feature, categories, labels),
            }
        )
    return _fold(inputs, model)


def unused_names(model: Predictor, labels: Mapping[str, str]) -> list[str]:
    """Names of the features that the model does not use."""
    names, used = model.model_.schema.names_of(len(model.cohort_.features)), used_features(model.model_)
    return [str(labels.get(name, name)) for i, name in enumerate(names) if i not in used]


def value_texts(feature: Feature, categories: list[Any] | None) -> list[str]:
    """The values of a feature that is chosen from a list, as text; none of a number that is not."""
    if categories:
        return [str(one) for one in categories]
    return [f"{one:.{15 if one % 1 == 0 else 6}g}" for one in feature.values.tolist()] if _is_choice(feature) else []


def _question(name: str, feature: Feature, categories: list[Any] | None, labels: Mapping[str, str]) -> dict[str, Any]:
    """A choice of some values, or a number."""
    if categories is not None or _is_choice(feature):
        return _choice(name, feature, categories, labels)
    low, high = feature.quantiles[0], feature.quantiles[-1]
    if not np.isfinite([low, high]).all():  # rows that were drawn at random do not know it
        return {"typical": None}
    return {"low": float(low), "high": float(high), **_slider(feature)}


def _choice(name: str, feature: Feature, categories: list[Any] | None, labels: Mapping[str, str]) -> dict[str, Any]:
    """Values with their labels, and the typical one: the most frequent category, or the median of few numbers."""
    shown = value_texts(feature, categories)
    values = range(len(shown)) if categories else feature.values.tolist()
    keys, order = [f"{name}={text}" for text in shown], list(labels)
    options = [[value, str(labels.get(key, text))] for key, value, text in zip(keys, values, shown, strict=True)]
    share = np.cumsum(feature.counts) / max(1, feature.counts.sum())
    usual = int(np.argmax(feature.counts)) if categories else int(np.argmax(share >= 0.5))
    typical = options[usual][0] if options else None
    if all(key in labels for key in keys):  # whoever names all of them has put them in order
        options = [options[i] for i in sorted(range(len(keys)), key=lambda i: order.index(keys[i]))]
    return {"options": options, "typical": typical}


def _is_choice(feature: Feature) -> bool:
    values = feature.values
    return 0 < len(values) <= FEW_VALUES or bool(
        len(values) and (values % 1 == 0).all() and (np.diff(values) == 1).all()
    )


def _slider(feature: Feature) -> dict[str, Any]:
    """Ends and steps of the slider, the usual range and the typical value, all in steps of a round size."""
    quantiles = feature.quantiles
    begin, end = (float(quantiles[i]) for i in SLIDER)
    if begin == end:
        begin, end = float(quantiles[0]), float(quantiles[-1])
    # Values are not known one by one, but quartiles of whole numbers are multiples of a quarter.
    whole = bool((quantiles[[0, -1]] % 1 == 0).all() and (quantiles[[*USUAL, MIDDLE]] % 0.25 == 0).all())
    step = _round_step((end - begin) / STEPS)
    step = max(1.0, step) if whole else step
    decimals = max(0, -floor(log10(step)))
    return {
        "from": round(floor(begin / step) * step, decimals),
        "to": round(ceil(end / step) * step, decimals),
        "step": step,
        "usual": [round(float(quantiles[i]), decimals) for i in USUAL],
        "typical": min(max(round(float(quantiles[MIDDLE]), decimals), float(quantiles[0])), float(quantiles[-1])),
    }


def _round_step(size: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not larger.

    Examples
    --------
    >>> _round_step(0.37), _round_step(0.79), _round_step(34.0)
    (0.2, 0.5, 20.0)
    """
    if size <= 0.0:
        return 1.0
    power = floor(log10(size))
    digit = max(one for one in (1, 2, 5) if one <= size / 10.0**power * (1.0 + 1e-12))
    return float(f"{digit}e{power}")


def _fold(inputs: list[dict[str, Any]], model: Predictor) -> list[dict[str, Any]]:
    """Say which inputs are folded away, where there are many."""
    if len(inputs) <= MOST_SHOWN:
        return inputs
    effects = _effects(inputs, model)
    folded = set(np.argsort(-effects, kind="stable")[MOST_SHOWN:].tolist())
    return [{**one, "folded": i in folded} for i, one in enumerate(inputs)]


def _effects(inputs: list[dict[str, Any]], model: Predictor) -> Array:
    """How far each input alone moves the survival of somebody typical, from one end of its range to the other."""
    typical = np.full(len(model.cohort_.features), np.nan)
    for one in inputs:
        typical[one["feature"]] = np.nan if one["typical"] is None else one["typical"]
    ranges = [_range(one) for one in inputs]
    rows = np.repeat(typical[None], sum(map(len, ranges)), axis=0)
    number = np.repeat(np.arange(len(inputs)), list(map(len, ranges)))
    rows[np.arange(len(rows)), [inputs[i]["feature"] for i in number]] = np.concatenate(ranges)
    fitted = model.model_
    scores = fitted.scores(fitted.schema.encode(rows) if fitted.schema.sparse else rows)
    survival = Distribution(fitted.mixture, scores, fitted.unit).survival(np.array([fitted.horizon]))[:, 0]
    return np.array([np.ptp(survival[number == i]) for i in range(len(inputs))])


def _range(question: Mapping[str, Any]) -> list[float]:
    if "options" in question:
        return [float(value) for value, _ in question["options"]] or [np.nan]
    return [question["from"], question["to"]] if "from" in question else [np.nan]
