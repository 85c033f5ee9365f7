"""hazboost: fully parametric gradient boosting for survival analysis."""

from hazboost.estimator import FPBoost
from hazboost.tuning import tune

__version__ = "0.1.0"

__all__ = ["FPBoost", "__version__", "tune"]
