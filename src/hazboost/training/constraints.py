"""Which models can keep which constraints."""

from __future__ import annotations

import numpy as np

from hazboost.data.constraints import Constraints
from hazboost.hazards.mixture import Mixture


def check_constraints(constraints: Constraints, mixture: Mixture, init: str) -> None:
    """Refuse constraints that would hold for a part of the model only.

    Parameters
    ----------
    constraints : Constraints
        What the user asked for.
    mixture : Mixture
        The heads and their activations.
    init : str
        Kind of the start.
    """
    parameter, weight = mixture.parameter_activation.name, mixture.weight_activation
    if any(constraints.directions) and weight.signed:
        raise ValueError(
            f"monotone_constraints: heads_activation={weight.name!r} allows negative weights, with which more of a "
            "head is less risk; use heads_activation='scaled_softmax'."
        )
    if any(constraints.directions) and parameter == "relu" and not weight.has_level:
        raise ValueError(
            "monotone_constraints: parameter_activation='relu' can switch off all heads of a subject, whose risk is "
            "then higher than with small ones; use parameter_activation='exp', or heads_activation='scaled_softmax'."
        )
    bounded = [block.head.name for block in mixture.blocks if block.head.cumulative_limit < np.inf]
    if any(constraints.directions) and bounded and not weight.has_level:
        raise ValueError(
            f"monotone_constraints: a larger scale of {bounded[0]} heads is a risk that comes and goes sooner, and so "
            "less risk later; use heads_activation='scaled_softmax'."
        )
    if constraints.groups is not None and init == "linear" and parameter != "exp" and not weight.has_level:
        raise ValueError(
            f"interaction_constraints: with parameter_activation={parameter!r} the linear start lets all features "
            "interact; use parameter_activation='exp', heads_activation='scaled_softmax' or init='marginal'."
        )
