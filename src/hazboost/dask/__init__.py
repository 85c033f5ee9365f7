"""FPBoost on a Dask cluster: data that lie on many machines, and predictions that are made when they are needed."""

from __future__ import annotations

from importlib.util import find_spec

if any(find_spec(package) is None for package in ("dask", "distributed", "pandas")):
    raise ImportError("hazboost.dask needs Dask and pandas; install them with pip install 'hazboost[dask]'.")

from hazboost.dask.estimator import FPBoost

__all__ = ["FPBoost"]
