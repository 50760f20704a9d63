"""Random scenarios: any scheme over any kind of link, as plain data. Equal seeds give equal scenarios.

What can be drawn is all that scenario files can say: a test walks the schema and looks for each key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from airhop.catalogue import defaults
from airhop.verify import random_flows
from airhop.verify.random_flows import Table, some

_STANDARDS = {
    "802.11": ("1 Mbit/s", "2 Mbit/s"),
    "802.11b": ("2 Mbit/s", "11 Mbit/s"),
    "802.11g": ("6 Mbit/s", "54 Mbit/s"),
}
_ATTEMPTS: dict[str, Sequence[Any]] = {
    "attempts": [1, 3, 8],
    "ack": ["2 B", "20 B"],
    "timeout": ["1 s", "2 s"],
}
"""Keys of every link recovery that waits for link ACKs."""
_EDGE = 30
"""Metres between neighbours in a wlan of several hops; frames reach a little farther."""


def random_network(seed: int, folder: str | Path, others: Sequence[str] = ()) -> Table:
    """Draw a scenario of some seconds: a wired part, one wireless part, one to four flows.

    Recorded channels are written into `folder`. Schemes are those that come with Airhop, and `others`.
    """
    draw = Random(seed)
    scenario: Table = {"name": f"random-{seed}", "duration": f"{draw.uniform(1, 3):.3f} s"}
    if draw.random() < 0.3:
        scenario["warmup"] = "500 ms"
    part = draw.choice([_cell, _cell, _radio, _radio, _hops, _adhoc, _wire])
    ends = part(draw, scenario, Path(folder) / f"random-{seed}")
    scenario["flow"] = random_flows.flows(draw, scenario, ends, others)
    return scenario


def _cell(draw: Random, scenario: Table, record: Path) -> random_flows.Ends:
    """One cell behind wires, in which all hear each other."""
    stations = {"bs": [0, 0], "d": [30, 0], "e": [0, 30]}
    mobiles = draw.choice([["d"], ["d", "e"]])
    if len(mobiles) == 1:
        del stations["e"]
    wlan = _wlan(draw, record, {"stations": stations}, ("bs", "d"))
    if draw.random() < 0.3:
        wlan |= draw.choice([{"range": _range(draw, 50)}, {"propagation": _propagation(draw)}])
    scenario["wired"] = _backhaul(draw, "bs")
    scenario["wlan"] = [wlan]
    return random_flows.Ends(["s"], mobiles)


def _hops(draw: Random, scenario: Table, record: Path) -> random_flows.Ends:
    """Several hops behind wires."""
    layout, last = _layout(draw)
    scenario["wired"] = _backhaul(draw, "n0")
    places = {"layout": layout, "range": _range(draw, _EDGE + 5)}
    scenario["wlan"] = [_wlan(draw, record, places, ("n0", "n1"))]
    return random_flows.Ends(["s"], [f"n{last}"])


def _adhoc(draw: Random, scenario: Table, record: Path) -> random_flows.Ends:
    """Several hops and no wires; routes may be asked for, places and ends left to chance."""
    layout, last = _layout(draw)
    reach = {"range": _range(draw, _EDGE + 5)}
    if draw.random() < 0.4:
        layout = {"kind": "random", "nodes": draw.choice([5, 9]), "width": "100 m", "height": "60 m"}
        layout |= some(draw, {"connected": [True], "prefix": ["n"]})
        reach = draw.choice([{"range": _range(draw, 55)}, {"propagation": _propagation(draw)}])
        last = 4
    wlan = _wlan(draw, record, {"layout": layout} | reach, ("n0", "n1"))
    if draw.random() < 0.7:
        wlan["routing"] = _aodv(draw)
    scenario["wlan"] = [wlan]
    return random_flows.Ends(["n0"], [f"n{last}"], between=wlan["name"])


def _radio(draw: Random, scenario: Table, record: Path) -> random_flows.Ends:
    """Behind wires a radio link with recovery, which may change or be recorded."""
    link: Table = {
        "name": "air",
        "ends": ["bs", "d"],
        "delay": f"{draw.choice([0, 1, 20])} ms",
        "arq": _arq(draw),
    } | some(draw, {"arq_back": [_arq(draw)], "overhead": ["6 B", "40 B"]}, 0.3)
    scenario["wired"] = _backhaul(draw, "bs")
    scenario["radio"] = [link | _pace(draw, scenario, record) | _ports(draw, record, ("bs", "d"))]
    return random_flows.Ends(["s"], ["d"])


def _wire(draw: Random, scenario: Table, record: Path) -> random_flows.Ends:
    """Wires alone, of which the last one loses and may change or be recorded."""
    last = {"name": "w3", "ends": ["bs", "d"], "delay": f"{draw.choice([0, 5])} ms"}
    last |= _pace(draw, scenario, record) | _ports(draw, record, ("bs", "d"))
    scenario["wired"] = [*_backhaul(draw, "bs"), last]
    return random_flows.Ends(["s"], ["d"])


def _backhaul(draw: Random, gateway: str) -> list[Table]:
    wires = []
    for name, ends in (("w1", ["s", "r"]), ("w2", ["r", gateway])):
        rate = draw.choice(["256 kbit/s", "2 Mbit/s", "10 Mbit/s", "31.7 Mbit/s"])
        delay = f"{draw.choice([0, 1, 10, 40])} ms"
        wires.append({"name": name, "ends": ends, "rate": rate, "delay": delay, "queue": _queue(draw)})
    return wires


def _pace(draw: Random, scenario: Table, record: Path) -> Table:
    """Draw how fast a link is: at one rate, at several, or as fast as a file says."""
    if draw.random() < 0.2:
        file = record.with_suffix(".trace")
        file.write_text("".join(f"{draw.randrange(3) + 4 * line}\n" for line in range(1, 200)))
        return {"deliveries": str(file)}
    pace: Table = {"rate": draw.choice(["19.2 kbit/s", "384 kbit/s", "2 Mbit/s", "5 Mbit/s"])}
    if draw.random() < 0.5:
        pace["changes"] = _changes(draw, float(scenario["duration"].split()[0]))
        if len(pace["changes"]) == 1 and draw.random() < 0.5:
            pace["changes"] = pace["changes"][0]
    return pace


def _changes(draw: Random, duration: float) -> list[Table]:
    """Draw one to three changes, one after the other; one alone may come again and again."""
    number = draw.choice([1, 1, 2, 3])
    share = duration / (number + 1)
    changes = []
    for place in range(number):
        kind = draw.choice(["rate", "outage", "handoff"])
        rate, delay = draw.choice(["100 kbit/s", "1 Mbit/s", "8 Mbit/s"]), draw.choice(["1 ms", "50 ms"])
        change: Table = {"kind": kind, "at": f"{share * (place + draw.uniform(0.1, 0.5)):.3f} s"}
        if kind == "rate":
            change["rate"] = rate
        elif kind == "outage":
            change["lasts"] = f"{share * draw.uniform(0.05, 0.4):.3f} s"
            change |= some(draw, {"fate": ["wait", "lost"]}, 0.7)
        else:
            change |= {"gap": f"{share * draw.uniform(0, 0.3):.3f} s", "mobile": draw.choice(["d", "bs"])}
            change |= some(draw, {"fate": ["forwarded", "lost"], "rate": [rate], "delay": [delay]}, 0.5)
        if number == 1:
            change |= some(draw, {"every": [f"{0.4 * share:.3f} s"]}, 0.5)
        changes.append(change)
    return changes


def _ports(draw: Random, record: Path, ends: tuple[str, str]) -> Table:
    """Draw what all kinds of links have."""
    return {"queue": _queue(draw), "errors": _errors(draw, record, ends)}


def _wlan(draw: Random, record: Path, places: Table, ends: tuple[str, str]) -> Table:
    standard = draw.choice(list(_STANDARDS))
    wlan: Table = {"name": "cell", "standard": standard, "rate": draw.choice(_STANDARDS[standard])} | places
    wlan |= some(
        draw,
        {
            "access": ["basic", "rts-cts"],
            "attempts": [1, 2, 7],
            "preset": ["802.11", "ns2"],
            "immediate_access": [True, False],
            "ack_timeout": ["802.11", "ns2"],
            "receiver": ["sinr", "lock"],
            "control_rate": [_STANDARDS[standard][0]],
            "retry_delay": ["1 ms", "80 ms"],
            "overhead": ["28 B", "58 B"],
            "fragmentation": ["256 B", "700 B"],
            "phy": [_phy(draw, standard)],
            "routing": [{"kind": "static"}],
        },
        0.4,
    )
    return wlan | _ports(draw, record, ends)


def _phy(draw: Random, standard: str) -> Table:
    coding = ["serial", "ofdm"] if standard == "802.11g" else ["serial"]
    return some(
        draw,
        {"header": ["20 us", "192 us"], "cw_min": [0, 7, 31], "cw_max": [31, 255], "coding": coding},
        0.6,
    )


def _range(draw: Random, receive: int) -> Table:
    sense = f"{draw.choice([receive, round(2.2 * receive)])} m"
    return {"receive": f"{receive} m", "sense": sense} | some(draw, {"capture": ["0 dB", "6 dB"]}, 0.3)


def _propagation(draw: Random) -> Table:
    """Draw a law by which frames reach some 55 to 75 m."""
    law: Table = {"model": "free-space", "power": "15 dBm", "receive": "-60 dBm", "sense": "-67 dBm"}
    if draw.random() < 0.5:
        law |= {"model": "two-ray", "height": "1 m"}
    return law | some(draw, {"capture": ["6 dB"], "frequency": ["2.4 GHz", "1.8 GHz"]}, 0.3)


def _layout(draw: Random) -> tuple[Table, int]:
    """Draw places by a rule, and give the number of the last of them."""
    kind, size = draw.choice(["chain", "grid", "cross"]), draw.choice([1, 2])
    layout: Table = {"kind": kind, "spacing": f"{_EDGE} m"} | some(draw, {"prefix": ["n"]}, 0.3)
    if kind == "chain":
        return layout | {"nodes": 2 * size + 1}, 2 * size
    if kind == "grid":
        return layout | {"columns": size + 1, "rows": 2}, 2 * size + 1
    return layout | {"arm": size}, 4 * size


def _aodv(draw: Random) -> Table:
    return {"kind": "aodv"} | some(
        draw,
        {
            "preset": ["rfc3561", "ns2"],
            "active_route": ["500 ms", "10 s"],
            "own_route": ["1 s", "10 s"],
            "hop_time": ["10 ms", "40 ms"],
            "diameter": [10, 35],
            "retries": [0, 2],
            "buffer": [2, 64],
            "jitter": ["1 us", "10 ms"],
            "repair": [True, False],
        },
        0.3,
    )


def _queue(draw: Random) -> Table:
    kinds = ["red", "codel", "fq-codel", "pie", "fq", "biased", "congestion-warning"]
    kind = draw.choice(["drop-tail"] * 4 + kinds)
    delays: dict[str, Sequence[Any]] = {"target": ["2 ms", "20 ms"], "interval": ["50 ms", "200 ms"]}
    special: dict[str, dict[str, Sequence[Any]]] = {
        "red": {
            "ecn": [True, False],
            "min": [2, 5],
            "max": [12, 30],
            "max_p": [0.02, 0.5],
            "weight": [0.002, 0.1],
            "gentle": [True, False],
            "mean_packet": ["500 B", "1000 B"],
        },
        "codel": {"ecn": [True, False], **delays},
        "fq-codel": {"ecn": [True, False], **delays, "quantum": ["300 B", "1514 B"], "flows": [1, 2, 64]},
        "pie": {"ecn": [True, False], "target": ["5 ms", "30 ms"], "burst": ["15 ms", "150 ms"]},
        "fq": {"quantum": ["300 B", "1514 B"]},
        "congestion-warning": {"threshold": [1, 5], "weight": [0.2, 1]},
    }
    queue: Table = {"kind": kind, "packets": draw.choice([4, 20, 50, 200])}
    chosen = special.get(kind, {})
    return queue | some(draw, chosen | _others("queue", kind, queue | chosen), 0.5)


def _others(choice: str, kind: str, chosen: Table) -> dict[str, Sequence[Any]]:
    """Give values to the keys of a kind for which nobody has chosen any: half of what they are by default."""
    return {key: [_half(value)] for key, value in defaults(choice, kind).items() if key not in chosen}


def _half(default: Any) -> Any:
    """Halve a number or a quantity, no count below 1, and turn a flag round."""
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return max(1, default // 2)
    if isinstance(default, str) and (found := re.fullmatch(r"([\d.]+) (\S+)", default)):
        return f"{float(found[1]) / 2:g} {found[2]}"
    return default / 2 if isinstance(default, float) else default


def _errors(draw: Random, record: Path, ends: tuple[str, str]) -> Any:
    """Draw what both directions suffer, or a model for each."""
    if draw.random() < 0.7:
        return _model(draw, record)
    forth, back = "{}->{}".format(*ends), "{1}->{0}".format(*ends)
    return [_model(draw, record) | {"direction": forth}, _model(draw, record) | {"direction": back}]


def _model(draw: Random, record: Path) -> Table:
    rates: Table = draw.choice(
        [
            {"ber_good": 1e-6, "ber_bad": 1e-3},
            {"fer_good": 0.01, "fer_bad": 0.9},
            {"fer_good": 0.0, "fer_bad": 1.0, "reference": "1040 B"},
        ]
    )
    models: list[Table] = [
        {"kind": "clean"},
        {"kind": "bernoulli", "fer": draw.choice([0.001, 0.03, 0.2])},
        {"kind": "bernoulli", "fer": 0.05, "reference": draw.choice(["500 B", "1500 B"])},
        {"kind": "bernoulli", "loss": draw.choice([0.01, 0.1])},
        {"kind": "gilbert-elliott", "loss": 0.05, "burst": draw.choice([2, 8])}
        | some(draw, {"step": ["10 ms"], "strikes": ["data", "unicast", "payload"]}, 0.3),
        {"kind": "gilbert-elliott", "p_gb": 0.05, "p_bg": 0.3}
        | some(draw, {"loss_good": [0.01], "loss_bad": [0.8]}, 0.5),
        {"kind": "gilbert-elliott", "p_gb": 0.02, "p_bb": 0.6},
        {"kind": "two-state", "good": "500 ms", "bad": "150 ms"}
        | rates
        | some(
            draw,
            {
                "sojourn": ["exponential", "uniform", "uniform-half", "constant"],
                "start": ["stationary", "good"],
            },
            0.5,
        ),
    ]
    model = draw.choice([*models, {"kind": "recorded"} | rates])
    return model | {"file": str(_fades(draw, record))} if model["kind"] == "recorded" else model


def _fades(draw: Random, record: Path) -> Path:
    file = record.with_suffix(".csv")
    rows = [f"{second + draw.uniform(0, 0.5):.9f},{second + draw.uniform(0.5, 0.9):.9f}" for second in (0, 1)]
    file.write_text("\n".join(["begin_s,end_s", *rows, ""]))
    return file


def _arq(draw: Random) -> Table:
    kind = draw.choice(["none", "stop-and-wait", "go-back-n", "go-back-n", "selective-repeat", "rlp"])
    keys: dict[str, dict[str, Sequence[Any]]] = {
        "none": {},
        "stop-and-wait": _ATTEMPTS,
        "go-back-n": {"window": [1, 3, 7], "group": ["sliding", "blocks"], **_ATTEMPTS},
        "selective-repeat": {"window": [2, 16], "srej": [True, False], **_ATTEMPTS},
        "rlp": {
            "rounds": [[1], [2, 3], [1, 1, 1, 1]],
            "timeout": ["1 s", "2 s"],
            "copy": ["1 ms"],
            "idle": ["5 ms", "100 ms"],
            "nak": ["2 B", "20 B"],
        },
    }
    return {"kind": kind} | some(draw, keys[kind], 0.4)
