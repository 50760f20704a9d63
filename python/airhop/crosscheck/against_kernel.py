"""Checks against a Linux 6.18 kernel that sends over Airhop's emulated links (`airhop emulate`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airhop.crosscheck.check import Check, Reason
from airhop.crosscheck.quantity import COMPLETION, GOODPUT, RATIO
from airhop.crosscheck.reference import COMPLETION_S, Point, parameters, points, runs
from airhop.crosscheck.words import percent
from airhop.crosscheck.worlds import Document, wire
from airhop.objects import shipped
from airhop.scenario import Scenario
from airhop.services import served
from airhop.stats import Estimate

PACED_WITHIN, PACED_ONCE_WITHIN = 0.015, 0.08
"""Bounds for paced connections: with several attempts per frame, and with one attempt. With one attempt, TCP
repairs every loss. BBR always has the first bound, because BBR does not reduce its rate after losses.
"""
WITHIN, OBJECTS_WITHIN, ONCE_WITHIN = 0.03, 0.05, 0.15
"""Bounds for unpaced connections: with schemes, with BPF objects, and over links where TCP repairs every loss
(one attempt per frame, or eight hops). Each point has four to eight measured runs.
"""
DOWNLOADS_WITHIN = 0.15
"""Bound for short downloads. The kernel acknowledges each segment while its receive window grows
(tcp_grow_window()), and these ACKs take airtime. Without losses, a kernel's download therefore takes 3 to 4 %
longer than the simulated download. With tcp_moderate_rcvbuf = 0, 100 kB take equally long. With losses, Reno
and one attempt, 300 kB take 9 % longer, or 10 ± 8 % longer with tcp_moderate_rcvbuf = 0.
"""

FEWER_ACKS = Reason(
    "fewer ACKs",
    "A kernel acknowledges segments together that one wake-up of the emulator delivers: an ACK stands for"
    " 1.78 segments over the wire, and for 1.59 in the simulation. Westwood+ takes its rate from the ACKs of"
    " a round trip, and its window after a loss is this rate times the smallest round trip. With an ACK for"
    " each segment its simulated goodput is 9 % higher. The lateness and the turnaround of the emulation"
    " lower it by up to 3.7 %.",
)
REASONS: Mapping[Point, tuple[Reason, float]] = {
    ("wire", "loss=0.01", "bpf_westwood_pl"): (FEWER_ACKS, 0.055),
}
"""Known differences of paired runs beyond the bound, by point, with the reason."""

SECONDS = 30
"""Duration of a bulk transfer in seconds."""


@dataclass(frozen=True)
class KernelPath:
    """Emulated path between two kernel hosts."""

    title: str
    scenario: str | Document
    """Packaged scenario, or a document."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    sender: str = "s"
    receiver: str = "d"
    flow: str = "ftp"
    """Name of the flow from `sender` to `receiver`, as in the scenario."""
    loss: str = "wired.w.errors.loss"
    """Scenario path of a packet's loss probability."""

    @property
    def is_marked(self) -> bool:
        """True if the sender requests ECN."""
        return _MARKED.items() <= self.changes.items()


_WIRE = wire("reno", {"preset": "linux"}, loss=0.0, seconds=SECONDS)
_MARKED = {"flow.ftp.tcp.ecn": True}

