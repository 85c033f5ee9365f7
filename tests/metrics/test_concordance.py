"""Harrell's concordance index against scikit-survival's and against counts of all pairs."""

import time as clock
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sksurv.metrics import concordance_index_censored

from hazboost import Surv
from hazboost.data.reading import as_target
from hazboost.metrics import concordance_index
from hazboost.metrics.concordance import harrell


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
    expected = concordance_index_censored(event, time, risk)[0]
    assert concordance_index((event, time), risk) == pytest.approx(expected, abs=1e-12)
    assert harrell(as_target((event, time)), risk) == pytest.approx(expected, abs=1e-12)


RISKS = st.sampled_from([0.0, 1.0, 1.0 + 5e-9, 1.0 + 3e-8, 2.0])


def count_pairs(rows, comparable):
    """Concordance by a loop over all pairs of rows (cause, time, entry, subject, risk); NaN without any pair."""
    concordant, pairs = 0.0, 0
    for i in rows:
        for j in rows:
            if i is not j and comparable(*i[:4], *j[:4]):
                pairs += 1
                concordant += 0.5 if abs(i[4] - j[4]) <= 1e-8 else float(i[4] > j[4])
    return concordant / pairs if pairs else np.nan


def later(cause, time, entry, subject, other_cause, other_time, other_entry, other_subject):
    """Whether a row with an event is comparable with another, by the definition."""
    entered = other_entry < time or other_entry == 0
    outlives = other_time > time or (other_time == time and other_cause == 0)
    return cause > 0 and outlives and entered and subject != other_subject


def of_cause_1(cause, time, entry, subject, other_cause, other_time, other_entry, other_subject):
    """The same for events of cause 1, where other events keep a subject comparable."""
    entered = other_entry < time or other_entry == 0
    outlives = other_time > time or (other_time == time and other_cause != 1) or other_cause > 1
    return cause == 1 and outlives and entered


def check(found, expected):
    if np.isnan(expected):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, abs=1e-12)


@st.composite
def subjects(draw):
    """One row for each subject: cause, time, entry (0 for most), subject, risk; times tied with each other."""
    rows = []
    for number in range(draw(st.integers(2, 12))):
        time = draw(st.integers(0, 4))
        entry = draw(st.integers(0, time - 1)) if time > 0 else 0
        rows.append((draw(st.integers(0, 3)), time, entry, number, draw(RISKS)))
    return rows


@given(subjects())
@pytest.mark.filterwarnings("ignore:.* no two subjects")
@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_agrees_with_a_count_of_all_pairs(rows):
    cause, time, entry, _, risk = (np.array(column) for column in zip(*rows, strict=True))
    check(concordance_index(Surv.right(cause > 0, time, entry=entry), risk), count_pairs(rows, later))
    check(concordance_index(Surv.right(cause, time, entry=entry), risk, cause=1), count_pairs(rows, of_cause_1))


@given(subjects())
@pytest.mark.filterwarnings("ignore:.* no two subjects")
@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_entry_at_zero_is_no_delayed_entry(rows):
    rows = [(cause, time, 0, number, risk) for cause, time, _, number, risk in rows]
    cause, time, _, _, risk = (np.array(column) for column in zip(*rows, strict=True))
    check(concordance_index((cause > 0, time), risk), count_pairs(rows, later))
    check(concordance_index((cause, time), risk, cause=1), count_pairs(rows, of_cause_1))


@st.composite
def histories(draw):
    """Several rows for each subject, one after the other, perhaps with gaps and several events."""
    rows = []
    for number in range(draw(st.integers(1, 6))):
        cuts = sorted(draw(st.sets(st.integers(0, 6), min_size=2, max_size=5)))
        for start, stop in pairwise(cuts):
            if draw(st.integers(0, 4)):
                rows.append((draw(st.integers(0, 1)), stop, start, number, draw(RISKS)))
    return rows


@given(histories())
@pytest.mark.filterwarnings("ignore:.* no two subjects")
def test_rows_of_one_subject_are_compared_with_the_rows_at_risk(rows):
    if rows:
        event, stop, start, subject, risk = (np.array(column) for column in zip(*rows, strict=True))
        y = Surv.counting(start, stop, event, id=subject)
        check(concordance_index(y, risk), count_pairs(rows, later))


