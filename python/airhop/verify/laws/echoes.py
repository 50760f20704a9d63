"""Law of ECN echoes: ECE on each ACK as the receiver's rule requires, and CWR after a window reduction."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from airhop.catalogue import flagged_schemes
from airhop.verify.laws.handshakes import uses_ecn
from airhop.verify.trace import ACTS, Finding, Step, Trace


@dataclass
class _Rfc3168:
    """ECE from a CE mark until CWR (RFC 3168 §6.1.3)."""

    echoes: bool = False

    def on_data(self, step: Step) -> bool:
        """Process a segment.

        Return True if earlier segments may get a separate ACK.
        """
        self.echoes = step.ecn == "ce" or (self.echoes and "W" not in step.flags)
        return False

    def on_ack(self) -> bool:
        """Return whether the next ACK has ECE."""
        return self.echoes


@dataclass
class _EachMark:
    """ECE on one ACK for each mark (Xu, Tian and Ansari 2004)."""

    is_due: bool = False

    def on_data(self, step: Step) -> bool:
        """Process a segment.

        Return True if earlier segments may get a separate ACK.
        """
        self.is_due |= step.ecn == "ce"
        return False

    def on_ack(self) -> bool:
        """Return whether the next ACK has ECE."""
        echoes, self.is_due = self.is_due, False
        return echoes


@dataclass
class _EachByte:
    """ECE on the ACKs of marked bytes (RFC 8257 §3.2)."""

    is_marked: bool = False

    def on_data(self, step: Step) -> bool:
        """Process a segment.

        Return True if earlier segments may get a separate ACK.
        """
        before, self.is_marked = self.is_marked, step.ecn == "ce"
        return before != self.is_marked

    def on_ack(self) -> bool:
        """Return whether the next ACK has ECE."""
        return self.is_marked


class _None:
    """Receiver without ECN: never sets ECE."""

    def on_data(self, _: Step) -> bool:
        """Process a segment."""
        return False

    def on_ack(self) -> bool:
        """Return whether the next ACK has ECE."""
        return False


_Rule = _Rfc3168 | _EachMark | _EachByte | _None


def _rule(flow: Mapping[str, Any]) -> _Rule:
    if not uses_ecn(flow):
        return _None()
    rules: Mapping[str, Callable[[], _Rule]] = {"echoes-each-byte": _EachByte, "echoes-each-mark": _EachMark}
    found = (rule for flag, rule in rules.items() if flow["scheme"] in flagged_schemes(flag))
    return next(found, _Rfc3168)()


@dataclass
class _Ends:
    """State of the congestion signals at both ends of a flow."""

    flow: Mapping[str, Any]
    rule: _Rule
    acks: list[Step] = field(default_factory=list)
    """ACKs that the receiver has made since the last segment arrived."""
    changed: int = -1
    """Time in ns of the last segment if it changed the echo; -1 otherwise.

    At a change, earlier data may have a separate ACK.
    """
    top: int = 1
    """First byte that was never sent."""
    cuts: deque[int] = field(default_factory=deque)
    """Times in ns at which the window fell."""
    reduced: bool = False
    """True if an echo, a reduction of the window or a retransmission followed the last CWR."""

    def on_step(self, step: Step) -> Iterator[Finding]:
        """Process a step of a packet."""
        is_data, here = step.kind == "data", step.place
        if is_data and step.step == "delivered" and here == self.flow["to"] and not step.damaged:
            yield from self.settle()
            changes = self.rule.on_data(step)
            self.changed = step.time if changes else -1
        elif step.kind == "ack" and step.step == "made" and here == self.flow["to"] and "S" not in step.flags:
            self.acks.append(step)
        elif step.kind == "ack" and step.step == "delivered" and here == self.flow["from"]:
            self.reduced |= "E" in step.flags and "S" not in step.flags
        elif is_data and step.step == "made" and here == self.flow["from"] and not step.damaged:
            yield from self._sent(step)

    def settle(self) -> Iterator[Finding]:
        """Compare the ACKs since the last segment with the receiver's rule."""
        acks, self.acks = self.acks, []
        # At a change of the echo, the first of two ACKs at this instant has the state before the change.
        at_once = sum(ack.time == self.changed for ack in acks)
        for number, ack in enumerate(acks):
            echoes = self.rule.on_ack() != (at_once > 1 and number == 0)
            if ("E" in ack.flags) != echoes:
                text = f"ACK {ack.seq} {'has no' if echoes else 'has'} ECE, against the receiver's rule"
                yield Finding("echo", ack.time / 1e9, ack.place, text)
            if "W" in ack.flags:
                yield Finding("echo", ack.time / 1e9, ack.place, f"ACK {ack.seq} has CWR")

    def _sent(self, step: Step) -> Iterator[Finding]:
        """Check CWR (RFC 3168 §6.1.2): only on new data, after an echo or a reduction "for any reason"."""
        is_new = step.seq >= self.top
        self.top = max(self.top, step.end)
        self.reduced |= not is_new
        while self.cuts and self.cuts[0] <= step.time:
            self.cuts.popleft()
            self.reduced = True
        if "W" in step.flags:
            if not is_new or not self.reduced:
                why = "nothing reduced the window since the last" if is_new else "it is sent again"
                yield Finding("echo", step.time / 1e9, step.place, f"segment {step.seq} has CWR, and {why}")
            self.reduced = False
        if "E" in step.flags:
            yield Finding("echo", step.time / 1e9, step.place, f"segment {step.seq} has ECE")


def check(trace: Trace) -> Iterator[Finding]:
    """Check ECE and CWR of each TCP flow."""
    ends = {
        name: _Ends(flow, _rule(flow), cuts=_reduction_times(trace, name))
        for name, flow in trace.flows.items()
        if flow["transport"] == "tcp" and not ACTS & set(flow["services"]) and not flow["tcp"]["turnaround"]
    }
    for step in trace.steps:
        if step.step in ("made", "delivered") and step.flow in ends:
            yield from ends[step.flow].on_step(step)
    for one in ends.values():
        yield from one.settle()


def _reduction_times(trace: Trace, flow: str) -> deque[int]:
    """Return the times in ns at which a flow's window fell."""
    rows = trace.rows_of(flow, "window", "cwnd")
    return deque(time for (_, before), (time, cwnd) in pairwise(rows) if cwnd < before)
