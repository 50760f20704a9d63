"""Networks of the comparisons with other simulators and kernels, as scenarios for `Scenario.load`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = dict[str, Any]
"""Scenario as plain data, with the keys of a TOML file."""

Tcp = Mapping[str, Any]
"""A flow's `tcp` table."""

RFC_EVERY_ACK: Tcp = {"preset": "rfc", "delayed_ack": False}
"""TCP of the RFCs (timestamps, initial window 10, minimum RTO 1 s), but with an ACK for every segment."""


def wire(
    scheme: str | Mapping[str, Any],
    tcp: Tcp,
    *,
    loss: float,
    seconds: int,
    warmup: int = 0,
    rate: str = "10 Mbit/s",
    delay: str = "30 ms",
    packets: int = 50,
    segment: int = 1000,
) -> Document:
    """Return two hosts and a bulk flow over a wire with independent losses towards the receiver.

    Parameters
    ----------
    scheme
        Name of a scheme, or a table of its name and parameters.
    tcp
        The flow's `tcp` table.
    loss
        Probability that a packet to the receiver is lost.
    seconds
        Measured time in seconds.
    warmup
        Warm-up before the measured time, in seconds.
    rate, delay
        Rate and delay of the link, each way.
    packets
        Queue capacity at each end in packets.
    segment
        Payload of a segment in bytes.
    """
    errors = {"kind": "bernoulli", "loss": loss, "direction": "a->b"}
    return {
        "name": "wire",
        "duration": f"{warmup + seconds} s",
        "warmup": f"{warmup} s",
        "wired": [_wired("w", "a", "b", rate=rate, delay=delay, packets=packets) | {"errors": errors}],
        "flow": [_bulk("ftp", "a", "b", scheme, tcp, segment)],
    }


def last_hop(
    scheme: str | Mapping[str, Any],
    tcp: Tcp,
    *,
    errors: Mapping[str, Any],
    seconds: int,
    attempts: int,
    control_mbps: int,
    delay_ms: int = 10,
    segment: int = 1000,
    flows: int = 1,
    uplink: bool = False,
    cell: Mapping[str, Any] | None = None,
) -> Document:
    """Return Yun 2009's Figure 5: s - r1 - r2 - bs by wires of 10 Mbit/s, bs to d by 802.11b at 11 Mbit/s.

    Parameters
    ----------
    scheme, tcp, segment
        As in `wire`.
    errors
        Error model of the cell.
    seconds
        Simulated time in seconds.
    attempts
        Largest number of transmissions of a frame.
    control_mbps
        Rate of link ACKs in Mbit/s.
    delay_ms
        One-way delay of each of the three wires in ms.
    flows
        Number of flows. Each flow starts 100 ms after the previous flow.
    uplink
        True if the flow sends from d to s. False if the flow sends from s to d.
    cell
        Other keys of the cell.
    """
    hops = zip(("s", "r1", "r2"), ("r1", "r2", "bs"), strict=True)
    ends = ("d", "s") if uplink else ("s", "d")
    starts = {f"f{i}": {"start": f"{100 * i} ms"} for i in range(flows)}
    return {
        "name": "last-hop",
        "duration": f"{seconds} s",
        "wired": [
            _wired(f"w{i}", *hop, rate="10 Mbit/s", delay=f"{delay_ms} ms", packets=50)
            for i, hop in enumerate(hops, start=1)
        ],
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11b",
                "rate": "11 Mbit/s",
                "control_rate": f"{control_mbps} Mbit/s",
                "attempts": attempts,
                "stations": {"bs": [0, 0], "d": [10, 0]},
                "errors": dict(errors),
                **(cell or {}),
            }
        ],
        "flow": [_bulk(name, *ends, scheme, tcp, segment) | start for name, start in starts.items()],
    }


