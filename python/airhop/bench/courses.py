"""Courses (benchmarks) of `airhop bench`: scenarios that Airhop, ns-2 and ns-3 simulate alike.

This module derives the settings of all three simulators from one value per parameter. If a peer (ns-2 or
ns-3) lacks a setting, the table of results has a note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Peer = Literal["ns-2", "ns-3"]
Value = str | int | float | bool
Changes = Mapping[str, Value]
Tell = Callable[[Any], str]


@dataclass(frozen=True)
class Parameter:
    """Parameter of a course, with its setting in each simulator."""

    what: str
    value: Value
    airhop: Callable[[Any], Changes]
    """Changes of the packaged scenario."""
    ns2: Tell | None
    """Arguments of the ns-2 program; None if ns-2's value is fixed and equals the value of the course."""
    ns3: Tell | None
    """Arguments of the ns-3 program; None if ns-3's value is fixed and equals the value of the course."""


@dataclass(frozen=True)
class PeerDifference:
    """Difference between a peer's run and the course: a word in the table, and a sentence below the table."""

    peer: Peer
    word: str
    why: str


@dataclass(frozen=True)
class Recorded:
    """Recorded speed of a peer, measured on the same machine and at the same time as Airhop."""

    simulator: str
    segments_per_cpu_s: float
    """Delivered segments per second of user CPU time."""
    goodput_mbps: float
    airhop_is_times_faster: float
    """Speed of Airhop divided by the speed of the peer, in segments per CPU second, from interleaved runs."""
    why: str
    """Sentence on the conditions of the measurement."""


@dataclass(frozen=True)
class Course:
    """Scenario that all simulators run."""

    title: str
    scenario: str
    """Name of the packaged scenario."""
    ns2_program: str
    """Name of the program for ns-2; empty if ns-2 does not run the course."""
    ns3_scenario: str
    """Letter of the scenario in the program for ns-3; empty if that program does not have the course."""
    parameters: Sequence[Parameter]
    notes: Sequence[PeerDifference]
    duration_s: int
    """Simulated seconds in Airhop and in ns-2."""
    ns3_duration_s: int
    """Simulated seconds in ns-3. A shorter time suffices for the steady state, and ns-3 is slow."""
    recorded: Recorded | None = None
    """Measurement of a peer that `airhop bench` does not run."""

    def value(self, what: str) -> Any:
        """Return the value of a parameter."""
        return next(one.value for one in self.parameters if one.what == what)

    @property
    def changes(self) -> Changes:
        """Changes of the packaged scenario by path."""
        return {path: to for one in self.parameters for path, to in one.airhop(one.value).items()}

    def words(self, peer: Peer) -> list[str]:
        """Return the arguments of a peer's program, except time and seed."""
        tells = [(one.ns2 if peer == "ns-2" else one.ns3, one.value) for one in self.parameters]
        return " ".join(tell(value) for tell, value in tells if tell is not None).split()


NS2_SCHEMES = {"sack": "Sack1", "newreno": "Newreno"}
"""Names of Airhop's schemes in ns-2. In ns-3 every scheme is NewReno, with or without SACK."""


def _at(*paths: str, unit: str = "") -> Callable[[Value], Changes]:
    """Return a function that converts a value into changes of these scenario paths."""
    return lambda value: dict.fromkeys(paths, f"{value} {unit}" if unit else value)


def _tcp(scheme: str, segment: int, flow: str, *, window: int) -> list[Parameter]:
    """Return the TCP parameters that ns-2 and ns-3 also have; a window of 0 is unlimited."""
    tcp = f"flow.{flow}.tcp"
    return [
        # preset for all settings without a parameter of their own
        Parameter("stack", "ns2", _at(f"{tcp}.preset"), None, None),
        Parameter(
            "scheme",
            scheme,
            _at("scheme"),
            lambda name: f"scheme={NS2_SCHEMES[name]}",
            lambda name: f"--scheme=newreno --sack={int(name == 'sack')}",
        ),
        Parameter(
            "segment, B", segment, _at(f"flow.{flow}.segment", unit="B"), "pkt={}".format, "--mss={}".format
        ),
        Parameter(
            "window, segments",
            window,
            lambda n: {f"{tcp}.receive_window": f"{n * segment} B" if n else "unlimited"},
            lambda n: f"win={n or 100_000}",
            "--wnd={}".format,
        ),
        Parameter(
            "initial window, segments",
            2,
            _at(f"{tcp}.initial_window"),
            "iw={}".format,
            "--initcwnd={}".format,
        ),
        Parameter(
            "minimum RTO, s", 0.2, _at(f"{tcp}.rto.min", unit="s"), "minrto={}".format, "--minrto={}".format
        ),
        Parameter("clock, s", 0.01, _at(f"{tcp}.rto.tick", unit="s"), "tick={}".format, "--tick={}".format),
        Parameter(
            "timestamps",
            False,
            _at(f"{tcp}.timestamps"),
            lambda on: f"ts={int(on)}",
            lambda on: f"--ts={int(on)}",
        ),
        Parameter(
            "delayed ACKs",
            False,
            _at(f"{tcp}.delayed_ack"),
            lambda on: f"delack={int(on)}",
            lambda on: f"--delack={1 + on}",
        ),
    ]


