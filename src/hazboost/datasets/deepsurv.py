"""METABRIC and WHAS as published by the authors of DeepSurv, with their train/test split.

The files have no column names, only ``train`` and ``test``, each with ``x``, ``t`` and ``e``. Training rows come first
here. Values are those of the files in single precision, also if they are read from a CSV.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hazboost.data.surv import Surv
from hazboost.datasets.dataset import Dataset, Leak, drop_leaks
from hazboost.datasets.files import DataFile, obtain
from hazboost.datasets.packages import require
from hazboost.utils.arrays import Array, Indices, Mask

# Pinned to a commit: a later version of the files would fail the checksums.
REPOSITORY = "https://raw.githubusercontent.com/jaredleekatzman/DeepSurv/41eed003e5b892c81e7855e400861fa7a2d9da4f"
METABRIC = DataFile(
    url=f"{REPOSITORY}/experiments/data/metabric/metabric_IHC4_clinical_train_test.h5",
    sha256="e959131973c906c7e8b1e662c81160914768156a6da145a9bfed9b9ee8bf3e72",
    csv="metabric.csv",
    csv_sha256="3f488e52ce45975b4fc813175e7d75de1cf3d0c3d47924a53c79f01e7bc19f7a",
)
WHAS = DataFile(
    url=f"{REPOSITORY}/experiments/data/whas/whas_train_test.h5",
    sha256="2ed86f073fdbe34be10f7e485eeaf67b61004521390c46b9a18aa9b82d5e8f9c",
    csv="whas_deepsurv.csv",
    csv_sha256="de611a48e157f8a9d82aeaa5c50fb346c3599f2f67bf602a30b512cff73dcb30",
)
DEEPSURV = (
    "Katzman et al., DeepSurv: personalized treatment recommender system using a Cox proportional hazards deep "
    "neural network, BMC Medical Research Methodology 18:24, 2018"
)


@dataclass(frozen=True)
class Rows:
    """Contents of a file, training rows first."""

    x: Array
    time: Array
    event: Mask
    test: Mask


def metabric() -> Dataset:
    """METABRIC: death after breast cancer, with four genes and five clinical features."""
    return _make(
        read(obtain(METABRIC)),
        # Columns with two values. As bool they stay one column in a one-hot encoding, as in the paper's table.
        flags=(4, 5, 6, 7),
        name="metabric",
        title="METABRIC",
        description=(
            "1904 patients with breast cancer, followed to death from any cause. x0 to x3: expression of EGFR, PGR, "
            "ERBB2 and MKI67 (inferred from the values, as the file has no names); x4: hormone therapy; x5: "
            "radiotherapy; x6: chemotherapy; x7: estrogen receptor positive; x8: age in years. "
            "One test row is censored at month 0."
        ),
        citation=(
            "Curtis et al., The genomic and transcriptomic architecture of 2,000 breast tumours reveals novel "
            f"subgroups, Nature 486:346-352, 2012; features and split: {DEEPSURV}."
        ),
        time_unit="months",
    )


def whas() -> Dataset:
    """WHAS: death after a heart attack."""
    return _make(
        read(obtain(WHAS)),
        # x0 and the outcome show that this is a nested case-control sample; see docs/datasets.md.
        flags=(0, 2, 4, 5),
        name="whas",
        title="WHAS",
        description=(
            "Worcester Heart Attack Study, a nested case-control sample: 1638 rows on 556 patients, followed from "
            "admission to death from any cause. x0: case (True) or control; x1: age in years; x2: female; x3: body "
            "mass index; x4: left heart failure; x5: a recurrent, not a first, heart attack."
        ),
        citation=(
            "Hosmer, Lemeshow and May, Applied Survival Analysis, 2nd edition, Wiley 2008; features and split: "
            f"{DEEPSURV}."
        ),
        leaks=(
            Leak(
                ("x0",),
                "x0 marks the case of each of the 273 risk sets of a nested case-control sample: every row with x0 "
                "belongs to a patient who died.",
            ),
            Leak(
                (),
                "Patients have several rows: 286 of the 328 test rows belong to a patient with training rows, and 229 "
                "of them are exact duplicates of a training row, including the outcome.",
            ),
        ),
        time_unit="days",
    )


def read(path: Path) -> Rows:
    """Read an HDF5 file, or the CSV made from it."""
    return _read_csv(path) if path.suffix == ".csv" else _read_hdf5(path)


def _read_hdf5(path: Path) -> Rows:
    with require("h5py").File(path, "r") as file:
        parts = [file["train"], file["test"]]
        x, time, event = (np.concatenate([part[key][()] for part in parts]) for key in "xte")
        sizes = [len(part["t"]) for part in parts]
    return Rows(x.astype(float), time.astype(float), event == 1, np.repeat([False, True], sizes))


def _read_csv(path: Path) -> Rows:
    table = require("pandas").read_csv(path)
    # The CSV holds the shortest decimals that give back the single-precision values of the HDF5 file. Reading them as
    # float32 first makes the two sources identical to the last bit.
    x = table.filter(regex=r"^x\d$").to_numpy(np.float32)
    time = table["time"].to_numpy(np.float32)
    event, test = table["event"].to_numpy() == 1, table["split"].to_numpy() == "test"
    return Rows(x.astype(float), time.astype(float), event, test)


def _make(rows: Rows, flags: tuple[int, ...], **facts: Any) -> Dataset:
    X = require("pandas").DataFrame(rows.x, columns=[f"x{column}" for column in range(rows.x.shape[1])])
    X = X.astype({f"x{column}": bool for column in flags})
    return Dataset(X=X, y=Surv.right(rows.event, rows.time), test=rows.test, **facts)


def patients(dataset: Dataset) -> Indices:
    """The patient of each row of WHAS: rows with the same age, sex, body mass index, x5, time and event.

    The case flag x0 is not used, because a patient may be a control in one risk set and a case in a later one; nor is
    heart failure (x4), which differs between rows of one patient.
    """
    # The file has no patient numbers, so rows are matched by what cannot change between two rows of a patient.
    who = dataset.X[["x1", "x2", "x3", "x5"]].to_numpy(float)
    outcome = np.column_stack([dataset.y["time"], dataset.y["event"]])
    return np.unique(np.hstack([who, outcome]), axis=0, return_inverse=True)[1].ravel()


def split_by_patient(dataset: Dataset) -> Dataset:
    """WHAS without the case flag and the published split, with the patients as groups to split by."""
    return replace(drop_leaks(dataset), test=None, groups=patients(dataset))
