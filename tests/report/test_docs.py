"""What docs/report.md says is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hazboost.report import scores
from hazboost.report.flags import CHECKS
from tests.report.study import CLEAN, FOUND, PLANTED

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")


def test_code_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scores, "SAMPLES", 5)
    code = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1]
    exec(compile(code.replace("random_state=0).fit", "random_state=0, n_estimators=10).fit"), "report.md", "exec"), {})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Recurrence of breast cancer" in page
    assert len(page) < 2_000_000
    assert capsys.readouterr().out == ""  # no flags


def test_every_flag_is_in_the_table():
    described = re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)
    assert described == [check.name for check in CHECKS]


def test_every_data_set_of_the_study_is_in_the_table():
    table = TEXT[TEXT.index("How often they are right") :]
    for name in (*PLANTED, *FOUND, *CLEAN):
        assert f"| {name} |" in table


@pytest.mark.parametrize(
    "link", sorted(set(re.findall(r"\]\(([^)#\s:]+)\)", TEXT) + re.findall(r'src="([^"]+)"', TEXT)))
)
def test_links_lead_somewhere(link):
    assert (ROOT / "docs" / link).exists()
