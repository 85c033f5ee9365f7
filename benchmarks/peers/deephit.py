"""DeepHit: a network for the probabilities of intervals of time, of pycox."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.peers.shared import pycox_models as networks
from benchmarks.peers.shared.base import Peer, Task, mean_survival_risk, with_validation
from hazboost.utils.arrays import Array

#: Points to which the survival function between two durations is filled in, linearly, as in the examples of pycox.
POINTS = 10


@dataclass(frozen=True)
class DeepHit:
    """A trained `pycox.models.DeepHitSingle`."""

    model: Any
    setting: networks.Setting

    def risk(self, X: Array) -> Array:
        """Minus the mean of the survival function."""
        return mean_survival_risk(self.survival, X)

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return networks.survival_table(self.model, self.setting, X, times)


def fit(
    task: Task, *, setting: networks.Setting, durations: int, alpha: float, fill: bool, sigma: float = 0.1
) -> DeepHit:
    """Train the network; early stopping watches its loss on the validation part.

    Parameters
    ----------
    task : Task
        What to fit; it has validation rows.
    setting : Setting
        Network and training.
    durations : int
        Number of times, evenly spaced, at which the survival function is estimated.
    alpha : float
        Share of the likelihood in the loss; the rest is for the order of pairs.
    fill : bool
        Whether the survival function is filled in between these times.
    sigma : float
        Scale of the differences within pairs.
    """
    from pycox.models import DeepHitSingle  # noqa: PLC0415

    labels = DeepHitSingle.label_transform(durations)
    part, watched = with_validation(task)
    y = labels.fit_transform(networks.single(part.time), networks.single(part.event))
    validation = (
        networks.single(watched.X),
        labels.transform(networks.single(watched.time), networks.single(watched.event)),
    )
    network = networks.make_network(setting, part.X.shape[1], labels.out_features, task.seed)
    model = DeepHitSingle(
        network, networks.make_optimizer(setting), alpha=alpha, sigma=sigma, duration_index=labels.cuts
    )
    networks.train(model, setting, networks.single(part.X), y, validation)
    return DeepHit(model.interpolate(POINTS) if fill else model, setting)


_GROUPS: dict[str, Any] = {"kind": "fully parametric", "learner": "neural"}
PEERS = (
    Peer(
        "paper",
        "deephit",
        partial(fit, setting=networks.EXAMPLES, durations=10, alpha=0.2, fill=True),
        networks.PACKAGES,
        "DeepHit",
        **_GROUPS,
    ),
    Peer(
        "paper",
        "deephit_paper",
        partial(fit, setting=networks.NOTEBOOK, durations=5, alpha=0.5, fill=False),
        networks.PACKAGES,
        "DeepHit (paper)",
        **_GROUPS,
    ),
)
