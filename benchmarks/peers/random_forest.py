"""Random survival forest, of scikit-survival."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.curves import round_up
from benchmarks.peers.shared.scikit_survival import PACKAGES, ScikitSurvival, fit_scikit_survival
from benchmarks.peers.shared.tables import one_hot_with_missing


def fit(task: Task, *, most_times: int | None = None) -> ScikitSurvival:
    """Fit `RandomSurvivalForest` at its defaults: 100 trees, leaves of at least 3.

    A forest stores two curves over all distinct times in every leaf. Where there are more distinct times than
    `most_times`, they are rounded up to as many quantiles.
    """
    from sksurv.ensemble import RandomSurvivalForest  # noqa: PLC0415

    train = task.train
    if most_times is not None:
        train = replace(train, time=round_up(train.time, most_times))
    return fit_scikit_survival(RandomSurvivalForest(random_state=task.seed, n_jobs=task.threads), train)


def memory(rows: int, columns: int) -> float:
    """Two curves over all distinct times, 2,000 at most in the study of the paper, in every node of 100 trees."""
    return 0.5 + 2.0 * 8.0 * 100 * (0.3 * rows) * min(rows, 2_000) / 2**30


PEERS = (
    Peer("paper", "rsf", fit, PACKAGES, "RSF", "non-parametric", "tree", memory=memory),
    # Up to 10,000 rows: with all distinct times most machines would not have the memory.
    Peer("accuracy", "rsf", partial(fit, most_times=1_000), PACKAGES, encoder=one_hot_with_missing, memory=memory),
    Peer(
        "truth", "rsf", partial(fit, most_times=1_000), PACKAGES, "forest", encoder=one_hot_with_missing, memory=memory
    ),
    # Rounding makes it faster. With all distinct times 10,000 rows would take tens of gigabytes.
    Peer("speed", "forest", partial(fit, most_times=1_000), PACKAGES, "random survival forest (scikit-survival)"),
)
