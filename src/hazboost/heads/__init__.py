"""Hazard families, one file each, and their registry."""

from __future__ import annotations

from hazboost.heads.base import Evaluation, Head, LogLocationScale
from hazboost.heads.exponential import Exponential
from hazboost.heads.gompertz import Gompertz
from hazboost.heads.log_logistic import LogLogistic
from hazboost.heads.log_normal import LogNormal
from hazboost.heads.weibull import Weibull

#: Every family by name, in the order in which a model lays out its heads.
HEADS: dict[str, Head] = {
    head.name: head for head in (Weibull(), LogLogistic(), Exponential(), Gompertz(), LogNormal())
}

__all__ = ["HEADS", "Evaluation", "Head", "LogLocationScale"]
