"""A model in ONNX predicts what the model itself predicts."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import hazboost
from hazboost import FPBoost, Surv
from hazboost.data.features import readable
from hazboost.hazards.activations import WEIGHT_ACTIVATIONS
from hazboost.onnx import OUTPUTS, graph
from tests.files.models import CASES, features, fitted, outcome

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

SIGNED = {f"weights {name}" for name, activation in WEIGHT_ACTIVATIONS.items() if activation.signed}
#: Trees of XGBoost add up in single precision, those of ONNX in double precision: scores differ by about 1e-7 times
#: their size, and hazards by that times the derivative of their logarithm in the scores.
EXACT = 1e-6
#: Parameters of heads that are switched off are zero, and have no logarithm.
TINY = np.finfo(float).tiny


def encoded(model, X):
    """Features as the file wants them: numbers, and codes of categories."""
    numbers = model.model_.schema.encode(readable(X))
    return np.asarray(numbers.toarray() if hasattr(numbers, "toarray") else numbers, dtype=np.float64)


def session_of(model, folder, **options):
    model.to_onnx(folder / "model.onnx", **options)
    return onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])


def compute(session, X, times=None):
    given = {"features": X} if times is None else {"features": X, "times": np.asarray(times, dtype=np.float64)}
    return dict(zip((one.name for one in session.get_outputs()), session.run(None, given), strict=True))


def times_of(model):
    return np.concatenate([[0.0], np.quantile(model.event_times_, [0.0, 0.3, 0.7, 1.0]), [2.0 * model.model_.longest]])


def assert_equal(model, X, found, times, incidence=EXACT):
    """All outputs are those of the model."""
    table, n = model.predict_parameters(X), X.shape[0]
    scale = np.abs(found["scores"]).max() + 1.0
    assert found["scores"] == pytest.approx(
        model.model_.scores(model.model_.schema.encode(readable(X))), abs=EXACT * scale
    )
    for name in [name for name in table if name not in ("subject", "cause", "head")]:
        values = table[name].to_numpy().reshape(n, -1)
        if name.endswith("_sd"):  # a difference of parameters, whose errors are what theirs are
            size = (table[name.removesuffix("_sd")] + model.model_.mixture.n_models * table[name]).to_numpy()
            error = np.abs(found[f"parameter_{name}"] - values) / size.reshape(n, -1)
            assert (np.isnan(values) == np.isnan(error)).all()
            assert np.nanmax(error / (1.0 + np.abs(np.log(size.reshape(n, -1))))) < EXACT * scale, name
            continue
        # Logarithms have the error of the scores; that of a scale is the larger, the larger it is.
        off = np.log(found[f"parameter_{name}"] + TINY) - np.log(values + TINY)
        assert (np.isnan(values) == np.isnan(off)).all()
        assert np.nanmax(np.abs(off) / (1.0 + np.abs(np.log(values + TINY)))) < EXACT * scale, name
    survival = model.predict_survival_function(X, times=times)
    assert found["survival"] == pytest.approx(survival, abs=EXACT)
    hazard = model.predict_cumulative_hazard_function(X, times=times)
    np.testing.assert_allclose(found["cumulative_hazard"], hazard, rtol=10.0 * EXACT * scale, atol=1e-12)
    for cause in model.causes_:
        curves = model.predict_cumulative_incidence_function(X, times=times, cause=cause)
        assert found["cumulative_incidence"][:, cause - 1] == pytest.approx(curves, abs=incidence)
    assert found["cumulative_incidence"].sum(axis=1) == pytest.approx(1.0 - found["survival"], abs=1e-9)


@pytest.mark.parametrize(
    "name",
    [
        "defaults",
        "names",
        "missing values",
        "sparse",
        "a cause without events",
        "features that act on time",
        "every family",
        "uniform",
        "rising",
        "all constrained",
        "exact",
        "paper",
        "paper, many",
        "start random",
        *sorted({f"weights {name}" for name in WEIGHT_ACTIVATIONS} - SIGNED - {"weights scaled_softmax"}),
        "parameters softplus",
        "categories, text",
        "categories, dates",
    ],
)
def test_predictions_are_those_of_the_model(name, tmp_path):
    model, X = fitted(name), features(CASES[name].features)
    found = compute(session_of(model, tmp_path), encoded(model, X), times_of(model))
    assert_equal(model, X, found, times_of(model))


def test_trees_with_many_categories_and_missing_values_go_the_same_way(tmp_path):
    """More categories than the bits of a number, most splits on them, and a deep default model of several ensembles."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 70, 600)
    X = pd.DataFrame({"place": pd.Categorical(codes), "x": rng.normal(size=600), "two": pd.Categorical(codes % 2)})
    X.loc[rng.random(600) < 0.2, "place"] = np.nan
    X.loc[rng.random(600) < 0.2, "x"] = np.nan
    effect = rng.normal(size=70)[codes]
    y = rng.random(600) < 0.8, np.exp(0.3 * rng.normal(size=600) - 0.3 * effect)
    model = FPBoost(init="marginal", max_depth=5, n_folds=2, min_child_weight=0.1, random_state=0).fit(X, y)
    assert len(model.model_.boosters) == 2
    found = compute(session_of(model, tmp_path), encoded(model, X), times_of(model))
    assert_equal(model, X, found, times_of(model))


