"""What is known of all rows before training, from the whole and from its parts."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hazboost import Surv
from hazboost.data.condense import as_if_only
from hazboost.data.reading import as_target
from hazboost.data.sample import Sample
from hazboost.data.summary import combine

RNG = np.random.default_rng(0)
N = 60
TIME = RNG.integers(0, 20, N) / 2.0
X = np.where(RNG.random((N, 4)) < 0.2, np.nan, RNG.normal(size=(N, 4)))
X[:, 3] = np.nan
X[7, 3] = -1.0
OUTCOMES = {
    "right": Surv.right(RNG.random(N) < 0.6, TIME),
    "causes": Surv.right(RNG.integers(0, 4, N), TIME),
    "entry": Surv.right(RNG.random(N) < 0.6, TIME + 1.0, entry=TIME / 2.0),
    "interval": Surv.interval(TIME, np.where(RNG.random(N) < 0.3, np.inf, TIME + RNG.integers(0, 3, N))),
    "counting": Surv.counting(
        np.tile([0.0, 2.0], N // 2), np.tile([2.0, 5.0], N // 2), RNG.random(N) < 0.6, np.arange(N) // 2
    ),
}


def make(kind, weighted):
    return Sample(X, as_target(OUTCOMES[kind], RNG.random(N) if weighted else None))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", OUTCOMES)
def test_a_summary_says_what_the_rows_say(kind, weighted):
    sample = make(kind, weighted)
    target, summary = sample.target, sample.summary()
    assert (summary.n_subjects, summary.width) == (target.n_subjects, 4)
    assert (summary.longest, summary.exposure) == (target.longest, target.exposure)
    assert summary.mass == pytest.approx(target.mass.sum())
    for share in (0.1, 0.5, 0.77):
        assert summary.event_quantile(share) == target.event_quantile(share)
    expected = [as_if_only(target, cause, target.n_causes).event_mass for cause in range(1, target.n_causes + 1)]
    np.testing.assert_allclose(summary.events_by_cause(target.n_causes), expected)
    np.testing.assert_array_equal(summary.highest, np.nanmax(X, axis=0))
    times = np.concatenate([target.lower, target.entry, target.upper[np.isfinite(target.upper)]])
    assert summary.shortest == times[times > 0.0].min()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", OUTCOMES)
def test_summaries_of_parts_add_up_to_that_of_the_whole(kind, weighted):
    sample = make(kind, weighted)
    parts = [sample.rows(np.arange(*ends)).summary() for ends in ((0, 4), (4, 30), (30, N))]
    combined, whole = combine(parts), sample.summary()
    for field in fields(whole):
        np.testing.assert_allclose(getattr(combined, field.name), getattr(whole, field.name), rtol=1e-12)


def test_causes_without_an_event_have_none():
    np.testing.assert_array_equal(make("right", weighted=False).summary().events_by_cause(3)[1:], [0.0, 0.0])


def test_highest_values_of_a_sparse_matrix_are_those_of_the_dense_one():
    dense = np.abs(np.nan_to_num(X))
    target = as_target(OUTCOMES["right"])
    found = Sample(csr_matrix(dense), target).summary().highest
    np.testing.assert_array_equal(found, Sample(dense, target).summary().highest)
