"""Tables of made-up results: what is counted, what is marked, and what the four writers make of it."""

from __future__ import annotations

import io

import numpy as np
import pytest

from benchmarks.harness import storage
from benchmarks.harness.paths import DOCS
from benchmarks.harness.tables.markdown import fill
from benchmarks.peers.shared.base import Peer
from benchmarks.studies.paper import report
from benchmarks.studies.paper.compose import (
    Study,
    all_tables,
    improvement_table,
    leak_table,
    mean_table,
    metric_table,
    missing_table,
)
from benchmarks.studies.paper.estimates import LEAKY, METRICS, pool, select, summarise
from benchmarks.studies.paper.published import DATASETS, published_score
from benchmarks.studies.paper.report import print_tables, write_report

C_INDEX, IBS = METRICS[:2]


def fake_model(name, title, kind="semi-parametric", learner="tree"):
    return Peer("paper", name, None, (), title, kind, learner)


MODELS = (
    fake_model("cox", "Cox", learner="linear"),
    fake_model("xgboost", "XGBoost"),
    fake_model("deepsurv_paper", "DeepSurv, paper", learner="neural"),
    fake_model("deepsurv", "DeepSurv", learner="neural"),
    fake_model("fpboost_paper", "FPBoost.paper", kind="fully parametric"),
    fake_model("fpboost", "FPBoost", kind="fully parametric"),
)


def line(model, dataset, seed=0, score=0.7, variant="paper", error=None):
    scores = {metric.name: score if error is None else None for metric in METRICS}
    return {"model": model, "dataset": dataset, "seed": seed, "variant": variant, "error": error, **scores}


def results(scores, seeds=2):
    """Lines around the score of each (model, data set, variant); the seeds differ by 0.02."""
    return [
        line(model, dataset, seed, score + 0.02 * (seed - (seeds - 1) / 2), variant)
        for (model, dataset, variant), score in scores.items()
        for seed in range(seeds)
    ]


def complete(seeds=2, **better):
    """Results of every model, all the same but those of the models that are named."""
    variants = [(name, "paper") for name in DATASETS] + [(name, "leak_free") for name in LEAKY]
    scores = {
        (model.name, name, variant): (0.7 if variant == "paper" else 0.6) + better.get(model.name, 0.0)
        for model in MODELS
        for name, variant in variants
    }
    return results(scores, seeds)


def study(lines, seeds=2, datasets=tuple(DATASETS), models=MODELS):
    return Study(lines, models, datasets, seeds)


def row(table, label):
    return next(row for row in table.rows if row.label == label)


def entry(table, label, column):
    return row(table, label).entries[table.columns.index(column)]


def test_interval_is_students():
    estimate = summarise(np.array([70.0, 72.0, 74.0]), 3)
    assert estimate.mean == pytest.approx(72.0)
    assert estimate.half_width == pytest.approx(4.3027 * 2.0 / np.sqrt(3), rel=1e-4)


def test_one_seed_has_no_interval():
    assert summarise(np.array([70.0]), 30).half_width is None


def test_pooled_interval_is_that_of_all_cells():
    rng = np.random.default_rng(0)
    samples = [rng.normal(mean, 1.0, 30) for mean in (60.0, 70.0, 90.0)]
    pooled, direct = pool([summarise(s, 30) for s in samples]), summarise(np.concatenate(samples), 90)
    assert pooled.mean == pytest.approx(direct.mean)
    assert pooled.half_width == pytest.approx(direct.half_width)


def test_pooled_mean_gives_each_data_set_the_same_weight():
    assert pool([summarise(np.full(30, 60.0), 30), summarise(np.full(5, 80.0), 30)]).mean == pytest.approx(70.0)


def test_leak_free_takes_its_own_cells_of_leaky_sets_only():
    cells = select(complete(), "leak_free", 2)
    assert cells.estimate("cox", "whas", "c_index").mean == pytest.approx(60.0)
    assert cells.estimate("cox", "gbsg2", "c_index").mean == pytest.approx(70.0)
    assert select(complete(), "paper", 2).estimate("cox", "whas", "c_index").mean == pytest.approx(70.0)


