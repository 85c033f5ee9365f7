"""scikit-learn's tools and its own checks of estimators."""

import pickle
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import hazboost
from hazboost import FPBoost
from hazboost.hazards.heads import HEADS
from hazboost.metrics import concordance_index
from hazboost.report.sections.training import changed_settings

# scikit-learn's checks have targets of a few classes.
pytestmark = pytest.mark.filterwarnings("ignore:.* events share only", "ignore:the fitted curves are poor")

N = 90
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
EVENT = RNG.random(N) < 0.8
TIME = RNG.weibull(1.5, N) * np.exp(-X[:, 0]) + 0.01
Y = np.array(list(zip(EVENT, TIME, strict=True)), dtype=[("event", bool), ("time", float)])


def small(**parameters):
    """A few rounds from the start without features, with two heads: nothing is chosen."""
    return FPBoost(**{"n_estimators": 4, "init": "marginal", "heads": None, "random_state": 0, **parameters})


class NumericTarget(FPBoost):
    """Takes a number for y, as scikit-learn's checks give it: everybody has an event, at a positive time."""

    def fit(self, X, y, sample_weight=None, eval_set=None):
        return super().fit(X, self._survival(y), sample_weight, eval_set)

    def score(self, X, y):
        return super().score(X, self._survival(y))

    def _survival(self, y):
        if y is None:
            return None
        number = np.ravel(np.asarray(y))
        if number.dtype.kind in "OU":
            number = np.unique(number, return_inverse=True)[1]
        time = number - number.min() + 1.0
        return np.ones(len(time), dtype=bool), time


#: Scores are in single precision, whose neighbours differ by up to this; scikit-learn allows 1e-7 for predictions.
SINGLE = float(np.finfo(np.float32).eps)
#: Checks of weights, and why an estimator with folds, samples and leaves that count subjects cannot pass them; one that
#: passes fails the suite (``xfail_strict``). Weights are relative, so a weight of two for all is no second row.
OF_WEIGHTS = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "a row given twice may be in two folds, and is drawn twice",
)
#: Leaves that may be of any size.
NOT_COUNTING = {"reg_lambda": 0.0, "min_child_weight": 0.0}


@parametrize_with_checks(
    [
        NumericTarget(n_folds=2, learning_rate=0.3, random_state=0),
        NumericTarget(init="random", solver="gradient", n_estimators=2, subsample=1.0, **NOT_COUNTING),
        NumericTarget(
            1, 0, n_estimators=2, tree_method="exact", init="km", heads_activation="relu", subsample=1.0, **NOT_COUNTING
        ),
    ],
    expected_failed_checks=lambda estimator: OF_WEIGHTS if estimator.subsample == "auto" else {},
)
def test_checks_of_scikit_learn(estimator, check, monkeypatch):
    if check.func.__name__ in OF_WEIGHTS:  # a row of weight three and three rows are rounded otherwise
        alike = partial(estimator_checks.assert_allclose_dense_sparse, rtol=10.0 * SINGLE)
        monkeypatch.setattr(estimator_checks, "assert_allclose_dense_sparse", alike)
    check(estimator)


@parametrize_with_checks(
    [
        NumericTarget.paper(n_estimators=2, random_state=0),
        NumericTarget(
            n_estimators=2,
            init="marginal",
            heads=dict.fromkeys(set(HEADS) - {"weibull", "loglogistic"}, 1),
            interaction_constraints=[[0]],
            risk_horizon="longest",
            random_state=0,
        ),
    ],
    expected_failed_checks=lambda estimator: OF_WEIGHTS,
)
def test_checks_of_scikit_learn_with_other_settings(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "name",
    [
        "param_validation",
        "dataframe_column_names_consistency",
        "inplace_ensure_writeable",
        "regressor_data_not_an_array",
        "regressors_int",
        "regressors_no_decision_function",
    ],
)
def test_checks_that_scikit_learn_makes_of_its_own_estimators_or_of_regressors_only(name):
    getattr(estimator_checks, f"check_{name}")("NumericTarget", NumericTarget(n_estimators=2, init="marginal"))


