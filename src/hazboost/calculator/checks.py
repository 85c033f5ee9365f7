"""What the user has said of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hazboost.calculator.inputs import value_texts
from hazboost.prediction.predictor import Predictor
from hazboost.utils.describe import and_more, describe


@dataclass(frozen=True)
class Options:
    """Names and units for people.

    Attributes
    ----------
    labels, units : mapping of str to str
        Labels of columns and of their values, and units of columns.
    unit_name, unit_length : str, float
        The unit of time that is shown, and its length in the model's own.
    events : list of str or None
        The name of each cause; None where it has none.
    """

    labels: Mapping[str, str]
    units: Mapping[str, str]
    unit_name: str
    unit_length: float
    events: list[str | None]

    @classmethod
    def checked(
        cls,
        model: Any,
        labels: Mapping[str, str] | None,
        units: Mapping[str, str] | None,
        time_unit: str | tuple[str, float] | None,
        events: Mapping[int, str] | None,
    ) -> Options:
        """Refuse what does not fit the model."""
        _check_model(model)
        names = model.model_.schema.names_of(len(model.cohort_.features))
        labels, units, events = dict(labels or {}), dict(units or {}), dict(events or {})
        _refuse_unknown("units", units, names)
        for key in labels:
            _refuse_unknown("labels", [key], [*_values_like(key, names, model), *names])
        causes = model.causes_.tolist()
        _refuse_unknown("events", events, causes)
        return cls(labels, units, *_check_unit(time_unit), [str(events[c]) if c in events else None for c in causes])


def _check_model(model: Any) -> None:
    if not isinstance(model, Predictor):
        raise TypeError(
            f"model must be a fitted FPBoost; got {type(model).__name__}. Of a pipeline, pass the last step: the page "
            "then asks for the features as the steps before it return them."
        )
    check_is_fitted(model, "model_")


def _values_like(key: Any, names: list[str], model: Predictor) -> list[str]:
    """Values that a label may be for, ``"column=value"``, of the column in its name."""
    categories = model.model_.schema.categories
    return [
        f"{name}={text}"
        for i, name in enumerate(names)
        if str(key).startswith(f"{name}=")
        for text in value_texts(model.cohort_.features[i], categories.get(i))
    ]


def _refuse_unknown(argument: str, given: Iterable[Any], known: list[Any]) -> None:
    for one in given:
        if one not in known:
            listed = and_more([repr(name) for name in known[:5]], len(known))
            raise ValueError(
                f"{argument}: {describe(one)} is not known to the model, which has {listed}; check its spelling."
            )


def _check_unit(time_unit: str | tuple[str, float] | None) -> tuple[str, float]:
    """The name of a unit, and how many of the model's own it is long."""
    if time_unit is None:
        return "", 1.0
    if isinstance(time_unit, str):
        return time_unit, 1.0
    if isinstance(time_unit, tuple) and len(time_unit) == 2 and isinstance(time_unit[0], str):
        name, length = time_unit
        if isinstance(length, int | float | np.number) and 0.0 < length < np.inf:
            return name, float(length)
    raise ValueError(
        "time_unit must be the name of the unit of time, or a pair of a name and its length in the unit of the data, "
        f"such as ('years', 365.25) for times in days; got {describe(time_unit)}."
    )