def chain(
    scheme: str, tcp: Tcp, *, hops: int, seconds: int, segment: int, field: Mapping[str, Any]
) -> Document:
    """Return Cheng and Lin 2008's chain: 802.11g stations 30 m apart, ranges 40 m (receive) and 85 m (sense).

    Parameters
    ----------
    scheme, tcp, segment
        As in `wire`.
    hops
        Number of hops from the first station to the last.
    seconds
        Simulated time in seconds.
    field
        Other keys of the cell: rates, headers, queue.
    """
    return {
        "name": "chain",
        "duration": f"{seconds} s",
        "wlan": [
            {
                "name": "field",
                "standard": "802.11g",
                "attempts": 7,
                "layout": {"kind": "chain", "nodes": hops + 1, "spacing": "30 m"},
                "range": {"receive": "40 m", "sense": "85 m"},
                **field,
            }
        ],
        "flow": [_bulk("ftp", "n0", f"n{hops}", scheme, tcp, segment)],
    }


def saturated_cell(
    stations: int, *, access: str, attempts: int, seconds: int, cell: Mapping[str, Any] | None = None
) -> Document:
    """Return a saturated 802.11b cell at 11 Mbit/s: each station always has 1000-byte datagrams for the AP.

    Parameters
    ----------
    stations
        Number of sending stations.
    access
        "basic" or "rts-cts".
    attempts
        Largest number of transmissions of a frame.
    seconds
        Measured seconds after a warm-up of 1 s.
    cell
        Other keys of the cell.
    """
    names = [f"n{i}" for i in range(1, stations + 1)]
    # rate of each station, Mbit/s; the sum exceeds the capacity of the channel
    offered = max(20 / stations, 0.6)
    return {
        "name": "saturated-cell",
        "duration": f"{1 + seconds} s",
        "warmup": "1 s",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11b",
                "rate": "11 Mbit/s",
                "control_rate": "11 Mbit/s",
                "access": access,
                "attempts": attempts,
                "stations": {name: [0, 0] for name in ("ap", *names)},
                **(cell or {}),
            }
        ],
        "flow": [
            {
                "name": name,
                "from": name,
                "to": "ap",
                "transport": "udp",
                "segment": "1000 B",
                "app": {"kind": "cbr", "rate": f"{offered:g} Mbit/s"},
            }
            for name in names
        ],
    }


def saturated_wifi(
    standard: str,
    settings: Mapping[str, Any],
    *,
    stations: int,
    offered_mbps: float,
    seconds: float,
    payload: int = 1472,
) -> Document:
    """Return a saturated 802.11n, ac or ax cell: each station always has a datagram for the AP.

    Parameters
    ----------
    standard
        "802.11n", "802.11ac" or "802.11ax".
    settings
        Other keys of the cell.
    stations
        Number of sending stations.
    offered_mbps
        Datagram rate of each station in Mbit/s, above the station's share of the channel.
    seconds
        Measured seconds after a warm-up of 0.5 s.
    payload
        Payload of a datagram in bytes.
    """
    names = [f"n{i}" for i in range(1, stations + 1)]
    return {
        "name": "saturated-wifi",
        "duration": f"{0.5 + seconds:g} s",
        "warmup": "0.5 s",
        "wlan": [
            {
                "name": "cell",
                "standard": standard,
                "stations": {name: [0, 0] for name in ("ap", *names)},
                "queue": {"kind": "drop-tail", "packets": 1200},
                **settings,
            }
        ],
        "flow": [
            {
                "name": name,
                "from": name,
                "to": "ap",
                "transport": "udp",
                "segment": f"{payload} B",
                "app": {"kind": "cbr", "rate": f"{offered_mbps:.6g} Mbit/s"},
            }
            for name in names
        ],
    }


def _wired(name: str, here: str, there: str, *, rate: str, delay: str, packets: int) -> Document:
    queue = {"kind": "drop-tail", "packets": packets}
    return {"name": name, "ends": [here, there], "rate": rate, "delay": delay, "queue": queue}


def _bulk(
    name: str, source: str, sink: str, scheme: str | Mapping[str, Any], tcp: Tcp, segment: int
) -> Document:
    return {
        "name": name,
        "from": source,
        "to": sink,
        "scheme": scheme if isinstance(scheme, str) else dict(scheme),
        "segment": f"{segment} B",
        "app": {"kind": "bulk"},
        "tcp": dict(tcp),
    }