LINKS: Mapping[str, KernelPath] = {
    "last-hop": KernelPath("", "last-hop"),
    "fq-codel": KernelPath(
        "FQ-CoDel at the base station, attempts 7",
        "last-hop",
        {"wlan.cell.attempts": 7, "wlan.cell.queue": {"kind": "fq-codel"}},
    ),
    "fades": KernelPath(
        "fades of 200 ms every 2 s in the mean, attempts 7",
        "last-hop",
        {
            "wlan.cell.attempts": 7,
            "wlan.cell.errors": {
                "kind": "two-state",
                "good": "2 s",
                "bad": "200 ms",
                "fer_good": 0.001,
                "fer_bad": 1.0,
            },
        },
    ),
    "rlp": KernelPath(
        "a radio link of 2 Mbit/s with RLP, FER 5 %", "yun2009-rlp", {"radio.air.rate": "2 Mbit/s"}
    ),
    "down": KernelPath("Yun 2009's downlink", "yun2009-downlink", sender="s1", receiver="d1", flow="ftp*"),
    "up": KernelPath("Yun 2009's uplink", "yun2009-uplink", sender="d1", receiver="s1", flow="ftp*"),
    "koo": KernelPath(
        "Koo et al. 2007, topology (a)", "koo2007-single", receiver="m", loss="wired.air.errors.loss"
    ),
    "chain": KernelPath(
        "Cheng and Lin 2008, eight hops",
        "cheng2008-chain",
        {
            "flow.ftp.tcp": {
                "preset": "linux",
                "delayed_ack": {"segments": 2, "timeout": "40 ms"},
                "pacing": False,
            }
        },
        sender="n0",
        receiver="n8",
    ),
    "wire": KernelPath("a wire of 10 Mbit/s, 30 ms", _WIRE, sender="a", receiver="b"),
    "red": KernelPath(
        "RED marks on a wire of 10 Mbit/s, 30 ms",
        _WIRE,
        {"wired.w.queue": {"kind": "red", "packets": 100, "min": 10, "max": 30, "ecn": True}, **_MARKED},
        sender="a",
        receiver="b",
    ),
    "steps": KernelPath(
        "marks from 12 waiting packets on, on a wire of 10 Mbit/s, 30 ms",
        _WIRE,
        {"flow.ftp.services": ["step-marking"], **_MARKED},
        sender="a",
        receiver="b",
    ),
    "wifi-n": KernelPath(
        "802.11n at MCS 7",
        "wifi-n",
        # no warm-up, because iperf3 measures from the first segment on
        {"warmup": "0 s", "wlan.cell.errors": {"kind": "bernoulli", "loss": 0.0}},
        sender="server",
        receiver="sta",
        flow="download",
        loss="wlan.cell.errors.loss",
    ),
}
"""Emulated paths, by their names in the files with measurements."""

_WORDS: Mapping[str, Callable[[str], str]] = {
    "fer": lambda value: f"FER {percent(value)}",
    "loss": lambda value: f"loss {percent(value)}",
    "attempts": "attempts {}".format,
    "services": str,
    "paced": lambda _: "paced",
    "size": "{} kB".format,
}
_KEYS = {
    "attempts": "wlan.cell.attempts",
    "fer": "wlan.cell.errors.fer",
}


def emulated(link: str, params: str, scheme: str) -> Document:
    """Return the scenario of an emulation in which simulated hosts replace the kernels.

    The receiver delays ACKs for two segments or 40 ms, as the kernel does, except ACKs of segments with PSH.
    The caller loads the BPF object (`airhop.crosscheck.check.scenario`).

    Parameters
    ----------
    link
        One of `LINKS`.
    params
        Settings: `attempts` (maximum number of transmissions of a frame), `fer` (loss probability of a full
        data frame), `loss` (loss probability of a packet on the lossy wire), `services` (as in `airhop
        emulate --services`), `paced` and `size` (of a single transfer, kB; without it the sender always has
        data). A `paced` connection begins with BBR and switches to the scheme, and Linux keeps pacing.
        Otherwise the route sets the scheme.
    scheme
        Scheme of the sender: a scheme of Airhop, or a packaged BPF object such as `bpf_eln`.
    """
    given = parameters(params)
    app = {"kind": "transfer", "size": f"{given['size']} kB"} if "size" in given else {"kind": "bulk"}
    there = LINKS[link]
    flow = f"flow.{there.flow}"
    changes = {
        "duration": f"{SECONDS} s",
        **there.changes,
        **{
            key: json.loads(given[name])
            for name, key in (_KEYS | {"loss": there.loss}).items()
            if name in given
        },
        f"{flow}.scheme": scheme if shipped(scheme) is None else "reno",
        f"{flow}.app": app,
        f"{flow}.tcp.preset": "linux",
        f"{flow}.tcp.delayed_ack": {"segments": 2, "timeout": "40 ms"},
        f"{flow}.tcp.pacing": "paced" in given,
    }
    document = served(Scenario.load(there.scenario).with_(changes), given.get("services")).to_dict()
    for one in document["flow"]:
        one["scheme"] = scheme
    return document


