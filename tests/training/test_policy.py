"""How much is held out, and how fast is learned, by the number of subjects."""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import cleandoc
from pathlib import Path

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.training.policy import POLICY, Policy

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("subjects", "held_out"),
    [(100, None), (5_000, None), (5_001, 1_000), (10_000, 2_000), (25_000, 5_000), (50_000, 5_000), (10**7, 5_000)],
)
def test_a_fifth_of_many_subjects_is_held_out_and_never_more_than_5000(subjects, held_out):
    share = POLICY.hold_out_of(subjects)
    assert (None if share is None else round(share * subjects)) == held_out


def test_the_model_of_a_hold_out_is_kept_from_50000_subjects_on():
    """From there on it has seen nine tenths of them."""
    assert POLICY.hold_out_of(10_000) > POLICY.hold_out_of(49_999) > POLICY.small_hold_out
    assert POLICY.hold_out_of(50_000) == POLICY.small_hold_out


def plan_for(subjects, **parameters):
    """The plan for so many subjects, each with an event, and for two heads."""
    time = np.linspace(0.1, 1.0, subjects)
    sample = Sample(np.arange(subjects, dtype=float)[:, None], Target.of(time, time))
    model = FPBoost(heads=None, **parameters)
    return model._plan(Schema(None, {}, sparse=False), sample.summary(), 1, 0, sample)


def pace_of(plan):
    """Rate and shares of rows and columns of the trees; caution and patience."""
    trees = plan.engine.settings
    shares = trees["learning_rate"], trees["subsample"], trees["colsample_bytree"]
    return *shares, plan.objective.caution, plan.search.pace.patience


def test_few_subjects_have_the_slow_pace_and_many_the_fast_one():
    assert pace_of(plan_for(5_000)) == (0.2, 0.5, 1.0, 4.0, 2.0)  # there is one column only
    assert pace_of(plan_for(5_001)) == (0.3, 1.0, 1.0, 4.0, 5.0)


@pytest.mark.parametrize("subjects", [100, 5_001])
def test_a_given_number_of_rounds_has_the_slow_pace(subjects):
    assert pace_of(plan_for(subjects, n_estimators=100)) == (0.2, 0.5, 1.0, 4.0, 2.0)


def test_first_order_steps_have_the_rate_of_the_authors():
    assert pace_of(plan_for(100, solver="gradient", n_estimators=100))[0] == 0.1


@pytest.mark.parametrize(("width", "share"), [(1, 1.0), (5, 1.0), (8, 0.625), (10, 0.5), (100, 0.5)])
def test_trees_see_at_least_five_columns(width, share):
    assert POLICY.columns_of(POLICY.with_folds, width) == share
    assert POLICY.columns_of(POLICY.with_hold_out, width) == 1.0


@pytest.mark.parametrize("subjects", [100, 5_001])
@pytest.mark.parametrize("rounds", ["auto", 100])
def test_what_is_given_is_used_whatever_the_number_of_subjects(subjects, rounds):
    given = {"learning_rate": 0.25, "subsample": 0.75, "colsample_bytree": 0.625}
    assert pace_of(plan_for(subjects, n_estimators=rounds, **given))[:3] == (0.25, 0.75, 0.625)
    for name, value in given.items():
        automatic, one_given = plan_for(subjects, n_estimators=rounds), plan_for(subjects, **{name: value})
        assert one_given.engine.settings[name] == value != automatic.engine.settings[name]


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
