"""Random flows over a random network, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from airhop import catalogue
from airhop.verify.trace import quantity
from airhop.verify.values import Table


@dataclass(frozen=True)
class Ends:
    """Nodes at which flows may begin and end."""

    near: Sequence[str]
    far: Sequence[str]
    between: str | None = None
    """Name of the wlan that has random flow ends. None if the ends are fixed."""


CONVERSATIONS = ("call", "game")
"""Applications that send in both directions."""


def some(draw: Random, keys: Mapping[str, Sequence[Any]], share: float = 0.2) -> Table:
    """Draw a table: each key occurs with probability `share`, with one of its values."""
    return {key: draw.choice(values) for key, values in keys.items() if draw.random() < share}


_built_in = cache(catalogue.built_in)


def flows(draw: Random, scenario: Table, ends: Ends, others: Sequence[str]) -> list[Table]:
    """Draw one to three flows, or a flow that the scenario copies."""
    schemes = [*_built_in(), *map(catalogue.scheme, others)]
    if draw.random() < 0.1:
        scenario["copies"] = 2
        return [_flow(draw, "f*", ends, schemes)]
    return [_flow(draw, f"f{number}", ends, schemes) for number in range(draw.choice([1, 1, 2, 3]))]


def _flow(draw: Random, name: str, ends: Ends, schemes: Sequence[Table]) -> Table:
    flow: Table = {"name": name} | some(draw, {"segment": ["1 B", "88 B", "512 B", "1400 B", "1460 B"]}, 0.6)
    if ends.between is not None and draw.random() < 0.4:
        flow["between"] = {"wlan": ends.between}
    else:
        pair = [draw.choice(ends.near), draw.choice(ends.far)]
        flow["from"], flow["to"] = pair if draw.random() < 0.7 else pair[::-1]
    if draw.random() < 0.12:
        app = _datagrams(draw, flow)
        if app["kind"] in CONVERSATIONS:
            flow.pop("segment", None)  # calls and games set the size of their datagrams
        return flow | {"transport": "udp", "app": app}
    scheme = str(draw.choice(schemes)["name"])
    flow |= some(draw, {"transport": ["tcp"], "app": [{"kind": "bulk"}]}, 0.2)
    if draw.random() < 0.2:
        flow["app"] = {"kind": "transfer", "size": draw.choice(["1 B", "1 kB", "40 kB", "40001 B"])}
    elif draw.random() < 0.15:
        flow["app"] = _requests(draw)
    elif draw.random() < 0.1:
        flow["app"] = _video(draw)
    return flow | {"scheme": draw.choice([scheme, {"name": scheme}])}


def _requests(draw: Random) -> Table:
    """Draw requests in an open or a closed loop, or visits to a web page."""
    size = ["1 B", "200 B", "3 kB", {"kind": "exponential", "mean": "2 kB"},
            {"kind": "lognormal", "median": "1 kB", "sigma": 1.5},
            {"kind": "pareto", "mean": "5 kB", "shape": 1.3},
            {"kind": "empirical", "of": "data-mining"}]  # fmt: skip
    time = ["50 ms", {"kind": "exponential", "mean": "100 ms"},
            {"kind": "lognormal", "median": "50 ms", "sigma": 1.5},
            {"kind": "pareto", "mean": "100 ms", "shape": 1.3}]  # fmt: skip
    if draw.random() < 0.3:
        app = {"kind": "web", "page": "news", "think": draw.choice(time)}
        return app | some(draw, {"request": size}, 0.7)
    app = {"kind": "request-response", "request": draw.choice(size), "response": draw.choice(size)}
    app |= some(draw, {"connections": ["new", "reused"]}, 0.5)
    if draw.random() < 0.5:
        return app | {"think": draw.choice(time)}
    return app | {"rate": draw.choice([1, 20])} | some(draw, {"arrivals": ["poisson", "constant"]}, 0.5)


def _video(draw: Random) -> Table:
    """Draw a video with ascending bitrates, and a buffer for two segments and the startup level."""
    segment_ms = draw.choice([1, 20, 100, 400, 1500])
    rates = ["1 bit/s", "9.6 kbit/s", "64 kbit/s", "500 kbit/s", "1 Mbit/s", "2.5 Mbit/s", "40 Mbit/s"]
    picked = sorted(draw.sample(range(len(rates)), draw.choice([1, 2, 3, len(rates)])))
    app: Table = {
        "kind": "video",
        "ladder": [rates[place] for place in picked],
        "segment": f"{segment_ms} ms",
    }
    capacity = draw.choice([2, 2.5, 3, 10])
    app |= some(draw, {"choice": ["hybrid", "buffer", "throughput"]}, 0.8)
    app |= some(draw, {"request": ["1 B", "3 kB"], "safety": [0.01, 0.85, 1],
                       "buffer": [f"{segment_ms * capacity:g} ms"]}, 0.5)  # fmt: skip
    if "buffer" in app:
        return app | some(draw, {"startup": ["1 ns", f"{segment_ms * int(capacity)} ms"]}, 0.4)
    return app | some(draw, {"startup": ["1 ns", f"{2 * segment_ms} ms"]}, 0.4)


def _datagrams(draw: Random, flow: Table) -> Table:
    """Draw an application over UDP; constant and on-off rates are 10 to 1000 datagrams per second.

    A call or a game has only the key `kind`; other keys are drawn later from the schema.
    """
    if draw.random() < 0.4:
        return {"kind": draw.choice(CONVERSATIONS)}
    rate = 8 * quantity(flow.get("segment", "1000 B")) * draw.choice([10, 200, 1000])
    if draw.random() < 0.5:
        return {"kind": "cbr", "rate": f"{rate:g} bit/s"}
    return {"kind": "pareto-on-off", "peak": f"{rate:g} bit/s"}
