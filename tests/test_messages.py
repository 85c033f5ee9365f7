"""The page of all errors and warnings is that of the source, and every message says what is wrong and what to do."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.wording import faults_of_template, is_on_page

ROOT = Path(__file__).resolve().parents[1]


def load_maker():
    spec = importlib.util.spec_from_file_location("make_messages", ROOT / "docs" / "make_messages.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


MAKER = load_maker()
FOUND = MAKER.find_messages()
MESSAGES = {message.text: message.kind for message in FOUND}
#: Messages that need not name an argument: about files, and a kind of table that any argument may be; words that
#: scikit-learn's checks of estimators ask for; and errors about other data, which are passed on.
EXEMPT = (
    "<path> is not the published file",
    "<file> is not in the folder",
    "<library>.LazyFrame is not supported",
    "The feature names should match",
    "eval_set: <reason>",
)


@pytest.fixture(scope="module")
def page():
    return MAKER.make_page()


def test_the_page_is_up_to_date(page):
    assert (ROOT / "docs" / "messages.md").read_text(encoding="utf-8") == page, "run `make messages`"


@pytest.mark.parametrize("text", [text for text in MESSAGES if not text.startswith(EXEMPT)])
def test_a_message_says_what_is_wrong_and_what_to_do(text):
    assert not faults_of_template(text, MESSAGES[text])


def test_messages_that_are_exempt_exist():
    assert all(any(text.startswith(beginning) for text in MESSAGES) for beginning in EXEMPT)


# The rules

FAULTY = {
    "must be positive; got -1.": ["does not begin with the argument"],
    "tau must be positive": ["no full stop at the end"],
    "tau is negative.": ["does not say what to do"],
    "X must be an ndarray.": ["jargon: 'ndarray'"],
    "sample_weight must have shape (<n>,).": ["jargon: 'shape ('"],
}


@pytest.mark.parametrize("text", FAULTY)
def test_faults_are_noticed(text):
    assert faults_of_template(text, "ValueError") == FAULTY[text]


def test_a_warning_may_name_its_argument_later():
    assert not faults_of_template("training was too short; use a larger n_estimators.", "ConvergenceWarning")
    assert faults_of_template("training was too short; use more rounds.", "ConvergenceWarning") == ["names no argument"]


@pytest.mark.parametrize(
    ("message", "known"),
    [
        ("tau must be a positive, finite time; got -1.", True),
        ("y_train: every time must be finite; got nan (row 3).", True),
        ("eval_set: X: column 0 is infinite in row 2; use NaN for a missing value.", True),
        ("tau is wrong.", False),
    ],
)
def test_a_message_is_found_on_the_page(message, known):
    assert is_on_page(message) == known


# The maker of the page


def test_every_message_has_a_section():
    assert all(message.section for message in FOUND)


def test_every_section_has_a_link_that_leads_to_it(page):
    for heading in MAKER.SECTIONS:
        assert f"](#{re.sub(r'[^a-z ]', '', heading.lower()).replace(' ', '-')})" in page
        assert f"\n## {heading}\n" in page


SOURCE = """
from hazboost.limits import MOST
LEAST, FEW = 2, "few"

def _end(count):
    return f"{count} more."

def _refuse(values, requirement):
    raise ValueError(f"{requirement}; got {values!r}.")

class Estimator:
    def check(self, n_bins, values, name="y"):
        advice = "use fewer"
        refusal = TypeError(f"{name}: {FEW} of {len(values)}, {LEAST} to {MOST}; {advice if n_bins else 'none'}.")
        if n_bins:
            raise refusal
        warn_caller("some " f"{n_bins} are {_end(3)}", UserWarning)
        _refuse(values, "values must be known")
        raise NotImplementedError
"""


def test_placeholders_and_texts(tmp_path, monkeypatch):
    (tmp_path / "module.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "limits.py").write_text("MOST = 9\n", encoding="utf-8")
    monkeypatch.setattr(MAKER, "SOURCE", tmp_path)
    found = [(message.kind, message.text, message.place) for message in MAKER.find_messages()]
    place = "module.Estimator.check"
    assert found == [
        ("ValueError", "values must be known; got <value>.", place),
        ("TypeError", "<argument>: few of <n>, 2 to 9; <use fewer or none>.", place),
        ("UserWarning", "some <n bins> are 3 more.", place),
    ]


def test_a_text_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "module.py").write_text("raise ValueError(make_text())\n", encoding="utf-8")
    monkeypatch.setattr(MAKER, "SOURCE", tmp_path)
    with pytest.raises(ValueError, match="module, line 1: the text of this message cannot be read"):
        MAKER.find_messages()
