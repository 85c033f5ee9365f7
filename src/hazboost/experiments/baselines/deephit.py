"""DeepHit: a network for the probabilities of intervals of time, of pycox."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hazboost.experiments.baselines.base import Baseline, mean_survival_risk
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

SPACE = {
    "durations": (5, 10, 20, 50),
    "alpha": (0.2, 0.5, 0.8),
    "dropout": (0.0, 0.1, 0.3, 0.6),
    "learning_rate": (1e-3, 1e-2),
}
#: Points to which the survival function between two durations is filled in, linearly, as in the examples of pycox.
POINTS = 10


@dataclass(frozen=True)
class DeepHit:
    """A trained `pycox.models.DeepHitSingle`."""

    model: Any
    setting: Setting

    def risk(self, X: Array) -> Array:
        """Minus the mean of the survival function."""
        return mean_survival_risk(self.survival, X)

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return survival_table(self.model, self.setting, X, times)


def fit(
    split: Split, dataset: str, seed: int, *, setting: Setting, durations: int, alpha: float, sigma: float, fill: bool
) -> DeepHit:
    """Train the network; early stopping watches its loss on the validation part.

    Parameters
    ----------
    split, dataset, seed
        As for every baseline.
    setting : Setting
        Network and training.
    durations : int
        Number of times, evenly spaced, at which the survival function is estimated.
    alpha : float
        Share of the likelihood in the loss; the rest is for the order of pairs.
    sigma : float
        Scale of the differences within pairs.
    fill : bool
        Whether the survival function is filled in between these times.
    """
    from pycox.models import DeepHitSingle  # noqa: PLC0415

    labels = DeepHitSingle.label_transform(durations)
    y = labels.fit_transform(single(split.train.time), single(split.train.event))
    validation = (
        single(split.validation.X),
        labels.transform(single(split.validation.time), single(split.validation.event)),
    )
    network = make_network(setting, split.train.X.shape[1], labels.out_features, seed)
    model = DeepHitSingle(network, make_optimizer(setting), alpha=alpha, sigma=sigma, duration_index=labels.cuts)
    train(model, setting, single(split.train.X), y, validation)
    return DeepHit(model.interpolate(POINTS) if fill else model, setting)


DEEPHIT = Baseline(
    name="deephit",
    title="DeepHit",
    kind="fully parametric",
    learner="neural",
    fit=partial(fit, setting=EXAMPLES, durations=10, alpha=0.2, sigma=0.1, fill=True),
    space=SPACE,
    packages=PACKAGES,
)
DEEPHIT_PAPER = Baseline(
    name="deephit_paper",
    title="DeepHit (paper)",
    kind="fully parametric",
    learner="neural",
    fit=partial(fit, setting=NOTEBOOK, durations=5, alpha=0.5, sigma=0.1, fill=False),
    packages=PACKAGES,
)
