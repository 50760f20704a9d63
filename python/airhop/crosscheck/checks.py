"""All checks, and the sources they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airhop.crosscheck import against_kernel, against_laws, against_linux, against_ns2, against_ns3
from airhop.crosscheck.check import Check


@dataclass(frozen=True)
class Source:
    """What ours is held against: its name, and what is simulated to do so, in Markdown."""

    title: str
    about: str


SOURCES: Mapping[str, Source] = {
    "bianchi": Source(
        "Bianchi's saturation throughput",
        "G. Bianchi, *Performance analysis of the IEEE 802.11 distributed coordination function*, IEEE JSAC"
        " 18(3), 2000, with seven attempts a frame and an EIFS after collisions. 802.11b at 11 Mbit/s,"
        " datagrams of 1000 bytes.",
    ),
    "square-root": Source(
        "The square-root law",
        "M. Mathis, J. Semke, J. Mahdavi and T. Ott, *The macroscopic behavior of the TCP congestion"
        " avoidance algorithm*, CCR 27(3), 1997: C / (R √p) with C for independent losses, 1.31 or with"
        " delayed ACKs 0.93. A round trip of 100 ms on a wire that never limits, 1000 s after a"
        " warm-up of 100 s.",
    ),
    "pftk": Source(
        "PFTK",
        "J. Padhye, V. Firoiu, D. Towsley and J. Kurose, *Modeling TCP throughput: a simple model and its"
        " empirical validation*, SIGCOMM 1998, the full model, with a first timeout of 1 s. The same"
        " wire, Reno without limited transmit.",
    ),
    "ns-2": Source(
        "ns-2.35",
        "Yun 2009's downlink: three wires of 10 Mbit/s, then 802.11b whose frames are sent once or four"
        " times at most. Agent/TCP/Linux stands behind the names with `linux-`. Means of 5 to 20 runs of 200"
        " s.",
    ),
    "ns-3": Source(
        "ns-3",
        "3.44, and 3.37 where it is named. A wire of 10 Mbit/s and 30 ms each way with independent losses,"
        " 100 s; Yun 2009's downlink with errors of data frames alone, 200 s with one attempt, 50 s with"
        " seven; chains of 802.11g stations 30 m apart, 20 s; a saturated 802.11b cell.",
    ),
    "linux": Source(
        "Linux 6.18",
        "A kernel over an emulated link of 10 Mbit/s and 30 ms each way with 50 packets of queue and"
        " independent losses, three runs of 60 s a point. Preset `linux`.",
    ),
    "kernel": Source(
        "Linux 6.18 on the same links",
        "`airhop emulate`: iperf3 of a kernel sends for 30 s through the very last hop that is simulated"
        " beside it, queues, frames and errors included: what is left is the kernel's TCP beside preset"
        " `linux` with delayed ACKs.",
    ),
}
"""By the word that a check names its source with."""


def checks(*, quick: bool = False) -> list[Check]:
    """Give all checks by source, or those of a quick one."""
    made = [
        check
        for source in (against_laws, against_ns2, against_ns3, against_linux, against_kernel)
        for check in source.checks()
    ]
    return [check for check in made if check.is_quick or not quick]
