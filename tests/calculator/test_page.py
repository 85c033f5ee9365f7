"""What is on the page: inputs, words, and nothing that could do harm."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hazboost import FPBoost, Surv
from hazboost.calculator import calculator_page
from hazboost.calculator.page import model_script
from hazboost.calculator.texts import PLACE, languages, read_texts
from hazboost.cli import main
from tests.calculator.models import categories, competing, fit, numbers, single
from tests.calculator.running import NODE, run_node

FEW = {"n_estimators": 4, "max_depth": 2, "heads": None}
EVIL = "</script><script>alert(1)</script>\"'<b>&{{data}} \U0001f600 \u202eabc \u05e9\u05dc\u05d5\u05dd"


@pytest.fixture(scope="module")
def model():
    return fit("categories", 150, **FEW)


class Reader(HTMLParser):
    """Tags with their attributes, and the texts inside of each kind of tag."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self._open = [], {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        self._open = self._open[: len(self._open) - self._open[::-1].index(tag) - 1]

    def handle_data(self, data):
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def input_of(page, label):
    return next(one for one in data_of(page)["inputs"] if one["label"] == label)


# Inputs


def test_inputs_follow_the_training_data(model):
    page = calculator_page(model, units={"age": "years"}, labels={"age": "Age", "sex=f": "female"})
    age, sex, hospital = (input_of(page, label) for label in ("Age", "sex", "hospital"))
    assert age["unit"] == "years"
    assert age["step"] == 1.0
    X = categories(150, 0)
    assert (age["low"], age["high"]) == (X["age"].min(), X["age"].max())
    assert age["low"] <= age["from"] < age["usual"][0] < age["typical"] < age["usual"][1] < age["to"] <= age["high"]
    assert abs(age["typical"] - X["age"].median()) <= 0.5
    assert age["missing"] == pytest.approx(X["age"].isna().mean())
    assert sex["options"] == [[0, "female"], [1, "m"]]
    assert [text for _, text in hospital["options"]] == [f"H{i}" for i in range(9)]
    assert hospital["typical"] == int(X["hospital"].value_counts().idxmax()[1:])


def test_categories_are_in_the_order_of_their_labels(model):
    labels = {"grade=low": "G1", "grade=middle": "G2", "grade=high": "G3"}
    options = input_of(calculator_page(model, labels=labels), "grade")["options"]
    assert options == [[1, "G1"], [2, "G2"], [0, "G3"]]  # codes are those of the model, in alphabetical order


def test_small_numbers_have_small_steps():
    X = pd.DataFrame({"tiny": np.linspace(-3e-6, 3e-6, 80), "few": np.arange(80) % 3, "half": np.arange(80) % 4 * 0.5})
    model = FPBoost(**FEW, random_state=0).fit(X, (np.ones(80), np.exp(X["tiny"] * 1e6 + X["few"] + X["half"])))
    page = calculator_page(model)
    tiny = input_of(page, "tiny")
    assert tiny["step"] == 5e-8
    assert tiny["from"] < -2.5e-6
    assert input_of(page, "few")["options"] == [[0.0, "0"], [1.0, "1"], [2.0, "2"]]
    assert [text for _, text in input_of(page, "half")["options"]] == ["0", "0.5", "1", "1.5"]


def test_large_whole_numbers_have_all_digits():
    X = pd.DataFrame({"day": np.arange(80) % 3 + 20_200_101})
    model = FPBoost(**FEW, random_state=0).fit(X, (np.ones(80), np.exp(X["day"] % 4 + np.arange(80) / 80)))
    options = input_of(calculator_page(model), "day")["options"]
    assert [text for _, text in options] == ["20200101", "20200102", "20200103"]


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # times follow a feature nearly exactly
def test_features_without_use_are_named_and_many_inputs_folded():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 30)), columns=[f"gene {i}" for i in range(30)]).assign(constant=1.0)
    y = np.ones(200), np.exp(2.0 * X["gene 3"] + 0.1 * rng.normal(size=200))
    data = data_of(calculator_page(FPBoost(**FEW, random_state=0).fit(X, y)))
    assert "constant" in data["unused"]
    assert len(data["unused"]) + len(data["inputs"]) == 31
    shown = [one["label"] for one in data["inputs"] if not one.get("folded")]
    assert len(shown) == min(16, len(data["inputs"]))
    assert "gene 3" in shown


