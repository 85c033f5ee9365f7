"""Fixtures of the tests of automatic choices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training.growing import Growing
from hazboost.training.pipeline import choose_heads, divide, run
from hazboost.training.policy import POLICY
from hazboost.training.single import fit_constant_start
from hazboost.training.state import State
from tests.training.simulated import automatic, curved_data


@pytest.fixture
def with_policy(monkeypatch):
    """Fit with some constants of the automatic fit changed."""

    def change(**constants):
        monkeypatch.setattr(FPBoost, "_policy", replace(POLICY, **constants))

    return change


@pytest.fixture
def growing():
    """Three folds of ten groups of six, and marginal starts."""
    X, (event, time) = curved_data(60)
    sample = Sample(X, Target.of(time / time.max(), np.where(event, time / time.max(), np.inf)), np.arange(60) // 6)
    plan = automatic(init="marginal", heads=None)._plan(Schema(None, {}, sparse=False), sample.summary(), 1, 0)
    state = run([choose_heads, divide], State(plan, sample, np.array([float(event.sum())])))
    starts = tuple(fit_constant_start(state.plan, fold.drawn) for fold in state.cv.folds)
    return replace(Growing.of(state.add(starts=starts)), shrinkage=np.full(plan.objective.mixture.n_scores, 0.5))
