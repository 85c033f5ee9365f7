"""Importances, interactions, exchanged values and partial dependence against known truths."""

from __future__ import annotations

import re
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from scipy.integrate import trapezoid
from sklearn.inspection import partial_dependence as partial_dependence_of_scikit_learn
from sklearn.inspection import permutation_importance as permutation_importance_of_scikit_learn

from hazboost import FPBoost, Surv
from hazboost.data.features import learn_schema
from hazboost.data.reading import as_target
from hazboost.explain import (
    contributions,
    importance,
    interaction_values,
    interactions,
    partial_dependence,
    permutation_importance,
    score_contributions,
)
from hazboost.explain.permutation import exchanged
from hazboost.explain.reading import ROLES, score_names, score_roles
from hazboost.metrics import brier_score, integrated_brier_score
from tests.explain.conftest import MODELS, NUMBERS, TABLE, N, Y

# Importance


@pytest.mark.parametrize("name", ["table", "causes", "paper"])
def test_importance_is_the_mean_size_of_contributions(fit, name):
    model, X = fit(name)
    table, explained = importance(model, X), score_contributions(model, X)
    assert list(table) == ["feature", "overall", *ROLES]
    assert table["feature"].tolist() == list(explained.features)
    roles = score_roles(model.model_.mixture.one_model)
    for role in ROLES:
        if (roles == role).any():
            expected = np.abs(explained.values[:, roles == role]).mean(axis=0).sum(axis=0)  # noqa: PD011
            np.testing.assert_allclose(table[role], expected)
        else:
            assert table[role].isna().all()
    assert (table["overall"] >= 0.0).all()
    assert table["overall"].max() > 0.0


@pytest.mark.parametrize("name", MODELS)
def test_every_score_has_a_name_and_a_role(fit, name):
    mixture = fit(name)[0].model_.mixture.one_model
    names, roles = score_names(mixture), score_roles(mixture)
    assert len(set(names)) == len(names) == len(roles)
    assert "" not in names
    for one, role in zip(names, roles, strict=True):
        assert (role == "level") == one.endswith("level")
        assert (role == "share") == one.endswith("share")


def test_blocks_of_rows_change_nothing(fit, monkeypatch):
    model, X = fit("table")
    whole = importance(model, X)
    monkeypatch.setattr("hazboost.explain.attribution.BLOCK_OF_TIMES", 640)
    pd.testing.assert_frame_equal(importance(model, X), whole)


def test_the_overall_importance_is_about_the_restricted_mean(fit):
    model, X = fit("causes")
    expected = np.abs(contributions(model, X, of="rmst").values[:, 0]).mean(axis=0)  # noqa: PD011
    np.testing.assert_allclose(importance(model, X)["overall"], expected, rtol=1e-9)


def test_the_feature_with_the_effect_is_the_most_important(fit):
    model, X = fit("folds")
    assert importance(model, X)["overall"].argmax() == 0


# Interactions


@pytest.mark.parametrize("name", ["table", "causes", "monotone", "sparse", "paper"])
def test_pairs_add_up_to_contributions(fit, name):
    model, X = fit(name)
    explained = score_contributions(model, X)
    for role in dict.fromkeys(score_roles(model.model_.mixture)):
        chosen = score_roles(model.model_.mixture) == role
        pairs = interaction_values(model, X, role)
        np.testing.assert_allclose(pairs.sum(axis=-1), explained.values[:, chosen], atol=1e-5)  # noqa: PD011
        np.testing.assert_allclose(pairs, np.swapaxes(pairs, -1, -2), atol=1e-5)


def test_a_single_score_can_be_asked_for(fit):
    model, X = fit("table")
    name = score_names(model.model_.mixture)[0]
    assert interaction_values(model, X, name).shape == (N, 1, X.shape[1], X.shape[1])


def test_the_known_interaction_is_the_strongest():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(800, 4))
    y = np.ones(800, dtype=bool), rng.weibull(1.5, 800) * np.exp(-2.0 * (X[:, 1] > 0) * (X[:, 3] > 0))
    table = interactions(FPBoost(n_estimators=30, init="marginal", random_state=0).fit(X, y), X)
    assert (table["feature"][0], table["other"][0]) == ("x1", "x3")
    assert len(table) == 6
    assert table["strength"][0] > 3.0 * table["strength"][1]


