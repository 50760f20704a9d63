"""Topologies contain the ranges of stations and the paths of flows, and are drawn to scale."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import synthetic
import synthetic_air
from airhop import Scenario, plots
from airhop.analysis.topology import Cell, cells, routes
from airhop.cli import main
from airhop.errors import InputError
from airhop.plots import topology as printed
from airhop.report.topology import plans

FIELD = """
name = "field"
duration = "10 s"
[[wlan]]
name = "field"
standard = "802.11g"
rate = "36 Mbit/s"
control_rate = "24 Mbit/s"
access = "basic"
attempts = 7
stations = { a = [0, 0], b = [40, 0], c = [40, 30], d = [80, 0], e = [125, 0] }
range = { receive = "45 m", sense = "85 m" }
queue = { kind = "drop-tail", packets = 50 }
[[flow]]
name = "ftp"
from = "a"
to = "e"
scheme = "reno"
segment = "1000 B"
start = "5 s"
app = { kind = "bulk" }
"""


def network(**wlan: Any) -> dict[str, Any]:
    return {"wlan": [{"name": "w", "stations": {"a": [0.0, 0.0], "b": [10.0, 0.0]}} | wlan], "flow": []}


@pytest.fixture
def field(tmp_path: Path) -> Scenario:
    path = tmp_path / "field.toml"
    path.write_text(FIELD, encoding="utf-8")
    return Scenario.load(path)


# ---- ranges and paths --------------------------------------------------------------------------------------


def test_a_station_reaches_others_up_to_exactly_its_range(field: Scenario) -> None:
    (cell,) = cells(field.to_dict(), {})
    assert cell.hearers["e"] == ["d"]  # at 45 m
    assert cell.sensers["e"] == ["b"]  # at exactly 85 m; c is at 90 m
    assert cell.hearers["b"] == ["a", "c", "d"]
    assert list(cell.links) == [("a", "b"), ("b", "c"), ("b", "d"), ("d", "e")]


def test_without_a_range_all_stations_receive_each_other() -> None:
    (cell,) = cells(network(), {})
    assert (cell.limited, cell.hearers, cell.sensers) == (False, {"a": ["b"], "b": ["a"]}, {"a": [], "b": []})


@pytest.mark.parametrize(
    ("law", "receive", "sense"),
    [
        # ns-2's defaults: 0.28183815 W at 914 MHz, thresholds of 250 m and 550 m (two-ray, 1.5 m).
        (
            {
                "model": "two-ray",
                "power": f"{10 * math.log10(281.83815)} dBm",
                "receive": f"{10 * math.log10(3.652e-7)} dBm",
                "sense": f"{10 * math.log10(1.559e-8)} dBm",
                "frequency": "914 MHz",
                "height": "1.5 m",
            },
            250.0,
            550.0,
        ),
        # Friis: 20 log10(4 π d f / c) is 72.05 dB at 40 m, and 6.02 dB more at twice the distance.
        (
            {
                "model": "free-space",
                "power": "20 dBm",
                "receive": "-52.0497 dBm",
                "sense": "-58.0703 dBm",
                "frequency": "2.39 GHz",
            },
            40.0,
            80.0,
        ),
    ],
    ids=["two-ray", "free-space"],
)
def test_ranges_follow_from_powers_by_the_propagation_law(
    law: Mapping[str, str], receive: float, sense: float
) -> None:
    (cell,) = cells(network(propagation=law), {})
    assert (cell.receive, cell.sense) == pytest.approx((receive, sense), rel=1e-3)


def test_routes_have_the_fewest_hops_and_ties_go_to_the_first_name() -> None:
    places = {"s": (0.0, 0.0), "y": (10.0, 5.0), "x": (10.0, -5.0), "d": (20.0, 0.0), "far": (99.0, 0.0)}
    cell = Cell("w", places, 12.0, 24.0)
    wired = {"wired": [{"ends": ["d", "server"]}], "flow": []}
    flows = [
        {"name": "up", "from": "s", "to": "server"},
        {"name": "down", "from": "server", "to": "s"},
        {"name": "lost", "from": "s", "to": "far"},
    ]
    assert routes(wired, [cell], flows) == {
        "up": ["s", "x", "d", "server"],
        "down": ["server", "d", "x", "s"],
    }


def test_positions_of_a_scenario_are_known_without_a_run(field: Scenario) -> None:
    # The flow begins at 5 s: the drawn values of a replication exist before that time.
    topology = printed.drawn_topology(field)
    assert topology.ways == {"ftp": ["a", "b", "d", "e"]}
    assert topology.cells[0].places["c"] == (40.0, 30.0)


# ---- print -----------------------------------------------------------------------------------------------


def drawn(scenario: Scenario, **choices: Any) -> Any:
    with patch.object(printed, "write") as write:
        plots.draw_topology(scenario, "stem", **choices)
    return write.call_args[0][0].axes[0]


def test_stations_links_and_ranges_are_drawn_in_metres(field: Scenario) -> None:
    axes = drawn(field, around=["c"])
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_aspect()) == ("x (m)", "y (m)", 1.0)
    rings = {
        (ring.center, ring.radius, ring.get_linestyle()) for ring in axes.patches if hasattr(ring, "radius")
    }
    assert {(center, radius) for center, radius, _ in rings} == {((40.0, 30.0), 45.0), ((40.0, 30.0), 85.0)}
    assert len({line for _, _, line in rings}) == 2  # distinguishable without colour
    (links,) = axes.collections
    assert links.get_segments()[0].tolist() == [[0.0, 0.0], [40.0, 0.0]]
    assert len(links.get_segments()) == 4
    # Stations on a path are filled, other stations are open.
    dots = {
        dots.get_markerfacecolor(): list(dots.get_xdata()) for dots in axes.lines if dots.get_marker() == "o"
    }
    assert dots == {"white": [40.0], "black": [0.0, 40.0, 80.0, 125.0]}
    names = [text.get_text() for text in axes.texts if text.get_text()]
    assert names == ["a", "b", "c", "d", "e"]
    arrows = [(text.xyann, text.xy) for text in axes.texts if text.arrow_patch]
    assert arrows == [((0, 0), (40, 0)), ((40, 0), (80, 0)), ((80, 0), (125, 0))]
    assert "ftp: 3 hops" in [line.get_label() for line in axes.lines]


def test_ranges_of_the_first_sender_are_drawn_by_default(field: Scenario) -> None:
    assert [ring.center for ring in drawn(field).patches if hasattr(ring, "radius")] == [(0.0, 0.0)] * 2
    assert len([ring for ring in drawn(field, around=["all"]).patches if hasattr(ring, "radius")]) == 10


def test_unknown_stations_and_cells_are_refused_with_a_suggestion(field: Scenario) -> None:
    with pytest.raises(InputError, match="no station `f` in `field`"):
        drawn(field, around=["f"])
    with pytest.raises(InputError, match="Did you mean `field`"):
        drawn(field, cell="fields")


def test_equal_topologies_are_drawn_into_identical_files(field: Scenario, tmp_path: Path) -> None:
    first, again = (plots.draw_topology(field, tmp_path / name) for name in ("a", "b"))
    assert [path.name for path in first] == ["a.pdf", "a.svg", "a.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def test_show_draws_the_topology_into_a_single_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario, figure = tmp_path / "field.toml", tmp_path / "topology.svg"
    scenario.write_text(FIELD, encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["show", str(scenario), "--topology", str(figure), "--around", "c"])
    assert (end.value.code, capsys.readouterr().out) == (0, "")
    assert sorted(path.name for path in figure.parent.iterdir()) == ["field.toml", "topology.svg"]
    with pytest.raises(SystemExit) as end:
        main(["show", str(scenario), "--topology", str(tmp_path / "topology.jpg")])
    assert end.value.code == 2
    assert "ends in .pdf, .svg, .png" in capsys.readouterr().err


# ---- report ----------------------------------------------------------------------------------------------


def test_the_topology_on_the_page_has_all_stations_and_ranges_to_scale() -> None:
    (plan,) = plans(synthetic_air.traced_run())
    assert plan.ways == [("ftp", "#2095d4", 4)]
    stations = re.findall(r"<g class=\"station.*?</g>", plan.drawing, flags=re.DOTALL)
    assert len(stations) == 5
    assert "n1 at (30 m, 0 m)\nheard by n0, n2\nonly sensed by n3" in stations[1]
    places = [float(x) for x in re.findall(r'class="dot[^"]*" cx="([\d.]+)"', plan.drawing)]
    receive, sense = (
        float(re.findall(rf'ring {kind}"[^>]* r="([\d.]+)"', plan.drawing)[0])
        for kind in ("receive", "sense")
    )
    spacing = places[1] - places[0]
    assert (receive / spacing, sense / spacing) == pytest.approx((40 / 30, 65 / 30), rel=1e-2)


def test_the_page_has_no_topology_if_all_stations_receive_each_other() -> None:
    run = synthetic.traced_run()
    assert plans(run) == []
