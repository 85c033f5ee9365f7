"""The scores and the report of the comparisons on real data."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("lifelines")
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.kinds import real
from benchmarks.kinds.intercepts import measure


def test_results_are_read_back_and_measured_once(tmp_path):
    cell = real.Cell("intercepts", "mice", "weibull", 0)
    entry = real.measure(cell)
    real.append(tmp_path, entry)
    assert real.read(tmp_path) == {cell: entry}


@pytest.mark.parametrize("dataset", ["multicenter_aids_cohort_study", "diabetes", "mice", "lcd"])
@pytest.mark.parametrize("family", ["weibull", "loglogistic"])
def test_a_fit_without_features_is_that_of_lifelines(dataset, family):
    scores = measure(dataset, family, 0)
    np.testing.assert_allclose(scores["hazboost"][:2], scores["lifelines"][:2], rtol=1e-3)
    assert scores["hazboost"][2] == pytest.approx(scores["lifelines"][2], abs=1e-4)


def test_scores_over_risk_sets():
    """Two events; a model that knows who is next is right everywhere, and one that knows nothing gains nothing."""
    pytest.importorskip("SurvSet")
    from benchmarks.kinds.changing import concordance_over_risk_sets, gain_per_event

    data = pd.DataFrame({"pid": [0, 1, 2, 2], "time": [0, 0, 0, 1], "time2": [2, 3, 1, 4], "event": [1, 1, 0, 0]})
    right = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert concordance_over_risk_sets(data, right) == 1.0
    assert concordance_over_risk_sets(data, -right) == 0.0
    assert concordance_over_risk_sets(data, 0.0 * right) == 0.5
    assert gain_per_event(data, 0.0 * right) == pytest.approx(0.0, abs=1e-12)
    expected = np.mean([1.0 - np.log((np.e + 2.0) / 3.0), 1.0 - np.log((np.e + 1.0) / 2.0)])
    assert gain_per_event(data, right) == pytest.approx(expected)


def test_report_has_a_line_for_each_data_set():
    lines = real.read(real.RESULTS)
    assert len(list(real.report_changing(lines))) == 2 + len(real.STUDIES["changing"][0])
    assert len(list(real.report_intercepts(lines))) == 2 + 10
