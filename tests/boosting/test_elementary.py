"""Elementary functions made of sums and products are those of NumPy."""

import numpy as np
import pytest

from hazboost.boosting import elementary

SIZES = np.exp(np.linspace(-700.0, 5.0, 200))
ARGUMENTS = {
    "exp": np.concatenate([np.linspace(-700.0, 700.0, 301), SIZES[SIZES < 1.0], [0.0]]),
    "expm1": np.concatenate([SIZES, -SIZES, np.linspace(-1.0, 1.0, 101), [300.0, -300.0]]),
    "log": np.concatenate([np.exp(np.linspace(-740.0, 700.0, 301)), np.linspace(0.5, 2.0, 101), [5e-324, 1.0]]),
    "log1p": np.concatenate([SIZES, np.linspace(-0.9, 2.0, 101), [0.0, 1e130]]),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_errors_are_a_few_units_in_the_last_place(name):
    values = [getattr(elementary, name)(x) for x in ARGUMENTS[name]]
    np.testing.assert_allclose(values, getattr(np, name)(ARGUMENTS[name]), rtol=2e-15, atol=0.0)


def test_exponentials_end_at_zero_and_infinity():
    with np.errstate(all="ignore"):
        values = [elementary.exp(np.float64(x)) for x in (-np.inf, -1e30, -709.0, 709.5, 1e30)]
    np.testing.assert_array_equal(values, [0.0, 0.0, 0.0, np.inf, np.inf])
