"""The page: complete, safe, and readable for everybody."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from hazboost import FPBoost, Surv, report
from hazboost.cli import main
from hazboost.data.reading import as_target
from hazboost.report import evidence, figures, report_page, scores
from hazboost.report.drawings import draw_follow_up
from hazboost.report.page import CONTENTS
from hazboost.report.sections.tripod import AUTHORS, ITEMS
from tests.report.study import simulate, simulate_ages, split

NAMES = (
    "</script><script>alert(1)</script>",
    "\"quote' & <b>bold</b>",
    "🫀 heart",
    "גיל",
    "$x^2$ and $",
    ' id="x" #010203',
)
CATEGORIES = ("<img src=x onerror=alert(2)>", "\u200fعربي", 'it\'s "fine" & 🙂', "</style>", "-->", "_hidden")
EMPTY = {"meta", "img", "br", "path", "use", "rect", "line", "circle", "link", "input"}


class Page(HTMLParser):
    """Elements, texts and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


@pytest.fixture(autouse=True)
def few_samples(monkeypatch):
    monkeypatch.setattr(scores, "SAMPLES", 5)


@pytest.fixture(scope="module")
def data():
    return split(*simulate(0, n=300, kind="missing"), 0)


@pytest.fixture(scope="module")
def model(data):
    return FPBoost(n_estimators=6, random_state=0).fit(data.X_train, data.y_train)


@pytest.fixture(scope="module")
def page(model, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scores, "SAMPLES", 5)
        return report_page(model, data.X_test, data.y_test, data.X_train, data.y_train, title="A model")


def test_all_sections_are_there(page):
    parsed = Page(page)
    assert parsed.open == []
    ids = [attributes.get("id") for attributes in parsed.all("section")]
    assert ids == ["overview", *CONTENTS]
    linked = {attributes["href"] for attributes in parsed.all("a")}
    assert {f"#{one}" for one in ids[1:]} <= linked
    assert all(words in parsed.text for words in ("Kaplan-Meier", "Cox", "D-calibration", "reverse Kaplan-Meier"))


def test_page_needs_no_network_and_runs_no_other_script(page):
    parsed = Page(page)
    policy = next(one["content"] for one in parsed.all("meta") if "http-equiv" in one)
    assert policy.startswith("default-src 'none'")
    assert "script-src 'unsafe-inline'" not in policy
    assert not parsed.all("link")
    assert not parsed.all("img")
    for _, attributes in parsed.elements:
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "href") or value.startswith("#")
    assert "url(http" not in page


def test_page_is_accessible(page):
    parsed = Page(page)
    repeated = [one for one, n in Counter(a["id"] for _, a in parsed.elements if "id" in a).items() if n > 1]
    assert repeated == []
    levels = [int(name[1]) for name, _ in parsed.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(parsed.all("table")) == len(parsed.all("caption"))
    assert all("scope" in attributes for attributes in parsed.all("th"))
    assert len(parsed.all("figcaption")) == len(parsed.all("svg")) == len(parsed.all("figure")) > 10
    assert all(one["role"] == "img" for one in parsed.all("svg"))
    assert parsed.all("html")[0]["lang"] == "en"
    assert all("title" in one for one in parsed.all("iframe"))


def test_every_header_of_a_table_has_words(page):
    assert not re.search(r"<th[^>]*></th>", page)


def test_checklist_has_all_27_items(page):
    numbers = [key for key, _, _ in ITEMS]
    assert sorted({int(re.match(r"\d+", key)[0]) for key in numbers}) == list(range(1, 28))
    assert len(set(numbers)) == len(numbers) == 52
    assert Page(page).text.count(AUTHORS) >= 20


def test_sentences_can_be_searched_in_the_source():
    for path in Path(report.__path__[0]).rglob("*.py"):
        cut = re.findall(r'^\s*f?"[^" ]+ "$', path.read_text(encoding="utf-8"), re.MULTILINE)
        assert cut == [], f"{path.name} has lines of one word"


def test_malicious_text_is_text():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(260, len(NAMES))), columns=list(NAMES))
    X["</title>"] = pd.Categorical(rng.choice(CATEGORIES, 260))
    time = rng.weibull(1.3, 260) * np.exp(-X[NAMES[0]].to_numpy())
    X["<leak>"] = time
    y = Surv.right(time < 2.0, np.minimum(time, 2.0))
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:160], y[:160])
    text = report_page(
        model, X[160:], y[160:], X[:160], y[:160], title=NAMES[0], groups=np.array(CATEGORIES)[np.arange(100) % 6]
    )
    parsed = Page(text)
    assert len(parsed.all("script")) == 1
    assert not parsed.all("b") or all(one == {} for one in parsed.all("b"))
    assert not parsed.all("img")
    assert not any(name.startswith("on") for _, attributes in parsed.elements for name in attributes)
    for one in (*NAMES, *CATEGORIES, "</title>", "<leak>"):
        assert " ".join(one.split()) in parsed.text
    # In figures, too, where names are labels of axes.
    drawn = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in drawn
    assert "$x^2$ and $" in drawn


