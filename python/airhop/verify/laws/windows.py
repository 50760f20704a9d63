"""Law of the table `window`: a sender's state changes only at its events, by the rules of RTT and RTO."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from airhop.verify.trace import Finding, Trace, backs_off, is_handshake, is_prompt, quantity

_CLOSE = 1e-3
"""Tolerance of SRTT in milliseconds."""


_ECHOED = 40_000
"""Number of acknowledged bytes with timestamps that a receiver may still echo (RFC 7323 §4.3)."""

_TICKS: Mapping[str, int] = {"rfc6298": 0, "linux": 0, "single-gain": 1, "ns2": 2}
"""Maximum deviation of an RTT sample from the round trip, in clock ticks of the timer, by kind of timer."""

_LEAST_SSTHRESH = 2.0
"""Minimum ssthresh after a reduction, in segments (RFC 5681 §3.1, equation 4)."""

_ECHO_MS = 1.0
"""Tick of the timestamp clock in milliseconds."""


class _State(NamedTuple):
    """Row of the table `window`; SRTT and RTO in milliseconds."""

    time: int
    cwnd: float
    ssthresh: float
    srtt: float
    rto: float

    def differs(self, other: _State) -> bool:
        """Return whether any field except the time differs; two missing estimates are equal."""
        return any(a != b and (a == a or b == b) for a, b in zip(self[1:], other[1:], strict=True))


def check(trace: Trace) -> Iterator[Finding]:
    """Check the states of every sender."""
    for name, flow in trace.flows.items():
        if flow["transport"] != "tcp":
            continue
        states = [
            _State(*row) for row in trace.rows_of(name, "window", "cwnd", "ssthresh", "srtt_ms", "rto_ms")
        ]
        instants = _instants(trace, name, flow)
        repairs = {time for time, cause in trace.rows_of(name, "segments", "cause") if cause == "fast"}
        yield from _samples(trace, name, flow, states)
        for number, state in enumerate(states):
            before = states[number - 1] if number else None
            after = states[number + 1] if number + 1 < len(states) else None
            for text in _contradictions(flow, before, state, after, instants, repairs):
                yield Finding("window", state.time / 1e9, name, text)
            if before is not None and "rttn" not in flow["services"]:
                for text in _timeouts(flow["tcp"]["rto"], before, state, after):
                    yield Finding("window", state.time / 1e9, name, text)


def _samples(trace: Trace, name: str, flow: Mapping[str, Any], states: list[_State]) -> Iterator[Finding]:
    """Derive each RTT sample from the change of SRTT, and check that a segment has this RTT.

    SRTT moves by an eighth of the difference (RFC 6298 §2.3). Clocks may have ticks.
    """
    timer = flow["tcp"]["rto"]
    # An RTT from a timestamp has a resolution of a millisecond, even if the timer's clock is finer (RFC 7323
    # §5.4), and a timer with ticks rounds it further. ns-2 stores whole eighths of a tick.
    tick, echo = quantity(timer["tick"]) / 1e6, _ECHO_MS if flow["tcp"]["timestamps"] else 0
    beside = _TICKS[timer["kind"]] * tick + echo + _CLOSE
    events: list[tuple[int, int, Any]] = [(state.time, 1, state.srtt) for state in states]
    events += [(time, 2, ack) for time, ack in trace.rows_of(name, "acks", "ack")]
    sent = trace.rows_of(name, "segments", "seq", "bytes", "fin")
    events += [(time, 0, seq + size + fin) for time, seq, size, fin in sent]
    # Before data arrived in order, duplicate ACKs echo the timestamp of the SYN (RFC 7323 §4.3).
    events += [
        (step.time, 0, step.seq)
        for step in trace.steps_of(name)
        if step.step == "made" and step.place == flow["from"] and is_handshake(step)
    ]
    times: list[int] = []
    ends: list[int] = []
    first = 0  # index of the first segment whose timestamp may still be echoed
    estimate = math.nan
    for time, rank, value in sorted(events, key=itemgetter(0, 1)):
        if rank == 0:
            times.append(time)
            ends.append(value)
        elif rank == 2:
            while first < len(ends) and ends[first] <= value - _ECHOED:
                first += 1
        elif value != estimate:
            # The first sample, possibly of the handshake, is the SRTT itself. ns-2 discards its SRTT after
            # the fourth timeout in a row.
            sample = estimate + 8 * (value - estimate)
            estimate = value
            if math.isnan(sample):
                continue
            oldest = bisect_left(times, time - (sample + beside) * 1e6, first)
            if oldest == len(times) or times[oldest] > time - (sample - beside) * 1e6:
                text = f"the smoothed round trip goes to {value} ms, as if by a sample of {sample} ms"
                yield Finding("window", time / 1e9, name, text)


def _instants(trace: Trace, name: str, flow: Mapping[str, Any]) -> set[int]:
    """Return the times at which the sender starts, sends, or receives an ACK or notice."""
    tables = ("acks", "segments", "notices")
    times = {time for table in tables for time, *_ in trace.rows_of(name, table)}
    return (
        times
        | {round(quantity(flow["start"]))}
        | {
            step.time
            for step in trace.steps_of(name)
            # an arrival at the sender, or a packet (SYN) that it sends
            if step.step in ("delivered", "made") and step.place == flow["from"]
        }
    )


def _contradictions(
    flow: Mapping[str, Any],
    before: _State | None,
    state: _State,
    after: _State | None,
    instants: set[int],
    repairs: set[int],
) -> Iterator[str]:
    """Describe contradictions between a state, the states beside it, and the sender's events."""
    timer = flow["tcp"]["rto"]
    # No bound applies to the RTO before the first sample (RFC 6298 §2.1, §2.4).
    bounds = ("min", "initial") if math.isnan(state.srtt) else ("min",)
    least = min(quantity(timer[bound]) for bound in bounds) / 1e6
    if state.ssthresh < 1 or state.cwnd < 1:
        yield f"cwnd is {state.cwnd}, ssthresh is {state.ssthresh}: less than a segment"
    if state.rto < least - _CLOSE:
        yield f"the retransmission timeout is {state.rto} ms, and {least} ms is the least (RFC 6298 §2.4)"
    if before is None:
        return
    if not state.differs(before):
        yield "a record of the state as it was before"
    if state.time not in instants and not _is_timer(flow, before, state):
        yield "the state changes, and nothing was sent, heard or due"
    if after is None or after.ssthresh != before.ssthresh or state.ssthresh == before.ssthresh:
        pass
    elif (
        backs_off(timer, before.rto, state.rto)
        or backs_off(timer, state.rto, after.rto)
        or flow["tcp"]["loss_detection"] == "rack"
    ):
        pass  # a timer expired, perhaps without a transmission
    elif after.cwnd < state.cwnd or after.cwnd == state.cwnd < before.cwnd:
        pass  # two reductions at this instant; the second has restored the window before the first
    elif after.ssthresh == _LEAST_SSTHRESH and after.cwnd <= state.cwnd:
        pass  # two reductions: the bandwidth estimate set ssthresh above the minimum at the first
    elif _follows_window(flow, after):
        pass
    # After the repair of a loss, a bandwidth estimate may allow a larger window than before the loss.
    elif not (flow["tcp"]["undo"] or flow["tcp"]["frto"]) or (
        state.cwnd >= before.cwnd and state.time not in repairs
    ):
        yield f"ssthresh is {state.ssthresh} for once, and nothing was undone"


