"""`airhop run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop import hints
from airhop.cli.common.app import Json, ScenarioName, SchemeName, Seed, Services, Sets, Whole, With
from airhop.cli.common.output import console, print_json, say
from airhop.cli.shown.flows import print_run
from airhop.cli.shown.kept import Air, Between, FlowName, Kept, RoundTrips, Sequence, Trace, Verify
from airhop.plugins import load_all
from airhop.scenario import Scenario
from airhop.services import served
from airhop.simulate import run as simulate


def run(
    scenario: ScenarioName,
    /,
    *,
    scheme: SchemeName | None = None,
    sets: Sets = (),
    with_: With = (),
    services: Services = None,
    seed: Seed = 1,
    rep: Whole = 0,
    as_json: Json = False,
    trace: Trace = None,
    pcap: Annotated[
        Path | None,
        Parameter(
            help="Folder for captures: NODE.pcapng for every node, CELL.air.pcapng for every 802.11 cell."
        ),
    ] = None,
    air: Air = None,
    sequence: Sequence = None,
    round_trips: RoundTrips = None,
    verify: Verify = False,
    between: Between = None,
    flow: FlowName = None,
) -> int:
    """Run a scenario once and print the results of its flows and links.

    Folders of --trace and --pcap are created if missing. Files of the same name are replaced at the end of
    the run; a run that fails or is interrupted leaves them unchanged.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    scheme
        Scheme of every TCP flow, instead of the scheme in the scenario.
    rep
        Number of the replication. Runs with equal seed and replication have the same channel under every
        scheme.
    """
    figures = {"air": air, "sequence": sequence, "round_trips": round_trips}
    kept = Kept(trace, pcap, figures, between, verify, flow)
    load_all(with_)
    chosen = [] if scheme is None else [f"scheme={scheme}"]
    loaded = Scenario.load(scenario, sets=[*chosen, *sets])
    loaded = served(loaded, services)
    result = kept.run(
        f"{loaded.name}, {loaded.duration_s:g} s simulated",
        lambda traced: simulate(loaded, seed=seed, rep=rep, trace=traced, pcap_dir=pcap),
    )
    kept.show(loaded, result)
    for line in hints.lines([loaded]):
        say(line)
    if as_json:
        print_json(result.document)
    else:
        print_run(console(), result)
    return kept.verified(loaded, result)
