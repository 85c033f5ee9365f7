"""Trees grown by XGBoost in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import xgboost as xgb

Scores = npt.NDArray[np.float32]
Objective = Callable[[Scores, xgb.DMatrix], tuple[npt.NDArray[Any], npt.NDArray[Any]]]
Metric = Callable[[Scores, xgb.DMatrix], list[tuple[str, float]]]


#: A label of XGBoost has one column or one for each output. A model with fewer outputs than this has idle ones beside
#: them, with zero gradients and no splits, so that a label can always carry this many numbers.
MIN_OUTPUTS = 2


def with_idle_outputs(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values of each output, on the last axis, with zeros for the idle ones."""
    missing = MIN_OUTPUTS - values.shape[-1]
    return values if missing <= 0 else np.pad(values, [*[(0, 0)] * (values.ndim - 1), (0, missing)])


def without_idle_outputs(outputs: npt.NDArray[Any], n_scores: int) -> npt.NDArray[np.float64]:
    """The inverse of `with_idle_outputs`, in double precision."""
    return outputs[..., :n_scores].astype(np.float64)


def build_matrix(
    X: Any,
    *,
    names: list[str] | None,
    types: list[str] | None,
    fields: Mapping[str, npt.NDArray[Any]] | None = None,
    settings: Mapping[str, Any] | None = None,
    like: xgb.DMatrix | None = None,
) -> xgb.DMatrix:
    """Hand data to XGBoost.

    Parameters
    ----------
    X : array or sparse matrix
        Features.
    names, types : list of str or None
        Feature names and XGBoost's feature types.
    fields : mapping
        Per-row fields that the objective reads, by XGBoost's names.
    settings : mapping
        XGBoost's training parameters. With ``tree_method="hist"`` features are binned at once, which saves memory.
    like : DMatrix
        Training data whose bins are to be used.
    """
    settings = settings or {}
    common = {
        "feature_names": names,
        "feature_types": types,
        "enable_categorical": True,
        "nthread": settings.get("nthread"),
        **(fields or {}),
    }
    if settings.get("tree_method") == "hist":
        return xgb.QuantileDMatrix(X, ref=like, max_bin=settings["max_bin"], **common)
    return xgb.DMatrix(X, **common)


def grow_trees(
    settings: Mapping[str, Any],
    train: xgb.DMatrix,
    rounds: int,
    objective: Objective,
    *,
    validation: xgb.DMatrix | None = None,
    metric: Metric | None = None,
    callbacks: Sequence[xgb.callback.TrainingCallback] = (),
) -> tuple[xgb.Booster, dict[str, list[float]]]:
    """Boost for a number of rounds, one tree per score and round.

    Returns
    -------
    booster : xgboost.Booster
    record : dict
        Values of the metrics on the validation data, round by round.
    """
    record: dict[str, dict[str, list[float]]] = {}
    booster = xgb.train(
        dict(settings),
        train,
        num_boost_round=rounds,
        obj=objective,
        custom_metric=metric if validation is not None else None,
        evals=[] if validation is None else [(validation, "validation")],
        evals_result=record,
        callbacks=list(callbacks),
        verbose_eval=False,
    )
    return booster, record.get("validation", {})


def predict_scores(booster: xgb.Booster, matrix: xgb.DMatrix) -> npt.NDArray[np.float64]:
    """Raw scores of each row, of shape (n, outputs)."""
    return _outputs(booster, matrix, (0, 0))


def average_scores(boosters: Sequence[xgb.Booster], matrix: xgb.DMatrix) -> npt.NDArray[np.float64]:
    """Raw scores averaged over several boosters."""
    return np.asarray(sum(predict_scores(booster, matrix) for booster in boosters) / len(boosters))


def average_course(
    boosters: Sequence[xgb.Booster], matrix: xgb.DMatrix, start: npt.NDArray[np.float64]
) -> Iterator[npt.NDArray[np.float64]]:
    """Averaged scores from the start on, then after each round; a booster with fewer rounds stays where it ended.

    Each round adds its own trees only, so that all rounds together cost one prediction.
    """
    start = start.astype(np.float32).astype(np.float64)  # as XGBoost holds it
    scores = start
    yield scores
    for made in range(max(booster.num_boosted_rounds() for booster in boosters)):
        growing = [booster for booster in boosters if made < booster.num_boosted_rounds()]
        for booster in growing:
            scores = scores + (_outputs(booster, matrix, (made, made + 1)) - start) / len(boosters)
        yield scores


def _outputs(booster: xgb.Booster, matrix: xgb.DMatrix, rounds: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Where the matrix starts, plus the trees of some rounds; ``(0, 0)`` is all of them."""
    scores = booster.predict(matrix, output_margin=True, iteration_range=rounds)
    return scores.reshape(matrix.num_row(), -1).astype(np.float64)