@pytest.mark.parametrize("causes", [1, 2])
def test_the_mean_of_five_models(tmp_path, causes):
    """Each has a start and trees of its own; a head is shown once."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(300, 2))
    cause = (rng.random(300) < 0.9) * rng.integers(1, 1 + causes, 300)
    y = Surv.right(cause, rng.weibull(1.5, 300) * np.exp(-2.0 * (np.abs(X[:, 0]) > 0.5)))
    model = FPBoost(n_folds=5, learning_rate=0.5, random_state=0).fit(X, y)
    assert (model.model_.mixture.n_models, model.model_.mixture.n_causes) == (5, causes)
    found = compute(session_of(model, tmp_path), X, times_of(model))
    assert_equal(model, X, found, times_of(model))
    assert found["parameter_w"].shape == (300, causes * sum(model.heads_.values()))


def test_causes_whose_hazards_differ_in_time_have_the_incidences_of_adaptive_integration(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2))
    early, late = rng.weibull(0.6, 150) * np.exp(X[:, 0]), 3.0 + 0.1 * rng.normal(size=150)
    cause = np.where(rng.random(150) < 0.1, 0, np.where(early < late, 1, 2))
    y = Surv.right(cause, np.minimum(early, late))
    model = FPBoost(n_estimators=3, heads={"bounded": 1, "gompertz": 1}, init="marginal", random_state=0).fit(X, y)
    times = [0.0, 1e-6, 0.01, 1.0, 2.9, 3.0, 3.1, 5.0, 1e4]
    found = compute(session_of(model, tmp_path), X[:40], times)
    assert_equal(model, X[:40], found, np.array(times), incidence=1e-5)


def test_log_normal_heads_at_late_times(tmp_path):
    """Their cumulative hazard grows on where their survival is below the smallest number."""
    X, times = features("array"), np.array([1.0, 1e40, 1e150, 1e250])
    model = FPBoost(0, 0, heads={"lognormal": 2}, n_estimators=3, init="marginal", random_state=0)
    model.fit(X, outcome(CASES["names"]))
    found = compute(session_of(model, tmp_path, outputs=["cumulative_hazard"]), X, times)["cumulative_hazard"]
    assert (np.diff(found) > 0.0).all()
    np.testing.assert_allclose(found, model.predict_cumulative_hazard_function(X, times=times), rtol=1e-5)


def test_features_outside_of_the_training_data_are_treated_alike(tmp_path):
    """Values above the largest, between single and double precision, and codes of no category."""
    model = fitted("missing values")
    tree = next(iter(model.model_.boosters)).trees_to_dataframe()
    threshold = float(tree.loc[tree["Feature"] != "Leaf", "Split"].dropna().iloc[0])
    close = np.nextafter(threshold, [-9.0, 9.0]), np.nextafter(np.float32(threshold), np.float32([-9.0, 9.0]))
    X = np.concatenate([1e6 * features("missing"), *(np.repeat(one[:, None], 3, axis=1) for one in close)])
    session = session_of(model, tmp_path)
    assert_equal(model, X, compute(session, X, [1.0]), np.array([1.0]))
    categorical = fitted("categories, text")
    known = encoded(categorical, features("text"))
    strange, missing = known.copy(), known.copy()
    strange[:, 1], missing[:, 1] = 17.0, np.nan
    session = session_of(categorical, tmp_path)
    assert (compute(session, strange, [1.0])["survival"] == compute(session, missing, [1.0])["survival"]).all()


def test_a_loaded_model_gives_the_same_file(tmp_path):
    model = fitted("competing causes")
    model.save(tmp_path / "model.hzb")
    model.to_onnx(tmp_path / "one.onnx")
    hazboost.load(tmp_path / "model.hzb").to_onnx(tmp_path / "other.onnx")
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "other.onnx").read_bytes()


def test_the_file_says_what_its_columns_are(tmp_path):
    model = fitted("categories, text")
    session = session_of(model, tmp_path)
    known = {name: json.loads(text) for name, text in session.get_modelmeta().custom_metadata_map.items()}
    assert known["features"] == ["x", "kind", "two", "z"]
    assert known["categories"] == {"kind": ["?", "no", "yes", "ü"], "two": ["a", "b"]}
    assert known["heads"] == [f"{family}_1" for family, count in model.heads_.items() if count == 1]
    assert [one.shape for one in session.get_inputs()] == [["n", 4], ["times"]]


@pytest.mark.parametrize("outputs", [["survival"], ("scores",), ["parameters", "cumulative_incidence"]])
def test_only_the_outputs_asked_for_are_computed(outputs, tmp_path):
    session = session_of(fitted("defaults"), tmp_path, outputs=outputs)
    names = {one.name for one in session.get_outputs()}
    assert {name.replace("parameter_", "parameters ").split()[0] for name in names} == set(outputs)
    assert ("times" in {one.name for one in session.get_inputs()}) == (outputs != ("scores",))


def test_zeros_of_a_sparse_model_are_zeros(tmp_path):
    """Entries that are not stored are missing for the trees, and zero for the linear start."""
    model, X = fitted("sparse"), features("sparse")
    found = compute(session_of(model, tmp_path), X.toarray(), [0.5])
    assert found["survival"] == pytest.approx(model.predict_survival_function(csr_matrix(X), times=[0.5]), abs=EXACT)


@pytest.mark.parametrize("name", sorted(SIGNED))
def test_weights_of_both_signs_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="weights that may be negative"):
        fitted(name).to_onnx(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("outputs", "got"), [(["hazard"], "'hazard'"), ([], r"\[\]"), (["survival", 3], "3"), ("survival", "'survival'")]
)
def test_unknown_outputs_are_refused(outputs, got, tmp_path):
    with pytest.raises(ValueError, match=f"outputs must be a list of some of '{OUTPUTS[0]}'.*; got {got}"):
        fitted("defaults").to_onnx(tmp_path / "model.onnx", outputs=outputs)


def test_without_the_package_an_error_says_how_to_get_it(tmp_path, monkeypatch):
    def refuse(name, *rest):
        raise ImportError(name)

    monkeypatch.setattr(graph, "import_module", refuse)
    with pytest.raises(ImportError, match=r"pip install 'hazboost\[onnx\]'"):
        fitted("defaults").to_onnx(tmp_path / "model.onnx")
