"""Random scenarios: any built-in scheme over any links, as plain data. Equal seeds give equal scenarios."""

from __future__ import annotations

from random import Random
from typing import Any

from airhop.catalogue import built_in

_STANDARDS = {
    "802.11": ("1 Mbit/s", "2 Mbit/s"),
    "802.11b": ("2 Mbit/s", "11 Mbit/s"),
    "802.11g": ("6 Mbit/s", "54 Mbit/s"),
}


def random_network(seed: int) -> dict[str, Any]:
    """Draw a scenario of some seconds: a wired part, one wireless part, one to three flows over both."""
    draw = Random(seed)
    wired = [_wired(draw, "w1", "s", "r"), _wired(draw, "w2", "r", "bs")]
    part = draw.choice([_cell, _cell, _radio, _chain, _lossy_wire])
    scenario = {"name": f"random-{seed}", "duration": f"{draw.uniform(1, 4):.3f} s", "wired": wired}
    end = part(draw, scenario)
    if draw.random() < 0.3:
        scenario["warmup"] = "500 ms"
    scenario["flow"] = [_flow(draw, number, end) for number in range(draw.choice([1, 1, 2, 3]))]
    return scenario


def _wired(draw: Random, name: str, a: str, b: str) -> dict[str, Any]:
    rate = draw.choice(["256 kbit/s", "2 Mbit/s", "10 Mbit/s", "31.7 Mbit/s"])
    delay = f"{draw.choice([0, 1, 10, 40])} ms"
    return {"name": name, "ends": [a, b], "rate": rate, "delay": delay, "queue": _queue(draw)}


def _queue(draw: Random) -> dict[str, Any]:
    kind = draw.choice(
        ["drop-tail"] * 3 + ["red", "codel", "fq-codel", "pie", "fq", "biased", "congestion-warning"]
    )
    queue = {"kind": kind, "packets": draw.choice([4, 20, 50, 200])}
    if kind in ("red", "codel", "fq-codel", "pie"):
        queue["ecn"] = draw.random() < 0.5
    return queue


def _errors(draw: Random) -> dict[str, Any]:
    return draw.choice(
        [
            {"kind": "clean"},
            {"kind": "bernoulli", "fer": draw.choice([0.001, 0.03, 0.2])},
            {"kind": "bernoulli", "loss": draw.choice([0.01, 0.1])},
            {"kind": "gilbert-elliott", "loss": 0.05, "burst": draw.choice([2, 8])},
            {"kind": "two-state", "good": "500 ms", "bad": "150 ms", "ber_good": 1e-6, "ber_bad": 1e-2},
        ]
    )


def _cell(draw: Random, scenario: dict[str, Any]) -> str:
    standard = draw.choice(list(_STANDARDS))
    scenario["wlan"] = [
        {
            "name": "cell",
            "standard": standard,
            "rate": draw.choice(_STANDARDS[standard]),
            "access": draw.choice(["basic", "rts-cts"]),
            "attempts": draw.choice([1, 2, 7]),
            "immediate_access": draw.random() < 0.3,
            "stations": {"bs": [0, 0], "d": [30, 0], "e": [0, 30]},
            "queue": _queue(draw),
            "errors": _errors(draw),
        }
    ]
    return "d"


def _chain(draw: Random, scenario: dict[str, Any]) -> str:
    hops = draw.randrange(1, 5)
    names = ["bs", *(f"n{number}" for number in range(1, hops)), "d"]
    scenario["wlan"] = [
        {
            "name": "chain",
            "standard": "802.11g",
            "rate": draw.choice(["6 Mbit/s", "36 Mbit/s"]),
            "access": draw.choice(["basic", "rts-cts"]),
            "stations": {name: [30 * number, 0] for number, name in enumerate(names)},
            "range": {"receive": "40 m", "sense": draw.choice(["40 m", "85 m"])},
            "routing": {"kind": draw.choice(["static", "aodv"])},
            "queue": _queue(draw),
            "errors": _errors(draw),
        }
    ]
    return "d"


def _radio(draw: Random, scenario: dict[str, Any]) -> str:
    arq = draw.choice(
        [
            {"kind": "none"},
            {"kind": "stop-and-wait", "attempts": 3},
            {
                "kind": "go-back-n",
                "window": draw.choice([1, 3, 7]),
                "group": draw.choice(["sliding", "blocks"]),
            },
            {"kind": "selective-repeat", "window": draw.choice([2, 16]), "srej": draw.random() < 0.5},
        ]
    )
    scenario["radio"] = [
        {
            "name": "air",
            "ends": ["bs", "d"],
            "rate": draw.choice(["19.2 kbit/s", "384 kbit/s", "5 Mbit/s"]),
            "delay": f"{draw.choice([0, 1, 20])} ms",
            "arq": arq,
            "queue": _queue(draw),
            "errors": _errors(draw),
        }
    ]
    return "d"


def _lossy_wire(draw: Random, scenario: dict[str, Any]) -> str:
    scenario["wired"].append(_wired(draw, "w3", "bs", "d") | {"errors": _errors(draw)})
    return "d"


def _flow(draw: Random, number: int, end: str) -> dict[str, Any]:
    ends = ("s", end) if draw.random() < 0.7 else (end, "s")
    flow = {
        "name": f"f{number}",
        "from": ends[0],
        "to": ends[1],
        "segment": draw.choice(["88 B", "512 B", "1000 B"]),
    }
    flow["start"] = f"{draw.choice([0, 0, 300])} ms"
    if draw.random() < 0.1:
        return flow | {"transport": "udp", "app": {"kind": "cbr", "rate": "300 kbit/s"}}
    preset = draw.choice(["rfc", "ns2", "linux"])
    tcp: dict[str, Any] = {"preset": preset}
    if preset != "linux":
        tcp["delayed_ack"] = draw.random() < 0.4
    if draw.random() < 0.3:
        tcp["ecn"] = True
    if draw.random() < 0.3:
        tcp["receive_window"] = draw.choice(["4 kB", "20 kB"])
    scheme = draw.choice(built_in())
    app = {"kind": "bulk"} if draw.random() < 0.8 else {"kind": "transfer", "size": "40 kB"}
    return flow | {"scheme": scheme, "tcp": tcp, "app": app}