def _queue(packets: int, *places: str, ns2: str) -> Parameter:
    paths = _at(*(f"{place}.queue.packets" for place in places))
    return Parameter("queue, packets", packets, paths, ns2.format, "--queue={}".format)


def _cell(cell: str, *, mbps: int, control_mbps: int) -> list[Parameter]:
    def rate(key: str) -> Callable[[Value], Changes]:
        return _at(f"wlan.{cell}.{key}", unit="Mbit/s")

    return [
        Parameter("data frames, Mbit/s", mbps, rate("rate"), "data={}Mb".format, "--data={}".format),
        Parameter(
            "control frames, Mbit/s",
            control_mbps,
            rate("control_rate"),
            "basic={}Mb".format,
            "--control={}".format,
        ),
    ]


AS_NS2: dict[str, Any] = {
    "wlan.field.preset": "ns2",
    "wlan.field.overhead": "34 B",
    "wlan.field.routing": {"kind": "aodv", "preset": "ns2"},
    "flow.ftp.tcp": {"preset": "ns2"},
}
"""Settings of ns-2 for the course `chain`. The packaged scenario follows the standards of 2008 instead."""
ITS_TCP = PeerDifference(
    "ns-3",
    "TCP",
    "after a loss ns-3 halves the pipe (data in flight that has neither arrived nor been lost), and with "
    "SACK reduces the window by PRR",
)
ACCESS = PeerDifference(
    "ns-3",
    "access",
    "ns-3's stations send without a backoff when the medium has been idle for a DIFS; in ns-2, and in "
    "Airhop with the rules of ns-2, stations always draw a backoff",
)

