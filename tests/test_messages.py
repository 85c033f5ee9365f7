"""The page of all errors and warnings is that of the source, and every message says what is wrong and what to do."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.wording import faults_of_template

ROOT = Path(__file__).resolve().parents[1]


def load_maker():
    spec = importlib.util.spec_from_file_location("make_messages", ROOT / "docs" / "make_messages.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


MAKER = load_maker()
MESSAGES = {message.text: message.kind for message in MAKER.find_messages()}
#: Words that scikit-learn's checks of estimators ask for, and an error of other data, which is passed on.
EXEMPT = (
    "X does not have valid feature names, but",
    "X has feature names, but",
    "X has <n> features, but FPBoost is expecting",
    "The feature names should match",
    "eval_set: <reason>",
)
#: Messages that are still to be rewritten.
WANTING = (
    "X: the category <value> of column",
    "X: <n> of <n> values of column",
    "monotone_constraints has <n> directions",
    "<argument>: there is no feature",
    "X: column <name> was <numeric or categorical>",
    "<n> <subjects or groups> (n_samples=<n>)",
    "<library>.LazyFrame is not supported",
    "rows of a path:",
    "groups: row <row> is in group",
    "n_causes=<value>, but no event of y has a known cause",
    "sample_weight must have shape",
    "Surv.formula: id can only be used",
    "y: data has no column",
    "<path> has unexpected content",
    "<file> is not in the folder",
    "SurvSet has no time-fixed data set",
    "eval_set: X has <n> rows and y has <n>.",
    "at least one head is needed",
    "the AUC is not defined (NaN) at times",
    "the score is not defined (NaN) at times",
    "the follow-up of y_test ends at",
    "risk must have shape",
    "estimate must have shape",
    "survival must have shape",
    "nothing was chosen by cross-validation",
    "the C-index needs one time for each subject",
    "the validation data have no comparable pair",
    "all events are in one fold",
    "study_name=<value> is the name of a study that tune did not create",
    "<argument> must be <numeric>; got <type> (dtype",
    "X: column <name> must be numeric or of a categorical dtype",
)


def test_the_page_is_up_to_date():
    page = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    assert page == MAKER.make_page(), "run `make messages`"


@pytest.mark.parametrize("text", [text for text in MESSAGES if not text.startswith((*EXEMPT, *WANTING))])
def test_a_message_says_what_is_wrong_and_what_to_do(text):
    assert not faults_of_template(text, MESSAGES[text])


@pytest.mark.parametrize("beginning", WANTING)
def test_messages_to_be_rewritten_have_not_been(beginning):
    """One that has been rewritten leaves the list."""
    texts = [text for text in MESSAGES if text.startswith(beginning)]
    assert texts
    assert all(faults_of_template(text, MESSAGES[text]) for text in texts)


# The maker of the page


def test_every_message_has_a_section():
    assert all(message.section for message in MAKER.find_messages())


def test_every_section_has_a_link_that_leads_to_it():
    page = MAKER.make_page()
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
