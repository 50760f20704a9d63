"""Laws that compare the counters of the run document with the trace."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from airhop.verify.trace import CLOSE_MS, Finding, Trace, backs_off, is_prompt, quantity

_PACKETS = ("queue", "aqm", "agent", "route")
"""Causes that drop packets rather than frames."""
_CLOSE = 1e-9
"""Largest relative difference of sums of 64-bit floats."""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare goodput with the bytes delivered after the warm-up, and counters with row counts."""
    for name, flow in trace.lines.items():
        if flow["transport"] == "tcp":
            yield from _Connection(trace, name, flow).check()
        else:
            yield from _datagrams(trace, name, flow)
    for flow in trace.document["flows"]:
        if flow["name"] in trace.real and flow["transport"] == "tcp":
            yield from _Connection(trace, flow["name"], flow).traffic()
    drops: defaultdict[str, list[int]] = defaultdict(list)
    packets: defaultdict[str, list[int]] = defaultdict(list)
    messages: list[int] = []
    for time, cause in trace.rows("drops", "cause"):
        drops[cause].append(time)
    for step in trace.steps:
        if step.step == "dropped":
            packets[step.cause].append(step.time)
        elif step.kind == "routing" and step.step == "made":
            messages.append(step.time)
    for cause, number in trace.document["drops"].items():
        # The counter of discards may include packets that arrived, if their link ACK was lost.
        if cause != "retries":
            yield from _counted(trace, "drops", cause, number, drops[cause])
        if cause in _PACKETS:
            yield from _counted(trace, "packets", cause, number, packets[cause])
    if (routing := trace.document.get("routing")) is not None:
        number = sum(routing[key] for key in ("requests", "replies", "errors"))
        yield from _counted(trace, "routing", "number of messages", number, messages)


class _State(NamedTuple):
    """Row of the table `window`; SRTT and RTO in milliseconds."""

    time: int
    cwnd: float
    srtt: float
    rto: float


