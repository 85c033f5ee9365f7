"""Where increasing functions pass their levels: against inverses, at the ends, at jumps and on plateaus."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hazboost.hazards.inversion import invert

BOUNDS = (-690.0, 690.0)


class Counted:
    """The same function for all rows, with the number of evaluations of each."""

    def __init__(self, function, n=1):
        self.function, self.counts = function, np.zeros(n, dtype=int)

    def __call__(self, rows):
        def evaluate(x):
            self.counts[rows] += x.shape[1]
            return self.function(x)

        return evaluate


@given(slope=st.floats(0.02, 50.0), root=st.floats(-600.0, 600.0))
def test_a_line_takes_few_evaluations(slope, root):
    line = Counted(lambda x: slope * (x - root))
    found = invert(line, np.zeros((1, 1)), BOUNDS, 1e-13)[0, 0]
    assert abs(found - root) <= 5e-13 * max(1.0, abs(root))
    assert line.counts[0] <= 14


@pytest.mark.parametrize("tolerance", [1e-4, 1e-13])
@given(level=st.floats(-30.0, 30.0), bend=st.floats(0.01, 20.0))
def test_the_result_is_at_the_level_or_just_behind(tolerance, level, bend):
    """A function with slope 1 early and 1 + bend late."""

    def function(x):
        return x + bend * np.logaddexp(0.0, x)

    found = invert(Counted(function), np.full((1, 1), level), BOUNDS, tolerance)[0, 0]
    width = 2.0 * tolerance + 1e-14 * abs(found)
    assert function(found - width) < level <= function(found)


def test_levels_that_are_not_reached_are_at_an_end():
    bounded = Counted(np.tanh)
    np.testing.assert_array_equal(invert(bounded, np.array([[-2.0, 2.0]]), BOUNDS, 1e-9), [BOUNDS])


def test_jumps_and_the_beginning_of_a_plateau_are_found():
    def steps(x):
        return np.floor(np.clip(x, -3.0, 5.0))  # 2 from 2 on

    found = invert(Counted(steps), np.array([[-2.5, 1.5, 2.0]]), BOUNDS, 1e-9)
    np.testing.assert_allclose(found, [[-2.0, 2.0, 2.0]], atol=3e-9)
    assert (steps(found) >= [[-2.5, 1.5, 2.0]]).all()


def test_rows_do_not_disturb_one_another():
    slopes, levels = np.geomspace(0.01, 100.0, 40)[:, None], np.linspace(-5.0, 9.0, 80).reshape(40, 2)

    def solve(chosen):
        def choose(rows):
            return lambda x: np.arcsinh(slopes[chosen][rows] * x)

        return invert(choose, levels[chosen], BOUNDS, 1e-13)

    together = solve(np.arange(40))
    alone = np.concatenate([solve(np.array([row])) for row in range(40)])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_allclose(together, np.clip(np.sinh(levels) / slopes, *BOUNDS), rtol=1e-12, atol=1e-12)
    assert solve(np.arange(0)).shape == (0, 2)
