"""All cross-checks, and the peers of the comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airhop.crosscheck import (
    against_edca,
    against_kernel,
    against_laws,
    against_linux,
    against_ns2,
    against_ns3,
    against_ns3_wifi,
    against_schemes,
    against_wifi_forms,
)
from airhop.crosscheck.check import Check


@dataclass(frozen=True)
class Source:
    """Peer of a comparison: title, and description of the compared simulations in Markdown."""

    title: str
    about: str


SOURCES: Mapping[str, Source] = {
    "bianchi": Source(
        "Bianchi's saturation throughput",
        "G. Bianchi, *Performance analysis of the IEEE 802.11 distributed coordination function*, IEEE JSAC"
        " 18(3), 2000, with seven attempts per frame and an EIFS after collisions. 802.11b at 11 Mbit/s,"
        " datagrams of 1000 bytes.",
    ),
    "square-root": Source(
        "The square-root law",
        "M. Mathis, J. Semke, J. Mahdavi and T. Ott, *The macroscopic behavior of the TCP congestion"
        " avoidance algorithm*, CCR 27(3), 1997: C / (R √p), where C = 1.31 for independent losses,"
        " and 0.93 with delayed ACKs. The wire has a round-trip time of 100 ms and a rate that no sender"
        " reaches. Runs last 1000 s after a warm-up of 100 s.",
    ),
    "pftk": Source(
        "PFTK",
        "J. Padhye, V. Firoiu, D. Towsley and J. Kurose, *Modeling TCP throughput: a simple model and its"
        " empirical validation*, SIGCOMM 1998, the full model, with a first timeout of 1 s. The scenario has"
        " the wire of the square-root law, and a Reno sender without limited transmit.",
    ),
    "lone-wifi": Source(
        "A lone station of 802.11n, ac or ax",
        "Each channel access of a saturated best-effort station takes AIFS, a mean backoff of 7.5 slots, RTS"
        " and CTS if configured, the longest PPDU within the limits of the station, SIFS and the response"
        " (IEEE 802.11-2020 §10.23.2, §19.4.3, §21.4.3; 802.11ax-2021 §27.4.3). The 200 settings are a"
        " pairwise design: every pair of values of standard, MCS, spatial streams, channel width, guard"
        " interval, A-MPDU limit, RTS/CTS and datagram length occurs.",
    ),
    "ns-2": Source(
        "ns-2.35",
        "Yun 2009's downlink: three wires of 10 Mbit/s, then an 802.11b cell with one or four attempts per"
        " frame. Names with `linux-` are congestion controls of Agent/TCP/Linux. ns-2's values are means of 5"
        " to 20 runs of 200 s.",
    ),
    "ns-3": Source(
        "ns-3",
        "Version 3.44, and 3.37 where named. Four scenarios: a wire of 10 Mbit/s and 30 ms each way with"
        " independent losses, 100 s; Yun 2009's downlink with errors of data frames only, 200 s with one"
        " attempt, 50 s with seven; chains of 802.11g stations 30 m apart, 20 s; a saturated 802.11b cell.",
    ),
    "ns-3-wifi": Source(
        "ns-3 on 802.11n, ac and ax",
        "Version 3.44: saturated stations send datagrams to an access point at 5 GHz: one station, one"
        " station with independent losses of MPDUs, or several contending stations. The simulated stations"
        " follow the runs of ns-3: after a missing Block Ack the originator sends a BlockAckReq, no station"
        " waits for an EIFS after a collision, and the lifetime of an MPDU is 1000 s. The goodput of a lone"
        " station in ns-3 is measured over whole frame exchanges; runs of contending stations last 0.5 to 5"
        " s. Some PPDUs of ns-3 differ from the standard: VHT without SIG-B, short symbols not rounded up to"
        " 4 µs, HE-LTF of 8 µs at every guard interval. For these, ns-3's value is multiplied by the ratio"
        " of two values of a closed form (lone station, lone station with losses, or Bianchi), with the"
        " standard's durations and with ns-3's; the row names the difference. The bound is 6 %, and 10 % for"
        " 20 stations if the run of ns-3 is shorter than 2 s. A test requires that 95 % of the points are"
        " within 3 %.",
    ),
    "ns-3-wifi-tcp": Source(
        "ns-3's TCP over 802.11n",
        "Version 3.44: a server, a wire of 20 ms one way, an access point, and one or five stations of"
        " 802.11n at MCS 7 and 20 MHz, two or three runs of each setting. Segments have 1448 bytes, and"
        " every second one is acknowledged. A station stores 300 packets, which include the Block Ack"
        " window. The losses of MPDUs affect data only. The runs of both simulators have the same warm-up"
        " and duration, 4 to 12 s, and thus contain effects of slow start. The senders are those of ns-3:"
        " LinuxReno counts acknowledged segments as Linux does, and slow start of CUBIC ends by HyStart. In"
        " each setting the senders have the same order in both simulators, if they differ by more than the"
        " runs of one sender do. Runs over 802.11ac and ax, of 1.5 to 4 s, are not compared: runs with the"
        " recorded settings differ from the recorded goodput by up to 27 %.",
    ),
    "edca": Source(
        "A slot model of EDCA",
        "Saturated functions of two to four access categories, 802.11n at MCS 7 and 20 MHz without EIFS. The"
        " slot model has the rules of IEEE 802.11-2020 §10.23.2.4 and no frames. Its values are means of"
        " four runs of 600 s, or of 16 runs with A-MPDUs, as are Airhop's. The bound is 3 %, and 0.05 Mbit/s"
        " for goodputs below 1 Mbit/s; goodputs below 0.05 Mbit/s are not compared. If frames of different"
        " lengths collide, the timeout of the shorter frame ends during the longer one, and only the"
        " stations of the longest frame begin AIFS late (§10.23.2.4 c). This rule decides the shares of"
        " A-MPDUs under TXOP limits: if every station of a collision were late, best effort and background"
        " beside voice and video would have 6.7 and 1.6 instead of 2.6 and 0.1 Mbit/s.",
    ),
    "ns-3-edca": Source(
        "ns-3 on access categories",
        "Version 3.44: a saturated station for each access category, or one station for all. Airhop's runs"
        " last 60 s. The first rows have one run of 2 s of ns-3, and the categories with at least 2 Mbit/s."
        " The rows named *after ARP* have three runs of 6 s, or four of 20 s with four stations of 802.11ac"
        " and reserved limits, and the categories with at least 5 Mbit/s; in these runs each station sends"
        " three datagrams before the saturation, so that ARP and Block Ack agreements do not wait. There"
        ' frames reserve the medium until the TXOP limit, as in ns-3 (`nav = "limit"`). VHT PPDUs of ns-3'
        " lack SIG-B, 0.2 % of a TXOP, and its CF-Ends have 6 instead of 24 Mbit/s.",
    ),
    "linux": Source(
        "Linux 6.18",
        "A kernel sends over an emulated link of 10 Mbit/s and 30 ms each way with a queue of 50 packets and"
        " independent losses, three runs of 60 s per point. The simulated senders have preset `linux`.",
    ),
    "kernel": Source(
        "Linux 6.18 on the same links",
        "In `airhop emulate`, iperf3 on a kernel sends for 30 s through simulated links. The simulation has"
        " the same links, queues, frames and errors. The comparison therefore measures the difference"
        " between the kernel's TCP and preset `linux` with delayed ACKs.",
    ),
    "schemes": Source(
        "Rust schemes of the objects' names",
        "A BPF object of `bpf/` and the Rust scheme with the same rules and constants send over the links of"
        " the section above, in 60 pairs of runs with equal channels. The value is the ratio of the object's"
        " mean goodput to the scheme's, with Fieller's interval. Both have the sender of preset `linux`,"
        " without pacing unless the scheme paces. [Objects, four ways](objects-four-ways.md) lists the values"
        " beside those of a kernel.",
    ),
}
"""Peers of the comparisons, by the key in `Check.source`."""


def checks(*, quick: bool = False) -> list[Check]:
    """Return all checks, or the checks of a quick run, ordered by source."""
    made = [
        check
        for source in (
            against_laws,
            against_wifi_forms,
            against_ns2,
            against_ns3,
            against_ns3_wifi,
            against_edca,
            against_linux,
            against_kernel,
            against_schemes,
        )
        for check in source.checks()
    ]
    return [check for check in made if check.is_quick or not quick]
