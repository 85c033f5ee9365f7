"""DeepSurv: a network for the log-risk of a Cox model, of pycox."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hazboost.experiments.baselines.base import Baseline
from hazboost.experiments.baselines.pycox_models import (
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

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split

SPACE = {"dropout": (0.0, 0.1, 0.3, 0.6), "learning_rate": (1e-3, 1e-2), "layers": ((32,), (32, 32), (128, 128))}


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


def fit(split: Split, dataset: str, seed: int, *, setting: Setting) -> DeepSurv:
    """Train the network; early stopping watches the partial likelihood of the validation part."""
    from pycox.models import CoxPH  # noqa: PLC0415

    model = CoxPH(make_network(setting, split.train.X.shape[1], 1, seed), make_optimizer(setting))
    parts = [(single(part.X), (single(part.time), single(part.event))) for part in (split.train, split.validation)]
    train(model, setting, *parts[0], parts[1])
    model.compute_baseline_hazards()
    return DeepSurv(model, setting)


DEEPSURV = Baseline(
    name="deepsurv",
    title="DeepSurv",
    kind="semi-parametric",
    learner="neural",
    fit=partial(fit, setting=EXAMPLES),
    space=SPACE,
    packages=PACKAGES,
)
DEEPSURV_PAPER = Baseline(
    name="deepsurv_paper",
    title="DeepSurv (paper)",
    kind="semi-parametric",
    learner="neural",
    fit=partial(fit, setting=NOTEBOOK),
    packages=PACKAGES,
)
