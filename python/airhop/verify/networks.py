"""Random scenarios as plain data, with any scheme over any type of link.

Equal seeds give equal scenarios. This module draws the shape of a network: links, their ends and their rates.
The module `values.py` draws all other keys from the schema of scenario files, and thereby covers every key.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from airhop import _core
from airhop.verify import random_flows
from airhop.verify.ppdus import AIFSN
from airhop.verify.random_flows import Ends
from airhop.verify.random_marks import add_marks
from airhop.verify.trace import quantity
from airhop.verify.values import Table, Values

_STANDARDS = {
    "802.11": ("1 Mbit/s", "2 Mbit/s"),
    "802.11b": ("1 Mbit/s", "2 Mbit/s", "5.5 Mbit/s", "11 Mbit/s"),
    "802.11g": ("6 Mbit/s", "12 Mbit/s", "24 Mbit/s", "54 Mbit/s"),
}
_MODERN = {"802.11n": (7, 4), "802.11ac": (9, 8), "802.11ax": (11, 8)}
"""Highest MCS and number of spatial streams, by standard."""
_TXOP_LIMITS = ("0 s", "96 us", "1.504 ms", "2.080 ms", "4.096 ms", "20 ms")
_FAST = "400 Mbit/s"
"""Rate of the wires before some cells of 802.11n, ac and ax, fast enough to fill A-MPDUs."""
_SHARES = (0.03, 0.1, 0.25, 0.5)
"""Possible probabilities of an optional key. Each table draws one of these."""
_PACKETS = 1000
"""Maximum number of packets that the slowest link of a scenario carries."""
_TIMEOUTS = 300_000
"""Maximum number of expiries of a scenario's retransmission timers."""
_BROWSER = 7
"""Number of connections of a browser: six, and one of the planned flow."""
_OWN: Mapping[str, set[str]] = {
    "": {"name", "duration", "copies", "wired", "wlan", "radio", "flow"},
    "wlan": {"layout", "stations", "nav"},
    "flow": {"from", "to", "between", "transport", "app", "scheme", "segment"},
}
"""Keys whose values this module draws, by table."""


@cache
def schema() -> Any:
    """Return the schema of scenario files."""
    return json.loads(_core.schema())


def random_network(seed: int, folder: str | Path, others: Sequence[str] = ()) -> Table:
    """Return a random scenario of some seconds: wires, one wireless link or cell, and one to three flows.

    Files of recorded channels are written into `folder`. Schemes are drawn from the built-in schemes and
    `others`.
    """
    draw = Random(seed)
    record = Path(folder) / f"random-{seed}"
    scenario: Table = {"name": f"random-{seed}", "duration": "1 s"}
    part = draw.choice([_cell, _cell, _radio, _radio, _radio, _hops, _adhoc, _adhoc, _wire])
    ends = part(draw, scenario)
    scenario["flow"] = random_flows.flows(draw, scenario, ends, others)
    scenario["duration"] = f"{_duration(draw, scenario):.4g} s"
    _fill(Values(draw, record), scenario)
    add_marks(seed, scenario)
    _add_amsdus(seed, scenario)
    _add_errors_by_snr(seed, scenario)
    _add_categories(seed, scenario)
    if (most := _until_timeouts(scenario)) < quantity(scenario["duration"]) / 1e9:
        scenario["duration"] = f"{most:.4g} s"
    return scenario


def _add_amsdus(seed: int, scenario: Table) -> None:
    """Set A-MSDUs in a third of the aggregating cells; random lengths would be too long or too short."""
    draw = Random(f"amsdu {seed}")
    for wlan in scenario.get("wlan", ()):
        aggregation = wlan.get("aggregation", {})
        if wlan["standard"] in _MODERN and aggregation.get("bytes") != 0 and draw.random() < 1 / 3:
            wlan["aggregation"] = aggregation | {"amsdu": draw.choice(["max", 500, 3839])}


def _add_errors_by_snr(seed: int, scenario: Table) -> None:
    """Set errors by SNR in a third of the 802.11n, ac and ax cells.

    Transmit powers are drawn so that some MPDUs are lost.
    """
    draw = Random(f"snr {seed}")
    for wlan in scenario.get("wlan", ()):
        if wlan["standard"] not in _MODERN or draw.random() > 1 / 3:
            continue
        mcs, exponent = wlan["rate"]["mcs"], draw.choice([2, 3, 4.5])
        # At MCS n half of the MPDUs are lost at an SNR of about 2.5 n dB. The noise in 20 to 160 MHz is -94
        # to -85 dBm, and most stations are 30 to 45 m apart.
        power = 2.5 * mcs - 90 + 46.7 + 10 * exponent * math.log10(35) + draw.uniform(-4, 12)
        errors: Table = {"kind": "snr", "exponent": exponent, "power": f"{power:.3f} dBm"}
        errors["model"] = draw.choice(["table", "table", "nist", "yans"])
        if errors["model"] == "table" and draw.random() < 0.5:
            errors["coding"] = draw.choice(["bcc", "ldpc"])
        if draw.random() < 0.3:
            errors["power_split"] = False
        if draw.random() < 0.2:
            errors["min_rssi"] = f"{draw.choice([-95, -82, -70])} dBm"
        wlan["errors"] = errors


