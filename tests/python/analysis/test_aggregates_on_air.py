"""A-MPDUs in space-time diagrams: an A-MPDU is a bar, and its MPDUs are boxes in the bar."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import polars as pl
import pytest

import airhop
import synthetic
from airhop.analysis.on_air import OnAir, on_air
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.plots import space_time
from airhop.plots.frames import LOST_MPDU, RETRIED_MPDU
from airhop.plots.paper import PRINT_STYLE
from airhop.report import chapter_of_outcome, write_report
from airhop.report.packets.air_marks import MPDUS
from airhop.report.packets.figures import timeline_figures
from airhop.report.packets.on_air import air_data, air_shown
from airhop.report.packets.timeline import timeline
from airhop.report.packets.traced import TracedRun
from browser import Tab, eventually

QUEUE = {"kind": "drop-tail", "packets": 500}
CELL = {
    "name": "cell",
    "standard": "802.11n",
    "rate": {"mcs": 7},
    "queue": QUEUE,
    "errors": {"kind": "bernoulli", "loss": 0.1},
    "stations": {"ap": [0, 0], "a": [5, 0], "b": [0, 5]},
}
FLOWS = [
    {"name": "down", "from": "ap", "to": "a", "scheme": "cubic", "segment": "1448 B"},
    {
        "name": "up",
        "from": "b",
        "to": "ap",
        "transport": "udp",
        "segment": "900 B",
        "app": {"kind": "cbr", "rate": "30 Mbit/s"},
    },
]
NETWORK: dict[str, Any] = {"name": "n", "duration": "400 ms", "wlan": [CELL], "flow": FLOWS}


@pytest.fixture(scope="module")
def traced() -> TracedRun:
    scenario = airhop.Scenario.load(NETWORK)
    result = airhop.run(scenario, seed=3, trace=True)
    return replace(
        synthetic.traced_run(),
        document=result.document,
        tables=dict(result.tables),
        network=scenario.to_dict(),
    )


@pytest.fixture(scope="module")
def air(traced: TracedRun) -> OnAir:
    return on_air(traced.tables, traced.network)


def test_the_mpdus_of_an_ampdu_share_its_airtime_by_bytes(traced: TracedRun, air: OnAir) -> None:
    """IEEE 802.11-2020 §9.7.1: a subframe is a delimiter of 4 bytes, the MPDU, and padding to 4 bytes."""
    ampdus = air.frames.filter(kind="a-mpdu")
    cells = {key[0]: group.to_dicts() for key, group in air.mpdus.group_by("ppdu", maintain_order=True)}
    assert sorted(cells) == sorted(ampdus["ppdu"])
    rows = traced.tables["mpdus"].filter(pl.col("msdu") == 0)
    for ppdu, start, end in ampdus.select("ppdu", "start_s", "end_s").iter_rows():
        found = cells[ppdu]
        assert len(found) == rows.filter(pl.col("ppdu") == ppdu).height > 1
        borders = [start, *(cell["end_s"] for cell in found)]
        assert [cell["start_s"] for cell in found] == pytest.approx(borders[:-1])
        assert borders[-1] == pytest.approx(end)
        subframes = [(cell["bytes"] + 7) // 4 * 4 for cell in found]
        lengths = [cell["end_s"] - cell["start_s"] for cell in found]
        shares = [subframe / sum(subframes) * (end - start) for subframe in subframes]
        assert lengths == pytest.approx(shares)


def boxes(air: OnAir, window: tuple[float, float], label: str) -> int:
    """Count the boxes of the printed figure that have this label in the legend."""
    with mpl.rc_context(PRINT_STYLE):
        axes = space_time.space_time_figure(air.between(*window), window).axes[0]
    found = [group for group in axes.collections if group.get_label() == label]
    return sum(len(group.get_paths()) for group in found)


def test_lost_and_retransmitted_mpdus_are_marked_but_not_those_of_a_collision(air: OnAir) -> None:
    """An A-MPDU that is lost completely in a collision has only the mark of the collision."""
    window = (0.0, 0.4)
    outcomes = air.mpdus["outcome"].to_list()
    assert min(outcomes.count(outcome) for outcome in ("received", "channel", "collision")) > 20
    assert boxes(air, window, LOST_MPDU) == outcomes.count("channel")
    assert boxes(air, window, RETRIED_MPDU) == air.mpdus.filter(pl.col("attempt") > 1).height
    collided = air.frames.filter(kind="a-mpdu", outcome="collision")
    assert collided.height > 5
    assert {*air.mpdus.join(collided, on="ppdu", how="semi")["outcome"]} == {"collision"}


def test_a_part_of_the_lanes_or_times_keeps_the_mpdus_of_its_frames(air: OnAir) -> None:
    for part in (air.between(0.1, 0.2), air.busiest(2)):
        ampdus = part.frames.filter(kind="a-mpdu")["ppdu"]
        assert 0 < ampdus.len() < air.frames.filter(kind="a-mpdu").height
        assert {*part.mpdus["ppdu"]} == {*ampdus}


def test_mpdus_packed_for_a_page_equal_the_mpdus_of_the_trace(traced: TracedRun) -> None:
    shown = air_shown(traced)
    assert shown is not None
    data = air_data(shown)
    found = []
    for place, packed in data["mpdus"].items():
        assert data["kinds"][data["kind"][int(place)]] == "a-mpdu"
        ppdu = shown.air.frames["ppdu"][int(place)]
        for count, size, code in zip(packed[::3], packed[1::3], packed[2::3], strict=True):
            found += [(ppdu, size, bool(code & 1), bool(code & 2))] * count
    columns = shown.air.mpdus.select("ppdu", "bytes", "outcome", "attempt").rows()
    assert found == [
        (ppdu, (size + 7) // 4 * 4, outcome == "channel", attempt > 1)
        for ppdu, size, outcome, attempt in columns
    ]


def test_the_legend_of_the_air_figure_counts_lost_and_retransmitted_mpdus(
    traced: TracedRun, air: OnAir
) -> None:
    legend = {entry.group: entry.count for entry in timeline(traced).legends["air"]}
    assert legend[MPDUS["lost"].group] == air.mpdus["outcome"].to_list().count("channel")
    assert legend[MPDUS["retried"].group] == air.mpdus.filter(pl.col("attempt") > 1).height
    names = {renderer.name for renderer in timeline_figures()["air"].renderers}
    assert {mark.group for mark in MPDUS.values()} <= names


@pytest.mark.parametrize("cause", ["channel", "collision"])
def test_drops_of_frames_count_each_lost_mpdu(traced: TracedRun, cause: str) -> None:
    """`drops.channel` and `drops.collision` are the lost MPDUs, and the lost frames without a packet."""
    tables = {
        name: traced.tables[name].with_columns(pl.col("outcome").cast(pl.String)) for name in ("air", "mpdus")
    }
    mpdus = tables["mpdus"].filter(pl.col("msdu") == 0, outcome=cause).height
    control = tables["air"].filter(~pl.col("kind").cast(pl.String).is_in(["data", "a-mpdu"]), outcome=cause)
    assert traced.document["drops"][cause] == mpdus + control.height > 0


# ---- in a browser ----------------------------------------------------------------------------------------

CELLS = """async () => {
  const { air } = await chapters[0].timeline.drawn[0];
  const rows = (name) => air.sources.get(name).data.left.length;
  return { lost: rows("cells:lost-mpdu"), retried: rows("cells:retried-mpdu"),
           borders: air.sources.get("borders:a-mpdu").data.x0.length,
           tells: air.sources.get("bars:a-mpdu").data.tells };
}"""


def test_the_page_draws_the_mpdus_of_visible_ampdus(traced: TracedRun, tab: Tab, tmp_path: Path) -> None:
    chapter = chapter_of_outcome(synthetic.four_schemes(FIG6), trace=False)
    run = replace(traced, point=chapter.table.study.points()[0].index)
    path = write_report([replace(chapter, runs=(run,))], tmp_path / "report.html")
    page = tab.page
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator("figure[data-plot=air]").scroll_into_view_if_needed()
    page.wait_for_selector("figure[data-plot=air] output:has-text('frames in sight')")
    page.click("figure[data-plot=air] [data-go=collision-after]")
    eventually(page, lambda: page.evaluate(CELLS)["borders"] > 5)
    drawn = page.evaluate(CELLS)
    assert drawn["retried"] > 0
    assert any("MPDUs" in tells for tells in drawn["tells"])
    assert tab.errors == []
