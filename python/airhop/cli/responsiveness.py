"""`airhop responsiveness`."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from airhop.cli.common.app import Json, ScenarioName, SchemeName, Seed, Sets, Whole, With
from airhop.cli.common.output import console, print_json, print_table
from airhop.plugins import load_all
from airhop.progress import reporter_for_stderr
from airhop.responsiveness import DIRECTIONS, Loaded, Responsiveness, measure
from airhop.scenario import SCHEME, Scenario
from airhop.stats import replications
from airhop.terminal import mean_pm


def responsiveness(
    scenario: ScenarioName,
    /,
    *,
    scheme: Annotated[
        SchemeName | None,
        Parameter(help="Scheme of the load and of the probes; by default the scheme of the flow."),
    ] = None,
    flow: Annotated[
        str | None, Parameter(help="TCP flow whose path is tested; by default the first TCP flow.")
    ] = None,
    direction: Annotated[
        Literal["down", "up", "both"],
        Parameter(
            help="Direction of the load: down is the direction of the flow, up the opposite direction; both"
            " tests them one after the other."
        ),
    ] = "both",
    reps: Annotated[Whole, Parameter(name=["--reps", "-n"])] = 3,
    seed: Seed = 1,
    sets: Sets = (),
    with_: With = (),
    as_json: Json = False,
) -> int:
    """Measure latency without load and responsiveness under working conditions, in round trips per minute.

    The test follows draft-ietf-ippm-responsiveness for TCP and HTTP, without TLS: connections load the path,
    and probes measure handshakes and requests beside them. The flows of the scenario are omitted.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    reps
        Replications.
    """
    load_all(with_)
    network = Scenario.load(scenario, sets=sets)
    if scheme is not None:
        network = network.with_({SCHEME: scheme})
    directions = DIRECTIONS if direction == "both" else (direction,)
    found = measure(
        network, flow=flow, directions=directions, reps=reps, seed=seed, reporter=reporter_for_stderr()
    )
    if as_json:
        print_json(found.to_dict())
    else:
        _print(found)
    return 0


def _print(found: Responsiveness) -> None:
    out = console()
    title = f"{found.scenario}, {found.scheme}, {replications(found.reps)}, seed {found.seed}"
    heads = [
        "load",
        "RPM",
        "goodput\nMbit/s",
        "handshake\nms",
        "request\nms",
        "on the load's\nconnections\nms",
        "confidence",
    ]
    rows = [_idle(found), *map(_loaded, found.loaded)]
    print_table(out, heads, rows, title=title, left=1)
    out.print("RPM: round trips per minute; times: trimmed means over the probes", style="dim")


def _idle(found: Responsiveness) -> list[str]:
    times = [mean_pm(found.idle_of(name)) for name in ("tcp_f", "http_f")]
    return ["none", "–", "–", *times, "–", "–"]


def _loaded(one: Loaded) -> list[str]:
    columns = ("rpm", "goodput_mbps", "tcp_f_ms", "http_f_ms", "http_l_ms")
    return [one.direction, *(mean_pm(one.of(name)) for name in columns), one.confidence]
