"""Competing causes, for models that know a single one: a model for each, with events of the others as censored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness.laws import incidence
from benchmarks.peers.shared.base import Task
from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class CauseSpecific:
    """One model for each cause."""

    models: tuple[Any, ...]

    @property
    def chosen(self) -> dict[str, Any]:
        """What the models have chosen, in the order of the causes."""
        each = [getattr(model, "chosen", {}) for model in self.models]
        return {name: [one[name] for one in each] for name in each[0]}

    def survival(self, X: Any, times: Array) -> Array:
        """Probabilities of no event, subjects by times: the product of the models' curves."""
        return np.asarray(np.prod([model.survival(X, times) for model in self.models], axis=0))

    def incidence(self, X: Any, times: Array) -> Array:
        """Cumulative incidences at increasing times, subjects by causes by times."""
        pairs = [(one, CauseSpecific(self.models[:k] + self.models[k + 1 :])) for k, one in enumerate(self.models)]
        found = [incidence(partial(one.survival, X), partial(rest.survival, X), times) for one, rest in pairs]
        return np.stack(found, axis=1)


def fit_causes(task: Task, fit: Callable[[Task], Any]) -> Any:
    """The model of a task with one kind of event; one for each cause where there are several."""
    event = task.train.event
    if event.dtype == bool:
        return fit(task)
    causes = range(1, int(event.max()) + 1)
    return CauseSpecific(tuple(fit(replace(task, train=replace(task.train, event=event == cause))) for cause in causes))
