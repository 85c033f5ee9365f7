"""The published numbers: complete, and consistent with each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from benchmarks.studies.paper.estimates import METRICS, Estimate, pool
from benchmarks.studies.paper.published import (
    COMPARED,
    DATASETS,
    LEFT_OUT,
    ROWS,
    published_improvement,
    published_score,
)

PRINTED = [metric.name for metric in METRICS[:4]]
KINDS = {
    "cox": ("semi-parametric", "linear"),
    "coxboost": ("semi-parametric", "tree"),
    "xgboost": ("semi-parametric", "tree"),
    "rsf": ("non-parametric", "tree"),
    "deepsurv_paper": ("semi-parametric", "neural"),
    "deephit_paper": ("fully parametric", "neural"),
    "dsm_paper": ("fully parametric", "neural"),
}


def test_the_numbers_that_the_protocol_is_checked_by():
    assert published_score("c_index", "cox", "metabric").mean == 63.2
    assert published_score("c_index", "cox", "whas").mean == 81.7
    assert published_score("c_index", "fpboost_paper", "whas").mean == 89.0
    assert published_score("auc", "deephit_paper", "veterans").half_width == 4.6


@pytest.mark.parametrize("metric", PRINTED)
def test_nothing_is_missing(metric):
    for model in ROWS:
        assert all(published_score(metric, model, name) for name in (*DATASETS, "mean"))


def test_what_the_paper_does_not_have():
    assert published_score("c_index", "km", "whas") is None
    assert published_score("c_index", "deephit", "whas") is None
    assert published_score("ibs_full", "cox", "whas") is None
    assert published_improvement("c_index", "non-parametric", "linear") is None


@pytest.mark.parametrize("metric", PRINTED)
@pytest.mark.parametrize("model", ROWS)
def test_pooling_gives_the_published_means_and_intervals_back(metric, model):
    estimates = []
    for name in DATASETS:
        printed = published_score(metric, model, name)
        spread = printed.half_width * np.sqrt(30) / student.ppf(0.975, 29)
        estimates.append(Estimate(printed.mean, printed.half_width, spread**2 * 29 / 30, 30, 30))
    pooled, printed = pool(estimates), published_score(metric, model, "mean")
    assert pooled.mean == pytest.approx(printed.mean, abs=0.1)
    assert pooled.half_width == pytest.approx(printed.half_width, abs=0.1)


@pytest.mark.parametrize("metric", PRINTED)
@pytest.mark.parametrize("kind", ["non-parametric", "semi-parametric", "fully parametric", "all"])
@pytest.mark.parametrize("learner", ["linear", "tree", "neural", "all"])
def test_improvements_are_differences_of_the_means(metric, kind, learner):
    others = [
        published_score(metric, model, "mean").mean
        for model in COMPARED
        if kind in ("all", KINDS[model][0]) and learner in ("all", KINDS[model][1])
        if model not in LEFT_OUT.get(metric, ())
    ]
    printed = published_improvement(metric, kind, learner)
    assert (printed is None) == (not others)
    if printed:
        ours = published_score(metric, "fpboost_paper", "mean").mean
        assert printed.mean == pytest.approx(ours - np.mean(others), abs=0.15)  # two roundings and one
