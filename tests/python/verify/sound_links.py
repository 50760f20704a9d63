"""Scenarios with unusual but correct behaviour of links, by the behaviour."""

from __future__ import annotations

from typing import Any

UDP: dict[str, Any] = {"transport": "udp", "app": {"kind": "cbr", "rate": "500 kbit/s"}}
HEARD_NEXT_DOOR = {"receive": "35 m", "sense": "35 m"}


def few_attempts(attempts: int, loss: float) -> dict[str, Any]:
    return {
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11g",
                "rate": "6 Mbit/s",
                "stations": {"bs": [0, 0], "d": [30, 0]},
                "attempts": attempts,
                "errors": {"kind": "bernoulli", "loss": loss},
            }
        ]
    }


def late(share: float, by: str, **link: str) -> dict[str, Any]:
    """Return a wire from s to d that delays a share of its packets."""
    return {"name": "w", "ends": ["s", "d"], "reorder": {"share": share, "by": by}, **link}


def fading(*directions: str) -> dict[str, Any]:
    """Return two stations whose channel fades independently in each of these directions."""
    fades = {"kind": "two-state", "good": "200 ms", "bad": "200 ms", "fer_good": 0, "fer_bad": 1}
    return {
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11g",
                "rate": "12 Mbit/s",
                "stations": {"a": [0, 0], "b": [10, 0]},
                "errors": [fades | {"direction": direction} for direction in directions],
            }
        ],
        "flow": [{"name": "f", "from": "a", "to": "b", "scheme": "newreno"}],
    }


