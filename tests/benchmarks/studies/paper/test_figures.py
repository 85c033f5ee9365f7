"""Figures of made-up results: they are drawn, and their numbers are right."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.peers.shared.base import Peer
from benchmarks.studies.paper import figures
from benchmarks.studies.paper.compose import Study
from benchmarks.studies.paper.estimates import METRICS
from benchmarks.studies.paper.figures import DARK, LIGHT, draw_curves, draw_intervals, draw_ranks, ranking_of, save
from hazboost import Surv

C_INDEX, IBS = METRICS[:2]


MODELS = tuple(
    Peer("paper", name, None, (), name.title(), "semi-parametric", "tree")
    for name in ("cox", "rsf", "xgboost", "fpboost")
)


def made_up(scores, datasets=("gbsg2", "veterans")):
    lines = [
        {"model": model, "dataset": name, "seed": seed, "variant": "paper", "error": None}
        | {metric.name: value + 0.01 * seed for metric in METRICS}
        for model, values in scores.items()
        for name, value in zip(datasets, values, strict=True)
        if value is not None
        for seed in range(2)
    ]
    return Study(lines, MODELS, datasets, 2)


SCORES = {"cox": (0.70, 0.72), "rsf": (0.71, 0.71), "xgboost": (0.4, 0.70), "fpboost": (0.74, 0.73)}


def test_mean_ranks():
    ranking = ranking_of(made_up(SCORES), "paper", C_INDEX)
    assert ranking.ranks == {"Cox": 2.5, "Rsf": 2.5, "Xgboost": 4.0, "Fpboost": 1.0}
    assert ranking_of(made_up(SCORES), "paper", IBS).ranks["Xgboost"] == 1.0


def test_models_without_all_sets_are_not_ranked():
    assert "Rsf" not in ranking_of(made_up({**SCORES, "rsf": (None, 0.7)}), "paper", C_INDEX).ranks
    assert ranking_of(made_up({}), "paper", C_INDEX) is None


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_intervals_mark_what_is_published_missing_and_outside(look):
    figure = draw_intervals(made_up({**SCORES, "rsf": (None, 0.71)}), "paper", C_INDEX, look)
    axes = figure.axes[0]
    markers = [line.get_marker() for line in axes.lines]
    assert markers.count("D") + markers.count(">") + markers.count("<") >= 3
    assert "<" in markers
    assert [text.get_text() for text in axes.texts] == ["none"]
    ends = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
    low, high = axes.get_xlim()
    assert all(low <= value <= high for pair in ends for value in pair)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Cox", "Rsf", "Xgboost", "Fpboost"]


def test_intervals_without_results_are_drawn():
    draw_intervals(made_up({}), "leak_free", IBS, LIGHT)


def test_ranks_have_a_panel_for_each_metric():
    figure = draw_ranks(made_up(SCORES), "paper", LIGHT)
    assert [axes.get_title() for axes in figure.axes] == [f"{metric.title}, as in the paper" for metric in METRICS[:4]]


def test_ranks_without_results_say_so():
    assert "fewer than two" in draw_ranks(made_up({}), "paper", LIGHT).axes[0].get_title()


def test_curves_begin_at_one_and_end_at_the_longest_follow_up():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=3000), rng.random(3000) < 0.5
    dataset = SimpleNamespace(y=Surv.right(event, time), time_unit="days")
    figure = draw_curves({"Made": dataset, "Away": None}, LIGHT)
    survival, censoring = figure.axes[0].lines
    for curve in (survival, censoring):
        assert (curve.get_xdata()[0], curve.get_ydata()[0]) == (0.0, 1.0)
        assert curve.get_xdata()[-1] == time.max()
        assert np.all(np.diff(curve.get_ydata()) <= 0)
        assert len(curve.get_xdata()) < 500
    assert figure.axes[1].texts[0].get_text() == "data not here"


def test_save_writes_both_and_the_same_again(tmp_path):
    names = save(lambda look: draw_ranks(made_up(SCORES), "paper", look), tmp_path, "ranks")
    assert names == ("ranks.svg", "ranks-dark.svg")
    before = [(tmp_path / name).read_bytes() for name in names]
    save(lambda look: draw_ranks(made_up(SCORES), "paper", look), tmp_path, "ranks")
    assert [(tmp_path / name).read_bytes() for name in names] == before
    assert DARK.paper.encode() in before[1]


def test_data_that_cannot_be_had_are_left_empty(monkeypatch):
    pytest.importorskip("pandas")

    def refuse(name):
        raise FileNotFoundError(name)

    monkeypatch.setattr("hazboost.datasets.load_dataset", refuse)
    assert figures.load_outcomes(["whas"]) == {"WHAS": None}
