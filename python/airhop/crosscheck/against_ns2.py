"""Checks against ns-2.35 on the last hop of Yun 2009."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from airhop.crosscheck.check import Check, Reason
from airhop.crosscheck.quantity import GOODPUT
from airhop.crosscheck.reference import points
from airhop.crosscheck.words import count, percent
from airhop.crosscheck.worlds import Tcp, last_hop

NS2: Tcp = {"preset": "ns2"}
LINUX_AGENT: Tcp = {**NS2, "timestamps": True, "rto": {"tick": "1 ms"}}
"""Agent/TCP/Linux of ns-2, which has timestamps."""


@dataclass(frozen=True)
class Agent:
    """What an agent of ns-2 is here, and how near its goodput is to be; `segment` is payload in bytes."""

    scheme: str
    within: float
    tcp: Tcp = field(default_factory=lambda: NS2)
    segment: int = 1000


AGENTS: Mapping[str, Agent] = {
    "Reno": Agent("reno", 0.1),
    "Newreno": Agent("newreno", 0.1),
    "Sack1": Agent("sack", 0.1),
    "Newreno+snoop": Agent("snoop", 0.1),
    "Vegas": Agent("vegas", 0.1, segment=960),  # its segments have 1000 bytes with their headers there
    "linux-westwood": Agent("westwood-plus", 0.1, LINUX_AGENT),
    "linux-veno": Agent("veno", 0.1, LINUX_AGENT),
    "linux-reno": Agent(
        "sack",
        0.1,
        {**LINUX_AGENT, "sack_recovery": "rate-halving"},
    ),
}
"""By the name in ns2.csv."""

ONE_CACHE = Reason(
    "one cache for two hosts",
    "ns-2's Snoop keeps one cache, one cumulative ACK and one timer for all flows between two hosts, and"
    " takes their segment numbers for those of one flow. With a sending host for each flow ns-2 has 2.87,"
    " 3.16 and 3.33 Mbit/s of two, three and five flows at 1 %, 3.07 of five at 5 %, and 3.01 of five with"
    " 30 ms a wire; Airhop 2.89, 3.16, 3.33, 3.04 and 3.05.",
)
NOTHING_REPAIRED = Reason(
    "nothing that a station sends is repaired",
    "ns-2's Snoop at the base station has copies of what goes to the station alone. Of what comes from there"
    " it marks lost segments in their ACKs, and the sender does not read the mark unless told to. So it is"
    " NewReno without Snoop: within 3 % of ns-2's, and within 6 % of Airhop's. Airhop's agent for what a"
    " station sends is at the station, as in Yun 2009, §5.2.",
)

OFF: Mapping[str, tuple[float, Reason]] = {
    "Newreno+snoop 0.01 10.0 1 1 2 down 200": (0.18, ONE_CACHE),
    "Newreno+snoop 0.01 10.0 1 1 3 down 200": (0.18, ONE_CACHE),
    "Newreno+snoop 0.01 10.0 1 1 5 down 200": (0.11, ONE_CACHE),
    "Newreno+snoop 0.05 10.0 1 1 5 down 200": (0.31, ONE_CACHE),
    "Newreno+snoop 0.01 30.0 1 1 5 down 200": (0.53, ONE_CACHE),
    "Newreno+snoop 0.01 10.0 1 1 1 up 200": (0.32, NOTHING_REPAIRED),
    "Newreno+snoop 0.03 10.0 1 1 1 up 200": (0.60, NOTHING_REPAIRED),
    "Newreno+snoop 0.05 10.0 1 1 1 up 200": (0.52, NOTHING_REPAIRED),
    "Newreno+snoop 0.01 2.0 1 1 1 up 200": (-0.10, NOTHING_REPAIRED),
    "Newreno+snoop 0.01 30.0 1 1 1 up 200": (0.19, NOTHING_REPAIRED),
}
"""Points beyond their bound: the difference that is known of, and why."""

LEFT_OUT: Mapping[str, str] = {
    "constant": "Kounavis 1996's fades with constant lengths, 10 s good and 4 s bad (ns-2: Tahoe 7.80, Reno"
    " 7.67 kbit/s): the fades are in step with the timeouts, and goodput follows the phase. A frame of 128 B"
    " lasts 53 ms at 19.2 kbit/s; Airhop loses one that is on the air when a fade ends, ns-2 asks for the"
    " state as it arrives. Fades that are 50 ms shorter or longer change either simulator by 3 to 11 % (ns-2"
    " with 9.95 and 4.05 s: 7.35; Airhop 7.52, with 10.05 and 3.95 s: 7.78), so that they tell nothing of"
    " it. Exponential and uniform lengths are compared, in `crates/net/tests/peers/ns2_radio.rs`.",
}
"""What no check is made from, and why."""


def checks() -> Iterator[Check]:
    """Give a check for every point of ns2.csv: one cell after three wires, as Yun 2009."""
    for point, theirs in points("ns2").items():
        name, fer, delay_ms, attempts, control, flows, direction, seconds = point
        agent, words = AGENTS[name], " ".join(point)
        deviation, reason = OFF.get(words, (0.0, None))
        yield Check(
            id=f"ns-2 {words}",
            source="ns-2",
            scenario=f"{name}, {direction}, FER {percent(fer)}, {count(flows, 'flow')}, "
            f"{count(attempts, 'attempt')}, 3 × {float(delay_ms):g} ms, control {control} Mbit/s",
            # A segment of ns-2 counts as 1000 bytes, whatever it carries.
            quantity=GOODPUT.times(1000 / agent.segment),
            document=last_hop(
                agent.scheme,
                agent.tcp,
                errors={"kind": "bernoulli", "fer": float(fer), "reference": "1076 B"},
                seconds=int(seconds),
                attempts=int(attempts),
                control_mbps=int(control),
                delay_ms=int(float(delay_ms)),
                segment=agent.segment,
                flows=int(flows),
                uplink=direction == "up",
                cell={"preset": "ns2"},
            ),
            theirs=theirs,
            bound=agent.within,
            reps=10,
            is_quick=(fer, attempts, control, flows) == ("0.01", "1", "1", "1"),
            reason=reason,
            deviation=deviation,
        )
