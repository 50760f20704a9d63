"""A round trip lasts from a segment's last transmission to the ACK that covers it; notices may be late."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import polars as pl
import pytest

import airhop
import synthetic_radio
from airhop.analysis.round_trips import round_trips, timely_notices, timeouts
from airhop.plots.paper import PRINT_STYLE
from airhop.plots.round_trip import round_trip_graph
from airhop.plots.style import COLORS
from airhop.report.packets.figures import timeline_figures
from airhop.report.packets.marks import TIMER_COLORS
from airhop.report.packets.round_trip import FLOOR, ROW, TIMELY, TRIPS
from airhop.report.packets.timeline import Timeline, timeline

Tables = dict[str, pl.DataFrame]
DELAY_MS = 20.0
"""One-way delay of the wires of `last-hop`."""


@pytest.fixture(scope="module")
def tables() -> Tables:
    return synthetic_radio.tables()


def test_a_round_trip_lasts_from_the_last_transmission_to_the_acknowledgement(tables: Tables) -> None:
    found = round_trips(tables, "ftp").select("seq", "sent_s", "time_s", "rtt_ms", "sendings").rows()
    assert [(seq, sendings) for seq, *_, sendings in found] == [
        (1, 1), (101, 1), (201, 1), (301, 2), (401, 2), (501, 1),
    ]  # fmt: skip
    # Segment 3 was sent at 0.9 and at 1.8 s; the ACK at 2.2 s reports that all data before segment 4 has
    # arrived.
    assert found[3][1:4] == (1.8, 2.2, pytest.approx(400.0))
    assert found[0][1:4] == (0.0, 0.12, pytest.approx(120.0))


def test_an_ack_ends_the_round_trips_of_all_segments_that_it_acknowledges_only(tables: Tables) -> None:
    only = tables | {"acks": tables["acks"].filter(pl.col("time_s") == 0.32)}  # all data before segment 3
    found = round_trips(only, "ftp")
    assert found["seq"].to_list() == [1, 101, 201]
    assert found["rtt_ms"].to_list() == pytest.approx([320.0, 220.0, 120.0])
    # An ACK cannot acknowledge a later transmission.
    later = more_segments(only, (0.5, "ftp", 1, 100, True, "timeout"))
    assert round_trips(later, "ftp")["rtt_ms"].to_list() == pytest.approx([320.0, 220.0, 120.0])
    assert round_trips(later, "ftp")["sendings"].max() == 1


def more_segments(tables: Tables, *rows: tuple[Any, ...]) -> Tables:
    segments = tables["segments"]
    return tables | {"segments": pl.concat([segments, pl.DataFrame(rows, segments.schema, orient="row")])}


def test_a_retransmission_caused_by_an_ack_is_not_counted_as_a_timeout(tables: Tables) -> None:
    # At 2.2 s, on the ACK of segment 3, the sender retransmits segment 4, in slow start.
    assert timeouts(tables, "ftp").to_list() == [1.8]


@pytest.mark.parametrize("scheme", ["tahoe", "newreno", "sack"])
def test_timeouts_and_round_trips_equal_those_of_the_sender(scheme: str) -> None:
    lossy = {"duration": "30 s", "wlan.cell.errors.fer": 0.1}
    run = airhop.run(airhop.Scenario.load("last-hop").with_(lossy), scheme=scheme, trace=True)
    (flow,) = run.tcp_flows
    assert timeouts(run.tables, "ftp").len() == flow["timeouts"] > 10
    found = round_trips(run.tables, "ftp")
    acked = run.tables["acks"]["ack"].max()
    assert found["seq"].max() < acked <= 1 + found["seq"].n_unique() * 1000  # type: ignore[operator]
    # srtt is a mean of measured round trips (RFC 6298 §2); Karn's rule excludes retransmitted segments.
    srtt = run.tables["window"]["srtt_ms"].drop_nans()
    sure = found.filter(found["sendings"] == 1)
    assert srtt.max() <= sure["rtt_ms"].max()  # type: ignore[operator]
    assert sure["rtt_ms"].min() > 2 * DELAY_MS  # type: ignore[operator]


def test_notices_that_should_prevent_an_expiry_are_in_time_or_late(tables: Tables) -> None:
    found = timely_notices(tables, "ftp")
    assert found.select("time_s", "kind", "late").rows() == [
        (1.45, "ebsn", False), (1.85, "ebsn", True), (1.90, "rttn", False),
    ]  # fmt: skip
    assert found["lateness_ms"].to_list() == [-350.0, 50.0, -10.0]
    without = tables | {"notices": tables["notices"].drop("lateness_ms")}
    assert timely_notices(without, "ftp").is_empty()


def test_lateness_of_notices_equals_that_in_the_run_document() -> None:
    scenario = airhop.Scenario.load("kounavis1996-mobile-mobile")
    run = airhop.run(scenario, scheme="ebsn", rep=3, trace=True)
    found, told = timely_notices(run.tables, "ftp"), run.tcp_flows[0]["lateness"]
    assert (found.height, found["late"].sum()) == (told["notices"], told["late"])
    assert 0 < told["late"] < told["notices"]
    assert found["lateness_ms"].mean() == pytest.approx(told["mean_ms"])
    assert timeouts(run.tables, "ftp").len() == run.tcp_flows[0]["timeouts"]


# ---- print -----------------------------------------------------------------------------------------------


def drawn(tables: Tables, **options: Any) -> Any:
    with mpl.rc_context(PRINT_STYLE):
        return round_trip_graph(tables, "ftp", **options)


def lines(axes: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axes.lines}


def test_the_figure_has_round_trips_estimate_and_timer_in_seconds(tables: Tables) -> None:
    trips, notices = drawn(tables).axes
    found = lines(trips)
    assert trips.get_yscale() == "log"
    assert (trips.get_ylabel(), notices.get_xlabel()) == ("Round-trip time (s)", "Time (s)")
    assert list(found["round trip"].get_xdata()) == [0.12, 0.22, 0.32, 2.75]
    assert list(found["round trip"].get_ydata()) == pytest.approx([0.12, 0.12, 0.12, 0.15])
    assert list(found["sent more than once"].get_ydata()) == pytest.approx([0.4, 0.2])
    assert found["sent more than once"].get_markerfacecolor() == "white"
    # Steps from the first sample to the end of the axis.
    timer = found["retransmission timeout"]
    assert timer.get_drawstyle() == "steps-post"
    assert list(timer.get_xdata()) == pytest.approx([0.12, 0.32, 1.80, 2.40, 2.903])
    assert list(timer.get_ydata()) == pytest.approx([0.4, 0.3, 0.6, 0.5, 0.5])
    assert list(found["estimate (srtt)"].get_ydata()) == pytest.approx([0.12, 0.12, 0.12, 0.15, 0.15])
    assert list(found["timeout of the sender"].get_xdata()) == [1.8]


def test_the_figure_has_a_row_for_each_kind_of_notice(tables: Tables) -> None:
    _, notices = drawn(tables).axes
    assert [text.get_text() for text in notices.get_yticklabels()] == ["EBSN", "RTTN"]
    found = lines(notices)
    assert list(zip(*found["notice in time"].get_data(), strict=True)) == [(1.45, 0), (1.90, 1)]
    assert list(zip(*found["notice late"].get_data(), strict=True)) == [(1.85, 0)]
    early = drawn(tables, until=1.6).axes
    assert "notice late" not in lines(early[1])
    assert "timeout of the sender" not in lines(early[0])
    none = tables | {"notices": tables["notices"].clear()}
    assert len(drawn(none).axes) == 1


def test_the_figure_shades_fades_of_all_links_and_names_links_that_differ(tables: Tables) -> None:
    def shaded(figure: Any) -> list[tuple[str, float, float]]:
        return [
            (
                patch.get_label(),
                *patch.get_extents().transformed(figure.axes[0].transData.inverted()).intervalx,
            )
            for patch in figure.axes[0].patches
        ]

    # Both directions fade together: one link.
    ((label, *times),) = shaded(drawn(tables))
    assert label == "fade" and times == pytest.approx([1.0, 2.02])
    other = tables["fades"].with_columns(pl.col("place").cast(pl.String))
    other = pl.concat([other, pl.DataFrame([("s->bs0", 0.5, 0.7)], other.schema, orient="row")])
    found = shaded(drawn(tables | {"fades": other}))
    assert [label for label, *_ in found] == ["fade of s→bs0", "fade of bs→m"]
    assert found[0][1:] == pytest.approx((0.5, 0.7))


# ---- report ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown() -> Timeline:
    return timeline(synthetic_radio.traced_run())


def test_the_page_has_round_trips_and_notices_by_kind(shown: Timeline) -> None:
    sources = shown.sources
    assert sources["trip"]["y"].to_list() == pytest.approx([120.0, 120.0, 120.0, 150.0])
    assert sources["trip-again"].rows() == [
        (2.2, pytest.approx(400.0), 0.3, 2), (2.4, pytest.approx(200.0), 0.4, 2),
    ]  # fmt: skip
    assert sources["notice-in-time"].rows() == [
        (1.45, FLOOR, "EBSN", -350.0), (1.90, FLOOR + ROW, "RTTN", -10.0),
    ]  # fmt: skip
    assert sources["notice-late"].rows() == [(1.85, FLOOR, "EBSN", 50.0)]
    assert sources["fades"]["place"].to_list() == ["bs→m"]


def test_every_legend_entry_of_the_timer_figure_is_drawn_and_counted(shown: Timeline) -> None:
    names = {renderer.name for renderer in timeline_figures()["timer"].renderers}
    legend = {entry.group: entry.count for entry in shown.legends["timer"]}
    assert legend.keys() <= names
    assert legend == {"rto": None, "srtt": None, "trip": 4, "trip-again": 2, "notice-in-time": 2,
                      "notice-late": 1, "fades": 1, "timeouts": 1}  # fmt: skip


def test_marks_at_an_edge_of_the_figure_do_not_stretch_its_axis() -> None:
    plots = timeline_figures()
    for name in ("arrivals", "timer"):
        for renderer in plots[name].renderers:
            if renderer.y_range_name != "default" or renderer.glyph.__class__.__name__ == "VStrip":
                assert "unfitted" in renderer.tags, renderer.name
    # Colours of the palette, which test_plots.py checks for every vision.
    colors = [*TIMER_COLORS.values(), TRIPS[False].color, *(mark.color for mark in TIMELY.values())]
    assert len(set(colors)) == 5 and set(colors) < set(COLORS)
    assert len({mark.marker for mark in (*TRIPS.values(), *TIMELY.values())}) == 3
