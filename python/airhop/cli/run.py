"""`airhop run`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop import hints
from airhop.cli.app import Json, ScenarioName, SchemeName, Seed, Sets, Whole, With
from airhop.cli.output import console, print_json, say
from airhop.cli.shown.figures import check_figure, draw_figure
from airhop.cli.shown.flows import print_run
from airhop.files import filling
from airhop.plugins import load_all
from airhop.progress import reporter_for_stderr
from airhop.results import Result
from airhop.scenario import Scenario
from airhop.simulate import run as simulate


def run(
    scenario: ScenarioName,
    /,
    *,
    scheme: SchemeName | None = None,
    sets: Sets = (),
    with_: With = (),
    seed: Seed = 1,
    rep: Whole = 0,
    as_json: Json = False,
    trace: Annotated[
        Path | None, Parameter(help="Folder for the trace: TABLE.parquet for every table.")
    ] = None,
    pcap: Annotated[Path | None, Parameter(help="Folder for captures: NODE.pcapng for every node.")] = None,
    air: Annotated[
        Path | None, Parameter(help="FILE.pdf, .svg or .png for the space-time diagram of frames on the air.")
    ] = None,
    sequence: Annotated[
        Path | None,
        Parameter(
            help="FILE.pdf, .svg or .png for what came over the air of the receiver, by segment number."
        ),
    ] = None,
    round_trips: Annotated[
        Path | None,
        Parameter(help="FILE.pdf, .svg or .png for round trips, their estimate, the timer, and notices."),
    ] = None,
    verify: Annotated[
        bool,
        Parameter(negative="", help="Check physics and protocols, from the trace of the run alone."),
    ] = False,
    between: Annotated[
        tuple[float, float] | None,
        Parameter(
            negative="",
            help="Start and end of these figures in seconds; by default the whole run, and for --air around"
            " the first collision.",
        ),
    ] = None,
) -> int:
    """Run a scenario once and print what its flows and links did.

    Folders of --trace and --pcap are made if need be. Files in them are replaced by those of the same name
    when the run is over; a run that fails or is interrupted leaves them alone.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    scheme
        Scheme of every TCP flow, instead of the scenario's own.
    rep
        Number of the replication. Equal seed and replication meet the same channel under every scheme.
    """
    figures = {"air": air, "sequence": sequence, "round_trips": round_trips}
    wanted = {name: path for name, path in figures.items() if path is not None}
    for path in wanted.values():
        check_figure(path)
    load_all(with_)
    chosen = [] if scheme is None else [f"scheme={scheme}"]
    loaded = Scenario.load(scenario, sets=[*chosen, *sets])
    with (
        nullcontext() if trace is None else filling(trace) as tables,
        reporter_for_stderr().task(f"{loaded.name}, {loaded.duration_s:g} s simulated", 1) as task,
    ):
        traced = trace is not None or verify or bool(wanted)
        result = simulate(loaded, seed=seed, rep=rep, trace=traced, pcap_dir=pcap)
        task.advance()
        if tables is not None:
            result.write_tables(tables)
    if trace is not None:
        say(f"trace: {', '.join(f'{table}.parquet' for table in result.tables)} in {trace}")
    if pcap is not None:
        say(f"packet captures in {pcap}")
    for name, path in wanted.items():
        draw_figure(name, path, result, loaded, between)
    for line in hints.lines([loaded]):
        say(line)
    if as_json:
        print_json(result.document)
    else:
        print_run(console(), result)
    return _verify(loaded, result) if verify else 0


def _verify(scenario: Scenario, result: Result) -> int:
    """Say what in the trace contradicts a law, and whether nothing does."""
    from airhop.verify import LAWS, verify

    with reporter_for_stderr().task("verifying", 1) as task:
        findings = verify(scenario, result)
        task.advance()
    for finding in findings:
        say(str(finding))
    steps = f"{result.tables['packets'].height:,} steps of packets"
    if not findings:
        say(f"verified: {steps} contradict none of {len(LAWS)} laws ({', '.join(LAWS)})")
    return 1 if findings else 0
