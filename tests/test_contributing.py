"""The examples of CONTRIBUTING.md: a new family, engine, metric or plot is one file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt

import hazboost
from hazboost import FPBoost
from hazboost.boosting.algorithm import boost
from hazboost.boosting.columns import target_columns
from hazboost.boosting.objective import Objective
from hazboost.boosting.steps import STEPS
from hazboost.data.target import Target
from hazboost.engines import LocalEngine
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads import HEADS, base
from hazboost.hazards.mixture import Mixture

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
HEAD, ENGINE, METRIC, PLOT = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)).astype(np.float32).astype(float)
TIME = RNG.weibull(1.4, 120) * np.exp(-X[:, 0])
EVENT = RNG.random(120) < 0.8


def names_in(code):
    names = {}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    return names


def test_the_family_is_the_one_in_the_sources():
    path, _, code = HEAD.partition("\n")
    assert code.strip() in (ROOT / path.removeprefix("# ")).read_text(encoding="utf-8")


def test_a_new_family_reaches_summary_files_and_the_report(monkeypatch, tmp_path):
    """One under another name, for which nobody has written any words, but not the calculator: that needs JavaScript."""
    code = HEAD.replace('name = "loglogistic"', 'name = "another"').replace("class LogLogistic", "class Another")
    names = {name: getattr(base, name) for name in ("LogLocationScale", "Link", "MAX_EXPONENT")}
    exec(
        compile(f"import numpy as np\nfrom hazboost.utils.arrays import Array\n{code}", "CONTRIBUTING.md", "exec"),
        names,
    )
    monkeypatch.setitem(HEADS, "another", names["Another"]())
    y = EVENT, TIME
    options = {"n_folds": 3, "random_state": 0}
    model = FPBoost(1, 0, heads={"another": 1}, **options).fit(X, y)
    same = FPBoost(1, 1, heads={}, **options).fit(X, y)
    np.testing.assert_allclose(model.predict(X), same.predict(X), rtol=1e-10)
    assert "another_1" in str(model.summary())
    model.save(tmp_path / "model.hzb")
    assert (hazboost.load(tmp_path / "model.hzb").predict(X) == model.predict(X)).all()
    model.report(tmp_path / "report.html", X, y)
    assert "another" in (tmp_path / "report.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="a calculator knows no heads of the family 'another'"):
        model.calculator(tmp_path / "page.html")


@pytest.mark.parametrize("step", ["subject", "newton"])
def test_the_engine_grows_the_trees_of_the_local_one(step):
    mixture = Mixture(
        {"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"]
    )
    objective, n = Objective(mixture, 0.0, 0.5, STEPS[step]), len(X)
    time = TIME / TIME.max()
    columns = target_columns(Target.of(time, np.where(EVENT, time, np.inf)))
    settings = {
        "tree_method": "exact",
        "max_depth": 2,
        "reg_lambda": 0.0,
        "min_child_weight": 0.0,
        "learning_rate": 0.1,
    }
    scores = []
    for engine in (names_in(ENGINE)["ScikitLearnEngine"](), LocalEngine({**settings, "nthread": 1}, mixture.n_scores)):
        matrix = engine.matrix(X, np.zeros((n, mixture.n_scores)), columns)
        scores.append(engine.scores(boost(engine, objective, matrix, 6), matrix))
    assert np.abs(scores[0]).max() > 0.1
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-4)


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # those of trees without any regularisation are
def test_the_engine_serves_the_whole_estimator():
    engine = names_in(ENGINE)["ScikitLearnEngine"](learning_rate=0.3)

    class WithScikitLearn(FPBoost):
        def _engine(self, settings, features, n_scores):
            return engine

    model = WithScikitLearn(n_folds=3, random_state=0).fit(X, (EVENT, TIME), eval_set=(X, (EVENT, TIME)))
    assert len(model.model_.boosters) in (1, 3)
    assert model.score(X, (EVENT, TIME)) > 0.7
    assert np.isfinite(model.history_["validation_loss"]).all()


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")
@pytest.mark.parametrize("shape", [0.8, 1.0, 1.4, 2.0])
def test_the_engine_serves_default_fits_until_something_reads_its_trees(shape, tmp_path):
    """Also where one head is left, whose share has neither gradient nor hessian."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, 3))
    time = rng.weibull(shape, 200) * np.exp(-features[:, 0] - 0.5 * features[:, 1] * features[:, 2])
    engine = names_in(ENGINE)["ScikitLearnEngine"](learning_rate=0.3)
    made = type("WithScikitLearn", (FPBoost,), {"_engine": lambda self, settings, features, n_scores: engine})
    model = made(random_state=0).fit(features, (rng.random(200) < 0.8, time))
    assert model.n_estimators_ > 0
    assert "200 subjects" in str(model.summary())
    with pytest.raises(
        ValueError, match="the trees of ScikitLearnEngine cannot be read; use an engine of this library"
    ):
        model.calculator(tmp_path / "page.html")
    with pytest.raises(hazboost.ModelFileError, match="a model file has no place for"):
        model.save(tmp_path / "model.hzb")


def test_the_metric():
    error = names_in(METRIC)["mean_absolute_error"]
    assert error((EVENT, TIME), TIME + 0.5) == pytest.approx(0.5)
    assert error((EVENT, TIME), np.where(EVENT, TIME, 99.0)) == 0.0


def test_the_plot():
    model = FPBoost(1, 0, n_estimators=2, init="marginal", random_state=0).fit(X, (EVENT, TIME))
    ax = names_in(PLOT)["plot_survival"](model, X[:3], np.linspace(0.0, 1.0, 5))
    assert [line.get_ydata()[0] for line in ax.lines] == [1.0, 1.0, 1.0]
    plt.close("all")
