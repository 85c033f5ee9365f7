"""The first pass over batches knows of all rows what is known of data in memory."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from hazboost import Batches, Surv
from hazboost.data.batches import read_batches
from hazboost.data.features import learn_schema, upper_limits
from hazboost.data.reading import as_target
from hazboost.data.sample import Sample

RNG = np.random.default_rng(0)
N = 40
TIME = RNG.integers(0, 9, N) / 2.0
WEIGHT = RNG.integers(0, 3, N) / 2.0
TABLE = pd.DataFrame(
    {
        "age": np.where(RNG.random(N) < 0.3, np.nan, RNG.normal(size=N)),
        "ward": pd.Categorical(RNG.choice(["z", "a", "m", None], N)),
        "late": np.r_[np.full(30, np.nan), np.arange(10.0)],
    }
)
OUTCOMES = {
    "right": Surv.right(RNG.random(N) < 0.6, TIME),
    "causes": Surv.right(RNG.integers(0, 3, N), TIME),
    "interval": Surv.interval(TIME, np.where(RNG.random(N) < 0.3, np.inf, TIME + 1.0)),
    "counting": Surv.counting(
        np.tile([0.0, 2.0], N // 2), np.tile([2.0, 5.0], N // 2), RNG.random(N) < 0.6, np.repeat(np.arange(N // 2), 2)
    ),
}


def cut(X, y, weight=None, size=6):
    parts = (X, y) if weight is None else (X, y, weight)
    take = [part.iloc if hasattr(part, "iloc") else part for part in parts]
    return Batches([tuple(one[first : first + size] for one in take) for first in range(0, N, size)])


def read(batches, **options):
    return read_batches(batches, BaseEstimator(), **options)


@pytest.mark.parametrize("size", [2, 6, N])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("kind", OUTCOMES)
def test_a_sample_of_batches_is_that_of_all_rows(kind, weight, size):
    schema, found = read(cut(TABLE, OUTCOMES[kind], weight, size))
    assert schema == learn_schema(TABLE)
    whole = Sample(schema.encode(TABLE), as_target(OUTCOMES[kind], weight))
    pairs = [(found, whole)]
    pairs.append(tuple(one.without_weightless_rows().with_mean_weight_one() for one in pairs[0]))
    pairs.append(tuple(one.scaled(2.0) for one in pairs[1]))
    pairs.append(tuple(one.draw(10, np.random.default_rng(3)) for one in pairs[2]))
    for one, other in pairs:
        np.testing.assert_array_equal(one.in_memory().X, other.X)
        for field in fields(other.target):
            np.testing.assert_array_equal(getattr(one.target, field.name), getattr(other.target, field.name))
    limits = [upper_limits(one.summary().highest, schema.categories) for one in pairs[1]]
    assert limits[0] == limits[1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_categories_of_all_batches_are_used_in_every_kind_of_table(make):
    batches = []
    for wards in (["z", None], ["a", "m"], ["z", "b"]):
        table = make(pd.DataFrame({"x": [1.0, 2.0], "ward": pd.Categorical(wards)}))
        batches.append((table, Surv.right([True, True], [1.0, 2.0])))
    schema, sample = read(Batches(batches))
    assert schema.categories == {1: ["a", "b", "m", "z"]}
    np.testing.assert_array_equal(sample.in_memory().X[:, 1], [3.0, np.nan, 0.0, 2.0, 3.0, 1.0])


def test_names_and_width_are_learned():
    named = BaseEstimator()
    read_batches(cut(TABLE, OUTCOMES["right"]), named)
    assert named.n_features_in_ == 3
    assert list(named.feature_names_in_) == ["age", "ward", "late"]


def test_codes_of_r_are_noticed_in_all_batches_together():
    """A batch without a censored row says nothing; all batches without one do."""
    plain = np.zeros((4, 1))
    mixed = [(plain, (np.array([1, 2, 1, 2]), np.full(4, 1.5))), (plain, (np.array([0, 1, 2, 0]), np.full(4, 1.5)))]
    read(Batches(mixed))
    with pytest.warns(UserWarning, match="the event has the codes 1, 2, and no 0"):
        read(Batches(mixed[:1] * 2))
    read(Batches(mixed[:1]), causes_known=True)


PLAIN = RNG.normal(size=(3, 2))
TIMES = Surv.right([True, False, True], [1.0, 2.0, 3.0])
GOOD = PLAIN, TIMES
FRAME = pd.DataFrame(PLAIN, columns=["a", "b"])
CATEGORIES = FRAME.assign(b=pd.Categorical(["u", "v", "u"]))
BAD = {
    "batches: there is not a single one": [],
    "batch 1: X has 3 columns, and in batch 0 it has 2; give every batch the same": [GOOD, (np.zeros((3, 3)), TIMES)],
    "batch 1: X has the columns b, a, and in batch 0 it has the columns a, b": [
        (FRAME, TIMES),
        (FRAME[["b", "a"]], TIMES),
    ],
    "batch 1: X has a plain array without names, and in batch 0": [(FRAME, TIMES), GOOD],
    "batch 1: X: column 'b' is categorical, and in batch 0 it is numeric": [(FRAME, TIMES), (CATEGORIES, TIMES)],
    "batch 2: y: every time must be finite; got nan": [GOOD, GOOD, (PLAIN, ([1, 0, 1], [1.0, np.nan, 1.0]))],
    "batch 1: X has no rows; leave such batches out": [GOOD, (PLAIN[:0], TIMES[:0])],
    "batch 1: X has 3 rows and y has 2": [GOOD, (PLAIN, TIMES[:2])],
    "batch 1: X: column 0 is infinite in row 0": [GOOD, (PLAIN + np.inf, TIMES)],
    "batch 1: y is missing; give a pair": [GOOD, PLAIN],
    "batch 1: sample_weight must be given in all batches or in none": [GOOD, (*GOOD, np.ones(3))],
    "batch 1: sample_weight must be finite and non-negative": [(*GOOD, np.ones(3)), (*GOOD, -np.ones(3))],
    "sample_weight must be 0 or at least 1e-15 of the largest": [(*GOOD, np.ones(3)), (*GOOD, np.full(3, 1e-30))],
}


@pytest.mark.parametrize("message", BAD)
def test_bad_batches_are_named(message):
    with pytest.raises(ValueError, match=message):
        read(Batches(BAD[message]))


@pytest.mark.parametrize("ids", [np.arange(4), np.array(["p", "q", "r", "s"]), np.arange(-3, 1)])
def test_a_subject_in_two_batches_is_refused(ids):
    plain = np.zeros((2, 1))
    batches = [
        (plain, Surv.counting([0.0, 0.0], [1.0, 1.0], [0, 1], ids[[0, 1]])),
        (plain, Surv.counting([0.0, 0.0], [1.0, 1.0], [0, 1], ids[[2, 3]])),
    ]
    assert read(Batches(batches))[1].target.n_subjects == 4
    batches.append((plain[:1], Surv.counting([1.0], [2.0], [0], ids[[1]])))
    with pytest.raises(
        ValueError, match="batches 0 and 2 have rows of the same id; all rows of a subject must be in one"
    ):
        read(Batches(batches))
