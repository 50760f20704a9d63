"""The twin of an emulation: a run of the same scenario, seed and replication without real hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.errors import InputError
from airhop.files import why
from airhop.live.logs import Log
from airhop.progress import SILENT, Reporter
from airhop.report.pack import excerpt
from airhop.scenario import toml_literal
from airhop.simulate import run

if TYPE_CHECKING:
    from airhop.report.twin import TwinChapter
    from airhop.results import Result
    from airhop.scenario import Scenario

ONE_RUN = (
    "These are single runs. A kernel sends at other times than a simulated sender, so the two send "
    "different frames into the same channel, and differ also by chance. Runs with several seeds show how "
    "much."
)


@dataclass(frozen=True)
class Pair:
    """Compared flows, one real and one simulated, with data in the same direction."""

    real: str
    """Name of the real connection in the replay."""
    twin: str
    """Name of the simulated flow in the scenario."""


def write_twin(
    log: Log,
    path: Path,
    *,
    live: Mapping[str, Any] | None = None,
    command: str,
    reporter: Reporter = SILENT,
) -> None:
    """Write a page that compares an emulation with its twin, a simulation of the same scenario.

    Parameters
    ----------
    log
        Log of the emulation, which is replayed.
    path
        HTML file, which loads nothing from a network; an existing file is replaced.
    live
        Value of `Emulation.live`; None for a replay of a log.
    command
        Command that made the page, shown there.
    reporter
        Receives the progress.

    Raises
    ------
    InputError
        When no real connection has data in the direction of a flow of the scenario, when the log is damaged,
        or when the file cannot be written.
    """
    from airhop.report import write_report

    with reporter.task(f"report of {log.scenario.name}", 3) as task:
        real = log.replay(trace=True)
        pair = paired(log, real)
        task.advance()
        scenario = twin_of(log.scenario, real)
        twin = run(scenario, seed=log.head["seed"], rep=log.head["rep"], trace=True)
        task.advance()
        chapter = _chapter(log, real, scenario, twin, pair, live, command)
        try:
            write_report([chapter], path)
        except OSError as error:
            raise InputError(f"cannot write {path}: {why(error)}") from None
        task.advance()


def twin_of(scenario: Scenario, real: Result) -> Scenario:
    """Return the scenario of the simulated twin, with the duration of the emulation."""
    return scenario.with_({"duration": f"{real.document['duration_s']:.9f} s"})


def paired(log: Log, real: Result) -> Pair:
    """Return a flow of the scenario, and the real connection with the most bytes in the same direction.

    Raises InputError if no connection has this direction.
    """
    ends = {door["node"] for door in log.head["doors"]}
    flows = log.scenario.to_dict()["flow"]
    own = [flow for flow in flows if flow["name"] in log.scenario.tcp_flows() and _ends(flow) <= ends]
    names = {flow["name"] for flow in flows}
    connections = [flow for flow in real.tcp_flows if flow["name"] not in names and flow["delivered_bytes"]]
    pairs = [
        (connection["delivered_bytes"], Pair(connection["name"], flow["name"]))
        for flow in own
        for connection in connections
        if (connection["from"], connection["to"]) == (flow["from"], flow["to"])
    ]
    if not pairs:
        told = ", ".join(f"{flow['name']} ({flow['from']} to {flow['to']})" for flow in own) or "none"
        went = sorted({f"{flow['from']} to {flow['to']}" for flow in connections})
        raise InputError(
            f"no report of {log.scenario.name}: expected TCP data of a real host in the direction of a flow "
            f"between such hosts, {told}; TCP data went {' and '.join(went) or 'nowhere'}"
        )
    return max(pairs, key=lambda found: found[0])[1]


def _ends(flow: Mapping[str, Any]) -> set[str]:
    return {flow["from"], flow["to"]}


def _chapter(
    log: Log,
    real: Result,
    scenario: Scenario,
    twin: Result,
    pair: Pair,
    live: Mapping[str, Any] | None,
    command: str,
) -> TwinChapter:
    from airhop.report.twin import Side, TwinChapter

    flow = next(flow for flow in scenario.to_dict()["flow"] if flow["name"] == pair.twin)
    sides = (
        Side.of("kernel", _kernel(real, live, pair.real), real, pair.real),
        Side.of("twin", f"twin: {_scheme(flow)}", twin, pair.twin),
    )
    document, way = real.document, f"from {flow['from']} to {flow['to']}"
    notes = [note[:1].upper() + note[1:] for note in real.notes if "headers alone" not in note]
    commands = [] if live is None else [f"{one['node']}$ {one['command']}" for one in live["commands"]]
    return TwinChapter(
        scenario=log.scenario.name,
        sides=sides,
        duration_s=document["duration_s"],
        seed=document["seed"],
        rep=document["rep"],
        about=[
            ("Real", f"{pair.real}: of the TCP connections {way}, the one with the most bytes."),
            *([("Hosts", "; ".join(commands))] if commands else []),
            ("Twin", _about_twin(flow)),
            ("Beside", ONE_RUN),
            ("Command", command),
            ("Scenario", excerpt(scenario.toml())),
        ],
        notes=notes,
        live=live,
    )


def _kernel(real: Result, live: Mapping[str, Any] | None, flow: str) -> str:
    """Return the label of the real connection, with its congestion control in the kernel if known."""
    control = (live or {}).get("congestion_control", {}).get(flow)
    if control is None and "tcp_info" in real.tables:
        rows = real.tables["tcp_info"]
        told = rows.filter(rows["flow"] == flow)["congestion_control"]
        control = told[-1] if len(told) else None
    return "kernel" if control is None else f"kernel: {control}"


def _about_twin(flow: Mapping[str, Any]) -> str:
    tcp = flow["tcp"]
    told = ", ".join(f"{key} = {toml_literal(tcp[key])}" for key in ("preset", "delayed_ack") if key in tcp)
    return (
        f"Flow {flow['name']} of the scenario, simulated without real hosts until the emulation ended, with"
        f" the same seed and replication. Sender: {_scheme(flow)}; {told}. The twin uses the scheme of the "
        'scenario, whatever congestion control the kernel used; --scheme, and preset = "linux" with '
        "delayed_ack, make the two senders similar."
    )


def _scheme(flow: Mapping[str, Any]) -> str:
    scheme = flow["scheme"]
    return str(scheme if isinstance(scheme, str) else scheme["name"])
