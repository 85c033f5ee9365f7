"""FPBoost of the authors' own package, with the hyperparameters of the paper's table."""

from __future__ import annotations

from benchmarks.harness.environments import Environment
from benchmarks.peers.shared.base import Fitted, Peer, Task
from benchmarks.peers.shared.own_interpreter import fit_remote
from benchmarks.peers.shared.published_settings import published_settings

ENVIRONMENT = Environment("fpboost", ("fpboost==0.1.0", "torch==2.13.0"))
#: Columns of the table that the package does not know.
UNKNOWN = ("init", "patience")


def fit(task: Task) -> Fitted:
    """Fit fpboost 0.1.0 with the published settings of the data set, or its defaults where there are none.

    The package has neither the Kaplan-Meier start nor the early stopping of the paper's WHAS: it starts at random there
    and makes all rounds. Times of zero are moved to half the smallest positive one, as its hazards are infinite or
    zero there. A head whose shape has become 0 has all of its cumulative hazard at time zero, so that S(0) may be below
    1; this is left as the package has it.
    """
    known = {name: value for name, value in published_settings(task.dataset).items() if name not in UNKNOWN}
    return fit_remote(ENVIRONMENT, "fit_fpboost", task.train, {**known, "random_state": task.seed})


PEERS = (
    Peer(
        "paper",
        "fpboost_authors",
        fit,
        ("fpboost",),
        "FPBoost (authors' package)",
        "fully parametric",
        "tree",
        environment=ENVIRONMENT,
    ),
    Peer("speed", "fpboost_authors", fit, ("fpboost",), "fpboost (the authors)", environment=ENVIRONMENT),
)
