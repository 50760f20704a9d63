"""`airhop view`."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import closing
from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from airhop.cli.common.app import ScenarioName, Whole, With
from airhop.cli.common.output import say
from airhop.errors import InputError
from airhop.plugins import load_all
from airhop.view.state import State

MOST_PORT = 65_535


def view(
    scenario: ScenarioName = "last-hop",
    /,
    *,
    with_: With = (),
    port: Whole = 5006,
    browser: Annotated[bool, Parameter(help="Open the page in the browser.")] = True,
) -> int:
    """Explore a scenario in the browser: figures follow sliders and a choice of schemes.

    The page is served to this machine only, until Ctrl-C.

    Parameters
    ----------
    scenario
        Name of a packaged scenario, path of a TOML file, or path of a saved state of the page.
    port
        Port of the page; 0 selects any free port.
    """
    if not 0 <= port <= MOST_PORT:
        raise InputError(f"port is {port}; it must be a number from 0 to {MOST_PORT}")
    load_all(with_)
    opened = replace(State.of(scenario), plugins=with_)
    try:
        from airhop.view.page import Page
        from airhop.view.server import serve
        from airhop.view.tabs import Tabs
    except ImportError as error:
        raise InputError(f"airhop view needs {error.name}: {sys.executable} -m pip install panel") from None
    from airhop.view.runs import Runs

    def ready(address: str) -> None:
        print(address, flush=True)
        say("Ctrl-C ends it.")
        if browser:
            webbrowser.open(address)

    with closing(Runs()) as runs:
        serve(Tabs(lambda: Page(opened, runs).template()).opened, port, ready)
    return 0
