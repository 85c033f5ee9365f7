"""Which heads the likelihood favours, by likelihoods without covariates.

A Weibull head is a whole model of its own. A LogLogistic head beside it describes most other hazards, but none that
comes and goes: a second wave of events, an end of risk, a subject who was followed far longer than all others. A
bounded head is such a burst, and enough of them describe every hazard (``docs/approximation.md``). Each further head
has three parameters to estimate, and has to be worth them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hazboost.data.condense import events_by_cause
from hazboost.data.target import Target
from hazboost.data.ties import are_coarse, spread_ties
from hazboost.hazards.mixture import Mixture
from hazboost.training.marginal import MarginalLoss, burst_times
from hazboost.training.policy import Policy
from hazboost.utils.arrays import Array, Indices

#: The family of bursts.
BURST = "bounded"
#: Heads of which the second is left out where it brings nothing.
FIRST, SECOND = "weibull", "loglogistic"
#: A new head is tried at the times by which these shares of the events have happened, with these shapes.
PLACES, SHAPES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95), (3.0, 10.0, 30.0)
#: Searches for its fit begin at the best of these places, at most so many, and end when a step gains less than this of
#: the mean loss; the best search is continued.
MOST_PLACES, ROUGHLY = 4, 1e-6
#: Score of the share of a new head, before it is fitted; equal shares have zero.
SMALL_SHARE = -1.0
#: Distinct times of events, and of censoring, by which heads are compared.
ENOUGH_TIMES = 500


class Chosen(NamedTuple):
    """Heads and their fit without covariates: log-parameters and scores of weights, at which all later fits begin."""

    mixture: Mixture
    logs: Array


def possible_heads(mixture: Mixture, target: Target, policy: Policy) -> list[Chosen]:
    """Add bursts while each is worth its parameters. Without any, a LogLogistic head may be left out.

    There are no bursts where recorded times are coarse: one at a time that many events share would describe the
    rounding. Whether a LogLogistic head is needed given the covariates, a likelihood without them cannot tell; so there
    are two possibilities, the one without it first.

    Parameters
    ----------
    mixture : Mixture
        The heads to begin with, whose weights have a level.
    target : Target
        What was observed, in the mixture's unit of time.
    policy : Policy
        Constants of the automatic fit.
    """
    fit = fit_heads(mixture, spread_ties(target))
    price = price_of_head(target, mixture.n_causes)
    most = 0 if are_coarse(target) else policy.most_bursts
    widest = add_heads(fit, [BURST], most, price)[-1]
    possible = [widest] if widest is not fit else [*without_second(fit), fit]
    return [one.chosen(mixture) for one in possible]


def price_of_head(target: Target, n_causes: int) -> float:
    r"""What a head for each cause must add to the log-likelihood, by the Bayesian information criterion.

    Each of its parameters and its weight cost :math:`\frac{1}{2} \log E`, with ``E`` events of all causes.
    """
    events = float(events_by_cause(target, n_causes).sum())
    return 1.5 * n_causes * float(np.log(max(events, 1.0)))


def fit_heads(mixture: Mixture, target: Target) -> HeadsFit:
    """The fit of given heads without covariates."""
    loss = MarginalLoss.of(mixture, target, ENOUGH_TIMES)
    return HeadsFit(loss, loss.minimise(loss.guess()))


@dataclass(frozen=True)
class HeadsFit:
    """Heads with the log-parameters and scores of weights that maximise a likelihood."""

    loss: MarginalLoss
    logs: Array

    @property
    def mixture(self) -> Mixture:
        """The heads, with log-parameters as scores."""
        return self.loss.mixture

    @cached_property
    def total(self) -> float:
        """The penalised loss of all subjects together."""
        return self.loss.subjects * self.loss(self.logs)[0]

    def chosen(self, mixture: Mixture) -> Chosen:
        """These heads, with the activations of another mixture."""
        return Chosen(replace(mixture, counts=self.mixture.counts), self.logs)


def add_heads(fit: HeadsFit, families: Sequence[str], most: int, least: float, mean: float = 0.0) -> list[HeadsFit]:
    """A fit, and fits with one head more each, the best of some families, at most so many.

    Each gains at least so much log-likelihood, and all of them at least so much in the mean.
    """
    fits = [fit]
    for added in range(1, most + 1):
        wider = min((with_head(fits[-1], family) for family in families), key=lambda one: one.total)
        if fits[-1].total - wider.total < least or fit.total - wider.total < added * mean:
            break
        fits.append(wider)
    return fits


def without_second(fit: HeadsFit) -> list[HeadsFit]:
    """A Weibull head alone, in the place of one and a LogLogistic head; nothing where other numbers were asked for."""
    counts = fit.mixture.counts
    if {name: count for name, count in counts.items() if count} != {FIRST: 1, SECOND: 1}:
        return []
    loss = replace(fit.loss, mixture=replace(fit.mixture, counts={**counts, SECOND: 0}))
    return [HeadsFit(loss, loss.minimise(loss.guess()))]


def with_head(fit: HeadsFit, family: str) -> HeadsFit:
    """The best fit with one more head of a family for each cause.

    A likelihood of several heads has several maxima. Searches from several beginnings only have to show which of them
    leads to the highest one; that one is then searched to its end.
    """
    wider = replace(fit.loss, mixture=widen(fit.mixture, family))
    ends = [wider.minimise(first, ROUGHLY) for first in (wider.guess(), *place_head(fit, wider, family))]
    return HeadsFit(wider, wider.minimise(min(ends, key=lambda end: wider(end)[0])))


def widen(mixture: Mixture, family: str) -> Mixture:
    """The same heads and one more of a family."""
    return replace(mixture, counts={**mixture.counts, family: mixture.counts.get(family, 0) + 1})


def place_head(fit: HeadsFit, wider: MarginalLoss, family: str) -> list[Array]:
    """A fit with one more head, at the places where the loss is smallest before anything is fitted again.

    At each place the head is as steep as is best there. With several causes there is one place, as each of them gets a
    head there, and searches take much longer.
    """
    tried = []
    for time in burst_times(fit.loss.target, PLACES):
        heads = [(-shape * float(np.log(time)), float(np.log(shape))) for shape in SHAPES]
        placed = [insert_head(fit.mixture, wider.mixture, fit.logs, family, head) for head in heads]
        tried.append(min(((wider(logs)[0], logs) for logs in placed), key=lambda one: one[0]))
    most = MOST_PLACES if fit.mixture.n_causes == 1 else 1
    return [logs for _, logs in sorted(tried, key=lambda one: one[0])[:most]]


def insert_head(mixture: Mixture, wider: Mixture, logs: Array, family: str, head: tuple[float, float]) -> Array:
    """A fit with one more head of each cause, given by its log-scale and log-shape; other heads keep their weights."""
    old, new = mixture.one_cause, wider.one_cause
    kept = _kept_scores(old, new)
    block = next(block for block in new.blocks if block.head.name == family)
    place, level = new.shares(block).stop - 1, new.first_weight_score
    added = np.zeros(new.n_scores)  # also the share of a head that was alone, and had no score for it
    added[[block.scores(0).stop - 1, block.scores(1).stop - 1, place]] = [*head, SMALL_SHARE]
    parts = []
    for part in mixture.by_cause(logs):
        whole = added.copy()
        whole[kept] = part
        # exp(level) is divided among the heads, so it rises by what the new one takes.
        shares = whole[level + 1 :]
        whole[level] += np.logaddexp.reduce(shares) - np.logaddexp.reduce(np.delete(shares, place - level - 1))
        parts.append(whole)
    return wider.join_causes(parts)


def _kept_scores(old: Mixture, new: Mixture) -> Indices:
    """Where the scores of a mixture of one cause are in one with one more head, which is the last of its family."""
    position = np.arange(new.n_scores)
    families = {block.head.name: block for block in new.blocks}
    parameters, shares = [], []
    for block in old.blocks:
        same = families[block.head.name]
        parameters += [position[same.scores(p)][: block.count] for p in range(len(block.head.parameters))]
        shares.append(position[new.shares(same)][: block.count])
    kept = np.concatenate([*parameters, [new.first_weight_score], *shares])
    return kept[: old.n_scores]  # a single head has no score of a share
