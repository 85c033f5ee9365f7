"""The summary says what is true of the model, in every form."""

from __future__ import annotations

import json
import re
import zipfile
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid

import hazboost
from hazboost import FPBoost
from hazboost.hazards.heads import HEADS
from hazboost.hazards.heads.base import VALUE
from hazboost.report import report_page
from hazboost.summary.usual import MOST_FEATURES
from hazboost.summary.words import COURSES, course
from hazboost.training import diagnostics
from tests.files.models import fitted


@pytest.fixture(scope="module")
def model():
    """The first feature shortens lives, the second does nothing, and one group lives longer."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(60.0, 10.0, 300), "noise": rng.normal(size=300)})
    X["group<b>"] = pd.Categorical(np.where(rng.random(300) < 0.7, "usual", "long & <i>well</i>"))
    X.loc[:59, "age"] = np.nan
    shift = 0.05 * (X["age"].fillna(60.0) - 60.0) - 0.5 * (X["group<b>"] != "usual")
    time = rng.weibull(1.5, 300) * np.exp(-shift)
    return FPBoost(n_estimators=20, random_state=0).fit(X, (time < 2.0, np.minimum(time, 2.0)))


def test_text_has_the_numbers_of_the_model(model):
    text = str(model.summary())
    events = int(model.cohort_.events[0])
    assert text.startswith(f"FPBoost, trained on 300 subjects with {events} events\n")
    assert "3, 1 of them categories; 7 % of the values missing" in text
    assert f"with a ridge of {model.ridge_:g}, the best of" in text
    assert f"{model.model_.n_trees} of depth {model.max_depth_}" in text
    assert f"{model.history_['train_loss'][20]:.4f} after the last" in text
    assert max(map(len, text.splitlines())) <= 100
    assert repr(model.summary()) == text


@pytest.mark.parametrize(
    ("settings", "how"),
    [
        ({"n_estimators": 3}, "as given"),
        ({"n_estimators": 30, "patience": 1}, "kept by early stopping"),
        ({"n_folds": 2}, "chosen by held-out likelihood"),
    ],
)
def test_rounds_that_were_given_are_told_from_those_that_were_found(settings, how):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 1))
    time = rng.weibull(1.5, 80) * np.exp(-X[:, 0])
    model = FPBoost(**settings, init="marginal", random_state=0).fit(X, (np.ones(80), time))
    assert model.summary().lines()["What was chosen: rounds"] == f"{model.n_estimators_}, {how}"


def test_effects_are_predictions_for_the_usual_subject(model):
    """Who has the median of the numbers and the most frequent category; one feature takes other values."""
    effects = {one["feature"]: one for one in model.summary().to_dict()["effects"]}
    low, median, high = (float(model.cohort_.features[0].quantiles[i]) for i in (2, 4, 6))
    noise = float(model.cohort_.features[1].quantiles[4])
    rows = pd.DataFrame({"age": [low, high], "noise": noise})
    rows["group<b>"] = pd.Categorical(["usual", "usual"])
    least, most = (effects["age"][end] for end in ("least", "most"))
    assert (most["value"], least["value"]) == (low, high)
    assert [most["mean"], least["mean"]] == pytest.approx(-model.predict(rows))
    rows["age"], rows["group<b>"] = median, pd.Categorical(["long & <i>well</i>", "usual"])
    assert effects["group<b>"]["most"]["value"] == "long & <i>well</i>"
    assert effects["group<b>"]["most"]["mean"] == pytest.approx(-model.predict(rows)[0])
    sizes = [one["most"]["mean"] - one["least"]["mean"] for one in effects.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert {*effects} == {"age", "group<b>", "noise"}
    assert next(iter(effects)) == "age"


def test_shares_of_heads_are_integrals_of_their_hazards_until_the_horizon():
    """Of days, so that the model's own unit of time is another one."""
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(200, 1)), 400.0 * rng.weibull(1.5, 200)
    model = FPBoost(1, 1, heads={"bounded": 1}, n_estimators=3, random_state=0)
    model.fit(X, (time < 900.0, np.minimum(time, 900.0)))
    facts = model.summary().to_dict()
    usual, times = np.median(X, axis=0, keepdims=True), np.linspace(0.0, facts["horizon"], 4001)[1:]
    hazard = model.predict_hazard_function(usual, times=times)[0]
    table = model.head_contributions(usual, times).pivot_table(index="time", columns="head", values="share")
    parts = trapezoid(table.to_numpy() * hazard[:, None], times, axis=0)
    shares = {head["name"]: head["share"] for head in facts["heads"]}
    assert shares == pytest.approx(dict(zip(table.columns, parts / parts.sum(), strict=True)), abs=1e-3)
    assert sum(share > 0.05 for share in shares.values()) > 1


def test_what_was_chosen_is_told_in_numbers():
    model = fitted("defaults")
    lines, results = model.summary().lines(), model.cv_results_
    models = "the mean of the hazards of 3 models, each of other training rows"
    assert lines["What was chosen: models"] == models
    assert "What was chosen: models" not in fitted("names").summary().lines()
    shrinkage = model.model_.shrinkage
    counts = " to ".join(f"{100.0 * one:.0f} %" for one in (shrinkage.min(), shrinkage.max()))
    assert lines["What was chosen: shrinkage"] == f"what trees add counts {counts}"
    assert results["shrinkage"] == shrinkage.tolist()
    heads = model.summary().to_dict()["heads"]
    assert [head["name"] for head in heads] == model.model_.mixture.one_model.head_names
    assert sum(head["share"] for head in heads) == pytest.approx(1.0)
    shift = f"{min(results['shift']):.3f} to {max(results['shift']):.3f}"
    assert lines["What was chosen: calibration"] == f"scores shifted by {shift}"
    losses = f"{results['round_loss'][0]:.4f} before the first tree, {min(results['round_loss']):.4f} after the last"
    assert lines["Fit to the training data: held-out loss"] == losses


