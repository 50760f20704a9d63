"""Claims, terminal, files, figures and report compare printed numbers with measured numbers."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

import synthetic
from airhop.errors import InputError
from airhop.experiments import ClaimResult, Experiment, Outcome, printed, registry
from airhop.experiments.experiment import Curve, PlottedAxis
from airhop.experiments.frame import frame
from airhop.experiments.printed import PrintedCheck, Source
from airhop.experiments.samples import Samples
from airhop.experiments.spreads import run_half_width
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
    """Return measurements at one and two hops; unnamed curves have the printed numbers."""
    found = {"reno": (10.0, 5.0), "tcp-cl": (10.0, 8.0)}
    found |= {curve.replace("_", "-"): values for curve, values in by_curve.items()}
    means = {
        float(x): {curve: values[place] for curve, values in found.items()} for place, x in enumerate((1, 2))
    }
    return synthetic.samples(means, reps=reps)


# ---- decisions -----------------------------------------------------------------------------------------


def test_a_printed_table_is_read_into_cells_by_curve_and_row() -> None:
    assert PRINTED["tcp-cl", 2] == 8.0
    with pytest.raises(ValueError, match="zip"):
        printed.columns((1, 2), reno=(10.0,))


def judged(
    low: float, mean: float, high: float, tolerance: float, upward: float | None = None
) -> PrintedCheck:
    """Compare a measurement with a printed gain of 10 %."""
    return PrintedCheck(10.0, mean, low, high, tolerance, "%", upward)


@pytest.mark.parametrize(
    ("found", "met"),
    [
        (judged(8.5, 9.0, 9.5, 2.0), True),
        (judged(11.8, 11.9, 12.1, 2.0), None),  # one end is beyond the tolerance
        (judged(6.1, 7.0, 7.9, 2.0), False),
        (judged(12.5, 13.0, 13.5, 2.0), False),  # two-sided: a larger gain is also a miss
        (judged(-7.9, -7.0, -6.1, 2.0), False),  # a loss of 7 % is no gain of 10 %
        (judged(9.0, 10.0, 11.0, 5.1), None),  # a tolerance above half of the effect decides nothing
        (judged(15.2, 16.0, 17.0, 5.1), False),  # but a miss remains decisive
        (judged(-math.inf, 10.0, math.inf, 2.0), None),  # a single replication decides nothing
        (judged(13.5, 14.0, 14.5, 2.0, upward=5.0), True),  # the tolerance above may be larger
        (judged(6.5, 7.0, 7.5, 2.0, upward=5.0), False),
        # with the larger tolerance the result decides nothing
        (judged(13.5, 14.0, 14.5, 2.0, upward=5.1), None),
        (judged(500.0, 600.0, 700.0, 2.0, upward=math.inf), None),
    ],
)
def test_a_printed_number_is_met_if_the_whole_interval_is_within_tolerance(
    found: PrintedCheck, met: bool | None
) -> None:
    assert found.met.holds is met


def test_the_tolerance_is_half_a_digit_plus_the_scatter_of_the_printed_mean() -> None:
    assert Source("any", digit=1.0).tolerance(6.0) == 6.5, "no count of runs: one run"
    assert Source("any", digit=1.0, runs=9).tolerance(6.0) == 2.5, "the mean of nine runs scatters less"
    assert Source("any", digit=1.0).needs == printed.COUNT
    assert Source("any", digit=1.0, runs=9).needs == printed.SCATTER


SOURCE = Source("test/table", digit=0.1)


@pytest.fixture
def scatter(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Set the scatter of single runs: Mbit/s of a curve, and the logarithm of a ratio."""
    spreads = {"": 0.45, "reno": 0.05}
    monkeypatch.setattr(
        "airhop.experiments.printed.run_half_width", lambda _, __, ___, other="": spreads[other]
    )
    return spreads


def numbers(samples: Samples, *curves: str) -> ClaimResult:
    return printed.numbers_met(samples, AXIS, SOURCE, PRINTED, curves, "Mbit/s")


@pytest.mark.usefixtures("scatter")
def test_missed_cells_are_named_with_their_tolerances() -> None:
    found = numbers(measured(reno=(13.0, 5.0), tcp_cl=(10.0, 6.0)), "reno", "tcp-cl")
    assert found.holds is False
    assert found.measured == (
        "met in 2 of 4; missed: reno at 1 hop 13 (printed 10 ± 0.5) Mbit/s, "
        "tcp-cl at 2 hops 6 (printed 8 ± 0.5) Mbit/s"
    )
    assert numbers(measured(), "reno", "tcp-cl").holds is True