def _follows_window(flow: Mapping[str, Any], after: _State) -> bool:
    """Return whether ssthresh is 3/4 of the window.

    This is the lower limit of Vegas in Linux and ns-3.
    """
    return bool(flow["scheme"] == "vegas" and after.ssthresh == 0.75 * after.cwnd)


def _timeouts(timer: Mapping[str, Any], before: _State, state: _State, after: _State | None) -> Iterator[str]:
    """Check the difference between RTO and SRTT: 4 RTTVAR (RFC 6298 §2.3), or Linux' minimum if larger.

    At the minimum or maximum RTO, only one bound of the deviation is known. Flows with RTTN are excluded,
    because their RTO includes delays that base stations announce.
    """
    least, tick = quantity(timer["min"]) / 1e6, quantity(timer["tick"]) / 1e6
    was, now = before.rto - before.srtt, state.rto - state.srtt
    if timer["kind"] == "linux" and after is not None:
        then = after.rto - after.srtt
        is_due = backs_off(timer, before.rto, state.rto)
        if max(abs(was - least), abs(then - least)) < _CLOSE < abs(now - least) and not is_due:
            yield f"the retransmission timeout is {now} ms above the round trip for once, and not {least}"
    is_known = state.rto > least + _CLOSE and before.rto < quantity(timer["max"]) / 1e6 - _CLOSE
    if timer["kind"] == "rfc6298" and state.srtt != before.srtt and is_known:
        most = 0.75 * was + 8 * abs(state.srtt - before.srtt) + 4 * tick
        if now > max(most, tick) + _CLOSE:
            yield f"the retransmission timeout is {state.rto} ms, and its sample allows {state.srtt + most}"


def _is_timer(flow: Mapping[str, Any], before: _State, state: _State) -> bool:
    """Return whether an expiry without a transmission explains a change.

    Pacing may delay the segment after an RTO backoff (RFC 6298 §5.5), or after a loss detection by the
    reordering timers of RACK (RFC 8985 §6.3) or TCP-DCR (Bhandarkar 2005).
    """
    return backs_off(flow["tcp"]["rto"], before.rto, state.rto) or (
        not is_prompt(flow) and state.srtt == before.srtt
    )
