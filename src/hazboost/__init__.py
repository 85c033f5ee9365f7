"""hazboost: fully parametric gradient boosting for survival analysis."""

from hazboost.data.batches import Batches
from hazboost.data.surv import Surv
from hazboost.estimator import FPBoost
from hazboost.tuning import tune

__version__ = "0.1.0"

__all__ = ["Batches", "FPBoost", "Surv", "__version__", "tune"]
