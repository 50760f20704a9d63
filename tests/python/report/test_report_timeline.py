"""Time-lines: every event of a trace is drawn once, at its place and time."""

from __future__ import annotations

import math

import pytest
from bokeh.models import GlyphRenderer, Range1d

import airhop
import synthetic
import synthetic_study
from airhop.report import TracedRun
from airhop.report.data import sources_data
from airhop.report.pack import pack
from airhop.report.packets.figures import timeline_figures
from airhop.report.packets.timeline import Timeline, timeline
from airhop.report.packets.traced import trace_schemes
from airhop.report.symbols import PATHS


@pytest.fixture(scope="module")
def shown() -> Timeline:
    return timeline(synthetic.traced_run())


def test_every_event_of_the_trace_is_drawn_once(shown: Timeline) -> None:
    drawn = {name: rows.height for name, rows in shown.sources.items() if name != "window"}
    assert {name: count for name, count in drawn.items() if not name.startswith(("queue-", "air-"))} == {
        "ack": 1,
        "dupack": 3,
        "new": 13,
        "fast": 1,
        "recovery": 1,
        "timeout": 1,
        "notice": 1,
        "channel": 1,
        "collision": 1,
        "queue": 1,
        "retries": 2,
        "ack-held-back": 1,
        "ack-lost": 1,
        "notice-lost": 1,
        "control-lost": 1,
        "eln-sent": 1,
        "eln-received": 1,
        "ersn-sent": 1,
        "ersn-received": 1,
        "trip": 2,
    }


# RFC 3168: each packet that arrives with a mark, and each ACK with an echo, except packets in flight.
def test_ecn_marks_and_echoes_are_drawn() -> None:
    queue = {"kind": "red", "packets": 50, "min": 2, "max": 8, "weight": 0.1, "ecn": True}
    changes = {"wired.w2.queue": queue, "wired.w2.rate": "1 Mbit/s", "flow.ftp.tcp.ecn": True}
    scenario = airhop.Scenario.load("last-hop").with_({**changes, "duration": "4 s"})
    run = airhop.run(scenario, trace=True)
    network = scenario.to_dict()
    drawn = timeline(TracedRun("reno", "reno", run.document, run.tables, "x", network=network)).sources
    marks = run.document["flows"][0]["marks"]
    assert drawn["echo"].height == marks["ece"] > 0
    assert 0 < drawn["marked"].height <= marks["ce"] <= drawn["marked"].height + 50


def test_an_ecn_mark_is_drawn_at_its_time_and_sequence_number(shown: Timeline) -> None:
    # The first data byte is 1, so sequence number 2001 is byte 2000.
    lost = shown.sources["channel"].row(0, named=True)
    assert (lost["x"], lost["y"], lost["place"]) == (0.050, 2.0, "bs->d")


def test_a_lost_link_ack_is_drawn_on_the_ack_line(shown: Timeline) -> None:
    # A frame without a TCP sequence number is drawn at the cumulative ACK, 2001 at 62.5 ms.
    lost = shown.sources["control-lost"].row(0, named=True)
    assert (lost["x"], lost["y"]) == (0.0625, 2.0)


def test_legends_count_drawn_marks(shown: Timeline) -> None:
    legend = {entry.group: entry for entry in shown.legends["sequence"]}
    for group, entry in legend.items():
        assert entry.count == shown.sources[group].height
    for entries in shown.legends.values():
        assert all(entry.symbol.removesuffix("-open") in PATHS for entry in entries)


def renderers(name: str) -> dict[str, GlyphRenderer]:
    return {renderer.name: renderer for renderer in timeline_figures()[name].renderers if renderer.name}


@pytest.mark.parametrize("name", ["sequence", "window", "timer"])
def test_every_legend_button_of_the_timeline_hides_a_renderer(shown: Timeline, name: str) -> None:
    drawn = renderers(name)
    for entry in shown.legends[name]:
        assert drawn[entry.group].visible is entry.shown


def test_every_data_source_of_a_run_is_used_by_a_figure(shown: Timeline) -> None:
    waiting = {
        renderer.data_source.name: set(renderer.data_source.data)
        for plot in timeline_figures().values()
        for renderer in plot.renderers
    }
    for name, rows in shown.sources.items():
        assert set(rows.columns) == waiting[name] - ({"y"} if name == "window" else set()), name


def test_figures_of_the_timeline_share_the_time_axis() -> None:
    (time,) = {plot.x_range for plot in timeline_figures().values()}
    assert isinstance(time, Range1d)


def test_ssthresh_does_not_stretch_the_axis_of_the_window() -> None:
    # ssthresh starts far above any window; the unnamed line only carries the hover card.
    window = timeline_figures()["window"]
    assert [r.name for r in window.renderers if "unfitted" in r.tags] == ["ssthresh", None]


def test_a_lost_frame_and_the_discarded_packet_are_listed_as_a_single_loss(shown: Timeline) -> None:
    # The link discards a packet because its frame was lost, which is one loss, not two.
    assert shown.losses == [0.050, 0.052, 0.053]


def test_missing_and_infinite_values_are_encoded_for_the_script(shown: Timeline) -> None:
    window = sources_data(shown)["window"]
    assert window["ssthresh"][:2] == ["Infinity", "Infinity"]
    assert window["srtt_ms"][0] is None
    assert pack(window)


def test_an_empty_trace_has_an_empty_timeline() -> None:
    full = synthetic.traced_run()
    tables = {name: table.clear() for name, table in full.tables.items()}
    empty = timeline(TracedRun(full.scheme, full.label, full.document, tables, "x"))
    assert empty.losses == []
    assert [entry.group for entry in empty.legends["sequence"]] == ["ack"]


def test_all_schemes_of_one_setting_are_traced() -> None:
    table = synthetic_study.study()
    runs = trace_schemes(table)  # type: ignore[arg-type]
    points = table.study.points()
    assert [run.scheme for run in runs] == ["reno", "sack", "snoop", "ll-elsn"]
    assert len({points[run.point or 0].setting for run in runs}) == 1


def test_a_traced_run_equals_the_beginning_of_the_run_of_its_point() -> None:
    # A run with a shorter duration equals the beginning of the longer run, in all events.
    table = synthetic_study.study(schemes=("sack",))
    point = table.study.points()[0]
    short = trace_schemes(table)[0]  # type: ignore[arg-type]
    import airhop

    whole = airhop.run(point.scenario.with_({"duration": "6 s"}), seed=1, rep=0, trace=True)
    segments = whole.tables["segments"]
    beginning = segments.filter(segments["time_s"] < short.duration_s)
    assert beginning.rows() == short.tables["segments"].rows()
    assert short.command.startswith(table.command(table.study.points()[short.point or 0], 0))
    assert not math.isnan(short.duration_s)


def test_long_traced_runs_are_shortened_for_the_report() -> None:
    table = synthetic_study.study(schemes=("reno",))
    object.__setattr__(table.study, "scenario", table.study.scenario.with_({"duration": "500 s"}))
    (run,) = trace_schemes(table)  # type: ignore[arg-type]
    assert run.duration_s == 20.0
    assert "--set 'duration=20 s'" in run.command
