"""Closed forms that simulated networks must reproduce: Bianchi's model, the square-root law, PFTK."""

from __future__ import annotations

import math
from dataclasses import dataclass

ENDLESS = 400
"""Number of attempts that stands for no limit."""


@dataclass(frozen=True)
class Dcf:
    """Durations of 802.11's DCF in µs, and backoff parameters.

    Attributes
    ----------
    slot
        Backoff slot.
    success
        Time from the first bit of a successful frame until backoffs continue: frames, SIFS, DIFS.
    collision
        Time from the first bit of a collision until backoffs continue.
    window
        Slots of the first backoff are uniform in 0 … window - 1 (Bianchi's W).
    stages
        Maximum number of doublings of the window (Bianchi's m).
    attempts
        Maximum number of transmissions of a frame; None for no limit, as in the paper.
    """

    slot: float
    success: float
    collision: float
    window: float
    stages: int
    attempts: int | None = None

    def transmits(self, collides: float) -> float:
        """Return the probability that a station sends in a slot, given the collision probability of a frame.

        With r attempts, a packet has a mean of sum p^j transmissions, j = 0 … r - 1. Transmission j takes one
        slot, after a mean backoff of (W_j - 1) / 2 slots. The limit for infinite r is Bianchi (2000),
        equation (7).
        """
        frames = slots = 0.0
        for attempt in range(self.attempts or ENDLESS):
            frames += collides**attempt
            slots += collides**attempt * (self.window * 2.0 ** min(attempt, self.stages) + 1) / 2
        return frames / slots

    def throughput(self, stations: int, payload_bits: float) -> float:
        """Return the throughput of a saturated cell in Mbit/s: Bianchi (2000), equations (9) to (13).

        Parameters
        ----------
        stations
            Number of stations that always have a frame to send, at least one.
        payload_bits
            Payload of a frame in bits.
        """
        low, high = 0.0, 1.0  # p rises with tau, and tau falls with p, so there is one solution
        for _ in range(60):
            collides = (low + high) / 2
            if 1 - (1 - self.transmits(collides)) ** (stations - 1) > collides:
                low = collides
            else:
                high = collides
        sends = self.transmits(low)
        busy = 1 - (1 - sends) ** stations
        alone = stations * sends * (1 - sends) ** (stations - 1)
        time = (1 - busy) * self.slot + alone * self.success + (busy - alone) * self.collision
        return alone * payload_bits / time


RANDOM_LOSS = {1: 1.31, 2: 0.93}
"""Constant C of the square-root law for independent losses, by segments per ACK. Sources: Mathis et al. 1997,
Table 1; for 1.31 Ott, Kemperman and Mathis 1996.
"""


def square_root(loss: float, round_trip_s: float, *, acked: int = 1) -> float:
    """Return the segments per second of a sender that halves its window on loss: C / (R sqrt(p)).

    Parameters
    ----------
    loss
        Probability that a segment is lost; must be small.
    round_trip_s
        Round-trip time in seconds.
    acked
        Segments per ACK: 1, or 2 with delayed ACKs.
    """
    return RANDOM_LOSS[acked] / (round_trip_s * math.sqrt(loss))


def pftk(loss: float, round_trip_s: float, timeout_s: float, *, acked: int = 1) -> float:
    """Return Reno's rate in segments per second: full model of Padhye et al. (1998), W_m infinite.

    Parameters
    ----------
    loss
        Loss probability of a segment if the previous segment of the round arrived. All later segments of the
        round are then also lost.
    round_trip_s
        Round-trip time in seconds.
    timeout_s
        First retransmission timeout in seconds (T_0).
    acked
        Segments per ACK (b).
    """
    window = pftk_window(loss, acked)
    between = (1 - loss) / loss  # segments between two losses
    backoff = timeout_s * _backoffs(loss) / (1 - loss)
    timeouts = pftk_timeout(loss, window)
    sent = between + window + timeouts / (1 - loss)
    rounds = acked / 2 * window + 1
    return sent / (round_trip_s * rounds + timeouts * backoff)


def pftk_window(loss: float, acked: int) -> float:
    """Return the mean window in segments before a loss (Padhye et al. 1998, E[W])."""
    first = (2 + acked) / (3 * acked)
    return first + math.sqrt(8 * (1 - loss) / (3 * acked * loss) + first**2)


def pftk_timeout(loss: float, window: float) -> float:
    """Return the probability that a loss in a window ends in a timeout (Padhye et al. 1998, Q)."""
    kept = 1.0 - loss
    if window <= 3:
        return 1.0
    found = (1 - kept**3) * (1 + kept**3 * (1 - math.pow(kept, window - 3))) / (1 - math.pow(kept, window))
    return min(1.0, found)


def _backoffs(loss: float) -> float:
    """Return the mean duration of a timeout sequence in units of T_0, with backoff up to 64 T_0 (f(p))."""
    return 1 + loss + 2 * loss**2 + 4 * loss**3 + 8 * loss**4 + 16 * loss**5 + 32 * loss**6