@pytest.mark.parametrize("kind", ["competing", "delayed"])
def test_other_kinds_of_data(kind, monkeypatch):
    if kind == "delayed":
        monkeypatch.setattr(figures, "find_spec", lambda name: None)
    data = split(*simulate(0, n=320, kind=kind), 0)
    model = FPBoost(n_estimators=4, random_state=0).fit(data.X_train, data.y_train)
    text = Page(report_page(model, data.X_test, data.y_test, data.X_train, data.y_train)).text
    if kind == "competing":
        assert "Scores for cause 2" in text
        assert "Aalen-Johansen" in text
    else:
        assert "some subjects entered late" in text


def test_follow_up_is_the_time_since_entry(monkeypatch):
    """Nobody is followed for more than ten years, of whatever age."""
    X, y = simulate_ages(0, n=600)
    drawn = draw_follow_up({"evaluation data": as_target(y)})
    assert drawn.get_xlim()[1] == pytest.approx((y["time"] - y["entry"]).max())
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    model = FPBoost(n_estimators=2, random_state=0).fit(X, y)
    cells = re.search(
        r"median follow-up since entry .*?</th><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>", report_page(model, X, y)
    )
    assert [float(one) for one in cells.groups()] == pytest.approx([6.0, 6.0], abs=1.0)


def test_nothing_is_compared_without_a_number(model, data, monkeypatch):
    monkeypatch.setattr(scores, "integrated_brier_score", lambda *_, **__: np.nan)
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    text = Page(report_page(model, data.X_test, data.y_test, data.X_train, data.y_train)).text
    assert "Could not be computed: integrated Brier score." in text
    assert "Brier score minus that of FPBoost" not in text
    assert "– to –" not in text


@pytest.mark.parametrize(
    ("settings", "rounds", "depth"),
    [
        ({"n_estimators": 4}, "4as given", "2the default"),
        ({"n_estimators": 4, "max_depth": 3}, "4as given", "3as given"),
        ({"n_estimators": 50, "patience": 1, "init": "marginal"}, "kept by early stopping", "2the default"),
        ({"n_folds": 2}, "chosen by held-out likelihood", "chosen by held-out likelihood"),
    ],
)
def test_choices_are_told_from_what_was_given(settings, rounds, depth, data, monkeypatch):
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    model = FPBoost(**settings, random_state=0).fit(data.X_train, data.y_train)
    text = Page(report_page(model, data.X_test, data.y_test, examples=False)).text
    first, second = text.split("depth of the trees", 1)
    assert rounds in first[-60:]
    assert depth in second[:60]


@pytest.mark.parametrize(("ridge", "said"), [(12.5, True), (None, False)])
def test_an_adaptive_ridge_is_named(ridge, said, model, data, monkeypatch):
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    monkeypatch.setattr(model, "adaptive_ridge_", ridge)
    text = Page(report_page(model, data.X_test, data.y_test, examples=False)).text
    assert ("adaptive ridge12.5smaller for features that matter more" in text) == said
    assert ("adaptive ridge" in text) == said


