import pytest

pytest.importorskip("pandas")

from benchmarks.harness.paths import RESULTS
from benchmarks.studies.accuracy import command
from benchmarks.studies.accuracy.calibration import calibration_section, mean_calibration
from benchmarks.studies.accuracy.cells import Cell, failure
from benchmarks.studies.accuracy.large_report import MEASURES, compose, measure_table
from benchmarks.studies.accuracy.leads import ClearLead, Lead, clear_lead_over, lead_over, lead_section


def line(**fields):
    return {"error": None, **fields}


def calibrated(p_value, excess, deviation=0.1):
    return line(d_calibration_p=p_value, median_excess=excess, d_deviation=deviation)


def measured(**fields):
    return line(n=100, d=2, columns=3, events=40, c_index=0.6, brier=0.2, log_score=0.5, fit_seconds=1.0, **fields)


@pytest.mark.parametrize(
    ("score", "expected"), [("c_index", Lead(ahead=1, level=1, behind=2)), ("brier", Lead(ahead=2, level=1, behind=1))]
)
def test_leads_have_the_direction_of_the_score_and_four_digits(score, expected):
    pairs = {"a": (0.7, 0.6), "b": (0.70001, 0.70002), "c": (0.7, 0.7002), "d": (0.5, 0.6)}
    results = {
        Cell(name, model, 0): line(**{score: value})
        for name, values in pairs.items()
        for model, value in zip(("fpboost", "peer"), values, strict=True)
    }
    assert lead_over(results, "peer", score) == expected


def test_a_lead_is_that_of_means_over_common_repeats():
    values = {("fpboost", 0): 0.6, ("peer", 0): 0.7, ("fpboost", 1): 0.8, ("peer", 1): 0.6, ("fpboost", 2): 0.1}
    results = {Cell("a", model, repeat): line(c_index=value) for (model, repeat), value in values.items()}
    assert lead_over(results, "peer", "c_index") == Lead(1, 0, 0)


@pytest.mark.parametrize(("score", "expected"), [("c_index", ClearLead(1, 2)), ("brier", ClearLead(2, 1))])
def test_a_clear_lead_has_two_standard_errors_of_three_repeats_or_more(score, expected):
    """Differences of a, b and c are clear; those of d have one standard error, and e has two repeats only."""
    differences = {"a": [1, 2, 3], "b": [-1, -2, -3], "c": [-1, -1, -1], "d": [-1, 1, 3], "e": [5, 5]}
    results = {
        Cell(name, model, repeat): line(**{score: 0.5 + 0.01 * lead * (model == "fpboost")})
        for name, leads in differences.items()
        for repeat, lead in enumerate(leads)
        for model in ("fpboost", "peer")
    }
    assert clear_lead_over(results, "peer", score) == expected


@pytest.mark.parametrize("repeats", [2, 3])
def test_clear_leads_are_reported_only_where_there_are_standard_errors(repeats):
    results = {
        Cell("a", model, repeat): line(c_index=value, brier=1.0 - value)
        for model, value in (("fpboost", 0.7), ("coxnet", 0.6))
        for repeat in range(repeats)
    }
    assert ("clearly ahead" in lead_section(results, ["fpboost", "coxnet"])) == (repeats >= 3)


def test_the_share_is_of_all_data_sets():
    results = {Cell("a", model, 0): line(c_index=0.6, brier=0.2) for model in ("fpboost", "coxnet")}
    results |= {
        Cell("b", "fpboost", 0): line(c_index=0.7, brier=0.2),
        Cell("b", "coxnet", 0): line(c_index=0.6, brier=0.1),
    }
    text = lead_section(results, ["fpboost", "coxnet"])
    assert "| coxnet | 1 | 1 | 0 | 50 % | 0 | 1 | 1 | 0 % |" in text
    assert "| fpboost |" not in text


