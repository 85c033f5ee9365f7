"""Formulas write themselves down, and refuse what cannot be written."""

import numpy as np
import pytest
from scipy.special import log_ndtr

from hazboost.boosting import elementary
from hazboost.boosting.tracing import NoSourceError, Source


def value_of(formula, **values):
    """What the lines of a formula compute, for a row of which these numbers are known."""
    source = Source()
    result = formula(*(source.numbers([name]) for name in values))
    names = {**vars(elementary), "inf": np.inf, **{name: np.float64(value) for name, value in values.items()}}
    for name, expression in source.lines(result.parts.ravel()):
        names[name] = eval(expression, names)
    return [names.get(part, part) for part in result.parts.ravel()]


def in_place(x, y):
    result = np.empty_like(x, shape=(2, 1))
    np.subtract(x, y, out=result[:1])
    result[1:] = 2.0
    result[:, [0]] += x
    return result


@pytest.mark.parametrize(
    "formula",
    [
        lambda x, y: np.where(x > y, np.log(x), np.expm1(-y)) / 3.0,
        lambda x, y: np.clip(np.abs(x - 5.0) * y, 0.1, 0.5),
        lambda x, y: np.concatenate([x, 2.0 * y]).max(axis=0) + np.concatenate([x, y]).sum(axis=0),
        lambda x, y: (~(x > 1.0) | (np.sign(-y) == -1.0)).astype(float) + np.full_like(y, 0.25, shape=(3, 1)),
        lambda x, y: np.minimum(np.log1p(x), np.exp(y))[None] + np.any(np.concatenate([x, y]) < 1.0, axis=0),
        in_place,
    ],
)
def test_what_is_written_computes_the_same(formula):
    for x, y in ((0.3, 0.7), (2.5, 1.25), (6.0, 0.01)):
        expected = formula(np.array([[x]]), np.array([[y]]))
        np.testing.assert_allclose(value_of(formula, x=x, y=y), np.asarray(expected, dtype=float).ravel(), rtol=1e-14)


def test_nothing_is_computed_twice_or_in_vain():
    source = Source()
    x = source.numbers(["x"])
    kept = np.exp(x) + np.exp(x)
    np.log(x)
    assert [expression for _, expression in source.lines(kept.parts.ravel())] == ["x", "exp(v0)", "v1 + v1"]


@pytest.mark.parametrize(
    "formula", [log_ndtr, np.sort, lambda x: np.add(x, 1.0, where=False), lambda x: x if x > 0.0 else -x, np.add.reduce]
)
def test_what_has_no_source_is_refused(formula):
    with pytest.raises(NoSourceError):
        formula(Source().numbers(["x"]))
