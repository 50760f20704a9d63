"""`airhop doctor --cross-check`: tables of simulated numbers beside laws and other simulators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import get_args

from airhop.cli import EXIT_FAILED
from airhop.cli.common.output import console, print_json, print_table, say
from airhop.crosscheck import SOURCES, Row, Verdict, checks, measure
from airhop.crosscheck.record import recording
from airhop.crosscheck.words import known
from airhop.progress import reporter_for_stderr
from airhop.terminal import mean_pm

COLUMNS = ("scenario", "difference", "verdict", "ours", "theirs", "bound", "quantity")


def cross_check(*, quick: bool, seed: int, out: Path | None, as_json: bool) -> int:
    """Run and print the checks; return the exit code, 1 if a difference is beyond its bound."""
    keeping: AbstractContextManager[list[Row]] = nullcontext([]) if out is None else recording(out)
    with keeping as kept:
        rows = measure(checks(quick=quick), seed=seed, reporter=reporter_for_stderr())
        kept += rows
    if as_json:
        mode = "quick" if quick else "full"
        print_json({"seed": seed, "mode": mode, "rows": [row.to_dict() for row in rows]})
    else:
        _print(rows)
    beyond = [row.check.id for row in rows if row.verdict == "beyond"]
    if beyond:
        say(f"airhop: differences beyond the bound without a known reason: {'; '.join(beyond)}")
    return EXIT_FAILED if beyond else 0


def _print(rows: Sequence[Row]) -> None:
    out = console()
    for key, source in SOURCES.items():
        lines = [_cells(row) for row in rows if row.check.source == key]
        if lines:
            print_table(out, COLUMNS, lines, title=source.title)
    why = {row.reason.name: row.reason.why for row in rows if row.reason is not None}
    for name, text in why.items():
        out.print(f"{name}: {text}\n")
    counts = Counter(row.verdict for row in rows)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in get_args(Verdict))
    out.print(f"{len(rows)} checks: {told}", style="bold")


def _cells(row: Row) -> tuple[str, ...]:
    check = row.check
    return (
        check.scenario,
        f"{100 * row.difference:+.1f} %",
        row.verdict if row.reason is None else row.reason.name,
        mean_pm(row.ours),
        known(check.theirs),
        f"{100 * check.bound:g} %",
        f"{check.quantity.name}, {check.quantity.unit}",
    )
