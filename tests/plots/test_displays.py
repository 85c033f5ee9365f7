"""Displays: their numbers against the predictions and against brute force, their labels, and what they refuse."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from lifelines import AalenJohansenFitter, KaplanMeierFitter
from matplotlib import pyplot as plt
from scipy.integrate import trapezoid
from sklearn.exceptions import NotFittedError

from hazboost import FPBoost, Surv, explain, metrics, plots
from hazboost.plots import (
    AccumulatedEffectsDisplay,
    CalibrationDisplay,
    ContributionsDisplay,
    DCalibrationDisplay,
    DependenceDisplay,
    HeadsDisplay,
    HistoryDisplay,
    ImportanceDisplay,
    ParametersDisplay,
    ResidualsDisplay,
    RocDisplay,
    ScoresDisplay,
    SurvivalDisplay,
)
from hazboost.plots.smoothing import smooth

DISPLAYS = [getattr(plots, name) for name in plots.__all__ if name.endswith("Display")]
TIMES = np.linspace(0.1, 1.0, 7)


def make_data(n=240, causes=1):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["age", "dose", "size"])
    X["sex"] = pd.Categorical(np.where(rng.random(n) < 0.5, "female", "male"))
    time = rng.weibull(1.5, n) * np.exp(-0.7 * X["age"].to_numpy()) + 0.01
    censoring = rng.uniform(0.2, 3.0, n)
    cause = rng.integers(1, causes + 1, n)
    return X, (np.where(time <= censoring, cause, 0), np.minimum(time, censoring))


@pytest.fixture(scope="module")
def data():
    return make_data()


@pytest.fixture(scope="module")
def model(data):
    return FPBoost(n_estimators=15, random_state=0).fit(*data)


@pytest.fixture(scope="module")
def competing():
    X, y = make_data(causes=2)
    return X, y, FPBoost(n_estimators=8, random_state=0).fit(X, y)


def draw(display, model, X, y, **options):
    """Any display of a model; each takes the arguments that it needs."""
    arguments = {
        SurvivalDisplay: (X.iloc[:3],),
        HeadsDisplay: (X.iloc[:1],),
        HistoryDisplay: (),
        CalibrationDisplay: (X, y, 0.8),
        DCalibrationDisplay: (X, y),
        ScoresDisplay: (X, y),
        RocDisplay: (X, y),
        ImportanceDisplay: (X,),
        DependenceDisplay: (X.iloc[:30], "age"),
        ContributionsDisplay: (X.iloc[:1],),
        ParametersDisplay: (X,),
        ResidualsDisplay: (X, y),
        AccumulatedEffectsDisplay: (X, "age"),
    }[display]
    return display.from_estimator(model, *arguments, **options)


def axes_of(display):
    return display.ax_ if isinstance(display.ax_, list) else [display.ax_]


# What all displays share


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_display_draws_names_its_axes_and_has_a_table(display, model, data):
    shown = draw(display, model, *data)
    assert shown.figure_ is axes_of(shown)[0].figure
    assert all(ax.get_xlabel() for ax in axes_of(shown))
    assert len(shown.frame()) > 0
    assert isinstance(shown.frame(), pd.DataFrame)


@pytest.mark.parametrize("display", DISPLAYS)
def test_given_axes_are_used_and_no_figure_is_made(display, model, data):
    shown = draw(display, model, *data)
    figure, panels = plt.subplots(1, len(axes_of(shown)), squeeze=False)
    before = plt.get_fignums()
    given = list(panels[0]) if len(panels[0]) > 1 else panels[0][0]
    assert shown.plot(given) is shown
    assert shown.ax_ == given
    assert shown.figure_ is figure
    assert draw(display, model, *data, ax=given).ax_ == given
    assert plt.get_fignums() == before


def parts_of(frame, by, *columns):
    return [part[list(columns)] for _, part in frame.groupby(by)]


#: The lines of a display, as tables of their points, from its table; others have bars.
LINES = {
    AccumulatedEffectsDisplay: lambda frame: [frame[["age", "value"]]],
    CalibrationDisplay: lambda frame: [frame[["predicted", "observed"]]],
    ContributionsDisplay: lambda frame: parts_of(frame, "feature", "time", "value"),
    DependenceDisplay: lambda frame: [frame[["age", "value"]]],
    HeadsDisplay: lambda frame: [frame.groupby("time", as_index=False)["value"].sum()],
    HistoryDisplay: lambda frame: parts_of(frame, "name", "round", "value"),
    ResidualsDisplay: lambda frame: [frame.sort_values("residual")[["residual", "cumulative_hazard"]]],
    RocDisplay: lambda frame: [frame[["false_positive", "true_positive"]]],
    ScoresDisplay: lambda frame: parts_of(frame, "score", "time", "value"),
    SurvivalDisplay: lambda frame: parts_of(frame, ["curve", "kind"], "time", "value"),
}


def test_every_display_has_lines_or_bars():
    assert {*LINES, DCalibrationDisplay, ImportanceDisplay, ParametersDisplay} == set(DISPLAYS)


@pytest.mark.parametrize("display", LINES)
def test_lines_are_drawn_through_the_numbers_of_the_table(display, model, data):
    shown = draw(display, model, *data)
    if display is SurvivalDisplay:
        shown = SurvivalDisplay.from_estimator(model, data[0].iloc[:3], data[1])
    drawn = [line.get_xydata() for ax in axes_of(shown) for line in ax.lines]
    for points in LINES[display](shown.frame()):
        expected = points.to_numpy(dtype=float)
        # Cox-Snell residuals have one more point, at zero.
        ends = [line[-len(expected) :] for line in drawn if len(line) >= len(expected)]
        assert any(np.allclose(line, expected, equal_nan=True) for line in ends)


def test_scores_and_their_reference_are_told_apart(model, data):
    shown = ScoresDisplay.from_estimator(model, *data, times=TIMES)
    lines = {line.get_label(): line.get_ydata() for line in shown.ax_[0].lines}
    np.testing.assert_array_equal(lines["model"], shown.brier)
    np.testing.assert_array_equal(lines["Kaplan-Meier, or chance"], shown.reference)
    np.testing.assert_array_equal(shown.ax_[1].lines[0].get_ydata(), shown.auc)


def test_bars_are_as_long_as_the_numbers_of_the_table(model, data):
    shares = DCalibrationDisplay.from_estimator(model, *data)
    np.testing.assert_allclose([bar.get_height() for bar in shares.ax_.patches], shares.frame()["share"])
    np.testing.assert_allclose([bar.get_x() for bar in shares.ax_.patches], shares.frame()["low"], atol=0.02)
    importances = ImportanceDisplay.from_estimator(model, data[0])
    np.testing.assert_allclose([bar.get_width() for bar in importances.ax_.patches], importances.frame()["importance"])


def test_parameters_are_drawn_from_quantile_to_quantile(model, data):
    shown = ParametersDisplay.from_estimator(model, data[0])
    for ax, (_, row) in zip(shown.ax_, shown.frame().iterrows(), strict=True):  # of one head
        wide, narrow, middle = (line.get_xdata().tolist() for line in ax.lines)
        assert (wide, narrow, middle) == ([row["q05"], row["q95"]], [row["q25"], row["q75"]], [row["median"]])


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("size", [(6.4, 4.8), (3.3, 2.5)])
def test_nothing_is_cut_off(display, size, model, data):
    with mpl.rc_context({"figure.figsize": size}):
        figure = draw(display, model, *data).figure_
        figure.draw_without_rendering()
        inside = figure.bbox.padded(2.0)
        box = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
        assert inside.contains(box.x0, box.y0)
        assert inside.contains(box.x1, box.y1)


@pytest.mark.parametrize("display", DISPLAYS)
def test_text_is_readable_on_a_dark_background(display, model, data):
    with plt.style.context("dark_background"):
        shown = draw(display, model, *data)
        legends = [*shown.figure_.legends, *(ax.get_legend() for ax in axes_of(shown) if ax.get_legend())]
        texts = [text for legend in legends for text in legend.get_texts()] + [ax.xaxis.label for ax in axes_of(shown)]
        assert all(np.mean(mpl.colors.to_rgb(text.get_color())) > 0.6 for text in texts)


@pytest.mark.parametrize("display", DISPLAYS)
def test_models_that_are_not_fitted_are_refused(display, data):
    with pytest.raises(NotFittedError):
        draw(display, FPBoost(), *data)


def test_without_pandas_tables_are_structured_arrays(monkeypatch, data):
    X, y = data[0][["age", "dose"]].to_numpy(), data[1]
    model = FPBoost(n_estimators=3, random_state=0).fit(X, y)
    monkeypatch.setitem(sys.modules, "pandas", None)
    for shown in (
        SurvivalDisplay.from_estimator(model, X[:2], y),
        HeadsDisplay.from_estimator(model, X[:1]),
        CalibrationDisplay.from_estimator(model, X, y, 0.8, 4),
        ScoresDisplay.from_estimator(model, X, y),
        RocDisplay.from_estimator(model, X, y),
        ImportanceDisplay.from_estimator(model, X),
        DependenceDisplay.from_estimator(model, X[:30], 0),
        ContributionsDisplay.from_estimator(model, X[:1]),
        ParametersDisplay.from_estimator(model, X),
        ResidualsDisplay.from_estimator(model, X, y),
        AccumulatedEffectsDisplay.from_estimator(model, X, 0),
    ):
        assert shown.frame().dtype.names


def test_times_in_days_are_written_out(data):
    """Five years are 1826 days, not 1.83e+03."""
    X, (event, time) = data
    y = event, 1826.0 * time
    model = FPBoost(n_estimators=3, random_state=0).fit(X, y)
    calibration = CalibrationDisplay.from_estimator(model, X, y, time=1826.0, n_bins=3)
    assert calibration.ax_.get_xlabel() == "predicted survival at time 1826"
    dependence = DependenceDisplay.from_estimator(model, X.iloc[:9], "age", time=1826.0)
    assert dependence.ax_.get_ylabel() == "survival at time 1826"
    roc = RocDisplay.from_estimator(model, X, y, time=1826.0)
    assert roc.ax_.get_legend_handles_labels()[1][1].startswith("time 1826: AUC")
    heads = HeadsDisplay.from_estimator(model, X.iloc[:1])
    assert not any("e+" in text for text in heads.descriptions.values())


# Survival


@pytest.mark.parametrize("of", ["survival", "cumulative_hazard", "hazard", "cumulative_incidence"])
def test_curves_of_subjects_are_the_predictions(of, model, data):
    X = data[0].iloc[:3].set_axis(["a", "b", "c"])
    shown = SurvivalDisplay.from_estimator(model, X, of=of, times=TIMES)
    expected = getattr(model, f"predict_{of}_function")(X, times=TIMES)
    for name, curve in zip("abc", expected, strict=True):
        np.testing.assert_allclose(shown.predicted[name], curve)
    frame = shown.frame()
    np.testing.assert_allclose(frame["value"], expected.ravel())
    assert frame["curve"].tolist() == [name for name in "abc" for _ in TIMES]
    assert shown.ax_.get_ylabel() == of.replace("_", " ")


def test_groups_have_mean_survival_and_kaplan_meier_with_its_interval(model, data):
    X, (event, time) = data
    groups = np.where(X["age"] > 0, "old", "young")
    frame = SurvivalDisplay.from_estimator(model, X, (event, time), groups=groups, times=TIMES).frame()
    survival = model.predict_survival_function(X, times=TIMES)
    for name in ("old", "young"):
        mine = groups == name
        fitter = KaplanMeierFitter().fit(time[mine], event[mine])
        part = frame[frame["curve"] == name].set_index("kind")
        np.testing.assert_allclose(part.loc["predicted", "value"], survival[mine].mean(axis=0))
        np.testing.assert_allclose(part.loc["observed", "value"], fitter.predict(TIMES))
        interval = fitter.confidence_interval_.reindex(TIMES, method="ffill").to_numpy()
        np.testing.assert_allclose(part.loc["observed", ["low", "high"]], interval, rtol=1e-6)


def test_a_group_has_one_hazard_which_is_the_slope_of_its_cumulative_hazard(model, data):
    X, groups = data[0], np.repeat("all", len(data[0]))
    times = np.linspace(0.2, 1.0, 4001)
    cumulative, hazard = (
        SurvivalDisplay.from_estimator(model, X, of=of, groups=groups, times=times).predicted["all"]
        for of in ("cumulative_hazard", "hazard")
    )
    np.testing.assert_allclose(np.exp(-cumulative), model.predict_survival_function(X, times=times).mean(axis=0))
    middle = 0.5 * (hazard[1:] + hazard[:-1])
    np.testing.assert_allclose(np.diff(cumulative) / np.diff(times), middle, rtol=1e-4)


def test_incidence_is_compared_with_aalen_johansen(competing):
    X, (event, time), model = competing
    shown = SurvivalDisplay.from_estimator(
        model, X.iloc[:2], (event, time), of="cumulative_incidence", cause=2, times=TIMES
    )
    fitter = AalenJohansenFitter(calculate_variance=False).fit(time, event, event_of_interest=2)
    np.testing.assert_allclose(shown.observed[""], fitter.predict(TIMES), rtol=1e-6)
    expected = model.predict_cumulative_incidence_function(X.iloc[:2], times=TIMES, cause=2)
    np.testing.assert_allclose(list(shown.predicted.values()), expected)
    assert "Aalen-Johansen" in [text.get_text() for text in shown.figure_.legends[0].get_texts()]


@pytest.mark.parametrize("of", ["survival", "cumulative_hazard"])
def test_a_cause_is_refused_where_all_count(of, competing):
    X, _, model = competing
    with pytest.raises(ValueError, match=f"cause must not be given with of='{of}', which is about all causes together"):
        SurvivalDisplay.from_estimator(model, X.iloc[:2], of=of, cause=2)


def test_estimates_end_with_the_follow_up_and_many_subjects_have_no_names(model, data):
    X, (event, time) = data
    shown = SurvivalDisplay.from_estimator(model, X.iloc[:20], (event, time), times=[0.5, time.max(), 99.0])
    assert np.isnan(shown.observed[""]).tolist() == [False, False, True]
    assert [text.get_text() for text in shown.figure_.legends[0].get_texts()] == ["Kaplan-Meier, 95 % interval"]


def test_numbers_at_risk_are_written_below_the_curves(model, data):
    X, (event, time) = data
    entry = np.where(np.arange(len(time)) % 3 == 0, 0.5 * time, 0.0)
    groups = np.where(X["age"] > 0, "old", "young")
    y = Surv.right(event, time, entry=entry)
    shown = SurvivalDisplay.from_estimator(model, X, y, groups=groups, times=TIMES).add_at_risk([0.0, 0.3])
    expected = ["at risk"]
    for name in dict.fromkeys(groups):
        mine = groups == name
        counts = [((entry < t) | (entry == 0.0)) & (time >= t) & mine for t in (0.0, 0.3)]
        expected += [name, *(str(count.sum()) for count in counts)]
    assert [text.get_text() for text in shown.ax_.texts] == expected
    shown.figure_.draw_without_rendering()
    label = shown.ax_.xaxis.label.get_window_extent()
    assert all(text.get_window_extent().y1 < label.y0 for text in shown.ax_.texts)
    frame = shown.frame()
    assert frame["at_risk"][frame["kind"] == "predicted"].isna().all()
    at_risk = [(((entry < t) | (entry == 0.0)) & (time >= t) & (groups == "old")).sum() for t in TIMES]
    assert frame["at_risk"][(frame["kind"] == "observed") & (frame["curve"] == "old")].tolist() == at_risk


@pytest.mark.parametrize("size", [(6.4, 4.8), (3.3, 2.5)])
def test_numbers_at_risk_stand_at_the_ticks_and_nothing_is_cut_off(size, model, data):
    with mpl.rc_context({"figure.figsize": size}):
        shown = SurvivalDisplay.from_estimator(model, data[0].iloc[:2], data[1]).add_at_risk()
    shown.figure_.draw_without_rendering()
    heading, *numbers = shown.ax_.texts
    assert heading.get_text() == "at risk"
    assert [text.xy[0] for text in numbers] == shown.ax_.get_xticks().tolist()
    box = shown.figure_.get_tightbbox().transformed(shown.figure_.dpi_scale_trans)
    inside = shown.figure_.bbox.padded(2.0)
    assert inside.contains(box.x0, box.y0)
    assert inside.contains(box.x1, box.y1)


def test_numbers_at_risk_stay_below_the_axes(model, data):
    shown = SurvivalDisplay.from_estimator(model, data[0].iloc[:2], data[1], times=TIMES)
    with pytest.raises(ValueError, match=r"times must lie within the axes, from 0 to 1; got 500\. Leave it out"):
        shown.add_at_risk([0.0, 500.0])
    assert not shown.ax_.texts


def test_without_outcomes_nobody_can_be_counted(model, data):
    with pytest.raises(ValueError, match="y is needed to count subjects at risk; pass it to from_estimator"):
        SurvivalDisplay.from_estimator(model, data[0].iloc[:2]).add_at_risk()


def test_rows_with_the_same_label_are_told_apart(model, data):
    X = data[0].iloc[[0, 1]].set_axis(["a", "a"])
    assert list(SurvivalDisplay.from_estimator(model, X).predicted) == ["a (row 0)", "a (row 1)"]
    assert list(SurvivalDisplay.from_estimator(model, data[0].iloc[[5]]).predicted) == ["subject 5"]


def test_curves_that_cannot_be_drawn_are_refused(model, data):
    X, y = data
    with pytest.raises(ValueError, match="of must be one of"):
        SurvivalDisplay.from_estimator(model, X, of="density")
    with pytest.raises(ValueError, match="leave y out"):
        SurvivalDisplay.from_estimator(model, X, y, of="hazard")
    with pytest.raises(ValueError, match="groups must have one label for each of the 240 rows of X; got 2"):
        SurvivalDisplay.from_estimator(model, X, groups=["a", "b"])
    with pytest.raises(ValueError, match="groups must have at most 12 different labels, to be told apart; got 240"):
        SurvivalDisplay.from_estimator(model, X, groups=range(240))
    with pytest.raises(ValueError, match="y must have a row for each of the 10 rows of X; got 240"):
        SurvivalDisplay.from_estimator(model, X.iloc[:10], y, groups=["a"] * 10)
    with pytest.raises(ValueError, match="y must have one row for each subject"):
        SurvivalDisplay.from_estimator(model, X.iloc[:2], Surv.interval([1.0, 2.0], [2.0, 3.0]))
    with pytest.raises(TypeError, match="model must be a fitted FPBoost"):
        SurvivalDisplay.from_estimator("model", X)


# Heads


def test_heads_add_up_to_the_hazard(model, data):
    X = data[0].iloc[[7]]
    shown = HeadsDisplay.from_estimator(model, X, times=TIMES)
    hazard = model.predict_hazard_function(X, times=TIMES)[0]
    np.testing.assert_allclose(shown.frame().groupby("time")["value"].sum(), hazard)
    shares = model.head_contributions(X, TIMES).pivot_table(index="time", columns="head", values="share", sort=False)
    for head, part in shown.parts.items():
        np.testing.assert_allclose(part, shares[head].to_numpy() * hazard)
    assert any(text.get_text().startswith("hazard") for text in shown.figure_.legends[0].get_texts())


def test_heads_of_causes(competing):
    X, _, model = competing
    one = X.iloc[[3]]
    both = HeadsDisplay.from_estimator(model, one, times=TIMES)
    np.testing.assert_allclose(both.hazard, model.predict_hazard_function(one, times=TIMES)[0])
    assert {name.split(",")[0] for name in both.parts} == {"cause 1", "cause 2"}
    for cause in (1, 2):
        alone = HeadsDisplay.from_estimator(model, one, times=TIMES, cause=cause)
        np.testing.assert_allclose(alone.hazard, model.predict_hazard_function(one, times=TIMES, cause=cause)[0])
    with pytest.raises(ValueError, match="cause must be one of"):
        HeadsDisplay.from_estimator(model, one, cause=3)


def test_heads_with_negative_weights_are_stacked_downwards():
    times = np.array([1.0, 2.0])
    shown = HeadsDisplay(times, {"a": np.array([2.0, 3.0]), "b": np.array([-1.0, -0.5])}, {"a": "A", "b": "B"}).plot()
    np.testing.assert_allclose(shown.hazard, [1.0, 2.5])
    assert shown.ax_.get_ylim()[0] < -1.0
    assert shown.ax_.get_ylim()[1] > 3.0


def test_heads_of_a_model_with_negative_weights_add_up_where_the_hazard_is_positive(data):
    X, y = data
    settings = {"heads_activation": "identity", "init": "random", "n_estimators": 60, "learning_rate": 0.5}
    model = FPBoost(2, 2, **settings, random_state=2).fit(X, y)
    negative = model.predict_parameters(X).query("w < 0")["subject"].unique()
    assert len(negative) > 0
    for row in negative[:3]:
        one = X.iloc[[row]]
        hazard = model.predict_hazard_function(one, times=TIMES)[0]
        shown = HeadsDisplay.from_estimator(model, one, times=TIMES)
        np.testing.assert_allclose(shown.hazard, hazard, rtol=1e-9)
        assert min(part.min() for part in shown.parts.values()) < 0.0


def test_heads_of_several_subjects_are_refused(model, data):
    with pytest.raises(ValueError, match="X must have one row, that of the subject to draw; got 2"):
        HeadsDisplay.from_estimator(model, data[0].iloc[:2])


# History


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of a few rounds
def test_history_is_that_of_the_model(data):
    X, y = data
    settings = {"n_estimators": 6, "patience": 3, "stopping_metric": "concordance", "random_state": 0}
    model = FPBoost(**settings).fit(X, y, eval_set=(X, y))
    shown = HistoryDisplay.from_estimator(model)
    frame = shown.frame()
    for name, values in model.history_.items():
        part = frame[frame["name"] == name]
        np.testing.assert_allclose(part["value"], values)
        np.testing.assert_array_equal(part["round"], range(len(values)))
    assert [ax.get_ylabel() for ax in shown.ax_] == ["mean loss", "validation C-index"]
    with pytest.raises(ValueError, match="ax must have 2 axes"):
        shown.plot(plt.figure().add_subplot())


def test_ticks_are_at_whole_rounds():
    shown = HistoryDisplay({"training_loss": np.array([3.0, 2.0, 1.5])}).plot()
    shown.figure_.draw_without_rendering()
    assert (shown.ax_.get_xticks() % 1.0 == 0.0).all()
    ax = plt.figure().add_subplot(xscale="log")
    assert shown.plot(ax).ax_.get_xscale() == "log"


# Calibration and scores


def test_calibration_is_that_of_the_metrics(model, data):
    X, y = data
    shown = CalibrationDisplay.from_estimator(model, X, y, time=0.8, n_bins=4)
    expected = metrics.calibration_curve(y, model.predict_survival_function(X, times=0.8)[:, 0], 0.8, n_bins=4)
    for name, values in expected._asdict().items():
        np.testing.assert_allclose(shown.frame()[name], values)
    assert shown.ax_.get_xlabel() == "predicted survival at time 0.8"
    assert CalibrationDisplay.from_estimator(model, X, y).time == model.model_.horizon


def test_calibration_of_a_cause(competing):
    X, y, model = competing
    shown = CalibrationDisplay.from_estimator(model, X, y, time=0.8, n_bins=3, cause=2)
    predicted = model.predict_cumulative_incidence_function(X, times=0.8, cause=2)[:, 0]
    expected = metrics.calibration_curve(y, predicted, 0.8, n_bins=3, cause=2)
    np.testing.assert_allclose(shown.frame()["observed"], expected.observed)
    assert shown.ax_.get_ylabel() == "observed incidence"


def test_d_calibration_is_conditional_on_entry(model, data):
    X, (event, time) = data
    y = Surv.right(event > 0, time, entry=0.4 * time)
    frame = DCalibrationDisplay.from_estimator(model, X, y, n_bins=5).frame()
    curves = model.predict_survival_function(X)
    at_event = [curve(t) / curve(0.4 * t) for curve, t in zip(curves, time, strict=True)]
    expected = metrics.d_calibration(y, at_event, n_bins=5)
    np.testing.assert_allclose(frame["count"], expected.counts)
    np.testing.assert_allclose(frame["share"].sum(), 1.0)
    with pytest.raises(ValueError, match="y must have a row for each of the 5 rows of X; got 240"):
        DCalibrationDisplay.from_estimator(model, X.iloc[:5], y)


def test_scores_are_those_of_the_metrics(model, data):
    X, y = data
    half = tuple(part[::2] for part in y)
    frame = (
        ScoresDisplay.from_estimator(model, X, y, half, times=TIMES)
        .frame()
        .pivot_table(index="time", columns="score", values="value")
    )
    survival = model.predict_survival_function(X, times=TIMES)
    np.testing.assert_allclose(frame["brier"], metrics.brier_score(half, y, survival, TIMES))
    np.testing.assert_allclose(frame["auc"], metrics.cumulative_dynamic_auc(half, y, 1.0 - survival, TIMES)[0])
    same = KaplanMeierFitter().fit(half[1], half[0]).predict(TIMES).to_numpy()
    everybody = np.tile(same, (len(X), 1))
    np.testing.assert_allclose(frame["reference"], metrics.brier_score(half, y, everybody, TIMES))


def test_scores_of_a_cause(competing):
    X, y, model = competing
    shown = ScoresDisplay.from_estimator(model, X, y, times=TIMES, cause=1)
    incidence = model.predict_cumulative_incidence_function(X, times=TIMES, cause=1)
    np.testing.assert_allclose(shown.brier, metrics.brier_score(y, y, incidence, TIMES, cause=1))
    np.testing.assert_allclose(shown.auc, metrics.cumulative_dynamic_auc(y, y, incidence, TIMES, cause=1)[0])
    assert shown.ax_[0].get_legend_handles_labels()[1] == ["model", "Aalen-Johansen, or chance"]


def test_scores_with_delayed_entry_are_refused(model, data):
    X, (event, time) = data
    with pytest.raises(ValueError, match="y must be without delayed entry"):
        ScoresDisplay.from_estimator(model, X, Surv.right(event > 0, time, entry=0.5 * time))


@pytest.mark.parametrize("cause", [None, 2])
def test_the_roc_curve_is_that_of_the_metric(cause, competing):
    X, y, model = competing
    entry = np.where(np.arange(len(X)) % 3 == 0, 0.05 * y[1], 0.0)
    test, train = Surv.right(*y, entry=entry), tuple(part[::2] for part in y)
    shown = RocDisplay.from_estimator(model, X, test, train, time=0.6, cause=cause)
    if cause is None:
        risk = 1.0 - model.predict_survival_function(X, times=[0.6])[:, 0]
    else:
        risk = model.predict_cumulative_incidence_function(X, times=[0.6], cause=2)[:, 0]
    expected = metrics.cumulative_dynamic_roc(train, test, risk, 0.6, cause=cause)
    for name in ("threshold", "false_positive", "true_positive"):
        np.testing.assert_allclose(shown.frame()[name], getattr(expected, name))
    assert shown.curve.auc == metrics.cumulative_dynamic_auc(train, test, risk, 0.6, cause=cause)[0][0]
    assert shown.ax_.get_legend_handles_labels()[1] == ["chance", f"time 0.6: AUC {expected.auc:.2f}"]


def test_the_roc_curve_is_at_the_time_of_the_risk_by_default(model, data):
    X, y = data
    shown, asked = (RocDisplay.from_estimator(model, X, y, time=time) for time in (None, model.model_.horizon))
    pd.testing.assert_frame_equal(shown.frame(), asked.frame())
    assert shown.time == model.model_.horizon


# Explanations


def test_importances_are_sorted_and_the_largest_are_drawn(model, data):
    X = data[0]
    shown = ImportanceDisplay.from_estimator(model, X, of="level", most=2)
    expected = explain.importance(model, X).set_index("feature")["level"].sort_values(ascending=False)
    frame = shown.frame()
    assert frame["feature"].tolist() == expected.index.tolist()
    np.testing.assert_allclose(frame["importance"], expected)
    assert [label.get_text() for label in shown.ax_.get_yticklabels()] == expected.index[:2].tolist()
    assert shown.ax_.yaxis_inverted()


def test_importances_that_do_not_exist_are_refused(model, data):
    with pytest.raises(ValueError, match="of must be one of 'overall', 'level'"):
        ImportanceDisplay.from_estimator(model, data[0], of="risk")
    with pytest.raises(ValueError, match=r"of must be one of 'overall', 'level'.*; got \['level'\]"):
        ImportanceDisplay.from_estimator(model, data[0], of=["level"])
    with pytest.raises(ValueError, match="most must be a whole number from 1 on; got 0"):
        ImportanceDisplay.from_estimator(model, data[0], most=0)
    alone = FPBoost.paper(weibull_heads=1, loglogistic_heads=0, n_estimators=2, random_state=0)
    X, y = data[0][["age", "dose"]].to_numpy(), data[1]
    with pytest.raises(ValueError, match="of: the model has no level scores"):
        ImportanceDisplay.from_estimator(alone.fit(X, y), X, of="level")


@pytest.mark.parametrize(
    ("feature", "of"), [("age", "survival"), ("sex", "survival"), (1, "rmst"), (["dose"], "median")]
)
def test_dependence_on_one_feature(feature, of, model, data):
    X = data[0].iloc[:40]
    time = None if of == "median" else 0.7
    shown = DependenceDisplay.from_estimator(model, X, feature, of, time, grid=5)
    expected = explain.partial_dependence(model, X, feature, of, time, grid=5)
    name = expected.columns[0]
    assert shown.frame()[name].tolist() == expected[name].tolist()
    np.testing.assert_allclose(shown.frame()["value"], expected["value"])
    single = explain.partial_dependence(model, X, feature, of, time, grid=5, individual=True)
    of_last = single[single["subject"] == 39]["value"]
    np.testing.assert_allclose(shown.individual[-1], of_last)
    assert shown.ax_.get_xlabel() == name


@pytest.mark.parametrize("second", ["dose", "sex"])
def test_dependence_on_two_features(second, model, data):
    X = data[0].iloc[:40]
    shown = DependenceDisplay.from_estimator(model, X, ["age", second], time=0.7, grid=5)
    expected = explain.partial_dependence(model, X, ["age", second], times=0.7, grid=5)
    pd.testing.assert_frame_equal(shown.frame(), expected[["age", second, "value"]])
    labels = [text.get_text() for text in shown.figure_.legends[0].get_texts()]
    assert all(label.startswith(f"{second} = ") for label in labels)
    assert len(labels) == (2 if second == "sex" else 4)
    assert shown.individual is None


def test_dependence_that_cannot_be_drawn_is_refused(model, data):
    with pytest.raises(ValueError, match="of must be one of 'survival'"):
        DependenceDisplay.from_estimator(model, data[0], "age", of="k")
    with pytest.raises(ValueError, match="time must be a single time; got 2"):
        DependenceDisplay.from_estimator(model, data[0], "age", time=[1.0, 2.0])


@pytest.mark.parametrize(("feature", "grid", "of"), [("age", 6, "rmst"), ("sex", ["male", "female"], "median")])
def test_accumulated_effects_are_those_of_the_explanation(feature, grid, of, model, data):
    shown = AccumulatedEffectsDisplay.from_estimator(model, data[0], feature, of, grid=grid)
    expected = explain.accumulated_effects(model, data[0], feature, of, grid=grid)
    pd.testing.assert_frame_equal(shown.frame(), expected[[feature, "value"]])
    assert shown.ax_.get_ylabel().startswith("change of the\nme")
    (line,) = [line for line in shown.ax_.lines if len(line.get_xdata()) == len(expected)][-1:]
    np.testing.assert_allclose(line.get_ydata(), expected["value"])


# Residuals


@pytest.mark.parametrize("cause", [None, 2])
@pytest.mark.parametrize("kind", ["cox_snell", "martingale", "deviance"])
def test_residuals_count_hazards_of_the_cause_since_entry(kind, cause, competing):
    X, (event, time), model = competing
    entry = np.where(np.arange(len(time)) % 3 == 0, 0.5 * time, 0.0)
    y = Surv.right(event, time, entry=entry)
    shown = ResidualsDisplay.from_estimator(model, X, y, kind, cause=cause)
    steps = np.linspace(0.0, 1.0, 4001)[1:] ** 2
    hazard = np.empty(len(time))
    for row in range(len(time)):
        at = entry[row] + (time[row] - entry[row]) * steps
        values = model.predict_hazard_function(X.iloc[[row]], times=at, cause=cause)[0]
        hazard[row] = trapezoid(values, at)
    expected = getattr(metrics.residuals(y, hazard, cause=cause), kind)
    np.testing.assert_allclose(shown.residuals, expected, rtol=0.02, atol=0.01)
    assert shown.frame()["event"].tolist() == (event > 0 if cause is None else event == cause).tolist()


def test_cox_snell_residuals_have_the_cumulative_hazard_of_kaplan_meier(model, data):
    shown = ResidualsDisplay.from_estimator(model, *data)
    frame = shown.frame()
    fitter = KaplanMeierFitter().fit(frame["residual"], frame["event"])
    survival = np.exp(-frame["cumulative_hazard"]).fillna(0.0)
    np.testing.assert_allclose(survival, fitter.predict(frame["residual"]), atol=1e-9)
    inside = frame.dropna()
    assert (inside["low"] <= inside["cumulative_hazard"]).all()
    assert (inside["cumulative_hazard"] <= inside["high"]).all()


def test_the_interval_of_cox_snell_residuals_is_drawn_as_far_as_they_are():
    """The estimate before the last event holds until then, and so does its interval; at it, there is none."""
    shown = ResidualsDisplay(np.array([0.1, 0.5, 1.0, 3.0]), np.ones(4, dtype=bool), "cox_snell").plot()
    (band,) = shown.ax_.collections
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    assert (corners[:, 0].min(), corners[:, 0].max()) == (0.1, 3.0)
    last = shown.frame().iloc[2]
    np.testing.assert_allclose(np.unique(corners[corners[:, 0] == 3.0, 1]), [last["low"], last["high"]])


@pytest.mark.parametrize("against", [None, "age", "sex"])
def test_residuals_are_drawn_against_the_risk_or_a_feature(against, model, data):
    X, y = data
    X = X.assign(age=X["age"].where(np.arange(len(X)) > 4), sex=X["sex"].where(np.arange(len(X)) > 4))
    shown = ResidualsDisplay.from_estimator(model, X, y, "martingale", against)
    expected = model.predict(X) if against is None else X[against].astype(object).where(X[against].notna(), None)
    assert shown.ax_.get_xlabel() == (against or "risk")
    if against == "sex":
        assert shown.frame()["against"].tolist() == list(expected)
        means = pd.Series(shown.residuals).groupby(X["sex"].to_numpy(dtype=object)).mean()
        np.testing.assert_allclose(shown.ax_.lines[-1].get_ydata(), means.loc[["female", "male"]])
    else:
        np.testing.assert_allclose(shown.frame()["against"], np.array(expected, dtype=float))
        assert np.isfinite(shown.ax_.lines[-1].get_ydata()).all()


def test_the_smooth_line_follows_a_straight_one_and_survives_ties():
    x = np.sort(np.random.default_rng(0).exponential(size=300))
    at, line = smooth(x, 2.0 - 3.0 * x)
    np.testing.assert_allclose(line, 2.0 - 3.0 * at, atol=1e-9)
    at, line = smooth(np.repeat([0.0, 1.0], [90, 10]), np.repeat([5.0, 7.0], [90, 10]))
    np.testing.assert_allclose(line, [5.0, 7.0])


def test_the_smooth_line_is_a_regression_weighted_by_the_distance_to_the_nearer_half():
    rng = np.random.default_rng(0)
    x = rng.exponential(size=60)
    y = np.sin(x) + rng.normal(0.0, 0.1, 60)
    at, line = smooth(x, y)
    for value, height in zip(at[::10], line[::10], strict=True):
        distance = np.abs(x - value)
        near = np.minimum(distance / np.sort(distance)[29], 1.0)
        # The weights of polyfit are those of the residuals, which are squared.
        slope, intercept = np.polyfit(x, y, 1, w=(1.0 - near**3) ** 1.5)
        assert height == pytest.approx(intercept + slope * value)


def test_residuals_that_cannot_be_drawn_are_refused(model, data):
    with pytest.raises(ValueError, match="kind must be one of 'cox_snell', 'martingale', 'deviance'; got 'schoenfeld'"):
        ResidualsDisplay.from_estimator(model, *data, "schoenfeld")
    with pytest.raises(ValueError, match="against must be left out with kind='cox_snell'"):
        ResidualsDisplay.from_estimator(model, *data, against="age")
    with pytest.raises(
        ValueError, match="against must be given by name or position among the columns of X, such as 'age'"
    ):
        ResidualsDisplay.from_estimator(model, *data, "deviance", "height")
    with pytest.raises(ValueError, match="against must be given by name or position among the columns of X"):
        ResidualsDisplay.from_estimator(model, *data, "deviance", data[0]["age"].to_numpy())
    with pytest.raises(ValueError, match="y must have a row for each of the 9 rows of X; got 240"):
        ResidualsDisplay.from_estimator(model, data[0].iloc[:9], data[1])


def test_contributions_are_those_of_the_explanation(model, data):
    one = data[0].iloc[[3]]
    shown = ContributionsDisplay.from_estimator(model, one, times=TIMES, most=2)
    explained = explain.contributions(model, one, "survival", TIMES)
    pd.testing.assert_frame_equal(shown.frame(), explained.frame())
    curves = shown.curves()
    assert list(curves)[-1] == "2 others"
    np.testing.assert_allclose(sum(curves.values()), explained.prediction[0] - explained.base)
    sizes = explained.frame().groupby("feature")["value"].agg(lambda values: values.abs().max())
    assert next(iter(curves)) == sizes.idxmax()


def test_contributions_to_restricted_means_are_curves_over_their_limits(model, data):
    one = data[0].iloc[:1]
    shown = ContributionsDisplay.from_estimator(model, one, of="rmst")
    times = shown.explanation.times
    assert len(times) == 50
    gained = model.predict_rmst(one, float(times[-1]))[0] - shown.explanation.base[-1]
    np.testing.assert_allclose(sum(curve[-1] for curve in shown.curves().values()), gained)


@pytest.mark.parametrize("of", ["rmst", "cumulative_incidence", "cumulative_hazard"])
def test_labels_of_contributions_fit_into_a_column_of_print(of, model, data):
    with plt.rc_context({"figure.figsize": (3.3, 2.5)}):
        shown = ContributionsDisplay.from_estimator(model, data[0].iloc[:1], of=of)
    shown.figure_.draw_without_rendering()
    label, figure = shown.ax_.yaxis.label.get_window_extent(), shown.figure_.bbox
    assert figure.y0 <= label.y0
    assert label.y1 <= figure.y1


def test_one_other_feature_is_one(model, data):
    one = data[0].iloc[:1]
    assert list(ContributionsDisplay.from_estimator(model, one, times=TIMES, most=3).curves())[-1] == "1 other"


def test_contributions_that_cannot_be_drawn_are_refused(model, data):
    X = data[0]
    with pytest.raises(ValueError, match="of must be one of 'survival'"):
        ContributionsDisplay.from_estimator(model, X.iloc[:1], of="hazard")
    with pytest.raises(ValueError, match="X must have one row, that of the subject to draw; got 2"):
        ContributionsDisplay.from_estimator(model, X.iloc[:2], times=TIMES)
    with pytest.raises(ValueError, match="most must be a whole number"):
        ContributionsDisplay.from_estimator(model, X.iloc[:1], most=1.5)


# Parameters


def test_parameters_are_quantiles_over_subjects(model, data):
    X = data[0]
    frame = ParametersDisplay.from_estimator(model, X).frame().set_index(["parameter", "head"])
    table = model.predict_parameters(X)
    assert list(dict.fromkeys(frame.index.get_level_values(0))) == ["weight", "scale", "shape"]
    for head, part in table.groupby("head"):
        for name, column in (("weight", "w"), ("scale", "scale"), ("shape", "k")):
            expected = part[column].quantile([0.05, 0.25, 0.5, 0.75, 0.95])
            np.testing.assert_allclose(frame.loc[(name, head)].astype(float), expected)


def test_parameters_of_causes_and_of_heads_without_shape(competing):
    X, _, model = competing
    names = ParametersDisplay.from_estimator(model, X).distributions["weight"]
    assert {name.split(",")[0] for name in names} == {"cause 1", "cause 2"}
    time = np.random.default_rng(0).exponential(size=len(X))
    flat = FPBoost(0, 0, heads={"exponential": 1}, n_estimators=2, random_state=0).fit(X, (time > 0.0, time))
    shown = ParametersDisplay.from_estimator(flat, X)
    assert list(shown.distributions) == ["weight", "scale"]
    assert len(shown.ax_) == 2