def test_a_number_undecided_by_scatter_names_the_missing_information(scatter: dict[str, float]) -> None:
    scatter[""] = 2.6  # more than half of the 5 Mbit/s at two hops, less than half of the 10 at one
    found = numbers(measured(), "reno")
    assert (found.holds, found.needs) == (None, printed.COUNT)
    assert found.measured.startswith("met in 1 of 2; undecided: reno at 2 hops")


@pytest.mark.usefixtures("scatter")
def test_gains_are_checked_in_percentage_points() -> None:
    # If both columns are 40 % too low, the gain equals the printed gain, but the numbers do not.
    samples = measured(reno=(6.0, 3.0), tcp_cl=(6.0, 4.8))
    gain = printed.column_gains_met(samples, AXIS, SOURCE, PRINTED, "tcp-cl", "reno", [2.0])
    assert gain.holds is True, "a gain of 60 %, printed and measured"
    assert numbers(samples, "tcp-cl").holds is False
    short = measured(reno=(6.0, 3.0), tcp_cl=(6.0, 4.0))
    assert printed.column_gains_met(short, AXIS, SOURCE, PRINTED, "tcp-cl", "reno", [2.0]).holds is False


def test_the_tolerance_of_a_gain_comes_from_both_columns_or_their_ratio(
    scatter: dict[str, float],
) -> None:
    def found(
        samples: Samples, of: Callable[..., dict[str, PrintedCheck]] = printed.gains_of
    ) -> PrintedCheck:
        (one,) = of(samples, AXIS, SOURCE, PRINTED, "tcp-cl", "reno", [2.0]).values()
        return one

    def gain(ratio: float) -> float:
        return 100 * (ratio - 1)

    # Of pairs of runs: e^0.05 beyond the rounding of 8.0 and 5.0.
    rounded = (gain(7.95 / 5.05 / math.exp(0.05)), gain(8.05 / 4.95 * math.exp(0.05)))
    assert found(measured(), printed.paired_gains_of).allowed == pytest.approx(rounded)
    # Of columns: 8 ± 0.5 over 5 ± 0.5 Mbit/s, from 7.5 / 5.5 to 8.5 / 4.5.
    judged = found(measured())
    assert judged.printed == pytest.approx(60.0)
    assert judged.allowed == pytest.approx((gain(7.5 / 5.5), gain(8.5 / 4.5)))
    assert str(judged) == "60 (printed 60 [36.4 to 88.9]) %"
    # If Reno's goodput decreases, the gain increases, but its tolerance does not.
    near_zero = measured(reno=(10.0, 0.1))
    assert found(near_zero).allowed == judged.allowed
    assert found(near_zero).met.holds is False
    scatter[""] = 5.0  # a tolerance as large as Reno's number: no gain is too large
    assert found(near_zero).met.holds is None
    assert str(found(measured())) == "60 (printed 60 [at least −70.6]) %"


def test_the_tolerance_of_a_printed_gain_is_multiplicative(scatter: dict[str, float]) -> None:
    # Koo 2007 prints 118 %: a ratio of 2.18 and half a point, here with the scatter of four runs.
    scatter["reno"] = 0.2
    ratio = measured().ratio("tcp-cl", "reno", 2.0)
    judged = printed.gained(Source("any", digit=1.0, runs=4), ratio, 118.0, "tcp-cl", "reno", 2.0)
    least, most = judged.allowed
    assert least == pytest.approx(100 * (2.18 * math.exp(-0.1) - 1) - 0.5)
    assert most == pytest.approx(100 * (2.18 * math.exp(0.1) - 1) + 0.5)


@pytest.mark.usefixtures("scatter")
def test_only_values_both_measured_and_printed_are_compared() -> None:
    samples = measured()
    samples.cells = {cell: values for cell, values in samples.cells.items() if cell[1] == 2.0}
    found = printed.means(samples, AXIS, SOURCE, PRINTED, ("reno", "veno"), "Mbit/s")
    assert list(found) == ["reno at 2 hops"]


def test_the_mean_error_is_the_mean_of_absolute_errors() -> None:
    # +10 % and -10 % are a mean error of 10 %, not of zero.
    off = {
        "a": PrintedCheck(10.0, 11.0, 10.7, 11.3, 1.0, ""),
        "b": PrintedCheck(10.0, 9.0, 8.6, 9.4, 1.0, ""),
    }
    error, half = printed.mean_error(off)
    assert error == pytest.approx(0.1)
    assert half == pytest.approx((0.03**2 + 0.04**2) ** 0.5 / 2)