def test_an_error_is_never_a_score():
    lines = [line("cox", "gbsg2", 0, 0.7), {**line("cox", "gbsg2", 1, 0.1), "error": "Traceback ...\nValueError: no"}]
    found = entry(metric_table(study(lines), "paper", C_INDEX), "Cox", "GBSG2")
    assert found.value == pytest.approx(70.0)
    assert found.coverage == "1/2"


def test_a_place_without_scores_says_why():
    lines = [line("cox", "gbsg2", seed, error="Traceback ...\nValueError: no events") for seed in (0, 1)]
    table = metric_table(study(lines), "paper", C_INDEX)
    assert entry(table, "Cox", "GBSG2").number() == "—"
    assert entry(table, "Cox", "GBSG2").note == "ValueError: no events (2)"
    assert entry(table, "FPBoost", "GBSG2").note == "not run"
    assert any("Missing cells" in note for note in table.notes)


def test_complete_tables_have_no_marks():
    for table in all_tables(study(complete())):
        assert not any("Missing cells" in note for note in table.notes)
        assert not any(entry.coverage for row in table.rows for entry in row.entries)


def test_best_and_second_follow_the_direction():
    lines = complete(fpboost=0.05, cox=-0.05)
    ranks = {
        metric: [row.entries[0].rank for row in metric_table(study(lines), "paper", metric).rows]
        for metric in (C_INDEX, IBS)
    }
    assert ranks == {C_INDEX: [0, 2, 2, 2, 2, 1], IBS: [1, 2, 2, 2, 2, 0]}


def test_published_numbers_stand_beside_the_papers_setting_and_data_only():
    paper = metric_table(study(complete()), "paper", C_INDEX)
    assert entry(paper, "DeepSurv, paper", "WHAS").published == published_score("c_index", "deepsurv_paper", "whas")
    assert entry(paper, "DeepSurv", "WHAS").published is None
    leak_free = metric_table(study(complete()), "leak_free", C_INDEX)
    assert entry(leak_free, "Cox", "WHAS").published is None
    assert entry(leak_free, "Cox", "GBSG2").published.mean == 69.3
    assert entry(mean_table(study(complete()), "leak_free"), "Cox", "C-Index (↑)").published is None


def test_mean_of_fewer_sets_is_marked_and_not_ranked():
    lines = [each for each in complete(cox=0.1) if (each["model"], each["dataset"]) != ("cox", "aids")]
    table = mean_table(study(lines), "paper")
    found = entry(table, "Cox", "C-Index (↑)")
    assert (found.coverage, found.rank) == ("7/8 sets", 0)
    assert entry(table, "FPBoost", "C-Index (↑)").rank == 1


def test_mean_of_fewer_seeds_is_marked():
    lines = [each for each in complete() if (each["model"], each["dataset"], each["seed"]) != ("cox", "aids", 0)]
    assert entry(mean_table(study(lines), "paper"), "Cox", "C-Index (↑)").coverage == "15/16"


def test_improvement_is_the_mean_difference_on_common_sets():
    lines = [
        each for each in complete(fpboost_paper=0.04, cox=0.01) if each["dataset"] != "aids" or each["model"] != "cox"
    ]
    table = improvement_table(study(lines), "paper", C_INDEX)
    semi = next(row for row in table.rows if row.label == "Semi-parametric")
    linear, tree, neural, everything = semi.entries
    assert (linear.value, linear.coverage) == (pytest.approx(3.0), "7/8 pairs")
    assert (tree.value, neural.value) == (pytest.approx(4.0), pytest.approx(4.0))
    assert everything.value == pytest.approx(11 / 3)
    assert linear.published.mean == 1.6


def test_improvement_in_ibs_leaves_xgboost_out_and_says_so():
    lines = complete(xgboost=0.3)
    table = improvement_table(study(lines), "paper", IBS)
    semi = next(row for row in table.rows if row.label == "Semi-parametric")
    assert semi.entries[1].value is None
    assert semi.entries[3].value == pytest.approx(0.0)
    assert any("XGBoost is left out" in note for note in table.notes)


