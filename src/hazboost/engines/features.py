"""What an engine is told of the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Features:
    """Names and kinds of the features, and what trees may do with them.

    Attributes
    ----------
    n : int
        Number of features.
    names : tuple of str, optional
        Their names.
    categorical : frozenset of int
        Positions of the features that are codes of categories.
    directions : tuple of int
        For each feature 1 or -1 where scores may only rise or only fall with it, and 0 elsewhere; empty without
        constraints.
    groups : tuple of tuples of int, optional
        Positions of features that may interact in a tree; by default all of them.
    highest : tuple of float, optional
        The largest value of each feature in training; infinite for categories.
    sparse : bool
        Whether they come as a sparse matrix.
    """

    n: int
    names: tuple[str, ...] | None = None
    categorical: frozenset[int] = frozenset()
    directions: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] | None = None
    highest: tuple[float, ...] | None = None
    sparse: bool = False

    def only(self, kept: Sequence[int]) -> Features:
        """Some of the features, at their new positions.

        Examples
        --------
        >>> some = Features(3, ("a", "b", "c"), frozenset({2}), (1, 0, 0), ((0, 2), (1,))).only([1, 2])
        >>> some.names, some.categorical, some.directions, some.groups
        (('b', 'c'), frozenset({1}), (0, 0), ((1,), (0,)))
        """
        new = {old: position for position, old in enumerate(kept)}
        return Features(
            len(kept),
            None if self.names is None else tuple(self.names[old] for old in kept),
            frozenset(new[old] for old in kept if old in self.categorical),
            tuple(self.directions[old] for old in kept) if self.directions else (),
            None if self.groups is None else tuple(tuple(new[i] for i in group if i in new) for group in self.groups),
            None if self.highest is None else tuple(self.highest[old] for old in kept),
            self.sparse,
        )
