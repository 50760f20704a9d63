"""Independent verifier that finds contradictions to physics and protocols in traces of runs.

The verifier shares no code with the simulator and does not see the simulator's state. The inputs are the
effective scenario, the trace tables and the run document. Each contradiction is reported as a finding.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airhop.verify.laws import (
    air,
    conversations,
    counters,
    delays,
    drawn,
    echoes,
    ends,
    exchanges,
    fates,
    flights,
    fragments,
    handshakes,
    losses,
    marks,
    nagle,
    order,
    radio,
    receivers,
    reordering,
    routes,
    sacks,
    senders,
    videos,
    waiting,
    walks,
    windows,
    wires,
)
from airhop.verify.laws.wifi import categories, mpdus, originators, recipients, slots, txop
from airhop.verify.trace import Finding, Trace

if TYPE_CHECKING:
    from airhop.results import Result
    from airhop.scenario import Scenario

__all__ = ["LAWS", "Finding", "Law", "Trace", "verify"]


@dataclass(frozen=True)
class Law:
    """Law that holds in every run: a name, and a function that yields contradictions."""

    name: str
    text: str
    check: Callable[[Trace], Iterator[Finding]]


LAWS: Mapping[str, Law] = {
    law.name: law
    for law in (
        Law("order", "records are in the order of time", order.check),
        Law("plan", "stations, changes of links and fades agree with the scenario", drawn.check),
        Law("walk", "a packet goes from node to node, and has one fate", walks.check),
        Law(
            "wire",
            "nothing arrives before serialisation and delay; no queue is over its capacity",
            wires.check,
        ),
        Law("late", "a reordering wire delays its share of packets, each by the same time", reordering.check),
        Law(
            "air", "airtime is exclusive within sense range, and frames last as long as their bits", air.check
        ),
        Law(
            "exchange",
            "received frames get their response, and each collision has another signal",
            exchanges.check,
        ),
        Law("category", "frames have the access category of the flows of their packets", categories.check),
        Law("mpdu", "a PPDU is as long as its MPDUs, within the limits of A-MPDUs", mpdus.check),
        Law(
            "block-ack",
            "a window's oldest MPDUs are sent first, within the attempt limit; BlockAckReqs have a reason",
            originators.check,
        ),
        Law("release", "packets are released once, in the order of their MPDUs", recipients.check),
        Law(
            "slot",
            "an access begins at a slot boundary after AIFS or EIFS of its category, within its window",
            slots.check,
        ),
        Law(
            "txop",
            "exchanges a SIFS apart stay within the TXOP limit, with RTS once per receiver",
            txop.check,
        ),
        Law(
            "fragment",
            "the fragments of a packet are sent in order, and the packet arrives once",
            fragments.check,
        ),
        Law(
            "radio",
            "a radio link sends one frame at a time, and delivers each packet once and in order",
            radio.check,
        ),
        Law("route", "with static routes, each hop of a packet shortens its remaining path", routes.check),
        Law("fate", "each drop has its cause, and channels lose frames at the configured rates", fates.check),
        Law(
            "loss",
            "each recorded loss is the loss of a packet or frame, and each such loss is recorded",
            losses.check,
        ),
        Law("queue", "a queue grows by offered packets, and shrinks when a packet may depart", waiting.check),
        Law("end", "only the ends of a flow create and consume its packets", ends.check),
        Law("receiver", "ACKs and deliveries report exactly the arrived data", receivers.check),
        Law("sack", "data in SACK blocks had arrived when the ACK was created", sacks.check),
        Law("sender", "new data continues the sent data; flight and window agree", senders.check),
        Law(
            "flight",
            "the flight consists of whole segments, and contains all outstanding data",
            flights.check,
        ),
        Law("nagle", "with Nagle's algorithm, a segment that is not full waits for ACKs", nagle.check),
        Law("handshake", "control bits of SYN and SYN-ACK match the negotiated options", handshakes.check),
        Law(
            "mark",
            "queues mark only ECN-capable packets, only new data is ECN-capable, and each mark is counted",
            marks.check,
        ),
        Law("echo", "ACKs echo marks by the receiver's rule, and CWR follows an echo", echoes.check),
        Law("window", "a sender's state changes only at events of the sender", windows.check),
        Law(
            "delay",
            "delays of the run document equal those of delivered bytes and datagrams",
            delays.check,
        ),
        Law(
            "conversation",
            "calls and games send at constant intervals, and are rated by the deadlines of their packets",
            conversations.check,
        ),
        Law(
            "video",
            "a video is played as its segments arrive, and each is requested in time at the chosen bitrate",
            videos.check,
        ),
        Law("counters", "the run document agrees with the trace", counters.check),
    )
}
"""Laws by name, in checking order."""


def verify(scenario: Scenario, result: Result, *, most: int = 20) -> list[Finding]:
    """Check a traced run of `scenario` against every law.

    Parameters
    ----------
    scenario
        Simulated scenario.
    result
        Result of a run of `scenario` with `trace=True`.
    most
        Maximum number of findings per law.

    Returns
    -------
    list[Finding]
        Contradictions to laws; empty if there are none.

    Raises
    ------
    ValueError
        When the run was not traced.
    """
    if not result.tables:
        raise ValueError("the run was not traced: only a trace can be verified")
    plan = scenario.to_dict()
    trace = Trace(plan, result.document, result.tables)
    findings: list[Finding] = []
    with _garbage_collection_disabled():
        for law in LAWS.values():
            found = law.check(trace)
            findings += [finding for _, finding in zip(range(most), found, strict=False)]
    return findings


@contextmanager
def _garbage_collection_disabled() -> Iterator[None]:
    """Disable the garbage collector, because it would cost a third of the time and find no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
