"""The progress bar."""

import re

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.progress import Progress

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = RNG.random(60) < 0.8, RNG.random(60) + 0.1


def fit(**parameters):
    return FPBoost(1, 0, **{"n_estimators": 4, "random_state": 0, **parameters}).fit(X, Y)


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
    fit(verbose=verbose, patience=2)
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
