import math

import pytest

from benchmarks.harness.ranks import draw_rankings, rank_models
from hazboost.plots import critical_difference


def test_ranks_are_means_over_data_sets_and_ties_share():
    ranking = rank_models({"a": [0.9, 0.8], "b": [0.7, 0.8], "c": [0.1, 0.2]}, higher_is_better=True)
    assert ranking.ranks == {"a": 1.25, "b": 1.75, "c": 3.0}
    assert ranking.difference == critical_difference(3, 2)
    turned = rank_models({"a": [0.9], "b": [0.7]}, higher_is_better=False)
    assert turned.ranks == {"a": 2.0, "b": 1.0}
    assert math.isnan(turned.friedman)


def test_friedman_tells_a_clear_order_from_none():
    clear = {name: [place + 0.1 * i for i in range(20)] for place, name in enumerate("abc")}
    assert rank_models(clear, higher_is_better=True).friedman < 1e-6
    turning = {name: [(place + i) % 3 for i in range(21)] for place, name in enumerate("abc")}
    assert rank_models(turning, higher_is_better=True).friedman == pytest.approx(1.0)


def test_panels():
    pytest.importorskip("matplotlib")
    ranking = rank_models({"a": [0.9, 0.8], "b": [0.7, 0.6]}, higher_is_better=True)
    figure = draw_rankings({"C": ranking, "nothing here": None}, width=8, highlight={"a"}, accent="#c0392b")
    assert [axes.get_title() for axes in figure.axes] == ["C", "nothing here"]
