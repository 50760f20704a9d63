"""BBR v1 in Python: a scheme that uses the delivery rate and paces its segments.

Section numbers refer to draft-cardwell-iccrg-bbr-congestion-control-00. Omitted: packet conservation in the
first round trip of a recovery (4.2.3.4), and the additions of Linux, which the built-in `bbr` has.

    airhop compare dumbbell bbr py-bbr --with examples/bbr.py --set duration="10 s"
"""

from __future__ import annotations

import math
from collections import deque

import airhop

HIGH_GAIN = 2 / math.log(2)
"""Gain that doubles the rate in each round trip (4.3.2)."""
CYCLE = (1.25, 0.75, 1, 1, 1, 1, 1, 1)
"""Pacing gains of ProbeBW, one for each round trip (4.3.4)."""
CWND_GAIN = 2.0
LEAST_CWND = 4.0
MARGIN = 0.99
"""Share of the estimated rate at which the sender paces, so that queues drain."""
BW_ROUNDS = 10
MIN_RTT_S = 10.0
PROBE_RTT_S = 0.2


@airhop.scheme("py-bbr", recovery="sack", family="rate-based", cite="Cardwell et al., ACM Queue 14(5), 2016")
class Bbr:
    """BBR v1 in Python."""

    def __init__(self) -> None:
        self.mode = "startup"
        self.rates: deque[tuple[int, float]] = deque()
        """Maxima of the delivery rate by round: rounds rise, rates fall."""
        self.round = 0
        self.round_end = 0
        self.full_rate = 0.0
        self.full_rounds = 0
        self.min_rtt = math.inf
        self.min_rtt_at = 0.0
        self.phase = 2
        self.phase_at = 0.0
        self.probe_end: float | None = None
        self.before_probe = 0.0

    @property
    def rate(self) -> float:
        """Largest delivery rate of the last ten rounds, bytes per second (4.1.1)."""
        return self.rates[0][1] if self.rates else 0.0

    @property
    def gain(self) -> float:
        """Gain of the pacing rate in the present mode."""
        gains = {"startup": HIGH_GAIN, "drain": 1 / HIGH_GAIN, "probe-bw": CYCLE[self.phase]}
        return gains.get(self.mode, 1.0)

    def on_ack(self, window: airhop.Window, ack: airhop.Ack, flow: airhop.Flow) -> None:
        """Leave the window to `on_delivery`."""

    def on_loss(self, window: airhop.Window, loss: airhop.Loss, flow: airhop.Flow) -> str | None:
        """Ignore losses; after a timeout nothing is in flight, and the next ACKs restore the window."""
        if loss.signal == "timeout":
            window.cwnd = 1
        return "undecided"

    def on_delivery(self, window: airhop.Window, delivery: airhop.Delivery, flow: airhop.Flow) -> None:
        """Update the model of the path, the mode, and the window (3.5)."""
        starts = self._update_rate(delivery)
        self._check_full(delivery, starts)
        self._change_mode(delivery, flow)
        self._update_min_rtt(window, delivery, starts)
        self._set_window(window, delivery, flow)

    def pacing_rate(self, window: airhop.Window, flow: airhop.Flow) -> float | None:
        """Pace at a gain of the estimated rate; before its first sample, of the window's rate (4.2.1)."""
        if self.rate:
            return MARGIN * self.gain * self.rate
        return HIGH_GAIN * window.cwnd * flow.segment / flow.srtt if flow.srtt else None

    def _update_rate(self, delivery: airhop.Delivery) -> bool:
        """Add the sample to the filter, and return whether a round begins (4.1.1)."""
        if delivery.rate is None or delivery.prior is None:
            return False
        starts = delivery.prior >= self.round_end
        if starts:
            self.round += 1
            self.round_end = delivery.total
        if not delivery.limited or delivery.rate >= self.rate:
            while self.rates and self.rates[-1][1] <= delivery.rate:
                self.rates.pop()
            self.rates.append((self.round, delivery.rate))
        while self.rates and self.rates[0][0] <= self.round - BW_ROUNDS:
            self.rates.popleft()
        return starts

    def _check_full(self, delivery: airhop.Delivery, starts: bool) -> None:
        """End Startup after three rounds in which the rate grew by less than a quarter (4.3.2.2)."""
        if self.mode != "startup" or not starts or delivery.limited:
            return
        if self.rate >= 1.25 * self.full_rate:
            self.full_rate, self.full_rounds = self.rate, 0
            return
        self.full_rounds += 1
        if self.full_rounds >= 3:
            self.mode = "drain"

    def _change_mode(self, delivery: airhop.Delivery, flow: airhop.Flow) -> None:
        """Leave Drain when the queue is empty, and cycle through the gains of ProbeBW (4.3.3, 4.3.4)."""
        is_drained = delivery.in_flight <= self._inflight(1, flow)
        if self.mode == "drain" and is_drained:
            self.mode, self.phase, self.phase_at = "probe-bw", 2, delivery.now
        elif self.mode == "probe-bw":
            has_lasted = delivery.now - self.phase_at > self.min_rtt
            is_filled = delivery.lost > 0 or delivery.in_flight >= self._inflight(self.gain, flow)
            is_over = {1.25: has_lasted and is_filled, 0.75: has_lasted or is_drained}
            if is_over.get(self.gain, has_lasted):
                self.phase, self.phase_at = (self.phase + 1) % len(CYCLE), delivery.now

    def _update_min_rtt(self, window: airhop.Window, delivery: airhop.Delivery, starts: bool) -> None:
        """Keep the least round trip of ten seconds, and probe for it with four segments (4.1.2, 4.3.5)."""
        is_old = delivery.now > self.min_rtt_at + MIN_RTT_S
        if delivery.rtt is not None and (delivery.rtt < self.min_rtt or is_old):
            self.min_rtt, self.min_rtt_at = delivery.rtt, delivery.now
        if is_old and self.mode != "probe-rtt":
            self.before_probe, self.mode, self.probe_end = window.cwnd, "probe-rtt", None
        if self.mode != "probe-rtt":
            return
        if self.probe_end is None and window.cwnd <= LEAST_CWND and starts:
            self.probe_end = delivery.now + PROBE_RTT_S
        elif self.probe_end is not None and delivery.now > self.probe_end and starts:
            self.min_rtt_at = delivery.now
            window.cwnd = max(window.cwnd, self.before_probe)
            self.mode, self.phase, self.phase_at = "probe-bw", 2, delivery.now

    def _set_window(self, window: airhop.Window, delivery: airhop.Delivery, flow: airhop.Flow) -> None:
        """Grow the window to its gain of the bandwidth-delay product (4.2.3)."""
        if self.mode == "probe-rtt":
            window.cwnd = min(window.cwnd, LEAST_CWND)
            return
        gain = HIGH_GAIN if self.mode in ("startup", "drain") else CWND_GAIN
        target = self._inflight(gain, flow) / flow.segment
        grown = window.cwnd + delivery.delivered / flow.segment
        if self.mode != "startup":
            window.cwnd = min(grown, target)
        elif window.cwnd < target:
            window.cwnd = grown
        window.cwnd = max(window.cwnd, LEAST_CWND)

    def _inflight(self, gain: float, flow: airhop.Flow) -> float:
        """Return a gain of the bandwidth-delay product, with headroom for three segments, bytes (4.2.3.2)."""
        if math.isinf(self.min_rtt):
            return math.inf
        return gain * self.rate * self.min_rtt + 3 * flow.segment
