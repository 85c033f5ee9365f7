"""Right-censored data without competing causes: every metric that scikit-survival has gives its number."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from sksurv import metrics as theirs
from sksurv.util import Surv

from hazboost import metrics

TIGHT = {"rtol": 1e-10, "atol": 1e-10}


@pytest.fixture(params=["metabric", "whas"])
def real(request):
    """Training and test outcome of real data, with a risk and survival curves for the test part."""
    table = request.getfixturevalue(request.param)
    parts = [table[table["split"] == part] for part in ("train", "test")]
    train, test = (Surv.from_arrays(part["event"] == 1, part["time"]) for part in parts)
    features = parts[1].filter(regex=r"^x\d$").to_numpy()
    risk = (features - features.mean(axis=0)) / features.std(axis=0) @ np.linspace(-0.5, 0.5, features.shape[1])
    times = np.quantile(test["time"], np.linspace(0.05, 0.85, 12))
    survival = np.exp(-np.exp(risk)[:, None] * times / times.mean())
    return train, test, risk, survival, times


def test_concordance_on_real_data(real):
    _, test, risk, _, _ = real
    expected = theirs.concordance_index_censored(test["event"], test["time"], risk)[0]
    assert metrics.concordance_index(test, risk) == pytest.approx(expected, abs=1e-10)


def test_ipcw_concordance_on_real_data(real):
    train, test, risk, _, times = real
    for tau in times[[3, -1]]:
        expected = theirs.concordance_index_ipcw(train, test, risk, tau=tau)[0]
        assert metrics.concordance_index_ipcw(train, test, risk, tau) == pytest.approx(expected, abs=1e-10)


def test_auc_on_real_data(real):
    train, test, risk, survival, times = real
    # Theirs wants test times within the training follow-up also where no time of the AUC needs them.
    inside = test["time"] <= train["time"][train["event"]].max()
    for prediction in (risk, 1.0 - survival):
        expected = theirs.cumulative_dynamic_auc(train, test[inside], prediction[inside], times)
        auc, mean = metrics.cumulative_dynamic_auc(train, test[inside], prediction[inside], times)
        np.testing.assert_allclose(auc, expected[0], **TIGHT)
        assert mean == pytest.approx(expected[1], abs=1e-10)


def test_brier_scores_on_real_data(real):
    train, test, _, survival, times = real
    np.testing.assert_allclose(
        metrics.brier_score(train, test, survival, times), theirs.brier_score(train, test, survival, times)[1], **TIGHT
    )
    expected = theirs.integrated_brier_score(train, test, survival, times)
    assert metrics.integrated_brier_score(train, test, survival, times) == pytest.approx(expected, abs=1e-10)


outcomes = st.lists(st.tuples(st.booleans(), st.integers(1, 6)), min_size=4, max_size=14)


def as_y(rows):
    return Surv.from_arrays([event for event, _ in rows], [float(time) for _, time in rows])


@st.composite
def data(draw):
    """Training and test outcome with many ties, tied risks, and times at and between the observed ones."""
    train, test = as_y(draw(outcomes)), as_y(draw(outcomes))
    risk = np.array(draw(st.lists(st.integers(0, 3), min_size=len(test), max_size=len(test))), dtype=float)
    times = np.array(sorted(draw(st.sets(st.sampled_from(np.arange(1.0, 6.0, 0.5)), min_size=1, max_size=4))))
    return train, test, risk, times


def ask_them(function, *arguments):
    """Their answer, or no example where they have none."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments)
    except (ValueError, ZeroDivisionError, theirs.NoComparablePairException):
        reject()


@given(data())
def test_ipcw_concordance(example):
    train, test, risk, times = example
    expected = ask_them(theirs.concordance_index_ipcw, train, test, risk, times[-1])[0]
    assert metrics.concordance_index_ipcw(train, test, risk, times[-1]) == pytest.approx(expected, abs=1e-10)


@given(data())
def test_auc(example):
    train, test, risk, times = example
    prediction = np.minimum(risk[:, None] + (np.arange(len(times)) % 2), 3.0)
    expected, mean = ask_them(theirs.cumulative_dynamic_auc, train, test, prediction, times)
    assume(np.isfinite(expected).all() and np.isfinite(mean))
    # Theirs is an area of zero without cases.
    assume((test["event"] & (test["time"] <= times[0])).any())
    auc, our_mean = metrics.cumulative_dynamic_auc(train, test, prediction, times)
    np.testing.assert_allclose(auc, expected, **TIGHT)
    assert our_mean == pytest.approx(mean, abs=1e-10)


@given(data())
def test_brier_score(example):
    train, test, risk, times = example
    survival = np.exp(-np.outer(risk, times) / 6.0)
    # Theirs drops whoever has no chance of being observed; ours clips that chance and warns.
    assume(times[-1] < train["time"].max())
    expected = ask_them(theirs.brier_score, train, test, survival, times)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = metrics.brier_score(train, test, survival, times)
    np.testing.assert_allclose(found, expected, **TIGHT)
    if len(times) > 1:
        expected = theirs.integrated_brier_score(train, test, survival, times)
        assert metrics.integrated_brier_score(train, test, survival, times) == pytest.approx(expected, abs=1e-10)
