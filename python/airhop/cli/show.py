"""`airhop show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.cli.common.app import Json, ScenarioName, SchemeName, Seed, Sets, Whole, With
from airhop.cli.common.output import print_json, say
from airhop.cli.shown.figures import write_figure
from airhop.plugins import load_all
from airhop.scenario import Scenario


def show(
    scenario: ScenarioName,
    /,
    *,
    scheme: SchemeName | None = None,
    sets: Sets = (),
    with_: With = (),
    as_json: Json = False,
    topology: Annotated[
        Path | None,
        Parameter(help="Draw the positions of the stations in FILE.pdf, .svg or .png, instead of printing."),
    ] = None,
    around: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="Station whose ranges the topology shows, or `all`. Can be repeated.",
        ),
    ] = (),
    seed: Seed = 1,
    rep: Whole = 0,
) -> int:
    """Print a scenario with every default written out, or draw its topology.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    scheme
        Scheme of every TCP flow, instead of the scheme in the scenario.
    rep
        Number of the replication, for random positions of stations and random ends of flows.
    """
    load_all(with_)
    chosen = [] if scheme is None else [f"scheme={scheme}"]
    loaded = Scenario.load(scenario, sets=[*chosen, *sets])
    if topology is not None:
        from airhop.plots import draw_topology

        write_figure(topology, lambda file: draw_topology(loaded, file, around=around, seed=seed, rep=rep))
        say(f"topology in {topology}")
    elif as_json:
        print_json(loaded.to_dict())
    else:
        sys.stdout.write(loaded.toml().rstrip("\n") + "\n")
    return 0
