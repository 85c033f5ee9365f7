"""Who grows the trees. An engine knows features, scores and gradients; it knows nothing of survival."""

from __future__ import annotations

from hazboost.engines.base import Columns, Engine
from hazboost.engines.cuda import CudaEngine, check_cuda
from hazboost.engines.divided import monotone_engine
from hazboost.engines.exact import ExactEngine
from hazboost.engines.features import Features
from hazboost.engines.local import LocalEngine

__all__ = ["Columns", "CudaEngine", "Engine", "ExactEngine", "Features", "LocalEngine", "check_cuda", "monotone_engine"]
