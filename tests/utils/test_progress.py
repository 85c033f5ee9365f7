"""The progress bar."""

import re
from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.training.policy import POLICY
from hazboost.utils.progress import FoldProgress, Progress, TrialProgress

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = RNG.random(60) < 0.8, (RNG.random(60) + 0.1) * np.where(np.abs(X[:, 0]) > 0.6, 0.1, 1.0)


def fit(**parameters):
    return FPBoost(1, 0, **{"n_estimators": 4, "init": "marginal", "random_state": 0, **parameters}).fit(X, Y)


def test_a_bar_is_drawn_on_standard_error(capsys):
    fit(verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "4/4 rounds" in err
    assert err.endswith("\n")


def test_the_bar_shows_the_validation_metrics(capsys):
    model = fit(verbose=1, patience=50)
    err = capsys.readouterr().err
    assert f"concordance {model.history_['validation_concordance'][-1]:.4f}" in err


def test_the_bar_of_a_stopped_fit_says_how_far_it_came(capsys):
    model = fit(verbose=1, patience=1, n_estimators=500, learning_rate=0.5)
    made = len(model.history_["train_loss"]) - 1
    assert made < 500
    assert f"{made}/500 rounds" in capsys.readouterr().err


@pytest.mark.parametrize("verbose", [0, False])
def test_nothing_is_printed_by_default(verbose, capfd):
    fit(verbose=verbose, patience=2, n_estimators=500, learning_rate=0.5)  # enough rounds to stop early
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("done", "filled"), [(1, 6), (2, 12), (4, 24)])
def test_the_bar_fills(done, filled, capsys):
    Progress(4)._draw(done, 1.0, {})
    bar = re.search("[█░]+", capsys.readouterr().err).group()
    assert bar == "█" * filled + "░" * (24 - filled)


def test_the_remaining_time_is_in_proportion(capsys):
    Progress(10)._draw(2, 3.0, {})
    assert "3.0s, 12.0s left" in capsys.readouterr().err


def test_the_bar_does_not_change_the_model():
    assert fit(verbose=1).predict(X).tobytes() == fit().predict(X).tobytes()


def test_a_fit_without_rounds_has_a_full_bar(capsys):
    Progress(0).close()
    assert "█" * 24 + " 0/0 rounds" in capsys.readouterr().err


def last_line(err):
    return err.rstrip("\n").split("\r")[-1]


@pytest.mark.parametrize(
    ("parameters", "lines"),
    [
        ({"init": "linear"}, ["ridge in 3/3 folds", "effect in ./3 folds", "4/4 rounds"]),
        ({"n_estimators": "auto"}, ["trees of depth 2 in 3/3 folds"]),
        (
            {"init": "linear", "n_estimators": "auto"},
            ["ridge in 3/3 folds", "effect in ./3 folds", "trees of depth 2 in 3/3 folds"],
        ),
    ],
)
def test_each_choice_of_a_cross_validation_has_one_line(parameters, lines, capsys):
    fit(n_folds=3, learning_rate=0.5, max_depth=2, verbose=1, **parameters)
    *drawn, rest = capsys.readouterr().err.split("\n")
    assert rest == ""
    for line, expected in zip(drawn, lines, strict=True):
        assert re.search(expected, last_line(line))
    assert "█" * 24 in last_line(drawn[-1])


@pytest.mark.parametrize("deeper", [False, True])
def test_the_trees_of_each_depth_have_lines_of_their_own(deeper, capsys, monkeypatch):
    """One for the first fold, which can often tell, and one for the others."""
    monkeypatch.setattr(FPBoost, "_policy", replace(POLICY, events_for_leaf=0.1 if deeper else np.inf))
    model = fit(n_folds=3, learning_rate=0.5, verbose=1, n_estimators="auto")
    *drawn, rest = capsys.readouterr().err.split("\n")
    assert rest == ""
    tried = [re.search(r"trees of depth (\d) in (\d)/3 folds", last_line(line)).groups() for line in drawn]
    assert (str(model.max_depth_), "3") in tried
    assert len(set(tried)) == len(tried) > deeper
    assert {depth for depth, _ in tried} >= ({"2", "4"} if deeper else {"2"})


def test_folds_that_were_done_before_count_as_done(capsys):
    progress = FoldProgress(3, ["trees"], draw=True, done=1)
    progress.advance(2, 1.0)
    assert "█" * 16 + "░" * 8 + " trees in 2/3 folds" in capsys.readouterr().err
    progress.advance(1, 1.0)
    assert capsys.readouterr().err.endswith("\n")


def test_a_line_that_is_not_finished_is_left_where_it_is(capsys):
    progress = FoldProgress(3, ["depth 4"], draw=True)
    progress.advance(0, 1.0)
    progress.close()
    assert re.search(r"depth 4 in 1/3 folds.*\n$", capsys.readouterr().err)
    FoldProgress(3, ["depth 4"], draw=False).close()
    assert capsys.readouterr().err == ""
    finished = FoldProgress(1, ["depth 4"], draw=True)
    finished.advance(0, 1.0)
    finished.close()
    assert capsys.readouterr().err.count("\n") == 1


def test_folds_that_stop_early_are_done(capsys):
    progress = FoldProgress(2, ["rounds"], draw=True)
    progress.advance(0, 1.0)
    assert "█" * 12 + "░" * 12 + " rounds in 1/2 folds" in capsys.readouterr().err
    progress.bar(1, 100, patience=98).advance(50, {"loss": 1.0})
    assert progress.shares == [1.0, 0.49]


def test_stages_share_the_bar(capsys):
    progress = FoldProgress(1, ["ridge", "rounds"], draw=True)
    progress.advance(0, 1.0)
    assert "█" * 12 + "░" * 12 + " ridge in 1/1 folds" in capsys.readouterr().err
    progress.advance(0, 1.0)
    assert capsys.readouterr().err.endswith("\n")


def test_time_left_of_a_resumed_search_counts_its_own_trials_only(capsys):
    progress = TrialProgress(10, 8, draw=True)
    progress.began -= 6.0
    progress.advance(9, -1.25)
    assert re.search(r"9/10 trials  6\.\ds, 6\.\ds left  best -1\.2500", capsys.readouterr().err)


def test_the_rounds_of_a_fold_are_expected_from_its_best_one(capsys):
    """Not from the largest number of rounds: training that has stopped improving is nearly done."""
    progress = FoldProgress(1, ["rounds"], draw=True)
    bar = progress.bar(0, rounds=1000, patience=20)
    for number in range(61):
        bar.advance(number, {"loss": 1.0 / (1 + min(number, 40))})
    assert progress.shares == [pytest.approx(59 / (1.25 * 40 + 20))]
    before = progress.shares[0]
    bar.advance(61, {"loss": 0.0})  # goes on to improve: the bar waits, and does not go back
    assert progress.shares[0] == before
