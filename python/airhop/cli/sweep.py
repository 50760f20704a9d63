"""`airhop sweep`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from airhop.cli import EXIT_INTERRUPTED
from airhop.cli.common.app import Json, StudyName, Whole, With
from airhop.cli.common.output import console, print_json, print_table, say
from airhop.engines import Shard
from airhop.errors import InputError, RunError
from airhop.progress import reporter_for_stderr
from airhop.scenario import SCHEME
from airhop.stats import estimate, replications
from airhop.study import Cell, InterruptedSweep, Study, Table, Until, run_in
from airhop.study.manifest import CELLS, study_folder, write_cells
from airhop.study.summary import setting_text
from airhop.study.verdicts import Outcome, outcomes
from airhop.terminal import mean_pm, number, ratio, signed_pm

MOST_LINES = 100
"""Maximum number of printed points; a report shows all points."""


def sweep(
    study: StudyName,
    /,
    *,
    out: Path = Path("airhop-out"),
    workers: Whole | None = None,
    engine: str = "local",
    shard: str | None = None,
    with_: With = (),
    as_json: Json = False,
) -> int:
    """Run a study, a grid of values with replications, and store its rows for reuse.

    Runs that the folder contains are reused, and finished runs are always stored. Without a shard,
    OUT/NAME/cells.csv has a row per point with means and intervals.

    Parameters
    ----------
    study
        Path of a study file, or name of a packaged study.
    out
        Folder of the rows; studies and experiments can share a folder.
    workers
        Threads of this process; by default one per core.
    engine
        `local`, or a cluster: dask://HOST:PORT.
    shard
        I/N: compute part I of N, for batch systems. All parts can share a folder.
    """
    part = None if shard is None else Shard.parse(shard)
    loaded = Study.load(study, with_)
    try:
        table = run_in(
            loaded, out, engine=engine, threads=workers, shard=part, reporter=reporter_for_stderr()
        )
    except InterruptedSweep as interrupt:
        say(f"airhop: {interrupt}")
        _print_result(interrupt.table, out, as_json)
        return EXIT_INTERRUPTED
    except RunError:
        say(f"airhop: a run failed; the finished runs are kept in {out / 'runs'}")
        raise
    _print_result(table, out, as_json)
    if part is None:
        _write_cells(table, study_folder(out, loaded.name))
    return 0


def _write_cells(table: Table, folder: Path) -> None:
    """Write cells.csv into the study's folder; a failure only prints a sentence, as the rows are stored."""
    try:
        say(f"a row per point, with means and intervals: {write_cells(table, folder)}")
    except InputError as error:
        say(f"no {CELLS}: {error}")


def _print_result(table: Table, out: Path, as_json: bool) -> None:
    for line in table.hints:
        say(line)
    for warning in table.warnings():
        say(f"warning: {warning}")
    if as_json:
        print_json(_document(table, out))
        return
    _print(table)
    say(f"computed {table.computed:,}, reused {table.reused:,}; the rows are in {out / 'runs'}")
    say(f"figures and tables: airhop report {out}")


def _print(table: Table) -> None:
    study, cells = table.study, _by_setting(table)
    if not cells:
        return
    settings = [column for column in study.columns if column != SCHEME]
    compared = [] if study.baseline is None else ["ratio", "difference", "correlation"]
    replicated = study.reps if isinstance(study.reps, Until) else replications(study.reps)
    out = console()
    print_table(
        out,
        [
            *map(_short, settings),
            SCHEME,
            "goodput\nMbit/s",
            *(f"{name}\nto {study.baseline}" for name in compared),
            "runs",  # last, because a narrow terminal omits the last columns, and this column matters least
        ],
        [
            [
                *(setting_text(cell.point.values[column]) for column in settings),
                cell.point.scheme,
                mean_pm(cell.value),
                *(_comparison(cell) if compared else []),
                number(cell.n),
            ]
            for cell in cells[:MOST_LINES]
        ],
        title=f"{study.name}: {study.scenario.name}, {replicated}, seed {study.seed}",
        left=len(settings) + 1,
    )
    _print_goals(out, table, settings)
    if len(cells) > MOST_LINES:
        say(f"… and {len(cells) - MOST_LINES:,} more points")
    if any(cell.n > 1 for cell in cells):
        pairs = "; ratio: Fieller's; ratio, difference and correlation: of pairs on the same channel"
        out.print(f"±: 95 % interval of the mean{pairs if compared else ''}", style="dim")