def as_memmap(array, folder):
    np.save(folder / "X.npy", array)
    return np.load(folder / "X.npy", mmap_mode="r")


def read_only(array, _):
    array = array.copy()
    array.setflags(write=False)
    return array


LAYOUTS = {
    "single precision": lambda array, _: array.astype(np.float32),
    "columns first": lambda array, _: np.asfortranarray(array),
    "every other row of a larger array": lambda array, _: np.repeat(array, 2, axis=0)[::2],
    "read-only": read_only,
    "file": as_memmap,
    "other byte order": lambda array, _: array.astype(array.dtype.newbyteorder()),
    "objects": lambda array, _: array.astype(object),
    "lists": lambda array, _: array.tolist(),
}


PLAIN = X.astype(np.float32).astype(float)
MODELS = {
    "default": FPBoost(n_folds=2, learning_rate=0.5, random_state=0),
    "paper": FPBoost.paper(n_estimators=4, random_state=0),
    "constraints": small(monotone_constraints=[1, 0, -1], interaction_constraints=[[0, 2]]),
}


@pytest.fixture(scope="module", params=MODELS)
def model_and_predictions(request):
    """A model, and its predictions when fitted to an ordinary array."""
    model = MODELS[request.param]
    return model, clone(model).fit(PLAIN, Y).predict(PLAIN)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_memory_of_the_features_does_not_matter(model_and_predictions, layout, tmp_path):
    model, before = model_and_predictions
    given = LAYOUTS[layout](PLAIN.copy(), tmp_path)
    fitted = clone(model).fit(given, Y)
    # Sums over columns are rounded otherwise.
    np.testing.assert_allclose(fitted.predict(given), fitted.predict(PLAIN), rtol=1e-14)
    np.testing.assert_allclose(fitted.predict(given), before, rtol=1e-9)


def test_it_is_no_transformer():
    """So it has neither an output to configure nor names for it."""
    assert not any(hasattr(FPBoost(), name) for name in ("transform", "set_output", "get_feature_names_out"))


def test_clone_copies_parameters_and_nothing_learned():
    model = small(heads={"gompertz": 1}, interaction_constraints=[["a", "b"]], monotone_constraints={"a": 1})
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    copy = clone(small(heads={"gompertz": 1}).fit(X, Y))
    assert not hasattr(copy, "model_")
    np.testing.assert_array_equal(copy.fit(X, Y).predict(X), small(heads={"gompertz": 1}).fit(X, Y).predict(X))


def test_the_constructor_stores_what_it_gets():
    for name, value in FPBoost().get_params().items():
        marker = object()
        assert getattr(FPBoost(**{name: marker}), name) is marker
        assert getattr(FPBoost().set_params(**{name: value}), name) is value


def test_set_params_refuses_unknown_names():
    with pytest.raises(ValueError, match="n_heads"):
        FPBoost().set_params(n_heads=3)


def test_set_params_takes_effect_at_the_next_fit():
    model = small().fit(X, Y).set_params(weibull_heads=3, n_estimators=2).fit(X, Y)
    assert model.n_estimators_ == 2
    assert model.model_.mixture.counts["weibull"] == 3


SETTINGS = [
    {},
    {"uniform_heads": True},
    {"heads_activation": "tanh", "heads": {"lognormal": 1}, "learning_rate": 0.01},
    {"patience": 2},
]


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def model_and_frame(request):
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=pd.Categorical(np.where(X[:, 0] > 0, "u", "v")))
    return small(**request.param).fit(frame, Y), frame


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_everything(model_and_frame, protocol):
    model, frame = model_and_frame
    copy = pickle.loads(pickle.dumps(model, protocol))
    assert copy.predict(frame).tobytes() == model.predict(frame).tobytes()
    assert copy.history_ == model.history_
    assert copy.get_params() == model.get_params()
    assert copy._repr_html_inner().count("<svg") == model._repr_html_inner().count("<svg")
    assert copy.fit(frame, Y).predict(frame).tobytes() == model.predict(frame).tobytes()


