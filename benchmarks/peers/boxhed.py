"""BoXHED: boosted trees for the hazard as a function of time and features, of the authors' package."""

from __future__ import annotations

from benchmarks.harness.environments import Environment
from benchmarks.peers.shared.base import Fitted, Peer, Task
from benchmarks.peers.shared.own_interpreter import fit_remote

#: Its parts are compiled when it is installed and first used: that needs cmake and a C++ compiler, and takes minutes.
ENVIRONMENT = Environment(
    "boxhed",
    ("boxhed==2.0.13", "numpy==1.26.*", "pandas==2.2.*", "scikit-learn==1.3.*", "pytz"),
    first_use="from boxhed_prep.boxhed_prep import preprocessor; preprocessor()",
)


def fit(task: Task) -> Fitted:
    """Fit boxhed 2.0.13 at its defaults: 100 trees of depth 1, learning rate 0.1.

    At depth 1 no tree has time and a feature together, so hazards are proportional; its authors choose depth and number
    of trees by cross-validation. Columns of two values, one-hot or not, are named in its ``is_cat``: it would not use
    them otherwise, and WHAS (seed 0) would have a C-index of 0.72 instead of 0.82. Nothing in it is random. Times of
    zero, which end its process, are moved to half the smallest positive one.
    """
    return fit_remote(ENVIRONMENT, "fit_boxhed", task.train, {})


def memory(rows: int, columns: int) -> float:
    """Every row is cut at up to 256 quantiles of time, and copied a few times."""
    return 0.5 + 4.0 * 8.0 * 128 * rows * (columns + 4) / 2**30


PEERS = (
    Peer(
        "paper", "boxhed", fit, ("boxhed",), "BoXHED", "non-parametric", "tree", environment=ENVIRONMENT, memory=memory
    ),
)