@pytest.mark.usefixtures("scatter")
def test_a_column_is_met_if_its_mean_error_is_within_tolerance() -> None:
    def column(*reno: float) -> bool | None:
        samples = measured(reno=(reno[0], reno[1]))
        return printed.mean_error_met(samples, AXIS, SOURCE, PRINTED, ("reno",), "Mbit/s").holds

    # The tolerances 0.5 of 10 and 0.5 of 5 have a mean of 7.5 %.
    assert column(10.6, 5.0) is True, "other cells may compensate a deviating cell"
    assert column(11.0, 5.5) is False


@pytest.mark.usefixtures("scatter")
def test_a_single_replication_meets_and_misses_no_printed_number() -> None:
    samples = measured(reps=1)
    assert printed.mean_error_met(samples, AXIS, SOURCE, PRINTED, ("reno",), "Mbit/s").holds is None
    assert numbers(samples, "reno").holds is None


def test_every_printed_number_has_a_scatter() -> None:
    """The file has a row for each number of a printed table, from the paper's number of runs."""
    for experiment in registry().values():
        if isinstance(experiment, Experiment) and experiment.id.startswith("cheng2008/table"):
            for curve, x in experiment.published or {}:
                assert run_half_width(experiment.id, curve, x) > 0.0
        if isinstance(experiment, Experiment) and experiment.id.startswith("koo2007/fig2"):
            for x, other in product(experiment.axis.full, ("westwood-nr", "reno")):
                assert run_half_width(experiment.id, "westwood-vt", x, other) > 0.0
    with pytest.raises(InputError, match=r"has no row any, reno, 1: run tools/spreads\.py"):
        run_half_width("any", "reno", 1.0)


def test_numbers_of_hops_are_reported_with_singular_or_plural() -> None:
    assert [AXIS.text(x) for x in AXIS.full] == ["1 hop", "2 hops"]


# ---- output --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """Make Figure 6 with two schemes, as if the paper printed numbers at 1 and 3 %."""
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


def test_the_terminal_table_has_printed_number_error_and_ratio(outcome: Outcome) -> None:
    stream = io.StringIO()
    print_outcome(outcome, Console(width=80, file=stream))
    lines = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    # The measured 0.6 is 25 % below the printed 0.80, and 3.0 is 6 % below 3.20; the paper prints a ratio of
    # 4.
    (line,) = [line for line in lines if line.startswith("1 %") and "0.80" in line]
    assert "0.80 −25%" in line and line.endswith("3.20 −6% 4.00×")
    assert any("printed: number, difference of ours, ratio" in line for line in lines)
    assert max(map(len, stream.getvalue().splitlines())) <= 80


def test_a_table_without_printed_numbers_has_no_column_for_them() -> None:
    stream = io.StringIO()
    print_outcome(synthetic.four_schemes(FIG6), Console(width=80, file=stream))
    assert "printed" not in stream.getvalue()


def test_the_document_has_the_measured_and_the_published_ratio(outcome: Outcome) -> None:
    document = outcome.to_dict()
    found = row(document, "ll-elsn", 0.01)
    assert found["published"] == 3.2
    assert found["published_ratio"] == pytest.approx(4.0)
    assert found["ratio"] == pytest.approx(5.0, rel=0.01)
    assert row(document, "reno", 0.01)["published_ratio"] is None  # the baseline itself
    assert row(document, "ll-elsn", 1e-3)["published_ratio"] is None  # the paper prints no number there


def test_rows_csv_has_the_printed_values(outcome: Outcome, tmp_path: Path) -> None:
    write_rows(outcome, tmp_path / "rows.csv")
    table = pl.read_csv(tmp_path / "rows.csv").filter(pl.col("fer") == 0.03)
    assert table["published"].to_list() == [0.4, 4.0]
    assert table["off_published"].to_list() == pytest.approx([0.5, -0.25], abs=0.01)
    assert table["published_ratio_to_reno"].to_list() == [None, 10.0]


def test_the_figure_marks_printed_values_inside_its_frame(outcome: Outcome) -> None:
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


def test_the_reports_table_has_the_printed_value_beside_the_measured_value(
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
    assert ("–", "–", "–") in cells()  # the paper prints no number at 0.1 %
    # The printed numbers are goodputs, which cannot be compared with another metric.
    page.locator(f"#{chapter.id} select").first.select_option(index=1)
    assert set(cells()) == {("–", "–", "–")}
    assert tab.errors == []