def test_calibration_is_averaged_within_data_sets_first():
    results = {
        Cell("a", "x", 0): calibrated(0.5, 0.1),
        Cell("a", "x", 1): calibrated(0.01, -0.3),
        Cell("b", "x", 0): calibrated(0.5, -0.4, 0.3),
        Cell("b", "x", 1): line(c_index=0.6),
        Cell("b", "x", 2): failure(Cell("b", "coxnet", 2), "timeout"),
    }
    found = mean_calibration(results).loc["x"]
    assert found["passed"] == pytest.approx(0.75)
    assert found["off"] == pytest.approx(0.3)
    assert found["deviation"] == pytest.approx(0.2)
    assert (found["datasets"], found["cells"]) == (2, 3)


def test_a_model_measured_without_calibration_is_named():
    results = {Cell("a", "old", 0): line(c_index=0.6), Cell("a", "new", 0): calibrated(0.5, 0.01)}
    text = calibration_section(results, ["old", "new"])
    assert "| old | 0 | 0 | not measured |" in text
    assert "| new | 1 | 1 | 100 % | 10.0 % | 0.0100 |" in text
    assert "not measured" in calibration_section({Cell("a", "old", 0): line(c_index=0.6)}, ["old"])


class TestLargeReport:
    def test_the_best_is_bold_and_what_is_missing_is_said(self):
        slow = Cell("nafld1", "cox_ridge", 0)
        broken = Cell("nafld1", "weibull_aft", 0)
        results = {
            Cell("nafld1", "kaplan_meier", 0): line(n=17_549, c_index=0.9),
            Cell("nafld1", "coxnet", 0): line(n=17_549, c_index=0.6),
            Cell("nafld1", "fpboost", 0): line(n=17_549, c_index=0.7, true_c_index=0.8),
            slow: failure(slow, "timeout after 600 seconds"),
            broken: failure(broken, "Traceback: no penalizer converges"),
        }
        names = ["kaplan_meier", "coxnet", "fpboost", "cox_ridge", "weibull_aft", "xgb_cox"]
        text = measure_table(results, names, ["nafld1", "hdfail_all"], MEASURES[0])
        assert "| nafld1 | 0.9000 | 0.6000 | **0.7000** | timeout | error |  | 0.8000 |" in text
        assert "hdfail_all" not in text

    def test_calibration_is_shown_without_sign(self):
        results = {
            Cell("nafld1", "coxnet", 0): line(n=17_549, median_excess=-0.01),
            Cell("nafld1", "fpboost", 0): line(n=17_549, median_excess=0.02),
        }
        measure = next(each for each in MEASURES if each[1] == "median_excess")
        assert "| nafld1 | **1.00** | 2.00 |" in measure_table(results, ["coxnet", "fpboost"], ["nafld1"], measure)

    def test_all_parts(self):
        results = {Cell("nafld1", model, 0): measured() for model in ("coxnet", "fpboost")}
        text = "\n".join(compose(results, ["coxnet", "fpboost"]))
        assert "| nafld1 | 100 | 2 | 3 | 40 | 60 % |" in text
        assert "| coxnet | 0 | 1 | 0 | 0 % |" in text
        assert all(f"## {measure[0]}\n" in text for measure in MEASURES)

    def test_a_model_is_left_out_where_it_is_too_slow(self):
        results = {Cell("changing_500000", "coxnet", 0): line(n=500_000, c_index=0.6)}
        text = measure_table(results, ["coxnet", "cox_ridge"], ["changing_500000"], MEASURES[0])
        assert "| changing_500000 | 0.6000 | too slow |" in text
        planned = command.plan(["coxnet", "cox_ridge"], ["proportional_20000", "proportional_100000"], [0])
        assert Cell("proportional_20000", "cox_ridge", 0) in planned
        assert Cell("proportional_100000", "cox_ridge", 0) not in planned
        assert Cell("proportional_100000", "coxnet", 0) in planned


@pytest.mark.parametrize(("place", "options"), [("large", ["--large"]), ("first_repeat", ["--repeats", "0"])])
def test_a_committed_report_is_that_of_the_committed_results(place, options, tmp_path):
    command.main(["report", *options, "--report", str(tmp_path)])
    committed = RESULTS / "accuracy" / place / "report.md"
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == committed.read_text(encoding="utf-8")
