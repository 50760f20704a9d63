"""Figures of single runs in addition to an experiment's means, and metrics that some curves lack."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from rich.console import Console

import airhop
import synthetic
from airhop.errors import InputError
from airhop.experiments import Metric, Outcome
from airhop.experiments.experiment import Picture
from airhop.experiments.outcome import rows
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.reproduction import print_outcome
from airhop.reproduction.pictures import draw_pictures
from airhop.reproduction.rows import write_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airhop.results import Result

TIMEOUTS = Metric("timeouts", "Timeouts", "", (0.0, 20.0, 40.0), digits=1, printed=False)


def drawn(seen: list[Result]) -> Picture:
    """Return a picture that appends the drawn result to `seen`."""

    def draw(result: Result) -> Figure:
        from airhop.plots.paper import page

        seen.append(result)
        return page()[0]

    return Picture("sequence", "sack", 1e-2, draw, rep=2)


def test_a_picture_is_drawn_from_the_run_of_its_curve_and_replication(tmp_path: Path) -> None:
    seen: list[Result] = []
    twice = (drawn(seen), replace(drawn(seen), name="again"))
    short = replace(FIG6, settings={**FIG6.settings, "duration": "1 s"}, pictures=twice)
    paths = draw_pictures(synthetic.outcome(short), tmp_path)
    assert [path.name for path in paths] == [
        f"{name}.{kind}" for name in ("sequence", "again") for kind in ("pdf", "svg", "png")
    ]
    assert all(path.is_file() for path in paths)
    assert seen[0] is seen[1]  # both pictures show the same run
    assert (seen[0].document["rep"], seen[0].document["seed"]) == (2, 1)
    assert seen[0].tcp_flows[0]["scheme"] == "sack"
    point = next(p for p in short.study("full").points() if p.scheme == "sack" and 1e-2 in p.values.values())
    assert seen[0].fingerprint == airhop.run(point.scenario, rep=2).fingerprint
    assert not seen[0].tables["segments"].is_empty()


@pytest.mark.parametrize(("curve", "x"), [("sock", 1e-2), ("sack", 3e-3)])
def test_a_picture_of_a_point_that_some_mode_does_not_run_is_refused(curve: str, x: float) -> None:
    with pytest.raises(InputError, match=f"picture of `{curve}` at .* a cell that not every mode runs"):
        replace(FIG6, pictures=(replace(drawn([]), curve=curve, x=x),))


# ---- metrics that not every curve has --------------------------------------------------------------------


def partly() -> Outcome:
    """Return an outcome in which one curve has no values of a metric, and another curve lacks a value."""
    outcome = synthetic.four_schemes(replace(FIG6, also=(TIMEOUTS,)))
    measured = synthetic.samples()
    measured.cells |= {("sack", x): {} for x in measured.xs} | {("snoop", 1e-2): {}}
    outcome.experiment = replace(outcome.experiment, also=(TIMEOUTS,))
    outcome.also = {TIMEOUTS.name: rows(outcome.experiment, TIMEOUTS, measured)}
    return outcome


def test_a_cell_without_any_value_of_the_metric_has_no_row() -> None:
    found = {(row.scheme, row.x) for row in partly().also[TIMEOUTS.name]}
    assert not {scheme for scheme, _ in found} & {"sack"}
    assert ("snoop", 1e-2) not in found
    assert ("snoop", 1e-3) in found


def test_without_values_of_the_baseline_rows_have_no_ratio_or_difference() -> None:
    measured = synthetic.samples()
    measured.cells |= {(FIG6.baseline, x): {} for x in measured.xs}
    found = rows(FIG6, TIMEOUTS, measured)
    assert {(row.ratio, row.difference) for row in found} == {(None, None)}


def test_a_curve_without_the_metric_has_no_column_and_an_empty_cell_a_dash() -> None:
    text = StringIO()
    print_outcome(partly(), Console(file=text, width=96, color_system=None))
    lines = text.getvalue().splitlines()
    (end,) = (place for place, line in enumerate(lines) if line.startswith("Timeouts:"))
    (head,) = (line for line in lines[end - 8 : end] if "Snoop" in line)
    assert "SACK" not in head
    (row,) = (line for line in lines[end - 8 : end] if line.lstrip().startswith("1 %"))
    assert len(re.findall("–", row)) == 1


def test_rows_csv_has_nulls_for_missing_values(tmp_path: Path) -> None:
    write_rows(partly(), tmp_path / "rows.csv")
    table = pl.read_csv(tmp_path / "rows.csv")
    assert table.filter(pl.col("scheme") == "sack")["timeouts_mean"].null_count() == 5
    assert table.filter(pl.col("scheme") == "snoop")["timeouts_mean"].null_count() == 1
    assert table.filter(pl.col("scheme") == "sack")[f"{FIG6.metric.name}_mean"].null_count() == 0