def _print_goals(out: Console, table: Table, settings: Sequence[str]) -> None:
    """Print the goals of each class of flows, unless all flows are in one class without transfers."""
    found = outcomes(table)
    compared = [goal for goal in (found[0].samples if found else ()) if goal.of is not None]
    if len({goal.of for goal in compared}) < 2 and all(goal.kind != "completion" for goal in compared):
        return
    lines = [
        [
            *(setting_text(point.values[column]) for column in settings),
            point.scheme,
            *(_mean(outcome.samples[goal].get(point.scheme, {})) for goal in compared),
        ]
        for outcome in found
        for point in outcome.points
    ]
    heads = [*map(_short, settings), SCHEME, *(goal.heading for goal in compared)]
    print_table(out, heads, lines[:MOST_LINES], title="goals by class of flows", left=len(settings) + 1)
    if len(found) == 1:
        out.print(found[0].verdict.text)


def _mean(sample: Mapping[int, float]) -> str:
    return mean_pm(estimate(list(sample.values())) if sample else None)


def _by_setting(table: Table) -> list[Cell]:
    """Return the cells (summaries of points) sorted by setting, so that compared cells are adjacent."""
    cells = {cell.point.index: cell for cell in table.cells()}
    ordered = [point.index for setting in table.study.settings for point in setting]
    return [cells[index] for index in ordered if index in cells]


def _short(column: str) -> str:
    """Return a short heading for a path, with a line break before the last key."""
    table, dot, key = column.rpartition(".")
    return f"{table}{dot}\n{key}" if table else key


def _comparison(cell: Cell) -> list[str]:
    if cell.ratio is None or cell.difference is None:
        return ["", "", ""]
    difference = cell.difference
    correlation = "–" if difference.correlation is None else f"{difference.correlation:+.2f}"
    return [
        ratio(cell.ratio),
        signed_pm(difference),
        correlation,
    ]


def _document(table: Table, out: Path) -> dict[str, Any]:
    study = table.study
    return {
        "study": study.name,
        "scenario": study.scenario.name,
        "seed": study.seed,
        "reps": study.reps.to_dict() if isinstance(study.reps, Until) else study.reps,
        "baseline": study.baseline,
        "complete": table.complete,
        "computed": table.computed,
        "reused": table.reused,
        "out": str(out),
        "warnings": table.warnings(),
        "points": [_point(cell) for cell in table.cells()],
        "verdicts": [_verdict(outcome, study.columns) for outcome in outcomes(table)],
    }


def _point(cell: Cell) -> dict[str, Any]:
    difference, quotient = cell.difference, cell.ratio
    return {
        "values": dict(cell.point.values),
        "scheme": cell.point.scheme,
        "n": cell.n,
        "goodput_mbps": {"mean": cell.value.mean, "half_width": cell.value.half_width},
        "difference": difference
        and {
            "mean": difference.mean,
            "half_width": difference.half_width,
            "correlation": difference.correlation,
        },
        "ratio": quotient
        and {
            "value": quotient.value if quotient.value == quotient.value else None,  # JSON has no nan
            "low": quotient.low,
            "high": quotient.high,
        },
    }


def _verdict(outcome: Outcome, columns: Sequence[str]) -> dict[str, Any]:
    """Return the verdict at a setting, with the values of the goals by scheme."""
    values = outcome.points[0].values
    return {
        "values": {column: values[column] for column in columns if column != SCHEME},
        **outcome.verdict.to_dict(),
        "estimates": [
            {
                "goal": goal.kind,
                "class": goal.of,
                "metric": goal.column,
                "schemes": {
                    scheme: {"mean": found.mean, "half_width": found.half_width}
                    for scheme, sample in of_schemes.items()
                    if sample and (found := estimate(list(sample.values())))
                },
            }
            for goal, of_schemes in outcome.samples.items()
        ],
    }
