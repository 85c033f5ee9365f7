"""What the functions of this package read of a fitted model: its features, its causes and the names of its scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hazboost.data.features import readable
from hazboost.data.names import match_columns
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array, as_times
from hazboost.utils.describe import describe
from hazboost.utils.devices import to_host

#: What scores are for: the level of the hazard, scales and shapes of the heads, and the shares of the heads.
ROLES = ("level", "scale", "shape", "share")
#: Predictions that each cause has one of.
BY_CAUSE = ("hazard", "log_hazard", "cumulative_hazard", "cumulative_incidence")


def encode(model: Predictor, X: Any) -> Any:
    """Check model and features, and return these as the model's trees read them, in the memory of the computer."""
    check_model(model)
    X = readable(X)
    match_columns(model, X, type(model).__name__)
    return to_host(model.model_.schema.encode(X))


def check_model(model: Any) -> None:
    """Refuse what is not a fitted model of this library."""
    if not isinstance(model, Predictor):
        raise TypeError(
            f"model must be a fitted FPBoost; got {type(model).__name__}. Of a pipeline, pass the last step, with X as "
            "the steps before it return it."
        )
    check_is_fitted(model, "model_")


def check_cause(model: Predictor, cause: Any) -> int | None:
    """A cause of the model, or None for all of them."""
    return None if cause is None else model._check_cause(cause)


def check_cause_of(model: Predictor, of: str, cause: Any, by_cause: Sequence[str] = BY_CAUSE) -> int | None:
    """A cause of a prediction, or None for all; predictions other than those ``by_cause`` have none."""
    if cause is not None and of not in by_cause:
        raise ValueError(
            f"cause must not be given with of={of!r}, which is about all causes together; got {describe(cause)}."
        )
    return check_cause(model, cause)


def check_grid(model: Predictor, of: str, times: npt.ArrayLike | None) -> Array:
    """Times of an explanation of a prediction; by default the time up to which `predict` compares risks."""
    grid = np.array([model.model_.horizon]) if times is None else np.ravel(as_times(times))
    if not len(grid):
        raise ValueError(f"times must be one time or more; got {describe(times)}.")
    if of == "rmst" and not (grid > 0.0).all():
        raise ValueError(f"times must be positive with of='rmst'; got {describe(times)}.")
    return grid


def check_of(of: Any, known: Iterable[str]) -> None:
    """Refuse what is not the name of something that can be explained, or drawn."""
    names = list(known)
    # Of other types than text, some have no hash and others are compared element by element.
    if not isinstance(of, str) or of not in names:
        raise ValueError(f"of must be one of {', '.join(map(repr, names))}; got {describe(of)}.")


def feature_names(model: Predictor, width: int) -> tuple[str, ...]:
    """Names of the features; x0, x1, ... where they have none."""
    return tuple(model.model_.schema.names_of(width))


def score_names(mixture: Mixture) -> list[str]:
    """A name for each score, such as ``weibull_1 eta``, ``level`` or ``weibull_1 share``."""
    names, heads = [""] * mixture.n_scores, mixture.head_names
    for block in mixture.blocks:
        for p, parameter in enumerate(block.head.parameters):
            names[block.scores(p)] = [f"{head} {parameter.name}" for head in heads[block.heads]]
    own = heads[: mixture.heads_per_cause]
    # A single head has all of the level, and no share.
    shares = [f"{head} share" for head in own] if len(own) > 1 or not mixture.weight_activation.has_level else []
    weights = (["level"] if mixture.weight_activation.has_level else []) + shares
    names[mixture.first_weight_score :] = weights[: mixture.n_weight_scores // mixture.n_causes] * mixture.n_causes
    if mixture.n_causes == 1:
        return names
    causes = {score: cause for cause, scores in enumerate(mixture.scores_of_causes, 1) for score in scores.tolist()}
    return [f"cause {causes[score]} {name}" for score, name in enumerate(names)]


def score_roles(mixture: Mixture) -> npt.NDArray[np.str_]:
    """The role of each score, one of `ROLES`."""
    roles = np.full(mixture.n_scores, "share")
    for role in ("scale", "shape"):
        roles[mixture.of_role(role)] = role
    if mixture.weight_activation.has_level:
        roles[mixture.scaling] = "level"
    return roles


def check_role(mixture: Mixture, role: Any) -> npt.NDArray[np.intp]:
    """The scores of a role, or the score with a name, by position."""
    names, roles = score_names(mixture), score_roles(mixture)
    found = np.flatnonzero((roles == role) | (np.array(names) == role))
    if not len(found):
        known = ", ".join(map(repr, [*dict.fromkeys(roles.tolist()), *names]))
        raise ValueError(
            f"role must be that of some scores, or the name of one; known ones are {known}; got {describe(role)}."
        )
    return found
