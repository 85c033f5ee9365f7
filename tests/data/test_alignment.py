"""Rows in a different order in two arguments are noticed by their labels."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hazboost import FPBoost, Surv, tune
from hazboost.data.alignment import check_alignment

LABELS = ["p3", "p1", "p2"]


def labelled(index):
    return pd.Series([1.0, 2.0, 3.0], index=index)


ALIGNED = {
    "the same labels": (LABELS, LABELS),
    "labels and default ones": (LABELS, None),
    "equal labels of two kinds": (pd.RangeIndex(3), pd.Index([0, 1, 2])),
    "repeated labels": (["a", "a", "b"], ["a", "a", "b"]),
    "a part of the default ones": ([5, 3, 1], None),
    "two levels and default ones": (pd.MultiIndex.from_product([["a"], [0, 1, 2]]), None),
}
SAME = r"have the same row labels \(index\) in a different order"
OTHER = "have different index labels"
MISALIGNED = {
    "sorted": (LABELS, sorted(LABELS), SAME),
    "shuffled, and default ones": ([2, 0, 1], None, SAME),
    "default ones, and shuffled objects": (None, pd.Index([2, 0, 1], dtype=object), SAME),
    "other labels": (LABELS, ["q1", "q2", "q3"], OTHER),
    "other numbers": ([5, 3, 1], [4, 3, 1], OTHER),
    "repeated labels in another order": (["a", "a", "b"], ["a", "b", "a"], OTHER),
    "another number of levels": (pd.MultiIndex.from_product([["a"], [0, 1, 2]]), LABELS, OTHER),
    "dates": (pd.date_range("2020", periods=3), pd.date_range("2021", periods=3), OTHER),
}


@pytest.mark.parametrize("case", ALIGNED)
def test_aligned_rows_are_used_by_position(case):
    one, other = ALIGNED[case]
    check_alignment({"X": labelled(one), "y": labelled(other)})
    check_alignment({"X": labelled(other), "y": labelled(one)})


@pytest.mark.parametrize("case", MISALIGNED)
def test_misaligned_rows_are_refused(case):
    one, other, message = MISALIGNED[case]
    with pytest.raises(ValueError, match=rf"^X and y {message} .*reset_index\(drop=True\) on both"):
        check_alignment({"X": labelled(one), "y": labelled(other)})
    with pytest.raises(ValueError, match=rf"^X and y\[1\] {message}"):
        check_alignment({"X": labelled(one), "y": ([1, 2, 3], labelled(other)), "groups": None})


def test_the_message_has_the_remedy():
    X, y = labelled(["b", "a", "c"]), labelled(["a", "b", "c"])
    with pytest.raises(ValueError, match=r"\(b, a, c and a, b, c\).* Use y\.loc\[X\.index\]"):
        check_alignment({"X": X, "y": y})
    check_alignment({"X": X, "y": y.loc[X.index]})
    check_alignment({"X": X.reset_index(drop=True), "y": y.reset_index(drop=True)})


def test_what_has_no_labels_is_used_by_position():
    check_alignment({"X": [1, 2], "y": ("ab", "cd"), "w": pl.Series([1]), "g": np.ones(2), "none": None})
    check_alignment({"X": labelled(LABELS), "y": labelled(["q1", "q2", "q3"])[:2]})  # lengths are checked elsewhere


def test_a_million_labels_are_compared_at_once():
    ordered = pd.Series(np.zeros(1_000_000))
    shuffled = ordered.sample(frac=1.0, random_state=0)
    began = time.perf_counter()
    check_alignment({"X": ordered, "y": ordered.copy(), "w": pd.Series(0.0, index=ordered.index + 7)})
    with pytest.raises(ValueError, match=SAME):
        check_alignment({"X": ordered, "y": shuffled})
    assert time.perf_counter() - began < 5.0


RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 2)), columns=["a", "b"], index=[f"p{i}" for i in range(40)])
Y = pd.DataFrame({"event": RNG.random(40) < 0.7, "time": RNG.weibull(1.5, 40)}, index=X.index)
WEIGHT = pd.Series(1.0, index=X.index)
MODEL = FPBoost(n_estimators=2, init="marginal", heads=None, random_state=0)

CALLS = {
    "y": lambda: MODEL.fit(X, Y[::-1]),
    "pair": lambda: MODEL.fit(X, (Y["event"], Y["time"][::-1])),
    "sample_weight": lambda: MODEL.fit(X, Y, sample_weight=WEIGHT[::-1]),
    "groups": lambda: MODEL.fit(X, Y, groups=WEIGHT[::-1]),
    "groups and weights": lambda: MODEL.fit(X.to_numpy(), Y.to_numpy().T.tolist(), WEIGHT, groups=WEIGHT[::-1]),
    "eval_set": lambda: MODEL.fit(X, Y, eval_set=(X, Y[::-1])),
    "score": lambda: MODEL.fit(X, Y).score(X, Y[::-1]),
    "alive_at": lambda: MODEL.fit(X, Y).predict_median(X, alive_at=Y["time"][::-1]),
    "weights of a score": lambda: MODEL.fit(X, Y).score(X, Y, sample_weight=WEIGHT[::-1]),
    "path": lambda: MODEL.fit(X, Y).predict_survival_along(X, Y["time"] * 0.0, Y["time"][::-1], id=range(40)),
    "Surv": lambda: Surv.right(Y["event"], Y["time"][::-1]),
    "tune": lambda: tune(X, Y[::-1]),
}


@pytest.mark.parametrize("case", CALLS)
def test_every_function_compares_the_labels(case):
    with pytest.raises(ValueError, match=SAME):
        CALLS[case]()


def test_labels_do_not_change_a_model():
    plain = MODEL.fit(X.reset_index(drop=True), Y.reset_index(drop=True)).predict(X)
    np.testing.assert_array_equal(MODEL.fit(X, Y, WEIGHT, groups=X.index).predict(X), plain)
    np.testing.assert_array_equal(MODEL.fit(X, Y.reset_index(drop=True)).predict(X), plain)
