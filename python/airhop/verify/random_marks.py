"""Random networks with both marking queues and ECN flows, a rare combination in independent draws."""

from __future__ import annotations

import json
from random import Random

from airhop import _core
from airhop.errors import ScenarioError
from airhop.verify.values import Table

_SHARE = 0.25
"""Share of networks that have marking queues."""


def add_marks(seed: int, scenario: Table) -> None:
    """Add marking queues and ECN to one network in four, without other changes.

    Parameters
    ----------
    seed
        Number of the network.
    scenario
        Network, changed in place.
    """
    draw = Random(f"marks {seed}")
    if draw.random() >= _SHARE:
        return
    links = [link for kind in ("wired", "radio", "wlan") for link in scenario.get(kind, ())]
    for link in draw.sample(links, draw.randint(1, len(links))):
        _set_if_valid(scenario, link, "queue", _queue(draw))
    for flow in scenario["flow"]:
        if flow.get("transport", "tcp") == "tcp" and draw.random() < 0.8:
            _set_if_valid(scenario, flow, "tcp", {**flow.get("tcp", {}), "ecn": True})


def _queue(draw: Random) -> Table:
    """Draw a queue with low marking thresholds."""
    room = {"packets": draw.choice([10, 50, 200])}
    step = {"threshold": draw.choice([1, 4]), "weight": draw.choice([0.2, 1.0])}
    kinds: list[Table] = [
        {"kind": "congestion-warning", **room, **step},
        {"kind": "red", **room, "min": 1, "max": 5, "weight": draw.choice([0.02, 0.3]), "ecn": True},
        {"kind": "codel", **room, "target": "1 ms", "interval": "10 ms", "ecn": True},
        {"kind": "fq-codel", **room, "target": "1 ms", "interval": "10 ms", "ecn": True},
        {"kind": "pie", **room, "target": "5 ms", "burst": "0 ms", "ecn": True},
    ]
    return draw.choice(kinds)


def _set_if_valid(scenario: Table, table: Table, key: str, value: Table) -> None:
    """Set a key if the scenario remains valid."""
    before = table.get(key)
    table[key] = value
    try:
        _core.Scenario.from_json(json.dumps(scenario), "random", "", [], None)
    except ScenarioError:
        if before is None:
            del table[key]
        else:
            table[key] = before