def test_improvement_over_library_defaults_has_no_published_number():
    table = improvement_table(study(complete(deepsurv=-0.1)), "paper", C_INDEX)
    last = [row for row in table.rows if row.label == "Semi-parametric"][-1]
    assert last.entries[2].value == pytest.approx(10.0)
    assert all(each.published is None for each in last.entries)


def test_leak_table_shows_the_change():
    found = row(leak_table(study(complete()), C_INDEX), "Cox").entries
    assert [each.number() for each in found[:3]] == ["70.0 ± 12.7", "60.0 ± 12.7", "-10.0"]


def test_columns_have_different_names():
    for table in all_tables(study(complete())):
        assert len(set(table.columns)) == len(table.columns)


def test_missing_table_names_every_gap_once():
    lines = [each for each in complete() if (each["model"], each["dataset"]) != ("cox", "gbsg2")]
    lines += [line("cox", "gbsg2", 0, error="MemoryError")]
    (found,) = missing_table(study(lines)).rows
    assert found.label == "Cox"
    assert [each.text for each in found.entries] == ["GBSG2", "0/2", "MemoryError (1); not run (1)"]
    assert "None" in missing_table(study(complete())).notes[0]


@pytest.mark.parametrize("table", all_tables(study(complete())), ids=lambda table: table.name)
def test_latex_is_balanced(table, check_latex):
    check_latex(table)


def test_long_errors_are_cut():
    lines = [line("cox", "gbsg2", error="ValueError: " + "words " * 1000)]
    assert len(entry(metric_table(study(lines), "paper", C_INDEX), "Cox", "GBSG2").note) < 180


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "_models", lambda: MODELS)
    for each in complete():
        storage.append(tmp_path / "results", each["model"], each)
    return tmp_path


def pretend_to_draw(draw, folder, name):
    """Figures have tests of their own, and take their time."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (names := (f"{name}.svg", f"{name}-dark.svg")):
        (folder / path).touch()
    return names


def test_write_report(folder, monkeypatch, read_html):
    monkeypatch.setattr("benchmarks.studies.paper.figures.load_outcomes", dict.fromkeys)
    monkeypatch.setattr("benchmarks.studies.paper.figures.save", pretend_to_draw)
    page = folder / "docs.md"
    page.write_text("<!-- table: paper-mean -->\n<!-- end of table -->\n")
    write_report(folder / "results", folder / "docs")
    written = {path.relative_to(folder / "docs").as_posix() for path in (folder / "docs").rglob("*.*")}
    assert {"tables.md", "tables.csv", "index.html", "latex/tables.tex", "latex/paper-c_index.tex"} <= written
    outline = read_html((folder / "docs" / "index.html").read_text())
    pictures = {address for address in outline.addresses if not address.startswith("#")}
    assert pictures <= written
    assert len(pictures) == 2 * (1 + 2 * 5)
    assert "2/30" in (folder / "docs" / "tables.md").read_text()
    assert "Means over the data sets" in page.read_text()


def test_print_tables_shows_what_was_run(folder):
    stream = io.StringIO()
    print_tables(folder / "results", stream)
    text = stream.getvalue()
    assert "Means over the data sets, leak-free" in text
    assert "2/30" not in text
    assert "Missing" not in text


def test_print_tables_of_sets_without_leak_has_one_version(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "_models", lambda: MODELS)
    storage.append(tmp_path, "cox", line("cox", "gbsg2"))
    storage.append(tmp_path, "cox", line("cox", "veterans", error="ValueError: no"))
    stream = io.StringIO()
    print_tables(tmp_path, stream)
    text = stream.getvalue()
    assert "leak-free" not in text
    assert "Missing cells" in text
    assert "FPBoost" not in text


def test_print_tables_without_results(tmp_path):
    stream = io.StringIO()
    print_tables(tmp_path, stream)
    assert "No results" in stream.getvalue()


def test_the_page_asks_for_tables_that_there_are():
    page = (DOCS / "experiments.md").read_text(encoding="utf-8")
    assert page.count("<!-- table:") == page.count("<!-- end of table -->") > 10
    fill(page, all_tables(study(complete())))