COURSES: Mapping[str, Course] = {
    "last-hop": Course(
        title="last hop of Yun 2009, SACK, FER 1 %",
        scenario="yun2009-downlink",
        ns2_program="last_hop.tcl",
        ns3_scenario="A",
        parameters=[
            *_tcp("sack", 1000, "ftp*", window=0),
            *_cell("cell", mbps=11, control_mbps=11),
            Parameter(
                "frame header, us",
                192,
                _at("wlan.cell.phy.header", unit="us"),
                lambda us: f"plcp={192 / us:g}Mb",  # 192 bits
                None,
            ),
            Parameter("attempts", 1, _at("wlan.cell.attempts"), "retry={}".format, "--retry={}".format),
            Parameter(
                "frame error rate",
                0.01,
                _at("wlan.cell.errors.fer"),
                "fer={}".format,
                "--fer={} --err=ber".format,  # with a bit error rate: shorter frames have smaller error rates
            ),
            Parameter(
                "delay of each wire, ms",
                10,
                _at("wired.w1-*.delay", "wired.w2.delay", "wired.w3.delay", unit="ms"),
                "doff={}".format,
                "--d={}".format,
            ),
            _queue(50, "wired.w1-*", "wired.w2", "wired.w3", "wlan.cell", ns2="qlen={}"),
        ],
        notes=[ITS_TCP, ACCESS],
        duration_s=1000,
        ns3_duration_s=200,
    ),
    "chain": Course(
        title="eight hops of 802.11g, NewReno, a window of 100 segments, AODV",
        scenario="cheng2008-chain",
        ns2_program="chain.tcl",
        ns3_scenario="B",
        parameters=[
            Parameter(
                "MAC and routing", "ns2", lambda preset: {**AS_NS2, "wlan.field.preset": preset}, None, None
            ),
            *_tcp("newreno", 1460, "ftp", window=100),
            Parameter(
                "hops",
                8,
                lambda n: {"wlan.field.layout.nodes": n + 1, "flow.ftp.to": f"n{n}"},
                "hops={}".format,
                "--hops={}".format,
            ),
            *_cell("field", mbps=36, control_mbps=24),
            Parameter(
                "frame header, us",
                26,  # ERP-OFDM, with the signal extension at the frame's end
                _at("wlan.field.phy.header", unit="us"),
                lambda us: f"plcp=6Mb plcph=48 pre={6 * us - 48}",  # bits
                None,
            ),
            Parameter(
                "attempts", 7, _at("wlan.field.attempts"), "sretry={0} lretry={0}".format, "--retry={}".format
            ),
            Parameter(
                "routing",
                "aodv",
                _at("wlan.field.routing.kind"),
                lambda kind: f"rt={kind.upper()}",
                "--routing={}".format,
            ),
            _queue(50, "wlan.field", ns2="qlen={}"),
        ],
        notes=[
            ITS_TCP,
            ACCESS,
            PeerDifference(
                "ns-3",
                "AODV",
                "ns-3's AODV is RFC 3561 without hellos; AODV of ns-2, and of Airhop with the preset ns2, "
                "has the faulty local repair of ns-2.35",
            ),
            PeerDifference(
                "ns-3", "symbols", "frames of ns-3 fill OFDM symbols of 4 us, at most 1 % of one with data"
            ),
        ],
        duration_s=500,
        ns3_duration_s=20,
    ),
    "dumbbell": Course(
        title="dumbbell, 100 flows with SACK, 1 Gbit/s",
        scenario="dumbbell",
        ns2_program="dumbbell.tcl",
        ns3_scenario="E",
        parameters=[
            *_tcp("sack", 1000, "f*", window=0),
            Parameter("flows", 100, _at("copies"), "n={}".format, "--flows={}".format),
            Parameter(
                "bottleneck, Mbit/s",
                1000,
                _at("wired.bottleneck.rate", unit="Mbit/s"),
                "bw={}Mb".format,
                "--rate={}".format,
            ),
            Parameter(
                "delay of the wire, ms",
                20,
                _at("wired.bottleneck.delay", unit="ms"),
                "d={}".format,
                "--d={}".format,
            ),
            Parameter(
                "start of the last flow, s",
                0.1,
                lambda s: {"flow.f*.stagger": f"{1000 * s / 100:g} ms"},
                "spread={}".format,
                "--spread={}".format,
            ),
            _queue(1000, "wired.in*", "wired.bottleneck", "wired.out*", ns2="q={}"),
        ],
        notes=[
            ITS_TCP,
            PeerDifference(
                "ns-2",
                "starts",
                "flows begin at random times, also in ns-3; in Airhop one after the other",
            ),
        ],
        duration_s=3,
        ns3_duration_s=3,  # the run begins with slow start, before the steady state
    ),
    "wifi-ac": Course(
        title="a download over 802.11ac, 80 MHz, MCS 9, CUBIC, a wire of 20 ms",
        scenario="wifi-ac",
        ns2_program="",
        ns3_scenario="",
        parameters=[
            Parameter("scheme", "cubic", _at("scheme"), None, None),
            Parameter("segment, B", 1448, _at("flow.download.segment", unit="B"), None, None),
            Parameter("delayed ACKs", True, _at("flow.download.tcp.delayed_ack"), None, None),
            Parameter("width, MHz", 80, _at("wlan.cell.width", unit="MHz"), None, None),
            Parameter("MCS", 9, _at("wlan.cell.rate.mcs"), None, None),
            Parameter("streams", 1, _at("wlan.cell.rate.streams"), None, None),
            Parameter("delay of the wire, ms", 20, _at("wired.backhaul.delay", unit="ms"), None, None),
            Parameter(
                "queue, packets",
                1000,
                _at("wired.backhaul.queue.packets", "wlan.cell.queue.packets"),
                None,
                None,
            ),
            Parameter("warm-up, s", 0, _at("warmup", unit="s"), None, None),
        ],
        notes=[],
        duration_s=20,
        ns3_duration_s=0,
        recorded=Recorded(
            "ns-3.44",
            segments_per_cpu_s=4_080,
            goodput_mbps=289.0,
            airhop_is_times_faster=680.0,
            why="Two runs of 4 s after 2 s, TcpCubic, each between runs of Airhop on a busy machine. PyPI's"
            " wheel has asserts and logging compiled in, which cost up to half of its time; its VHT PPDUs"
            " lack SIG-B, and its wire has 10 Gbit/s.",
        ),
    ),
}
"""The courses by name."""
