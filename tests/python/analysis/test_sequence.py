"""Sequence graph: the sender's transmission in each frame, and the frame's delivery or loss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import matplotlib as mpl
import polars as pl
import pytest

import airhop
import synthetic
import synthetic_air
import synthetic_radio
from airhop import plots
from airhop.analysis.arrivals import arrivals, fades, last_hop, ticks
from airhop.cli import main
from airhop.errors import InputError
from airhop.plots.fading import uncrowded
from airhop.plots.paper import PRINT_STYLE
from airhop.plots.sequence import LOOKS, sequence_graph
from airhop.plots.style import COLORS
from airhop.report.packets.figures import timeline_figures
from airhop.report.packets.sequence import ARRIVALS, shows_arrivals
from airhop.report.packets.timeline import Timeline, timeline

Tables = dict[str, pl.DataFrame]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return synthetic_radio.tables()


def more(tables: Tables, name: str, *rows: tuple[Any, ...]) -> Tables:
    """Add rows to a table."""
    table = tables[name]
    return tables | {name: pl.concat([table, pl.DataFrame(rows, table.schema, orient="row")])}


# ---- frames over the air ------------------------------------------------------------------------------


def test_every_frame_is_drawn_at_its_end_time_with_its_segment_number(tables: Tables) -> None:
    found = arrivals(tables, "ftp", modulo=4)
    assert found["time_s"].to_list() == pytest.approx([start + 0.05 for start, *_ in synthetic_radio.FRAMES])
    assert found["number"].to_list() == [number % 4 for _, number, _, _ in synthetic_radio.FRAMES]
    assert found["seq"].to_list() == [1 + 100 * number for _, number, _, _ in synthetic_radio.FRAMES]
    assert found["delivered"].to_list() == [out == "received" for *_, out in synthetic_radio.FRAMES]


def test_a_frame_contains_the_oldest_copy_of_its_segment_that_has_not_passed_the_hop(tables: Tables) -> None:
    copies = [
        (number, copy)
        for (_, number, *_), copy in zip(
            synthetic_radio.FRAMES, arrivals(tables, "ftp")["copy"].to_list(), strict=True
        )
    ]
    assert copies[:3] == [(0, 1), (1, 1), (2, 1)]
    # All attempts of the link carry the first copy, even attempts after the source has sent the second copy.
    assert copies[3:7] == [(3, 1)] * 4
    assert copies[7] == (3, 2)
    assert copies[8] == (4, 2)  # the first copy was dropped in the queue
    assert copies[9:] == [(5, 1), (5, 0)]  # an agent made the last copy: the source had sent only one


def test_a_frame_lost_on_an_earlier_link_loses_a_copy_unless_that_link_retransmits_it(tables: Tables) -> None:
    # Segment 5 is sent twice, and a copy of it is lost on the previous link.
    twice = more(tables, "segments", (2.62, "ftp", 501, 100, True, "fast"))
    assert arrivals(twice, "ftp")["copy"].to_list()[-2:] == [1, 2]
    lost = more(twice, "drops", (2.61, "ftp", "s->bs", "channel", "data", 501, 100))
    assert arrivals(lost, "ftp")["copy"].to_list()[-2:] == [2, 0]
    # If both copies were sent before the drop, the newer copy was lost.
    after = more(twice, "drops", (2.63, "ftp", "s->bs", "channel", "data", 501, 100))
    assert arrivals(after, "ftp")["copy"].to_list()[-2:] == [1, 0]
    # With a link ACK from bs to s, s sends the frame again.
    answer = (0.01, 0.011, "bs", "s", "ack", 6, "ftp", "data", 1, 1, "received")
    assert arrivals(more(lost, "air", answer), "ftp")["copy"].to_list()[-2:] == [1, 2]


def test_a_loss_on_a_hop_without_arq_concerns_a_copy_that_has_reached_the_hop(tables: Tables) -> None:
    bare = tables | {
        "air": tables["air"].filter(pl.col("kind").cast(pl.String) == "data", pl.col("start_s") < 2.8)
    }
    lost = more(bare, "segments", (2.62, "ftp", 501, 100, True, "fast"))
    lost = more(lost, "drops", (2.70, "ftp", "bs->m", "channel", "data", 501, 100))
    frame = (2.85, 2.90, "bs", "m", "data", 140, "ftp", "data", 501, 1, "received")
    assert arrivals(more(lost, "air", frame), "ftp")["copy"].to_list()[-2:] == [1, 2]


def test_the_last_hop_is_the_hop_that_data_reach_last(tables: Tables) -> None:
    # Mobile to mobile: the first segment crosses the first radio link before the last.
    first = (0.01, 0.04, "s", "bs0", "data", 140, "ftp", "data", 1, 1, "received")
    answer = (0.041, 0.044, "bs0", "s", "ack", 6, "ftp", "data", 1, 1, "received")
    both = more(tables, "air", first, answer)
    assert last_hop(both, "ftp") == "bs->m"
    assert arrivals(both, "ftp", place="s->bs0").height == 1


def test_hops_flows_or_traces_without_data_are_refused_with_a_message(tables: Tables) -> None:
    with pytest.raises(InputError, match=r"no data of `ftp` went over `bs->n`. Did you mean `bs->m`\?"):
        arrivals(tables, "ftp", place="bs->n")
    with pytest.raises(InputError, match="no data of `web` went over the air"):
        arrivals(tables, "web")
    with pytest.raises(InputError, match="trace=True"):
        arrivals({}, "ftp")
    with pytest.raises(InputError, match="modulo 1; expected 2 or more"):
        sequence_graph(tables, "ftp", modulo=1)


def test_copies_of_a_simulated_run_are_transmissions_of_the_source() -> None:
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "20 s", "wlan.cell.errors.fer": 0.1})
    run = airhop.run(scenario, scheme="tahoe", trace=True)
    found = arrivals(run.tables, "ftp")
    sent = run.tables["segments"].group_by("seq").agg(times=pl.col("time_s").sort())
    joined = found.join(sent.with_columns(pl.col("seq").cast(pl.UInt64)), on="seq")
    assert joined.height == found.height > 400
    assert joined["copy"].min() == 1 < joined["copy"].max()  # type: ignore[operator]
    # Each segment was sent before it was on the air.
    when = joined.with_columns(sent_s=pl.col("times").list.get(pl.col("copy") - 1))
    assert (when["sent_s"] < when["time_s"]).all()


def test_a_fading_link_drops_frames_in_fades_and_delivers_retransmissions() -> None:
    rare = {"radio.air.errors.ber_good": 1e-6, "radio.air.errors.ber_bad": 1e-2}
    scenario = airhop.Scenario.load("kounavis1996-fixed-mobile").with_(rare)
    run = airhop.run(scenario, scheme="tahoe", trace=True)
    (flow,) = run.tcp_flows
    found, bad = arrivals(run.tables, "ftp"), fades(run.tables, last_hop(run.tables, "ftp"))
    # Both directions fade together.
    assert bad.height == fades(run.tables).height == run.tables["fades"].height / 2 > 3
    begun = found.sort("time_s").join_asof(bad, left_on="time_s", right_on="begin_s", strategy="backward")
    in_fade = begun.with_columns(inside=pl.col("time_s") < pl.col("end_s")).filter("inside")
    # A frame of 128 bytes survives a bit error rate of 1e-2 once in 30,000 times, and fails at 1e-6 once in
    # 1,000: except at the edges of fades, exactly the frames that end in a fade are dropped.
    assert in_fade["delivered"].sum() == 0
    assert (~found["delivered"]).sum() - in_fade.height < 2 * bad.height
    # The link never gives up, and no queue is full, so all retransmissions of the source arrive.
    again = found.filter(pl.col("copy") > 1, "delivered").unique(["seq", "copy"])
    assert again.height == flow["retransmissions"] > 50


def test_ticks_of_the_sequence_axis_divide_the_modulus() -> None:
    assert ticks(90) == [0, 15, 30, 45, 60, 75, 90]
    assert ticks(128) == [0, 32, 64, 96, 128]
    assert ticks(7) == [0, 7]


# ---- print -----------------------------------------------------------------------------------------------


def drawn(tables: Tables, **options: Any) -> Any:
    with mpl.rc_context(PRINT_STYLE):
        return sequence_graph(tables, "ftp", **options)


def marks(figure: Any) -> dict[str, list[tuple[float, float]]]:
    """Return the drawn points (x, y) by name in the legend."""
    (axes,) = figure.axes
    return {
        line.get_label(): [(round(float(x), 6), float(y)) for x, y in zip(*line.get_data(), strict=True)]
        for line in axes.lines
    }


def test_the_figure_distinguishes_delivered_dropped_and_retransmitted_packets(tables: Tables) -> None:
    lost_again = more(tables, "air", (2.40, 2.45, "bs", "m", "data", 140, "ftp", "data", 401, 1, "channel"))
    again = more(lost_again, "segments", (2.35, "ftp", 401, 100, True, "fast"))
    found = marks(drawn(again, modulo=4))
    assert found["delivered"] == [(0.1, 0), (0.2, 1), (0.3, 2), (2.1, 3), (2.7, 1), (2.9, 1)]
    assert found["dropped"] == [(1.1, 3), (1.4, 3), (1.7, 3)]
    assert found["sent again by the source: delivered"] == [(2.15, 3), (2.3, 0)]
    assert found["sent again: dropped"] == [(2.45, 0)]
    assert found["timeout of the sender"][0] == pytest.approx((1.8, 1.025))


def test_axes_have_labels_and_the_time_window_can_be_selected(tables: Tables) -> None:
    (axes,) = drawn(tables).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Time (s)", "Segment number mod 90")
    assert axes.get_xlim() == pytest.approx((0.0, 2.903))  # the last row of the trace is a link ACK
    figure = drawn(tables, since=1.0, until=2.0)
    assert figure.axes[0].get_xlim() == (1.0, 2.0)
    assert marks(figure)["dropped"] == [(1.1, 3), (1.4, 3), (1.7, 3)]
    assert "delivered" not in marks(figure)
    # Texts outside of the axes are not clipped.
    assert "timeout of the sender" not in marks(drawn(tables, since=1.0, until=1.7))


def test_only_fades_of_the_drawn_hop_are_shaded(tables: Tables) -> None:
    other = more(tables, "fades", ("s->bs", 2.3, 2.5))
    (axes,) = drawn(other).axes
    (fade,) = axes.patches
    box = fade.get_extents().transformed(axes.transData.inverted())
    assert (box.x0, box.x1) == pytest.approx((1.0, 2.02))
    assert fades(tables | {"fades": tables["fades"].clear()}).is_empty()
    without = {name: table for name, table in tables.items() if name != "fades"}
    assert not drawn(without).axes[0].patches


def test_the_legend_is_above_the_axes_and_inside_the_page(tables: Tables) -> None:
    with mpl.rc_context(PRINT_STYLE):
        figure = sequence_graph(tables, "ftp")
        figure.canvas.draw()
        box, axes = figure.legends[0].get_window_extent(), figure.axes[0].get_window_extent()
    # Timeouts are drawn between the two marks.
    assert box.y0 >= axes.y1 + 0.03 * axes.height
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height


def test_marks_of_packets_differ_without_colour() -> None:
    assert len({look["marker"] for _, look in LOOKS.values()}) == len(LOOKS)
    assert len({mark.marker for mark in ARRIVALS.values()}) == len(ARRIVALS)
    # Colours of the palette, which test_plots.py checks for every vision.
    assert len({mark.color for mark in ARRIVALS.values()} & set(COLORS)) == len(ARRIVALS)


def result(tables: Tables) -> Any:
    return Mock(
        tables=tables, tcp_flows=[{"name": "ftp", "delivered_bytes": 1}], document={"duration_s": 4.0}
    )


def test_equal_traces_are_drawn_into_identical_files(tables: Tables, tmp_path: Path) -> None:
    first, again = (plots.draw_arrivals(result(tables), tmp_path / stem) for stem in ("a", "b"))
    assert [path.name for path in first] == ["a.pdf", "a.svg", "a.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    (alone,) = plots.draw_arrivals(result(tables), tmp_path / "c.svg", between=(1.0, 2.0))
    assert alone == tmp_path / "c.svg"
    with pytest.raises(InputError, match="there is no TCP flow `ftq`"):
        plots.draw_arrivals(result(tables), tmp_path / "d", flow="ftq")


@pytest.mark.parametrize("option", ["--sequence", "--round-trips"])
def test_run_draws_the_requested_figures(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "graph.svg"
    with pytest.raises(SystemExit) as end:
        main(["run", "last-hop", "--set", "duration=2 s", option, str(file)])
    assert end.value.code == 0
    assert str(file) in capsys.readouterr().err
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    with pytest.raises(SystemExit), patch("airhop.cli.run.simulate") as simulate:
        main(["run", "last-hop", option, "graph.jpg"])
    assert not simulate.called


# ---- report ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown() -> Timeline:
    return timeline(synthetic_radio.traced_run())


def test_the_page_has_each_frame_of_the_last_hop_exactly_once(shown: Timeline) -> None:
    found = {mark.group: shown.sources.get(mark.group) for mark in ARRIVALS.values()}
    counts = {group: rows.height if rows is not None else 0 for group, rows in found.items()}
    assert counts == {"arrived": 6, "arrival-lost": 3, "arrived-again": 2, "arrival-lost-again": 0}
    row = shown.sources["arrived-again"].row(0, named=True)
    assert row == {"x": pytest.approx(2.15), "y": 3, "kilobytes": 0.3, "attempt": 1, "copy": 2,
                   "cause": "received"}  # fmt: skip
    assert shown.sources["hop-fades"].rows() == [(1.0, 2.02, "bs→m")]
    assert shown.sources["hop-timeouts"]["x"].to_list() == [1.8]


def test_legends_of_the_page_count_the_drawn_marks(shown: Timeline) -> None:
    for entry in shown.legends["arrivals"]:
        assert entry.count == shown.sources[entry.group].height
    names = {renderer.name for renderer in timeline_figures()["arrivals"].renderers}
    assert {entry.group for entry in shown.legends["arrivals"]} <= names


def test_every_data_source_of_the_page_belongs_to_a_single_figure(shown: Timeline) -> None:
    # A page without this figure still needs the data sources that other figures share with it.
    columns: dict[str, set[str]] = {}
    for name, plot in timeline_figures().items():
        for source in {renderer.data_source for renderer in plot.renderers}:
            assert source.name not in columns or (name == "timer" and source.name == "window")
            columns[source.name] = set(source.data)
    for name, rows in shown.sources.items():
        assert set(rows.columns) == columns[name] - ({"y"} if name == "window" else set()), name


def test_only_runs_with_a_radio_link_as_last_hop_have_the_sequence_graph() -> None:
    assert not shows_arrivals(synthetic.traced_run())
    assert not shows_arrivals(synthetic_air.traced_run())
    radio = synthetic_radio.traced_run()
    assert shows_arrivals(radio)
    assert not shows_arrivals(replace(radio, tables=radio.tables | {"air": radio.tables["air"].clear()}))
    # A radio link on the path, followed by a cell.
    behind = more(radio.tables, "air", (3.0, 3.1, "m", "x", "data", 140, "ftp", "data", 1, 1, "received"))
    assert not shows_arrivals(replace(radio, tables=behind))


def test_marks_become_smaller_when_there_are_many() -> None:
    assert uncrowded(1.8, 100) == uncrowded(1.8, 1500) == 1.8
    assert 6000 * uncrowded(1.8, 6000) ** 2 == pytest.approx(1500 * 1.8**2)  # equal total area
