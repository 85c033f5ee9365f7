"""What is measured, in which order, and what is left out."""

import numpy as np
import pytest

from benchmarks.studies.speed import data
from benchmarks.studies.speed.cells import Cell, median_of, read, store
from benchmarks.studies.speed.command import parse, plan
from benchmarks.studies.speed.forecast import extrapolate, is_long, reason_to_skip
from benchmarks.studies.speed.parts import PARTS
from benchmarks.studies.speed.process import Limits, peer_of
from benchmarks.studies.speed.run import comparisons


def cell(model="forest", rows=1_000, repeat=0):
    return Cell("fits", model, "defaults", rows, 2, repeat)


def line(seconds, memory=0.3, **others):
    return {"error": None, "fit_seconds": seconds, "predict_seconds": 0.1, "peak_gib": memory, **others}


class TestPlan:
    def test_models_that_are_compared_follow_one_another(self):
        planned = plan(parse(["--part", "fits", "--rows", "100,1e3", "--repeats", "2"]))
        groups = list(comparisons(planned))
        assert [[one.model for one in group] for group in groups] == [list(PARTS["fits"].models)] * 4
        assert [(group[0].rows, group[0].repeat) for group in groups] == [(100, 0), (100, 1), (1_000, 0), (1_000, 1)]
        assert {one.threads for one in planned} == {2}

    def test_options_choose(self):
        planned = plan(parse(["--part", "paper", "--models", "fpboost_paper", "--settings", "gbsg2", "--rows", "10"]))
        assert {(one.model, one.setting, one.rows, one.threads) for one in planned} == {
            ("fpboost_paper", "gbsg2", 0, 1)
        }

    @pytest.mark.parametrize("name", PARTS)
    def test_every_model_is_a_peer(self, name):
        for model in PARTS[name].models:
            assert peer_of(model).study == "speed"

    def test_an_unknown_part_is_refused(self, capsys):
        with pytest.raises(SystemExit, match="2"):
            parse(["--part", "fit"])
        assert "choose from fits" in capsys.readouterr().err

    def test_rounds_are_the_same_for_all_models(self):
        settings = PARTS["fixed"].settings[0]
        own, aft = (
            PARTS["fixed"].arguments(Cell("fixed", model, settings, 1, 1, 0)) for model in ("fpboost", "xgb_aft")
        )
        assert {name: own[name] for name in aft} == aft
        assert set(own) - set(aft) == {"init", "heads"}

    def test_half_of_the_heads_of_each_family(self):
        assert PARTS["heads"].arguments(Cell("heads", "fpboost", "64", 1, 1, 0))["weibull_heads"] == 32


class TestForecast:
    def test_a_power_law_is_continued(self):
        assert extrapolate({100: 1.0, 1_000: 10.0**1.5}, 10_000) == pytest.approx(1_000.0)
        assert extrapolate({100: 1.0, 1_000: 1.1}, 10_000) == pytest.approx(11.0), "at least in proportion"

    def test_what_would_take_too_long_is_skipped(self):
        lines = {cell(rows=1_000): line(2.0), cell(rows=10_000): line(200.0)}
        assert reason_to_skip(cell(rows=100_000), lines, Limits()) == "would take about 333 minutes"
        assert reason_to_skip(cell(rows=100_000), lines, Limits(seconds=1e6)) is None
        assert reason_to_skip(cell("comprisk", rows=100_000), lines, Limits()) is None

    def test_what_would_take_too_much_memory_is_skipped(self):
        lines = {cell(rows=1_000): line(1.0, 2.2)}
        assert reason_to_skip(cell(rows=10_000), lines, Limits()) == "would take about 20 GiB"

    def test_what_failed_with_fewer_rows_is_not_tried_with_more(self):
        lines = {cell(rows=1_000): {"error": "more than 12 GiB"}}
        assert reason_to_skip(cell(rows=10_000), lines, Limits()) == "1,000 rows: more than 12 GiB"

    def test_a_long_fit_has_no_second_repeat(self):
        lines = {cell(repeat=0): line(121.0)}
        assert is_long(cell(repeat=1), lines)
        assert not is_long(cell(repeat=0), lines)
        assert not is_long(cell(rows=10_000, repeat=1), lines)


class TestData:
    def test_half_of_the_times_are_censored(self):
        sample = data.numbered(20_000, 0)
        assert sample["X"].shape == (20_000, data.COLUMNS)
        assert 0.45 < sample["event"].mean() < 0.55
        assert len(np.unique(sample["time"])) == 20_000

    def test_data_depend_on_rows_and_repeat_only(self):
        first, again, other = data.numbered(50, 1), data.numbered(50, 1), data.numbered(50, 2)
        np.testing.assert_array_equal(first["X"], again["X"])
        assert not np.array_equal(first["X"], other["X"])

    def test_features_in_single_precision(self):
        assert data.simulate(10, np.random.default_rng(0), np.float32)["X"].dtype == np.float32

    def test_a_data_set_of_the_paper_keeps_all_of_its_columns(self):
        """Flags are of the type bool, which a selection of numbers leaves out."""
        pytest.importorskip("sksurv")
        sample = data.of_the_paper("veterans")
        assert sample["X"].shape == (137, 9)
        assert sample["time"].max() == 1.0
        assert sample["time"].min() > 0.0


def test_medians_are_those_of_results(tmp_path):
    for repeat, seconds in enumerate((1.0, 5.0, 3.0)):
        store(tmp_path, cell(repeat=repeat), line(seconds))
    store(tmp_path, cell(repeat=3), {"error": "it broke"})
    assert median_of(read(tmp_path), cell(), "fit_seconds") == 3.0
    assert median_of(read(tmp_path), cell(rows=7), "fit_seconds") is None
