"""`airhop emulate`."""

from __future__ import annotations

import math
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

from cyclopts import Parameter

from airhop.boundary.shell import command_line
from airhop.cli import EXIT_FAILED
from airhop.cli.common.again import Again
from airhop.cli.common.app import (
    Json,
    ScenarioName,
    SchemeName,
    Seed,
    Services,
    Sets,
    Whole,
    With,
    with_words,
)
from airhop.cli.common.output import console, print_json, say
from airhop.cli.shown.flows import print_run
from airhop.cli.shown.live import ProgressLine, print_live
from airhop.cli.shown.twin import Report, check_page, write_twin_page
from airhop.errors import InputError
from airhop.live.controls import Control, chosen
from airhop.live.emulation import Emulation, Notices, emulate_hosts, needs_restart
from airhop.live.hosts import Hosts, hosts_of
from airhop.live.logs import Log
from airhop.live.privileges import RESTART
from airhop.live.validity import LIMIT_PERCENT, check_limit
from airhop.plugins import load_all
from airhop.progress import Clock, reporter_for_stderr
from airhop.scenario import Scenario
from airhop.services import served


def emulate(
    scenario: ScenarioName,
    /,
    *,
    on: Annotated[
        tuple[tuple[str, str], ...],
        Parameter(
            negative="",
            show_default=False,
            help='NODE "COMMAND": run the command at this node, in a separate network namespace. The address'
            " of a node with commands replaces {name}. Can be repeated.",
        ),
    ] = (),
    at: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="NODE=DEV: use this interface of the machine as the node. Can be repeated.",
        ),
    ] = (),
    ready: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help='NODE=PORT or NODE="COMMAND": start the next command of another node only when a socket of'
            " NODE listens at PORT, or when COMMAND ends with 0 at NODE. Can be repeated.",
        ),
    ] = (),
    scheme: SchemeName | None = None,
    notices: Annotated[
        Notices,
        Parameter(
            help="Senders that receive ELN and ERSN notices; always: every sender, also senders that process"
            " a notice as an ACK."
        ),
    ] = "listeners",
    sets: Sets = (),
    with_: With = (),
    services: Services = None,
    seed: Seed = 1,
    rep: Whole = 0,
    log: Annotated[
        Path | None,
        Parameter(
            help="File for the entering datagrams, which airhop replay reads; the datagrams may contain"
            " passwords."
        ),
    ] = None,
    headers_only: Annotated[bool, Parameter(negative="", help="Omit the payload from the log.")] = False,
    report: Report = None,
    spin: Annotated[
        str | None,
        Parameter(
            help='Duration of busy-waiting before each packet, as in "200 us", which reduces lateness.'
        ),
    ] = None,
    tolerance: Annotated[
        float,
        Parameter(
            help="Largest valid change of the twin's goodput, and of its delays, by lateness, per cent."
        ),
    ] = LIMIT_PERCENT,
    as_json: Json = False,
) -> int:
    """Connect programs of this machine to a scenario's links, in real time.

    The emulation ends with its commands, or after the scenario's duration. Real traffic replaces the
    scenario's flows between such nodes; Airhop simulates the other flows. The exit code is 1 if a command
    failed, or if lateness moves goodput or delays of a simulated twin by more than the tolerance: the run is
    then not valid.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    scheme
        Scheme of every simulated TCP flow, instead of the scheme in the scenario. Real senders also use the
        scheme if it is reno, cubic, bbr, or a control in a BPF object of --with.
    rep
        Number of the replication. A simulated run with equal seed and replication has the same channel.
    """
    load_all(with_)
    schemes = [] if scheme is None else [f"scheme={scheme}"]
    loaded = Scenario.load(scenario, sets=[*schemes, *sets])
    loaded = served(loaded, services)
    hosts = hosts_of(
        loaded,
        [(f"--on {node}", node, [command]) for node, command in on],
        [(f"--at {one}", *_node_and_value("DEV, as in s=eth0", f"--at {one}", one)) for one in at],
        [
            (f"--ready {one}", *_node_and_value("PORT or NODE=COMMAND, as in d=8000", f"--ready {one}", one))
            for one in ready
        ],
    )
    loaded, controls = chosen(loaded, hosts, scheme, with_)
    if needs_restart(hosts):
        raise Again(RESTART)
    if headers_only and log is None:
        raise InputError("--headers-only needs --log FILE")
    check_limit(tolerance)
    if report is not None:
        check_page(report)
    with _log_for(report, log) as kept:
        emulation = _emulate(
            loaded,
            hosts,
            controls=controls,
            notices=notices,
            seed=seed,
            rep=rep,
            log=kept,
            headers_only=headers_only or kept != log,
            spin=spin,
            tolerance=tolerance,
        )
        if as_json:
            print_json(emulation.document)
        else:
            print_run(console(), emulation, kernels=emulation.live.get("congestion_control", {}))
            print_live(console(), emulation)
        if log is not None:
            again = command_line(["airhop", "replay", str(log), *with_words(with_)])
            say(f"the datagrams that entered are in {log}: {again}")
        code = _exit_code_of_run(emulation)
        if report is not None and kept is not None:
            ends = [word for node, command in on for word in ("--on", node, command)]
            ends += [word for one in at for word in ("--at", one)]
            ends += [word for one in ready for word in ("--ready", one)]
            ends += [] if notices == "listeners" else ["--notices", notices]
            words = ["airhop", "emulate", *loaded.arguments(), *with_words(with_), *ends]
            words += ["--seed", str(seed), "--rep", str(rep)]
            command = command_line([*words, "--report", str(report)])
            write_twin_page(Log(kept), report, live=emulation.live, command=command)
    return code