@pytest.mark.parametrize("compress", [0, 3])
def test_joblib_keeps_everything(tmp_path, compress):
    model = small().fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib", compress=compress)
    copy = joblib.load(tmp_path / "model.joblib")
    assert copy.predict(X).tobytes() == model.predict(X).tobytes()
    np.testing.assert_array_equal(copy.event_times_, model.event_times_)


def test_curves_can_be_pickled():
    curve = small().fit(X, Y).predict_survival_function(X[:1])[0]
    copy = pickle.loads(pickle.dumps(curve))
    np.testing.assert_array_equal(copy.y, curve.y)
    assert copy(0.5) == curve(0.5)


def test_pipeline_with_a_column_transformer():
    frame = pd.DataFrame(X, columns=list("abc")).assign(kind=np.where(X[:, 1] > 0, "up", "down"))
    frame.loc[:4, "a"] = np.nan
    prepare = make_column_transformer(
        (OneHotEncoder(drop="first", sparse_output=False), ["kind"]),
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
    )
    pipeline = make_pipeline(prepare.set_output(transform="pandas"), small()).fit(frame, Y)
    assert pipeline.score(frame, Y) > 0.6
    assert pipeline.predict(frame).shape == (N,)
    assert pipeline[-1].feature_names_in_[0] == "onehotencoder__kind_up"
    assert pipeline[-1].predict_survival_function(prepare.transform(frame))[0](0.0) == 1.0


def test_curves_of_a_pipeline_without_scikit_survival_as_the_readme_says():
    """scikit-survival gives every pipeline predict_survival_function; without it the last step has to be asked."""
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
    (block,) = [code for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "pipe[:-1]" in code]
    before = "import sys; sys.modules['sksurv'] = None\n"
    after = """
assert not hasattr(pipe, "predict_survival_function")
survival = np.array([curve(1.0) for curve in curves])
assert np.corrcoef(survival, pipe.predict(X))[0, 1] < -0.9
"""
    subprocess.run([sys.executable, "-c", before + block + after], check=True)


def test_pipeline_with_sparse_features():
    kinds = np.array(["a", "b", "c"])[RNG.integers(3, size=(N, 2))]
    pipeline = make_pipeline(OneHotEncoder(), small()).fit(kinds, Y)
    assert np.isfinite(pipeline.predict(kinds)).all()


def test_cross_validation_scores_are_concordances():
    folds = KFold(3, shuffle=True, random_state=0)
    model = small(n_estimators=20, subsample=1.0, colsample_bytree=1.0)  # each tree sees the one feature that matters
    found = cross_val_score(model, X, Y, cv=folds)
    expected = [clone(model).fit(X[train], Y[train]).score(X[test], Y[test]) for train, test in folds.split(X)]
    np.testing.assert_array_equal(found, expected)
    assert found.min() > 0.6
    assert cross_val_predict(model, X, Y, cv=folds).shape == (N,)


def count_heads(estimator, X, y):
    """A scorer that says which model was fitted."""
    heads = [name.split("_")[0] for name in estimator.predict_parameters(X[:1])["head"]]
    return 100 * heads.count("weibull") + heads.count("loglogistic")


def test_grid_search_fits_the_heads_it_asks_for():
    grid = {"weibull_heads": [0, 1, 3], "loglogistic_heads": [1, 2]}
    search = GridSearchCV(small(), grid, scoring=count_heads, cv=2).fit(X, Y)
    asked = [100 * p["weibull_heads"] + p["loglogistic_heads"] for p in search.cv_results_["params"]]
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], asked)
    assert search.best_params_ == {"weibull_heads": 3, "loglogistic_heads": 2}
    assert count_heads(search.best_estimator_, X, Y) == 302


