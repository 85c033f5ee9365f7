"""Which of two columns is the event: names, then booleans, then the order."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hazboost.data.reading import as_target

EVENT, TIME = np.array([1, 0, 1, 1]), np.array([3.0, 5.0, 2.0, 7.0])

#: Names of an event and of a time, as data sets of R, scikit-survival and others have them.
NAMES = [
    ("cens", "time"),
    ("Status", "Survival_in_days"),
    ("fstat", "lenfol"),
    ("censor", "time"),
    ("censor_d", "time_d"),
    ("e.tdm", "t.tdm"),
    ("death", "futime"),
    ("status", "ftime"),
    ("E", "T"),
    ("died", "x"),
    ("x", "duration"),
    ("delta", "tte"),
    ("event_observed", "durations"),
    ("event", "time_to_event"),
    ("event_indicator", "event_time"),
    ("DEATH_EVENT", "time"),
    ("OS", "OS.time"),
    ("OS_STATUS", "OS_MONTHS"),
    ("deathStatus", "survivalTime"),
    ("fail", "_t"),
    ("cause", "days_to_death"),
]


def both_orders(event, time, names):
    """The same pair in every container, event first and time first."""
    columns = dict(zip(names, (event, time), strict=True))
    for order in (names, names[::-1]):
        chosen = {name: columns[name] for name in order}
        yield np.rec.fromarrays(list(chosen.values()), names=list(chosen)).view(np.ndarray)
        yield pd.DataFrame(chosen)
        yield pl.DataFrame(chosen)
        yield pa.table(chosen)
        yield tuple(pd.Series(values, name=name) for name, values in chosen.items())
        yield [pl.Series(name, values) for name, values in chosen.items()]


@pytest.mark.parametrize("names", NAMES, ids="-".join)
@pytest.mark.parametrize("kind", [int, float, bool])
def test_names_tell_the_event_from_the_time_in_any_order(names, kind):
    for y in both_orders(EVENT.astype(kind), TIME, names):
        target = as_target(y)
        np.testing.assert_array_equal(target.lower, TIME)
        np.testing.assert_array_equal(target.cause, EVENT)


@pytest.mark.parametrize("names", [("a", "b"), ("x1", "x2"), ("status", "death")])
def test_a_boolean_column_is_the_event(names):
    for y in both_orders(EVENT.astype(bool), TIME, names):
        np.testing.assert_array_equal(as_target(y).lower, TIME)


def test_booleans_may_be_objects_with_missing_values():
    with pytest.raises(ValueError, match=r"y: the event must be boolean.* got None \(row 1\)"):
        as_target((TIME, [True, None, False, True]))
    with pytest.raises(ValueError, match=r"y: the event must be boolean.* got None \(row 1\)"):
        as_target((TIME, pd.array([True, None, False, True], dtype="boolean")))


@pytest.mark.parametrize("names", [("a", "b"), (None, None), ("died", "dead"), ("time_to_death", "dead_after_9_days")])
def test_otherwise_the_event_comes_first(names):
    pair = pd.Series(EVENT, name=names[0]), pd.Series(TIME, name=names[1])
    np.testing.assert_array_equal(as_target(pair).lower, TIME)
    with pytest.raises(ValueError, match=r"y: event and time look exchanged, .* values up to 7; give the event first"):
        as_target(pair[::-1])


def test_a_condition_on_a_time_is_an_event():
    data = pd.DataFrame({"time": TIME})
    assert (data["time"] < 6.0).name == "time"
    for y in ((data["time"] < 6.0, data["time"]), (data["time"], data["time"] < 6.0)):
        np.testing.assert_array_equal(as_target(y).cause, [1, 1, 1, 0])


@pytest.mark.parametrize("names", [("start", "stop"), ("t1", "t2"), ("entry", "time"), ("months", "years")])
def test_two_times_are_refused(names):
    for y in both_orders(TIME, TIME + 1.0, names):
        with pytest.raises(ValueError, match=r"both look like times; an event and a time are needed.*Surv.counting"):
            as_target(y)


def test_names_that_contradict_the_data_are_refused():
    contradiction = pd.DataFrame({"time": EVENT.astype(bool), "event": [0, 3, 2, 1]})
    with pytest.raises(ValueError, match="the time must be a number; got True and False"):
        as_target(contradiction)


def test_exchanged_whole_numbers_are_refused():
    with pytest.raises(ValueError, match="y: event and time look exchanged"):
        as_target(([3, 5, 2], [1, 0, 1]))
    as_target(([2, 0, 1], [1, 3, 1]))  # competing risks with whole years
    as_target(pd.DataFrame({"event": [2, 0, 1], "time": [1, 0, 1]}))  # the names say it


@pytest.mark.parametrize("name", ["censored", "is_censored", "rightCensored", "alive"])
def test_an_event_whose_name_says_the_opposite_is_read_with_a_warning(name):
    with pytest.warns(UserWarning, match=f"y: '{name}' is read as the event.* pass its opposite"):
        target = as_target(pd.DataFrame({"time": TIME, name: EVENT}))
    np.testing.assert_array_equal(target.cause, EVENT)


@pytest.mark.parametrize(
    "load",
    ["load_aids", "load_breast_cancer", "load_flchain", "load_gbsg2", "load_whas500", "load_veterans_lung_cancer"],
)
def test_data_sets_of_scikit_survival_are_read_as_there(load):
    y = getattr(pytest.importorskip("sksurv.datasets"), load)()[1]
    event, time = y.dtype.names
    target = as_target(y)
    np.testing.assert_array_equal(target.event, y[event])
    np.testing.assert_array_equal(target.lower, y[time])
