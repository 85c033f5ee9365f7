"""Deep Survival Machines: a network for a mixture of Weibull distributions, of auton-survival."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Sample, Task, mean_survival_risk, with_validation
from benchmarks.peers.shared.curves import positive
from hazboost.utils.arrays import Array

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


def fit(task: Task) -> DeepSurvivalMachines:
    """Train one layer of 100 until the likelihood of the validation part has not risen for three passes."""
    return DeepSurvivalMachines(train(task, [100], ITERATIONS))


def fit_notebook(task: Task) -> NotebookMachines:
    """Train layers of 3, 5 and 3 times the columns for one pass over the data, the library's default.

    As in the notebook, except that times of zero are moved to half the smallest positive one: the library's loss of an
    event at zero is not a number. (The paper's DSM has a C-index of exactly 0.5 on FLCHAIN, which has such events.)
    """
    columns = task.train.X.shape[1]
    return NotebookMachines(train(task, [3 * columns, 5 * columns, 3 * columns], 1))


def train(task: Task, layers: list[int], iterations: int) -> Any:
    """Fit a mixture of three Weibull distributions, the library's default, on one thread.

    The library draws progress bars on standard error, which are discarded.
    """
    import torch  # noqa: PLC0415
    from auton_survival.models.dsm import DeepSurvivalMachines as Machines  # noqa: PLC0415

    torch.set_num_threads(1)
    model = Machines(layers=layers, random_seed=task.seed)
    part, watched = with_validation(task)
    with redirect_stderr(io.StringIO()):
        model.fit(*observations(part), iters=iterations, val_data=observations(watched))
    return model


def observations(sample: Sample) -> tuple[Any, Any, Any]:
    """Features, times and events as the library wants them."""
    return sample.X, positive(sample.time), sample.event.astype(np.float64)


PEERS = (
    Peer("paper", "dsm", fit, PACKAGES, "DSM", "fully parametric", "neural"),
    Peer("paper", "dsm_paper", fit_notebook, PACKAGES, "DSM (paper)", "fully parametric", "neural"),
)
