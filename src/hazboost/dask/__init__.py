"""FPBoost on a Dask cluster: data that lie on many machines, and predictions that are made when they are needed."""

from __future__ import annotations

try:
    import dask.dataframe
    import distributed
except ImportError as error:
    raise ImportError("hazboost.dask needs Dask and pandas; install them with pip install 'hazboost[dask]'.") from error

from hazboost.dask.estimator import FPBoost

__all__ = ["FPBoost"]
