"""Choices by the losses of held-out subjects, whatever the model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training.cross_validation import CrossValidation, Fold, is_significant, likely_index, mean_curve
from hazboost.utils.progress import FoldProgress

LOSSES = arrays(np.float64, st.integers(1, 20), elements=st.floats(-100.0, 100.0))
#: Losses that are apart by at least a thousandth.
APART = st.lists(st.integers(-5_000, 5_000), min_size=1, max_size=20, unique=True).map(
    lambda all_: np.array(all_) / 1e3
)
SUBJECTS = st.floats(0.0, 1e9)


@given(LOSSES, SUBJECTS)
def test_an_index_is_one_of_them(losses, subjects):
    assert 0 <= likely_index(losses, subjects) < len(losses)


@given(APART)
def test_with_many_subjects_it_is_that_of_the_smallest_loss(losses):
    assert likely_index(losses, 1e6) == np.argmin(losses)


@given(APART, st.integers(-100, 100), st.floats(0.0, 1e4))
def test_a_constant_changes_nothing(losses, constant, subjects):
    """Losses in another unit of time."""
    weight = np.exp(-subjects * (losses - losses.min()))
    mean = np.average(np.arange(len(losses)), weights=weight)
    if abs(mean % 1.0 - 0.5) > 1e-3:  # else rounding decides
        assert likely_index(losses + constant, subjects) == likely_index(losses, subjects)


@given(st.integers(1, 50), SUBJECTS)
def test_of_equal_losses_it_is_in_the_middle(length, subjects):
    assert abs(likely_index(np.ones(length), subjects) - (length - 1) / 2) <= 0.5


@given(LOSSES)
def test_without_subjects_it_is_in_the_middle(losses):
    assert abs(likely_index(losses, 0.0) - (len(losses) - 1) / 2) <= 0.5


@given(APART, SUBJECTS)
def test_in_the_other_order_it_is_the_same_one(losses, subjects):
    backwards = len(losses) - 1 - likely_index(losses[::-1], subjects)
    assert abs(backwards - likely_index(losses, subjects)) <= 1  # a half may be rounded either way


def test_it_varies_less_from_sample_to_sample_than_the_smallest():
    """Losses of 200 subjects around a flat curve, that differ by chance."""
    rng, n = np.random.default_rng(0), 200
    curve = 0.01 * (np.linspace(-1.0, 1.0, 21) ** 2)
    noise = np.cumsum(rng.normal(scale=0.1, size=(500, 21)), axis=1) / np.sqrt(n)
    smallest = [int(np.argmin(curve + one)) for one in noise]
    likely = [likely_index(curve + one, n) for one in noise]
    assert np.std(likely) < 0.9 * np.std(smallest)  # 0.81, with a standard error of about 0.03
    # And it is on average no worse by the true curve.
    assert curve[likely].mean() < curve[smallest].mean()


def test_the_mean_of_curves_goes_on_with_their_tails():
    np.testing.assert_allclose(mean_curve([[3.0, 2.0], [1.0]], [0.0, 7.0]), [2.0, 4.5])


def test_a_gain_is_clear_beyond_two_standard_errors():
    noise = np.random.default_rng(0).normal(size=400)
    noise -= noise.mean()
    weak, clear = (noise + errors * noise.std() / 20.0 for errors in (1.9, 2.1))
    mass = np.ones(400)
    assert not is_significant(weak, mass, 2.0)
    assert is_significant(clear, mass, 2.0)
    assert not is_significant(np.zeros(5), np.ones(5), 2.0)
    assert is_significant(3.0 * clear, 3.0 * mass, 2.0)
    heavy = np.r_[1_000.0, np.ones(299)]
    assert is_significant(0.1 * heavy, heavy, 2.0), "the same gain for everybody"


def test_gains_of_subjects_that_two_folds_hold_out_count_once():
    gain = np.random.default_rng(0).normal(size=50)
    twice, mass = np.tile(0.5 * gain, 2), np.full(100, 0.5)
    for errors in np.linspace(0.0, 4.0, 81):
        assert is_significant(twice, mass, errors, 0.5) == is_significant(gain, np.ones(50), errors)


def folds_of(rows, count=2, threads=6):
    part = Sample(np.zeros((rows, 1)), Target.of(np.ones(rows), np.ones(rows)))
    return CrossValidation(tuple(Fold(number, part, part, part) for number in range(count)), threads)


@pytest.mark.parametrize(("rows", "workers"), [(1_000, 1), (3_999, 1), (4_000, 2), (100_000, 6)])
def test_small_folds_are_worked_on_one_after_the_other(rows, workers):
    """Where there is little to do, threads only wait for the interpreter."""
    assert folds_of(rows).workers == workers


@pytest.mark.parametrize("only", [None, [1], [2, 0], []])
@pytest.mark.parametrize("rows", [10, 10_000])
def test_results_come_in_the_order_of_the_folds_that_were_asked(rows, only):
    asked = [0, 1, 2] if only is None else only
    cv = folds_of(rows, 3)
    assert cv.map(lambda fold: fold.number, FoldProgress(3, ["work"], draw=False), only) == asked
