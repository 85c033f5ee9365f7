"""A progress bar for long fits."""

from __future__ import annotations

import sys
import time
from typing import Any

import xgboost as xgb

WIDTH = 24


class Progress(xgb.callback.TrainingCallback):
    """Draws one line on standard error, a few times a second."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.began = self.drawn = time.monotonic()

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        """Draw the line; never stop the training."""
        now = time.monotonic()
        self.last = epoch + 1, now - self.began, evals_log
        if now - self.drawn > 0.2:
            self.drawn = now
            self._draw(*self.last)
        return False

    def after_training(self, model: Any) -> Any:
        """Draw the last round, wherever training stopped, and leave the line where it is."""
        self._draw(*self.last)
        sys.stderr.write("\n")
        return model

    def _draw(self, done: int, seconds: float, evals_log: Any) -> None:
        filled = round(WIDTH * done / self.rounds)
        left = seconds / done * (self.rounds - done)
        metrics = "".join(f"  {name} {values[-1]:.4f}" for name, values in evals_log.get("validation", {}).items())
        bar = "█" * filled + "░" * (WIDTH - filled)
        sys.stderr.write(f"\rFPBoost {bar} {done}/{self.rounds} rounds  {seconds:.1f}s, {left:.1f}s left{metrics}")
        sys.stderr.flush()
