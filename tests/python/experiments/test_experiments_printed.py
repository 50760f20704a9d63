"""Printed numbers beside measured ones: in claims, in the terminal, in files, figures and the report."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

import synthetic
from airhop.experiments import Outcome, printed
from airhop.experiments.claims import Cell
from airhop.experiments.experiment import Curve, PlottedAxis
from airhop.experiments.frame import frame
from airhop.experiments.printed import Off
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.report import chapter_of_outcome, write_report
from airhop.report.data import chapter_data
from airhop.reproduction import print_outcome
from airhop.reproduction.chart import goodput_figure
from airhop.reproduction.rows import write_rows
from browser import Tab

AXIS = PlottedAxis("hops", "hops", ("a.b",), "Hops", full=(1, 2), coarse=(1, 2), counts="hop")
PRINTED = printed.columns((1, 2), reno=(10.0, 5.0), tcp_cl=(10.0, 8.0))


def measured(reps: int = 5, **by_curve: tuple[float, float]) -> Samples:
    """Make up measurements at one and two hops; curves that are not named measure what is printed."""
    found = {"reno": (10.0, 5.0), "tcp-cl": (10.0, 8.0)}
    found |= {curve.replace("_", "-"): values for curve, values in by_curve.items()}
    means = {
        float(x): {curve: values[place] for curve, values in found.items()} for place, x in enumerate((1, 2))
    }
    return synthetic.samples(means, reps=reps)


# ---- decisions -----------------------------------------------------------------------------------------


def test_a_printed_table_becomes_cells() -> None:
    assert PRINTED["tcp-cl", 2] == 8.0
    with pytest.raises(ValueError, match="zip"):
        printed.columns((1, 2), reno=(10.0,))


@pytest.mark.parametrize(
    ("off", "decision"),
    [
        (Off.of(9.0, 8.5, 9.5, 10.0), True),
        (Off.of(11.9, 11.8, 12.1, 10.0), None),  # one end is beyond 20 %
        (Off.of(7.0, 6.1, 7.9, 10.0), False),
        (Off.of(13.0, 12.5, 13.5, 10.0), False),
        (Off.of(10.0, None, None, 10.0), None),  # a single replication decides nothing
    ],
)
def test_a_number_is_met_when_the_whole_interval_is_near_it(off: Off, decision: bool | None) -> None:
    assert off.meets(0.2) is decision


def test_cells_that_are_off_are_named_with_how_far() -> None:
    samples = measured(reno=(13.0, 5.0), tcp_cl=(10.0, 6.0))
    found = printed.all_met(AXIS, printed.means(samples, PRINTED, ("reno", "tcp-cl")), 0.2)
    assert found.holds is False
    assert found.measured == "within 20 % in 2 of 4 cells; off: reno at 1 hop +30 %, tcp-cl at 2 hops −25 %"
    assert printed.all_met(AXIS, printed.means(measured(), PRINTED, ("reno", "tcp-cl")), 0.2).holds is True


def test_ratios_are_compared_with_the_printed_ratio() -> None:
    # Both are 40 % too low: the ratio is as printed, the numbers are not.
    samples = measured(reno=(6.0, 3.0), tcp_cl=(6.0, 4.8))
    assert printed.all_met(AXIS, printed.ratios(samples, PRINTED, ("tcp-cl",), "reno"), 0.05).holds is True
    assert printed.all_met(AXIS, printed.means(samples, PRINTED, ("tcp-cl",)), 0.2).holds is False


def test_only_what_is_measured_and_printed_is_compared() -> None:
    samples = measured()
    samples.cells = {cell: values for cell, values in samples.cells.items() if cell[1] == 2.0}
    assert list(printed.means(samples, PRINTED, ("reno", "veno"))) == [("reno", 2.0)]


def test_the_mean_error_is_that_of_absolute_errors() -> None:
    # +10 % and -10 % are an error of 10 %, not of nothing.
    off: dict[Cell, Off] = {("reno", 1.0): Off(0.1, 0.07, 0.13), ("reno", 2.0): Off(-0.1, -0.14, -0.06)}
    error, half = printed.mean_error(off)
    assert error == pytest.approx(0.1)
    assert half == pytest.approx((0.03**2 + 0.04**2) ** 0.5 / 2)
    assert printed.mean_error_below(AXIS, off, 0.15).holds is True
    assert printed.mean_error_below(AXIS, off, 0.05).holds is False
    assert printed.mean_error_below(AXIS, off, 0.11).holds is None


def test_a_single_replication_decides_nothing() -> None:
    off = printed.means(measured(reps=1), PRINTED, ("reno",))
    assert printed.mean_error_below(AXIS, off, 0.08).holds is None
    assert printed.all_met(AXIS, off, 0.2).holds is None


def test_counts_are_told_with_what_they_count() -> None:
    assert [AXIS.text(x) for x in AXIS.full] == ["1 hop", "2 hops"]


# ---- where they are shown --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """Make up Figure 6 with two schemes, as if the paper printed numbers at 1 and 3 %."""
    few = replace(
        FIG6,
        curves=Curve.of_schemes({"reno": "Reno", "ll-elsn": "LL-ELSN"}),
        claims=(),
        panels=(),
        questions=(),
        headline=lambda _: "Found.",
        published={
            ("reno", 0.01): 0.8,
            ("ll-elsn", 0.01): 3.2,
            ("reno", 0.03): 0.4,
            ("ll-elsn", 0.03): 4.0,
        },
    )
    means = {x: {"reno": 0.6, "ll-elsn": 3.0} for x in (1e-3, 1e-2, 3e-2)}
    return synthetic.outcome(few, synthetic.samples(means))


def row(document: dict[str, Any], scheme: str, fer: float) -> dict[str, Any]:
    found: list[dict[str, Any]] = [
        row for row in document["rows"] if (row["scheme"], row["x"]["fer"]) == (scheme, fer)
    ]
    return found[0]


def test_the_terminal_has_number_error_and_ratio(outcome: Outcome) -> None:
    stream = io.StringIO()
    print_outcome(outcome, Console(width=80, file=stream))
    lines = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    # 0.6 is a quarter below 0.8; 3.0 is 6 % below 3.2, and 4 times the baseline are printed.
    (line,) = [line for line in lines if line.startswith("1 %") and "0.80" in line]
    assert "0.80 −25%" in line and line.endswith("3.20 −6% 4.00×")
    assert any("printed: number, what ours is off it, its ratio" in line for line in lines)
    assert max(map(len, stream.getvalue().splitlines())) <= 80


def test_a_table_without_printed_numbers_has_no_column_for_them() -> None:
    stream = io.StringIO()
    print_outcome(synthetic.four_schemes(FIG6), Console(width=80, file=stream))
    assert "printed" not in stream.getvalue()


def test_the_document_has_both_ratios(outcome: Outcome) -> None:
    document = outcome.to_dict()
    found = row(document, "ll-elsn", 0.01)
    assert found["published"] == 3.2
    assert found["published_ratio"] == pytest.approx(4.0)
    assert found["ratio"] == pytest.approx(5.0, rel=0.01)
    assert row(document, "reno", 0.01)["published_ratio"] is None  # the baseline itself
    assert row(document, "ll-elsn", 1e-3)["published_ratio"] is None  # nothing is printed there


def test_rows_csv_has_what_is_printed(outcome: Outcome, tmp_path: Path) -> None:
    write_rows(outcome, tmp_path / "rows.csv")
    table = pl.read_csv(tmp_path / "rows.csv").filter(pl.col("fer") == 0.03)
    assert table["published"].to_list() == [0.4, 4.0]
    assert table["off_published"].to_list() == pytest.approx([0.5, -0.25], abs=0.01)
    assert table["published_ratio_to_reno"].to_list() == [None, 10.0]


def test_the_figure_marks_what_is_printed_inside_its_frame(outcome: Outcome) -> None:
    axes = goodput_figure(outcome).axes[0]
    marks = {tuple(line.get_ydata()) for line in axes.get_lines() if line.get_marker() == "x"}  # type: ignore[arg-type]
    assert marks == {(0.8, 0.4), (3.2, 4.0)}
    assert axes.get_legend_handles_labels()[1].count("printed") == 1
    assert frame(outcome).y_ticks[-1] >= 4.0


def test_the_report_has_the_printed_ratio(outcome: Outcome) -> None:
    data = chapter_data(chapter_of_outcome(outcome, trace=False))
    by_point = dict(
        zip(
            zip(data["points"]["scheme"], data["points"]["places"][0], strict=True),
            data["publishedRatio"],
            strict=True,
        )
    )
    # Schemes and places count from 0: LL-ELSN is 1, and 1 % is the second FER.
    assert by_point[1, 1] == pytest.approx(4.0)
    assert by_point[0, 1] is None and by_point[1, 0] is None


def test_the_reports_table_has_it_beside_the_measured_numbers(
    tab: Tab, outcome: Outcome, tmp_path: Path
) -> None:
    chapter = chapter_of_outcome(outcome, trace=False)
    page, table = tab.page, f"#{chapter.id}-points"
    page.goto(write_report([chapter], tmp_path / "report.html").as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator(table).locator("xpath=..").locator("summary").click()
    page.wait_for_selector(f"{table} .list-row[data-row='0']")

    def cells() -> list[tuple[str, ...]]:
        rows = page.locator(f"{table} .list-body .list-row").all()
        return [tuple(row.locator("> *").all_inner_texts()[-3:]) for row in rows]

    heads = page.locator(f"{table} [role=columnheader]").all_inner_texts()
    assert [head.strip() for head in heads[-3:]] == ["printed", "off printed", "printed ratio"]
    assert ("3.200", "−6.3 %", "4.00 ×") in cells()
    assert ("0.400", "+50.0 %", "–") in cells()  # the baseline has no ratio to itself
    assert ("–", "–", "–") in cells()  # nothing is printed at 0.1 %
    # The paper printed goodputs: beside another metric they would mean nothing.
    page.locator(f"#{chapter.id} select").first.select_option(index=1)
    assert set(cells()) == {("–", "–", "–")}
    assert tab.errors == []
