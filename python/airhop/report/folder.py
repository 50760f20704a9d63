"""Report of a folder: every study and experiment in it, and their figures for print."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from airhop.errors import InputError, did_you_mean
from airhop.experiments import Calculated, Outcome, outcomes_in, registry
from airhop.experiments.calculation import DOCUMENT, calculated_in
from airhop.files import filling, why
from airhop.hints import some
from airhop.progress import SILENT, Reporter
from airhop.report.calculated import CalculationChapter, calculation_page
from airhop.report.chapter import Chapter, chapter_of_outcome
from airhop.report.page import write_report
from airhop.study import Table
from airhop.study.manifest import CELLS, manifest_path, study_folder, write_cells

REPORT = "report.html"


def report_folder(
    folder: str | Path,
    out: str | Path | None = None,
    reporter: Reporter = SILENT,
    *,
    flow: str | None = None,
) -> list[Path]:
    """Write the report of all studies and experiments in a folder, and the figures and cells of each study.

    The report is `out`, by default FOLDER/report.html. For the study NAME, FOLDER/NAME contains the figures
    for print, and `Table.cells_frame` as cells.csv. Time-lines show the packets of the TCP flow `flow`, by
    default of the first flow of each run. Returns the files, the report first. Raises InputError if the
    folder has no study, or if no run has the flow.
    """
    from airhop.plots import draw_study

    folder = Path(folder)
    chapters = chapters_in(folder, reporter)
    if not chapters:
        raise InputError(
            f"there is no study in {folder}; `airhop sweep STUDY.toml --out {folder}` or "
            f"`airhop reproduce EXPERIMENT --out {folder}` makes one"
        )
    if flow is not None:
        chapters = _with_flow(chapters, flow)
    path = Path(out) if out is not None else folder / REPORT
    files = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.append(write_report(chapters, path))
    except OSError as error:
        raise InputError(f"cannot write {path}: {why(error)}") from None
    own = [chapter for chapter in chapters if isinstance(chapter, Chapter) and chapter.paper is None]
    drawn = [chapter for chapter in own if chapter.frame.height]
    with reporter.task("figures for print", len(drawn)) as task:
        for chapter in drawn:
            own_folder = study_folder(folder, chapter.name)
            try:
                with filling(own_folder) as hidden:
                    written = [*draw_study(chapter.table, hidden), write_cells(chapter.table, hidden)]
                files += [own_folder / file.name for file in written]
            except InputError as error:
                if out is None:
                    raise
                reporter.say(
                    f"no figures for print and no {CELLS}: {error}"
                )  # a folder without write permission raises an error
            task.advance()
    return files


def _with_flow(chapters: list[Chapter | CalculationChapter], flow: str) -> list[Chapter | CalculationChapter]:
    """Show a flow or connection in all chapters that contain it; raise InputError if none does."""
    traced = [run for chapter in chapters if isinstance(chapter, Chapter) for run in chapter.runs]
    known = list(dict.fromkeys(name for run in traced for name in run.names))
    if flow not in known:
        near = did_you_mean(flow, known)
        raise InputError(f"no run in this report has a TCP flow `{flow}`.{near} There are: {some(known)}")
    return [chapter.with_flow(flow) if isinstance(chapter, Chapter) else chapter for chapter in chapters]


def chapters_in(folder: Path, reporter: Reporter = SILENT) -> list[Chapter | CalculationChapter]:
    """Return the chapters of a folder.

    First come experiments with complete rows and calculations, sorted by ID, then all other studies with
    rows.
    """
    known = registry()
    tables = sorted(Table.load(folder), key=lambda table: _by_number(table.study.name))
    outcomes: list[Outcome | Calculated] = [*outcomes_in(folder, known), *calculated_in(folder, known)]
    outcomes.sort(key=lambda outcome: _by_number(outcome.experiment.id))
    under_readings = [other for outcome in outcomes for _, other in outcome.others]
    judged = {outcome.experiment.id for outcome in (*outcomes, *under_readings)}
    others = [table for table in tables if table.study.name not in judged]
    studies = [table for table in others if table.cells()]
    for table in (table for table in others if table not in studies):
        reporter.say(
            f"{table.study.name}: omitted, because the folder has no run of this study by this "
            "version of the simulator"
        )
    chapters: list[Chapter | CalculationChapter] = []
    with reporter.task("report", len(outcomes) + len(studies)) as task:
        for outcome in outcomes:
            if isinstance(outcome, Calculated):
                computed = _changed(folder / outcome.experiment.id / DOCUMENT)
                chapters.append(calculation_page(outcome, computed=computed))
            else:
                computed = _computed(folder, outcome.table)
                chapters.append(chapter_of_outcome(outcome, computed=computed))
            task.advance()
        for table in studies:
            chapters.append(Chapter.of_table(table, computed=_computed(folder, table)))
            task.advance()
    return chapters


def _computed(folder: Path, table: Table) -> datetime:
    """Return the time of the last request for the study."""
    return _changed(manifest_path(folder, table.study.name))


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime)


def _by_number(name: str) -> list[str]:
    """Return a sort key that orders numbers in names by value: fig9 before fig10."""
    return [part.zfill(9) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
