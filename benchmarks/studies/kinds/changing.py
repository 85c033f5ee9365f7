"""Covariates that change over time: FPBoost against the Cox model of lifelines, on the eight such sets of SurvSet.

Each repeat trains on seven tenths of the subjects, and scores the other three. A model ranks, at every event, the rows
that are at risk then by their hazard at that time; for the Cox model that is the order of its partial hazards. Scores:

- the share of pairs (a subject with the event, another at risk) in the right order, a concordance index over risk sets;
- the partial log-likelihood of an event, above that of drawing at random from those at risk
  (`benchmarks.harness.risk_sets.gain_per_event`);
- the concordance of one number for each row with `hazboost.metrics.concordance_index`: `FPBoost.predict`, or the
  partial hazard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.harness.risk_sets import event_times, gain_per_event, risk_sets
from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Sample, Task
from hazboost import Surv, metrics
from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    import pandas as pd

DATASETS = ("heart", "heartvalve", "Rossi", "epileptic", "csl", "aids", "FRTCS", "oldmort")
REPEATS = 6
#: Differences of log-hazards that count as ties.
TIED = 1e-8


def load(name: str) -> pd.DataFrame:
    """The rows of a set, with factors as categories, and subjects by number."""
    import pandas as pd  # noqa: PLC0415
    from SurvSet.data import SurvLoader  # noqa: PLC0415

    data = SurvLoader().load_dataset(name)["df"]
    data = data.assign(pid=pd.factorize(data.pid)[0])
    factors = [column for column in data if column.startswith("fac_")]
    return data.astype(dict.fromkeys(factors, "category"))


def split(data: pd.DataFrame, repeat: int) -> tuple[Sample, Sample]:
    """Seven tenths of the subjects for training, with the same share of subjects with an event."""
    event = data.groupby("pid").event.max()
    chosen, _ = train_test_split(event.index, test_size=0.3, stratify=event, random_state=repeat)
    inside = data.pid.isin(chosen)
    return sample(data[inside]), sample(data[~inside])


def sample(data: pd.DataFrame) -> Sample:
    """Rows ``(time, time2]`` with the columns that describe them."""
    start, stop = (data[name].to_numpy(dtype=np.float64) for name in ("time", "time2"))
    return Sample(data.filter(regex="^(num|fac)_"), data.event.to_numpy() == 1, stop, data.pid.to_numpy(), start)


def concordance_over_risk_sets(rows: Sample, log_hazard: Array) -> float:
    """Share of pairs, of a row with the event and a row at risk without it, that their hazards then order right."""
    right, pairs = 0.0, 0
    for column, (with_event, at_risk) in enumerate(risk_sets(rows.entry, rows.time, rows.event)):
        own = log_hazard[:, column]
        difference = own[with_event][:, None] - own[at_risk & ~with_event]
        right += (difference > TIED).sum() + 0.5 * (np.abs(difference) <= TIED).sum()
        pairs += difference.size
    return float(right / pairs)


def measure(dataset: str, model: str, repeat: int) -> dict[str, Any]:
    """Scores of one model on one split."""
    train, test = split(load(dataset), repeat)
    fitted = peers_of("changing")[model].train(Task(train, None, dataset, repeat))
    log_hazard = fitted.log_hazard(test.X, event_times(test.event, test.time))
    y = Surv.counting(test.entry, test.time, test.event, id=test.groups)
    return {
        "concordance": concordance_over_risk_sets(test, log_hazard),
        "gain": gain_per_event(test.entry, test.time, test.event, log_hazard),
        "static": metrics.concordance_index(y, fitted.risk(test.X)),
    }
