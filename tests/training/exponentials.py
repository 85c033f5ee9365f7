"""Predictions of exponential hazards, of which the truth is known."""

from __future__ import annotations

import numpy as np

from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.mixture import Mixture
from hazboost.training.predicted import Predicted

MIXTURE = Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])


def scores_of(log_hazard):
    """Scores of an exponential head, of shape (n, scores)."""
    scores = np.zeros((len(log_hazard), MIXTURE.n_scores))
    scores[:, MIXTURE.blocks[0].scores(0)] = log_hazard[:, None]
    return scores


def predicted(truth, *, n, alone=True, seed=0):
    """Held-out subjects for whom a regression says ``a``, its trees ``a + b`` and trees alone ``c``; and the truth.

    Trees add twice as much before they are shrunk, since half of it is believed.
    """
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(scale=0.5, size=(3, n))
    time = rng.exponential(np.exp(-truth(a, b, c)))
    sample = Sample(np.zeros((n, 1)), Target.of(time, time))
    trees_alone = Predicted(sample, scores_of(0.0 * c), scores_of(2.0 * c)) if alone else None
    return Predicted(sample, scores_of(a), scores_of(a + 2.0 * b), trees_alone)
