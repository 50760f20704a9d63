"""Networks without positions: nodes in columns, radio links as flashes, and the captions of links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

import synthetic
import synthetic_air
import synthetic_radio
from airhop import Scenario, plots
from airhop.analysis.on_air import on_air
from airhop.analysis.schematic import Schematic, schematic
from airhop.analysis.topology import Topology, cell_rate, cells, radio_links
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.plots.paper import PRINT_STYLE
from airhop.plots.schematic import schematic_figure
from airhop.report import chapter_of_outcome
from airhop.report.causes import lost_segments
from airhop.report.page import render
from airhop.report.schematic import network, tell

RADIO = synthetic_radio.NETWORK["radio"][0]
WAY = {"ftp": ["s", "bs", "m"]}


@pytest.fixture(scope="module")
def drawn() -> Schematic:
    return schematic(synthetic_radio.NETWORK, Topology([], WAY))


def wires(**ends: str) -> dict[str, Any]:
    """Make a network of wires; the word `ab` is a wire between nodes a and b."""
    return {
        "wired": [{"name": n, "ends": list(e), "rate": "1 Mbit/s", "delay": "1 ms"} for n, e in ends.items()]
    }


# ---- arrangement -----------------------------------------------------------------------------------------


def test_nodes_are_drawn_in_the_order_of_the_flows_path(drawn: Schematic) -> None:
    assert drawn.places == {"s": (0, 0), "bs": (1, 0), "m": (2, 0)}
    assert (drawn.columns, drawn.rows) == (3, 1)


def test_nodes_of_other_flows_are_placed_in_columns_of_the_first_path() -> None:
    # A dumbbell: both senders are left of the first router, both receivers right of the second router.
    ways = {"one": list("arqc"), "two": list("byrqd")}
    found = schematic(
        wires(l1="ar", l2="by", l7="yr", l3="rq", l4="qc", l5="qd", l6="dx"), Topology([], ways)
    ).places
    assert found == {
        "a": (1, 0),
        "r": (2, 0),
        "q": (3, 0),
        "c": (4, 0),
        "b": (0, 0),
        "y": (1, 1),
        "d": (4, 1),
        "x": (5, 0),
    }
    # Links without a flow are also drawn, separately if they are not connected to the paths.
    assert schematic(wires(l1="ab", l2="cd"), Topology([], {})).places == {
        "a": (0, 0), "b": (1, 0), "c": (0, 1), "d": (1, 1),
    }  # fmt: skip


def test_a_drawn_radio_link_states_arq_in_both_directions_and_errors(drawn: Schematic) -> None:
    wire, air = drawn.lines
    assert (wire.name, wire.speed, wire.wireless, wire.notes) == ("w1", "56 kbit/s, 50 ms", False, ())
    assert (air.name, air.speed, air.wireless) == ("air", "19.2 kbit/s, 10 ms", True)
    assert [note.replace("\u00a0", " ") for note in air.notes] == [
        "bs → m: go-back-n, window 3",
        "m → bs: selective-repeat, window 8",
        "two-state, good 10 s, bad 4 s, BER good 1e-6, BER bad 0.01",
    ]
    plain = {"kind": "none"}
    (link,) = radio_links({"radio": [RADIO | {"arq": plain, "arq_back": plain} | {"errors": []}]})
    assert (link.arq, link.errors) == (("no ARQ", "no ARQ"), "")
    traced = {name: value for name, value in RADIO.items() if name != "rate"} | {
        "deliveries": "/home/me/lte.trace"
    }
    recorded = {"kind": "recorded", "file": "/home/me/fades.csv", "fer_bad": 1.0}
    (link,) = radio_links({"radio": [traced | {"errors": recorded}]})
    assert link.rate == "lte.trace"
    assert link.errors.replace("\u00a0", " ") == "recorded, file fades.csv, FER bad 1.0"


def test_a_drawn_cell_states_its_rate_or_mcs_and_streams() -> None:
    assert cell_rate({"standard": "802.11b", "rate": "11 Mbit/s"}) == "11 Mbit/s"
    modern = {"standard": "802.11ac", "rate": {"mcs": 9, "streams": 2}}
    assert cell_rate(modern) == "802.11ac, MCS 9, 2 streams"
    assert cell_rate({**modern, "rate": {"mcs": 7}}) == "802.11ac, MCS 7, 1 stream"


def test_hops_over_a_cell_are_drawn_as_wireless_links() -> None:
    field = synthetic_air.NETWORK
    lines = schematic(field, Topology(cells(field, {}), {"ftp": ["n0", "n1", "n2"]})).lines
    assert [(line.name, line.ends, line.wireless) for line in lines] == [
        ("field", ("n0", "n1"), True), ("field", ("n1", "n2"), True),
    ]  # fmt: skip


# ---- print and page --------------------------------------------------------------------------------------


def test_the_figure_draws_wires_straight_and_radio_links_as_flashes(drawn: Schematic) -> None:
    with mpl.rc_context(PRINT_STYLE):
        figure = schematic_figure(drawn)
        figure.canvas.draw()
        (axes,) = figure.axes
        page = figure.bbox
        boxes = [text.get_window_extent() for text in axes.texts]
    wire, flash = axes.lines
    heights: list[list[float]] = [list(line.get_ydata()) for line in (wire, flash)]  # type: ignore[arg-type]
    assert [len(of) for of in heights] == [2, 4]
    assert len(set(heights[0])) == 1 and len(set(heights[1])) > 2
    words = {text.get_text() for text in axes.texts}
    assert {"s", "bs", "m", "w1\n56 kbit/s, 50 ms", "air\n19.2 kbit/s, 10 ms"} <= words
    for box in boxes:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.width and box.y1 <= page.height
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i] if a.width and b.width)


def test_show_draws_networks_without_cells(tmp_path: Path) -> None:
    (tmp_path / "wired.toml").write_text(
        'name = "wired"\nduration = "1 s"\n[[wired]]\nname = "w"\nends = ["a", "b"]\nrate = "1 Mbit/s"\n'
        'delay = "1 ms"\nqueue = { kind = "drop-tail", packets = 9 }\n[[flow]]\nname = "f"\nfrom = "a"\n'
        'to = "b"\nscheme = "reno"\nsegment = "500 B"\napp = { kind = "bulk" }\n',
        encoding="utf-8",
    )
    scenario = Scenario.load(tmp_path / "wired.toml")
    first, again = (plots.draw_topology(scenario, tmp_path / stem) for stem in ("x", "y"))
    assert [path.name for path in first] == ["x.pdf", "x.svg", "x.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def test_the_page_draws_the_network_of_runs_over_radio_links() -> None:
    found = network(synthetic_radio.traced_run())
    assert found is not None
    assert found.drawing.count("<rect") == 3 and found.drawing.count("<path") == 2
    assert tell(found.lines[0]) == "w1, s to bs: 56 kbit/s, 50 ms"
    assert tell(found.lines[1]).startswith("air, bs to m: 19.2 kbit/s, 10 ms; bs → m: go-back-n")
    assert network(synthetic.traced_run()) is None
    odd = replace(
        synthetic_radio.traced_run(),
        network=synthetic_radio.NETWORK | {"radio": [RADIO | {"name": "<b>", "ends": ["bs", "<i>"]}]},
    )
    escaped = network(odd)
    assert escaped is not None and "<b>" not in escaped.drawing and "<i>" not in escaped.drawing


def test_runs_over_different_links_have_separate_network_drawings() -> None:
    chapter = chapter_of_outcome(synthetic.four_schemes(FIG6), trace=False)
    run = synthetic_radio.traced_run()
    plain = {"arq": {"kind": "none"}, "arq_back": {"kind": "none"}}
    bare = replace(run, network={**run.network, "radio": [RADIO | plain]})
    for runs, drawings in (((run, run), 1), ((run, bare), 2), ((synthetic_air.traced_run(),), 0)):
        page = render([replace(chapter, runs=runs)])
        assert page.count('<svg class="plan network"') == drawings
        assert ("no ARQ" in page.replace("\u00a0", " ")) == (bare in runs)


# ---- radio links in other drawings --------------------------------------------------------------------


def test_both_ends_of_a_radio_link_have_a_lane_in_the_air_figure() -> None:
    air = on_air(synthetic_radio.tables(), synthetic_radio.NETWORK)
    assert [lane.label for lane in air.lanes] == ["bs", "m"]
    assert (air.hearers, air.sensers) == ([[1], [0]], [[], []])
    assert air.frames.height == len(synthetic_radio.FRAMES) + 8  # each received frame has a link ACK
    assert air.overlaps == []
    # From 1.05 to 2.05 s a packet waits in the queue, while the link retries the packet before it.
    (waits,) = [span[1:] for span in air.waiting if span[0] == 0]
    assert waits == pytest.approx((1.05, 2.05))


def test_lanes_of_a_cell_and_of_a_radio_link_are_distinguished() -> None:
    network_ = synthetic_air.NETWORK | {"radio": [RADIO | {"ends": ["n4", "m"]}]}
    labels = [lane.label for lane in on_air(synthetic_air.tables(), network_).lanes]
    assert labels == ["n0", "n1", "n2", "n3", "n4 (field)", "n4 (air)", "m"]


def test_a_frame_lost_without_arq_is_drawn_as_a_lost_segment() -> None:
    run = synthetic_radio.traced_run()
    assert lost_segments(run)["cause"].to_list() == ["queue"]  # the link retransmitted the other frames
    plain = {"arq": {"kind": "none"}, "arq_back": {"kind": "none"}}
    bare = replace(run, network={**run.network, "radio": [RADIO | plain]})
    assert sorted(lost_segments(bare)["cause"]) == ["channel", "channel", "channel", "queue"]
