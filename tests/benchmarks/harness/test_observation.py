"""Who is in the data, and what inspections tell."""

from __future__ import annotations

import numpy as np

from benchmarks.harness.observation import entered, inspected


def test_those_who_have_left_before_entry_are_not_in_the_data():
    end, entry = np.array([1.0, 5.0, 2.0, 4.0, 6.0]), np.array([2.0, 1.0, 2.0, 3.0, 1.0])
    assert entered(end, entry, 5).tolist() == [1, 3, 4]
    assert entered(end, entry, 2).tolist() == [1, 3]


def test_an_event_lies_between_two_inspections():
    """Before the first, between two, at the second exactly, after the last, never."""
    lower, upper = inspected(np.array([0.5, 1.5, 2.0, 3.0, np.inf]), np.tile([1.0, 2.0], (5, 1)))
    assert lower.tolist() == [0.0, 1.0, 1.0, 2.0, 2.0]
    assert upper.tolist() == [1.0, 2.0, 2.0, np.inf, np.inf]
