"""Frames on the air: lanes, receivers, reasons of collisions, and the drawings in print and on the page."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import matplotlib as mpl
import polars as pl
import pytest

import synthetic
import synthetic_air
from airhop import Scenario, plots, run
from airhop.analysis.on_air import FRAMES, NOBODY, REASONS, OnAir, on_air
from airhop.cli import main
from airhop.errors import InputError
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.plots import space_time
from airhop.plots.frames import STYLES
from airhop.plots.paper import PRINT_STYLE
from airhop.report import chapter_of_outcome, write_report
from airhop.report.packets import on_air as packed
from airhop.report.packets.air_marks import COLLISIONS, OUTCOMES, STRIPS
from airhop.report.packets.figures import timeline_figures
from airhop.report.packets.on_air import air_data, air_shown
from airhop.report.packets.timeline import timeline
from browser import Tab, eventually

STORY = (0.0, 0.003)
"""Time span of `synthetic_air.ROWS`, s."""


@pytest.fixture(scope="module")
def air() -> OnAir:
    return on_air(synthetic_air.tables(), synthetic_air.NETWORK)


def rows_of(outcome: str) -> list[int]:
    """Find the rows of `synthetic_air.ROWS` that had this outcome."""
    return [
        row for row, (*_, found) in enumerate(sorted(synthetic_air.ROWS, key=by_start)) if found == outcome
    ]


def by_start(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row[0], row[2]


# ---- arrangement -----------------------------------------------------------------------------------------


def test_lanes_of_the_air_figure_have_the_order_of_stations_in_the_scenario(air: OnAir) -> None:
    assert [lane.label for lane in air.lanes] == ["n0", "n1", "n2", "n3", "n4"]
    assert air.hearers == [[1], [0, 2], [1, 3], [2, 4], [3]]
    assert air.sensers == [[2], [3], [0, 4], [1], [2]]


def test_every_transmission_is_in_the_lane_of_its_sender(air: OnAir) -> None:
    assert air.frames.height == len(synthetic_air.ROWS)
    found = air.frames.select("lane", "to").rows()
    for (_, _, sender, to, *_), (lane, other) in zip(
        sorted(synthetic_air.ROWS, key=by_start), found, strict=True
    ):
        assert (f"n{lane}", f"n{other}" if other != NOBODY else "*") == (sender, to)


def test_data_frames_are_classified_by_the_packet_that_they_contain(air: OnAir) -> None:
    sizes = dict(air.frames.group_by("kind").agg(pl.col("bytes").unique()).iter_rows())
    assert (sizes["data"], sizes["tcp-ack"], sizes["other"]) == ([1094], [94], [554])
    assert set(sizes) == set(FRAMES)


def test_collisions_of_hidden_terminals_are_distinguished_from_other_collisions(air: OnAir) -> None:
    found = [(overlap.reason, overlap.captured, f"n{overlap.lane}") for overlap in air.overlaps]
    assert found == [
        ("hidden", True, "n1"),  # n0 and n3 are 90 m apart and sense 65 m; n1 had locked on to n0
        ("hidden", False, "n1"),
        ("sensed", False, "n2"),  # n1 and n3 began in one slot
        ("sensed", False, "n2"),
        ("sending", False, "n2"),
        ("sending", False, "n1"),
    ]
    assert [overlap.frame for overlap in air.overlaps] == sorted(rows_of("captured") + rows_of("collision"))
    overlap = air.overlaps[1]
    assert air.frames["lane"][overlap.other] == 3
    assert (overlap.start_s, overlap.end_s) == pytest.approx((0.00085, 0.0011))


def test_frames_that_only_touch_in_time_or_are_out_of_range_do_not_overlap() -> None:
    tables = synthetic_air.tables()
    after = [
        (0.0, 1e-3, "n0", "n1", "collision"),
        (2e-4, 8e-4, "n4", "n3", "received"),  # 90 m from n1
        (1e-3 - 1e-10, 2e-3, "n3", "n4", "received"),  # a rounded number
    ]
    rows = [
        {"start_s": start, "end_s": end, "from": sender, "to": to, "outcome": outcome}
        for start, end, sender, to, outcome in after
    ]
    common = {"kind": "data", "packet": "data", "bytes": 1094, "flow": "ftp", "seq": 1, "attempt": 1}
    air = pl.DataFrame([row | common for row in rows])
    (found,) = on_air(tables | {"air": air}, synthetic_air.NETWORK).overlaps
    assert (found.reason, found.other, found.lane) == ("unknown", NOBODY, 1)


def test_a_station_waits_while_packets_are_queued_and_between_attempts(air: OnAir) -> None:
    (n0,), (n3,) = ([span[1:] for span in air.waiting if span[0] == lane] for lane in (0, 3))
    # Packets are queued until 1.2 ms; attempt 1 ends at 1.15 ms, its RTS begins attempt 2 at 1.4 ms.
    assert n0 == pytest.approx((0.0, 0.0014))
    assert n3 == pytest.approx((0.00008, 0.00019))
    assert all(end > start for _, start, end in air.waiting)


def test_a_time_window_keeps_frames_that_overlap_it(air: OnAir) -> None:
    shown = air.between(0.0003, 0.00042)
    assert shown.frames["lane"].to_list() == [0, 3, 1]
    assert shown.waiting == ((0, 0.0003, 0.00042),)


def test_the_busiest_stations_are_drawn_in_the_order_of_the_scenario(air: OnAir) -> None:
    few = air.busiest(3)
    assert [lane.label for lane in few.lanes] == ["n0", "n1", "n3"]
    kept = {lane.label for lane in few.lanes}
    senders = [sender for _, _, sender, *_ in synthetic_air.ROWS]
    assert few.frames.height == sum(sender in kept for sender in senders)
    assert (few.hearers, few.sensers) == ([[1], [0], []], [[], [2], [1]])


def test_a_station_of_two_cells_has_two_lanes() -> None:
    field = synthetic_air.NETWORK["wlan"][0]
    other = field | {"name": "other", "stations": {"n0": [0.0, 0.0], "m": [5.0, 0.0]}}
    network = synthetic_air.NETWORK | {"wlan": [field, other]}
    air = synthetic_air.tables()["air"]
    more = air.head(1).with_columns(pl.lit("n0").alias("from"), pl.lit("m").alias("to"))
    words = pl.col("from", "to").cast(pl.String)
    tables = {"air": pl.concat([air.with_columns(words), more.with_columns(words)])}
    found = on_air(tables, network)
    labels = [lane.label for lane in found.lanes]
    assert labels == ["n0 (field)", "n1", "n2", "n3", "n4", "n0 (other)", "m"]
    assert Counter(found.frames["lane"])[5] == 1
    assert found.hearers[5] == [6]


CHAIN = """
name = "chain"
duration = "200 ms"
[[wlan]]
name = "field"
standard = "802.11g"
rate = "36 Mbit/s"
control_rate = "24 Mbit/s"
access = "basic"
attempts = 7
layout = { kind = "chain", nodes = 5, spacing = "30 m" }
range = { receive = "40 m", sense = "65 m" }
queue = { kind = "drop-tail", packets = 50 }
[[flow]]
name = "ftp"
from = "n0"
to = "n4"
scheme = "reno"
segment = "1000 B"
app = { kind = "bulk" }
"""


def test_every_collision_of_a_run_is_attributed_to_an_interfering_frame(tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(CHAIN, encoding="utf-8")
    chain = Scenario.load(tmp_path / "chain.toml")
    traced = run(chain, trace=True)
    found = on_air(traced.tables, chain.to_dict())
    assert found.frames.height == traced.tables["air"].height > 500
    reasons = Counter(overlap.reason for overlap in found.overlaps)
    # n0 and n3 do not sense each other, and n1 senses both.
    assert reasons["unknown"] == 0 < reasons["hidden"]
    hidden = {
        (found.frames["lane"][overlap.frame], found.frames["lane"][overlap.other])
        for overlap in found.overlaps
        if overlap.reason == "hidden"
    }
    assert all(abs(sender - other) >= 3 for sender, other in hidden)
    assert set(found.frames["kind"]) == {"data", "tcp-ack", "ack"}


def test_traces_without_air_table_or_cell_are_refused_with_a_reason() -> None:
    with pytest.raises(InputError, match="trace=True"):
        on_air({}, synthetic_air.NETWORK)
    with pytest.raises(InputError, match=r"no \[\[wlan\]\]"):
        on_air(synthetic_air.tables(), {"flow": []})


# ---- print -----------------------------------------------------------------------------------------------


def axes_of(air: OnAir, window: tuple[float, float] = STORY) -> Any:
    with mpl.rc_context(PRINT_STYLE):
        return space_time.space_time_figure(air.between(*window), window).axes[0]


def boxes(axes: Any, label: str) -> list[tuple[float, float, float, float]]:
    """List left, right, upper and lower ends of the boxes with this name in the legend."""
    (found,) = [group for group in axes.collections if group.get_label() == label]
    ends = [path.get_extents() for path in found.get_paths()]
    return [(box.x0, box.x1, box.y0, box.y1) for box in ends]


def test_the_figure_has_a_bar_per_frame_and_a_time_axis_in_milliseconds(air: OnAir) -> None:
    axes = axes_of(air)
    kinds = Counter(air.frames["kind"])
    for kind, style in STYLES.items():
        assert len(boxes(axes, style.text)) == kinds[kind], kind
    assert [text.get_text() for text in axes.get_yticklabels()] == ["n0", "n1", "n2", "n3", "n4"]
    assert axes.get_ylim() == (4.5, -0.5)
    assert axes.get_xlabel() == "Time (ms)"
    left, right, top, bottom = boxes(axes, "TCP data")[0]
    assert (left, right, (top + bottom) / 2) == pytest.approx((0.1, 0.4, 0.0))
    assert axes_of(air, (0.001, 0.002)).get_xlabel() == "Time since 0.001 s (ms)"


def test_strips_of_a_frame_are_on_the_senders_side_at_stations_in_range(air: OnAir) -> None:
    axes = axes_of(air, (0.0, 0.00035))  # n0 and n3 send
    heard = {
        (round(left, 2), round((top + bottom) / 2, 2)) for left, _, top, bottom in boxes(axes, "heard here")
    }
    upper, lower = -0.39, 0.39
    assert heard == {(0.1, 1 + upper), (0.2, 2 + lower), (0.2, 4 + upper)}
    sensed = {
        (round(left, 2), round((top + bottom) / 2)) for left, _, top, bottom in boxes(axes, "only sensed")
    }
    # n1 senses n3 while it receives from n0; neither n0 nor n3 has a strip of the other.
    assert sensed == {(0.1, 2), (0.2, 1)}


def test_a_collision_is_marked_at_the_receiver_of_the_frame(air: OnAir) -> None:
    axes = axes_of(air)
    heads = {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}
    marked = [(round(x, 3), y) for x, y in zip(*heads["collision"].get_data(), strict=True)]
    assert sorted(marked) == [(1.15, 1), (2.04, 2), (2.3, 2), (2.44, 1), (2.7, 2)]
    assert list(zip(*heads["captured"].get_data(), strict=True)) == [(pytest.approx(0.4), 1.0)]
    assert list(heads["channel error"].get_ydata()) == [1.0]
    assert list(heads["out of range"].get_ydata()) == [0.0]
    # Overlaps of signals without capture.
    overlap = boxes(axes, "frames overlap")
    assert overlap[0][:2] == pytest.approx((0.85, 1.1))
    assert [round((top + bottom) / 2) for _, _, top, bottom in overlap] == [1, 2, 2, 2, 1]
    words = [text.get_text() for text in axes.texts]
    assert words.count("hidden") == 2


def test_kinds_of_frames_are_distinguishable_in_grey() -> None:
    def brightness(ink: str) -> float:
        red, green, blue = mpl.colors.to_rgb(ink)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    looks = [(brightness(style.ink), style.hatch) for style in STYLES.values()]
    for place, (light, hatch) in enumerate(looks):
        for other_light, other_hatch in looks[place + 1 :]:
            assert hatch != other_hatch or abs(light - other_light) > 0.1


def test_without_a_window_a_collision_of_hidden_terminals_is_shown(air: OnAir) -> None:
    first, last = space_time.worth_seeing(air)
    assert first <= 0.00085 and last >= 0.00115
    assert last - first == pytest.approx(0.004)
    none = replace(air, frames=air.frames.filter(air.frames["outcome"] == "received"))
    first, last = space_time.worth_seeing(none)
    assert 0.0001 <= first <= 0.0002 < last
    late = synthetic_air.tables()["air"].with_columns(pl.col("start_s", "end_s") + 1.0123456)
    start = space_time.worth_seeing(on_air({"air": late}, synthetic_air.NETWORK))[0]
    assert start == pytest.approx(1.0113)  # a readable number


def result() -> Any:
    return Mock(tables=synthetic_air.tables())


def scenario() -> Any:
    return Mock(spec=Scenario, to_dict=lambda: synthetic_air.NETWORK)


def test_equal_frames_are_drawn_into_identical_files(tmp_path: Path) -> None:
    named = scenario()
    named.name = "chain"
    first, again = (plots.draw_space_time(result(), named, tmp_path / stem) for stem in ("a", "b"))
    assert [path.name for path in first] == ["a.pdf", "a.svg", "a.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    (alone,) = plots.draw_space_time(result(), named, tmp_path / "c.svg", between=STORY)
    assert alone == tmp_path / "c.svg"


def test_a_time_window_without_frames_is_refused() -> None:
    with pytest.raises(InputError, match="no frame is on the air between 5 s and 6 s"):
        plots.draw_space_time(result(), scenario(), "never", between=(5.0, 6.0))


def test_run_refuses_a_figure_of_an_unknown_format_before_the_simulation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as end, patch("airhop.cli.run.simulate") as simulate:
        main(["run", "last-hop", "--air", "air.jpg"])
    assert (end.value.code, simulate.called) == (2, False)
    assert "air.jpg: expected a name that ends in .pdf, .svg, .png" in capsys.readouterr().err


# ---- report ----------------------------------------------------------------------------------------------


def test_a_run_without_frames_on_the_air_has_no_space_time_figure() -> None:
    made = synthetic.traced_run()
    assert "air" not in timeline(made).figures
    empty = synthetic_air.traced_run()
    assert air_shown(replace(empty, tables=empty.tables | {"air": empty.tables["air"].clear()})) is None


def test_frames_packed_for_a_page_equal_the_frames_of_the_trace() -> None:
    shown = air_shown(synthetic_air.traced_run())
    assert shown is not None
    data, frames = air_data(shown), shown.air.frames
    starts = [sum(data["start"][: i + 1]) * data["tick"] for i in range(frames.height)]
    assert starts == pytest.approx(frames["start_s"].to_list())
    ends = [start + length * data["tick"] for start, length in zip(starts, data["length"], strict=True)]
    assert ends == pytest.approx(frames["end_s"].to_list())
    for column, names in (("kind", "kinds"), ("outcome", "outcomes"), ("flow", "flows")):
        assert [data[names][code] for code in data[column]] == frames[column].to_list()
    assert [data["reasons"][overlap[5]] for overlap in data["overlaps"]] == [
        overlap.reason for overlap in shown.air.overlaps
    ]


def test_a_page_contains_the_first_frames_and_states_their_total_number() -> None:
    run = synthetic_air.traced_run(20)
    with patch.object(packed, "MOST_FRAMES", 50), patch.object(packed, "MOST_LANES", 3):
        shown = air_shown(run)
    assert shown is not None
    assert shown.air.frames["start_s"].max() <= run.tables["air"]["start_s"].sort()[49]
    data = air_data(shown)
    assert (len(data["lanes"]), data["stations"], data["total"]) == (3, 5, 20 * len(synthetic_air.ROWS))


def test_the_legend_of_the_air_figure_counts_frames_outcomes_and_reasons() -> None:
    legend = {entry.group: entry.count for entry in timeline(synthetic_air.traced_run()).legends["air"]}
    assert legend == {
        "rts": 1,
        "a-mpdu": 1,
        "block-ack": 2,
        "block-ack-req": 1,
        "cf-end": 1,
        "cts": 1,
        "data": 7,
        "tcp-ack": 4,
        "other": 1,
        "ack": 4,
        "broadcast": 1,
        "hidden": 1,
        "sending": 2,
        "sensed": 2,
        "captured": 1,
        "channel": 1,
        "unheard": 1,
        "heard": None,
        "only-sensed": None,
        "waiting": None,
    }


def test_every_legend_entry_of_the_air_figure_has_a_renderer_to_hide() -> None:
    names = {renderer.name for renderer in timeline_figures()["air"].renderers}
    assert {*FRAMES, *COLLISIONS, *OUTCOMES, *STRIPS} <= names
    assert set(COLLISIONS) == set(REASONS)


def test_every_kind_of_frame_has_its_own_colour() -> None:
    bars = {
        renderer.data_source.name.removeprefix("bars:"): renderer.glyph.fill_color
        for renderer in timeline_figures()["air"].renderers
        if renderer.data_source.name.startswith("bars:")
    }
    assert {kind: bars[kind] for kind in FRAMES} == {kind: STYLES[kind].color for kind in FRAMES}
    assert len(set(bars.values())) == len(bars)


# ---- in a browser ----------------------------------------------------------------------------------------

SOURCES = """async (names) => {
  const { air } = await chapters[0].timeline.drawn[0];
  return Object.fromEntries(names.map((name) => [name, Object.fromEntries(
    Object.entries(air.sources.get(name).data).map(([column, values]) => [column, [...values]]))]));
}"""
LANES = """async () => {
  const { air: { plot } } = await chapters[0].timeline.drawn[0];
  return { labels: [...plot.left[0].major_label_overrides].map(([at, label]) => [Number(at), label]),
           ends: [plot.y_range.start, plot.y_range.end], height: plot.height };
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chapter = chapter_of_outcome(synthetic.four_schemes(FIG6), trace=False)
    run = replace(synthetic_air.traced_run(100), point=chapter.table.study.points()[0].index)
    return write_report([replace(chapter, runs=(run,))], tmp_path_factory.mktemp("air") / "report.html")


@pytest.fixture
def opened(tab: Tab, report: Path) -> Tab:
    tab.page.goto(report.as_uri())
    tab.page.wait_for_selector("html[data-ready]", state="attached")
    tab.page.locator("figure[data-plot=air]").scroll_into_view_if_needed()
    tab.page.wait_for_selector("figure[data-plot=air] output:has-text('frames in sight')")
    return tab


def told(tab: Tab) -> str:
    return tab.page.locator("figure[data-plot=air] output").inner_text()


def test_selecting_a_collision_on_the_page_zooms_to_its_frames(opened: Tab) -> None:
    page = opened.page
    assert told(opened) == "2,400 frames in sight: zoom in to see each of them."
    lanes = page.evaluate(LANES)
    assert lanes["labels"] == [[lane, f"n{lane}"] for lane in range(5)]
    assert lanes["ends"] == [4.5, -0.5]
    page.click("figure[data-plot=air] [data-go=collision-after]")
    page.wait_for_selector("figure[data-plot=air] output:has-text('32 frames in sight.')")
    assert "collision at 0.000850 s" in page.locator(".timeline .controls output").inner_text()
    sources = page.evaluate(
        SOURCES, ["bars:data", "bars:many", "marks:hidden", "strips:heard", "lines:hidden"]
    )
    data = sources["bars:data"]
    assert sources["bars:many"]["left"] == []
    assert data["left"][:2] == pytest.approx([0.0001, 0.0002])
    assert [(top + bottom) / 2 for top, bottom in zip(data["top"], data["bottom"], strict=True)][:2] == [0, 3]
    assert sources["marks:hidden"]["y"] == [1, 1]
    assert sources["marks:hidden"]["x"][0] == pytest.approx(0.00115)
    # The line leads from the lane of n3 to the lane of n1.
    lines = sources["lines:hidden"]
    assert lines["y0"][0] == pytest.approx(3 - 0.22) and lines["y1"][0] == pytest.approx(1 + 0.45)
    heard = sources["strips:heard"]
    first = sorted(
        round(float(top + bottom) / 2, 2)
        for left, top, bottom in zip(heard["left"], heard["top"], heard["bottom"], strict=True)
        if math.isclose(left, 0.0002)
    )
    assert first == [2.39, 3.61]  # only n3's neighbours, at the edges towards n3
    assert opened.errors == []


def test_many_frames_are_merged_into_runs_and_no_station_or_collision_is_lost(opened: Tab) -> None:
    many = opened.page.evaluate(SOURCES, ["bars:many", "bars:data", "overlaps:hidden"])
    assert many["bars:data"]["left"] == []
    runs = len(many["bars:many"]["left"])
    assert 5 <= runs < 2300
    assert len(many["overlaps:hidden"]["left"]) == 100
    lanes = {
        round((a + b) / 2) for a, b in zip(many["bars:many"]["top"], many["bars:many"]["bottom"], strict=True)
    }
    assert lanes == {0, 1, 2, 3, 4}


def test_hiding_a_kind_of_frame_hides_its_strips(opened: Tab) -> None:
    page = opened.page
    page.click("figure[data-plot=air] [data-go=collision-after]")
    page.wait_for_selector("figure[data-plot=air] output:has-text('32 frames in sight.')")
    before = page.evaluate(SOURCES, ["strips:heard"])["strips:heard"]["left"]
    page.click("figure[data-plot=air] [data-group=ack]")
    eventually(page, lambda: page.evaluate(SOURCES, ["bars:ack"])["bars:ack"]["left"] == [])
    assert 0 < len(page.evaluate(SOURCES, ["strips:heard"])["strips:heard"]["left"]) < len(before)


def test_pointing_at_a_station_shows_its_ranges(opened: Tab) -> None:
    shown = "(i) => getComputedStyle(document.querySelectorAll('.station .receive')[i]).opacity"
    assert [opened.page.evaluate(shown, i) for i in (0, 3)] == ["1", "0"]
    opened.page.locator(".station .dot").nth(3).hover()
    assert [opened.page.evaluate(shown, i) for i in (0, 3)] == ["0", "1"]
