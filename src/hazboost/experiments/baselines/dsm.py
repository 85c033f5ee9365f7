"""Deep Survival Machines: a network for a mixture of Weibull distributions, of auton-survival."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hazboost.experiments.baselines.base import Baseline, mean_survival_risk
from hazboost.experiments.baselines.curves import positive
from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Sample, Split

PACKAGES = ("auton-survival", "torch")
#: Passes over the data, of which early stopping leaves a few dozens; those of the library itself.
ITERATIONS = 1_000


@dataclass(frozen=True)
class DeepSurvivalMachines:
    """A trained `DeepSurvivalMachines` of auton-survival."""

    model: Any

    def risk(self, X: Array) -> Array:
        """Minus the mean of the survival function."""
        return mean_survival_risk(self.survival, X)

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times; 1 at time zero, where the library has NaN."""
        values = np.ones((len(X), len(times)))
        later = times > 0.0
        values[:, later] = self.model.predict_survival(np.asarray(X, dtype=np.float64), times[later].tolist())
        return values


@dataclass(frozen=True)
class NotebookMachines(DeepSurvivalMachines):
    """The same, read as in the authors' notebook: the probability of the event is taken for a cumulative hazard."""

    def survival(self, X: Array, times: Array) -> Array:
        r""":math:`e^{-(1 - S(t))}`, which never falls below 0.37."""
        return np.exp(super().survival(X, times) - 1.0)


def fit(split: Split, dataset: str, seed: int) -> DeepSurvivalMachines:
    """Train one layer of 100 until the likelihood of the validation part has not risen for three passes."""
    model = make_model([100], seed)
    train(model, split.train, iters=ITERATIONS, val_data=observations(split.validation))
    return DeepSurvivalMachines(model)


def fit_notebook(split: Split, dataset: str, seed: int) -> NotebookMachines:
    """Train layers of 3, 5 and 3 times the columns for one pass over the data, the library's default.

    As in the notebook, except that times of zero are moved to half the smallest positive one: the library's loss of an
    event at zero is not a number. (The paper's DSM has a C-index of exactly 0.5 on FLCHAIN, which has such events.)
    """
    columns = split.train.X.shape[1]
    model = make_model([3 * columns, 5 * columns, 3 * columns], seed)
    train(model, split.train, iters=1, val_data=observations(split.validation))
    return NotebookMachines(model)


def make_model(layers: list[int], seed: int) -> Any:
    """A mixture of three Weibull distributions, the library's default, on one thread."""
    import torch  # noqa: PLC0415
    from auton_survival.models.dsm import DeepSurvivalMachines as Machines  # noqa: PLC0415

    torch.set_num_threads(1)
    return Machines(layers=layers, random_seed=seed)


def train(model: Any, sample: Sample, **settings: Any) -> None:
    """Fit the model in silence: the library draws progress bars on standard error."""
    with redirect_stderr(io.StringIO()):
        model.fit(*observations(sample), **settings)


def observations(sample: Sample) -> tuple[Any, Any, Any]:
    """Features, times and events as the library wants them."""
    return sample.X, positive(sample.time), sample.event.astype(np.float64)


DSM = Baseline(
    name="dsm",
    title="DSM",
    kind="fully parametric",
    learner="neural",
    fit=fit,
    space={
        "k": (3, 4, 6),
        "distribution": ("Weibull", "LogNormal"),
        "learning_rate": (1e-4, 1e-3),
        "layers": ((), (100,), (100, 100)),
    },
    packages=PACKAGES,
)
DSM_PAPER = Baseline(
    name="dsm_paper",
    title="DSM (paper)",
    kind="fully parametric",
    learner="neural",
    fit=fit_notebook,
    packages=PACKAGES,
)
