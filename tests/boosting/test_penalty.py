"""The elastic net."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hazboost.boosting.penalty import elastic_net


@given(st.floats(0.0, 1.0), st.floats(0.0, 100.0))
def test_gradient_is_the_derivative_and_curvature_is_nowhere_smaller(l1_ratio, alpha):
    scores = np.array([[-3.0, 1e-3], [-0.2, 2.0], [0.5, 40.0]])
    at, step = elastic_net(scores, alpha, l1_ratio), 1e-6
    for position in range(3):
        moved = scores.copy()
        moved[position] += step
        slope = (elastic_net(moved, alpha, l1_ratio).value - at.value) / step
        np.testing.assert_allclose(at.gradient[position], slope, rtol=1e-3, atol=1e-4 * (1.0 + alpha))
    assert (at.curvature >= np.abs(at.gradient)).all()


def test_penalty_is_a_mean_over_the_scores():
    assert elastic_net(np.array([[1.0], [-3.0]]), 2.0, 0.5).value == pytest.approx([2.0 * 0.5 * (2.0 + 5.0)])
