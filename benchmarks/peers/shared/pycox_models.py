"""What the networks of pycox share: two settings, training, and survival functions from tables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.peers.shared.curves import nearest_values, step_values
from hazboost.utils.arrays import Array

PACKAGES = ("pycox", "torchtuples", "torch")
BATCH = 256
#: Epochs without a lower validation loss after which training stops.
PATIENCE = 10


class Setting(NamedTuple):
    """A network and how it is trained.

    Parameters
    ----------
    layers : callable
        From the number of columns to the widths of the hidden layers.
    batch_norm : bool
        Whether hidden layers are normalised.
    dropout : float
        Share of hidden units that are left out in training.
    learning_rate : float
        Of Adam.
    epochs : int
        At most; early stopping on the validation part ends most trainings.
    at : callable
        From a table of survival functions to their values at given times.
    """

    layers: Callable[[int], list[int]]
    batch_norm: bool
    dropout: float
    learning_rate: float
    epochs: int
    at: Callable[[Array, Array, Array], Array]


def layers_of_the_paper(columns: int) -> list[int]:
    """3, 5 and 3 times the number of columns."""
    return [3 * columns, 5 * columns, 3 * columns]


def layers_of_the_examples(columns: int) -> list[int]:
    """Two of 32 units, whatever the number of columns."""
    return [32, 32]


#: The authors' notebook; predictions are those of the nearest time of the table.
NOTEBOOK = Setting(
    layers=layers_of_the_paper, batch_norm=False, dropout=0.6, learning_rate=1e-3, epochs=256, at=nearest_values
)
#: The examples that come with pycox.
EXAMPLES = Setting(
    layers=layers_of_the_examples, batch_norm=True, dropout=0.1, learning_rate=1e-2, epochs=512, at=step_values
)


def make_network(setting: Setting, columns: int, outputs: int, seed: int) -> Any:
    """A network with random weights, on one thread; the generators of torch and numpy are seeded."""
    import torch  # noqa: PLC0415
    import torchtuples as tt  # noqa: PLC0415

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - what torchtuples uses
    return tt.practical.MLPVanilla(columns, setting.layers(columns), outputs, setting.batch_norm, setting.dropout)


def make_optimizer(setting: Setting) -> Any:
    """Adam, with the learning rate of the setting."""
    import torchtuples as tt  # noqa: PLC0415

    return tt.optim.Adam(setting.learning_rate)


def train(model: Any, setting: Setting, X: npt.NDArray[np.float32], y: Any, validation: tuple[Any, Any]) -> None:
    """Train a model of pycox until the validation loss has not fallen for 10 epochs, and keep the best weights."""
    import torchtuples as tt  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        stop = tt.callbacks.EarlyStopping(patience=PATIENCE, file_path=str(Path(folder) / "weights.pt"))
        model.fit(
            X,
            y,
            batch_size(len(X)),
            setting.epochs,
            callbacks=[stop],
            verbose=False,
            val_data=validation,
            num_workers=0,
        )


def batch_size(rows: int) -> int:
    """256, or one less where the last batch would be a single row, which has no variance to normalise by."""
    return BATCH - 1 if rows % BATCH == 1 else BATCH


def survival_table(model: Any, setting: Setting, X: Array, times: Array) -> Array:
    """Survival functions of a model of pycox at given times."""
    table = model.predict_surv_df(single(X))
    return setting.at(table.index.to_numpy(dtype=np.float64), table.to_numpy(dtype=np.float64).T, times)


def single(values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """In single precision, as networks want it."""
    return np.asarray(values, dtype=np.float32)
