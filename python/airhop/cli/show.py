"""`airhop show`."""

from __future__ import annotations

import sys

from airhop.cli.app import Json, ScenarioName, SchemeName, Sets, With
from airhop.cli.output import print_json
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
) -> int:
    """Print a scenario with every default written out.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, or path of a TOML file.
    scheme
        Scheme of every TCP flow, instead of the scenario's own.
    """
    load_all(with_)
    chosen = [] if scheme is None else [f"scheme={scheme}"]
    loaded = Scenario.load(scenario, sets=[*chosen, *sets])
    if as_json:
        print_json(loaded.to_dict())
    else:
        sys.stdout.write(loaded.toml().rstrip("\n") + "\n")
    return 0
