"""Training and prediction on a GPU, compared with the processor.

``pytest -m gpu --noconftest tests/gpu`` runs them where CuPy finds a GPU; they need no other package of the tests.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from hazboost import FPBoost, Surv, load
from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.objective import Objective
from hazboost.boosting.observed import Observed
from hazboost.boosting.steps import STEPS
from hazboost.data.reading import as_target
from hazboost.data.target import Target
from hazboost.engines import cuda
from hazboost.explain import contributions, interaction_values
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import Mixture, columns
from hazboost.utils.devices import is_on_device, to_device, to_host
from tests.accelerated import TIMES, log_logistic, true_survival


def has_gpu() -> bool:
    try:
        import cupy
    except ImportError:
        return False
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not has_gpu(), reason="CuPy finds no GPU"),
    pytest.mark.filterwarnings("ignore:the fitted curves are poor"),  # some settings overfit, here as on the processor
]

POSITIVE = [name for name, activation in WEIGHT_ACTIVATIONS.items() if not activation.signed]


def some_target(n: int, n_causes: int, rng: np.random.Generator) -> Target:
    """Events, censored rows, intervals and delayed entries."""
    lower = rng.uniform(0.01, 1.0, n)
    lower[:3] = 0.0
    kind = rng.integers(0, 3, n)
    kind[:3] = 1
    upper = np.select([kind == 0, kind == 1], [lower, np.inf], lower + rng.uniform(0.1, 1.0, n))
    entry = np.where(rng.random(n) < 0.3, 0.5 * lower, 0.0)
    cause = np.where(kind == 0, rng.integers(1, n_causes + 1, n), 0)
    return Target.of(lower, upper, rng.uniform(0.5, 2.0, n), entry=entry, cause=cause)


def on_gpu(target: Target) -> Target:
    fields = (target.lower, target.upper, target.weight, target.entry, target.cause)
    return Target(*map(to_device, fields), target.subject, to_device(target.portion))


def data(n=2_000, seed=0):
    """Few distinct values, so that bins are the same everywhere."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 1)
    risk = X[:, 0] + (X[:, 1] > 0.5) + 0.5 * X[:, 2] * X[:, 3]
    time = rng.weibull(1.4, n) * np.exp(-risk / 1.4)
    limit = rng.exponential(1.0, n)
    return X, time <= limit, np.minimum(time, limit)


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("weights", POSITIVE)
@pytest.mark.parametrize("parameters", PARAMETER_ACTIVATIONS)
def test_the_likelihood_is_that_of_the_processor(parameters, weights, n_causes):
    rng = np.random.default_rng(1)
    mixture = Mixture(
        dict.fromkeys(HEADS, 1), PARAMETER_ACTIVATIONS[parameters], WEIGHT_ACTIVATIONS[weights], 0.05, n_causes
    )
    target = some_target(300, n_causes, rng)
    scores = rng.normal(size=(mixture.n_scores, 300))
    expected = row_loss(mixture, scores, Observed.of(target, n_causes))
    found = row_loss(mixture, to_device(scores), Observed.of(on_gpu(target), n_causes))
    for one, other in zip(found, expected, strict=True):
        assert is_on_device(one)
        np.testing.assert_allclose(to_host(one), other, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("step", STEPS)
def test_pseudo_residuals_are_those_of_the_processor(step):
    rng = np.random.default_rng(2)
    mixture = Mixture(
        {"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"], 0.05
    )
    objective = Objective(mixture, 0.3, 0.5, STEPS[step], 16.0)
    target, scores = some_target(500, 1, rng), rng.normal(size=(500, mixture.n_scores)).astype(np.float32)
    results = []
    for where, observed in ((scores, target), (to_device(scores), on_gpu(target))):
        room, rows = objective.allocate_residuals(where), objective.observe(observed)
        sums = objective.pseudo_residuals(where, rows, room)
        results.append((sums, *map(to_host, room), objective.mean_loss(where, rows)))
    (sums, *arrays), (sums_on_gpu, *arrays_on_gpu) = results
    np.testing.assert_allclose(sums_on_gpu, sums, rtol=1e-10)
    for one, other in zip(arrays_on_gpu, arrays, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)


def test_restricted_means_and_curves_are_those_of_the_processor():
    rng = np.random.default_rng(3)
    mixture = Mixture(
        {"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"], 0.05
    )
    scores = 2.0 * rng.normal(size=(3_000, mixture.n_scores))
    here, there = Distribution(mixture, scores, 7.0), Distribution(mixture, to_device(scores), 7.0)
    times = np.array([0.0, 0.1, 3.0, 20.0])
    np.testing.assert_allclose(to_host(there.restricted_mean(5.0)), here.restricted_mean(5.0), rtol=1e-8)
    for curve in ("survival", "cumulative_hazard", "hazard"):
        np.testing.assert_allclose(to_host(getattr(there, curve)(times)), getattr(here, curve)(times), rtol=1e-9)


def loss(model, X, y):
    mixture, scores = model.model_.mixture, model.model_.distribution(X).on_host().scores
    target = as_target(y).scaled(model.model_.unit).without_events_at_zero()
    return row_loss(mixture, columns(scores), Observed.of(target, mixture.n_causes), VALUE).value.mean()


FIXED = {"n_estimators": 40, "max_depth": 3, "subsample": 1.0, "colsample_bytree": 1.0, "random_state": 0}
KINDS = {
    "right": Surv.right,
    "causes": lambda event, time: Surv.right(event * (1 + (np.arange(len(time)) % 2)), time),
    "entry": lambda event, time: Surv.right(event, time, entry=0.3 * time),
    "interval": lambda event, time: Surv.interval(
        np.where(event, 0.8 * time, time), np.where(event, 1.2 * time, np.inf)
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_models_are_as_good_as_on_the_processor(kind):
    X, event, time = data()
    y = KINDS[kind](event, time)
    here, there = (FPBoost(device=device, **FIXED).fit(X, y) for device in ("cpu", "cuda"))
    assert loss(there, X, y) < loss(here, X, y) + 2e-3  # bins, and so trees, are not the same
    np.testing.assert_allclose(there.history_["train_loss"][0], here.history_["train_loss"][0], rtol=2e-4)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_estimators": "auto", "n_folds": 3},
        {"init": "marginal", "solver": "gradient", "reg_lambda": 0.0},
        {"monotone_constraints": [1, 0, 0, 0]},
        {"heads_activation": "tanh", "n_estimators": 5},
        {"max_depth": 6},
        {"patience": 5, "n_estimators": 60},
    ],
    ids=lambda parameters: next(iter(parameters)),
)
def test_every_way_to_train_works(parameters):
    X, event, time = data(800)
    X[::7, 1] = np.nan
    y = Surv.right(event, time)
    here, there = (FPBoost(device=device, **{**FIXED, **parameters}).fit(X, y) for device in ("cpu", "cuda"))
    assert there.score(X, y) == pytest.approx(here.score(X, y), abs=0.02)


def test_arrays_of_cupy_give_arrays_of_cupy():
    X, event, time = data()
    model = FPBoost(device="cuda", **FIXED).fit(to_device(X), (to_device(event), to_device(time)))
    same = FPBoost(device="cuda", **FIXED).fit(X, (event, time))
    there = model.predict(to_device(X))
    assert is_on_device(there)
    np.testing.assert_allclose(to_host(there), same.predict(X), rtol=1e-5)
    survival = model.predict_survival_function(to_device(X), times=[0.1, 1.0])
    assert is_on_device(survival)
    np.testing.assert_allclose(to_host(survival), same.predict_survival_function(X, times=[0.1, 1.0]), rtol=1e-4)
    np.testing.assert_allclose(model.predict_median(to_device(X[:50])), same.predict_median(X[:50]), rtol=1e-4)
    assert model.score(to_device(X), (event, time)) == pytest.approx(same.score(X, (event, time)), abs=1e-4)


def test_many_subjects_and_all_choices():
    X, event, time = data(8_000)
    here, there = (FPBoost(device=device, random_state=0).fit(X, (event, time)) for device in ("cpu", "cuda"))
    new, new_event, new_time = data(4_000, seed=1)
    y = Surv.right(new_event, new_time)
    assert loss(there, new, y) == pytest.approx(loss(here, new, y), abs=0.02)


@pytest.mark.parametrize("n", [1_500, 8_000])
def test_features_that_act_on_time(n):
    X, y = log_logistic(n)
    model = FPBoost(device="cuda", random_state=0).fit(X, y)
    assert model.linear_effect_ == "time"
    error = model.predict_survival_function(X, times=TIMES) - true_survival(X)
    assert np.sqrt(np.mean(error**2)) < 0.05


@pytest.mark.parametrize("max_depth", [2, 5])
def test_averaged_folds_predict_as_on_the_processor(monkeypatch, max_depth):
    X, event, time = data(800)
    model = FPBoost(device="cuda", max_depth=max_depth, random_state=0).fit(X, (event, time))
    assert len(model.model_.boosters) > 1
    there = model.predict_survival_function(X, times=[0.2, 1.0])
    monkeypatch.setattr(cuda, "has_device", lambda: False)
    np.testing.assert_allclose(model.predict_survival_function(X, times=[0.2, 1.0]), there, atol=1e-5)


def test_a_model_survives_pickling():
    X, event, time = data(500)
    model = FPBoost(device="cuda", **FIXED).fit(X, (event, time))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize("constraints", [None, [1, 0, 0]])
def test_explanations_of_a_model_from_the_gpu_add_up(constraints):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)).astype(np.float32)
    y = np.ones(500, dtype=bool), rng.weibull(1.5, 500) * np.exp(-X[:, 0])
    options = {"n_estimators": 10, "max_depth": 3, "random_state": 0, "monotone_constraints": constraints}
    model = FPBoost(device="cuda", **options).fit(X, y)
    found = contributions(model, X, times=[0.5, 1.0])
    expected = model.predict_survival_function(X, times=[0.5, 1.0])
    np.testing.assert_allclose(found.base + found.values.sum(axis=-1), expected, atol=1e-6)
    assert np.abs(found.values).mean(axis=(0, 1)).argmax() == 0
    assert interaction_values(model, X).shape == (500, 1, 3, 3)


