"""FPBoost with one thing changed: a step of the automatic fit left out, or another setting. For ablations and seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from benchmarks.peers.fpboost import PACKAGES, Own, fit_defaults
from benchmarks.peers.shared.base import Peer, Task
from hazboost import FPBoost
from hazboost.training.policy import POLICY

Changes = Mapping[str, Any]
NOTHING: Changes = MappingProxyType({})


def fit_variant(task: Task, policy: Changes = NOTHING, **settings: Any) -> Own:
    """Fit FPBoost with some constants of its policy changed, and with these settings."""
    return fit_defaults(task, kind_of(policy), **settings)


def kind_of(policy: Changes) -> type[FPBoost]:
    """FPBoost itself, or a subclass with some constants of its policy changed."""
    if not policy:
        return FPBoost
    if not hasattr(FPBoost, "_policy"):
        raise AttributeError("this version of FPBoost has no policy that a subclass could change.")
    return type("Variant", (FPBoost,), {"_policy": replace(POLICY, **policy)})


def without(*steps: str) -> dict[str, Any]:
    """What `fit_variant` needs to leave out steps of the pipeline."""
    return with_policy(steps_left_out=frozenset(steps))


def with_policy(**constants: Any) -> dict[str, Any]:
    """What `fit_variant` needs to change constants of the policy."""
    return {"policy": constants}


#: Title -> (name, what is changed).
VARIANTS: dict[str, tuple[str, Changes]] = {
    "default": ("default", NOTHING),
    "heads not chosen": ("no_heads", {"heads": {}}),
    "no bursts": ("no_bursts", with_policy(most_bursts=0)),
    "no heads given the covariates": ("no_added_heads", with_policy(most_added=0)),
    "no power transform": ("no_power", with_policy(skewness=float("inf"))),
    "no limit on single subjects": ("no_limit", with_policy(largest_difference=1e9)),
    "no effect on time": ("no_effect", without("choose_effect")),
    "no adaptive ridges": ("no_adaptive", without("adapt_ridges")),
    "no regression": ("no_regression", {"init": "marginal"}),
    "depth not chosen": ("no_depth", without("choose_depth")),
    "no trees": ("no_trees", without("choose_depth", "grow_trees", "calibrate")),
    "no calibration": ("no_calibration", without("calibrate")),
    "no shift": ("no_shift", with_policy(shift_strength=1e12)),
    "one shrinkage for all scores": ("one_shrinkage", with_policy(shrinkage_strength=1e12)),
    "trees always": ("trees_always", with_policy(events_without_doubt=1e300)),
    "2 folds": ("folds_2", {"n_folds": 2}),
    "10 folds": ("folds_10", {"n_folds": 10}),
    "20 folds": ("folds_20", {"n_folds": 20}),
    "30 folds": ("folds_30", {"n_folds": 30}),
    "learning rate 0.1": ("rate_01", {"learning_rate": 0.1}),
    "all rows and columns": ("all_rows", {"subsample": 1.0, "colsample_bytree": 1.0}),
}

PEERS = tuple(
    Peer(
        "ablation",
        name,
        partial(fit_variant, **changes),
        PACKAGES,
        title,
        takes=("entry", "interval", "causes"),
    )
    for title, (name, changes) in VARIANTS.items()
)
