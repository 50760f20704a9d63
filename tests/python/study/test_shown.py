"""Results in notebooks: summaries, figures, frames of cells, and frames of pandas."""

from __future__ import annotations

import json
import sys
from functools import cache
from html.parser import HTMLParser
from typing import Any

import matplotlib as mpl
import polars as pl
import pytest
from matplotlib.figure import Figure

import airhop
from airhop import Comparison, InputError, Result, Table
from airhop.display import MOST_ROWS, Summary
from airhop.display.summary import MOST_CHARACTERS
from airhop.plots.paper import PRINT_STYLE

FER = "wlan.cell.errors.fer"
SCENARIO = airhop.Scenario.load("last-hop").with_({"duration": "2 s"})


@cache
def table() -> Table:
    return airhop.sweep(SCENARIO, {"scheme": ["reno", "ll-elsn"], FER: [0.001, 0.01, 0.1]}, reps=3)


@cache
def comparison() -> Comparison:
    return airhop.compare(SCENARIO, ["reno", "ll-elsn"], vary={"wlan.cell.attempts": [1, 7]}, reps=3)


@cache
def traced() -> Result:
    return airhop.run(SCENARIO, scheme="reno", trace=True)


class Cells(HTMLParser):
    """Texts of the cells of a table."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and "/table" not in self.tags:
            self.rows[-1][-1] += data


# ---- summaries ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", [table, comparison, traced])
def test_text_and_html_have_the_same_cells_on_one_screen(shown: Any) -> None:
    result = shown()
    lines = repr(result).splitlines()
    rows = Cells(result._repr_html_()).rows
    assert len(rows) >= 2
    assert max(map(len, lines)) <= 2 * MOST_CHARACTERS  # of a title or a sentence
    text = [[cell.strip() for cell in line.split("   ") if cell.strip()] for line in lines]
    heads = next(line for line in text if line[:1] == rows[0][:1])
    shown_columns = len(heads)
    assert shown_columns >= 4  # further columns may be omitted from the text
    assert all(row[:shown_columns] in text for row in rows[1:])


def test_a_table_shows_points_of_one_setting_together() -> None:
    title, _, *rows = repr(table()).splitlines()
    assert title == "last-hop: 6 points, 3 replications, seed 1; 1 hint, see .hints"
    names = [row.split()[:2] for row in rows]
    assert names == [[fer, scheme] for fer in ("0.001", "0.01", "0.1") for scheme in ("reno", "ll-elsn")]


def test_a_comparison_shows_its_verdict_unless_it_has_one_replication() -> None:
    assert comparison().verdict.headline in repr(comparison())
    alone = airhop.compare(SCENARIO, ["reno", "ll-elsn"], reps=1)
    assert alone.verdict.headline not in repr(alone)


def test_rows_and_columns_beyond_one_screen_are_counted_or_omitted() -> None:
    many = airhop.sweep(SCENARIO.with_({"duration": "100 ms"}), {"wlan.cell.attempts": range(1, 21)}, reps=1)
    lines = repr(many).splitlines()
    assert len(lines) == 2 + MOST_ROWS + 1
    assert lines[-1] == f"… and {20 - MOST_ROWS} more points: .cells_frame()"
    wide = Summary("title", ["a"] * 60, [["x" * 4] * 60]).text()
    assert max(map(len, wide.splitlines())) <= MOST_CHARACTERS


def test_names_are_escaped_in_html() -> None:
    html = Summary("<b>", ["a & b"], [["<script>"]], notes=["1 < 2"]).html()
    assert "script" not in Cells(html).tags
    assert Cells(html).rows == [["a & b"], ["<script>"]]


# ---- cells and pandas --------------------------------------------------------------------------------------


def test_a_frame_of_cells_equals_the_cells_of_the_table() -> None:
    frame = table().cells_frame("flow.ftp.rtt_p50_ms", "timeouts + 1")
    assert frame.columns[:3] == ["scheme", FER, "n"]
    for metric in ("goodput_mbps", "delay_p95_ms", "judged_right", "flow.ftp.rtt_p50_ms", "timeouts + 1"):
        for row, cell in zip(frame.iter_rows(named=True), table().cells(metric), strict=True):
            assert (row["scheme"], row[FER], row["n"]) == (cell.point.scheme, cell.point.values[FER], cell.n)
            assert row[metric] == pytest.approx(cell.value.mean, rel=1e-12)
            ends = cell.value.ends
            assert ends is not None
            high = min(ends.high, 1.0) if metric == "judged_right" else ends.high
            assert (row[f"{metric}_low"], row[f"{metric}_high"]) == pytest.approx((ends.low, high), rel=1e-9)
            if metric == "goodput_mbps" and cell.ratio is not None and cell.difference is not None:
                assert [row[f"goodput_ratio{end}"] for end in ("", "_low", "_high")] == [
                    cell.ratio.value,
                    cell.ratio.low,
                    cell.ratio.high,
                ]
                half = cell.difference.half_width
                assert half is not None
                assert row["goodput_difference_mbps_low"] == cell.difference.mean - half


def test_without_replications_or_scatter_bounds_are_missing_or_equal_to_the_mean() -> None:
    quiet = SCENARIO.with_({"duration": "200 ms", FER: 0.0})
    for reps, bound in ((1, None), (2, "same")):
        frame = airhop.sweep(quiet, {"scheme": ["reno"]}, reps=reps).cells_frame()
        assert "goodput_ratio" not in frame.columns  # there is no baseline
        (row,) = frame.select("duplicates", "duplicates_low", "duplicates_high").iter_rows()
        assert row[1:] == ((None, None) if bound is None else (row[0], row[0]))


def test_a_frame_of_arms_equals_the_rows_of_the_comparison() -> None:
    frame = comparison().cells_frame()
    assert frame.columns[:4] == ["scheme", "wlan.cell.attempts", "n", "goodput_ratio"]
    assert frame["goodput_ratio"].to_list() == [row.goodput_ratio.value for row in comparison().rows()]
    ends = [value.ends for row in comparison().rows() if (value := row.metrics["delay_p95_ms"])]
    assert frame["delay_p95_ms_high"].to_list() == [end.high for end in ends if end]


def test_frames_of_pandas_have_the_values_of_the_frames() -> None:
    for result, frame in (
        (table(), table().frame()),
        (comparison(), comparison().frame()),
        (traced(), traced().flows),
    ):
        converted = result.to_pandas()
        assert list(converted.columns) == frame.columns
        assert converted["goodput_mbps"].to_list() == frame["goodput_mbps"].to_list()
        assert (converted["scheme"].str.len() > 0).all()


def test_without_pandas_a_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"pip install 'airhop\[pandas\]'"):
        table().to_pandas()


def test_text_columns_of_all_frames_are_text() -> None:
    frames = {
        **traced().tables,
        "flows": traced().flows,
        "queues": traced().queues,
        "frame": table().frame(),
        "cells": table().cells_frame(),
        "compared": comparison().frame(),
    }
    for name, frame in frames.items():
        kinds = {kind for kind in frame.dtypes if not (kind.is_numeric() or kind in (pl.Boolean, pl.Null))}
        assert kinds <= {pl.String}, name


# ---- figures -----------------------------------------------------------------------------------------------


def test_a_plot_is_a_figure_that_a_notebook_shows_as_png() -> None:
    drawn = (
        table().plot(),
        table().plot("rtt_p50_ms", kind="distribution"),
        comparison().plot("delay_p95_ms"),
        traced().plot(),
        traced().plot("sequence", between=(0.0, 1.0)),
        traced().plot("queue"),
    )
    for figure in drawn:
        assert isinstance(figure, Figure)
        assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_a_plot_keeps_the_style_of_print_after_its_creation() -> None:
    figure = table().plot()
    assert mpl.rcParams["xtick.direction"] != PRINT_STYLE["xtick.direction"] == "in"
    figure.canvas.draw()
    ticks = figure.axes[0].xaxis.get_major_ticks()
    assert {tick._tickdir for tick in ticks} == {"in"}  # type: ignore[attr-defined]


def test_a_plot_on_own_axes_has_the_values_of_the_cells_and_their_setting() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert table().plot(ax=left, labels={"reno": "Reno"}) is figure
    assert comparison().plot(ax=right) is figure
    curve = next(bars for bars in left.containers if bars.get_label() == "Reno")
    cells = [cell for cell in table().cells() if cell.point.scheme == "reno"]
    assert list(curve[0].get_ydata()) == [cell.value.mean for cell in cells]
    assert left.get_title(loc="left") == "each frame sent once (attempts = 1)"
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["Reno", "ll-elsn"]
    names = [label.get_text() for label in right.get_yticklabels()]
    assert names == comparison().schemes
    means = [bars[0].get_xdata()[0] for bars in right.containers]
    assert means == [row.goodput.mean for row in comparison().rows()]


def test_figures_without_data_are_refused() -> None:
    with pytest.raises(InputError, match="Did you mean `goodput_mbps`"):
        comparison().plot("goodput_mbits")
    with pytest.raises(InputError, match="run it with trace=True"):
        airhop.run(SCENARIO).plot()
    with pytest.raises(InputError, match='kind: expected "window" or "sequence" or "queue"'):
        traced().plot("windows")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="flow: the figure of queues"):
        traced().plot("queue", flow="ftp")
    with pytest.raises(InputError, match="along: a distribution is of one setting"):
        table().plot(kind="distribution", along=FER)
    with pytest.raises(InputError, match="ax: expected an object with errorbar"):
        table().plot(ax=3)  # type: ignore[arg-type]


def test_results_of_earlier_versions_are_shown() -> None:
    flow = {"name": "a", "scheme": "reno", "transport": "tcp", "goodput_mbps": 1.0}
    document = {"scenario": "old", "seed": 1, "rep": 0, "duration_s": 2.0, "flows": [flow], "drops": {}}
    assert repr(Result(json.dumps(document))).splitlines()[0] == "old: 2 s, seed 1, replication 0"