def _add_categories(seed: int, scenario: Table) -> None:
    """Draw access categories of flows, and TXOP limits, in half of the cells of 802.11n, ac and ax."""
    draw = Random(f"access category {seed}")
    modern = [wlan for wlan in scenario.get("wlan", ()) if wlan["standard"] in _MODERN]
    if not modern or draw.random() < 0.5:
        return
    for flow in scenario["flow"]:
        flow["access_category"] = draw.choice(list(AIFSN))
    for wlan in modern:
        limits = {category: draw.choice(_TXOP_LIMITS) for category in AIFSN if draw.random() < 0.6}
        if limits and draw.random() < 0.6:
            wlan["txop"] = limits
            if any(quantity(limit) for limit in limits.values()) and draw.random() < 0.5:
                wlan["nav"] = draw.choice(["response", "limit", "limit"])


def _fill(values: Values, scenario: Table) -> None:
    """Draw all other keys of the scenario, table by table."""
    properties = schema()["properties"]
    values.fill(scenario, schema(), 0.2, scenario, (), _OWN[""])
    for kind in ("wired", "radio", "wlan", "flow"):
        for table in scenario.get(kind, ()):
            ends = table.get("ends") or _stations(table) or [table.get("from", "s"), table.get("to", "d")]
            share = values.draw.choice(_SHARES)
            values.fill(table, properties[kind]["items"], share, scenario, ends, _OWN.get(kind, set()))


def _stations(wlan: Table) -> list[str]:
    """Choose two stations of a wlan as ends of a direction."""
    if "layout" in wlan:
        return [f"{wlan['layout'].get('prefix', 'n')}{number}" for number in (0, 1)]
    return list(wlan.get("stations", ()))[:2]


def _duration(draw: Random, scenario: Table) -> float:
    """Draw a duration that limits the number of packets over the slowest link."""
    links = [link for kind in ("wired", "radio", "wlan") for link in scenario.get(kind, ())]
    slowest = min((quantity(rate) for link in links for rate in _rates(link)), default=3e6)
    smallest = min(quantity(flow.get("segment", "1000 B")) for flow in scenario["flow"]) + 40
    longest = draw.uniform(0.2, 3)
    return min(longest, max(0.05, _PACKETS * smallest * 8 / slowest))


def _until_timeouts(scenario: Table) -> float:
    """Return the time in s until all retransmission timers have expired `_TIMEOUTS` times in total."""
    rate = 0.0
    for flow in scenario["flow"]:
        longest = flow.get("tcp", {}).get("rto", {}).get("max")
        senders = 2 * _BROWSER if flow.get("app", {}).get("kind") == "web" else 2
        rate += senders / quantity(longest) * 1e9 if longest is not None else 0.0
    return _TIMEOUTS / rate if rate else math.inf


def _rates(link: Table) -> list[str]:
    rate = link.get("rate", {})
    if "mcs" in rate and isinstance(rate, dict):
        return [f"{6.5 * (1 + rate['mcs']) * rate['streams']} Mbit/s"]
    return list(rate.values()) if isinstance(rate, dict) else [rate]


def _cell(draw: Random, scenario: Table) -> Ends:
    """Draw one cell behind wires, with all stations in range of each other."""
    stations = {"bs": [0, 0], "d": [draw.choice([1, 30]), 0], "e": [0, 30]}
    mobiles = draw.choice([["d"], ["d", "e"]])
    if len(mobiles) == 1:
        del stations["e"]
    wlan = _wlan(draw) | {"stations": stations}
    if draw.random() < 0.3:
        wlan |= _receive_range(draw, 50, wlan)
    scenario |= {"wired": _before(draw, "bs", wlan), "wlan": [wlan]}
    return Ends(["s"], mobiles)


def _hops(draw: Random, scenario: Table) -> Ends:
    """Draw a path of several wireless hops behind wires."""
    layout, last = _layout(draw)
    wlan = _wlan(draw)
    wlan |= {"layout": layout} | _receive_range(draw, _spacing(layout) + 5, wlan)
    scenario |= {"wired": _before(draw, "n0", wlan), "wlan": [wlan]}
    return Ends(["s"], [f"n{last}"])


def _adhoc(draw: Random, scenario: Table) -> Ends:
    """Draw stations without wires, with static or AODV routes.

    Positions and flow ends are sometimes random.
    """
    layout, last = _layout(draw)
    wlan = _wlan(draw)
    reach = {} if draw.random() < 0.2 else _receive_range(draw, _spacing(layout) + 5, wlan)
    if draw.random() < 0.3:
        layout = {"kind": "random", "nodes": draw.choice([2, 5, 9]), "width": "100 m", "height": "60 m"}
        if draw.random() < 0.3:
            layout["connected"] = True
        reach = _receive_range(draw, 55, wlan)
        last = layout["nodes"] - 1
    wlan |= {"layout": layout} | reach
    if draw.random() < 0.6:
        wlan["routing"] = {"kind": "aodv"}
    scenario["wlan"] = [wlan]
    return Ends(["n0"], [f"n{last}"], between=wlan["name"])