def test_times_events_and_the_cohort():
    X = numbers(150, 0)
    model = FPBoost(**FEW, random_state=0).fit(X, competing(X, 0))
    data = data_of(calculator_page(model, time_unit=("months", 1 / 12), events={1: "relapse"}))
    assert data["time"]["unit"] == "months"
    assert data["time"]["length"] == 1 / 12
    assert data["time"]["longest"] == model.model_.longest
    assert data["events"] == ["relapse", None]
    assert data["cohort"]["subjects"] == 150
    assert data["cohort"]["observed"]
    assert np.allclose(data["cohort"]["incidence"], model.cohort_.observed, rtol=1e-5)


def test_events_in_intervals_are_compared_with_what_is_expected():
    X = numbers(100, 0)
    time = single(X, 0)["time"]
    model = FPBoost(**FEW, random_state=0).fit(X, np.rec.fromarrays([time * 0.9, time * 1.1], names="lower,upper"))
    data = data_of(calculator_page(model))
    assert not data["cohort"]["observed"]
    assert np.allclose(data["cohort"]["incidence"], model.cohort_.expected, rtol=1e-5)


def test_events_that_recur_are_not_counted_as_people():
    X, start = numbers(90, 0), np.tile([0.0, 1.0, 2.0], 30)
    y = Surv.counting(start, start + 0.5 + X.iloc[:, 0].rank() / 180, np.ones(90), id=np.repeat(np.arange(30), 3))
    data = data_of(calculator_page(FPBoost(**FEW, random_state=0).fit(X, y)))
    assert (data["cohort"]["subjects"], data["cohort"]["events"]) == (30, 90)
    for language in languages():
        assert "{events} event" in read_texts(language, None)["about"].lower().replace("ereignis", "event")


# Size and safety


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # of trees that know everybody
def test_two_hundred_deep_trees_take_less_than_a_megabyte():
    X = categories(600, 0)
    options = {"n_estimators": 30, "max_depth": 6, "min_child_weight": 1e-3, "heads": None}
    model = FPBoost(**options, random_state=0).fit(X, single(X, 0))
    assert model.model_.n_trees >= 200
    assert len(calculator_page(model).encode()) < 1_000_000 * model.model_.n_trees / 200


def test_names_of_the_user_are_only_ever_text():
    X = pd.DataFrame({EVIL: np.arange(90.0), "kind": pd.Categorical([EVIL, "b", "c"] * 30)})
    model = FPBoost(**FEW, random_state=0).fit(X, (np.ones(90), np.exp(np.arange(90.0) / 30 + np.arange(90) % 3)))
    words = {"time": EVIL.replace("{{data}}", "")}
    page = calculator_page(model, title=EVIL, units={EVIL: EVIL}, events={1: EVIL}, time_unit=EVIL, texts=words)
    read, plain = Reader(page), Reader(calculator_page(model))
    assert [tag for tag, _ in read.tags] == [tag for tag, _ in plain.tags]
    assert read.texts["title"] == [EVIL]
    data = data_of(page)
    assert data["title"] == data["events"][0] == data["time"]["unit"] == EVIL
    assert data["texts"]["time"] == words["time"]
    assert {one["label"] for one in data["inputs"]} == {EVIL, "kind"}
    assert EVIL in [text for _, text in input_of(page, "kind")["options"]]
    assert "<script>alert" not in page


