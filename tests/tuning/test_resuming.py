"""A stored study is resumed by the search that began it, and by no other."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from hazboost import FPBoost, tune
from hazboost.tuning.spaces import SPACES, Space

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = RNG.random(40) < 0.7, RNG.weibull(1.5, 40) * np.exp(-X[:, 0])
SMALL = FPBoost(1, 0, heads=None, init="marginal", n_estimators=2, max_depth=2)


def search(space, storage, n_trials=3, **arguments):
    options = {"estimator": SMALL, "cv": 2, "random_state": 0, "verbose": 0, **arguments}
    return tune(X, Y, space=space, storage=storage, n_trials=n_trials, **options)


def trees(trial):
    return {
        "max_depth": trial.suggest_int("max_depth", 1, 3),
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.5),
        "tree_method": trial.suggest_categorical("tree_method", ["hist", "approx"]),
        "reg_lambda": 1.0,
    }


def edited(name, drawn=None, **made):
    """The space with one line edited: how ``name`` is drawn, or what is made of the draws."""

    def space(trial):
        parameters = {
            "max_depth": lambda: trial.suggest_int("max_depth", 1, 3),
            "learning_rate": lambda: trial.suggest_float("learning_rate", 0.01, 0.5),
            "tree_method": lambda: trial.suggest_categorical("tree_method", ["hist", "approx"]),
        }
        if drawn is not None:
            parameters[name] = lambda: drawn(trial)
        return {**{key: draw() for key, draw in parameters.items()}, "reg_lambda": 1.0, **made}

    return space


def with_more(trial):
    return {**trees(trial), "subsample": trial.suggest_float("subsample", 0.5, 1.0)}


def doubled(trial):
    parameters = trees(trial)
    return {**parameters, "learning_rate": 2.0 * parameters["learning_rate"]}


def renamed(trial):
    return {
        "max_depth": trial.suggest_int("depth", 1, 3),
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.5),
        "tree_method": trial.suggest_categorical("tree_method", ["hist", "approx"]),
        "reg_lambda": 1.0,
    }


EDITS = {
    "wider range": (
        edited("max_depth", lambda trial: trial.suggest_int("max_depth", 1, 6)),
        "max_depth was int 1 to 3, not int 1 to 6",
    ),
    "range without the draws": (
        edited("max_depth", lambda trial: trial.suggest_int("max_depth", 4, 6)),
        "max_depth was int 1 to 3, not int 4 to 6",
    ),
    "logarithm": (
        edited("learning_rate", lambda trial: trial.suggest_float("learning_rate", 0.01, 0.5, log=True)),
        "learning_rate was float 0.01 to 0.5, not float 0.01 to 0.5, log",
    ),
    "step": (
        edited("max_depth", lambda trial: trial.suggest_int("max_depth", 1, 3, step=2)),
        "max_depth was int 1 to 3, not int 1 to 3, step 2",
    ),
    "more choices": (
        edited("tree_method", lambda trial: trial.suggest_categorical("tree_method", ["hist", "approx", "exact"])),
        "tree_method was one of ['hist', 'approx'], not one of ['hist', 'approx', 'exact']",
    ),
    "other choices": (
        edited("tree_method", lambda trial: trial.suggest_categorical("tree_method", ["exact", "auto"])),
        "tree_method was one of ['hist', 'approx'], not one of ['exact', 'auto']",
    ),
    "new parameter": (with_more, "subsample is new"),
    "renamed parameter": (renamed, "max_depth is no longer there; the space differs, depth is new"),
    "other constant": (edited("reg_lambda", reg_lambda=5.0), "reg_lambda was 1.0, not 5.0 (made from the draws of"),
    "other use of a draw": (doubled, "learning_rate was "),
}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """The storage of a search that has begun, to be copied."""
    storage = tmp_path_factory.mktemp("begun") / "journal"
    search(trees, storage)
    return storage


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_space_is_refused(edit, begun, tmp_path):
    (space, message), storage = EDITS[edit], shutil.copy(begun, tmp_path)
    beginning = f"study_name='hazboost' is the name of another search in this storage: the space differs, {message}"
    with pytest.raises(ValueError, match=re.escape(beginning)) as error:
        search(space, storage, n_trials=5)
    assert "another study_name or storage to start a new search" in str(error.value)
    assert len(search(space, storage, n_trials=2, study_name="new").trials) == 2
    assert len(search(trees, storage, n_trials=4).trials) == 4  # nothing was added by the other one


@pytest.mark.parametrize("name", SPACES)
def test_an_edited_space_of_the_library_is_refused(name, tmp_path, monkeypatch):
    """As after an update that adds a parameter."""
    space = SPACES[name]
    quick = {**SMALL.get_params(), "random_state": 0}  # a fit of moments, whatever is drawn

    def use(more):
        suggest = lambda trial: {**space.suggest(trial), **quick, **more(trial)}  # noqa: E731
        monkeypatch.setitem(SPACES, name, Space(name, suggest, space.base, space.sampler))

    use(lambda trial: {})
    search(name, tmp_path / "journal")
    assert len(search(name, tmp_path / "journal", n_trials=4).trials) == 4
    use(lambda trial: {"max_bin": trial.suggest_int("max_bin", 32, 64)})
    with pytest.raises(ValueError, match="the space differs, max_bin is new"):
        search(name, tmp_path / "journal", n_trials=5)


class Ranges:
    """A space may be any callable."""

    def __init__(self, deepest):
        self.deepest = deepest

    def __call__(self, trial):
        return {"max_depth": trial.suggest_int("max_depth", 1, self.deepest)}


def test_an_edited_object_is_refused(tmp_path):
    search(Ranges(3), tmp_path / "journal")
    assert len(search(Ranges(3), tmp_path / "journal", n_trials=4).trials) == 4
    with pytest.raises(ValueError, match="max_depth was int 1 to 3, not int 1 to 4"):
        search(Ranges(4), tmp_path / "journal", n_trials=5)


@pytest.mark.parametrize(("one", "other"), [("default", "paper"), (trees, "default"), ("paper", trees)])
def test_another_kind_of_space_is_refused(one, other, tmp_path):
    search(one, tmp_path / "journal", n_trials=1)
    names = [f"'{space if isinstance(space, str) else 'custom'}'" for space in (one, other)]
    with pytest.raises(ValueError, match=f"space was {names[0]}, not {names[1]}"):
        search(other, tmp_path / "journal", n_trials=2)


def test_a_function_of_another_name_with_the_same_ranges_is_the_same_space(begun, tmp_path):
    resumed = search(edited("max_depth"), shutil.copy(begun, tmp_path), n_trials=6)
    whole = search(trees, None, n_trials=6)
    columns = ["score", "max_depth", "learning_rate", "tree_method"]
    pd.testing.assert_frame_equal(resumed.trials[columns], whole.trials[columns])


def test_before_anything_is_drawn_a_space_may_be_edited(tmp_path):
    """The only trial is the estimator as given, which is the same in every search."""
    storage = tmp_path / "journal"
    search(trees, storage, n_trials=1)
    assert len(search(with_more, storage).trials) == 3


def test_a_space_may_read_the_number_of_its_trial_and_make_one_draw_depend_on_another(tmp_path):
    storage = tmp_path / "journal"

    def space(trial):
        depth = trial.suggest_int("max_depth", 1, 2 + trial.number)
        rates = {"learning_rate": trial.suggest_float("learning_rate", 0.01, 0.1)} if depth > 1 else {}
        return {"max_depth": depth, **rates}

    search(space, storage).study.ask()  # a trial that was interrupted has a number too
    assert len(search(space, storage, n_trials=6).trials) == 6


def test_a_space_may_be_a_list_of_configurations(tmp_path):
    """It is called once more for each trial that is there, and goes on with the next."""
    storage = tmp_path / "journal"

    def listed():
        configurations = iter([{"max_depth": depth} for depth in (1, 2, 3, 4)])
        return lambda trial: next(configurations)

    search(listed(), storage)
    assert search(listed(), storage, n_trials=5).trials["max_depth"].tolist() == [2, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"metric": "concordance"}, "metric was 'likelihood', not 'concordance'"),
        ({"random_state": 1}, "random_state was 0, not 1"),
        ({"cv": 3}, "the folds differ"),
        ({"estimator": clone(SMALL).set_params(n_estimators=9)}, "estimator's n_estimators was '2', not '9'"),
        ({"estimator": type("Other", (FPBoost,), {})(**SMALL.get_params())}, "estimator was 'FPBoost', not 'Other'"),
        ({"sample_weight": np.r_[2.0, np.ones(len(X) - 1)]}, "the data differ"),
        ({"groups": np.arange(len(X)), "cv": [(np.arange(20), np.arange(20, 40))]}, "the groups differ; the folds"),
    ],
)
def test_another_search_of_the_same_name_is_refused(changed, message, tmp_path):
    search(trees, tmp_path / "journal", n_trials=1)
    with pytest.raises(ValueError, match=f"study_name='hazboost' is the name of another search.*{message}"):
        search(trees, tmp_path / "journal", **changed)


def test_categories_are_other_data_than_their_codes(tmp_path):
    codes = pd.DataFrame({"a": X[:, 0], "b": np.arange(len(X)) % 3})
    for frame in (codes, codes.astype({"b": "category"})):
        options = {"estimator": SMALL, "cv": 2, "random_state": 0, "verbose": 0, "n_trials": 1}
        if frame is codes:
            tune(frame, Y, space=trees, storage=tmp_path / "journal", **options)
        else:
            with pytest.raises(ValueError, match="the data differ"):
                tune(frame, Y, space=trees, storage=tmp_path / "journal", **options)
