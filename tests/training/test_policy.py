"""Constants that depend on the data: how many folds, and how fast and how deep is learned."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from inspect import cleandoc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hazboost import FPBoost
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training.policy import POLICY, Policy

ROOT = Path(__file__).resolve().parents[2]
#: Numbers of events, rows or subjects.
COUNTS = st.floats(0.0, 1e9)
FEWEST, MOST = POLICY.folds


@given(COUNTS, COUNTS)
def test_the_more_events_the_fewer_folds(one, other):
    few, many = sorted((one, other))
    assert MOST >= POLICY.folds_for(few) >= POLICY.folds_for(many) >= FEWEST


def test_folds_are_the_most_for_few_events_and_the_fewest_for_many():
    assert POLICY.folds_for(0.0) == POLICY.folds_for(POLICY.events_for_folds) == MOST
    assert POLICY.folds_for(1e9) == FEWEST
    made = {POLICY.folds_for(events) for events in np.logspace(0, 9, 1_000)}
    assert made == set(range(FEWEST, MOST + 1))


@pytest.mark.parametrize("decade", [1, 2])
def test_a_factor_of_ten_costs_so_many_folds(decade):
    policy = replace(POLICY, folds=(2, 30), events_for_folds=50.0, folds_by_decade=5.0)
    assert policy.folds_for(50.0 * 10.0**decade) == 30 - 5 * decade


@given(st.integers(2, 20), st.integers(1, 10**9), st.integers(1, 10**9))
def test_the_more_subjects_the_smaller_the_parts_that_are_held_out(folds, one, other):
    """Every fold holds out one of the parts, of few subjects at least a fifth; held-out subjects grow."""
    few, many, fewest = *sorted((one, other)), min(folds, POLICY.most_parts)
    assert fewest <= POLICY.parts_for(folds, few) <= POLICY.parts_for(folds, many)
    if POLICY.parts_for(folds, many) > fewest:
        assert many / POLICY.parts_for(folds, many) >= np.sqrt(many * POLICY.subjects_held_out)


@pytest.mark.parametrize("folds", [3, 5])
def test_folds_of_some_subjects_hold_out_their_share(folds):
    assert POLICY.parts_for(folds, POLICY.subjects_held_out * folds**2) == folds
    assert POLICY.parts_for(folds, POLICY.subjects_held_out * (folds + 1) ** 2) == folds + 1


@given(COUNTS, COUNTS)
def test_patience_grows_with_the_events(one, other):
    fewest, most = POLICY.patience
    few, many = sorted((one, other))
    assert fewest <= POLICY.patience_for(few) <= POLICY.patience_for(many) <= most


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_bins_are_doubled_with_the_rows(one, other):
    fewest, enough, most = POLICY.bins
    few, many = sorted((one, other))
    assert fewest <= POLICY.bins_for(few) <= POLICY.bins_for(many) <= most
    if POLICY.bins_for(many) < most:
        assert POLICY.bins_for(2 * max(many, enough)) == 2 * POLICY.bins_for(max(many, enough))


def test_bins_are_the_first_up_to_so_many_rows():
    fewest, enough, most = POLICY.bins
    assert [POLICY.bins_for(rows) for rows in (0, 1, enough, enough + 1)] == [fewest, fewest, fewest, 2 * fewest]
    assert POLICY.bins_for(10**9) == most


@given(COUNTS)
def test_depths_are_those_that_events_can_fill(events):
    depths = POLICY.depths_for(events)
    assert depths
    assert list(depths) == sorted(set(depths) & set(POLICY.depths))
    assert all(events >= POLICY.events_for_leaf * 2**depth for depth in depths if depth != POLICY.depths[0])
    assert (depths[0] == POLICY.depths[0]) == (events < POLICY.events_to_skip)


def test_few_events_have_the_first_depth_alone_and_many_all_the_others():
    assert POLICY.depths_for(0.0) == POLICY.depths[:1]
    assert POLICY.depths_for(1e9) == POLICY.depths[1:]


@pytest.mark.parametrize(("width", "share"), [(1, 1.0), (5, 1.0), (8, 0.625), (10, 0.5), (100, 0.5)])
def test_trees_see_at_least_five_columns(width, share):
    assert replace(POLICY, fewest_columns=5).columns_for(width, 0.0) == share


@given(st.integers(1, 10_000), COUNTS, COUNTS)
def test_the_more_events_the_more_columns(width, one, other):
    few, many = sorted((one, other))
    assert POLICY.pace.columns <= POLICY.columns_for(width, few) <= POLICY.columns_for(width, many) <= 1.0
    if many >= POLICY.events_for_column * width:
        assert POLICY.columns_for(width, many) == 1.0


def plan_for(subjects, width=1, **parameters):
    """The plan for so many subjects, each with an event, and for two heads."""
    time = np.linspace(0.1, 1.0, subjects)
    sample = Sample(np.tile(np.arange(subjects, dtype=float)[:, None], width), Target.of(time, time))
    model = FPBoost(heads=None, **parameters)
    return model._plan(Schema(None, {}, sparse=False), sample.summary(), 1, 0)


@pytest.mark.parametrize("rounds", ["auto", 100])
@pytest.mark.parametrize(("subjects", "width"), [(100, 1), (100, 20), (30_000, 4)])
def test_a_fit_learns_at_the_pace_of_the_policy(subjects, width, rounds):
    """Whether the number of rounds is given or not."""
    plan = plan_for(subjects, width, n_estimators=rounds)
    trees, pace = plan.engine.settings, POLICY.pace
    assert (trees["learning_rate"], trees["subsample"]) == (pace.rate, pace.rows)
    assert trees["colsample_bytree"] == POLICY.columns_for(width, subjects)
    assert trees["max_bin"] == POLICY.bins_for(subjects)
    assert plan.objective.caution == pace.caution
    assert plan.search.folds is None


def test_first_order_steps_have_the_rate_of_the_authors():
    assert plan_for(100, solver="gradient", n_estimators=100).engine.settings["learning_rate"] == 0.1


@pytest.mark.parametrize("subjects", [100, 5_001])
@pytest.mark.parametrize("rounds", ["auto", 100])
def test_what_is_given_is_used_whatever_the_number_of_subjects(subjects, rounds):
    given = {"learning_rate": 0.25, "subsample": 0.75, "colsample_bytree": 0.625, "max_bin": 37}
    together = plan_for(subjects, n_estimators=rounds, **given).engine.settings
    automatic = plan_for(subjects, n_estimators=rounds).engine.settings
    for name, value in given.items():
        alone = plan_for(subjects, n_estimators=rounds, **{name: value}).engine.settings
        assert together[name] == alone[name] == value != automatic[name]
    assert plan_for(subjects, n_estimators=rounds, n_folds=7).search.folds == 7


def test_a_subclass_may_have_constants_of_its_own():
    """Of which scikit-learn, that clones by the parameters of the constructor, sees nothing."""
    other = type("Other", (FPBoost,), {"_policy": replace(POLICY, pace=replace(POLICY.pace, rate=0.7))})
    sample = Sample(np.zeros((3, 1)), Target.of(np.ones(3), np.ones(3)))
    rates = [
        model._plan(Schema(None, {}, sparse=False), sample.summary(), 1, 0).engine.settings["learning_rate"]
        for model in (other(), other().__sklearn_clone__(), FPBoost())
    ]
    assert rates == [0.7, 0.7, POLICY.pace.rate]
    assert other().get_params() == FPBoost().get_params()
    assert not {"policy", "_policy"} & FPBoost().get_params().keys()


def test_every_heading_of_the_policy_is_one_of_the_page_of_evidence():
    named = set(re.findall(r"\[([A-Z][a-z ]+)\]", Policy.__doc__))
    page = (ROOT / "docs" / "defaults-evidence.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^### (.+)$", page, re.MULTILINE))
    assert {"Linear start", "Many subjects", "Pace", "Depth"} <= named <= headings


def test_every_constant_is_documented():
    # Python 3.13 removes the indentation of docstrings, earlier versions keep it.
    attributes = cleandoc(Policy.__doc__).partition("----------")[2]
    documented = {name for line in re.findall(r"^(\w.*?) : ", attributes, re.MULTILINE) for name in line.split(", ")}
    assert documented == {field.name for field in fields(Policy)}
