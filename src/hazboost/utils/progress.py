"""Progress bars for what takes long: the rounds of a fit, the folds of a cross-validation, the trials of a search."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import xgboost as xgb

WIDTH = 24
#: Seconds between two drawings.
PAUSE = 0.2

P = ParamSpec("P")
T = TypeVar("T")


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


class Progress(xgb.callback.TrainingCallback):
    """The rounds of a fit, drawn a few times a second."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.began = self.drawn = time.monotonic()
        self.last: tuple[int, float, Any] = 0, 0.0, {}

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        """Draw the line; never stop the training."""
        now = time.monotonic()
        self.last = epoch + 1, now - self.began, evals_log
        if now - self.drawn > PAUSE:
            self.drawn = now
            self._draw(*self.last)
        return False

    def after_training(self, model: Any) -> Any:
        """Draw the last round, wherever training stopped, and leave the line where it is."""
        self._draw(*self.last)
        sys.stderr.write("\n")
        return model

    def _draw(self, done: int, seconds: float, evals_log: Any) -> None:
        metrics = "".join(f"  {name} {values[-1]:.4f}" for name, values in evals_log.get("validation", {}).items())
        draw_line(done / self.rounds if self.rounds else 1.0, f"{done}/{self.rounds} rounds", seconds, metrics)


class FoldProgress:
    """The folds of a cross-validation, which may run at the same time: one line for all of them.

    Parameters
    ----------
    folds : int
        Number of folds.
    stages : sequence of str
        What is chosen one after the other, each in all folds. Each fills an equal part of the bar.
    draw : bool
        Whether to draw at all.
    """

    def __init__(self, folds: int, stages: Sequence[str], *, draw: bool) -> None:
        self.stages = stages
        self.draw = draw
        self.stage, self.shares = 0, [0.0] * folds
        self.began = self.drawn = time.monotonic()
        self._lock = threading.Lock()

    def advance(self, fold: int, share: float) -> None:
        """Take note that this share of a fold's work is done, and draw: at the end of a fold, or when it is time to.

        When all folds are done the next stage begins.
        """
        with self._lock:
            self.shares[fold] = share
            now = time.monotonic()
            if self.draw and (share == 1.0 or now - self.drawn > PAUSE):
                self.drawn = now
                self._draw(now - self.began)
            if min(self.shares) == 1.0:
                self.stage, self.shares = self.stage + 1, [0.0] * len(self.shares)

    def after(self, fold: int, work: Callable[P, T]) -> Callable[P, T]:
        """The same work, after which the fold is done."""

        def tracked(*args: P.args, **kwargs: P.kwargs) -> T:
            result = work(*args, **kwargs)
            self.advance(fold, 1.0)
            return result

        return tracked

    def rounds(self, fold: int, rounds: int) -> xgb.callback.TrainingCallback:
        """A callback for the training of one fold, of so many rounds at most."""
        return _FoldRounds(self, fold, rounds)

    def close(self) -> None:
        """Leave an unfinished line where it is: the other folds are not needed."""
        if self.draw:
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


class _FoldRounds(xgb.callback.TrainingCallback):
    """Tells a `FoldProgress` how far the training of its fold is."""

    def __init__(self, progress: FoldProgress, fold: int, rounds: int) -> None:
        self.progress, self.fold, self.most = progress, fold, rounds

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        """Pass the round on; never stop the training."""
        self.progress.advance(self.fold, epoch / self.most)  # the last is done when the training is
        return False

    def after_training(self, model: Any) -> Any:
        """Early or late, the fold is done."""
        self.progress.advance(self.fold, 1.0)
        return model
