"""Figures of the cross-validation, of searches and of mean ranks."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError

from hazboost import FPBoost
from hazboost.plots import critical_difference, plot_ranks, plot_selection, plot_trials
from hazboost.plots.ranks import cliques
from hazboost.plots.selection import selection_frame


def fitted(**parameters):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = rng.random(60) < 0.8, rng.weibull(1.5, 60) * np.exp(-X[:, 0]) + 0.01
    settings = {"init": "marginal", "learning_rate": 0.5, "n_folds": 2, "random_state": 0, **parameters}
    return FPBoost(1, 0, **settings).fit(X, y)


def texts(ax):
    """Texts in and around a panel, without the tick labels outside of the limits, which matplotlib does not draw."""
    ticks = []
    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        places = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        ticks += [label for place, label in places if low <= place <= high]
    return [*ticks, ax.xaxis.label, ax.yaxis.label, ax.title]


def test_both_choices_are_drawn_and_marked():
    model = fitted(init="linear", n_estimators="auto")
    ridge, rounds = plot_selection(model)
    assert ridge.get_xscale() == "log"
    assert rounds.get_xscale() == "linear"
    for ax, name, losses, chosen in (
        (
            ridge,
            "ridge",
            dict(zip(model.cv_results_["ridges"], model.cv_results_["ridge_loss"], strict=True)),
            model.ridge_,
        ),
        (rounds, "rounds", dict(enumerate(model.cv_results_["round_loss"])), model.n_estimators_),
    ):
        curve, _, mark = ax.lines
        np.testing.assert_array_equal(curve.get_ydata(), list(losses.values()))
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (chosen, losses[chosen])
        assert ax.get_title() == f"chosen: {name} = {chosen:g}"
        assert ax.get_xlabel()
    assert ridge.get_ylabel() == "held-out mean loss"


def test_the_table_has_what_is_drawn():
    model = fitted(init="linear", n_estimators="auto")
    table = selection_frame(model)
    for ax, (name, part) in zip(plot_selection(model), table.groupby("name", sort=False), strict=True):
        curve, _, mark = ax.lines
        np.testing.assert_array_equal(part[["value", "loss"]], curve.get_xydata())
        np.testing.assert_array_equal(part.loc[part["chosen"], ["value", "loss"]], mark.get_xydata())
        assert ax.get_title().startswith(f"chosen: {name}")


def test_nothing_overlaps_at_six_inches():
    axes = plot_selection(fitted(init="linear", n_estimators="auto"))
    figure = axes[0].figure
    assert figure.get_size_inches()[0] == 6.0
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for ax in axes for text in texts(ax) if text.get_text()]
    inside = figure.bbox.padded(1.0)
    for i, box in enumerate(boxes):
        assert inside.contains(box.x0, box.y0)
        assert inside.contains(box.x1, box.y1)
        assert not any(box.overlaps(other) for other in boxes[:i])


@pytest.mark.parametrize(
    ("parameters", "name"), [({"init": "linear", "n_estimators": 2}, "ridge"), ({"n_estimators": "auto"}, "rounds")]
)
def test_one_choice_has_one_panel(parameters, name):
    own = plt.figure().add_subplot()
    assert plot_selection(fitted(**parameters), own) == [own]
    assert own.get_title().startswith(f"chosen: {name}")


def test_very_large_losses_are_cut_off():
    model = fitted(init="linear", n_estimators=2)
    model.cv_results_["ridge_loss"][-1] = 1e6
    (ax,) = plot_selection(model)
    assert min(model.cv_results_["ridge_loss"]) > ax.get_ylim()[0]
    assert model.cv_results_["ridge_loss"][0] < ax.get_ylim()[1] < 1e3


def test_unfitted_models_and_wrong_axes_are_refused():
    with pytest.raises(NotFittedError):
        plot_selection(FPBoost())
    with pytest.raises(ValueError, match="nothing was chosen by cross-validation"):
        plot_selection(fitted(n_estimators=1))
    with pytest.raises(ValueError, match="ax must have 1 axes, one for each panel; got 2"):
        plot_selection(fitted(n_estimators="auto"), plt.subplots(1, 2)[1])


def make_result(score, state):
    table = {"score": np.array(score), "state": np.array(state, dtype=object)}
    return SimpleNamespace(trials=table, default_score=score[0], metric="concordance")


def test_trials_without_score_and_far_below_are_at_the_bottom():
    result = make_result(
        [0.6, 0.61, np.nan, -50.0, np.nan, 0.62], ["complete", "complete", "pruned", "complete", "failed", "complete"]
    )
    ax = plot_trials(result)
    drawn = {line.get_label(): list(line.get_xdata()) for line in ax.lines}
    assert (drawn["pruned"], drawn["far below"], drawn["failed"]) == ([2], [3], [4])
    assert (drawn["trial"], drawn["best"]) == ([0, 1, 5], [5])
    assert ax.get_ylim()[0] > 0.5
    assert ax.get_ylabel() == "held-out C-index"
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [0.6, 0.61, 0.61, 0.61, 0.61, 0.62])


def test_a_single_trial_can_be_drawn():
    low, high = plot_trials(make_result([0.6], ["complete"])).get_ylim()
    assert low < 0.6 < high


def test_without_matplotlib_there_is_a_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "hazboost\[plots\]"'):
        plot_trials(make_result([0.6], ["complete"]))


def test_critical_difference_agrees_with_demsars_table():
    assert critical_difference(5, 30) == pytest.approx(2.728 * np.sqrt(5 * 6 / (6 * 30)), rel=1e-3)


def test_cliques():
    assert cliques(np.array([1.0, 3.0, 4.0, 4.5]), 1.5) == [(3.0, 4.5)]
    assert cliques(np.array([1.0, 3.0]), 1.0) == []
    assert cliques(np.array([1.0, 2.0, 3.0]), 1.0) == [(1.0, 2.0), (2.0, 3.0)]


def test_plot_ranks_writes_every_model_once_and_highlights():
    ax = plot_ranks({"b": 2.0, "a": 1.0, "c": 3.0}, 1.0, highlight={"a"}, accent="#ff0000")
    labels = [text.get_text().strip() for text in ax.texts]
    assert {"a  1.00", "b  2.00", "3.00  c"} <= set(labels)
    assert [text.get_color() for text in ax.texts if "a  1.00" in text.get_text()] == ["#ff0000"]
