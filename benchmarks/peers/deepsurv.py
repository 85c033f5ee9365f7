"""DeepSurv: a network for the log-risk of a Cox model, of pycox."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Task, with_validation
from benchmarks.peers.shared.pycox_models import (
    EXAMPLES,
    NOTEBOOK,
    PACKAGES,
    Setting,
    make_network,
    make_optimizer,
    single,
    survival_table,
    train,
)
from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class DeepSurv:
    """A trained `pycox.models.CoxPH`, with Breslow's baseline hazard of the training part."""

    model: Any
    setting: Setting

    def risk(self, X: Array) -> Array:
        """The log-risk."""
        return np.asarray(self.model.predict(single(X)), dtype=np.float64)[:, 0]

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return survival_table(self.model, self.setting, X, times)


def fit(task: Task, *, setting: Setting) -> DeepSurv:
    """Train the network; early stopping watches the partial likelihood of the validation part."""
    from pycox.models import CoxPH  # noqa: PLC0415

    model = CoxPH(make_network(setting, task.train.X.shape[1], 1, task.seed), make_optimizer(setting))
    parts = [(single(part.X), (single(part.time), single(part.event))) for part in with_validation(task)]
    train(model, setting, *parts[0], parts[1])
    model.compute_baseline_hazards()
    return DeepSurv(model, setting)


PEERS = (
    Peer("paper", "deepsurv", partial(fit, setting=EXAMPLES), PACKAGES, "DeepSurv", "semi-parametric", "neural"),
    Peer(
        "paper",
        "deepsurv_paper",
        partial(fit, setting=NOTEBOOK),
        PACKAGES,
        "DeepSurv (paper)",
        "semi-parametric",
        "neural",
    ),
)
