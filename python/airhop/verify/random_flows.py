"""Random flows over a random network, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from airhop import catalogue

Table = dict[str, Any]
"""A table of a scenario."""


@dataclass(frozen=True)
class Ends:
    """Where flows may begin and end."""

    near: Sequence[str]
    far: Sequence[str]
    between: str | None = None
    """Name of the wlan of which any two stations may be the ends."""


def some(draw: Random, keys: Mapping[str, Sequence[Any]], share: float = 0.2) -> Table:
    """Draw each key with this probability, and one of its values."""
    return {key: draw.choice(values) for key, values in keys.items() if draw.random() < share}


_built_in = cache(catalogue.built_in)


@cache
def _services() -> list[str]:
    return list(catalogue.services())


def flows(draw: Random, scenario: Table, ends: Ends, others: Sequence[str]) -> list[Table]:
    """Draw one to three flows, or copies of one."""
    schemes = [*_built_in(), *map(catalogue.scheme, others)]
    if draw.random() < 0.1:
        scenario["copies"] = 2
        flow = _flow(draw, "f*", ends, schemes) | some(draw, {"stagger": ["100 ms"]}, 0.5)
        return [flow]
    return [_flow(draw, f"f{number}", ends, schemes) for number in range(draw.choice([1, 1, 2, 3]))]


def _flow(draw: Random, name: str, ends: Ends, schemes: Sequence[Table]) -> Table:
    flow: Table = {"name": name} | some(draw, {"segment": ["88 B", "512 B", "1400 B"]}, 0.6)
    flow |= some(draw, {"start": ["1 ms", "300 ms"]}, 0.3)
    if ends.between is not None and draw.random() < 0.4:
        flow["between"] = {"wlan": ends.between} | some(draw, {"hops": [1, 2]}, 0.3)
    else:
        pair = [draw.choice(ends.near), draw.choice(ends.far)]
        flow["from"], flow["to"] = pair if draw.random() < 0.7 else pair[::-1]
    if draw.random() < 0.12:
        return flow | {"transport": "udp", "app": _datagrams(draw)}
    flow |= some(draw, {"transport": ["tcp"], "app": [{"kind": "bulk"}]}, 0.2)
    if draw.random() < 0.2:
        flow["app"] = {"kind": "transfer", "size": draw.choice(["1 kB", "40 kB", "40001 B"])}
    flow |= {"scheme": _scheme(draw, draw.choice(schemes)), "tcp": _tcp(draw)}
    return flow | some(
        draw,
        {
            "notices": ["scheme", "ignored", "eln", "elsn"],
            "services": [draw.sample(_services(), draw.choice([0, 1, 2]))],
        },
        0.08,
    )


def _datagrams(draw: Random) -> Table:
    if draw.random() < 0.5:
        return {"kind": "cbr", "rate": draw.choice(["30 kbit/s", "300 kbit/s"])}
    app = {"kind": "pareto-on-off", "peak": draw.choice(["300 kbit/s", "2 Mbit/s"])}
    return app | some(draw, {"on": ["100 ms"], "off": ["50 ms"], "shape": [1.2, 2]}, 0.5)


def _scheme(draw: Random, entry: Table) -> str | Table:
    """Take a scheme as it is, or with parameters around their defaults."""
    name = str(entry["name"])
    if draw.random() < 0.6:
        return name
    keys: dict[str, Sequence[Any]] = {}
    for parameter in entry["parameters"]:
        if "words" in parameter:
            keys[parameter["name"]] = parameter["words"]
        else:
            least, most = parameter["range"]
            value = float(parameter["default"])
            keys[parameter["name"]] = [max(least, value / 2), value, min(most, 2 * value)]
    return {"name": name} | some(draw, keys, 0.5)


def _tcp(draw: Random) -> Table:
    tcp = {"preset": draw.choice(["rfc", "ns2", "linux"])}
    if draw.random() < 0.3:
        return tcp
    delayed = {"segments": draw.choice([1, 2, 4])} | some(draw, {"timeout": ["40 ms", "200 ms"]}, 0.5)
    timer: dict[str, Sequence[Any]] = {
        "kind": ["rfc6298", "ns2", "single-gain", "linux"],
        "min": ["50 ms", "1 s"],
        "max": ["5 s", "60 s"],
        "initial": ["1 s", "3 s"],
        "tick": ["1 ms", "100 ms"],
    }
    keys: dict[str, Sequence[Any]] = {
        "handshake": [True, False],
        "initial_window": [1, 2, 10],
        "initial_ssthresh": [2, 20, "infinite"],
        "receive_window": ["4 kB", "20 kB", "unlimited"],
        "dupthresh": [1, 3, 10],
        "limited_transmit": [True, False],
        "timestamps": [True, False],
        "sack_blocks": [1, 3],
        "dsack": [True, False],
        "delayed_ack": [True, False, delayed],
        "quick_acks": [0, 16],
        "rto": [some(draw, timer, 0.4)],
        "halve_from": ["flight", "pipe", "cwnd", "whole-cwnd"],
        "exit_to_flight": [True, False],
        "ecn": [True, True, False],
        "sack_recovery": ["rfc6675", "pipe", "rate-halving"],
        "loss_detection": ["duplicates", "rfc6675", "rack"],
        "growth": ["per-ack", "per-byte"],
        "validation": ["never", "half", "full"],
        "prr": [True, False],
        "tlp": [True, False],
        "frto": [True, False],
        "undo": [True, False],
        "pacing": [True, False],
        "push": [True, False],
        "turnaround": [False, {"median": "100 us", "p90": "1 ms"}],
    }
    return tcp | some(draw, keys, 0.15)
