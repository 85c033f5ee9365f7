"""hazboost: fully parametric gradient boosting for survival analysis."""

from hazboost.data.batches import Batches
from hazboost.data.surv import Surv
from hazboost.estimator import FPBoost, load
from hazboost.files import ModelFileError
from hazboost.prediction.evaluation import evaluate
from hazboost.tuning import tune

__version__ = "0.1.0"

__all__ = ["Batches", "FPBoost", "ModelFileError", "Surv", "__version__", "evaluate", "load", "tune"]
