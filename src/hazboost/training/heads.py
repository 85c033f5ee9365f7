"""Which heads the data ask for: bursts of risk are added one at a time, by the likelihood without covariates.

A Weibull and a LogLogistic head describe most hazards, but none that comes and goes: a second wave of events, an end
of risk, a subject who was followed far longer than all others. A bounded head is such a burst, and enough of them
describe every hazard (``docs/approximation.md``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hazboost.data.condense import events_by_cause
from hazboost.data.target import Target
from hazboost.data.ties import spread_ties
from hazboost.hazards.mixture import Mixture
from hazboost.training.marginal import MarginalLoss, burst_times
from hazboost.utils.arrays import Array

#: The family of bursts.
BURST = "bounded"
#: A new burst is tried at the times by which these shares of the events have happened, with these shapes.
PLACES, SHAPES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95), (3.0, 10.0, 30.0)
#: Score of the share of a new burst, before it is fitted; equal shares have zero.
SMALL_SHARE = -1.0
#: Distinct times of events, and of censoring, by which heads are compared.
ENOUGH_TIMES = 500


class Chosen(NamedTuple):
    """Heads; where bursts were added, also their fit without covariates: log-parameters and scores of weights.

    With bursts a likelihood has several maxima, and all later fits begin at this one. Without them, those of the folds
    begin anew: what differs between them is averaged out.
    """

    mixture: Mixture
    logs: Array | None


def choose_heads(mixture: Mixture, target: Target, most: int) -> Chosen:
    r"""Add bursts while each is worth its parameters, by the Bayesian information criterion.

    One more head must raise the log-likelihood by :math:`\frac{p}{2} \log E`, with its ``p`` parameters (those of all
    causes together) and ``E`` events.

    Parameters
    ----------
    mixture : Mixture
        The heads to begin with, whose weights have a level.
    target : Target
        What was observed, in the mixture's unit of time.
    most : int
        The largest number of bursts.
    """
    price = 0.5 * float(np.log(max(events_by_cause(target, mixture.n_causes).sum(), 1.0)))
    # A burst at a time that many events share, because times are rounded, would describe the rounding.
    loss = MarginalLoss.of(mixture, spread_ties(target), ENOUGH_TIMES)
    logs, added = loss.minimise(loss.guess()), 0
    while added < most:
        wider = replace(loss, mixture=with_burst(loss.mixture))
        # Neither beginning is always the better one, and both often end in the same maximum.
        ends = [wider.minimise(first) for first in (wider.guess(), place_burst(loss, wider, logs))]
        best = min(ends, key=lambda end: wider(end)[0])
        gain = loss.subjects * (loss(logs)[0] - wider(best)[0])
        if gain < price * (wider.mixture.n_scores - loss.mixture.n_scores):
            break
        loss, logs, added = wider, best, added + 1
    return Chosen(replace(mixture, counts=loss.mixture.counts), logs) if added else Chosen(mixture, None)


def with_burst(mixture: Mixture) -> Mixture:
    """The same heads and one more burst."""
    return replace(mixture, counts={**mixture.counts, BURST: mixture.counts.get(BURST, 0) + 1})


def place_burst(loss: MarginalLoss, wider: MarginalLoss, logs: Array) -> Array:
    """A fit with one more burst: where, and as narrow as, the loss is smallest before anything is fitted again."""
    places = -np.log(burst_times(loss.target, PLACES))
    bursts = [(shape * float(place), float(np.log(shape))) for place in places for shape in SHAPES]
    tried = [add_burst(loss.mixture, wider.mixture, logs, burst) for burst in bursts]
    return min(tried, key=lambda one: wider(one)[0])


def add_burst(mixture: Mixture, wider: Mixture, logs: Array, burst: tuple[float, float]) -> Array:
    """A fit with one more burst of each cause, given by its log-scale and log-shape; other heads keep their weights."""
    old, new = mixture.one_cause, wider.one_cause
    kept = _kept_scores(old, new)
    block = next(block for block in new.blocks if block.head.name == BURST)
    place, level = new.shares(block).stop - 1, new.first_weight_score
    added = np.full(new.n_scores, np.nan)
    added[[block.scores(0).stop - 1, block.scores(1).stop - 1, place]] = [*burst, SMALL_SHARE]
    parts = []
    for part in mixture.by_cause(logs):
        whole = added.copy()
        whole[kept] = part
        # exp(level) is divided among the heads, so it rises by what the new one takes.
        shares = whole[level + 1 :]
        whole[level] += np.logaddexp.reduce(shares) - np.logaddexp.reduce(np.delete(shares, place - level - 1))
        parts.append(whole)
    return wider.join_causes(parts)


def _kept_scores(old: Mixture, new: Mixture) -> Array:
    """Where the scores of a mixture of one cause are in a mixture with one more burst, which is the last of them."""
    positions, families = [], {block.head.name: block for block in new.blocks}
    for block in old.blocks:
        same = families[block.head.name]
        positions += [np.arange(new.n_scores)[same.scores(p)][: block.count] for p in range(len(block.head.parameters))]
    levels = [np.array([new.first_weight_score])]
    shares = [np.arange(new.n_scores)[new.shares(families[block.head.name])][: block.count] for block in old.blocks]
    return np.concatenate([*positions, *levels, *shares])
