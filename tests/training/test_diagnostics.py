"""Diagnostics: closed forms, the likelihood equation, fits that are known to be poor, and good ones without a word."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hazboost import FPBoost, Surv
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.distribution import Distribution
from hazboost.training.advice import advise_on_fit, describe_poor_fit
from hazboost.training.diagnostics import MOST_SUBJECTS, count_events, describe, expected_hazard, largest_gap

QUICK = {"init": "marginal", "n_estimators": 5, "random_state": 0}
POOR = "the fitted curves are poor"


@pytest.fixture(scope="session")
def constant(make_mixture):
    """Subjects with given constant hazards: ``constant([0.5, 2.0])``."""

    def distribution(rates):
        scores = np.log(np.asarray(rates, dtype=float))[:, None]
        return Distribution(make_mixture({"exponential": 1}, "exp", "uniform"), scores)

    return distribution


def rows(*observed, entry=None, weight=None):
    """Rows ``(lower, upper)``."""
    lower, upper = np.array(observed, dtype=float).T
    return Target.of(lower, upper, weight, entry=entry)


def test_events_of_every_kind_of_row(constant):
    target = rows((1, 1), (2, np.inf), (3, 3), (1, 3), entry=np.array([0, 0, 1, 0.5]), weight=np.array([1.0, 2, 1, 3]))
    observed, expected = count_events(constant([0.5, 0.5, 0.2, 0.4]), target)
    assert expected == pytest.approx(0.5 + 2 * 1.0 + 0.2 * 2 + 3 * 0.4 * 0.5)
    assert observed == pytest.approx(1 + 1 + 3 * 0.8 / np.expm1(0.8))


def test_intervals_without_or_with_all_of_the_hazard(constant):
    observed, _ = count_events(constant([1e-300, 1e5]), rows((1, 2), (1, 2)))
    assert observed == pytest.approx(1.0)


def test_equal_hazards_are_expected_however_subjects_come_and_go(constant):
    rng = np.random.default_rng(0)
    lower = rng.exponential(2.0, 100)
    target = rows(*zip(lower, np.where(rng.random(100) < 0.5, lower, np.inf), strict=True), entry=0.5 * lower)
    edges = np.array([0.2, 0.5, 1.0, 2.0])
    hazard, variance = expected_hazard(constant(np.full(100, 0.7)), target, edges)
    np.testing.assert_allclose(hazard, 0.7 * (edges[1:] - 0.2))
    assert (variance > 0.0).all()


def test_kaplan_meier_is_counted_from_when_enough_are_at_risk(constant):
    """The first event is that of the only subject at risk: Kaplan-Meier from time zero on is zero ever after."""
    later = 0.1 - np.log((np.arange(400) + 0.5) / 400)
    lower = np.r_[0.1, later]
    target = rows(*zip(lower, lower, strict=True), entry=np.r_[0.0, np.full(400, 0.1)])
    gap = largest_gap(constant(np.ones(401)), target)
    assert gap.error < 0.03
    assert gap.observed > 0.0
    assert largest_gap(constant(np.full(401, 2.0)), target).error == pytest.approx(0.25, abs=0.03)


def test_the_expected_hazard_is_that_of_those_at_risk(constant):
    """Until 1 two subjects with hazards of 1 and 3 are at risk, then the second alone: 2 until 1, 3 from there on."""
    target = rows((1, np.inf), (4, np.inf))
    hazard, variance = expected_hazard(constant([1.0, 3.0]), target, np.array([0.0, 1.0, 2.0, 4.0]))
    np.testing.assert_allclose(hazard, [2.0, 5.0, 11.0])
    np.testing.assert_allclose(variance, [2.0 / 2.0, 1.0 + 3.0, 4.0 + 6.0])


@pytest.mark.parametrize("weight", [1.0, 5.0])
@pytest.mark.parametrize(
    ("survival", "error"), [(0.8, 0.0), (1.0, 0.0), (0.75, 0.05), (0.5, 0.3)], ids=["end", "start", "below", "far"]
)
def test_within_a_jump_there_is_no_error(constant, weight, survival, error):
    """Of 100 subjects 20 have the event at time 1, and 80 are censored then: Kaplan-Meier jumps from 1 to 0.8."""
    target = rows(*[(1, 1)] * 20, *[(1, np.inf)] * 80, weight=np.full(100, weight))
    gap = largest_gap(constant(np.full(100, max(-np.log(survival), 1e-12))), target)
    assert gap.error == pytest.approx(error, abs=1e-9)
    assert (gap.time, gap.expected) == (1.0, pytest.approx(survival))
    assert gap.standard_error == pytest.approx(np.sqrt(max(0.2, -np.log(survival)) / 100))


@pytest.fixture
def described(constant):
    """Subjects and their distributions, by log-hazards of a model and of two folds that have not seen them, if any."""

    def by(time, log_hazard, unseen=None):
        sample = Sample(log_hazard[:, None], Target.of(time, time))  # of which the model has nothing but the scores
        model = SimpleNamespace(mixture=constant([1.0]).mixture, scores=lambda X, _: X)
        plan = SimpleNamespace(search=SimpleNamespace(seed=0), objective=SimpleNamespace(n_threads=1))
        halves = [] if unseen is None else np.array_split(np.arange(len(time)), 2)
        return describe(plan, model, sample, [(sample.rows(rows), unseen[rows, None]) for rows in halves])

    return by


def gap_of(described):
    target, distribution = described
    return largest_gap(distribution, target).error


def test_subjects_are_described_by_models_that_have_not_seen_them(described):
    """All have a hazard of one. A model that has learned their times by heart expects a curve that is too high."""
    time = np.random.default_rng(0).exponential(size=2_000)
    known = -0.5 * np.log(time)
    known -= np.log(np.mean(np.exp(known) * time))  # as many events are expected as there are
    assert gap_of(described(time, known)) > 0.05
    assert gap_of(described(time, known, np.zeros(2_000))) < 0.02
    assert gap_of(described(time, known, np.full(2_000, np.log(3.0)))) > 0.2


def test_one_who_outlives_a_prediction_does_not_decide(described):
    time, unseen = np.random.default_rng(2).exponential(size=500), np.zeros(500)
    time[0], unseen[0] = 2.0, 10.0
    observed, expected = count_events(*described(time, unseen, unseen)[::-1])
    assert observed == 499.0
    assert expected == pytest.approx(observed, rel=0.15)


def test_survival_that_keeps_falling_after_the_last_event_is_an_error(constant):
    """Half of the subjects are cured, and are followed until 20."""
    time = np.linspace(0.01, 1.0, 100)
    target = rows(*zip(time, time, strict=True), *[(20, np.inf)] * 100)
    gap = largest_gap(constant(np.full(200, 0.7)), target)
    assert gap.time == 20.0
    assert gap.observed == pytest.approx(0.5)
    assert gap.expected == pytest.approx(np.exp(-14.0), abs=1e-5)


def test_what_cannot_be_compared_is_not_a_number(constant):
    few = largest_gap(constant(np.ones(9)), rows(*[(t, t) for t in range(1, 10)]))
    interval = largest_gap(constant(np.ones(20)), rows(*[(t, t + 1) for t in range(20)]))
    recurrent = Target.of(np.arange(1.0, 41.0), np.arange(1.0, 41.0), subject=np.arange(40) // 2)
    for gap in (few, interval, largest_gap(constant(np.ones(40)), recurrent)):
        assert np.isnan(gap).all()


def simulate(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, rng.weibull(1.5, n) * np.exp(-0.7 * X[:, 0]), rng


def every_kind():
    X, time, rng = simulate()
    censoring = rng.exponential(2.0, len(time))
    event, seen = time <= censoring, np.minimum(time, censoring)
    entry = 0.5 * seen
    grid = np.ceil(5.0 * time) / 5.0
    return {
        "right": (X, Surv.right(event, seen)),
        "entry": (X, Surv.right(event, seen, entry=entry)),
        "interval": (X, Surv.interval(np.where(event, grid - 0.2, seen), np.where(event, grid, np.inf))),
        "causes": (X, Surv.right(event * rng.integers(1, 3, len(time)), seen)),
        "rows": (
            np.r_[X, X],
            Surv.counting(np.r_[0 * entry, entry], np.r_[entry, seen], np.r_[0 * event, event], id=np.r_[:400, :400]),
        ),
    }


@pytest.mark.parametrize(("kind", "data"), every_kind().items(), ids=every_kind())
def test_expected_and_observed_events_agree_for_every_kind_of_data(kind, data):
    """This is the likelihood equation of the level."""
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = FPBoost(init="marginal", n_estimators=1, learning_rate=1e-9, random_state=0).fit(X, y).diagnostics_
    assert found["expected_events"] == pytest.approx(found["observed_events"], rel=1e-2)
    assert np.isnan(found["survival_error"]) == (kind == "interval")
    assert not found["survival_error"] > 0.05


def test_splitting_a_subject_into_rows_changes_nothing():
    kinds = every_kind()
    found = [FPBoost(**{**QUICK, "subsample": 1.0}).fit(*kinds[kind]).diagnostics_ for kind in ("right", "rows")]
    for name in ("observed_events", "expected_events", "survival_error", "survival_error_time"):
        assert found[1][name] == pytest.approx(found[0][name], rel=1e-3)


def outlier(time):
    return np.r_[time, 2800.0], np.r_[np.ones(len(time), dtype=bool), False]


def poor_data():
    rng = np.random.default_rng(0)
    narrow, waves = rng.normal(280.0, 0.5, 300), np.r_[rng.normal(20.0, 2.0, 150), rng.normal(80.0, 5.0, 150)]
    all_seen = np.ones(300, dtype=bool)
    return {
        "bimodal": (all_seen, waves),
        "normal": (all_seen, narrow),
        "normal and an outlier": outlier(narrow)[::-1],
    }


@pytest.mark.parametrize(("event", "time"), poor_data().values(), ids=poor_data())
def test_poor_curves_are_noticed(event, time):
    """And the numbers are right: with everybody observed, they are those of the mean predicted survival."""
    X = np.random.default_rng(1).normal(size=(len(time), 2))
    with pytest.warns(ConvergenceWarning, match=POOR) as caught:
        model = FPBoost(**QUICK, heads=None).fit(X, Surv.right(event, time))
    assert [one.filename for one in caught] == [__file__]
    found = model.diagnostics_
    at = found["survival_error_time"]
    mean, km = model.predict_survival_function(X, times=[at]).mean(), np.mean(time > at)
    assert found["expected_survival"] == pytest.approx(mean, abs=0.02)
    assert found["kaplan_meier"] == pytest.approx(km, abs=1.0 / len(time) + 1e-9)
    assert found["survival_error"] > 0.1
    for number in (f"at time {at:.4g} ", f"median event time {np.quantile(time[event], 0.5, method='lower'):.4g}"):
        assert number in str(caught[0].message)
    assert f"longest follow-up {time.max():.4g}" in str(caught[0].message)


@pytest.mark.parametrize("heads", [{"bounded": 2}, "auto"])
def test_what_the_warning_advises_helps_and_is_chosen_by_default(heads):
    event, time = poor_data()["bimodal"]
    X = np.random.default_rng(1).normal(size=(300, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        better = FPBoost(**QUICK, heads=heads).fit(X, (event, time))
    assert better.diagnostics_["survival_error"] < 0.05


def test_poor_curves_are_noticed_with_delayed_entry_and_several_rows():
    event, time = poor_data()["bimodal"]
    X, half = np.random.default_rng(1).normal(size=(300, 2)), 0.5 * time
    entered = Surv.right(event, time, entry=np.where(np.arange(300) % 2, 0.5 * time, 0.0))
    split = Surv.counting(np.r_[0 * half, half], np.r_[half, time], np.r_[~event, event], id=np.r_[:300, :300])
    for features, y in ((X, entered), (np.r_[X, X], split)):
        with pytest.warns(ConvergenceWarning, match=POOR):
            FPBoost(**QUICK, heads=None).fit(features, y)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_censoring_that_depends_on_the_features_is_no_fault_of_the_model(sign):
    """Kaplan-Meier then is not the mean survival: it differs from it by more than 0.1, and from the truth as well."""
    X, _, rng = simulate(1000)
    time, censoring = rng.weibull(1.5, 1000) * np.exp(-X[:, 0]), rng.exponential(1.0, 1000) * np.exp(sign * X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FPBoost(n_estimators=5, n_folds=2, random_state=0).fit(
            X, (time <= censoring, np.minimum(time, censoring))
        )
    found = model.diagnostics_
    truth = np.exp(-((np.exp(X[:, 0])) ** 1.5)).mean()
    steps = FPBoost(**QUICK).fit(0.0 * X, (time <= censoring, np.minimum(time, censoring)))
    assert model.predict_survival_function(X, times=[1.0]).mean() == pytest.approx(truth, abs=0.03)
    assert abs(steps.predict_survival_function(X[:1], times=[1.0])[0, 0] - truth) > 0.08
    assert found["survival_error"] < 0.04


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [60, 300])
def test_good_fits_are_silent(n, seed):
    X, time, rng = simulate(n, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FPBoost(n_estimators=5, n_folds=2, random_state=0).fit(X, (rng.random(n) < 0.7, time))


@pytest.mark.parametrize("init", ["marginal", "linear"])
def test_parameters_at_their_bounds_are_named(init):
    event, time = poor_data()["normal"]
    X = np.random.default_rng(1).normal(size=(300, 2))
    model = FPBoost(1, 0, init=init, n_estimators=2, n_folds=2, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"longest follow-up 28\d\.\d; shape k of weibull_1 at its upper bound 148\)"
    ):
        model.fit(X, (event, time))
    assert model.diagnostics_["at_bounds"] == ["shape k of weibull_1 at its upper bound 148"]
    shape = model.predict_parameters(X)["k"].median()
    assert shape == pytest.approx(148.0, rel=0.05)


def test_bounds_of_several_causes_and_in_the_user_s_unit_of_time():
    """The hazards fall, and those of Gompertz only rise."""
    rng = np.random.default_rng(0)
    time, cause = 100.0 * rng.weibull(0.6, 300), rng.integers(1, 3, 300)
    model = FPBoost(0, 0, heads={"gompertz": 1}, n_causes=2, **QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(np.zeros((300, 1)), (cause, time))
    bound = f"{np.exp(-4.0) / np.sort(time)[149]:.3g}"
    names = [f"shape k of gompertz_1 of cause {cause} at its lower bound {bound}" for cause in (1, 2)]
    assert model.diagnostics_["at_bounds"] == names


def test_heads_without_a_share_may_be_anywhere():
    """A Weibull hazard leaves nothing to the second head, whose scale goes to its lower bound."""
    rng = np.random.default_rng(0)
    time = rng.weibull(3.0, 2000)
    model = FPBoost(**QUICK).fit(np.zeros((2000, 1)), (np.ones(2000, dtype=bool), time))
    assert model.diagnostics_["at_bounds"] == []


@pytest.mark.parametrize("init", ["random", "km"])
def test_starts_without_bounds_have_none(init):
    X, time, _ = simulate(100)
    model = FPBoost(**{**QUICK, "init": init}).fit(X, (np.ones(100, dtype=bool), time))
    assert model.diagnostics_["at_bounds"] == []


def test_a_training_that_was_too_short_is_told_to_go_on():
    X, time, _ = simulate()
    with pytest.warns(
        ConvergenceWarning, match="training has not converged: .* Use a larger n_estimators or learning_rate"
    ):
        FPBoost(init="random", n_estimators=2, random_state=0).fit(X, (np.ones(400, dtype=bool), time))


def test_large_data_are_drawn_from():
    X, time, _ = simulate(MOST_SUBJECTS + 1000)
    found = FPBoost(**QUICK).fit(X, (np.ones(len(time), dtype=bool), time)).diagnostics_
    assert found["observed_events"] == MOST_SUBJECTS


@pytest.mark.parametrize(
    ("expected", "observed", "poor"),
    [(134.0, 100.0, False), (135.0, 100.0, True), (1190.0, 1000.0, False), (0.03, 0.0, False)],
)
def test_numbers_of_events_that_differ_are_noticed_where_there_is_no_curve(expected, observed, poor):
    """By more than a fifth, and by more than three standard errors."""
    nan = float("nan")
    found = {"expected_events": expected, "observed_events": observed, "survival_error": nan, "standard_error": nan}
    found["subjects_compared"] = 2000
    assert (describe_poor_fit(found) is not None) == poor
    if poor:
        with pytest.warns(ConvergenceWarning, match="135 events of 2,000 subjects are expected, and 100 were observed"):
            advise_on_fit({**found, "at_bounds": []}, rows((1, 1)), fitted_start=True)