def test_trees_that_may_not_interact_do_not():
    model = FPBoost(n_estimators=5, random_state=0, interaction_constraints=[[0], [1], [2], [3]]).fit(NUMBERS, Y)
    assert interactions(model, NUMBERS)["strength"].max() < 1e-5


def test_blocks_of_pairs_change_nothing(fit, monkeypatch):
    model, X = fit("table")
    whole = interactions(model, X)
    monkeypatch.setattr("hazboost.explain.attribution.BLOCK", 2_000)
    pd.testing.assert_frame_equal(interactions(model, X), whole)


def test_an_unknown_role_is_refused(fit):
    model, X = fit("table")
    message = "role must be that of some scores, or the name of one; known ones are 'scale', 'shape', 'level'"
    with pytest.raises(ValueError, match=re.escape(message)):
        interactions(model, X, "size")


# Exchanged values


def tables():
    frame = TABLE[["a", "site"]]
    return {
        "pandas": frame.set_axis(np.arange(N) + 5),
        "polars": pl.from_pandas(frame),
        "arrow": pa.Table.from_pandas(frame),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("feature", [0, 1])
def test_values_of_tables_are_exchanged(kind, feature):
    X, rows = tables()[kind], np.random.default_rng(0).permutation(N)
    schema = learn_schema(X)
    before, after = schema.encode(X), schema.encode(exchanged(X, feature, rows))
    expected = before.copy()
    expected[:, feature] = before[rows, feature]
    np.testing.assert_array_equal(after, expected)
    np.testing.assert_array_equal(schema.encode(X), before)  # the user's table is as it was


@pytest.mark.parametrize("container", [np.array, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("feature", [0, 3])
def test_values_of_arrays_are_exchanged(container, feature):
    rows = np.random.default_rng(0).permutation(N)
    expected = NUMBERS.copy()
    expected[:, feature] = NUMBERS[rows, feature]
    found = exchanged(container(NUMBERS), feature, rows)
    np.testing.assert_array_equal(found.toarray() if scipy.sparse.issparse(found) else found, expected)


def test_concordance_is_lost_as_scikit_learn_says(fit):
    model, X = fit("folds")
    ours = permutation_importance(model, X, Y, n_repeats=10, random_state=0)
    theirs = permutation_importance_of_scikit_learn(model, X, Y, n_repeats=10, random_state=0)
    assert ours["feature"].tolist() == ["x0", "x1", "x2", "x3"]
    assert np.abs(ours["mean"] - theirs.importances_mean).max() < 3.0 * theirs.importances_std.max()
    assert ours["mean"].argmax() == 0


def test_mean_and_spread_are_those_of_the_repeats(fit):
    model, X = fit("folds")
    scores = iter([10.0, 9.0, 8.0, 4.0, *np.repeat(10.0, 9)])  # of the model, and of three exchanges of each feature
    table = permutation_importance(model, X, Y, lambda *_: next(scores), n_repeats=3)
    assert table["mean"].tolist() == [3.0, 0.0, 0.0, 0.0]
    assert table["sd"].tolist() == pytest.approx([np.sqrt(7.0), 0.0, 0.0, 0.0])


@pytest.mark.parametrize("metric", ["brier", lambda model, X, y: float(model.score(X, y))])
def test_other_metrics(fit, metric):
    model, X = fit("table")
    table = permutation_importance(model, X, Y, metric, n_repeats=2, random_state=0)
    assert table["mean"].argmax() == 0
    pd.testing.assert_frame_equal(table, permutation_importance(model, X, Y, metric, n_repeats=2, random_state=0))


def test_over_time_it_is_the_loss_of_the_brier_score_at_each_time(fit):
    model, X = fit("table")
    times = [0.3, 0.8, 1.5]
    table = permutation_importance(model, X, Y, "brier", n_repeats=3, random_state=0, times=times)
    assert list(table) == ["feature", "time", "mean", "sd"]
    assert table["feature"].tolist() == [name for name in X for _ in times]
    assert table["time"].tolist() == times * X.shape[1]
    # One exchange serves all times, so that each alone has the same, as has a metric of one's own.
    for k, time in enumerate(times):
        expected = permutation_importance(model, X, Y, partial(minus_brier, time=time), 3, 0)
        found = table[table["time"] == time].drop(columns="time").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, expected)
        alone = permutation_importance(model, X, Y, "brier", 3, 0, times=time)
        pd.testing.assert_frame_equal(alone, table.iloc[k :: len(times)].reset_index(drop=True))
    assert table["mean"].max() == table["mean"][table["feature"] == "a"].max()


def minus_brier(model, X, y, time):
    survival = model.predict_survival_function(X, times=[time], alive_at=as_target(y).entry)
    return -brier_score(y, y, survival, [time])[0]


def minus_integrated_brier(model, X, y):
    events = y["time"][y["event"]]
    times = np.unique(np.quantile(events, np.linspace(0.1, 0.9, 50), method="inverted_cdf"))
    survival = model.predict_survival_function(X, times=times, alive_at=as_target(y).entry)
    return -integrated_brier_score(y, y, survival, times)


@pytest.mark.parametrize(("times", "expected"), [(None, minus_integrated_brier), (0.8, partial(minus_brier, time=0.8))])
def test_with_delayed_entry_the_brier_score_is_that_of_predictions_given_entry(fit, times, expected):
    model, X = fit("table")
    y = Surv.right(Y["event"], Y["time"], entry=np.where(np.arange(N) % 2 == 0, 0.5 * Y["time"], 0.0))
    found = permutation_importance(model, X, y, "brier", 2, 0, times=times)
    np.testing.assert_allclose(found["mean"], permutation_importance(model, X, y, expected, 2, 0)["mean"])


def test_one_repeat_has_no_spread(fit):
    model, X = fit("folds")
    assert permutation_importance(model, X, Y, n_repeats=1, random_state=0)["sd"].isna().all()
    assert permutation_importance(model, X, Y, "brier", n_repeats=1, random_state=0, times=1.0)["sd"].isna().all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "auc"}, "metric must be 'concordance', 'brier', or a function"),
        (
            {"times": [0.5, 1.0]},
            "times are for metric='brier' only, whose values at these times are compared; got metric=",
        ),
        ({"metric": "brier", "times": [1.0, 0.5]}, "times must be strictly increasing"),
        ({"n_repeats": 0}, "n_repeats must be a positive whole number; got 0."),
        (
            {"random_state": "0"},
            "random_state must be a whole number from 0 to 4294967295, a numpy.random.RandomState, or",
        ),
        (
            {"metric": "brier", "y": (np.zeros(N, dtype=bool), np.ones(N))},
            "y: events at two or more times are needed for metric='brier'",
        ),
    ],
)
def test_wrong_arguments_of_the_exchange(fit, arguments, message):
    model, X = fit("folds")
    with pytest.raises(ValueError, match=re.escape(message)):
        permutation_importance(model, X, **{"y": Y, **arguments})


