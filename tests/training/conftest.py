"""Fixtures of the tests of automatic choices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.boosting.objective import Objective
from hazboost.boosting.steps import STEPS
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training.growing import Growing
from hazboost.training.policy import POLICY
from hazboost.training.selection import divide
from hazboost.training.single import fit_constant_start
from tests.training.exponentials import MIXTURE
from tests.training.simulated import automatic, curved_data


@pytest.fixture
def with_policy(monkeypatch):
    """Fit with some constants of the automatic fit changed."""

    def change(**constants):
        monkeypatch.setattr("hazboost.estimator.POLICY", replace(POLICY, **constants))

    return change


@pytest.fixture
def growing():
    """Three folds of ten groups of six, and marginal starts."""
    X, (event, time) = curved_data(60)
    sample = Sample(X, Target.of(time / time.max(), np.where(event, time / time.max(), np.inf)), np.arange(60) // 6)
    plan = automatic(init="marginal")._plan(Schema(None, {}, sparse=False), sample.summary(), 1, 0, sample)
    cv = divide(plan, sample, None)
    starts = tuple(fit_constant_start(plan, fold.kept) for fold in cv.folds)
    return Growing(plan, cv, starts, np.full(plan.objective.mixture.n_scores, 0.5))


@pytest.fixture
def exponential(growing):
    """Trees of exponential hazards, of which half is believed."""
    plan = replace(growing.plan, objective=Objective(MIXTURE, 0.0, 0.5, STEPS["newton"]))
    return replace(growing, plan=plan, trust=np.full(MIXTURE.n_scores, 0.5))