def test_grid_search_chooses_by_concordance():
    search = GridSearchCV(small(), {"n_estimators": [1, 8], "heads": [None, {"gompertz": 1}]}, cv=2).fit(X, Y)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max() > 0.6
    np.testing.assert_array_equal(search.predict(X), search.best_estimator_.predict(X))


def test_parallel_cross_validation_gives_the_same_scores():
    with joblib.parallel_backend("threading"):
        parallel = cross_val_score(small(), X, Y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(parallel, cross_val_score(small(), X, Y, cv=3))


def test_sample_weights_are_routed():
    weight = np.where(X[:, 1] > 0, 5.0, 0.1)
    with config_context(enable_metadata_routing=True):
        model = small().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found = cross_val_score(model, X, Y, cv=KFold(3), params={"sample_weight": weight})
    expected = [
        small().fit(X[train], Y[train], sample_weight=weight[train]).score(X[test], Y[test])
        for train, test in KFold(3).split(X)
    ]
    np.testing.assert_array_equal(found, expected)
    assert (found != cross_val_score(small(), X, Y, cv=KFold(3))).any()


def test_weights_of_the_score_are_numbers_of_copies_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), small()).fit(X, Y)
    weight = np.arange(N) % 3
    rows = np.repeat(np.arange(N), weight)
    assert pipeline.score(X, Y, sample_weight=weight) == pytest.approx(pipeline.score(X[rows], Y[rows]), abs=1e-12)
    assert pipeline.score(X, Y, sample_weight=weight) != pipeline.score(X, Y)


def scaled(model):
    with config_context(enable_metadata_routing=True):
        return make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)


@pytest.mark.parametrize("wrap", [lambda model: model, scaled])
def test_weights_are_routed_to_the_score(wrap):
    weight = np.arange(N) % 4
    copied = np.repeat(np.arange(N), weight)
    with config_context(enable_metadata_routing=True):
        asks = small().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        found = cross_val_score(wrap(asks), X, Y, cv=KFold(3), params={"sample_weight": weight})
    for score, (train, test) in zip(found, KFold(3).split(X), strict=True):
        rows = copied[np.isin(copied, test)]
        assert score == pytest.approx(wrap(small()).fit(X[train], Y[train]).score(X[rows], Y[rows]), abs=1e-12)
    assert (found != cross_val_score(wrap(small()), X, Y, cv=KFold(3))).any()


def test_weights_are_routed_to_a_metric():
    weight = np.arange(N) % 4
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(concordance_index).set_score_request(sample_weight=True)
        model = small().set_fit_request(sample_weight=True)
        found = cross_val_score(model, X, Y, cv=KFold(3), scoring=scorer, params={"sample_weight": weight})
        model.set_score_request(sample_weight=True)
        expected = cross_val_score(model, X, Y, cv=KFold(3), params={"sample_weight": weight})
    np.testing.assert_allclose(found, expected)


class WithOwnParameters(FPBoost):
    """Takes two of the parameters and one of its own, as a subclass for one purpose may do, and sets others itself."""

    def __init__(self, n_estimators=5, colour="red", random_state=None):
        super().__init__(n_estimators=n_estimators, init="marginal", patience=2, random_state=random_state)
        self.colour = colour


def test_subclass_with_other_parameters_can_be_summarized_and_kept(tmp_path):
    model = WithOwnParameters(random_state=0).fit(X, Y)
    assert model.summary().to_dict()["start"]["init"] == "marginal"
    assert model.summary().to_dict()["trees"]["stopped_early"]
    assert set(changed_settings(model)) == {"n_estimators", "init", "patience", "random_state"}

    model.save(tmp_path / "model.hzb")
    loaded = hazboost.load(tmp_path / "model.hzb")
    assert (loaded.init, loaded.patience, loaded.n_estimators) == ("marginal", 2, 5)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
