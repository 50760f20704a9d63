"""Layouts in Python equal the layouts of scenario files."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from airhop import Scenario, ScenarioError, layouts, run

FIELD = """
name = "field"
duration = "1 ms"

[[wlan]]
name = "field"
standard = "802.11g"
rate = "36 Mbit/s"
range = { receive = "40 m", sense = "85 m" }

[[flow]]
name = "ftp"
from = "n0"
to = "n1"
scheme = "reno"
"""
LAYOUTS = {
    "chain": {"nodes": 4, "spacing": "30 m"},
    "grid": {"columns": 3, "rows": 2, "spacing": "40 m"},
    "cross": {"arm": 2, "spacing": "20.5 m"},
    "random": {"nodes": 12, "width": "100 m", "height": "80 m"},
}


def field(**keys: object) -> Scenario:
    document: dict[str, Any] = tomllib.loads(FIELD)
    document["wlan"][0] |= keys
    return Scenario.load(document)


def placed(scenario: Scenario, seed: int = 1, rep: int = 0) -> layouts.Places:
    """Return the places of a run's stations, from its trace."""
    stations = run(scenario, seed=seed, rep=rep, trace=True).tables["stations"]
    assert set(stations["wlan"]) == {"field"}
    return {row["station"]: (row["x_m"], row["y_m"]) for row in stations.iter_rows(named=True)}


@pytest.mark.parametrize("kind", ["chain", "grid", "cross"])
def test_positions_equal_those_of_the_same_layout_in_a_file(kind: str) -> None:
    places = getattr(layouts, kind)(**LAYOUTS[kind])
    assert places == placed(field(layout={"kind": kind, **LAYOUTS[kind]}))
    assert places == placed(field(stations=places))


def test_positions_of_layouts_equal_the_documented_values() -> None:
    assert layouts.grid(2, 2, "10 m", prefix="g") == {
        "g0": (0.0, 0.0),
        "g1": (10.0, 0.0),
        "g2": (0.0, 10.0),
        "g3": (10.0, 10.0),
    }
    cross = layouts.cross(1, "10 m")
    assert cross == {
        "n0": (0.0, 0.0),
        "n1": (10.0, 0.0),
        "n2": (20.0, 0.0),
        "n3": (10.0, -10.0),
        "n4": (10.0, 10.0),
    }


@pytest.mark.parametrize(("seed", "rep"), [(1, 0), (1, 5), (7, 0)])
def test_random_positions_equal_those_that_a_run_draws(seed: int, rep: int) -> None:
    scenario = field(layout={"kind": "random", **LAYOUTS["random"]})
    places = layouts.random(12, "100 m", "80 m", receive="40 m", seed=seed, rep=rep)
    assert places == placed(scenario, seed, rep)
    others = [
        layouts.random(12, "100 m", "80 m", receive="40 m", seed=seed + 1, rep=rep),
        layouts.random(12, "100 m", "80 m", receive="40 m", seed=seed, rep=rep + 1),
        layouts.random(12, "100 m", "80 m", receive="40 m", seed=seed, rep=rep, wlan="meadow"),
    ]
    assert places not in others


def test_random_positions_are_redrawn_only_if_they_must_be_connected() -> None:
    """Without a range, the first draw is accepted, as for positions that need not be connected."""
    sparse = [
        layouts.random(12, "150 m", "80 m", receive="40 m", connected=False, rep=rep) for rep in range(20)
    ]
    assert sparse == [layouts.random(12, "150 m", "80 m", rep=rep) for rep in range(20)]
    assert sparse != [layouts.random(12, "150 m", "80 m", receive="40 m", rep=rep) for rep in range(20)]


def test_invalid_arguments_of_layouts_are_refused_with_a_message() -> None:
    with pytest.raises(ScenarioError, match=r"airhop.layouts.chain: layout.nodes: .* from 2 to 2008, got 1"):
        layouts.chain(1, "30 m")
    with pytest.raises(ScenarioError, match=r"airhop.layouts.grid: layout.spacing: .* with a unit"):
        layouts.grid(3, 3, "30")
    with pytest.raises(ScenarioError, match=r"airhop.layouts.cross: layout.prefix"):
        layouts.cross(3, "30 m", prefix="n*")
    with pytest.raises(ScenarioError, match=r"airhop.layouts.random: receive: .* over 0 m"):
        layouts.random(9, "30 m", "30 m", receive="0 m")
    with pytest.raises(
        ScenarioError, match=r"wlan.field.layout: its stations were not connected in any of 10000 draws"
    ):
        layouts.random(9, "30 km", "30 m", receive="40 m")
