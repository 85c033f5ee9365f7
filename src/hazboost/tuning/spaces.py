"""The search spaces that `tune` knows by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hazboost.estimator import FPBoost
from hazboost.utils.describe import describe

if TYPE_CHECKING:
    import optuna

#: From an Optuna trial to parameters of `FPBoost`.
Suggest = Callable[["optuna.Trial"], Mapping[str, Any]]


@dataclass(frozen=True)
class Space:
    """A search space.

    Attributes
    ----------
    name : str
        Name under which a stored study remembers the space; ``custom`` for a function of the user.
    suggest : callable
        Draws one configuration: ``trial -> parameters``.
    base : callable
        Makes the estimator to improve if the user gives none.
    sampler : {"tpe", "random"}
        How configurations are drawn: by Optuna's tree-structured Parzen estimator, which learns from earlier trials, or
        at random.
    """

    name: str
    suggest: Suggest
    base: Callable[[], FPBoost] = FPBoost
    sampler: Literal["tpe", "random"] = "tpe"

    def draw(self, trial: optuna.Trial) -> dict[str, Any]:
        """One configuration; a function of the user may have forgotten to return it."""
        drawn = self.suggest(trial)
        if not isinstance(drawn, Mapping):
            raise TypeError(f"space: the function must return a dict of parameters; got {describe(drawn)}.")
        return dict(drawn)


def suggest_heads(trial: optuna.Trial, most: int) -> dict[str, int]:
    """Numbers of Weibull and LogLogistic heads, at least one in all."""
    weibull = trial.suggest_int("weibull_heads", 0, most)
    return {
        "weibull_heads": weibull,
        "loglogistic_heads": trial.suggest_int("loglogistic_heads", 0 if weibull else 1, most),
    }


def suggest_second_order(trial: optuna.Trial) -> dict[str, Any]:
    """Second-order boosting from a linear start; each fit chooses its rounds and ridge by cross-validation."""
    return {
        "solver": "newton",
        "init": "linear",
        "n_estimators": "auto",
        **suggest_heads(trial, 3),
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.2, log=True),
        "max_depth": trial.suggest_int("max_depth", 1, 6),
        "subsample": trial.suggest_float("subsample", 0.3, 1.0),
        "colsample_bytree": trial.suggest_float("colsample_bytree", 0.3, 1.0),
        "reg_lambda": trial.suggest_float("reg_lambda", 0.1, 100.0, log=True),
        "min_child_weight": trial.suggest_float("min_child_weight", 0.1, 100.0, log=True),
        "heads_activation": trial.suggest_categorical("heads_activation", ["scaled_softmax", "softmax", "exp"]),
    }


def suggest_as_the_paper(trial: optuna.Trial) -> dict[str, Any]:
    """The ranges of the paper's section 4 and appendix.

    Both give ranges without scales, so all are uniform here. For the depth they differ (1 to 6; 1, 3 or 6); this is
    the wider range. No range is given for the patience; the values are those in the table of best configurations.
    """
    return {
        **suggest_heads(trial, 32),
        "n_estimators": trial.suggest_int("n_estimators", 1, 512),
        "max_depth": trial.suggest_int("max_depth", 1, 6),
        "heads_activation": trial.suggest_categorical(
            "heads_activation", ["relu", "sigmoid", "softmax", "tanh", "identity"]
        ),
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 1.0),
        "alpha": trial.suggest_float("alpha", 0.0, 1.0),
        "l1_ratio": trial.suggest_float("l1_ratio", 0.0, 1.0),
        "init": trial.suggest_categorical("init", ["random", "km"]),
        "patience": trial.suggest_categorical("patience", [None, 16]),
    }


SPACES: dict[str, Space] = {
    space.name: space
    for space in (
        Space("default", suggest_second_order),
        Space("paper", suggest_as_the_paper, base=FPBoost.paper, sampler="random"),
    )
}


def find_space(space: str | Suggest) -> Space:
    """The space of this name, or one made from the user's function."""
    if callable(space):
        return Space("custom", space)
    # Ranges as for scikit-learn's searches are dictionaries or lists, which have no hash.
    if not isinstance(space, str) or space not in SPACES:
        known = ", ".join(map(repr, SPACES))
        raise ValueError(
            f"space must be {known} or a function from an Optuna trial to parameters; got {describe(space)}."
        )
    return SPACES[space]
