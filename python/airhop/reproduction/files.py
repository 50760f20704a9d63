"""The files of an outcome: its report, its figures for print, its rows and its document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.experiments.calculation import DOCUMENT, Calculated
from airhop.experiments.outcome import Outcome
from airhop.reproduction.rows import write_rows, write_values

if TYPE_CHECKING:
    from airhop.experiments.reproduced import Reproduced

ROWS, REPORT = "rows.csv", "report.html"


def write_outcome(outcome: Reproduced, folder: Path) -> list[Path]:
    """Write rows, verdicts, the printed figures and the report into a folder.

    Returns the files, the report first.
    """
    if isinstance(outcome, Calculated):
        return _write_calculated(outcome, folder)
    assert isinstance(outcome, Outcome)
    return _write_experiment(outcome, folder)


def _write_experiment(outcome: Outcome, folder: Path) -> list[Path]:
    from airhop.plots.confusion import draw_confusion
    from airhop.report import chapter_of_outcome, write_report
    from airhop.reproduction.chart import draw
    from airhop.reproduction.pictures import draw_pictures

    figures = draw(outcome, folder / "figure")
    figures += draw_pictures(outcome, folder)
    figures += draw_confusion(outcome.table, folder / "confusion", labels=outcome.experiment.labels)
    write_rows(outcome, folder / ROWS)
    document = _write_document(outcome.to_dict(), folder)
    report = write_report([chapter_of_outcome(outcome)], folder / REPORT)
    return [report, *figures, folder / ROWS, document]


def _write_calculated(outcome: Calculated, folder: Path) -> list[Path]:
    from airhop.report import page_of_calculation, write_report

    figures = _draw(outcome, folder / "figure")
    write_values(outcome, folder / ROWS)
    document = _write_document(outcome.to_dict() | {"mode": outcome.mode, "seed": outcome.seed}, folder)
    report = write_report([page_of_calculation(outcome)], folder / REPORT)
    return [report, *figures, folder / ROWS, document]


def _draw(outcome: Calculated, stem: Path) -> list[Path]:
    """Write `stem.pdf`, `stem.svg` and `stem.png` and say where they are."""
    import matplotlib as mpl

    from airhop.plots.paper import PRINT_STYLE, write

    with mpl.rc_context(PRINT_STYLE):
        return write(outcome.experiment.figure(outcome.values), stem, outcome.experiment.title)


def _write_document(facts: dict[str, Any], folder: Path) -> Path:
    path = folder / DOCUMENT
    path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return path