def test_without_training_rows_the_page_says_what_is_missing(model, data, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    model.report(tmp_path / "report.html", data.X_test, data.y_test, examples=False)
    text = Page((tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "There is no comparison with a Cox regression, because the training rows were not given" in text
    assert "Subjects in training and evaluation: the training rows were not given" in text
    assert "Three subjects" not in text


def test_without_matplotlib_figures_are_left_out(model, data, monkeypatch):
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    text = report_page(model, data.X_test, data.y_test)
    assert "<figure" not in text
    assert "matplotlib is not installed" in text


def test_features_without_any_value_have_no_dependence(model, data):
    """Figures are drawn of the others, and nothing warns."""
    text = report_page(model, data.X_test.assign(age=np.nan), data.y_test)
    assert "Left out, because the values are missing in all rows that are drawn here: age." in Page(text).text
    assert "Survival against marker." in text
    assert "Survival against age." not in text


def test_a_single_subject_with_missing_values_has_a_report(model, data):
    """Which features matter most for one subject is chance; some of them have no value."""
    some = np.flatnonzero(data.y_test["event"])[:1]
    text = report_page(model, data.X_test.iloc[some].assign(age=np.nan, marker=np.nan), data.y_test[some])
    assert "Left out, because the values are missing in all rows that are drawn here: " in Page(text).text
    assert "Survival against age." not in text
    assert "Survival against marker." not in text


@pytest.mark.parametrize(
    "make", [np.asarray, scipy.sparse.csr_matrix, pl.DataFrame, lambda X: pl.DataFrame(X).to_arrow()]
)
def test_features_in_any_form_and_more_rows_than_are_judged(make, monkeypatch):
    monkeypatch.setattr(evidence, "MOST_ROWS", 120)
    if make is not pl.DataFrame:
        monkeypatch.setattr(figures, "find_spec", lambda name: None)  # which take most of the time
    rng = np.random.default_rng(0)
    X, time = np.round(rng.normal(size=(300, 2)), 3), rng.exponential(size=300)
    y = Surv.right(time < 1.5, np.minimum(time, 1.5))
    model = FPBoost(n_estimators=3, random_state=0).fit(make(X[:140]), y[:140])
    text = Page(report_page(model, make(X[140:]), y[140:], make(X[:140]), y[:140])).text
    assert "120 rows, drawn at random from the 160 rows" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X_train": 0}, "X_train and y_train must be given together"),
        ({"groups": ["a"]}, "groups must have one label for each"),
        ({"y": Surv.interval([0.0, 1.0], [1.0, 2.0])}, "y must have one row for each subject, with an exact"),
        ({"y": Surv.right([False, False], [1.0, 2.0])}, "y has no event"),
        ({"y": Surv.right([2, 0], [1.0, 2.0])}, "y has events of cause 2"),
        ({"y": Surv.right([True], [1.0])}, "X has 2 rows and y has 1"),
    ],
)
def test_what_is_refused(model, data, arguments, message, tmp_path):
    given = {"X": data.X_test[:2], "y": Surv.right([True, False], [1.0, 2.0]), **arguments}
    with pytest.raises(ValueError, match=message), np.errstate(all="ignore"):
        model.report(tmp_path / "page.html", **given)
    assert not (tmp_path / "page.html").exists()


def test_command(model, data, tmp_path, capsys, monkeypatch):
    model.save(tmp_path / "model.hzb")
    for name in ("train", "test"):
        X, y = getattr(data, f"X_{name}"), getattr(data, f"y_{name}")
        table = X.assign(time=y["time"], event=y["event"].astype(int), ward="A")
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    wanted = ["report", tmp_path / "model.hzb", tmp_path / "test.csv", "--time", "time", "--event", "event", "-o"]
    options = ["--train", tmp_path / "train.csv", "--groups", "sex", "--title", "From a table", "--no-examples"]
    assert main([str(one) for one in [*wanted, tmp_path / "page.html", *options]]) == 0
    text = Page((tmp_path / "page.html").read_text(encoding="utf-8")).text
    assert "From a table" in text
    assert "groups = male" in text
    assert capsys.readouterr().err == "columns that are not used: ward\n"
    assert main([str(one) for one in [*wanted, "-"]]) == 2
    assert "-o must be the name of a file" in capsys.readouterr().err