def _radio(draw: Random, scenario: Table) -> Ends:
    """Draw a radio link behind wires."""
    scenario |= {"wired": _backhaul(draw, "bs"), "radio": [_link(draw, "air", ["bs", "d"])]}
    return Ends(["s"], ["d"])


def _wire(draw: Random, scenario: Table) -> Ends:
    """Draw a chain of one to three wires."""
    scenario["wired"] = [*draw.choice([[], _backhaul(draw, "bs")]), _link(draw, "w3", ["bs", "d"])]
    return Ends([scenario["wired"][0]["ends"][0]], ["d"])


def _backhaul(draw: Random, gateway: str) -> list[Table]:
    return [_link(draw, "w1", ["s", "r"]), _link(draw, "w2", ["r", gateway])]


def _before(draw: Random, gateway: str, wlan: Table) -> list[Table]:
    """Draw wires before a cell; some cells that aggregate have fast wires."""
    wires = _backhaul(draw, gateway)
    is_fast = wlan["standard"] in _MODERN and draw.random() < 0.6
    return [wire | {"rate": _FAST} for wire in wires] if is_fast else wires


def _link(draw: Random, name: str, ends: list[str]) -> Table:
    """Return a link with random delay and rate."""
    link: Table = {"name": name, "ends": ends}
    return link | {"delay": _per_direction(draw, ends, _delay), "rate": _per_direction(draw, ends, _rate)}


def _per_direction(draw: Random, ends: list[str], value: Callable[[Random], str]) -> str | Table:
    """Draw one value for both directions, or a value for each direction."""
    if draw.random() < 0.7:
        return value(draw)
    return {"->".join(way): value(draw) for way in (ends, ends[::-1])}


def _delay(draw: Random) -> str:
    return f"{draw.choice([0, 0.001, 1, 5, 20, 100])} ms"


def _rate(draw: Random) -> str:
    return f"{math.exp(draw.uniform(math.log(20), math.log(40_000))):.5g} kbit/s"


def _wlan(draw: Random) -> Table:
    if draw.random() < 0.4:
        return _wifi_cell(draw)
    standard = draw.choice(list(_STANDARDS))
    return {"name": "cell", "standard": standard, "rate": draw.choice(_STANDARDS[standard])}


def _wifi_cell(draw: Random) -> Table:
    """Draw a cell of 802.11n, ac or ax; other keys come from the schema, if compatible."""
    standard = draw.choice(list(_MODERN))
    mcs, streams = _MODERN[standard]
    rate = {"mcs": draw.randint(0, mcs), "streams": draw.choice([1, 1, 2, draw.randint(1, streams)])}
    wlan: Table = {"name": "cell", "standard": standard, "rate": rate}
    if draw.random() < 0.4:
        wlan["width"] = draw.choice(["20 MHz", "40 MHz"])
    if draw.random() < 0.5:
        wlan["lost_block_ack"] = draw.choice(["resend", "request"])
    match draw.choice(["lifetime", "attempts", "default"]):
        case "lifetime":
            wlan["lifetime"] = f"{draw.choice([1, 5, 20, 100])} ms"
        case "attempts":
            wlan["attempts"] = draw.choice([1, 2, 4, 7])
    if draw.random() < 0.3:
        wlan["aggregation"] = {"bytes": draw.choice(["max", 3000, 8191]), "frames": draw.choice([1, 4, 64])}
    if draw.random() < 0.4:
        wlan["errors"] = {"kind": "bernoulli", "loss": draw.choice([0.02, 0.2, 0.5])}
    return wlan


def _receive_range(draw: Random, metres: float, wlan: Table) -> Table:
    """Draw the receive range: `metres`, or a propagation model with a range of 55 to 75 m."""
    if draw.random() < 0.3 and metres > 40:
        receive = -67 if wlan["standard"] in _MODERN else -60  # at 5 GHz, and at 2.4 GHz
        power: Table = {"power": "15 dBm", "receive": f"{receive} dBm", "sense": f"{receive - 7} dBm"}
        law = {"model": "free-space"} | power
        return {"propagation": law | draw.choice([{}, {"model": "two-ray", "height": "1 m"}])}
    return {"range": {"receive": f"{metres} m", "sense": f"{draw.choice([1, 1.5, 2.2]) * metres:g} m"}}


def _layout(draw: Random) -> tuple[Table, int]:
    """Draw a layout, and return the layout and the index of the last station."""
    kind, size = draw.choice(["chain", "chain", "grid", "cross"]), draw.choice([1, 2])
    layout: Table = {"kind": kind, "spacing": f"{draw.choice([30, 45])} m"}
    if draw.random() < 0.2:
        layout["prefix"] = "n"
    if kind == "chain":
        nodes = draw.choice([2, 2, 3, 5])
        return layout | {"nodes": nodes}, nodes - 1
    if kind == "grid":
        return layout | {"columns": size + 1, "rows": draw.choice([1, 2])}, size
    return layout | {"arm": size}, 4 * size


def _spacing(layout: Table) -> float:
    return float(layout["spacing"].split()[0])
