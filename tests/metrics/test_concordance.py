"""Harrell's concordance index against scikit-survival's, which visits every pair."""

import time as clock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sksurv.metrics import concordance_index_censored

from hazboost.metrics import concordance_index


def draw(seed, n, n_times=None, n_risks=None):
    rng = np.random.default_rng(seed)
    event = rng.random(n) < 0.5
    time = rng.integers(1, n_times + 1, n).astype(float) if n_times else rng.random(n)
    risk = rng.integers(0, n_risks, n).astype(float) if n_risks else rng.normal(size=n)
    return event, time, risk


@pytest.mark.parametrize("n_times", [None, 3, 20])
@pytest.mark.parametrize("n_risks", [None, 1, 2, 10])
@pytest.mark.parametrize("n", [30, 255, 256, 257])
def test_agrees_with_scikit_survival(n, n_times, n_risks):
    event, time, risk = draw(n, n, n_times, n_risks)
    assert concordance_index(event, time, risk) == pytest.approx(
        concordance_index_censored(event, time, risk)[0], abs=1e-12
    )


@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.integers(1, 4), st.sampled_from([0.0, 1.0, 1.0 + 5e-9, 1.0 + 3e-8, 2.0])),
        min_size=2,
        max_size=12,
    )
)
def test_agrees_with_a_count_of_all_pairs(rows):
    concordant, pairs = 0.0, 0
    for event, time, risk in rows:
        for other_event, other_time, other_risk in rows:
            if event and (time < other_time or (time == other_time and not other_event)):
                pairs += 1
                tied = abs(risk - other_risk) <= 1e-8
                concordant += 0.5 if tied else float(risk > other_risk)
    event, time, risk = (np.array(column) for column in zip(*rows, strict=True))
    found = concordance_index(event, time.astype(float), risk)
    if pairs:
        assert found == pytest.approx(concordant / pairs, abs=1e-12)
    else:
        assert np.isnan(found)


@pytest.mark.parametrize(
    ("event", "time"),
    [([False, False], [1.0, 2.0]), ([True, True], [1.0, 1.0]), ([False, True], [1.0, 2.0]), ([True], [1.0])],
)
def test_no_comparable_pair_gives_nan(event, time):
    assert np.isnan(concordance_index(np.array(event), np.array(time), np.arange(len(time), dtype=float)))


def test_perfect_reversed_and_constant_risks():
    time = np.arange(10.0)
    event = np.ones(10, dtype=bool)
    assert concordance_index(event, time, -time) == 1.0
    assert concordance_index(event, time, time) == 0.0
    assert concordance_index(event, time, np.zeros(10)) == 0.5


def test_order_of_the_rows_does_not_matter():
    event, time, risk = draw(1, 500, 20, 10)
    order = np.random.default_rng(2).permutation(500)
    assert concordance_index(event[order], time[order], risk[order]) == concordance_index(event, time, risk)


def test_many_rows_take_seconds():
    event, time, risk = draw(3, 200_000)
    started = clock.perf_counter()
    assert 0.49 < concordance_index(event, time, risk - 1e-3 * time) < 0.52
    assert clock.perf_counter() - started < 5.0
