"""`airhop replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.boundary.shell import command_line
from airhop.cli.common.app import Json, With, with_words
from airhop.cli.common.output import console, print_json, say
from airhop.cli.shown.flows import print_run
from airhop.cli.shown.kept import Air, Between, FlowName, Kept, RoundTrips, Sequence, Trace, Verify
from airhop.cli.shown.twin import Report, check_page, write_twin_page
from airhop.live import Log
from airhop.plugins import load_all


def replay(
    file: Path,
    /,
    *,
    with_: With = (),
    as_json: Json = False,
    trace: Trace = None,
    pcap: Annotated[
        Path | None,
        Parameter(
            help="Folder for captures of the real packets: NODE.pcapng for every node, CELL.air.pcapng for "
            "every 802.11 cell."
        ),
    ] = None,
    air: Air = None,
    sequence: Sequence = None,
    round_trips: RoundTrips = None,
    verify: Verify = False,
    between: Between = None,
    flow: FlowName = None,
    report: Report = None,
) -> int:
    """Replay a log of an emulation, without its hosts; every replay is equal bit for bit.

    Parameters
    ----------
    file
        Log written by airhop emulate --log. A truncated log is replayed as far as it goes.
    """
    figures = {"air": air, "sequence": sequence, "round_trips": round_trips}
    kept = Kept(trace, pcap, figures, between, verify, flow)
    if report is not None:
        check_page(report)
    load_all(with_)
    log = Log(file)
    result = kept.run(
        f"{log.scenario.name}, replayed", lambda traced: log.replay(trace=traced, pcap_dir=pcap)
    )
    kept.show(log.scenario, result)
    for note in result.notes:
        say(f"note: {note}")
    if as_json:
        print_json(result.document)
    else:
        print_run(console(), result, kernels=result.controls)
    if report is not None:
        words = ["airhop", "replay", str(file), *with_words(with_), "--report", str(report)]
        write_twin_page(log, report, command=command_line(words))
    return kept.verified(log.scenario, result)