# Partial dependence


def test_partial_dependence_is_the_mean_of_predictions(fit):
    model, X = fit("table")
    table = partial_dependence(model, X, "a", times=[0.5, 1.0], grid=[-1.0, 2.0])
    assert list(table) == ["a", "time", "value"]
    expected = [model.predict_survival_function(X.assign(a=a), times=[0.5, 1.0]).mean(axis=0) for a in (-1.0, 2.0)]
    np.testing.assert_allclose(table["value"], np.ravel(expected), rtol=1e-9)
    assert table["a"].tolist() == [-1.0, -1.0, 2.0, 2.0]
    assert table["time"].tolist() == [0.5, 1.0, 0.5, 1.0]


def test_individual_predictions(fit):
    model, X = fit("table")
    table = partial_dependence(model, X, ["site", "b"], "rmst", times=2.0, grid=3, individual=True)
    assert list(table) == ["site", "b", "subject", "time", "value"]
    assert len(table) == 4 * 3 * N
    b = table["b"].unique()[1]
    one = table[(table["site"] == "south") & (table["b"] == b)]
    changed = X.assign(b=b, site=pd.Categorical(["south"] * N, categories=X["site"].cat.categories))
    np.testing.assert_allclose(one["value"], model.predict_rmst(changed, 2.0), rtol=1e-9)
    assert one["subject"].tolist() == list(range(N))


def predicted(model, X, of, cause):
    """The same as `partial_dependence`, from the predictions of the model."""
    if of in ("hazard", "cumulative_incidence"):
        return getattr(model, f"predict_{of}_function")(X, times=[1.0], cause=cause).mean(axis=0)
    if of == "cumulative_hazard":
        times = np.linspace(0.0, 1.0, 4001)[1:] ** 2
        return trapezoid(model.predict_hazard_function(X, times=times, cause=cause).mean(axis=0), times)
    if of == "median":
        return model.predict_median(X).mean()
    return model.predict_parameters(X).groupby(["cause", "head"], sort=False)[of].mean()


