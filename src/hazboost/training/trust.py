r"""How much of what trees add to the scores is believed.

.. math:: \frac{E}{E + h},

with ``E`` events of the cause. The chosen round is the minimum of a noisy curve, which on average lies too late: the
fewer events, the more of what was learned by then is noise. After ``h`` events half of it is believed. Where effects
are linear, trees have nothing but noise to add to a regression; where features act together, they have nearly
everything. So held-out subjects may ask for another ``h`` than the usual one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hazboost.training.growing import Growing
from hazboost.training.plan import Plan
from hazboost.training.predicted import Predicted
from hazboost.utils.arrays import Array


def trust_in_trees(plan: Plan, events: Array, factor: float = 1.0) -> Array:
    """Shrinkage of chosen rounds for the scores of causes with so many events, of shape (scores,).

    Rounds that were given are not shrunk, except for causes without an event, of which trees could learn only that
    there was none.

    Parameters
    ----------
    plan : Plan
        How to train.
    events : array of shape (causes,)
        Weighted number of events of each cause.
    factor : float
        ``h`` relative to the usual one.
    """
    mixture = plan.objective.mixture
    half = factor * plan.search.policy.events_for_half_trust if plan.chooses_rounds else 0.0
    shares = np.divide(events, events + half, out=np.zeros_like(events), where=events > 0.0)
    return mixture.join_causes([np.full(mixture.n_scores // mixture.n_causes, share) for share in shares])


def choose_trust(growing: Growing, parts: Sequence[Predicted], events: Array) -> Array:
    r"""The shrinkage with the smallest penalised loss of held-out subjects.

    .. math:: \sum_i \ell_i(h) + \lambda \, \bigl(\log_2 (h / h_0)\bigr)^2

    Few subjects stay near the usual :math:`h_0`. After many events everything is believed, whatever ``h`` is.

    Parameters
    ----------
    growing : Growing
        Grows the trees, and knows how to compare losses.
    parts : sequence of Predicted
        Held-out subjects, by trees whose number they have not chosen.
    events : array of shape (causes,)
        Weighted number of events of each cause.
    """
    policy = growing.plan.search.policy

    def trust_after(doublings: int) -> Array:
        return trust_in_trees(growing.plan, events, 2.0**doublings)

    def penalised(doublings: int) -> float:
        changes = replace(growing, trust=trust_after(doublings)).changes(parts)
        return float(changes.sum()) + policy.trust_strength * doublings**2

    # Of equal losses the first is taken, which is that of the usual one.
    return trust_after(min(sorted(policy.trust_doublings, key=abs), key=penalised))
