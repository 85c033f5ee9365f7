"""DeepSurv: a network for the log-risk of a Cox model, of pycox."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.shared import pycox_models as networks
from benchmarks.peers.shared.base import Peer, Task, with_validation
from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class DeepSurv:
    """A trained `pycox.models.CoxPH`, with Breslow's baseline hazard of the training part."""

    model: Any
    setting: networks.Setting

    def risk(self, X: Array) -> Array:
        """The log-risk."""
        return np.asarray(self.model.predict(networks.single(X)), dtype=np.float64)[:, 0]

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return networks.survival_table(self.model, self.setting, X, times)


def fit(task: Task, *, setting: networks.Setting) -> DeepSurv:
    """Train the network; early stopping watches the partial likelihood of the validation part."""
    from pycox.models import CoxPH  # noqa: PLC0415

    network = networks.make_network(setting, task.train.X.shape[1], 1, task.seed)
    model = CoxPH(network, networks.make_optimizer(setting))
    parts = [[networks.single(values) for values in (part.X, part.time, part.event)] for part in with_validation(task)]
    (X, *y), (X_watched, *watched) = parts
    networks.train(model, setting, X, tuple(y), (X_watched, tuple(watched)))
    model.compute_baseline_hazards()
    return DeepSurv(model, setting)


_GROUPS: dict[str, Any] = {"kind": "semi-parametric", "learner": "neural"}
PEERS = (
    Peer("paper", "deepsurv", partial(fit, setting=networks.EXAMPLES), networks.PACKAGES, "DeepSurv", **_GROUPS),
    Peer(
        "paper",
        "deepsurv_paper",
        partial(fit, setting=networks.NOTEBOOK),
        networks.PACKAGES,
        "DeepSurv (paper)",
        **_GROUPS,
    ),
)