@pytest.mark.parametrize("max_depth", [2, 6])
def test_a_saved_model_predicts_the_same_on_the_gpu(tmp_path, max_depth):
    """From a depth of four on, leaves may have a value for each score."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4)).astype(np.float32)
    y = Surv.right(rng.random(500) < 0.7, rng.weibull(1.2, 500) * np.exp(-X[:, 0]))
    model = FPBoost(device="cuda", n_estimators=10, max_depth=max_depth, random_state=0).fit(X, y)
    model.save(tmp_path / "model.hzb")
    loaded = load(tmp_path / "model.hzb")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_the_cohort_is_that_of_the_processor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.random(len(X)) < 0.6, rng.exponential(size=len(X))
    settings = {"init": "marginal", "n_estimators": 5, "random_state": 0}
    there = FPBoost(device="cuda", **settings).fit(to_device(X), y).cohort_
    here = FPBoost(**settings).fit(X, y).cohort_
    assert there.subjects == here.subjects
    np.testing.assert_allclose(there.features.quantiles, here.features.quantiles, rtol=1e-6)
    np.testing.assert_array_equal(there.features.missing, here.features.missing)
    np.testing.assert_allclose(there.observed, here.observed, atol=1e-12)
    np.testing.assert_allclose(there.expected, here.expected, atol=5e-3)  # trees of half of the rows, drawn elsewhere
