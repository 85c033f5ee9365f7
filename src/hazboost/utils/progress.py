"""Progress bars for what takes long: the rounds of a fit, the folds of a cross-validation, the trials of a search."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

WIDTH = 24
#: Training that still improves will usually go on for this share of the rounds that were made.
GOES_ON = 0.25
#: Seconds between two drawings.
PAUSE = 0.2


def draw_line(share: float, count: str, seconds: float, note: str = "", *, begun: float = 0.0) -> None:
    """Draw one line on standard error, over the one before: a bar, a count, the time it took and will take.

    ``begun`` is the share that was done before the seconds were counted.
    """
    filled = round(WIDTH * share)
    left = f"{seconds / (share - begun) * (1.0 - share):.1f}s left" if share > begun else "..."
    bar = "█" * filled + "░" * (WIDTH - filled)
    # What may be left of a longer line before is wiped out by the escape sequence.
    sys.stderr.write(f"\rFPBoost {bar} {count}  {seconds:.1f}s, {left}{note}\x1b[K")
    sys.stderr.flush()


class Progress:
    """The rounds of a fit, drawn a few times a second."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.began = self.drawn = time.monotonic()
        self.last: tuple[int, float, Mapping[str, float]] = 0, 0.0, {}

    def advance(self, rounds: int, metrics: Mapping[str, float]) -> None:
        """Take note of the rounds made and the latest metrics, and draw if it is time to."""
        now = time.monotonic()
        self.last = rounds, now - self.began, metrics
        if now - self.drawn > PAUSE:
            self.drawn = now
            self._draw(*self.last)

    def close(self) -> None:
        """Draw the last round, wherever training stopped, and leave the line where it is."""
        self._draw(*self.last)
        sys.stderr.write("\n")

    def _draw(self, done: int, seconds: float, metrics: Mapping[str, float]) -> None:
        values = "".join(f"  {name} {value:.4f}" for name, value in metrics.items())
        draw_line(done / self.rounds if self.rounds else 1.0, f"{done}/{self.rounds} rounds", seconds, values)


class FoldProgress:
    """The folds of a cross-validation, which may run at the same time: one line for all of them.

    Parameters
    ----------
    folds : int
        Number of folds.
    stages : sequence of str
        What is done one after the other, each in all folds; each fills an equal part of the bar.
    draw : bool
        Whether to draw at all.
    done : int, default=0
        In so many of the folds, the first ones, there is nothing left to do of the first stage.
    """

    def __init__(self, folds: int, stages: Sequence[str], *, draw: bool, done: int = 0) -> None:
        self.stages = stages
        self.draw = draw
        self.stage, self.shares = 0, [1.0] * done + [0.0] * (folds - done)
        self.began = self.drawn = time.monotonic()
        self._lock = threading.Lock()

    def advance(self, fold: int, share: float) -> None:
        """Take note that this share of a fold's work is done, and draw: at the end of a fold, or when it is time to.

        When all folds are done the next stage begins.
        """
        with self._lock:  # folds run in threads, and lines must not mix
            self.shares[fold] = share
            now = time.monotonic()
            if self.draw and (share == 1.0 or now - self.drawn > PAUSE):
                self.drawn = now
                self._draw(now - self.began)
            if min(self.shares) == 1.0:
                self.stage, self.shares = self.stage + 1, [0.0] * len(self.shares)

    def bar(self, fold: int, rounds: int, patience: int) -> FoldBar:
        """A progress bar for the training of one fold, of so many rounds at most, which stops on its loss."""
        return FoldBar(self, fold, rounds, patience)

    def close(self) -> None:
        """Leave an unfinished line where it is: what is left is not needed."""
        if self.draw and self.stage < len(self.stages):
            sys.stderr.write("\n")

    def _draw(self, seconds: float) -> None:
        folds = len(self.shares)
        share = (self.stage + sum(self.shares) / folds) / len(self.stages)
        count = f"{self.stages[self.stage]} in {self.shares.count(1.0)}/{folds} folds"
        draw_line(share, count, seconds)
        if share == 1.0:
            sys.stderr.write("\n")


class TrialProgress:
    """The trials of a search, of which some may have been made before."""

    def __init__(self, trials: int, done: int, *, draw: bool) -> None:
        self.trials, self.before, self.draw = trials, done, draw
        self.began = time.monotonic()
        self.advance(done, None)

    def advance(self, done: float, best: float | None) -> None:
        """Draw how many trials are done, parts of them included, and the best score."""
        if self.draw:
            note = "" if best is None else f"  best {best:.4f}"
            share, seconds = done / self.trials, time.monotonic() - self.began
            draw_line(share, f"{int(done)}/{self.trials} trials", seconds, note, begun=self.before / self.trials)

    def close(self) -> None:
        """Leave the line where it is."""
        if self.draw:
            sys.stderr.write("\n")


@dataclass
class FoldBar:
    """Tells a `FoldProgress` how far the training of its fold is, by the rounds that are to be expected.

    Training stops ``patience`` rounds after its best one. The best so far tells when that will be at the earliest.
    """

    progress: FoldProgress
    fold: int
    rounds: int
    patience: int
    best: int = 0
    best_loss: float = np.inf
    share: float = 0.0

    def advance(self, rounds: int, metrics: Mapping[str, float]) -> None:
        """Pass the round on. Only the end of the training, not its last round, completes the fold."""
        if metrics.get("loss", np.inf) < self.best_loss:
            self.best, self.best_loss = rounds, metrics["loss"]
        expected = min(self.rounds, (1.0 + GOES_ON) * self.best + self.patience)
        self.share = max(self.share, min(max(rounds - 1, 0) / expected, 0.99))
        self.progress.advance(self.fold, self.share)
