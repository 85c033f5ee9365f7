"""Predictions of held-out subjects."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.training.predicted import Weights
from tests.training.exponentials import MIXTURE, predicted

TRUST = np.full(MIXTURE.n_scores, 0.5)
WEIGHTS = [Weights(1.0, 0.0, 0.0), Weights(0.0, 1.0, 0.0), Weights(0.0, 0.0, 1.0), Weights(0.5, 0.25, 0.25)]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_blend_is_the_weighted_mean_of_three_models(weights):
    part = predicted(lambda a, b, c: a, n=20)
    models = part.start, part.shrunk(TRUST), part.alone.shrunk(TRUST)
    mean = np.einsum("m,mns->ns", np.array(weights), np.array(models))
    np.testing.assert_allclose(part.blended(weights, TRUST), mean)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_trees_that_correct_a_regression_stand_in_for_trees_alone(weights):
    part = predicted(lambda a, b, c: a, n=20, alone=False)
    np.testing.assert_allclose(part.blended(weights, TRUST), part.shrunk(weights.trees * TRUST))


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_what_trees_add_is_what_is_missing_without_them(weights, alone):
    part = predicted(lambda a, b, c: a, n=20, alone=alone)
    without = part.blended(weights, np.zeros_like(TRUST))
    np.testing.assert_allclose(part.blended(weights, TRUST) - without, part.added(weights, TRUST), atol=1e-15)