LINKS: dict[str, dict[str, Any]] = {
    # RFC 3561 §6.12: a router keeps the packets that the link layer gives up. A retransmission, in a later
    # MPDU, arrives before the router offers the first copy again.
    "a router takes back segments under Block Ack": {
        "duration": "1 s",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11n",
                "rate": {"mcs": 2},
                "layout": {"kind": "cross", "spacing": "30 m", "arm": 2},
                "lifetime": "5 ms",
                "routing": {"kind": "aodv", "hop_time": "0.5 ms", "repair": True},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "n0",
                "to": "n8",
                "scheme": "cubic",
                "app": {"kind": "web", "page": "news", "think": "100 ms"},
            }
        ],
    },
    # IEEE 802.11-2020 §10.23.2.4 c: AIFS follows the timeout of the last attempt, also for the next packet.
    "a packet follows one that is given up": {
        "duration": "1 s",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11ax",
                "rate": {"mcs": 4},
                "band": "2.4 GHz",
                "attempts": 2,
                "layout": {"kind": "chain", "spacing": "45 m", "nodes": 5},
                "range": {"receive": "50 m", "sense": "75 m"},
            }
        ],
        "flow": [
            {"name": "f", "from": "n0", "to": "n4", "scheme": "newreno"},
            {
                "name": "u",
                "from": "n0",
                "to": "n4",
                "transport": "udp",
                "app": {"kind": "pareto-on-off", "peak": "2.24 Mbit/s"},
            },
        ],
    },
    # RFC 3561 §6.12: a router stores the packets for a destination while it repairs the route.
    "a router repairs a route": {
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11b",
                "rate": "11 Mbit/s",
                "attempts": 1,
                "layout": {"kind": "chain", "spacing": "30 m", "nodes": 4},
                "range": {"receive": "40 m", "sense": "85 m"},
                "errors": {"kind": "bernoulli", "loss": 0.1},
                "routing": {"kind": "aodv", "preset": "rfc3561", "repair": True},
            }
        ],
        "flow": [{"name": "f", "from": "n0", "to": "n3", "scheme": "reno"}],
    },
    "an outage begins as another ends": {
        "radio": [
            {
                "name": "air",
                "ends": ["s", "d"],
                "rate": "1 Mbit/s",
                "delay": "1 ms",
                "changes": {"kind": "outage", "at": "1 s", "lasts": "200 ms", "every": "200 ms"},
            }
        ],
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "reno"}],
    },
    # b and c begin at the same time, and c's frame is longer: a's ACK overlaps the end of c's frame, so b
    # detects no frame, and its ACK timeout (IEEE 802.11-2016 §10.3.2.9) expires before the end of that ACK,
    # which is nevertheless received.
    "an ACK outlasts the timeout of its frame": {
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11",
                "rate": "2 Mbit/s",
                "control_rate": "1 Mbit/s",
                "attempts": 1,
                "stations": {"a": [0, 0], "b": [30, 0], "c": [60, 0]},
                "range": HEARD_NEXT_DOOR,
            }
        ],
        "flow": [
            {"name": "f", "from": "b", "to": "a", "segment": "60 B", **UDP},
            {"name": "g", "from": "c", "to": "b", "segment": "1000 B", **UDP},
        ],
    },
    # A frame that the handoff interrupts would overtake the previous frame on the shorter path, and is lost
    # with it.
    "what a handoff cuts arrives in order": {
        "radio": [
            {
                "name": "air",
                "ends": ["bs", "d"],
                "rate": "2 Mbit/s",
                "delay": "20 ms",
                "arq": {"kind": "go-back-n"},
                "changes": {
                    "kind": "handoff",
                    "at": "1.005 s",
                    "gap": "1 ms",
                    "mobile": "d",
                    "fate": "lost",
                    "delay": "1 ms",
                },
            }
        ],
        "flow": [
            {"name": "f", "from": "bs", "to": "d", "scheme": "reno"},
            {"name": "g", "from": "d", "to": "bs", "scheme": "reno"},
        ],
    },
    # LHP sends a packet in fragments with separate attempts: two attempts per fragment allow a fourth
    # transmission.
    "fragments have attempts each": {
        **few_attempts(2, loss=0.1),
        "flow": [{"name": "f", "from": "bs", "to": "d", "scheme": "lhp"}],
    },
    # A datagram's headers are 28 bytes: `fer` is about frames of 29 bytes.
    "a channel loses short datagrams": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "1 Mbit/s",
                "delay": "1 ms",
                "errors": {"kind": "bernoulli", "fer": 0.7},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "segment": "1 B",
                "transport": "udp",
                "app": {"kind": "cbr", "rate": "10 kbit/s"},
            }
        ],
    },
    "fades of all that a station sends": fading("a->*"),
    "fades of all that a station hears": fading("*->a"),
    # A direction that names both stations precedes a direction that names one station.
    "fades of one direction among others": fading("a->*", "b->a"),
    # With two stations a broadcast has only one receiver (RFC 3561 §6.3).
    "two stations ask for routes": {
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11g",
                "rate": "48 Mbit/s",
                "layout": {"kind": "chain", "nodes": 2, "spacing": "17 m"},
                "routing": {"kind": "aodv"},
            }
        ],
        "flow": [{"name": "f", "from": "n0", "to": "n1", "scheme": "newreno"}],
    },
    # During a routing loop a packet returns to a station, and is dropped there without a route, although its
    # earlier MPDU had arrived.
    "a packet comes back to a station": {
        "duration": "80 ms",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11ax",
                "rate": {"mcs": 7, "streams": 2},
                "width": "40 MHz",
                "aggregation": {"frames": 4},
                "layout": {"kind": "grid", "spacing": "30 m", "columns": 3, "rows": 2},
                "range": {"receive": "35 m", "sense": "52.5 m", "capture": "1.59 dB"},
                "access": "rts-cts",
                "routing": {
                    "kind": "aodv",
                    "preset": "rfc3561",
                    "active_route": "0.923466 s",
                    "hop_time": "5 us",
                    "buffer": 1,
                    "jitter": "11 ns",
                    "repair": True,
                },
            }
        ],
        "flow": [{"name": name, "between": {"wlan": "cell"}, "scheme": "reno"} for name in ("f", "g")],
    },
    # RFC 3561 §6.5: routers forward requests with jitter, so many requests may be waiting at the end of a
    # run.
    "requests wait for their jitter": {
        "duration": "500 ms",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11g",
                "rate": "12 Mbit/s",
                "layout": {"kind": "chain", "nodes": 5, "spacing": "30 m"},
                "range": {"receive": "40 m", "sense": "85 m"},
                "routing": {"kind": "aodv", "hop_time": "1 ms", "jitter": "2 s", "retries": 16},
            }
        ],
        "flow": [{"name": "f", "from": "n0", "to": "n4", "scheme": "newreno"}],
    },
    # Seven RTS frames without a CTS are the limit (dot11ShortRetryLimit), for any limit of data frames.
    "an RTS is not answered": {
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11g",
                "rate": "12 Mbit/s",
                "access": "rts-cts",
                "attempts": 20,
                "stations": {"a": [0, 0], "b": [10, 0]},
                "errors": {"kind": "bernoulli", "loss": 0.5},
            }
        ],
        "flow": [{"name": "f", "from": "a", "to": "b", "scheme": "newreno"}],
    },
    # After a handoff to a shorter path, packets at the end of the wire wait for packets on the longer path.
    "a handoff shortens the way": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "bs"],
                "rate": "1 Mbit/s",
                "delay": "190 ms",
                "changes": [
                    {"kind": "handoff", "at": "1.5 s", "gap": "40 ms", "mobile": "s", "delay": "2 ms"}
                ],
            }
        ],
        "flow": [
            {"name": "f", "from": "bs", "to": "s", "scheme": "newreno"},
            {"name": "g", "from": "s", "to": "bs", "segment": "88 B", "scheme": "newreno"},
        ],
    },
    # A frame lasts longer than the interval before an idle frame, which is due when the link is free.
    "an idle frame is late": {
        "radio": [
            {
                "name": "air",
                "ends": ["bs", "d"],
                "rate": "1 Mbit/s",
                "delay": "5 ms",
                "arq": {"kind": "rlp", "rounds": [2], "idle": "5 ms", "copy": "1 ms"},
                "errors": {"kind": "bernoulli", "fer": 0.6},
            }
        ],
        "flow": [{"name": "f", "from": "bs", "to": "d", "scheme": "reno"}],
    },
    # Of two changes at one instant the later change in the file applies, whichever rate is higher.
    "a rate changes at the very start": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "delay": "5 ms",
                "rate": "3.6 Mbit/s",
                "changes": [
                    {"kind": "rate", "at": "0 s", "rate": "880 kbit/s"},
                    {"kind": "rate", "at": "27 ns", "rate": "53 kbit/s"},
                ],
            }
        ],
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "reno"}],
    },
    "an estimate of the bandwidth lies above the least window": {
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11b",
                "rate": "1 Mbit/s",
                "stations": {"a": [0, 0], "b": [30, 0]},
                "queue": {"kind": "congestion-warning", "packets": 50, "threshold": 4, "weight": 0.2},
            }
        ],
        "flow": [
            {
                "name": name,
                "from": "a",
                "to": "b",
                "scheme": "westwood",
                "tcp": {"preset": "rfc", "ecn": True},
            }
            for name in ("f", "g")
        ],
    },
    # c captures the RTS of d, and responds to d only. The duration of b's RTS, which a receives, is unknown.
    "a station responds to one of two RTS": {
        "duration": "100 ms",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11ax",
                "rate": {"mcs": 0, "streams": 1},
                "stations": {"a": [76.7, 38.6], "b": [61.9, 15.5], "c": [9.6, 9.3], "d": [15.6, 0.8]},
                "range": {"receive": "55 m", "sense": "55 m"},
                "errors": {"kind": "bernoulli", "loss": 0.2},
                "access": "rts-cts",
                "txop": {"BE": "0 s"},
            }
        ],
        "flow": [
            {"name": "f", "from": "a", "to": "b", "scheme": "newreno", "access_category": "VI"},
            {"name": "g", "from": "c", "to": "b", "scheme": "newreno", "access_category": "VI"},
            {"name": "h", "from": "d", "to": "c", "scheme": "newreno", "segment": "88 B"},
        ],
    },
    # Frames shorter than a SIFS: b receives two RTS before its first CTS. The first CTS tells the other
    # station that its attempt failed, so this station ignores the second CTS.
    "a CTS arrives after the attempt failed": {
        "duration": "300 ms",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11g",
                "rate": "54 Mbit/s",
                "stations": {"a": [0, 0], "b": [30, 0], "c": [60, 0]},
                "range": {"receive": "35 m", "sense": "35 m"},
                "access": "rts-cts",
                "phy": {"header": "4 ns", "coding": "serial"},
            }
        ],
        "flow": [{"name": "f", "from": "a", "to": "c", "scheme": "newreno", "segment": "1 B"}],
    },
    # b's ACK does not reserve the medium for the next exchange of a's TXOP, and c does not sense a.
    "a frame of a hidden station begins within a TXOP": {
        "duration": "100 ms",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11ac",
                "rate": {"mcs": 7, "streams": 1},
                "stations": {"a": [0, 0], "b": [30, 0], "c": [60, 0], "d": [90, 0]},
                "range": {"receive": "35 m", "sense": "35 m"},
                "aggregation": {"frames": 1},
                "txop": {"VI": "1.504 ms"},
            }
        ],
        "flow": [
            {
                "name": name,
                "from": source,
                "to": target,
                "scheme": "newreno",
                "access_category": "VI",
                "segment": "88 B",
            }
            for name, source, target in (("f", "a", "b"), ("g", "c", "d"))
        ],
    },
}