def test_splitting_a_row_in_two_changes_nothing():
    event, time, risk = draw(5, 300)
    y = Surv.right(event, time)
    cut = time * np.random.default_rng(6).uniform(0.1, 0.9, 300)
    halves = Surv.counting(
        np.r_[np.zeros(300), cut], np.r_[cut, time], np.r_[np.zeros(300, dtype=bool), event], id=np.tile(range(300), 2)
    )
    assert concordance_index(halves, np.tile(risk, 2)) == pytest.approx(concordance_index(y, risk), abs=1e-12)


def test_a_single_cause_is_the_event():
    event, time, risk = draw(7, 200, 20, 10)
    assert concordance_index((event, time), risk, cause=1) == concordance_index((event, time), risk)


def test_events_of_another_cause_are_not_events_of_this_one():
    """A subject with an early competing event can no longer have the event, and should have the lowest risk."""
    y = ([2, 1, 0], [1.0, 2.0, 3.0])
    assert concordance_index(y, [0.0, 2.0, 1.0], cause=1) == 1.0
    assert concordance_index(y, [9.0, 2.0, 1.0], cause=1) == 0.5
    assert concordance_index(y, [9.0, 2.0, 1.0]) == 1.0


@pytest.mark.parametrize(
    ("event", "time"),
    [([False, False], [1.0, 2.0]), ([True, True], [1.0, 1.0]), ([False, True], [1.0, 2.0]), ([True], [1.0])],
)
def test_no_comparable_pair_gives_nan(event, time):
    risk = np.arange(len(time), dtype=float)
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        assert np.isnan(concordance_index((event, time), risk))
    assert np.isnan(harrell(as_target((event, time)), risk))


def test_perfect_reversed_and_constant_risks():
    time = np.arange(10.0)
    event = np.ones(10, dtype=bool)
    assert concordance_index((event, time), -time) == 1.0
    assert concordance_index((event, time), time) == 0.0
    assert concordance_index((event, time), np.zeros(10)) == 0.5


def test_infinite_risks_are_the_highest():
    assert concordance_index(([1, 1, 1], [1.0, 2.0, 3.0]), [np.inf, np.inf, -np.inf]) == pytest.approx(2.5 / 3)


def test_order_of_the_rows_does_not_matter():
    event, time, risk = draw(1, 500, 20, 10)
    order = np.random.default_rng(2).permutation(500)
    assert concordance_index((event[order], time[order]), risk[order]) == concordance_index((event, time), risk)


def test_rows_after_an_event_are_refused_with_a_cause():
    y = Surv.counting([0, 1, 0], [1, 2, 3], [2, 1, 0], id=[1, 1, 2])
    with pytest.raises(ValueError, match="y: row 1 is after an event of the same subject"):
        concordance_index(y, [1.0, 2.0, 3.0], cause=1)
    assert concordance_index(y, [1.0, 2.0, 3.0]) == 0.0


def test_large_data_take_seconds():
    event, time, risk = draw(3, 200_000)
    started = clock.perf_counter()
    assert 0.49 < concordance_index((event, time), risk - 1e-3 * time) < 0.52
    assert clock.perf_counter() - started < 5.0


@given(subjects(), st.data())
@pytest.mark.filterwarnings("ignore:.* no two subjects")
@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_a_weight_is_a_number_of_copies(rows, data):
    """Also with delayed entry and competing risks; a weight of zero is no row at all."""
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    copies = [row for row, times in zip(rows, weight, strict=True) for _ in range(times)]
    cause, time, entry, _, risk = (np.array(column) for column in zip(*rows, strict=True))
    for y, chosen, comparable in (
        (Surv.right(cause > 0, time, entry=entry), None, of_several_subjects(later)),
        (Surv.right(cause, time, entry=entry), 1, of_several_subjects(of_cause_1)),
    ):
        expected = count_pairs(copies, comparable)
        check(concordance_index(y, risk, cause=chosen, sample_weight=weight), expected)
        for factor in (0.1, 1e-300, 1e300):
            check(concordance_index(y, risk, cause=chosen, sample_weight=factor * weight), expected)


def of_several_subjects(comparable):
    """Copies of a row are of several subjects, although they share a number."""
    return lambda *pair: comparable(*pair[:3], 0, *pair[4:7], 1)


def test_weights_of_rows_with_a_wrong_shape_are_named():
    with pytest.raises(ValueError, match=r"sample_weight must have one value for each of the 3"):
        concordance_index(([1, 1, 1], [1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], sample_weight=[1.0, 2.0])


def test_without_any_weight_nothing_is_comparable():
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        assert np.isnan(concordance_index(([1, 1, 1], [1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], sample_weight=np.zeros(3)))
