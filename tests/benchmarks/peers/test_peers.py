"""Every baseline of the registry: trained on a small split, held to what the study relies on."""

from __future__ import annotations

import os
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.experiments.baselines import BASELINES
from hazboost.experiments.baselines.base import Checked, check_risk, check_survival
from hazboost.experiments.baselines.curves import breslow, nearest_values, positive, step_values
from hazboost.experiments.baselines.hyperparameters import HYPERPARAMETERS
from hazboost.metrics import concordance_index

#: What a model imports, where that is not what this library always has.
NEEDED = {
    "cox": "sksurv",
    "coxboost": "sksurv",
    "rsf": "sksurv",
    "deepsurv": "pycox",
    "deepsurv_paper": "pycox",
    "deephit": "pycox",
    "deephit_paper": "pycox",
    "dsm": "auton_survival",
    "dsm_paper": "auton_survival",
}
TIMES = np.array([0.0, 1e-6, 0.05, 0.2, 0.5, 0.9, 1.0, 1.3])
#: The settings of the paper that do not learn much, and what looks at no feature.
NEAR_CHANCE = {"km", "deepsurv_paper", "deephit_paper", "dsm_paper"}
#: A head of the authors' package whose shape is 0 has all of its cumulative hazard at time zero.
JUMPS_AT_ZERO = {"fpboost_authors"}


def require(name):
    """Skip where a package is missing, or where no interpreter for the model is named: making one takes long."""
    environment = BASELINES[name].environment
    if environment is not None and environment.variable not in os.environ:
        pytest.skip(f"{environment.variable} does not name an interpreter")
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])


def make_sample(rows, seed):
    """A number, a number of two values, the columns of a category; an event and a censoring at zero."""
    rng = np.random.default_rng(seed)
    category = rng.integers(3, size=rows)
    two_values = rng.choice([-0.9, 1.1], size=rows)
    X = np.column_stack([rng.normal(size=rows), two_values, category[:, None] == np.arange(3)])
    time = rng.weibull(1.5, rows) * np.exp(-1.2 * X[:, 0] - 0.8 * X[:, 1] + 0.5 * X[:, 2])
    censoring = rng.exponential(3.0, rows)
    event, time = time <= censoring, np.minimum(time, censoring)
    event[:2], time[:2] = [True, False], 0.0
    return SimpleNamespace(X=X, event=event, time=time, groups=np.arange(rows))


@pytest.fixture(scope="module")
def split():
    train, validation, test = make_sample(300, 0), make_sample(100, 1), make_sample(80, 2)
    unit = train.time.max()
    for sample in (train, validation, test):
        sample.time = sample.time / unit
    categorical = np.array([False, False, True, True, True])
    return SimpleNamespace(
        train=train,
        validation=validation,
        test=test,
        names=("x0", "x1", "c=0", "c=1", "c=2"),
        categorical=categorical,
        unit=unit,
    )


@pytest.fixture(scope="module")
def fit(split):
    """Train a baseline once for all tests: ``fit(name)``."""
    models = {}

    def train(name):
        require(name)
        if name not in models:
            models[name] = BASELINES[name].fit(split, "veterans", 0)
        return models[name]

    return train


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", list(BASELINES))
class TestEveryBaseline:
    def test_survival_functions(self, name, fit, split):
        survival = fit(name).survival(split.test.X, TIMES)
        assert survival.shape == (80, len(TIMES))
        assert np.isfinite(survival).all()
        assert (np.diff(survival, axis=1) <= 1e-5).all()
        at_zero = np.median(survival[:, 0]) if name in JUMPS_AT_ZERO else survival[:, 0].min()
        assert at_zero > 0.5, "hardly anybody dies at once"

    def test_risk_ranks_subjects(self, name, fit, split):
        risk = fit(name).risk(split.test.X)
        concordance = concordance_index((split.test.event, split.test.time), risk)
        assert risk.shape == (80,)
        if name == "km":
            assert concordance == 0.5
        elif name not in NEAR_CHANCE:
            assert concordance > 0.7

    def test_high_risk_means_low_survival(self, name, fit, split):
        if name in NEAR_CHANCE:
            pytest.skip("next to no differences between subjects")
        risk = fit(name).risk(split.test.X)
        later = fit(name).survival(split.test.X, np.array([0.2]))[:, 0]
        assert np.corrcoef(np.argsort(np.argsort(risk)), np.argsort(np.argsort(later)))[0, 1] < -0.8

    @pytest.mark.parametrize(("column", "low", "high"), [(0, -1.0, 1.0), (1, -0.9, 1.1)])
    def test_uses_numbers_and_columns_of_two_values(self, name, column, low, high, fit, split):
        if name in NEAR_CHANCE:
            pytest.skip("next to no differences between subjects")
        below, above = split.test.X.copy(), split.test.X.copy()
        below[:, column], above[:, column] = low, high
        assert (fit(name).risk(above) > fit(name).risk(below)).mean() > 0.9

    def test_the_seed_decides(self, name, fit, split):
        first = fit(name)
        again = BASELINES[name].fit(split, "veterans", 0)
        np.testing.assert_array_equal(first.risk(split.test.X), again.risk(split.test.X))

    def test_does_not_change_its_data(self, name, fit, split):
        require(name)
        before = pickle.dumps(split)
        model = BASELINES[name].fit(split, "veterans", 1)
        model.survival(split.test.X, TIMES)
        assert pickle.dumps(split) == before


