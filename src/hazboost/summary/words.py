"""Facts about a model in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Features whose effects are told.
SHOWN = 5
#: Shapes that count as 1.
NEARLY_ONE = 0.9, 1.1


@dataclass(frozen=True)
class Section:
    """Lines under a heading, by name; a ``note`` says what they are about."""

    title: str
    lines: Mapping[str, str]
    note: str = ""


def sections(facts: Mapping[str, Any]) -> list[Section]:
    """What is told of a model, in order."""
    about_effects = f"mean time without event until {number(facts['horizon'])} of the usual subject, as one changes"
    written = [
        Section("Data", _data(facts["data"])),
        Section(
            "Hazard of the usual subject", _heads(facts), "median of every number, most frequent of all categories"
        ),
        Section("What was chosen", {**_start(facts["start"]), **_trees(facts["trees"])}),
        Section("Fit to the training data", _fit(facts["fit"], facts["data"]["subjects"])),
        Section("Strongest features", _effects(facts["effects"] or []), about_effects),
        Section("Versions", {"software": ", ".join(f"{name} {one}" for name, one in facts["versions"].items())}),
    ]
    return [one for one in written if one.lines]


def _data(data: Mapping[str, Any]) -> dict[str, str]:
    events = data["events"]
    by_cause = ", ".join(f"{number(count)} of cause {cause}" for cause, count in enumerate(events, 1))
    follow_up = data["median_follow_up"]
    median = "" if follow_up is None else f"median {number(follow_up)} since entry, "
    categorical = f", {data['categorical_features']} of them categories" if data["categorical_features"] else ""
    return {
        "subjects": f"{data['subjects']:,}",
        "events": f"{number(sum(events))}" if len(events) == 1 else f"{number(sum(events))}: {by_cause}",
        "follow-up": f"{median}latest time {number(data['longest_follow_up'])}",
        "features": f"{data['features']}{categorical}; {percent(data['missing'])} of the values missing",
    }


def _heads(facts: Mapping[str, Any]) -> dict[str, str]:
    several = len(facts["data"]["events"]) > 1
    lines = {}
    for head in facts["heads"]:
        name = f"{head['name']}, cause {head['cause']}" if several else head["name"]
        part = f"{percent(head['share'])} of the risk until {number(facts['horizon'])}"
        lines[name] = f"{course(head['family'], head['parameters'])}; {part}"
    return lines


def course(family: str, parameters: Mapping[str, float]) -> str:
    """How the hazard of a head moves over time."""
    return COURSES.get(family, _any)(parameters) if "scale" in parameters else "switched off"


def _any(parameters: Mapping[str, float]) -> str:
    return f"has {', '.join(f'{name} = {number(value)}' for name, value in parameters.items())}"


def _power(parameters: Mapping[str, float]) -> str:
    low, high = NEARLY_ONE
    k = parameters["k"]
    way = "falls" if k < low else "rises" if k > high else "is nearly constant"
    return f"{way} over time (k = {number(k)}, scale {number(parameters['scale'])})"


def _log_logistic(parameters: Mapping[str, float]) -> str:
    k, scale = parameters["k"], parameters["scale"]
    way = "falls over time" if k <= 1.0 else f"rises to a peak at {number(scale * (k - 1.0) ** (1.0 / k))} and falls"
    return f"{way} (k = {number(k)}, scale {number(scale)})"


def _exponential(parameters: Mapping[str, float]) -> str:
    return f"is constant (scale {number(parameters['scale'])})"


def _gompertz(parameters: Mapping[str, float]) -> str:
    return f"doubles every {number(math.log(2.0) / parameters['k'])}"


def _log_normal(parameters: Mapping[str, float]) -> str:
    return f"rises to a peak and falls (k = {number(parameters['k'])}, scale {number(parameters['scale'])})"


def _exponentiated_weibull(parameters: Mapping[str, float]) -> str:
    k, early = parameters["k"], parameters["k"] * parameters["a"]
    first, later = ("rises" if one > 1.0 else "falls" for one in (early, k))
    way = f"{first} over time" if first == later else f"first {first}, then {later}"
    return f"{way} (k = {number(k)}, a = {number(parameters['a'])})"


def _bounded(parameters: Mapping[str, float]) -> str:
    return f"is a burst around {number(parameters['scale'])} (k = {number(parameters['k'])})"


#: How the hazard of a family moves, given the parameters of a head; of others the parameters are said.
COURSES: dict[str, Callable[[Mapping[str, float]], str]] = {
    "weibull": _power,
    "loglogistic": _log_logistic,
    "exponential": _exponential,
    "gompertz": _gompertz,
    "lognormal": _log_normal,
    "exponentiated_weibull": _exponentiated_weibull,
    "bounded": _bounded,
}


#: What the linear start acts on.
ACTS_ON = {"hazard": "the hazard", "time": "time"}


def _start(start: Mapping[str, Any]) -> dict[str, str]:
    if start["ridge"] is None:
        return {"start": start["init"]}
    among = f", the best of {start['ridges_tried']} in cross-validation" if start["ridges_tried"] else ""
    effect, adaptive = ACTS_ON[start["acts_on"]], start["adaptive_ridge"]
    then = "" if adaptive is None else f", then an adaptive one of {number(adaptive)}"
    return {"start": f"{start['init']}, acting on {effect}, with a ridge of {number(start['ridge'])}{among}{then}"}


def _trees(trees: Mapping[str, Any]) -> dict[str, str]:
    how = "kept by early stopping" if trees["stopped_early"] else "as given"
    how = "chosen by held-out likelihood" if trees["rounds_chosen"] else how
    lines = {
        "rounds": f"{trees['rounds']}, {how}",
        "trees": f"{trees['trees']:,} of depth {trees['depth']}",
        "learning rate": number(trees["learning_rate"]),
    }
    if trees["models"] > 1:
        lines["models"] = f"the mean of the hazards of {trees['models']} models, each of other training rows"
    if trees["shrinkage"] != [1.0]:
        lines["shrinkage"] = "what trees add counts " + " to ".join(percent(one) for one in _ends(trees["shrinkage"]))
    if trees["shift"]:
        lines["calibration"] = "scores shifted by " + " to ".join(f"{one:.3f}" for one in _ends(trees["shift"]))
    return lines


def _ends(values: Sequence[float]) -> Sequence[float]:
    """The smallest and the largest of some sorted values; one if they are the same."""
    return values if len(values) == 1 else [values[0], values[-1]]


def _fit(fit: Mapping[str, Any], subjects: int) -> dict[str, str]:
    names = {
        "train_loss": "training loss",
        "held_out_loss": "held-out loss",
        "validation_loss": "validation loss",
        "validation_concordance": "validation C-index",
    }
    lines = {
        words: f"{fit[name]['start']:.4f} before the first tree, {fit[name]['end']:.4f} after the last"
        for name, words in names.items()
        if name in fit and None not in fit[name].values()
    }
    compared = fit.get("subjects_compared", subjects)  # which files of earlier versions do not have
    drawn = f", for {compared:,} of {subjects:,} subjects, drawn at random" if compared < subjects else ""
    if fit.get("expected_events") is not None:
        events = f"{number(fit['observed_events'])} observed, {number(fit['expected_events'])} expected"
        lines["events"] = f"{events}{drawn}"
    if fit.get("survival_error") is not None:
        at = number(fit["survival_error_time"])
        lines["survival"] = f"at most {fit['survival_error']:.3f} from Kaplan-Meier, at {at}{drawn}"
    if fit.get("at_bounds"):
        lines["at a bound"] = ", ".join(map(str, fit["at_bounds"]))
    return lines


def _effects(effects: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    ends = ((one["feature"], one["most"], one["least"]) for one in effects[:SHOWN] if one["most"] != one["least"])
    return {name: f"{_at(most)}, {_at(least)}" for name, most, least in ends}


def _at(end: Mapping[str, Any]) -> str:
    value = end["value"]
    return f"{number(end['mean'])} at {value if isinstance(value, str) else number(value)}"


def percent(share: float) -> str:
    """A share in percent, with a digit after the point below one percent.

    Examples
    --------
    >>> percent(0.437), percent(0.0), percent(0.004)
    ('44 %', '0 %', '0.4 %')
    """
    return f"{100.0 * share:.1f} %" if 0.0 < abs(share) < 0.01 else f"{100.0 * share:.0f} %"


def number(value: float) -> str:
    """A number with four digits, and with all those before the point below a million.

    Examples
    --------
    >>> number(1814.0), number(11613.8), number(0.123456), number(2.5e9)
    ('1814', '11614', '0.1235', '2.5e+09')
    """
    return f"{value:.0f}" if abs(value) < 1e6 and (abs(value) >= 1e3 or value == int(value)) else f"{value:.4g}"