def test_features_are_those_of_the_training_data(model):
    age, _, group = model.summary().to_dict()["features"]
    assert age["missing"] == pytest.approx(0.2)
    assert age["quantiles"]["0.5"] == model.cohort_.features[0].quantiles[4]
    assert sum(count for _, count in group["counts"]) == 300


@pytest.mark.parametrize(
    "name",
    [
        "defaults",
        "sparse",
        "a cause without events",
        "every family",
        "rising",
        "paper, many",
        "early stopping",
        "weights identity",
        "categories, dates",
        "intervals",
    ],
)
def test_every_kind_of_model_has_a_summary_that_survives_its_file(name, tmp_path):
    model = fitted(name)
    summary = model.summary()
    facts = summary.to_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    model.save(tmp_path / "model.hzb")
    assert hazboost.load(tmp_path / "model.hzb").summary() == summary
    shares = np.bincount([head["cause"] for head in facts["heads"]], [head["share"] for head in facts["heads"]])
    assert shares[1:] == pytest.approx(np.ones(len(model.causes_)))
    ET.fromstring(summary.to_html().replace("&nbsp;", " "))
    with zipfile.ZipFile(tmp_path / "model.hzb") as file:
        assert json.loads(file.read("manifest.json"))["summary"] == summary.lines()


def test_html_is_escaped_and_shows_the_curves(model):
    html = model.summary()._repr_html_()
    assert "group&lt;b&gt;" in html
    assert "long &amp; &lt;i&gt;well&lt;/i&gt;" in html
    assert "<script" not in html
    lines = ET.fromstring(re.search("<svg.*?</svg>", html).group()).findall("polyline")
    assert len(lines) == 2
    last = [float(line.get("points").split(",")[-1]) for line in lines]
    cohort = model.cohort_
    assert last == pytest.approx(
        [(1.0 - curve[0, -1]) * 110 + 2 for curve in (cohort.observed, cohort.expected)], abs=0.1
    )


def test_the_fit_of_drawn_subjects_is_said_to_be_that(monkeypatch, tmp_path):
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = np.ones(300, dtype=bool), np.random.default_rng(1).exponential(size=300)
    whole = FPBoost(n_estimators=2, init="marginal", random_state=0).fit(X, y)
    monkeypatch.setattr(diagnostics, "MOST_SUBJECTS", 100)
    some = FPBoost(n_estimators=2, init="marginal", random_state=0).fit(X, y)
    assert (whole.diagnostics_["subjects_compared"], some.diagnostics_["subjects_compared"]) == (300, 100)
    some.save(tmp_path / "model.hzb")
    drawn = "for 100 of 300 subjects, drawn at random"
    for model, told in ((whole, False), (some, True), (hazboost.load(tmp_path / "model.hzb"), True)):
        lines = model.summary().lines()
        assert [drawn in lines[f"Fit to the training data: {name}"] for name in ("events", "survival")] == [told] * 2
        assert ("of 100 of the 300 subjects" in report_page(model, X, y, examples=False)) == told
    del some.diagnostics_["subjects_compared"]
    assert drawn not in str(some.summary())


def test_what_is_changed_in_a_dictionary_does_not_change_the_summary(model):
    summary = model.summary()
    summary.to_dict()["data"]["subjects"] = 0
    assert "300 subjects" in str(summary)


def test_with_many_features_their_effects_are_left_away():
    width = MOST_FEATURES + 1
    X = np.random.default_rng(0).normal(size=(40, width))
    model = FPBoost(n_estimators=1, init="marginal", random_state=0).fit(X, (np.ones(40), np.arange(1.0, 41.0)))
    assert model.summary().to_dict()["effects"] is None
    assert "Strongest features" not in str(model.summary())


def test_every_family_has_words():
    assert set(COURSES) == set(HEADS)


@pytest.mark.parametrize("family", sorted(set(HEADS) - {"bounded"}))
@pytest.mark.parametrize("shapes", [(0.5, 0.5), (0.7, 4.0), (2.0, 0.2), (3.0, 2.0)])
def test_words_describe_the_course_of_the_hazard(family, shapes):
    head, values = HEADS[family], {"eta": 1.3, "k": shapes[0], "a": shapes[1]}
    logs = [np.log(values[parameter.name]) for parameter in head.parameters]
    time = np.geomspace(1e-3, 1e3 if family != "gompertz" else 10.0, 4000)
    risk = head.evaluate(np.log(time), *logs, order=VALUE).log_hazard
    words = course(family, {**values, "scale": float(np.exp(head.log_scale(*np.array(logs))))})
    rises, falls = bool((np.diff(risk) > 1e-9).any()), bool((np.diff(risk) < -1e-9).any())
    assert rises == ("rises" in words or "doubles" in words)
    assert falls == ("falls" in words)
    peak = re.search(r"peak at (\S+)", words)
    if peak:
        assert float(peak[1]) == pytest.approx(time[np.argmax(risk)], rel=0.01)
    double = re.search(r"doubles every (\S+)", words)
    if double:
        later = head.evaluate(np.log(time + float(double[1])), *logs, order=VALUE).log_hazard
        assert later - risk == pytest.approx(np.full_like(risk, np.log(2.0)), rel=1e-3)


def test_a_head_that_is_switched_off_is_said_to_be():
    assert course("weibull", {"eta": 0.0, "k": 1.0}) == "switched off"
