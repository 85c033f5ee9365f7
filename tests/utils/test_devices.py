"""What works on arrays of NumPy as on those of CuPy; tests/gpu has the latter."""

import numpy as np
import pytest

from hazboost.utils.devices import PARTS, reduce_rows


@pytest.mark.parametrize("reduce", [np.sum, np.max])
@pytest.mark.parametrize("rows", [1, PARTS - 1, PARTS, PARTS + 1, 3 * PARTS + 7])
def test_rows_are_reduced_as_if_at_once(reduce, rows):
    values = np.random.default_rng(0).normal(size=(rows, 3))
    np.testing.assert_allclose(reduce_rows(reduce, values), reduce(values, axis=0), rtol=1e-12, atol=1e-12)
