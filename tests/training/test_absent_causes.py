"""A cause without an event has the hazard of half an event in all the follow-up, and everything works with it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, cross_val_score

from hazboost import FPBoost, Surv, tune
from hazboost.data.target import Target
from hazboost.hazards.heads import HEADS
from hazboost.training.starts import STARTS, half_an_event

N = 80
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 2))
TIME = RNG.exponential(size=N) * np.exp(-X[:, 0])
#: Causes 1 and 3, of four.
CAUSE = np.where(RNG.random(N) < 0.8, RNG.choice([1, 3], N), 0)
NO_EVENT = pytest.mark.filterwarnings("ignore:y. there is no event of cause")


def small(**parameters):
    return FPBoost(**{"n_estimators": 5, "init": "marginal", "random_state": 0, **parameters})


def expected_events(model, cause, start=None):
    """Integral of the predicted hazards over the follow-up of the training data."""
    hazards = model.predict_hazard_function(X, cause=cause)
    start = np.zeros(N) if start is None else start
    middle = (np.arange(400) + 0.5) / 400
    return sum((b - a) * h(a + (b - a) * middle).mean() for h, a, b in zip(hazards, start, TIME, strict=True))


@pytest.mark.parametrize("family", HEADS)
@pytest.mark.parametrize(("parameter", "weight"), [("exp", "scaled_softmax"), ("relu", "relu"), ("softplus", "tanh")])
def test_half_an_event_is_expected_whatever_the_heads(make_mixture, family, parameter, weight):
    mixture = make_mixture({family: 2}, parameter, weight)
    target = Target.of(TIME, np.full(N, np.inf), RNG.random(N) + 0.5, entry=0.3 * TIME).scaled(TIME.max())
    parameters = mixture.parameters(np.tile(half_an_event(mixture, target)[:, None], N))
    late, early = (mixture.total_cumulative(parameters, np.log(times)) for times in (target.lower, target.entry))
    assert target.weight @ (late - early) == pytest.approx(0.5, rel=1e-6)


def test_bounded_heads_that_cannot_expect_half_an_event_expect_what_they_can(make_mixture):
    """Of k = 4 the hazard between 0.99 and 1 is at most 0.01 for each subject, where eta is about 1."""
    target = Target.of(np.ones(3), np.full(3, np.inf), entry=np.full(3, 0.99))
    log_eta, log_k, *_ = half_an_event(make_mixture({"bounded": 1}, "exp", "softmax"), target)
    assert abs(log_eta) < 1.0
    assert log_k == pytest.approx(np.log(4.0))


SETTINGS = {
    **{init: {"init": init} for init in STARTS},
    "linear": {"init": "linear", "n_folds": 2, "loglogistic_heads": 0},
    "chosen": {"n_estimators": "auto", "n_folds": 2, "learning_rate": 0.5},
    "published": {"init": "random", "solver": "gradient", "gradient_scaling": "max", "parameter_activation": "relu"},
    "stopped": {"patience": 2, "stopping_metric": "likelihood"},
}


@NO_EVENT
@pytest.mark.filterwarnings("ignore:the validation metric was still improving")
@pytest.mark.parametrize("setting", SETTINGS)
def test_an_absent_cause_has_the_hazard_of_half_an_event(setting):
    model = small(n_causes=4, **SETTINGS[setting]).fit(X, (CAUSE, TIME))
    np.testing.assert_array_equal(model.causes_, [1, 2, 3, 4])
    hazards = model.predict_hazard_function(X, times=[0.1, 1.0], cause=2)
    assert (hazards == hazards[0]).all()  # there is nothing to learn from features
    np.testing.assert_array_equal(model.predict_hazard_function(X, times=[0.1, 1.0], cause=4), hazards)
    share = 0.8 if setting == "stopped" else 1.0  # the follow-up of validation data does not count
    assert expected_events(model, 2) == pytest.approx(0.5 / share, rel=1e-3 if share == 1.0 else 0.3)
    times = [0.0, 0.5, 2.0]
    incidence = model.predict_cumulative_incidence_function(X, times=times)
    assert incidence.shape == (N, 4, 3)
    np.testing.assert_allclose(incidence.sum(axis=1) + model.predict_survival_function(X, times=times), 1.0, atol=1e-8)
    assert 0.0 < model.score(X, (CAUSE, TIME)) < 1.0
    assert 0.0 < model.score(X, (CAUSE, TIME), cause=3) < 1.0


@NO_EVENT
def test_with_intervals():
    lower = np.where(CAUSE == 0, 0.5 * TIME, TIME)
    model = small(n_causes=2).fit(X, Surv.interval(lower, np.where(np.arange(N) % 5 == 0, np.inf, TIME)))
    hazard = model.predict_hazard_function(X, times=[0.1, 1.0], cause=2)
    np.testing.assert_allclose(hazard, 0.5 / TIME.sum(), rtol=0.1)


@NO_EVENT
def test_with_groups_delayed_entry_and_weights():
    entry = 0.5 * TIME
    model = small(n_estimators="auto", n_folds=2, learning_rate=0.5).fit(
        X, Surv.right(CAUSE, TIME, entry=entry), groups=np.arange(N) // 2
    )
    assert expected_events(model, 2, entry) == pytest.approx(0.5, rel=1e-3)
    weights = small().fit(X, (CAUSE, TIME), sample_weight=np.where(CAUSE == 3, 0.0, 2.0))
    np.testing.assert_array_equal(weights.causes_, [1])
    weights = small(n_causes=3).fit(X, (CAUSE, TIME), sample_weight=np.where(CAUSE == 3, 0.0, 2.0))
    np.testing.assert_array_equal(weights.causes_, [1, 2, 3])


def test_an_absent_cause_is_named():
    with pytest.warns(
        UserWarning, match="y: there is no event of cause 2. Its hazard is that of half an event"
    ) as caught:
        small(init="km").fit(X, (CAUSE, TIME))
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="y: there is no event of cause 2, 4. "):
        small(n_causes=4, init="km").fit(X, (CAUSE, TIME))
    with pytest.raises(ValueError, match="n_causes=2, but y has events of cause 3"):
        small(n_causes=2).fit(X, (CAUSE, TIME))


def test_causes_that_are_given_need_no_censoring():
    event = 1 + np.arange(N) % 2
    with pytest.warns(UserWarning, match=r"FPBoost\(n_causes=2\) confirms it"):
        small().fit(X, (event, TIME))
    model = small(n_causes=2).fit(X, (event, TIME), eval_set=(X, (event, TIME)))
    assert model.score(X, (event, TIME)) > 0.5


GROUPS = np.arange(N) // 4
#: The only event of cause 2 is in row 3.
RARE = {"last": np.where(np.arange(N) == 3, 2, np.minimum(CAUSE, 1)), "gap": np.where(np.arange(N) == 3, 2, CAUSE)}


@NO_EVENT
@pytest.mark.parametrize(("splitter", "groups"), [(KFold(3), None), (GroupKFold(3), GROUPS)], ids=["rows", "groups"])
@pytest.mark.parametrize("place", RARE)
def test_a_rare_cause_may_be_absent_from_a_fold_of_scikit_learn(place, splitter, groups):
    y = Surv.right(RARE[place], TIME)
    model = small(n_causes=int(y["event"].max()), init="km")
    assert any((y["event"][train] != 2).all() for train, _ in splitter.split(X, groups=groups))
    for scoring in (None, lambda fitted, X, y: fitted.score(X, y, cause=1)):
        scores = cross_val_score(model, X, y, groups=groups, cv=splitter, scoring=scoring, error_score="raise")
        assert ((scores > 0.0) & (scores < 1.0)).all()


def test_a_search_knows_the_causes_of_all_rows():
    folds = [(np.arange(20, N), np.arange(20)), (np.arange(60), np.arange(60, N))]
    for metric in ("likelihood", "concordance"):
        result = tune(
            pd.DataFrame(X, columns=["a", "b"]),
            (RARE["last"], TIME),
            space=lambda trial: {"max_depth": trial.suggest_int("max_depth", 1, 2)},
            estimator=small(init="km"),
            n_trials=1,
            cv=folds,
            metric=metric,
            random_state=0,
            verbose=0,
        )
        assert np.isfinite(result.best_score)
        np.testing.assert_array_equal(result.best_estimator.causes_, [1, 2])
