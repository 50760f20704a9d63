"""Law of sender and receiver records.

The records must match the packets of the flow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from airhop.verify.trace import ACTS, Finding, Step, Trace, is_handshake

_ACTS_FOR_RECEIVER = {"split"}
"""Services with an agent that accepts data and makes ACKs."""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare sender records with packets, and the packets' first and last nodes with the flow's ends."""
    for name, flow in trace.flows.items():
        walks = [step for step in trace.steps_of(name) if step.step in ("made", "delivered")]
        yield from _places(walks, flow)
        if flow["transport"] == "tcp":
            yield from _records(trace, name, walks, flow)
    yield from _notices(trace)


def _records(trace: Trace, name: str, walks: list[Step], flow: Mapping[str, Any]) -> Iterator[Finding]:
    """Match records and packets one to one: segments with sent packets, ACKs with arrived packets."""
    here = [step for step in walks if step.place == flow["from"]]
    made = Counter(
        (step.time, step.seq, step.payload) for step in here if step.step == "made" and step.kind == "data"
    )
    taken = Counter((step.time, step.seq) for step in here if step.step == "delivered" and step.kind == "ack")
    sent = Counter(trace.rows_of(name, "segments", "seq", "bytes"))
    heard = Counter(trace.rows_of(name, "acks", "ack"))
    for time, seq, _ in sent - made:
        yield _finding(time, name, f"segment {seq} is sent, and no packet is made")
    if not ACTS & set(flow["services"]):
        for time, seq, _ in made - sent:
            yield _finding(time, name, f"a packet with segment {seq} is made that the sender did not send")
    for time, ack in heard - taken:
        yield _finding(time, name, f"ACK {ack} is processed, and none arrived then")
    for time, ack in taken - heard:
        yield _finding(time, name, f"ACK {ack} arrives, and is not processed")


def _places(walks: list[Step], flow: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield packets that are created or delivered elsewhere than at the ends of the flow.

    Packets of agents are exempt. `walks` has the first steps and the delivery steps of the flow's packets.
    """
    ends = {"data": (flow["from"], flow["to"]), "datagram": (flow["from"], flow["to"])}
    services = set(flow.get("services", ()))
    if not services & _ACTS_FOR_RECEIVER:
        ends["ack"] = (flow["to"], flow["from"])
    for step in walks:
        # A packet with a damaged payload continues as a copy of its headers.
        if step.kind not in ends or step.damaged or is_handshake(step):
            continue
        begin, end = ends[step.kind]
        if step.step == "delivered" and step.place != end and not services & _ACTS_FOR_RECEIVER:
            yield _finding(
                step.time, step.place, f"{step.kind} {step.seq} is delivered, and {end} is its end"
            )
        if step.step == "made" and step.place != begin and not services & ACTS:
            yield _finding(step.time, step.place, f"{step.kind} {step.seq} is made there, and not at {begin}")


def _notices(trace: Trace) -> Iterator[Finding]:
    """Yield notices that a sender received before their creation, or more often than an agent sent them."""
    pending: Counter[tuple[str, str, int]] = Counter()
    instants = {step.time for step in trace.steps}.union(*((frame.end,) for frame in trace.frames))
    for time, name, kind, event, seq in trace.rows("notices", "flow", "kind", "event", "seq"):
        pending[name, kind, seq] += 1 if event == "sent" else -1
        if pending[name, kind, seq] < 0:
            yield _finding(time, name, f"{kind} of {seq} is received more often than it was sent")
        if event == "sent":
            instants.add(time)
        if time not in instants:
            yield _finding(time, name, f"{kind} of {seq} is received, and nothing happens then")


def _finding(time: int, place: str, text: str) -> Finding:
    return Finding("end", time / 1e9, place, text)