def test_the_policy_of_the_page_allows_its_own_script_and_style_only(model):
    read = Reader(calculator_page(model))
    policy = next(one["content"] for tag, one in read.tags if one.get("http-equiv") == "Content-Security-Policy")
    script, style = read.texts["script"][-1], read.texts["style"][0]
    for kind, text in (("script-src", script), ("style-src", style)):
        assert f"{kind} 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not [one for tag, one in read.tags if {"src", "href", "style", "onclick"} & set(one)]
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "XMLHttpRequest"):
        assert word not in script


def test_the_page_is_the_same_each_time(model, tmp_path):
    model.calculator(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == calculator_page(model)


# Words


def test_languages_have_the_same_texts_with_the_same_places():
    english = read_texts("en", None)
    assert languages()[0] == "en"
    for language in languages():
        texts = read_texts(language, None)
        assert list(texts) == list(english)
        assert all(set(PLACE.findall(texts[one])) == set(PLACE.findall(english[one])) for one in english)


def test_every_text_is_used_and_every_used_text_is_there():
    assets = files("hazboost.calculator").joinpath("assets", "page")
    script = "\n".join(path.read_text(encoding="utf-8") for path in assets.iterdir() if path.name.endswith(".js"))
    used = set(re.findall(r'say\("(\w+)"', script)) | set(re.findall(r'"(\w+)"', script)) | {"title", "noscript"}
    english = set(read_texts("en", None))
    assert english <= used
    assert set(re.findall(r'say\("(\w+)"', script)) <= english


def test_another_language_needs_all_texts():
    french = dict.fromkeys(read_texts("en", None), "parole")
    assert set(read_texts("fr", french).values()) == {"parole"}
    french.pop("time")
    with pytest.raises(ValueError, match=r"got 'fr'\. For another one, give .* time are missing"):
        read_texts("fr", french)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": {"aeg": "Age"}}, "labels: 'aeg' is not known to the model, which has 'age', 'size'"),
        (
            {"labels": {"sex=w": "female"}},
            "labels: 'sex=w' is not known to the model, which has 'sex=f', 'sex=m', 'age'",
        ),
        ({"labels": {"age=50": "fifty"}}, "labels: 'age=50' is not known to the model, which has 'age', 'size'"),
        ({"units": {"aeg": "years"}}, "units: 'aeg'"),
        ({"events": {2: "death"}}, "events: 2 is not known to the model, which has 1"),
        ({"time_unit": ("years", 0.0)}, "time_unit must be the name of the unit of time, or a pair"),
        ({"language": "../x"}, "language must be the code of a language"),
        ({"texts": {"heading": "x"}}, "texts: there is no text 'heading'"),
        ({"texts": {"time": "{hour}"}}, "texts: 'time' has the place hour"),
    ],
)
def test_mistakes_are_explained(model, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        calculator_page(model, **options)


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match="model must be a fitted FPBoost; got str"):
        calculator_page("model.hzb")


# Scripts


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_counts_of_100_people_add_up():
    script = files("hazboost.calculator").joinpath("assets", "page", "outcomes.js").read_text(encoding="utf-8")
    function = re.search(r"function ofHundred.*?\n}", script, re.DOTALL)[0]
    rng = np.random.default_rng(0)
    shares = np.concatenate([rng.dirichlet([1.0, 1.0, 1.0], 50), [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3] * 3]])
    program = 'console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(ofHundred)))'
    counts = np.array(run_node(function + program, shares.tolist()))
    assert (counts.sum(axis=1) == 100).all()
    assert np.abs(counts - 100.0 * shares).max() < 1.0


