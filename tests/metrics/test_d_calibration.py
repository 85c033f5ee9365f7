"""D-calibration against its definition, and its p-value against uniformity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hazboost import Surv
from hazboost.metrics import d_calibration


def by_definition(event, survival, n_bins):
    """Haider et al.'s counts, subject by subject."""
    counts, width = np.zeros(n_bins), 1.0 / n_bins
    for seen, s in zip(event, survival, strict=True):
        own = min(int(s * n_bins + 1e-9), n_bins - 1)
        if seen or s == 0.0:
            counts[own] += 1.0
        else:
            counts[own] += (s - own * width) / s
            counts[:own] += width / s
    return counts


@given(
    rows=st.lists(st.tuples(st.booleans(), st.sampled_from(np.linspace(0.0, 1.0, 21))), min_size=1, max_size=30),
    n_bins=st.sampled_from([2, 4, 5, 10]),
)
def test_agrees_with_the_definition(rows, n_bins):
    event, survival = (np.array(column) for column in zip(*rows, strict=True))
    survival = np.round(survival, 2)
    survival += np.where((survival > 0.0) & (survival < 1.0), 1e-7, 0.0)  # not on the border of two bins
    found = d_calibration((event, np.ones(len(event))), survival, n_bins=n_bins)
    np.testing.assert_allclose(found.counts, by_definition(event, survival, n_bins), atol=1e-9)
    assert found.counts.sum() == pytest.approx(len(event))
    np.testing.assert_allclose(found.edges, np.linspace(0.0, 1.0, n_bins + 1))


def test_statistic_is_pearsons():
    found = d_calibration((np.ones(8), np.ones(8)), [0.1, 0.2, 0.3, 0.6, 0.1, 0.4, 0.2, 0.9], n_bins=2)
    np.testing.assert_array_equal(found.counts, [6.0, 2.0])
    assert found.statistic == pytest.approx(2.0)
    assert found.p_value == pytest.approx(0.15729920705, abs=1e-9)


def draw(rng, n, *, entry=False):
    """Exponential times with censoring and perhaps delayed entry: y, and the cumulative hazard of each row."""
    rate = np.exp(rng.normal(size=2 * n))
    time, censoring = rng.exponential(1.0 / rate), rng.exponential(2.0, 2 * n)
    start = rng.uniform(0.01, 0.4, 2 * n) if entry else np.zeros(2 * n)
    end = np.minimum(time, start + censoring)
    rows = np.flatnonzero(time > start)[:n]
    y = Surv.right((time <= end)[rows], end[rows], entry=start[rows])
    return y, (rate * (end - start))[rows]


def test_p_values_of_the_truth_without_censoring_are_uniform():
    rng = np.random.default_rng(0)
    p_values = [d_calibration((np.ones(300), np.ones(300)), rng.random(300)).p_value for _ in range(400)]
    shares = np.histogram(p_values, np.linspace(0.0, 1.0, 6))[0] / 400
    np.testing.assert_allclose(shares, 0.2, atol=0.06)


@pytest.mark.parametrize("entry", [False, True])
def test_the_truth_is_accepted_and_a_wrong_rate_is_not(entry):
    rng = np.random.default_rng(1)
    truths, wrongs = [], []
    for _ in range(100):
        y, hazard = draw(rng, 1000, entry=entry)
        truths.append(d_calibration(y, np.exp(-hazard)).p_value)
        wrongs.append(d_calibration(y, np.exp(-1.5 * hazard)).p_value)
    assert np.mean(np.array(truths) < 0.05) < 0.1
    assert np.mean(np.array(wrongs) < 0.05) > 0.9


@pytest.mark.parametrize("n_bins", [1, 0, 2.5, True])
def test_wrong_number_of_bins_is_refused(n_bins):
    with pytest.raises(ValueError, match="n_bins must be a whole number of at least 2"):
        d_calibration(([1], [1.0]), [0.5], n_bins=n_bins)


def test_wrong_survival_is_refused():
    with pytest.raises(
        ValueError, match=r"survival must have one probability for each of the 2 .*; got shape \(2, 1\)"
    ):
        d_calibration(([1, 1], [1.0, 2.0]), [[0.5], [0.5]])
    with pytest.raises(ValueError, match=r"survival must be probabilities between 0 and 1; got 1.5 \(row 1\)"):
        d_calibration(([1, 1], [1.0, 2.0]), [0.5, 1.5])