@pytest.mark.parametrize("name", list(BASELINES))
def test_description(name):
    baseline = BASELINES[name]
    assert baseline.name == name
    assert baseline.packages
    assert 0.1 < baseline.memory(100, 10) < baseline.memory(7_000, 80) < 16.0
    assert all(isinstance(values, tuple) and values for values in baseline.space.values())


def test_all_models_of_the_study():
    assert list(BASELINES) == [
        "km", "cox", "coxboost", "xgboost", "rsf", "deepsurv", "deepsurv_paper", "deephit", "deephit_paper", "dsm",
        "dsm_paper", "boxhed", "fpboost_authors", "fpboost_paper", "fpboost",
    ]  # fmt: skip


def test_registry_imports_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys, hazboost.experiments.baselines as b; "
        "print([m for m in ('torch', 'sksurv', 'pycox', 'auton_survival') if m in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"


def test_hyperparameters_of_the_paper():
    from hazboost import FPBoost

    assert len(HYPERPARAMETERS) == 8
    for settings in HYPERPARAMETERS.values():
        model = FPBoost.paper(**settings.as_dict())
        model._validate_params()
        assert model.learning_rate == 1.0
    assert [name for name, settings in HYPERPARAMETERS.items() if settings.patience] == ["whas"]
    assert sum(settings.weibull_heads for settings in HYPERPARAMETERS.values()) == 32 + 1 + 64 + 4 + 1 + 4 + 1 + 16
    assert sum(settings.loglogistic_heads for settings in HYPERPARAMETERS.values()) == 4 + 0 + 1 + 8 + 1 + 8 + 4 + 1


class TestChecks:
    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ([[1.0, np.nan]], "1 of 1 subjects is not finite, first at time 0.5"),
            ([[1.2, 0.5]], r"\[0.5, 1.2\]"),
            ([[0.5, 0.6]], "rises by 0.1"),
            ([[0.5]], r"shape \(1, 1\); expected \(1, 2\)"),
        ],
    )
    def test_survival(self, values, message):
        with pytest.raises(ValueError, match=message):
            check_survival(np.array(values), 1, np.array([0.0, 0.5]), "model")

    def test_survival_at_unsorted_times(self):
        check_survival(np.array([[0.4, 0.9]]), 1, np.array([0.5, 0.1]), "model")

    def test_risk(self):
        with pytest.raises(ValueError, match="1 of 2 risks"):
            check_risk(np.array([0.0, np.inf]), 2, "model")
        with pytest.raises(ValueError, match="shape"):
            check_risk(np.zeros((2, 1)), 2, "model")


class TestCurves:
    def test_step_values(self):
        values = step_values(np.array([1.0, 2.0]), np.array([[0.6, 0.3]]), np.array([0.0, 1.0, 1.5, 9.0]))
        np.testing.assert_array_equal(values, [[1.0, 0.6, 0.6, 0.3]])

    def test_nearest_values(self):
        values = nearest_values(np.array([1.0, 2.0]), np.array([[0.6, 0.3]]), np.array([0.0, 1.4, 1.6, 9.0]))
        np.testing.assert_array_equal(values, [[0.6, 0.6, 0.3, 0.3]])

    def test_positive(self):
        np.testing.assert_array_equal(positive(np.array([0.0, 0.2, 1.0])), [0.1, 0.2, 1.0])

    def test_breslow_by_its_definition(self):
        rng = np.random.default_rng(0)
        time, event, score = rng.integers(1, 9, 40) / 8.0, rng.random(40) < 0.6, rng.normal(size=40)
        steps, hazard = breslow(score, event, time)
        total = 0.0
        for t, h in zip(steps, hazard, strict=True):
            total += np.sum(event & (time == t)) / np.sum(np.exp(score[time >= t]))
            assert h == pytest.approx(total)

    def test_breslow_without_risks_is_nelson_aalen(self):
        steps, hazard = breslow(np.zeros(3), np.array([True, False, True]), np.array([1.0, 2.0, 3.0]))
        np.testing.assert_allclose(steps, [1.0, 3.0])
        np.testing.assert_allclose(hazard, [1 / 3, 1 / 3 + 1.0])


def test_survival_of_cox_is_that_of_the_library(split, fit):
    from hazboost.experiments.baselines.scikit_survival import ScikitSurvival

    model = fit("cox").model
    theirs = ScikitSurvival(model.model).survival(split.test.X, TIMES)
    np.testing.assert_allclose(model.survival(split.test.X, TIMES), theirs, atol=1e-12)


def test_folds_of_the_defaults_do_not_divide_subjects(monkeypatch, split):
    given = []
    monkeypatch.setattr(FPBoost, "fit", lambda model, X, y, groups: given.append(groups))
    BASELINES["fpboost"].fit(split, "veterans", 0)
    assert given[0] is split.train.groups


def test_rounding_errors_of_survival_are_removed():
    model = SimpleNamespace(survival=lambda X, times: np.array([[1.0 + 1e-7, -1e-8]]))
    assert Checked("model", model).survival(np.zeros((1, 1)), np.array([0.1, 0.2])).tolist() == [[1.0, 0.0]]
