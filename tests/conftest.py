"""Fixtures and the hypothesis profile that all tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import hazboost
from hazboost.datasets import deepsurv, load_dataset
from hazboost.datasets.files import FOLDER, find_in_folder
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS, UniformWeight
from hazboost.hazards.mixture import Mixture, columns, log_hazards, log_time, sum_hazards

settings.register_profile(
    "hazboost",
    deadline=None,  # neither a slow example nor slow data generation is a failure on a busy machine
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
    max_examples=50,
)
settings.load_profile("hazboost")

NEIGHBOUR = Path(__file__).resolve().parents[2] / "shared" / "data"
if NEIGHBOUR.is_dir():
    os.environ.setdefault(FOLDER, str(NEIGHBOUR))


@pytest.fixture(autouse=True)
def no_figures_left():
    """Close what a test has drawn: pyplot keeps figures, and warns of many in whichever test comes next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def load_local():
    """``load_dataset`` for METABRIC and WHAS, never with a download: skips if they are not in ``HAZBOOST_DATA``."""

    def load(name, **options):
        file = {"metabric": deepsurv.METABRIC, "whas": deepsurv.WHAS}[name]
        if find_in_folder(file) is None:
            pytest.skip(f"point {FOLDER} at a folder that holds {file.name} or {file.csv}")
        return load_dataset(name, **options)

    return load


@pytest.fixture(scope="session")
def packages_imported():
    """Names of all packages that are imported with the library and its data sets, in a process of its own."""
    code = "import sys, hazboost, hazboost.datasets; print(*{name.partition('.')[0] for name in sys.modules})"
    source = Path(hazboost.__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=source)
    return set(done.stdout.split())


def as_table(dataset):
    split = np.where(dataset.test, "test", "train")
    return dataset.X.astype(float).assign(time=dataset.y["time"], event=dataset.y["event"].astype(int), split=split)


@pytest.fixture(scope="session")
def metabric(load_local):
    """METABRIC, one row per patient: x0 to x8, time, event, and DeepSurv's split (train or test)."""
    return as_table(load_local("metabric"))


@pytest.fixture(scope="session")
def whas(load_local):
    """WHAS: x0 to x5, time, event, DeepSurv's split (train or test), and subject, which is no feature."""
    return as_table(load_local("whas")).assign(subject=load_local("whas", leak_free=True).groups)


@pytest.fixture(scope="session")
def make_mixture():
    """Build a mixture from names, with a background hazard: ``make_mixture({"weibull": 2}, "exp", "softmax")``."""

    def make(counts, parameter="exp", weight="relu", n_causes=1, background=0.05):
        uniform = weight == "uniform"
        activation = UniformWeight(sum(counts.values())) if uniform else WEIGHT_ACTIVATIONS[weight]
        return Mixture(counts, PARAMETER_ACTIVATIONS[parameter], activation, background, n_causes)

    return make


@pytest.fixture(scope="session")
def is_smooth():
    """Rows whose hazard is not about to be clipped or continued by a line, where slopes are continuous but bend."""

    def smooth(mixture, scores, times):
        if not mixture.weight_activation.signed:
            return np.ones(len(scores), dtype=bool)
        parameters = mixture.parameters(columns(scores))
        evaluations = mixture.evaluate(parameters, log_time(times))
        total = sum_hazards(parameters.weight, log_hazards(evaluations))
        return (np.abs(total.balance) > 0.05) & (np.abs(total.hazard / mixture.background - 1.0) > 0.1)

    return smooth


@pytest.fixture(scope="session")
def differentiate():
    """Five-point central difference: ``differentiate(f, x, step)``."""

    def derivative(function, x, step=1e-3):
        near = function(x + step) - function(x - step)
        far = function(x + 2 * step) - function(x - 2 * step)
        return (8.0 * near - far) / (12.0 * step)

    return derivative


class Definitions:
    """Risk sets, Kaplan-Meier and the distribution of censoring of rows (cause, time, entry), one by one."""

    def __init__(self, rows):
        self.rows = rows

    def at_risk(self, t):
        return sum(time >= t and (entry < t or entry == 0) for _, time, entry in self.rows)

    def events(self, t, causes=(1, 2, 3)):
        return sum(time == t and cause in causes for cause, time, _ in self.rows)

    def censored(self, t):
        return self.events(t, causes=(0,))

    def times(self, until, *, strictly=False):
        return sorted({time for _, time, _ in self.rows if time < until or (time == until and not strictly)})

    def survival_before(self, t):
        return np.prod([1.0 - self.events(u) / self.at_risk(u) for u in self.times(t, strictly=True)])

    def survival(self, t):
        return np.prod([1.0 - self.events(u) / self.at_risk(u) for u in self.times(t)])

    def incidence(self, t, cause):
        return sum(self.survival_before(u) * self.events(u, (cause,)) / self.at_risk(u) for u in self.times(t))

    def uncensored(self, t, *, strictly=False):
        steps = [u for u in self.times(t, strictly=strictly) if self.censored(u)]
        return np.prod([1.0 - self.censored(u) / (self.at_risk(u) - self.events(u)) for u in steps])

    def under_observation(self, t):
        present = self.at_risk(t) / len(self.rows) / self.survival_before(t)
        return present * self.uncensored(t) / self.uncensored(t, strictly=True)


@pytest.fixture(scope="session")
def definitions():
    """Nonparametric estimates by their definitions: ``definitions([(cause, time, entry), ...]).survival(t)``."""
    return Definitions
