"""Flags are raised for planted defects, and for nothing else; ``python -m tests.report`` has default models."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from lifelines import KaplanMeierFitter
from scipy.stats import spearmanr

from hazboost import FPBoost, Surv
from hazboost.data.target import Target
from hazboost.metrics import concordance_index
from hazboost.report import find_flags, scores
from hazboost.report.flags import CHECKS, raise_flags
from hazboost.report.flags.events import few_events
from hazboost.report.flags.follow_up import short_follow_up
from hazboost.report.flags.leaks import _alike
from hazboost.report.flags.likeness import _distance
from hazboost.report.flags.performance import correlated_features, expected_concordance
from hazboost.report.judged import read_judged
from tests.report.study import CLEAN, PLANTED, flags_of, simulate, split

#: Flags that are due as well: what follows from the defect.
ALSO = {
    "leak": {"informative_follow_up", "worse_groups"},
    "shared_subjects": {"repeated_rows"},
    "few_events": {"few_test_events", "optimism", "useless", "behind_cox"},
    "categories_without_events": {"informative_follow_up", "worse_groups"},
    "outside_range": {"drift", "poor_calibration", "useless", "behind_cox"},
    "worse_groups": {"poor_calibration"},
    "poor_calibration": {"outcome_drift", "short_follow_up", "useless", "behind_cox"},
    "drift": {"outcome_drift"},
    "beyond_follow_up": {"poor_calibration", "outcome_drift"},
}


@pytest.fixture(autouse=True)
def few_samples(monkeypatch):
    monkeypatch.setattr(scores, "SAMPLES", 15)


@pytest.mark.parametrize("name", PLANTED)
def test_planted_defects_are_flagged(name):
    expected, plant = PLANTED[name]
    found = {flag.name for flag in flags_of(plant(0), n_estimators=15, max_depth=2)}
    assert expected in found
    assert found <= {expected} | ALSO.get(expected, set())


@pytest.mark.parametrize("name", ["GBSG2", "simulated, missing values"])
def test_clean_data_raise_no_flag(name):
    assert flags_of(split(*CLEAN[name](0), 0), n_estimators=15, max_depth=2) == []


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # of a model that has been told the times
def test_flags_say_what_where_and_what_to_do():
    X, y = simulate(0, n=400)
    X = X.assign(days=y["time"] * 365.25)
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:250], y[:250])
    flag = find_flags(model, X[250:], y[250:])[0]
    assert (flag.name, flag.severity) == ("leak", "serious")
    assert flag.details[0][0] == "days"
    assert "1.00" in flag.details[0][1]
    assert str(flag).startswith("serious: A feature that alone predicts the outcome.")
    assert "leave it out" in flag.advice


def checked(judged):
    """Names of flags, and titles of what was and what was not checked."""
    flags, passed, unchecked = raise_flags(judged)
    return {flag.name for flag in flags}, {check.title for check in passed}, {one.title for one in unchecked}


def test_a_score_without_a_number_is_not_checked(monkeypatch):
    data = split(*simulate(0, n=300), 0)
    model = FPBoost(n_estimators=5, random_state=0).fit(data.X_train, data.y_train)
    about_scores = {"Not better than without features", "A Cox regression predicts better"}
    judged = [read_judged(model, data.X_test, data.y_test, data.X_train, data.y_train) for _ in range(2)]
    assert about_scores <= checked(judged[0])[1]
    monkeypatch.setattr(scores, "integrated_brier_score", lambda *_, **__: np.nan)
    flags, passed, unchecked = checked(judged[1])
    assert not flags & {"useless", "behind_cox"}
    assert not passed & about_scores
    assert about_scores <= unchecked


TITLES = {check.name: check.title for check in CHECKS}


def test_with_intervals_in_training_what_needs_times_is_not_checked():
    X, y = simulate(0, n=300)
    periods = Surv.interval(y["time"], np.where(y["event"], y["time"] + 0.5, np.inf))
    model = FPBoost(n_estimators=5, random_state=0).fit(X, periods)
    _, passed, unchecked = checked(read_judged(model, X[:100], y[:100], X, periods))
    assert {TITLES[name] for name in ("optimism", "outcome_drift", "poor_fit")} <= unchecked - passed


def test_without_comparable_pairs_optimism_is_not_checked():
    """The only event of the evaluation comes last."""
    X, y = simulate(0, n=300)
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:240], y[:240])
    late = Surv.right(np.arange(60) == 59, np.linspace(0.1, 5.0, 60))
    flags, passed, unchecked = checked(read_judged(model, X[240:], late, X[:240], y[:240]))
    assert "optimism" not in flags
    assert TITLES["optimism"] in unchecked - passed


def test_checks_have_names_of_their_own():
    assert len({check.name for check in CHECKS}) == len({check.title for check in CHECKS}) == len(CHECKS)
    assert all(check.advice.endswith(".") for check in CHECKS)


@pytest.mark.parametrize("values", ["continuous", "mostly zero"])
def test_distance_of_distributions_needs_quantiles_only(values):
    rng = np.random.default_rng(0)
    train, test, moved = (rng.normal(shift, 1.0, 3000) for shift in (0.0, 0.0, 1.0))
    if values == "mostly zero":
        train, test, moved = (np.maximum(one, 0.5) for one in (train, test, moved))
    quantiles = np.quantile(train, [0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0])
    assert _distance(test, quantiles) < 0.05
    assert _distance(moved, quantiles) > 0.3


@pytest.mark.filterwarnings("ignore:X. column .* are not in the training data")
def test_unknown_categories_are_outside_of_the_range():
    X, y = simulate(0, n=600)
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:400], y[:400])
    other = X[400:].assign(stage=pd.Categorical(["IV"] * 40 + X["stage"][440:].tolist()))
    found = {flag.name: flag for flag in find_flags(model, other, y[400:])}
    assert "categories that training did not have" in found["outside_range"].details[0][1]


def test_a_column_without_any_value_has_no_unknown_categories():
    X, y = simulate(0, n=600)
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:400], y[:400])
    found = find_flags(model, X[400:].assign(stage=None), y[400:])
    assert "categories that training did not have" not in str([flag.details for flag in found])


def test_short_follow_up_of_the_evaluation():
    X, y = simulate(0, n=800)
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:500], y[:500])
    end = 0.3 * model.model_.horizon
    early = Surv.right(y["event"][500:] & (y["time"][500:] <= end), np.minimum(y["time"][500:], end))
    assert "short_follow_up" in {flag.name for flag in find_flags(model, X[500:], early)}


def test_follow_up_that_counts_from_entry_is_not_short():
    """Hardly anybody would be followed from 40 to 80, but scores judge those who entered late enough."""
    rng = np.random.default_rng(0)
    X, entry = rng.normal(size=(3000, 1)), rng.uniform(40.0, 80.0, 3000)
    age = 80.0 * (rng.exponential(size=3000) * np.exp(-0.7 * X[:, 0])) ** 0.2
    end, kept = entry + rng.uniform(2.0, 10.0, 3000), entry < age
    X, y = X[kept], Surv.right((age <= end)[kept], np.minimum(age, end)[kept], entry=entry[kept])
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:1000], y[:1000])
    assert "short_follow_up" not in {flag.name for flag in find_flags(model, X[1000:], y[1000:])}


def test_features_without_meaning_are_useless():
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(600, 3)), rng.exponential(size=600)
    y = Surv.right(time < 1.5, np.minimum(time, 1.5))
    model = FPBoost.paper(n_estimators=60, random_state=0).fit(X[:300], y[:300])
    assert "useless" in {flag.name for flag in find_flags(model, X[300:], y[300:])}


def overfitted():
    """A model that has learned its training rows by heart, and these."""
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(400, 8)), rng.weibull(1.5, 400)
    y = Surv.right(np.ones(400), time * np.exp(-0.8 * X[:, 0]))
    steps = {"learning_rate": 0.5, "min_child_weight": 0.0, "reg_lambda": 0.0}
    model = FPBoost(init="marginal", n_estimators=60, max_depth=6, random_state=0, **steps).fit(X[:200], y[:200])
    return model, X, y


def test_a_model_that_knows_its_training_rows_by_heart():
    model, X, y = overfitted()
    found = {flag.name: flag for flag in find_flags(model, X[200:], y[200:], X[:200], y[:200])}
    inside, outside = model.score(X[:200], y[:200]), model.score(X[200:], y[200:])
    assert f"is {inside:.2f} in training and {outside:.2f} in the evaluation" in found["optimism"].evidence
    assert "of Cox" in found["behind_cox"].details[0][1]  # which has the right form


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # which the flag is about
def test_a_constant_hazard_does_not_fit_lifetimes_that_are_alike():
    X, time = np.random.default_rng(0).normal(size=(400, 2)), np.random.default_rng(1).weibull(5.0, 400)
    flat = FPBoost(0, 0, heads={"exponential": 1}, init="marginal", n_estimators=2, random_state=0)
    y = Surv.right(np.ones(400), time)
    assert "poor_fit" in {flag.name for flag in find_flags(flat.fit(X, y), X, y)}


@pytest.fixture(scope="module")
def evaluated():
    """A model, and rows for which no flag is raised."""
    X, y = simulate(0, n=900)
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:500], y[:500])
    return model, X[500:].reset_index(drop=True), y[500:]


def findings(model, X, y):
    return {flag.name: flag for flag in find_flags(model, X, y)}


def test_features_that_are_mostly_missing(evaluated):
    model, X, y = evaluated
    assert findings(model, X, y) == {}
    gaps = X.assign(pressure=X["pressure"].where(np.arange(400) % 5 < 2), age=X["age"].where(np.arange(400) % 10 > 0))
    assert findings(model, gaps, y)["much_missing"].details == (("pressure", "60\N{NO-BREAK SPACE}% missing"),)


def test_copies_of_rows(evaluated):
    model, X, y = evaluated
    rows = np.r_[:400, :40]
    assert findings(model, X.iloc[rows], y[rows])["repeated_rows"].evidence.startswith("40 rows of the evaluation")


@pytest.mark.parametrize(("events", "severity"), [(9, "serious"), (29, "caution"), (30, None)])
def test_few_events_in_the_evaluation(evaluated, events, severity):
    model, X, y = evaluated
    rows = np.r_[np.flatnonzero(y["event"])[:events], np.flatnonzero(~y["event"])]
    found = findings(model, X.iloc[rows], y[rows]).get("few_test_events")
    assert (found and found.severity) == severity


def test_events_that_are_more_frequent_than_in_training(evaluated):
    model, X, y = evaluated
    sooner = Surv.right(y["event"], 0.4 * y["time"])
    ((place, text),) = findings(model, X, sooner)["outcome_drift"].details
    now = KaplanMeierFitter().fit(sooner["time"], sooner["event"])
    assert place == "event"
    at = float(re.search(r"until time ([\d.]+),", text)[1])
    assert text.startswith(f"{100.0 * (1.0 - now.predict(at)):.0f}\N{NO-BREAK SPACE}% until")


def correlated(X):
    evidence = SimpleNamespace(names=list("abc"), categories={}, test=SimpleNamespace(encoded=X))
    finding = correlated_features(evidence)
    return [] if finding is None else [pair for pair, _ in finding.details]


def test_features_that_say_the_same_are_found_in_either_direction_and_with_ties():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    sex = np.where(rng.random(500) < 0.5, 1.0, 0.0)
    assert correlated(np.column_stack([x, rng.normal(size=500), -np.exp(x)])) == ["a, c"]
    assert correlated(np.column_stack([sex, x, 1.0 - sex])) == ["a, c"]


def test_features_that_are_mostly_zero_do_not_say_the_same():
    rare = np.random.default_rng(0).random((1000, 3)) < 0.005
    assert np.abs(spearmanr(rare.astype(float)).statistic - np.eye(3)).max() < 0.1
    assert correlated(rare.astype(float)) == []


def test_categories_that_are_more_frequent_than_in_training(evaluated):
    model, X, y = evaluated
    third = pd.Categorical(["III"] * len(X), categories=X["stage"].cat.categories)
    (_, text), *_ = (one for one in findings(model, X.assign(stage=third), y)["drift"].details if one[0] == "stage")
    counts = model.cohort_.features[4].counts
    assert text.startswith(f"distance of the distributions {1.0 - counts[2] / counts.sum():.2f}")


def test_a_group_whose_events_come_earlier_than_expected(evaluated):
    model, X, y = evaluated
    men = (X["sex"] == "male").to_numpy()
    sooner = Surv.right(y["event"], np.where(men, 0.3, 1.0) * y["time"])
    details = [text for place, text in findings(model, X, sooner)["worse_groups"].details if place == "sex = male"]
    curves = model.predict_cumulative_hazard_function(X)
    expected = np.array([curve(time) for curve, time in zip(curves, sooner["time"], strict=True)])
    ratio = [sooner["event"][rows].sum() / expected[rows].sum() for rows in (men, ~men)]
    assert details == [f"{ratio[0]:.2f} times as many events as expected, and {ratio[1]:.2f} times for all others"]


@pytest.mark.parametrize(("events", "found"), [(40, "4.0\N{NO-BREAK SPACE}% of the subjects"), (60, None)])
def test_an_evaluation_that_rests_on_few_subjects(events, found):
    """All others are censored before the last time, at which nobody else is left."""
    time = np.repeat([1.0, 5.0], [1000 - events, events])
    target = Target.of(time, np.where(time > 1.0, time, np.inf))
    model = SimpleNamespace(model_=SimpleNamespace(horizon=5.0))
    evidence = SimpleNamespace(judged=SimpleNamespace(target=target), grid=np.array([1.0, 5.0]), model=model)
    finding = short_follow_up(evidence)
    assert finding is None if found is None else found in finding.evidence


def test_expected_concordance_is_that_of_proportional_hazards():
    rng = np.random.default_rng(0)
    level = rng.normal(0.0, 0.7, 500)
    draws = [concordance_index((np.ones(500), rng.exponential(np.exp(-level))), level) for _ in range(40)]
    assert expected_concordance(level) == pytest.approx(np.mean(draws), abs=0.005)


def test_rows_of_equal_features_are_the_same_subjects_unless_that_is_chance():
    rng = np.random.default_rng(0)
    train, test = rng.normal(size=(200, 3)), rng.normal(size=(100, 3))
    test[40:45] = train[:5]
    np.testing.assert_array_equal(np.flatnonzero(_alike(train, test)), range(40, 45))
    assert np.isin(np.sign(test), np.sign(train)).all()
    assert not _alike(np.sign(train), np.sign(test)).any()


@pytest.mark.parametrize(("events", "severity"), [(23.0, "serious"), (59.0, "caution"), (60.0, None)])
def test_a_feature_of_k_categories_has_one_column_less(events, severity):
    evidence = SimpleNamespace(
        names=list("abc"), sizes={2: 11}, cohort=SimpleNamespace(events=np.array([100.0, events])), causes=[1, 2]
    )
    finding = few_events(evidence)
    assert (finding and finding.severity) == severity
    assert finding is None or f"{events:.0f} events of the rarest cause in training for 12 columns" in finding.evidence