def description(link: str, params: str, scheme: str) -> str:
    """Return the description of the simulated network."""
    written = {name: _WORDS[name](value) for name, value in parameters(params).items()}
    settings = (written[name] for name in _WORDS if name in written)
    return ", ".join(part for part in (scheme, LINKS[link].title, *settings) if part)


def checks() -> Iterator[Check]:
    """Yield a check for every point: 30 s of iperf3 in emulated.csv and chain.csv; curl in downloads.csv.

    Objects over the wire have another check, of runs with the same losses.
    """
    for (link, params, scheme), theirs in {**points("emulated"), **points("chain")}.items():
        yield Check(
            id=check_id(link, params, scheme),
            source="kernel",
            scenario=description(link, params, scheme),
            quantity=GOODPUT,
            document=emulated(link, params, scheme),
            theirs=theirs,
            bound=_bound(link, params, scheme),
            reps=60,
            is_quick="attempts=1;fer=0.01" in params and scheme == "reno",
        )
    for (link, params, scheme), theirs in points("downloads", COMPLETION_S).items():
        yield Check(
            id=check_id(link, params, scheme),
            source="kernel",
            scenario=description(link, params, scheme),
            quantity=COMPLETION,
            document=emulated(link, params, scheme),
            theirs=theirs,
            bound=DOWNLOADS_WITHIN,
            reps=200,
            is_quick=False,
        )

    for point in paired():
        link, params, scheme = point
        reason, deviation = REASONS.get(point, (None, 0.0))
        yield Check(
            id=paired_id(*point),
            source="kernel",
            scenario=f"{description(link, params, scheme)}, the same losses",
            quantity=RATIO,
            document=emulated(link, params, scheme),
            theirs=Estimate(1.0, 0.0, 1),
            bound=OBJECTS_WITHIN,
            reps=0,
            is_quick=scheme == "bpf_veno",
            reason=reason,
            deviation=deviation,
            runs=runs("emulated")[point],
        )


def paired() -> list[Point]:
    """Return the points whose simulation with the seed of a run loses the same packets as the run.

    A wire draws a loss for each packet, in the order of the packets. Kernel and simulation therefore lose the
    packets with the same numbers, and the ratio of paired runs varies less than the goodput.
    """
    return [point for point in points("emulated") if point[0] == "wire"]


def paired_id(*words: str) -> str:
    """Return the ID of the check of runs with the same losses."""
    return f"{check_id(*words)} paired"


_WITHIN_LINKS = frozenset({"fq-codel", "fades", "rlp", "red", "steps", "wifi-n"})
"""Links on which TCP repairs few losses, because the link layer retransmits, or queues mark packets."""


def _bound(link: str, params: str, scheme: str) -> float:
    """Return the bound of a bulk transfer, as a share of the kernel's goodput."""
    if "paced" in parameters(params):
        is_sent_once = "attempts=1;" in params and scheme != "bbr"
        return PACED_ONCE_WITHIN if is_sent_once else PACED_WITHIN
    if scheme in ("bbr", "bpf_bbr") or link in _WITHIN_LINKS:
        return WITHIN
    is_repeated = int(parameters(params).get("attempts", 1)) > 1
    if not is_repeated and "ll-elsn" not in params:
        return ONCE_WITHIN
    return WITHIN if shipped(scheme) is None else OBJECTS_WITHIN


def check_id(*words: str) -> str:
    """Return the ID of a check: "kernel", then the link, the parameters and the scheme."""
    return " ".join(("kernel", *filter(None, words)))
