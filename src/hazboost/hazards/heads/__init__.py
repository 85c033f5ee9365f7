"""Hazard families, one file each, and their registry."""

from __future__ import annotations

from hazboost.hazards.heads.base import Evaluation, Head, LogLocationScale, Parameter
from hazboost.hazards.heads.bounded import Bounded
from hazboost.hazards.heads.exponential import Exponential
from hazboost.hazards.heads.exponentiated_weibull import ExponentiatedWeibull
from hazboost.hazards.heads.gompertz import Gompertz
from hazboost.hazards.heads.log_logistic import LogLogistic
from hazboost.hazards.heads.log_normal import LogNormal
from hazboost.hazards.heads.weibull import Weibull

#: Every family by name, in the order in which a model lays out its heads.
HEADS: dict[str, Head] = {
    head.name: head
    for head in (Weibull(), LogLogistic(), Exponential(), Gompertz(), LogNormal(), ExponentiatedWeibull(), Bounded())
}

__all__ = ["HEADS", "Evaluation", "Head", "LogLocationScale", "Parameter"]
