"""`airhop replay`."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.cli.app import Json, With
from airhop.cli.output import console, print_json, say
from airhop.cli.shown.figures import check_figure, draw_figure
from airhop.cli.shown.flows import print_run
from airhop.cli.shown.twin import Report, check_page, say_twin
from airhop.files import filling
from airhop.live import Log
from airhop.plugins import load_all
from airhop.progress import reporter_for_stderr


def replay(
    file: Path,
    /,
    *,
    with_: With = (),
    as_json: Json = False,
    trace: Annotated[
        Path | None, Parameter(help="Folder for the trace: TABLE.parquet for every table.")
    ] = None,
    pcap: Annotated[
        Path | None, Parameter(help="Folder for captures of the real packets: NODE.pcapng for every node.")
    ] = None,
    air: Annotated[
        Path | None, Parameter(help="FILE.pdf, .svg or .png for the space-time diagram of frames on the air.")
    ] = None,
    report: Report = None,
    between: Annotated[
        tuple[float, float] | None,
        Parameter(
            negative="",
            help="Start and end of that diagram in seconds; by default around the first collision.",
        ),
    ] = None,
) -> int:
    """Run again what entered during an emulation, without its hosts: the same to the bit each time.

    Parameters
    ----------
    file
        What airhop emulate --log wrote. Of one that was cut short, what is there is replayed.
    """
    if air is not None:
        check_figure(air)
    if report is not None:
        check_page(report)
    load_all(with_)
    log = Log(file)
    with (
        nullcontext() if trace is None else filling(trace) as tables,
        reporter_for_stderr().task(f"{log.scenario.name}, replayed", 1) as task,
    ):
        result = log.replay(trace=trace is not None or air is not None, pcap_dir=pcap)
        task.advance()
        if tables is not None:
            result.write_tables(tables)
    if trace is not None:
        say(f"trace: {', '.join(f'{table}.parquet' for table in result.tables)} in {trace}")
    if pcap is not None:
        say(f"packet captures in {pcap}")
    if air is not None:
        draw_figure("air", air, result, log.scenario, between)
    for note in result.notes:
        say(f"note: {note}")
    if as_json:
        print_json(result.document)
    else:
        print_run(console(), result)
    if report is not None:
        say_twin(log, report, command=shlex.join(["airhop", "replay", str(file), "--report", str(report)]))
    return 0
