"""Data with ties, entries and causes, which the tests of metrics share."""

import numpy as np
import pytest
from hypothesis import strategies as st

from hazboost import Surv


@st.composite
def rows_with_anchor(draw, delayed):
    """Rows (cause, time, entry); one is followed to the end, so that the risk set is never empty."""
    rows = [(0, 9.0, 0.0)]
    for _ in range(draw(st.integers(2, 10))):
        time = draw(st.integers(1, 6))
        entry = draw(st.integers(0, time - 1)) if delayed else 0
        rows.append((draw(st.integers(0, 2)), float(time), float(entry)))
    return rows


@st.composite
def make_example(draw):
    """Training and test rows, risks with ties, and times."""
    delayed = draw(st.booleans())
    train, test = draw(rows_with_anchor(delayed)), draw(rows_with_anchor(delayed))
    risk = draw(st.lists(st.integers(0, 3), min_size=len(test), max_size=len(test)))
    times = sorted(draw(st.sets(st.sampled_from([1.0, 2.0, 2.5, 3.0, 4.5, 6.0, 7.0]), min_size=2, max_size=4)))
    return train, test, np.array(risk, dtype=float), times


@pytest.fixture(scope="session")
def as_y():
    def make(rows):
        cause, time, entry = (np.array(column) for column in zip(*rows, strict=True))
        return Surv.right(cause, time, entry=entry)

    return make


@pytest.fixture(scope="session")
def truncated():
    """A large sample with delayed entry and censoring, and the population of which it is a part.

    A high ``x`` makes events more likely before time 1 and less likely after: ``S(t) = exp(-t ** exp(-x))``. Entry is
    independent of both; subjects with an event before entry are not in the sample. Follow-up after entry is random.
    """
    rng = np.random.default_rng(0)
    x = rng.uniform(-0.7, 0.7, 60_000)
    time = rng.exponential(size=len(x)) ** np.exp(x)
    entry = np.maximum(rng.uniform(-0.5, 2.0, len(x)), 0.0)
    end = entry + rng.exponential(2.0, len(x))
    kept = entry < time
    sample = {
        "x": x[kept],
        "y": Surv.right((time <= end)[kept], np.minimum(time, end)[kept], entry=entry[kept]),
        "time": time[kept],
        "entry": entry[kept],
    }
    return sample, {"x": x, "y": Surv.right(np.ones(len(x), dtype=bool), time)}


@pytest.fixture(scope="session")
def censored():
    """A covariate, the outcomes of two causes if nobody is censored, and those with much independent censoring.

    A high covariate makes events of the first cause more likely before time 1 and less likely after.
    """
    rng = np.random.default_rng(1)
    x = rng.uniform(-0.7, 0.7, size=(2, 20_000))
    times = rng.exponential(size=(2, 20_000)) ** np.exp(x)
    cause, time = times.argmin(axis=0) + 1, times.min(axis=0)
    censoring = rng.exponential(0.5, 20_000)
    full = Surv.right(cause, time)
    return x[0], full, Surv.right(np.where(time <= censoring, cause, 0), np.minimum(time, censoring))


@pytest.fixture(scope="session")
def examples():
    """A strategy for ``data.draw``: a test cannot take both fixtures and ``given`` arguments otherwise."""
    return make_example()
