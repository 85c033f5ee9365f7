"""Cross-validation that knows no model: it is given functions and calls them with the parts of each fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed

from hazboost.data.sample import Sample
from hazboost.utils.arrays import Array
from hazboost.utils.devices import is_on_device
from hazboost.utils.progress import FoldProgress

T = TypeVar("T")

#: With fewer rows for each of them, threads wait for the interpreter longer than they work.
ROWS_FOR_A_THREAD = 2_000


@dataclass(frozen=True)
class Fold:
    """Rows to fit to, and rows to compare on.

    Attributes
    ----------
    number : int
        The number of the fold.
    kept : Sample
        What trees are fitted to: all rows but those that are held out.
    held : Sample
        The rows that are held out, in memory.
    drawn : Sample
        What regressions are fitted to: as many of the kept subjects as they need, in memory.
    """

    number: int
    kept: Sample
    held: Sample
    drawn: Sample

    @property
    def is_in_memory(self) -> bool:
        """Whether all rows are in the memory of this computer, and not on disk, on a GPU or on others."""
        return self.kept.is_in_memory and not is_on_device(self.kept.X)


@dataclass(frozen=True)
class CrossValidation:
    """The folds of a data set.

    Attributes
    ----------
    folds : tuple of Fold
        The folds.
    n_threads : int
        How many of them may be worked on at the same time.
    share : float
        How much a subject counts in each fold that holds it out: less than one where several folds do.
    """

    folds: tuple[Fold, ...]
    n_threads: int
    share: float = 1.0

    @property
    def for_trees(self) -> CrossValidation:
        """The same, with one fold after the other where their rows are not in memory."""
        return self if all(fold.is_in_memory for fold in self.folds) else replace(self, n_threads=1)

    def map(self, function: Callable[[Fold], T], progress: FoldProgress, only: Iterable[int] | None = None) -> list[T]:
        """Call a function with each fold, or with some of them by number; results come in the order of the folds."""
        folds = self.folds if only is None else [self.folds[number] for number in only]

        def work(fold: Fold) -> T:
            result = function(fold)
            progress.advance(fold.number, 1.0)
            return result

        # Threads, whatever backend the user has configured: NumPy and XGBoost release the interpreter lock, and the
        # data need not be copied.
        results: list[T] = Parallel(n_jobs=self.workers, require="sharedmem")(delayed(work)(fold) for fold in folds)
        return results

    @property
    def workers(self) -> int:
        """Folds that are worked on at the same time: one where they are small."""
        rows = min(len(fold.drawn.target) for fold in self.folds)
        return min(self.n_threads, max(1, rows // ROWS_FOR_A_THREAD))


def mean_curve(curves: Sequence[Sequence[float]], tails: Sequence[float]) -> Array:
    """Mean of losses over folds, round by round; ``tails`` are the values of the folds after their last round.

    Examples
    --------
    >>> mean_curve([[3.0, 1.0, 2.0], [1.0, 2.0, 1.5, 1.0]], [1.0, 1.0])
    array([2.  , 1.5 , 1.75, 1.  ])
    """
    length = max(map(len, curves))
    padded = [[*curve, *[tail] * (length - len(curve))] for curve, tail in zip(curves, tails, strict=True)]
    mean: Array = np.mean(padded, axis=0)
    return mean


def likely_index(losses: Array, subjects: float) -> int:
    r"""The index that is best on average, given the mean held-out losses of as many possibilities in order.

    .. math:: \sum_i w_i \, i, \qquad w_i \propto e^{-n (\ell_i - \min \ell)}

    Where losses are nearly equal, the smallest of them is a matter of how subjects were divided into folds. This mean
    hardly is.

    Examples
    --------
    >>> likely_index(np.array([1.5, 1.0, 1.2]), 1_000.0), likely_index(np.array([1.5, 1.0, 1.0, 1.0]), 1_000.0)
    (1, 2)
    """
    weight = np.exp(-subjects * (losses - losses.min()))
    return int(np.rint(np.average(np.arange(len(losses)), weights=weight)))


def is_significant(gain: Array, mass: Array, errors: float, share: float = 1.0) -> bool:
    """Whether the total gain of subjects exceeds a number of its standard errors (Vuong's test).

    With gains ``g`` of subjects of weights ``m``, and their mean ``a``: ``sum(m g) > e sqrt(sum((m (g - a))^2) / s)``.

    Parameters
    ----------
    gain, mass : arrays of shape (n,)
        Weighted gains and weights of the subjects.
    errors : float
        Number of standard errors.
    share : float
        How much a subject counts in each fold; its gains in several of them are taken for the same.

    Examples
    --------
    >>> is_significant(np.array([1.0, 2.0, 1.0]), np.ones(3), 2.0)
    True
    >>> is_significant(np.array([1.0, -2.0, 1.5]), np.ones(3), 2.0)
    False
    """
    mean = gain.sum() / mass.sum()
    return float(gain.sum()) > errors * float(np.linalg.norm(gain - mass * mean)) / float(np.sqrt(share))
