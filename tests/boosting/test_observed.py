"""What the likelihood needs to know of the rows, computed once."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.boosting.observed import Observations, Observed
from hazboost.data.target import Target

#: An event of either cause, censoring, a delayed entry, an interval, left censoring, and two rows that end at zero.
TARGET = Target.of(
    lower=np.array([1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 0.0, 0.0]),
    upper=np.array([1.0, 2.0, np.inf, np.inf, 4.0, 0.5, 0.0, np.inf]),
    weight=np.linspace(0.5, 2.0, 8),
    entry=np.array([0.0, 0.5, 0.0, 1.5, 0.25, 0.0, 0.0, 0.0]),
    cause=np.array([1, 2, 0, 0, 0, 0, 1, 0]),
)


def test_every_row_has_what_its_kind_needs():
    observed = Observed.of(TARGET, 2)
    np.testing.assert_allclose(np.exp(observed.log_lower[:5]), [1.0, 2.0, 3.0, 2.0, 1.0])
    assert np.isfinite(observed.log_lower).all()
    np.testing.assert_array_equal(observed.ends_at_zero, [False] * 5 + [True] * 3)
    np.testing.assert_array_equal(observed.event, [[1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0]])
    np.testing.assert_array_equal(observed.exposure, [1.0, 1.5, 3.0, 0.5, 0.75, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(observed.late, [1, 3, 4])
    np.testing.assert_allclose(np.exp(observed.log_entry), [0.5, 1.5, 0.25])
    np.testing.assert_array_equal(observed.between, [4, 5])
    np.testing.assert_allclose(np.exp(observed.log_upper), [4.0, 0.5])
    np.testing.assert_array_equal(observed.length, [3.0, 0.5])
    np.testing.assert_array_equal(observed.from_zero, [False, True])
    assert len(observed) == 8
    assert observed.total(np.ones(8)) == pytest.approx(TARGET.weight.sum())


def test_what_holds_for_all_rows_is_not_written_out():
    time = np.array([1.0, 2.0])
    observed = Observed.of(Target.of(time, time), 1)
    assert observed.ends_at_zero is None
    assert observed.weight is None
    assert len(observed.late) == len(observed.between) == 0
    assert observed.total(time) == 3.0


@pytest.mark.parametrize("size", [1, 3, 7, 8, 100])
def test_blocks_are_the_rows_in_their_order(size):
    rows = Observations.of(TARGET, 2, size)
    assert len(rows) == 8
    assert len(rows.blocks) == -(-8 // size)
    assert rows.mass == pytest.approx(TARGET.mass.sum())
    whole = Observed.of(TARGET, 2)
    for name in ("log_lower", "exposure", "portion"):
        joined = np.concatenate([getattr(observed, name) for _, observed in rows.blocks])
        np.testing.assert_array_equal(joined, getattr(whole, name))
    np.testing.assert_array_equal(np.concatenate([np.arange(8)[block] for block, _ in rows.blocks]), np.arange(8))
    late = np.concatenate([np.arange(8)[block][observed.late] for block, observed in rows.blocks])
    np.testing.assert_array_equal(late, whole.late)


def test_no_rows_are_one_empty_block():
    ((_, observed),) = Observations.of(TARGET[np.arange(0)], 2, 3).blocks
    assert len(observed) == 0
