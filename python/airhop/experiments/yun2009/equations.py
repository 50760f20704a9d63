"""Equations (1) to (4) of Yun 2009, and the saturated slotted link that (2) and (3) describe.

Equation (5) is `airhop.stats.jain`. The link: one attempt per slot, each fails with probability p, a frame is
dropped after l failures, and the next frame is there at once. An ERSN tells of a frame's first failure, an
ELN of its drop. All functions take numbers or arrays of numbers, which broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airhop import stats
from airhop.stats import Estimate

Numbers = NDArray[np.float64]
MESSAGE_SHARE = 0.2
"""L/P, length of a notice to that of a frame, in Figure 3."""
BATCHES = 20
"""Parts of a simulation whose scatter gives its interval."""


def crossing_time(airtime: ArrayLike, error: ArrayLike) -> Numbers:
    """Return the time to get a frame across a link that repeats the frame until it arrives, (1).

    `airtime` is the time of one attempt, in the unit of the result; `error` is the failure probability of an
    attempt.
    """
    return _numbers(airtime) / (1.0 - _numbers(error))


def attempts_of_success(p: ArrayLike, limit: ArrayLike) -> Numbers:
    """Return the mean attempts of a frame that gets through within `limit` of them, (3): E[RT].

    It is 1/(1-p) - l p^l / (1 - p^l).
    """
    p, limit = _numbers(p), _numbers(limit)
    dropped = p**limit
    return 1.0 / (1.0 - p) - limit * dropped / (1.0 - dropped)


def ersn_interval(p: ArrayLike, limit: ArrayLike, *, literal: bool = False) -> Numbers:
    """Return the mean slots from one ERSN to the next, (2), for a limit of 2 or more.

    An ERSN leaves l - 1 attempts to its frame, so that E[RT] in (2) is that of l - 1. `literal` takes l, as
    printed: too long, most for l = 2 (3.7 % at p = 0.3). Raises ValueError for a limit below 2: who does not
    retransmit announces no retransmission.
    """
    p, limit = _numbers(p), _numbers(limit)
    if np.any(limit < 2):
        raise ValueError("there is no ERSN without a retransmission: the limit has to be 2 or more")
    success = attempts_of_success(p, limit if literal else limit - 1)
    dropped = p ** (limit - 1)
    return success * (1.0 - dropped) + (limit - 1) * dropped + _inverse(p)


def eln_interval(p: ArrayLike, limit: ArrayLike) -> Numbers:
    """Return the mean slots from one ELN to the next, (2): infinite without errors."""
    p, limit = _numbers(p), _numbers(limit)
    return attempts_of_success(p, limit) * (_inverse(p**limit) - 1.0) + limit


def notice_rate(interval: ArrayLike, message_share: float = MESSAGE_SHARE) -> Numbers:
    """Return what notices take, as a share of the link's rate r, (4): R/r = (L/P) / I.

    `interval` is in slots, and a slot the time of a frame of length P; a notice has length L.
    """
    return message_share * _inverse(interval)


def failures_in_succession(p: ArrayLike, limit: ArrayLike, packets: ArrayLike) -> Numbers:
    """Return the probability that so many packets in succession are dropped, p^(r n) of §4.2.

    ESACK's N is the largest number of packets for which that is still to be expected of channel noise.
    """
    found: Numbers = _numbers(p) ** (_numbers(limit) * _numbers(packets))
    return found


@dataclass(frozen=True)
class SlottedLink:
    """Counts of a simulation of the link: notices per slot, with intervals over its batches."""

    ersn: Estimate
    eln: Estimate
    elns: int
    """Total number of ELNs: a small number says little about the rate of ELNs."""


def simulate_link(p: float, limit: int, frames: int, rng: np.random.Generator) -> SlottedLink:
    """Send `frames` frames over the slotted link, in BATCHES parts."""
    size = frames // BATCHES
    counts = np.array([_batch(p, limit, size, rng) for _ in range(BATCHES)])
    slots, ersn, eln = counts.T
    return SlottedLink(
        stats.estimate((ersn / slots).tolist()), stats.estimate((eln / slots).tolist()), int(eln.sum())
    )


def _batch(p: float, limit: int, frames: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Count slots, ERSNs and ELNs of a batch of frames: all try once, then the failed frames try again."""
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
    """Return 1/x, and infinity for 0."""
    x = _numbers(x)
    found: Numbers = np.divide(1.0, x, out=np.full(x.shape, np.inf), where=x != 0)
    return found
