"""Trees grown by XGBoost on a GPU, where features, scores and gradients stay.

XGBoost returns the scores of its own data to the memory of the computer after every round. Here they are kept beside
the features on the GPU instead, and each round adds the predictions of its own trees.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import Any
from weakref import WeakSet

import numpy as np
import xgboost as xgb

from hazboost.engines.base import Columns, Matrix
from hazboost.engines.dialect import feature_names, feature_types
from hazboost.engines.local import LocalEngine
from hazboost.utils.arrays import Array
from hazboost.utils.devices import has_device, is_on_device, to_device, to_host

#: Vector leaves with categories and constraints are complete from here on.
HAS_VECTOR_LEAVES = tuple(int(part) for part in xgb.__version__.split(".")[:2]) >= (3, 4)

#: Trees of a GPU that the processor reads now, and who may change that.
ON_PROCESSOR: WeakSet[xgb.Booster] = WeakSet()
CONFIGURING = Lock()


def check_cuda(device: str) -> None:
    """Refuse to work on a GPU where there is none, or where something is missing for it."""
    remedy = "use device='cpu'"
    if not xgb.build_info().get("USE_CUDA", False):
        raise ValueError(
            f"device={device!r}: the installed xgboost was built without support for GPUs; install one that has it, or "
            f"{remedy}."
        )
    try:
        count = import_module("cupy").cuda.runtime.getDeviceCount()
    except ImportError as error:
        raise ImportError(
            f"device={device!r} needs CuPy, which is not installed: pip install 'hazboost[gpu]', or {remedy}."
        ) from error
    except Exception as error:  # CuPy's own errors cannot be named where CuPy may be missing
        raise ValueError(f"device={device!r}: no GPU was found ({error}); {remedy}.") from error
    number = int(device.partition(":")[2] or 0)
    if number >= count:
        raise ValueError(f"device={device!r}: there are {count} GPUs, numbered from 0; use one of them, or {remedy}.")


def release() -> None:
    """Give the memory that CuPy keeps for later back to XGBoost."""
    import_module("cupy").get_default_memory_pool().free_all_blocks()


@dataclass
class CudaMatrix:
    """Rows on the GPU.

    Attributes
    ----------
    X : CuPy array of shape (n, features)
        Features, in single precision.
    start : CuPy array of shape (n, scores)
        Scores before the first tree, in single precision.
    columns : mapping of str to CuPy array
        What was given with the rows, rounded to single precision as XGBoost would.
    data : QuantileDMatrix or None
        The binned features, of training data.
    scores : CuPy array of shape (n, scores)
        Scores after the first ``rounds`` rounds of ``trees``, those that were asked for last.
    on_host : bool
        Whether scores are wanted in the memory of the computer.
    """

    X: Any
    start: Any
    columns: Columns
    data: xgb.QuantileDMatrix | None
    scores: Any
    trees: xgb.Booster | None = None
    rounds: int = 0
    on_host: bool = False


@dataclass(frozen=True)
class CudaEngine(LocalEngine):
    """XGBoost on a GPU, for features that are not sparse; ``Matrix`` is `CudaMatrix`.

    Where there is no GPU, a model that was trained on one predicts on the processor, and ``Matrix`` is that of
    `LocalEngine`.
    """

    def matrix(self, X: Any, start: Array, columns: Columns | None = None, like: Matrix | None = None) -> Matrix:
        """Move rows to the GPU; those for training are binned there, where it takes a tenth of the time."""
        if columns is None and not has_device():
            return super().matrix(X, start)
        features, begin = to_device(X, np.float32), to_device(start, np.float32)
        # The outcomes of held-out rows stay where their scores are wanted.
        move = to_device if like is None else np.asarray
        known = {name: move(values, dtype=np.float32).astype(np.float64) for name, values in (columns or {}).items()}
        data = self._binned(features, known.get("weight")) if columns is not None and like is None else None
        if data is None and self.features is not None and self.features.highest is not None:
            features = np.minimum(features, to_device(np.array(self.features.highest, dtype=np.float32)))
        release()
        on_host = like is not None or not is_on_device(X)
        return CudaMatrix(features, begin, known, data, begin.copy(), on_host=on_host and data is None)

    def _binned(self, X: Any, weight: Any) -> xgb.QuantileDMatrix:
        """Binned features. XGBoost wants to be told of weights here, because they count rows when it bins."""
        return xgb.QuantileDMatrix(
            X,
            max_bin=self.settings["max_bin"],
            weight=weight,
            feature_names=feature_names(self.features),
            feature_types=feature_types(self.features),
            enable_categorical=True,
        )

    def to_engine_device(self, X: Any) -> Any:
        """Features on the GPU, in single precision."""
        return to_device(X, np.float32) if has_device() else X

    def columns(self, matrix: Matrix) -> Columns:
        """The columns of a matrix, in single precision."""
        columns: Columns = matrix.columns
        return columns

    def no_trees(self, matrix: Matrix) -> xgb.Booster:
        """A booster without trees.

        From a depth of four on, one tree for all scores with vectors in its leaves is as accurate as a tree for each of
        them, and takes half of the time.
        """
        vectors = self.settings.get("max_depth", 6) >= 4 and HAS_VECTOR_LEAVES
        strategy = {"multi_strategy": "multi_output_tree"} if vectors else {}
        return super(CudaEngine, self.with_settings(**strategy)).no_trees(matrix.data)

    def grow(self, trees: xgb.Booster, matrix: Matrix, gradient: Array, hessian: Array) -> xgb.Booster:
        """One more round."""
        return super().grow(trees, matrix.data, gradient, hessian)

    def scores(self, trees: xgb.Booster, matrix: Matrix, rounds: tuple[int, int] | None = None) -> Array:
        """Start plus trees, of which only those are evaluated that are new since the scores were last asked for."""
        if not isinstance(matrix, CudaMatrix):
            return super().scores(_on_processor(trees), matrix, rounds)
        if rounds is not None:
            return self._give(matrix.start + self._predict(trees, matrix.X, *rounds), matrix)
        made = self.rounds(trees)
        if trees is not matrix.trees or made < matrix.rounds:  # other trees than before
            matrix.scores, matrix.trees, matrix.rounds = matrix.start.copy(), trees, 0
        if made > matrix.rounds:
            matrix.scores += self._predict(trees, matrix.X, matrix.rounds, made)
            matrix.rounds = made
        return self._give(matrix.scores, matrix)

    def contributions(self, trees: xgb.Booster, matrix: Matrix) -> Array:
        """What each feature adds, where trees have one score each."""
        return self._explained(trees, matrix, super().contributions)

    def interactions(self, trees: xgb.Booster, matrix: Matrix) -> Array:
        """What each pair of features adds, where trees have one score each."""
        return self._explained(trees, matrix, super().interactions)

    def _explained(
        self, trees: xgb.Booster, matrix: Matrix, explain: Callable[[xgb.Booster, xgb.DMatrix], Array]
    ) -> Array:
        """What is said of the same rows as XGBoost's own data, which it wants to be given for this."""
        if not isinstance(matrix, CudaMatrix):
            return explain(_with_single_scores(_on_processor(trees)), matrix)
        return explain(_with_single_scores(trees), super().matrix(to_host(matrix.X), to_host(matrix.start)))

    def _predict(self, trees: xgb.Booster, X: Any, first: int, last: int) -> Any:
        """What the trees of some rounds add to the scores."""
        if first == last:
            return np.zeros_like(X, shape=(len(X), self.n_scores))
        rounds = {"iteration_range": (first, last), "predict_type": "margin", "validate_features": False}
        outputs = trees.inplace_predict(X, **rounds)
        return outputs.reshape(len(X), -1)[:, : self.n_scores]

    def _give(self, scores: Any, matrix: CudaMatrix) -> Array:
        wanted: Array = to_host(scores) if matrix.on_host else scores
        return wanted


def _on_processor(trees: xgb.Booster) -> xgb.Booster:
    """Trees that the processor reads, where there is no GPU.

    XGBoost applies a new setting when it is next asked for something, which must not be two threads at once.
    """
    with CONFIGURING:
        if trees not in ON_PROCESSOR:
            trees.set_param({"device": "cpu"})
            trees.save_config()  # asks for something
            ON_PROCESSOR.add(trees)
    return trees


def _with_single_scores(trees: xgb.Booster) -> xgb.Booster:
    """Refuse trees with vectors in their leaves, which XGBoost cannot explain yet."""
    learner = json.loads(trees.save_config())["learner"]
    if learner["learner_train_param"]["multi_strategy"] == "multi_output_tree":
        raise ValueError(
            "model was fitted on a GPU with trees that serve all scores at once, which cannot be explained; fit it "
            "with device='cpu', or with a max_depth of at most 3."
        )
    return trees
