"""The outcome of each row, on its way through an engine and back."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.boosting.columns import read_target, target_columns
from hazboost.data.target import Target
from hazboost.engines import LocalEngine
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.mixture import Mixture
from tests.rows import loss_of_rows


def through_the_engine(target: Target, n_scores: int) -> Target:
    engine, n = LocalEngine({}, n_scores), len(target)
    return read_target(
        engine.columns(engine.matrix(np.arange(float(n))[:, None], np.zeros((n, n_scores)), target_columns(target)))
    )


def every_kind(n_causes=3):
    rng = np.random.default_rng(10)
    entry = np.r_[0.0, 0.2, 0.0, 0.1, 0.5 - 1e-12, 0.3, 0.0, 0.4]
    lower = np.r_[0.4, 0.5, 0.0, 0.3, 0.5, 0.7, 1e-5, 0.8]
    upper = np.r_[0.4, np.inf, 0.6, 0.3 + 1e-10, 0.5, np.inf, 1e-5, 0.8]
    cause = np.r_[1, 0, 0, 0, n_causes, 0, 2, 1]
    weight = rng.uniform(0.5, 2.0, 8)
    return Target.of(lower, upper, weight, entry=entry, cause=cause, subject=np.r_[0, 1, 2, 3, 4, 1, 6, 1])


@pytest.mark.parametrize("n_scores", [1, 2, 3, 12])
def test_every_kind_of_row_survives_the_way_through_the_engine(n_scores):
    """In single precision an interval stays an interval, an event an event, and no row ends before it begins."""
    sent = every_kind()
    got = through_the_engine(sent, n_scores)
    for name in ("lower", "upper", "entry", "weight", "portion"):
        np.testing.assert_allclose(getattr(got, name), getattr(sent, name), rtol=1e-6, err_msg=name)
    for name in ("event", "interval", "cause"):
        np.testing.assert_array_equal(getattr(got, name), getattr(sent, name), err_msg=name)
    assert (got.entry <= got.lower).all()
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"], 0.1, 3)
    for values in loss_of_rows(mixture, np.zeros((8, mixture.n_scores)), got):
        assert np.isfinite(values).all()


def test_right_censored_rows_need_two_columns_only():
    target = Target.of(np.array([1.0, 2.0]), np.array([1.0, np.inf]))
    assert set(target_columns(target)) == {"lower", "upper"}
    assert set(target_columns(Target.of(target.lower, target.upper, np.array([1.0, 2.0])))) == {
        "lower",
        "upper",
        "weight",
    }
    got = through_the_engine(target, 6)
    np.testing.assert_array_equal(got.cause, [1, 0])
    np.testing.assert_array_equal(got.portion, 1.0)
