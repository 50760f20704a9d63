"""Equations (1) to (4) of Yun 2009, and a simulation of the saturated slotted link in these equations.

Equation (5) is `airhop.stats.jain`. The link makes one attempt per slot, and an attempt fails with
probability p. A frame is dropped after l failures, and the next frame follows at once. An ERSN reports the
first failure of a frame, and an ELN reports the drop. All functions accept numbers or arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airhop import stats
from airhop.stats import Estimate

Numbers = NDArray[np.float64]
MESSAGE_SHARE = 0.2
"""L/P of Figure 3: length of a notice relative to the length of a frame."""
BATCHES = 20
"""Number of batches of a simulation. The interval is computed from the scatter of the batches."""


def crossing_time(airtime: ArrayLike, error: ArrayLike) -> Numbers:
    """Return the mean delivery time of a frame that the link retransmits without limit: equation (1).

    `airtime` is the time of one attempt, in the unit of the result. `error` is the failure probability of an
    attempt.
    """
    return _numbers(airtime) / (1.0 - _numbers(error))


def attempts_of_success(p: ArrayLike, limit: ArrayLike) -> Numbers:
    """Return E[RT], the mean number of attempts of a frame delivered within `limit` attempts: equation (3).

    E[RT] = 1/(1-p) - l p^l / (1 - p^l), where l is `limit`.
    """
    p, limit = _numbers(p), _numbers(limit)
    dropped = p**limit
    return 1.0 / (1.0 - p) - limit * dropped / (1.0 - dropped)


def ersn_interval(p: ArrayLike, limit: ArrayLike, *, literal: bool = False) -> Numbers:
    """Return the mean interval between ERSNs in slots, equation (2), for a limit l of 2 or more.

    After an ERSN the frame has l - 1 attempts left, so E[RT] in (2) must be computed for l - 1. `literal`
    computes E[RT] for l, as printed. The interval is then too long, most of all for l = 2 (3.7 % at p = 0.3).
    Raises ValueError for a limit below 2: a link without retransmissions sends no ERSN.
    """
    p, limit = _numbers(p), _numbers(limit)
    if np.any(limit < 2):
        raise ValueError("there is no ERSN without a retransmission: the limit has to be 2 or more")
    success = attempts_of_success(p, limit if literal else limit - 1)
    dropped = p ** (limit - 1)
    return success * (1.0 - dropped) + (limit - 1) * dropped + _inverse(p)


def eln_interval(p: ArrayLike, limit: ArrayLike) -> Numbers:
    """Return the mean interval between ELNs in slots, equation (2); infinite without errors."""
    p, limit = _numbers(p), _numbers(limit)
    return attempts_of_success(p, limit) * (_inverse(p**limit) - 1.0) + limit


def notice_rate(interval: ArrayLike, message_share: float = MESSAGE_SHARE) -> Numbers:
    """Return the rate of notices as a share of the link's rate r, equation (4): R/r = (L/P) / I.

    `interval` is I in slots. A slot is the duration of a frame of length P, and a notice has length L.
    """
    return message_share * _inverse(interval)


def failures_in_succession(p: ArrayLike, limit: ArrayLike, packets: ArrayLike) -> Numbers:
    """Return the probability that n consecutive packets are dropped, p^(r n) of §4.2.

    N of ESACK is the largest n for which channel noise is still a plausible cause.
    """
    found: Numbers = _numbers(p) ** (_numbers(limit) * _numbers(packets))
    return found


@dataclass(frozen=True)
class SlottedLink:
    """Results of a simulation of the slotted link: notices per slot, with confidence intervals."""

    ersn: Estimate
    eln: Estimate
    elns: int
    """Total number of ELNs. With few ELNs, the estimated rate of ELNs is imprecise."""


def simulate_link(p: float, limit: int, frames: int, rng: np.random.Generator) -> SlottedLink:
    """Simulate `frames` frames on the slotted link, in `BATCHES` batches."""
    size = frames // BATCHES
    counts = np.array([_batch(p, limit, size, rng) for _ in range(BATCHES)])
    slots, ersn, eln = counts.T
    return SlottedLink(
        stats.estimate((ersn / slots).tolist()), stats.estimate((eln / slots).tolist()), int(eln.sum())
    )


def _batch(p: float, limit: int, frames: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Simulate one batch attempt by attempt, and count slots, ERSNs and ELNs."""
    slots = ersn = 0
    trying = frames
    for attempt in range(1, limit + 1):
        slots += trying
        trying = int(np.count_nonzero(rng.random(trying, dtype=np.float32) < p))
        if attempt == 1 < limit:
            ersn = trying
    return slots, ersn, trying


def _numbers(x: ArrayLike) -> Numbers:
    return np.asarray(x, np.float64)


def _inverse(x: ArrayLike) -> Numbers:
    """Return 1/x, or infinity if x is 0."""
    x = _numbers(x)
    found: Numbers = np.divide(1.0, x, out=np.full(x.shape, np.inf), where=x != 0)
    return found