@pytest.fixture
def ask(model):
    """Run an expression where the scripts of the page are known, as they are before anything is drawn."""
    page = calculator_page(model)
    folder = files("hazboost.calculator").joinpath("assets", "page")
    names = ("elements", "wording", "outcomes", "inputs", "contributions")
    scripts = [model_script(), *(folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in names)]
    document = 'const given = JSON.parse(require("fs").readFileSync(0, "utf8")), page = JSON.stringify(given.data);\n'
    document += "globalThis.document = { getElementById: () => ({ textContent: page }) };\n"

    def run(expression, values):
        program = "\n".join([document, *scripts, f"console.log(JSON.stringify({expression}))"])
        given = {"data": data_of(page), "values": [None if np.isnan(one) else one for one in values]}
        return run_node(program.replace("VALUES", "given.values.map((one) => (one === null ? NaN : one))"), given)

    return run


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_a_contribution_is_the_change_if_one_input_alone_becomes_typical(model, ask):
    inputs, time = data_of(calculator_page(model))["inputs"], float(model.model_.horizon)
    X = categories(1, 5)
    names, values = list(X), model.model_.schema.encode(X)[0]
    found = ask(
        f"contributionsOf(VALUES, {time}, 1, 0.0).map((one) => one.effect)", [values[i["feature"]] for i in inputs]
    )
    for one, effect in zip(inputs, found, strict=True):
        typical, value = one["typical"], values[one["feature"]]
        name = names[one["feature"]]
        if "options" in one and name in ("grade", "hospital", "sex"):
            typical = model.model_.schema.categories[one["feature"]][typical]
        changed = X.assign(**{name: pd.Categorical([typical]) if isinstance(typical, str) else typical})
        incidence = model.predict_cumulative_incidence_function(changed, times=[time])[0, 0]
        expected = 0.0 if value == one["typical"] else -100.0 * incidence
        assert effect == pytest.approx(expected, abs=1e-5), name


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_what_is_unusual_is_said(ask):
    """The inputs are age, size, nodes, treated, ...; all are usual, then some are not."""
    X = categories(150, 0)
    count = ask("data.inputs.length", [])
    typical = [one["typical"] for one in ask("data.inputs", [])]
    assert len(typical) == count
    assert ask("warningsFor(VALUES)", typical) == []
    age, size, nodes = (float(X[name].max()) for name in ("age", "size", "nodes"))
    strange = [age + 5.0, np.nan, np.nan, *typical[3:]]
    first, second = ask("warningsFor(VALUES)", strange)
    assert f"{age + 5:.0f} is outside of the training data ({X['age'].min():.0f} to {age:.0f})" in first
    assert "nodes" in second
    assert "was known of all people" in second
    assert ask("warningsFor(VALUES)", [age, size, nodes, *typical[3:]]) == []


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
@pytest.mark.parametrize("longest", [4e-6, 0.012, 7.3, 3975.0, 2.5e7])
def test_times_on_the_axis_differ(ask, longest):
    script = files("hazboost.calculator").joinpath("assets", "page", "chart.js").read_text(encoding="utf-8")
    ticks = re.search(r"function ticks.*?\n}", script, re.DOTALL)[0]
    write = re.search(r'"text-anchor": "middle" }, (\w+)\(shown\)', script)[1]
    shown = ask(f"(() => {{ {ticks} return ticks({longest}, 7).map((one) => {write}(one)); }})()", [])
    assert 4 <= len(set(shown)) == len(shown)


def test_the_command_writes_the_same_page(model, tmp_path, capsys):
    model.save(tmp_path / "model.hzb")
    output = tmp_path / "page.html"
    options = ["--title", "Risk", "--unit", "age:years", "--label", "sex=f:female", "--time-unit", "years:365.25"]
    assert main(["calculator", str(tmp_path / "model.hzb"), "-o", str(output), *options, "--event", "1:a relapse"]) == 0
    expected = calculator_page(
        model,
        title="Risk",
        units={"age": "years"},
        labels={"sex=f": "female"},
        time_unit=("years", 365.25),
        events={1: "a relapse"},
    )
    assert output.read_text(encoding="utf-8") == expected
    assert main(["calculator", str(tmp_path / "model.hzb"), "-o", str(output), "--unit", "aeg:years"]) == 2
    assert "units: 'aeg' is not known to the model" in capsys.readouterr().err
    assert output.read_text(encoding="utf-8") == expected
    assert [path.name for path in Path(tmp_path).iterdir() if path.name.startswith(".")] == []
