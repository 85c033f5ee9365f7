"""The same seed gives the same model, to the last bit."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.training.starts import STARTS

SCRIPT = """
import hashlib
import numpy as np
from hazboost import FPBoost

rng = np.random.default_rng(3)
X = rng.normal(size=(200, 5))
y = rng.random(200) < 0.7, rng.weibull(1.2, 200) * np.exp(-X[:, 0])
options = dict(max_depth=3, subsample=0.6, colsample_bytree=0.6, n_jobs=1, random_state=11)
digest = hashlib.sha256()
for init in ("random", "km", "marginal"):
    model = FPBoost(2, 1, init=init, n_estimators=60, patience=5, **options).fit(X, y)
    digest.update(model.predict(X).tobytes())
    digest.update(model.predict_hazard_function(X, return_array=True).tobytes())
    digest.update(np.array(model.history_["validation_loss"]).tobytes())
model = FPBoost(n_folds=2, learning_rate=0.5, **options).fit(X, y)
digest.update(model.predict(X).tobytes())
digest.update(np.array(model.history_["train_loss"] + model.cv_results_["ridge_loss"]).tobytes())
print(digest.hexdigest())
"""


def simulate(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (rng.random(n) < 0.7, rng.weibull(1.2, n) * np.exp(-X[:, 0]))


X, Y = simulate()
X_CURVED = X
Y_CURVED = Y[0], Y[1] * np.exp(X[:, 0]) * np.where(np.abs(X[:, 1]) > 0.7, 0.2, 1.0)


def sampled(**parameters):
    defaults = {"n_estimators": 8, "max_depth": 3, "subsample": 0.6, "colsample_bytree": 0.6, "init": "marginal"}
    return FPBoost(2, 1, **{**defaults, "random_state": 0, **parameters})


def raw_trees(model):
    return [booster.save_raw() for booster in model.model_.boosters]


def digest(model):
    """Of everything that is predicted."""
    arrays = model.predict(X), model.predict_survival_function(X, return_array=True), model.predict_median(X)
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


@pytest.mark.filterwarnings("ignore:the validation metric was still improving")
@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("patience", [None, 3])
def test_the_same_seed_gives_the_same_bits(init, n_jobs, patience):
    first, second = (sampled(init=init, n_jobs=n_jobs, patience=patience).fit(X, Y) for _ in range(2))
    assert digest(first) == digest(second)
    assert first.history_ == second.history_
    assert raw_trees(first) == raw_trees(second)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_seed_gives_the_same_averaged_models(n_jobs):
    averaged = {"n_estimators": "auto", "init": "linear", "n_folds": 3, "learning_rate": 0.5, "n_jobs": n_jobs}
    first, second = (sampled(**averaged).fit(X_CURVED, Y_CURVED) for _ in range(2))
    assert len(first.model_.boosters) == 3
    assert digest(first) == digest(second)
    assert (first.history_, first.cv_results_) == (second.history_, second.cv_results_)
    assert raw_trees(first) == raw_trees(second)


def test_folds_sample_in_ways_of_their_own():
    """Two folds with the same sampling would make the same mistakes."""
    model = sampled(n_estimators="auto", n_folds=3, learning_rate=0.5, colsample_bytree=0.4).fit(X_CURVED, Y_CURVED)
    first_splits = [booster.get_dump()[0].split("<")[0] for booster in model.model_.boosters]
    assert len(set(first_splits)) > 1


def test_another_process_gives_the_same_bits(capsys):
    exec(SCRIPT, {})
    here = capsys.readouterr().out
    there = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    assert len(here.strip()) == 64
    assert there == here


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
def test_another_number_of_threads_gives_nearly_the_same(tree_method):
    one, two = (sampled(tree_method=tree_method, n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2))
    np.testing.assert_allclose(two.predict(X), one.predict(X), rtol=1e-5, atol=1e-5)


def test_threads_share_many_rows():
    """More rows than are evaluated in one block."""
    many, y = simulate(40_000)
    one, two = (sampled(init="random", n_estimators=3, n_jobs=n_jobs).fit(many, y) for n_jobs in (1, 2))
    np.testing.assert_allclose(two.predict(X), one.predict(X), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(two.history_["train_loss"], one.history_["train_loss"], rtol=1e-6)


def test_a_random_state_instance_is_drawn_from():
    generator = np.random.RandomState(5)
    first, second = (sampled(init="random", random_state=generator).fit(X, Y) for _ in range(2))
    assert digest(first) != digest(second)
    again = sampled(init="random", random_state=np.random.RandomState(5)).fit(X, Y)
    assert digest(again) == digest(first)


@pytest.mark.parametrize("init", ["random", "km"])
def test_seeds_differ(init):
    fits = [sampled(init=init, subsample=1.0, colsample_bytree=1.0, random_state=seed).fit(X, Y) for seed in range(3)]
    assert len({digest(model) for model in fits}) == 3


def test_without_a_seed_fits_differ():
    first, second = (sampled(init="random", random_state=None).fit(X, Y) for _ in range(2))
    assert digest(first) != digest(second)


def test_the_seed_decides_the_sampling():
    options = {"init": "marginal", "subsample": 0.5}
    assert digest(sampled(**options, random_state=1).fit(X, Y)) != digest(sampled(**options, random_state=2).fit(X, Y))


def test_fitting_leaves_the_global_generator_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    sampled().fit(X, Y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("seed", [0, 2**32 - 1])
def test_every_seed_of_numpy_is_accepted(seed):
    assert digest(sampled(random_state=seed).fit(X, Y)) == digest(sampled(random_state=seed).fit(X, Y))