class _Connection:
    """TCP flow, in the document and in the trace."""

    def __init__(self, trace: Trace, name: str, document: Mapping[str, Any]) -> None:
        self._trace = trace
        self._name = name
        self._document = document
        self._connects = bool(document.get("connects"))
        self._names = trace.connections(name) if self._connects else [name]

    def check(self) -> Iterator[Finding]:
        """Compare every number of the document that follows from the trace."""
        yield from self.traffic()
        yield from self._completion()
        yield from self._connections()
        if is_prompt(self._document):
            yield from self._timeouts()
            repaired = (time for time, cause in self._rows("segments", "cause") if cause == "fast")
            yield from self._times("fast_recoveries", repaired)
        notices = self._rows("notices", "kind", "event")
        for kind, number in self._document["notices"].items():
            received = sum(of == kind and event == "received" for _, of, event in notices)
            if number > received:  # some senders ignore all notices
                yield _finding(self._name, f"{number} notices {kind}, and the trace has {received}")
        smoothed = [] if self._connects else [srtt for _, srtt in self._rows("window", "srtt_ms")][-1:]
        yield from self._equal("srtt_ms", smoothed[0] if smoothed and smoothed[0] == smoothed[0] else None)

    def traffic(self) -> Iterator[Finding]:
        """Compare the counters of sent and delivered data.

        Flows of real packets are included.
        """
        rows = self._rows("segments", "retransmission", "bytes")
        # a segment with only a FIN has no data
        segments = [(time, again) for time, again, size in rows if size]
        yield from self._times("sent_segments", (time for time, _ in segments))
        yield from self._times("retransmissions", (time for time, again in segments if again))
        rows = self._deliveries()
        early, late = ([total for time, total in rows if (time > self._trace.warmup) == is_late]
                       for is_late in (False, True))  # fmt: skip
        before = early[-1] if early else 0
        total = (late or [before])[-1] - before
        yield from self._equal("delivered_bytes", total)
        seconds = (self._trace.duration - self._trace.warmup) / 1e9
        # A run that ends during its warm-up has no measures.
        yield from self._equal("goodput_mbps", total * 8 / seconds / 1e6 if seconds > 0 else None)
        sent, arrived = [time for time, _ in segments[:1]], [time for time, _ in rows[-1:]]
        yield from self._equal("active_mbps", _active_mbps(self._trace, sent, arrived, total))

    def _deliveries(self) -> list[tuple[int, int]]:
        """Return the time and the cumulative bytes of each delivery, over all connections."""
        if not self._connects:
            return self._rows("deliveries", "bytes")
        totals = (
            pairwise([(0, 0), *self._trace.rows_of(name, "deliveries", "bytes")]) for name in self._names
        )
        grown = sorted((time, total - before) for rows in totals for (_, before), (time, total) in rows)
        sums = accumulate(size for _, size in grown)
        return [(time, total) for (time, _), total in zip(grown, sums, strict=True)]

    def _timeouts(self) -> Iterator[Finding]:
        """Compare the number of timeouts with the retransmissions that timeouts caused."""
        bounds = [self._timeouts_of(name) for name in self._names]
        least, most = (sum(bound[i] for bound in bounds) for i in (0, 1))
        if not least <= self._document["timeouts"] <= most:
            text = f"timeouts is {self._document['timeouts']}, and the trace has {least} to {most}"
            yield _finding(self._name, text)

    def _timeouts_of(self, name: str) -> tuple[int, int]:
        """Return the smallest and largest possible number of timeouts of a connection."""
        windows: dict[int, float] = {}
        """Smallest window at which data was retransmitted, by the time of the retransmission."""
        for time, cause, cwnd in self._trace.rows_of(name, "segments", "cause", "cwnd"):
            if cause == "timeout" and time > self._trace.warmup:
                windows[time] = min(cwnd, windows.get(time, cwnd))
        heard = {time for time, *_ in self._trace.rows_of(name, "acks")}
        states = [_State(*row) for row in self._trace.rows_of(name, "window", "cwnd", "srtt_ms", "rto_ms")]
        times = [state.time for state in states]
        least = most = 0
        for time, cwnd in windows.items():
            around = states[max(bisect_left(times, time) - 1, 0) : bisect_right(times, time)]
            is_sure = time not in heard or self._shows_expiry(around)
            least += is_sure
            most += is_sure or self._may_hide_expiry(around, cwnd)
        return least, most

    def _shows_expiry(self, states: Sequence[_State]) -> bool:
        """Return whether the RTO grows without a new sample.

        Only a timeout causes this (RFC 6298 §5.5).
        """
        timer = self._document["tcp"]["rto"]
        return any(
            state.rto > before.rto
            and (state.srtt == before.srtt or state.srtt != state.srtt)
            and backs_off(timer, before.rto, state.rto)
            for before, state in pairwise(states)
        )

    def _may_hide_expiry(self, states: Sequence[_State], cwnd: float) -> bool:
        """Return whether a retransmission may follow a timeout that left the RTO unchanged.

        The RTO does not grow at its upper bound, nor in ns-2 at two ticks or less. The window is then already
        one segment.
        """
        timer = self._document["tcp"]["rto"]
        stays = 2 * quantity(timer["tick"]) / 1e6 if timer["kind"] == "ns2" else 0
        is_bounded = any(
            state.rto <= stays + CLOSE_MS or state.rto >= quantity(timer["max"]) / 1e6 - CLOSE_MS
            for state in states
        )
        return is_bounded and cwnd <= min(state.cwnd for state in states)

    def _completion(self) -> Iterator[Finding]:
        if self._document["app"]["kind"] == "transfer":
            size, start = quantity(self._document["app"]["size"]), quantity(self._document["start"])
            rows = self._rows("deliveries", "bytes")
            done = [(time - start) / 1e9 for time, total in rows if total >= size][:1]
            yield from self._equal("completion_s", done[0] if done else None)
        yield from self._responses()

    def _responses(self) -> Iterator[Finding]:
        """Compare the number of responses.

        Responses of equal size end at multiples of the size.
        """
        said, size = self._document["completion_ms"], self._document["app"].get("response")
        if said is None or not isinstance(size, str):
            return
        whole = quantity(size)
        ends = (
            time
            for name in self._names
            for (_, before), (time, total) in pairwise(
                [(0, 0), *self._trace.rows_of(name, "deliveries", "bytes")]
            )
            for _ in range(int(before // whole), int(total // whole))
        )
        count = sum(time > (self._trace.warmup or -1) for time in ends)
        if count != said["count"]:
            yield _finding(self._name, f"completion_ms.count is {said['count']}, and {count} by the trace")

    def _connections(self) -> Iterator[Finding]:
        """Compare the numbers of opened connections and of connections closed by two acknowledged FINs."""
        if (said := self._document["connections"]) is None:
            return
        asked = self._trace.connections(f"{self._name} requests")
        opened = (self._trace.steps_of(name)[0].time for name in asked)
        yield from _counted(self._trace, self._name, "connections.opened", said["opened"], opened)
        pairs = ((self._closed(name), self._closed(name.replace(" requests#", "#"))) for name in asked)
        closed = (max(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None)
        yield from _counted(self._trace, self._name, "connections.closed", said["closed"], closed)

    def _closed(self, name: str) -> int | None:
        """Return the time in nanoseconds at which a side's FIN is acknowledged (RFC 9293 §3.6).

        None without such an ACK.
        """
        rows = self._trace.rows_of(name, "segments", "seq", "bytes", "fin")
        ends = [seq + size + 1 for _, seq, size, fin in rows if fin]
        acks = self._trace.rows_of(name, "acks", "ack")
        return next((time for time, ack in acks if ends and ack >= ends[0]), None)

    def _rows(self, table: str, *columns: str) -> list[Any]:
        return self._trace.rows_of(self._name, table, *columns)

    def _times(self, key: str, times: Iterable[int]) -> Iterator[Finding]:
        return _counted(self._trace, self._name, key, self._document[key], times)

    def _equal(self, key: str, value: float | None) -> Iterator[Finding]:
        return _same(self._name, key, self._document[key], value)


def _datagrams(trace: Trace, name: str, flow: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the numbers of a UDP flow: the receiver delivers each arriving datagram."""
    steps = [step for step in trace.steps_of(name) if step.kind == "datagram"]
    for word, key in (("made", "sent_segments"), ("delivered", "delivered_bytes")):
        size = quantity(flow["segment"]) if word == "delivered" else 1
        times = [step.time for step in steps if step.step == word]
        yield from _counted(trace, name, key, flow[key] / size, times)
    seconds = (trace.duration - trace.warmup) / 1e9
    goodput = flow["delivered_bytes"] * 8 / seconds / 1e6 if seconds > 0 else None
    made = {step.packet: step.time for step in steps if step.step == "made"}
    begins = trace.warmup or -1  # without a warm-up, events at time 0 also count
    ended = [step for step in steps if step.step in ("delivered", "dropped") and step.time > begins]
    arrived = [step for step in steps if step.step == "delivered"]
    transits = [
        (step.time, made[step.packet]) for step in ended if step.step == "delivered" and step.packet in made
    ]
    delays = [left - entered for left, entered in transits]
    found: dict[str, float | None] = {
        "goodput_mbps": goodput,
        "active_mbps": _active_mbps(
            trace, list(made.values()), [step.time for step in arrived], flow["delivered_bytes"]
        ),
        "loss": sum(step.step == "dropped" for step in ended) / len(ended) if ended else None,
        "jitter_ms": _jitter_ns(delays) / 1e6 if len(delays) > 1 else None,
    }
    for key, value in found.items():
        yield from _same(name, key, flow[key], value)


def _same(place: str, key: str, said: float | None, value: float | None) -> Iterator[Finding]:
    """Yield an error if a number of the document differs from the trace's; None is a missing number."""
    same = (said is None) == (value is None)
    if not same or (
        said is not None and value is not None and abs(said - value) > _CLOSE * max(1.0, abs(value))
    ):
        yield _finding(place, f"{key} is {said}, and {value} by the trace")


def _active_mbps(trace: Trace, sent: list[int], arrived: list[int], delivered: float) -> float | None:
    """Return the rate between the first segment and the last delivery in Mbit/s.

    The interval begins after the warm-up. None without a delivery in this interval.
    """
    begin = max(sent[0], trace.warmup) if sent else 0
    if not delivered or not arrived or arrived[-1] <= begin:
        return None
    return delivered * 8 / ((arrived[-1] - begin) / 1e9) / 1e6


def _jitter_ns(delays: Iterable[int]) -> float:
    """Return the smoothed delay variation as RTP receivers compute it (RFC 3550 §6.4.1)."""
    jitter = 0.0
    for before, delay in pairwise(delays):
        jitter += (abs(delay - before) - jitter) / 16
    return jitter


def _counted(trace: Trace, place: str, key: str, number: float, times: Iterable[int]) -> Iterator[Finding]:
    """Compare a counter with the times of its events.

    An event at the end of the warm-up may be counted or not.
    """
    all_times = list(times)
    late = sum(time > trace.warmup for time in all_times)
    then = sum(time == trace.warmup for time in all_times)
    least = late if trace.warmup else late + then
    if not least <= number <= late + then:
        yield _finding(place, f"{key} is {number}, and the trace has {late + then}")


def _finding(place: str, text: str) -> Finding:
    return Finding("counters", 0.0, place, text)
