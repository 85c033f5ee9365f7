"""The scores and the report of the comparisons on real data, and the fits to a known truth."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

pytest.importorskip("lifelines")
pytest.importorskip("pandas")

from benchmarks.harness import storage
from benchmarks.harness.paths import DOCS, RESULTS
from benchmarks.peers.shared.base import Sample
from benchmarks.studies.kinds import command, known_truth, report
from benchmarks.studies.kinds.cells import WORK, Cell, comparisons, failure, plan, run_cell
from benchmarks.studies.kinds.changing import concordance_over_risk_sets
from benchmarks.studies.kinds.intercepts import measure


def test_every_planned_cell_has_a_committed_result():
    lines = WORK.read(RESULTS / "kinds")
    assert len(lines) == 136
    assert set(lines) == set(plan(tuple(comparisons())))


@pytest.mark.parametrize("dataset", ["multicenter_aids_cohort_study", "diabetes", "mice", "lcd"])
@pytest.mark.parametrize("family", ["weibull", "loglogistic"])
def test_a_fit_without_features_is_that_of_lifelines(dataset, family):
    scores = measure(dataset, family, 0)
    np.testing.assert_allclose(scores["hazboost"][:2], scores["lifelines"][:2], rtol=1e-3)
    assert scores["hazboost"][2] == pytest.approx(scores["lifelines"][2], abs=1e-4)


def test_concordance_over_risk_sets():
    """Two events; a model that knows the next event is right everywhere, a constant one in half of the pairs."""
    rows = Sample(
        None, np.array([True, True, False, False]), np.array([2.0, 3.0, 1.0, 4.0]), entry=np.array([0.0, 0.0, 0.0, 1.0])
    )
    right = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert concordance_over_risk_sets(rows, right) == 1.0
    assert concordance_over_risk_sets(rows, -right) == 0.0
    assert concordance_over_risk_sets(rows, 0.0 * right) == 0.5


def test_the_time_varying_cox_model_gives_its_committed_scores():
    pytest.importorskip("SurvSet")
    cell = Cell("changing", "heart", "Cox", 0)
    stored, found = WORK.read(RESULTS / "kinds")[cell], run_cell(cell)
    assert found["scores"] == pytest.approx(stored["scores"], rel=1e-4)


def test_what_is_missing_is_measured_once(tmp_path, capsys):
    known = WORK.read(RESULTS / "kinds")
    missing = Cell("intercepts", "mice", "weibull", 0)
    for cell in plan(["intercepts"]):
        if cell != missing:
            storage.append(tmp_path, "intercepts", known[cell])
    command.main(["--comparisons", "intercepts", "--output", str(tmp_path)])
    assert len(WORK.read(tmp_path)) == 10
    assert "error" not in WORK.read(tmp_path)[missing]
    captured = capsys.readouterr()
    assert "9 cells of 10 are done" in captured.err
    assert "| mice | weibull |" in captured.out


def test_reports_have_a_line_for_each_data_set_and_none_for_errors():
    lines = WORK.read(RESULTS / "kinds")
    assert len(list(report.report_changing(lines))) == 2 + len(comparisons()["changing"].datasets)
    assert len(list(report.report_intercepts(lines))) == 2 + 10
    assert len(list(report.report_competing(lines))) == 2 * (2 + 2 + 8 + 1)
    failed = {cell: failure(cell, "no luck") for cell in lines}
    assert len(list(report.report_changing(failed))) == len(list(report.report_intercepts(failed))) == 2


def test_reports_are_on_the_page_as_they_are_printed():
    page = (DOCS / "kinds.md").read_text(encoding="utf-8").splitlines()
    lines = WORK.read(RESULTS / "kinds")
    printed = "\n\n".join("\n".join(write(lines)) for write in report.REPORTS.values())
    for table in re.findall(r"(?:^\|.*\n?)+", printed, flags=re.MULTILINE):
        first, _, *rows = table.splitlines()
        place = [number for number, line in enumerate(page) if line == first]
        assert any(page[number + 2 : number + 2 + len(rows)] == rows for number in place), table


def test_an_error_is_recorded():
    line = run_cell(Cell("intercepts", "no such set", "weibull", 0))
    assert "KeyError" in line["error"]
    assert WORK.cell_of(line).dataset == "no such set"


@pytest.mark.parametrize("wrong", ["--comparisons=no", "--kinds=no"])
def test_a_wrong_option_is_named(wrong, capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main([wrong])
    assert wrong.split("=")[0] in capsys.readouterr().err


def test_the_error_is_smaller_than_that_of_ignoring_the_kind():
    stream = io.StringIO()
    known_truth.print_errors(["delayed entry"], [300], stream)
    head, _, row = stream.getvalue().splitlines()
    assert head.startswith("| kind | n | error")
    _, kind, n, error, ignored, *_ = (part.strip() for part in row.split("|"))
    assert (kind, n) == ("delayed entry", "300")
    assert float(error) < float(ignored)
