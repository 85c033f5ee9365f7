"""Rounded times: what is wrong with them as exact times, and that what the library advises is right.

The truth is the mean survival curve of Weibull times with an effect of a feature.
"""

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hazboost import FPBoost, Surv, tune
from hazboost.data.rounding import DIRECTIONS

END, SCALE, SHAPE = 10.0, 5.0, 1.5
TIMES = np.linspace(0.1, END, 60)
CHEAP = {"n_estimators": 1, "n_folds": 2, "random_state": 0}
ADVICE = r"y: \d+ events share only \d+ distinct times"


def simulate(n=1000, leaving=25.0):
    """Features, event times and censoring times; ``leaving`` is the mean time until a subject is lost."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    time = SCALE * np.exp(-0.5 * X[:, 0]) * rng.weibull(SHAPE, n)
    return X, time, np.minimum(rng.exponential(leaving, n), END)


def record(time, censoring, unit, how):
    """What is written down of each subject."""
    if how == "visit":
        seen, found = np.floor(censoring / unit) * unit, np.ceil(time / unit) * unit
        return found <= seen, np.minimum(found, seen)
    rounding = {"up": np.ceil, "down": np.floor, "nearest": np.round}[how]
    return time <= censoring, rounding(np.minimum(time, censoring) / unit) * unit


def error(X, y, **parameters):
    """Largest distance of the mean predicted curve from the true one."""
    model = FPBoost(**{**CHEAP, **parameters}).fit(X, y)
    truth = np.exp(-((TIMES / (SCALE * np.exp(-0.5 * X[:, :1]))) ** SHAPE)).mean(axis=0)
    return np.abs(model.predict_survival_function(X, times=TIMES).mean(axis=0) - truth).max()


@pytest.mark.parametrize(("times", "wrong"), [(5, 0.12), (10, 0.05)])
def test_recorded_times_are_not_exact(times, wrong):
    X, time, censoring = simulate()
    event, recorded = record(time, censoring, END / times, "up")
    with pytest.warns(UserWarning, match=ADVICE):
        assert error(X, Surv.right(event, recorded)) > wrong


@pytest.mark.parametrize("how", DIRECTIONS)
@pytest.mark.parametrize("times", [5, 10, 30])
def test_rounded_times_give_the_true_curve(times, how):
    X, time, censoring = simulate()
    event, recorded = record(time, censoring, END / times, how)
    assert error(X, Surv.rounded(event, recorded, to=how)) < 0.03


@pytest.mark.parametrize("how", ["visit", "up", "down"])
def test_the_true_curve_where_most_subjects_are_lost(how):
    X, time, censoring = simulate(leaving=4.0)
    event, recorded = record(time, censoring, 1.0, how)
    assert event.mean() < 0.5
    assert error(X, Surv.rounded(event, recorded, to=how, unit=1.0)) < 0.04


@pytest.mark.parametrize("times", [5])
def test_random_times_within_their_periods_where_there_are_causes(times):
    X, time, censoring = simulate()
    unit = END / times
    event, time = record(time, censoring, unit, "up")
    cause = event * (1 + (np.random.default_rng(2).random(len(time)) < 0.4))
    moved = "((event > 0) | (time < time.max()))"
    code = f"Surv.right(event, time - unit * {moved} * np.random.default_rng(0).random(len(time)))"
    with pytest.warns(UserWarning, match=ADVICE + ".*random within its period: y = " + re.escape(code)):
        assert error(X, Surv.right(cause, time)) > 0.07
    advised = eval(code, {"Surv": Surv, "np": np, "event": cause, "time": time, "unit": unit})
    assert error(X, advised) < 0.03


@pytest.mark.parametrize("times", [5, 10, 30])
@pytest.mark.parametrize("n", [200, 2000])
def test_the_warning_says_what_to_do_once_and_where(times, n):
    X, time, censoring = simulate(n)
    event, recorded = record(time, censoring, END / times, "up")
    entry = np.where(np.arange(n) < 3, 0.5 * recorded, 0.0)
    quick = FPBoost(n_estimators=1, init="marginal", heads=None, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        quick.fit(X, Surv.right(event, recorded))
        quick.fit(X, Surv.right(event, recorded, entry=entry))
    found = [one for one in caught if one.category is UserWarning]
    assert [one.filename for one in found] == [__file__] * 2
    counts = f"y: {event.sum()} events share only {len(np.unique(recorded[event]))} distinct times"
    assert all(str(one.message).startswith(counts) for one in found)
    assert 'Use y = Surv.rounded(event, time, to="visit") if events' in str(found[0].message)
    assert 'Use y = Surv.rounded(event, time, to="visit", entry=entry) if' in str(found[1].message)


def test_several_rows_of_a_subject():
    """Whose features change; rows with the same features are one row."""
    X, time, censoring = simulate(300)
    event, stop = record(time, censoring, 2.0, "up")
    y = Surv.counting(
        np.r_[np.zeros(300), np.full(300, 1.0)],
        np.r_[np.ones(300), stop],
        np.r_[event * 0, event],
        id=np.r_[np.arange(300), np.arange(300)],
    )
    with pytest.warns(
        UserWarning, match=ADVICE + ".*draw each at random within its period, after the start of its row"
    ):
        FPBoost(n_estimators=1, init="marginal", heads=None, random_state=0).fit(np.r_[X, X + 1.0], y)


def test_a_search_says_it_once():
    pytest.importorskip("optuna")
    X, time, censoring = simulate(200)
    y = Surv.right(*record(time, censoring, 2.0, "up"))
    quick = FPBoost(n_estimators=1, init="marginal", heads=None)
    with pytest.warns(UserWarning, match=ADVICE) as caught:
        tune(X, y, space=lambda trial: {"learning_rate": 0.2}, estimator=quick, n_trials=2, cv=2, verbose=0)
    assert [one.filename for one in caught if one.category is UserWarning] == [__file__]


@pytest.mark.parametrize("unit", [0.1, None])
def test_fine_times_and_intervals_are_silent(unit):
    X, time, censoring = simulate(300)
    event = time <= censoring
    recorded = np.minimum(time, censoring) if unit is None else record(time, censoring, unit, "up")[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        FPBoost(n_estimators=1, init="marginal", heads=None).fit(X, Surv.right(event, recorded))
        FPBoost(n_estimators=1, init="marginal", heads=None).fit(
            X, Surv.rounded(*record(time, censoring, 2.0, "up"), to="up")
        )
