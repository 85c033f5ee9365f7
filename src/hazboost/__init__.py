"""hazboost: fully parametric gradient boosting for survival analysis."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hazboost.data.batches import Batches
from hazboost.data.surv import Surv
from hazboost.estimator import FPBoost, load

if TYPE_CHECKING:
    from hazboost.files import ModelFileError
    from hazboost.prediction.evaluation import evaluate
    from hazboost.tuning import tune

__version__ = "0.1.0"

__all__ = ["Batches", "FPBoost", "ModelFileError", "Surv", "__version__", "evaluate", "load", "tune"]

#: What no fit needs is imported on first use: packages, and names with their modules.
PACKAGES = ("calculator", "datasets", "explain", "files", "metrics", "onnx", "plots", "report", "summary", "tuning")
NAMES = {"ModelFileError": "hazboost.files", "evaluate": "hazboost.prediction.evaluation", "tune": "hazboost.tuning"}


def __getattr__(name: str) -> Any:
    if name in PACKAGES:
        return import_module(f"hazboost.{name}")
    if name in NAMES:
        return getattr(import_module(NAMES[name]), name)
    raise AttributeError(f"hazboost has no public name {name!r}; use one of those in hazboost.__all__.")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *PACKAGES})
