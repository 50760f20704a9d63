"""`airhop run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.cli.app import Json, Seed, Sets
from airhop.cli.output import console, print_json, say, table
from airhop.progress import reporter_for_stderr
from airhop.results import Result
from airhop.scenario import Scenario
from airhop.simulate import run as simulate
from airhop.terminal import number

FLOW_COLUMNS = {
    "goodput_mbps": "goodput Mbit/s",
    "retransmissions": "retransmissions",
    "timeouts": "timeouts",
    "fast_recoveries": "fast recoveries",
    "window_cuts": "window cuts",
    "srtt_ms": "srtt ms",
}


def run(
    scenario: str,
    /,
    *,
    scheme: str | None = None,
    sets: Sets = (),
    seed: Seed = 1,
    rep: int = 0,
    as_json: Json = False,
    trace: Annotated[Path | None, Parameter(help="Write the trace there: a Parquet file per table.")] = None,
    pcap: Annotated[Path | None, Parameter(help="Write NODE.pcapng for every node there.")] = None,
) -> int:
    """Run a scenario once and print what its flows and links did.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    scheme
        Scheme of every TCP flow, instead of the scenario's own.
    rep
        Number of the replication. Equal seed and replication meet the same channel under every scheme.
    """
    chosen = [] if scheme is None else [f"scheme={scheme}"]
    loaded = Scenario.load(scenario, sets=[*chosen, *sets])
    with reporter_for_stderr().task(f"{loaded.name}, {loaded.duration_s:g} s simulated", 1) as task:
        result = simulate(loaded, seed=seed, rep=rep, trace=trace is not None, pcap_dir=pcap)
        task.advance()
    if trace is not None:
        result.write_tables(trace)
        say(f"trace: {len(result.tables)} tables in {trace}")
    if pcap is not None:
        say(f"packet captures in {pcap}")
    if as_json:
        print_json(result.document)
    else:
        _print(result)
    return 0


def _print(result: Result) -> None:
    d = result.document
    title = f"{d['scenario']}, {d['duration_s']:g} s, seed {d['seed']}, replication {d['rep']}"
    flows = table("flow", "scheme", "path", *FLOW_COLUMNS.values(), title=title, left=3)
    for flow in d["flows"]:
        cells = [number(flow.get(key)) for key in FLOW_COLUMNS]
        flows.add_row(
            flow["name"], flow["scheme"] or flow["transport"], f"{flow['from']} → {flow['to']}", *cells
        )
    drops = table(*d["drops"], title="losses by reason", left=0)
    drops.add_row(*(number(count) for count in d["drops"].values()))
    out = console()
    out.print(flows)
    out.print(drops)
    out.print("channel and collision count frames, the others packets", style="dim")
    say(f"{d['events']:,} events in {d['wall_s']:.2f} s; fingerprint {d['fingerprint']}")
