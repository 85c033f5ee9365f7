"""The objective of many rows in one compiled pass, where there is a compiler that knows its formulas."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hazboost.boosting.compiling import compiled, numba
from hazboost.boosting.observed import Kind, Observed
from hazboost.hazards.heads.base import VALUE
from hazboost.utils.arrays import Array
from hazboost.utils.devices import is_on_device

#: `hazboost.boosting.objective.Objective`, which imports this module.
Objective: TypeAlias = Any

#: With fewer rows NumPy is done before the kernel has been compiled, or even loaded.
ENOUGH_ROWS = 20_000


@dataclass(frozen=True)
class Kernel:
    """Loss, gradient and hessian of the rows of a block.

    Attributes
    ----------
    objective : Objective
        Has the formulas.
    order : {VALUE, CURVATURE}
        Whether only the loss is wanted.
    """

    objective: Objective
    order: int

    @property
    def key(self) -> Hashable:
        """Equal for equal formulas."""
        mixture, step = self.objective.mixture, self.objective.step
        activations = mixture.parameter_activation.name, mixture.weight_activation.name
        return *mixture.counts.items(), mixture.n_causes, activations, step, self.objective.caution, self.order

    def __call__(self, scores: npt.NDArray[Any], observed: Observed, *room: npt.NDArray[Any]) -> Array | None:
        """Fill in gradient and hessian, if they are wanted, and return the losses; None where NumPy has to do it."""
        value, scores = np.empty(len(observed)), np.ascontiguousarray(scores)
        outputs = value, *room
        for kind in observed.kinds:
            columns = {"background": self.objective.mixture.background, **kind.columns}
            key = self.key, scores.shape[1], kind.late, kind.between
            function = compiled(key, partial(self.formula, kind), scores, columns, outputs)
            if function is None:
                return None
            function(kind.rows, scores, *columns.values(), *outputs)
        return value

    def formula(self, kind: Kind, numbers: Mapping[str, Any]) -> Sequence[Any]:
        """The objective of a row of some kind."""
        objective = replace(self.objective, mixture=replace(self.objective.mixture, background=numbers["background"]))
        observed = observe_one(kind, objective.mixture.n_causes, numbers)
        if self.order == VALUE:
            return (objective.row_loss(numbers["score"], observed, VALUE).value,)
        value, gradient, hessian = objective.steps(numbers["score"], observed)
        return value, gradient * numbers["weight"], hessian * numbers["weight"]


def observe_one(kind: Kind, n_causes: int, numbers: Mapping[str, Any]) -> Observed:
    """One row of some kind."""
    nobody, itself, nothing = np.empty(0, dtype=np.intp), np.zeros(1, dtype=np.intp), np.empty(0)
    return Observed(
        log_lower=numbers["log_lower"],
        ends_at_zero=numbers["ends_at_zero"] != 0.0,
        event=tuple(numbers[f"event_{cause}"] for cause in range(1, n_causes + 1)),
        exposure=numbers["exposure"],
        late=itself if kind.late else nobody,
        log_entry=numbers.get("log_entry", nothing),
        between=itself if kind.between else nobody,
        log_upper=numbers.get("log_upper", nothing),
        length=numbers.get("length", nothing),
        from_zero=numbers.get("from_zero", nothing) != 0.0,
        weight=numbers["weight"],
        portion=nothing,
    )


def kernel_for(objective: Objective, order: int, scores: npt.NDArray[Any]) -> Kernel | None:
    """The kernel for many rows; None where Numba is not installed, or does not know the formulas.

    Those of weights of both signs are not elementwise: clipping searches for the zeros of the hazard.
    """
    mixture, step = objective.mixture, objective.step
    known = not mixture.weight_activation.signed and mixture.n_models == 1 and objective.alpha == 0.0
    known = known and (order == VALUE or step.second_order) and len(scores) >= ENOUGH_ROWS
    return Kernel(objective, order) if known and not is_on_device(scores) and numba() else None
