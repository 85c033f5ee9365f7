"""Three ways from the gradient of the loss to what trees are fitted to.

A tree has leaves ``-sum(gradient) / (sum(hessian) + reg_lambda)``, so the hessian decides how long a step is.
"""

from __future__ import annotations

from dataclasses import dataclass

from hazboost.hazards.heads.base import CURVATURE, GRADIENT


@dataclass(frozen=True)
class Step:
    """A way to take a step.

    Attributes
    ----------
    second_order : bool
        Whether the hessian is the curvature of the loss; if not, it counts subjects, however many rows each has.
    by_largest : bool
        Whether all gradients of a round are divided by the largest of them.
    """

    second_order: bool
    by_largest: bool

    @property
    def order(self) -> int:
        """How much of the loss is needed."""
        return CURVATURE if self.second_order else GRADIENT


STEPS = {
    # The gradient of each subject's own loss. It is the paper's text with the learning rate multiplied by the number of
    # subjects, so that a learning rate means the same for any sample size.
    "subject": Step(second_order=False, by_largest=False),
    # As the authors' code does. The largest is that of a *row*: splitting a subject into several rows may make it
    # smaller, and the step longer.
    "max": Step(second_order=False, by_largest=True),
    # The gradient over a curvature that is nowhere smaller: a leaf then lies in [-1, 1] whatever the data.
    "newton": Step(second_order=True, by_largest=False),
}
