"""Every peer model: fitted to a small sample, and checked for what the studies rely on."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from benchmarks import peers
from benchmarks.harness.packages import installed
from benchmarks.harness.paths import DOCS, REPOSITORY
from benchmarks.peers import all_peers, peers_of
from benchmarks.peers.shared.base import (
    Peer,
    Sample,
    Task,
    Trained,
    check_monotone,
    check_risk,
    check_survival,
    with_validation,
)
from benchmarks.peers.shared.cross_validation import partial_log_likelihood
from benchmarks.peers.shared.curves import breslow, nearest_values, observed_incidence, positive, round_up, step_values
from benchmarks.peers.shared.proportional_hazards import Cox
from benchmarks.peers.shared.published_settings import HYPERPARAMETERS, published_settings
from benchmarks.peers.shared.scikit_survival import ScikitSurvival
from benchmarks.peers.xgboost_cox import BoostedCox
from benchmarks.studies.accuracy import models as accuracy
from benchmarks.studies.paper import models as paper
from hazboost import FPBoost
from hazboost.metrics import concordance_index

#: Models of both studies that predict risks and survival, by study and name.
MODELS = {f"{study}-{name}": peer for study in ("paper", "accuracy") for name, peer in peers_of(study).items()}
#: The example of the documentation, under another name.
PAGE = (DOCS / "running-experiments.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"## Adding a model.*?```python\n(.*?)```", PAGE, re.DOTALL)[1]
DUMMY = EXAMPLE.replace('"exponential"', '"dummy"')
ACCURACY_TOO = DUMMY.replace("PEERS = (", 'PEERS = (\n    Peer("accuracy", "dummy", fit, ("numpy",)),\n')
TIMES = np.array([0.0, 1e-6, 0.05, 0.2, 0.5, 0.9, 1.0, 1.3])
#: The settings of the paper that do not learn much, and what looks at no feature.
NEAR_CHANCE = {"km", "kaplan_meier", "deepsurv_paper", "deephit_paper", "dsm_paper"}
#: A head of the authors' package whose shape is 0 has all of its cumulative hazard at time zero.
JUMPS_AT_ZERO = {"fpboost_authors"}
#: Boosted classifiers for each time, which do not know that survival falls.
RISES = {"survivalboost"}


def require(key):
    """Skip where a package is missing, or where no interpreter for the model is named: making one takes long."""
    peer = MODELS[key]
    if peer.environment is not None:
        if not peer.environment.is_named:
            pytest.skip(f"{peer.environment.variable} does not name an interpreter")
    elif missing := [name for name in peer.packages if not installed((name,))]:
        pytest.skip(f"{', '.join(missing)} not installed")


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
    return Sample(X, event, time, np.arange(rows))


def in_units(sample, unit):
    return replace(sample, time=sample.time / unit)


@pytest.fixture(scope="module", name="test")
def held_out():
    return in_units(make_sample(80, 2), make_sample(300, 0).time.max())


@pytest.fixture(scope="module")
def task():
    train, validation = make_sample(300, 0), make_sample(100, 1)
    unit = train.time.max()
    return Task(in_units(train, unit), in_units(validation, unit), "veterans", 0)


def given(key, sample):
    """What a model of a study is given: arrays, or a table where the model has an encoder."""
    if MODELS[key].study == "paper":
        return sample
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(sample.X[:, :2], columns=["x0", "x1"])
    return replace(sample, X=table.assign(c=pd.Categorical(sample.X[:, 2:].argmax(axis=1), categories=[0, 1, 2])))


class Fit(NamedTuple):
    """A model, what it was trained on, and the same as bytes before the training."""

    model: Trained
    task: Task
    before: bytes


@pytest.fixture(scope="module")
def train(task):
    """Train a model once for all tests: ``train(key)``."""

    @cache
    def trained(key):
        require(key)
        mine = replace(task, train=given(key, task.train))
        before = pickle.dumps(mine)
        return Fit(MODELS[key].train(mine), mine, before)

    return trained


@pytest.fixture(scope="module")
def fit(train):
    """The model alone: ``fit(key)``."""
    return lambda key: train(key).model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", list(MODELS))
class TestEveryModel:
    def test_survival_functions(self, key, fit, test):
        name = MODELS[key].name
        times = TIMES if MODELS[key].study == "paper" else TIMES[1:]
        survival = fit(key).survival(given(key, test).X, times)
        assert survival.shape == (80, len(times))
        assert np.isfinite(survival).all()
        assert (np.diff(survival, axis=1) <= 1e-5).all() or name in RISES
        at_zero = np.median(survival[:, 0]) if name in JUMPS_AT_ZERO else survival[:, 0].min()
        assert at_zero > 0.5, "hardly anybody dies at once"

    def test_risk_ranks_subjects(self, key, fit, test):
        name, risk = MODELS[key].name, fit(key).risk(given(key, test).X)
        concordance = concordance_index((test.event, test.time), risk)
        assert risk.shape == (80,)
        if MODELS[key].learner == "none" or name == "kaplan_meier":
            assert concordance == 0.5
        elif name not in NEAR_CHANCE:
            assert concordance > 0.7

    def test_high_risk_means_low_survival(self, key, fit, test):
        if MODELS[key].name in NEAR_CHANCE:
            pytest.skip("next to no differences between subjects")
        X = given(key, test).X
        risk, later = fit(key).risk(X), fit(key).survival(X, np.array([0.2, 0.3]))[:, 0]
        assert np.corrcoef(np.argsort(np.argsort(risk)), np.argsort(np.argsort(later)))[0, 1] < -0.8

    @pytest.mark.parametrize(("column", "low", "high"), [(0, -1.0, 1.0), (1, -0.9, 1.1)])
    def test_uses_numbers_and_columns_of_two_values(self, key, column, low, high, fit, test):
        if MODELS[key].name in NEAR_CHANCE:
            pytest.skip("next to no differences between subjects")
        below, above = test.X.copy(), test.X.copy()
        below[:, column], above[:, column] = low, high
        risks = [fit(key).risk(given(key, replace(test, X=X)).X) for X in (below, above)]
        assert (risks[1] > risks[0]).mean() > 0.9

    def test_the_seed_decides(self, key, fit, task, test):
        first = fit(key)
        again = MODELS[key].train(replace(task, train=given(key, task.train)))
        X = given(key, test).X
        np.testing.assert_array_equal(first.risk(X), again.risk(X))

    def test_does_not_change_its_data(self, key, train, test):
        X = given(key, test).X
        before = pickle.dumps(X)
        train(key).model.survival(X, TIMES[1:])
        assert pickle.dumps(X) == before
        assert pickle.dumps(train(key).task) == train(key).before


@pytest.mark.parametrize("peer", all_peers(), ids=lambda peer: f"{peer.study}-{peer.name}")
def test_description(peer):
    assert peer.packages
    assert peer.title
    assert peer.study in ("paper", "accuracy", "competing", "changing", "speed", "truth", "learning", "ablation")
    assert 0.1 < peer.memory(100, 10) < peer.memory(7_000, 80) < 16.0
    if peer.study == "paper":
        assert peer.kind
        assert peer.learner


class TestRegistry:
    def test_models_of_the_paper_are_in_the_order_of_its_tables(self):
        assert list(paper.models()) == [
            "km", "cox", "coxboost", "xgboost", "rsf", "deepsurv", "deepsurv_paper", "deephit", "deephit_paper", "dsm",
            "dsm_paper", "boxhed", "fpboost_authors", "fpboost_paper", "fpboost",
        ]  # fmt: skip

    def test_models_of_the_accuracy_study(self):
        assert list(accuracy.models()) == [
            "kaplan_meier", "coxnet", "weibull_aft", "loglogistic_aft", "xgb_cox", "xgb_aft", "cox_ridge", "gbsa",
            "survivalboost", "rsf", "fpboost",
        ]  # fmt: skip

    def test_models_of_the_other_studies(self):
        assert set(peers_of("competing")) == {"FPBoost", "SurvivalBoost", "Aalen-Johansen"}
        assert set(peers_of("changing")) == {"FPBoost", "Cox"}
        assert set(peers_of("speed")) == {
            "fpboost", "fpboost_paper", "fpboost_authors", "xgb_aft", "xgb_cox", "comprisk", "survivalboost",
            "gradient_boosting", "forest",
        }  # fmt: skip

    def test_imports_nothing_heavy(self):
        heavy = ("torch", "sksurv", "pycox", "auton_survival", "lifelines", "hazardous", "comprisk", "numba")
        code = f"import sys, benchmarks.peers as b; b.all_peers(); print([m for m in {heavy} if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
        assert done.stdout.strip() == "[]"

    def test_two_models_of_one_name_are_refused(self, monkeypatch, tmp_path):
        (tmp_path / "second_cox.py").write_text(DUMMY.replace('"dummy"', '"cox"'))
        monkeypatch.setattr(peers, "__path__", [*peers.__path__, str(tmp_path)])
        monkeypatch.delitem(sys.modules, "benchmarks.peers.second_cox", raising=False)
        with pytest.raises(ValueError, match="the study 'paper' has two models named 'cox'"):
            all_peers()


@pytest.fixture
def dummy(monkeypatch, tmp_path):
    """One new file in the folder of the peers, and nothing else."""
    (tmp_path / "dummy.py").write_text(ACCURACY_TOO)
    monkeypatch.setattr(peers, "__path__", [*peers.__path__, str(tmp_path)])
    yield
    sys.modules.pop("benchmarks.peers.dummy")


def test_one_file_is_enough_for_a_new_model_of_the_paper(dummy):
    pytest.importorskip("sksurv")
    from benchmarks.studies.paper import command
    from benchmarks.studies.paper.cells import Cell, run_cell

    line = run_cell(Cell("veterans", "dummy", 0))
    assert (line["error"], line["c_index"]) == (None, 0.5)
    assert 0.0 < line["ibs"] < 0.25
    assert "dummy" in command.parse(["--quick"]).models
    assert list(paper.models())[-4:] == ["dummy", *paper.OWN]


def test_one_file_is_enough_for_a_new_model_of_the_accuracy_study(dummy):
    pytest.importorskip("SurvSet")
    from benchmarks.studies.accuracy.cells import Cell, run_cell

    line = run_cell(Cell("glioma", "dummy", 0))
    assert (line["error"], line["c_index"]) == (None, 0.5)
    assert 0.0 < line["brier"] < 0.3


def test_published_settings_of_the_paper():
    assert len(HYPERPARAMETERS) == 8
    for dataset in HYPERPARAMETERS:
        model = FPBoost.paper(**published_settings(dataset))
        model._validate_params()
        assert model.learning_rate == 1.0
    assert published_settings("other") == {}
    assert [name for name, settings in HYPERPARAMETERS.items() if settings.patience] == ["whas"]
    assert sum(settings.weibull_heads for settings in HYPERPARAMETERS.values()) == 32 + 1 + 64 + 4 + 1 + 4 + 1 + 16
    assert sum(settings.loglogistic_heads for settings in HYPERPARAMETERS.values()) == 4 + 0 + 1 + 8 + 1 + 8 + 4 + 1


def test_early_stopping_needs_validation_rows(task):
    assert with_validation(task) == (task.train, task.validation)
    with pytest.raises(ValueError, match="'veterans' has none"):
        with_validation(replace(task, validation=None))


class TestChecks:
    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ([[1.0, np.nan]], "1 of 1 subjects is not finite, first at time 0.5"),
            ([[1.2, 0.5]], r"\[0.5, 1.2\]"),
            ([[0.5]], r"shape \(1, 1\); expected \(1, 2\)"),
        ],
    )
    def test_survival(self, values, message):
        with pytest.raises(ValueError, match=message):
            check_survival(np.array(values), 1, np.array([0.0, 0.5]), "model")

    def test_survival_falls_in_time_in_whatever_order(self):
        check_monotone(np.array([[0.4, 0.9]]), np.array([0.5, 0.1]), "model")
        with pytest.raises(ValueError, match=r"rises by 0\.1"):
            check_monotone(np.array([[0.5, 0.6]]), np.array([0.0, 0.5]), "model")

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

    def test_round_up(self):
        time = np.random.default_rng(0).exponential(size=500)
        rounded = round_up(time, 50)
        assert len(np.unique(rounded)) <= 50
        assert (rounded >= time).all()
        np.testing.assert_array_equal(round_up(time, 500), time)

    @pytest.mark.filterwarnings("ignore:.* the event has the codes 1, 2, and no 0")
    def test_observed_incidence_without_censoring_is_a_share(self):
        cause, time = np.array([1, 2, 1, 1]), np.array([1.0, 2.0, 3.0, 4.0])
        np.testing.assert_allclose(observed_incidence(cause, time, np.array([0.5, 1.5, 3.5]), 1), [0.0, 0.25, 0.5])

    def test_partial_likelihood_and_breslow_agree_with_scikit_survival(self):
        linear_model = pytest.importorskip("sksurv.linear_model")
        util = pytest.importorskip("sksurv.util")
        rng = np.random.default_rng(2)
        x = rng.normal(size=200)
        time, censoring = rng.exponential(np.exp(-x)), rng.exponential(2.0, size=200)
        event, time = time <= censoring, np.minimum(time, censoring)
        model = linear_model.CoxPHSurvivalAnalysis().fit(x[:, None], util.Surv.from_arrays(event, time))
        steps, hazard = breslow(model.predict(x[:, None]), event, time)
        np.testing.assert_allclose(hazard, model.cum_baseline_hazard_(steps), rtol=1e-9)
        nearby = [partial_log_likelihood(x * (model.coef_[0] + step), event, time) for step in (-0.01, 0.0, 0.01)]
        assert np.argmax(nearby) == 1


def test_survival_of_cox_is_that_of_the_library(test, fit):
    model = fit("paper-cox").model
    assert isinstance(model, Cox)
    theirs = ScikitSurvival(model.model).survival(test.X, TIMES)
    np.testing.assert_allclose(model.survival(test.X, TIMES), theirs, atol=1e-12)


class BoostedWithoutTrees(BoostedCox):
    def risk(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize(
    "curves",
    [
        Cox(SimpleNamespace(predict=lambda X: np.zeros(len(X))), np.arange(100_000.0), np.log(np.arange(1, 100_001.0))),
        BoostedWithoutTrees(None, np.arange(100_000.0), np.arange(1, 100_001.0)),
    ],
    ids=["linear", "boosted"],
)
def test_curves_of_cox_models_are_computed_at_the_asked_times_only(curves):
    """At all of the 100,000 training times, those of 500 subjects would take 400 MB."""
    tracemalloc.start()
    found = curves.survival(np.zeros((500, 1)), np.array([-1.0, 0.5, 2.0]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(found, np.tile(np.exp([0.0, -1.0, -3.0]), (500, 1)))
    assert peak < 20e6


def test_folds_of_the_defaults_do_not_divide_subjects(monkeypatch, task):
    groups_given = []
    monkeypatch.setattr(FPBoost, "fit", lambda model, X, y, groups: groups_given.append(groups))
    MODELS["paper-fpboost"].fit(task)
    assert groups_given[0] is task.train.groups


def test_rounding_errors_of_survival_are_removed():
    peer = Peer("paper", "model", lambda task: None, ("numpy",))
    model = SimpleNamespace(survival=lambda X, times: np.array([[1.0 + 1e-7, -1e-8]]))
    trained = Trained(peer, model, lambda X: X)
    assert trained.survival(np.zeros((1, 1)), np.array([0.1, 0.2])).tolist() == [[1.0, 0.0]]
