"""The models of the benchmark by name, the quick ones first."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.accuracy.adapters.base import Adapter
from benchmarks.accuracy.adapters.boosting import BoostedAft, BoostedCox
from benchmarks.accuracy.adapters.ensembles import Forest, GradientBoosting, IncidenceBoosting
from benchmarks.accuracy.adapters.linear import Coxnet, RidgeCox
from benchmarks.accuracy.adapters.own import Own
from benchmarks.accuracy.adapters.parametric import LogLogisticAft, WeibullAft
from benchmarks.accuracy.adapters.reference import KaplanMeier

OWN = "fpboost"
#: Name -> adapter, made with a seed.
MODELS: dict[str, Callable[[int], Adapter]] = {
    "kaplan_meier": KaplanMeier,
    "coxnet": Coxnet,
    "weibull_aft": WeibullAft,
    "loglogistic_aft": LogLogisticAft,
    "xgb_cox": BoostedCox,
    "xgb_aft": BoostedAft,
    "cox_ridge": RidgeCox,
    "gbsa": GradientBoosting,
    "survivalboost": IncidenceBoosting,
    "rsf": Forest,
    OWN: Own,
}