@contextmanager
def _log_for(report: Path | None, log: Path | None) -> Iterator[Path | None]:
    """Yield the file for the packet log: `--log`, or a temporary file if only a report is requested.

    Yields None if neither a log nor a report is requested.
    """
    if report is None or log is not None:
        yield log
        return
    with tempfile.TemporaryDirectory(prefix="airhop-") as folder:
        yield Path(folder) / "emulation.log"


def _emulate(
    scenario: Scenario,
    hosts: Hosts,
    *,
    controls: Sequence[Control],
    notices: Notices,
    seed: int,
    rep: int,
    log: Path | None,
    headers_only: bool,
    spin: str | None,
    tolerance: float,
) -> Emulation:
    """Emulate with a progress line; after an interruption, print the time that remained."""
    clock = Clock(scenario.name, math.ceil(scenario.duration_s), lambda: pace.words())
    reporter = reporter_for_stderr()
    pace = ProgressLine(clock, reporter.say)
    with _terminations_as_interrupts(), reporter.follow(clock):
        try:
            return emulate_hosts(
                scenario,
                hosts,
                controls=controls,
                notices=notices,
                seed=seed,
                rep=rep,
                log=log,
                headers_only=headers_only,
                spin=spin,
                tolerance=tolerance,
                on_progress=pace.on_progress,
            )
        except KeyboardInterrupt:
            left = "" if log is None else f"; the datagrams that had entered are in {log}"
            raise KeyboardInterrupt(f"interrupted after {clock.done} s{left}") from None


@contextmanager
def _terminations_as_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM; the emulation then ends in order and restores the interfaces."""

    def interrupt(_signal: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _exit_code_of_run(emulation: Emulation) -> int:
    """Print the notes of an emulation and the reasons of a failure; return the exit code."""
    for note in emulation.notes:
        say(f"note: {note}")
    for failure in emulation.failures:
        say(f"airhop: {failure}")
    if not emulation.valid:
        say(f"airhop: the run is not valid: {_joined_reasons(emulation.why)}")
    return 0 if emulation.valid and not emulation.failures else EXIT_FAILED


def _joined_reasons(sentences: Sequence[str]) -> str:
    return "; ".join(sentences) or "packets were too late"


def _node_and_value(expected: str, asked: str, text: str) -> tuple[str, str]:
    node, sign, other = text.partition("=")
    if not (sign and node and other):
        raise InputError(f"{asked}: expected NODE={expected}")
    return node, other