@pytest.mark.parametrize(
    ("of", "cause"),
    [
        *product(("cumulative_hazard", "hazard"), (None, 1, 2)),
        ("cumulative_incidence", 1),
        ("cumulative_incidence", 2),
        *product(("median", "scale", "k", "w"), [None]),
    ],
)
def test_everything_that_is_predicted_can_be_asked_for(fit, of, cause):
    model, X = fit("causes")
    table = partial_dependence(model, X, "c", of, times=1.0, cause=cause, grid=[-0.5, 1.0])
    expected = [predicted(model, X.assign(c=c), of, cause) for c in (-0.5, 1.0)]
    np.testing.assert_allclose(table["value"], np.ravel(expected), rtol=1e-3 if of == "cumulative_hazard" else 1e-9)
    points = ["cause", "head"] if of in ("scale", "k", "w") else [] if of == "median" else ["time"]
    assert list(table) == ["c", *points, "value"]


def test_a_feature_called_like_a_column_keeps_its_own(fit):
    """Otherwise the time of the prediction would have taken the place of the feature."""
    X = TABLE[["a", "b"]].set_axis(["time", "value"], axis=1)
    model = FPBoost(n_estimators=3, init="marginal", random_state=0).fit(X, Y)
    table = partial_dependence(model, X, ["time", "value"], times=1.0, grid=2)
    assert list(table) == ["feature time", "feature value", "time", "value"]
    assert len(table) == 4


def test_a_feature_that_is_missing_everywhere_needs_a_grid(fit):
    model, X = fit("table")
    with pytest.raises(ValueError, match="grid must be a list of values for a feature that is missing in every row"):
        partial_dependence(model, X.assign(a=np.nan), "a")


def test_sparse_features_can_be_zero(fit):
    model, X = fit("sparse")
    table = partial_dependence(model, X, 0, times=1.0, grid=[0.0, 1.0])
    dense = X.toarray()
    for value, row in zip((0.0, 1.0), table.itertuples(), strict=True):
        dense[:, 0] = value
        changed = scipy.sparse.csr_matrix(dense)
        np.testing.assert_allclose(row.value, model.predict_survival_function(changed, times=[1.0]).mean(), rtol=1e-9)


def test_the_grid_is_of_quantiles_or_of_all_values(fit):
    model, X = fit("folds")
    assert partial_dependence(model, X, 1, times=1.0)["x1"].is_monotonic_increasing
    assert len(partial_dependence(model, X, 1, times=1.0)) == 20
    assert partial_dependence(*fit("table"), "site", times=1.0)["site"].tolist() == ["east", "north", "south", "west"]
    assert partial_dependence(*fit("table"), "site", times=1.0, grid=["west"])["site"].tolist() == ["west"]


def test_scikit_learn_refuses_what_is_no_regressor(fit):
    """Which is why there is a function of our own; should it accept survival models one day, the page is to say so."""
    model, X = fit("folds")
    with pytest.raises(ValueError, match="regressor"):
        partial_dependence_of_scikit_learn(model, X, [0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"features": "z"},
            "features must be given by name or position among the columns of X, such as 'a', 'b', 'c', 'd', 'site'",
        ),
        ({"features": [np.array(["a", "b"])]}, "; got ndarray of shape (2,): ['a', 'b']."),
        ({"features": ["a", "a"]}, "features must be one feature, or two different ones"),
        ({"features": ["a", "b", "c"]}, "features must be one feature, or two different ones"),
        ({"of": "risk"}, "of must be one of 'survival', 'cumulative_hazard'"),
        ({"of": ["survival"]}, "'scale', 'w'; got ['survival']."),
        ({"grid": []}, "grid must have at least one value"),
        ({"grid": 1}, "grid must be a whole number from 2 on"),
        ({"features": ["a", "b"], "grid": [1.0]}, "grid must be a whole number from 2 on"),
        ({"features": "site", "grid": ["moon"]}, "grid must be categories of the training data"),
        ({"of": "rmst", "times": 0.0}, "times must be positive with of='rmst'"),
    ],
)
def test_wrong_arguments_of_dependence(fit, arguments, message):
    model, X = fit("table")
    with pytest.raises(ValueError, match=re.escape(message)):
        partial_dependence(model, X, **{"features": "a", **arguments})
