"""The report of an emulation beside its simulated twin, as commands write it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from airhop.cli.output import say
from airhop.live import Log
from airhop.live.twin import write_twin
from airhop.progress import reporter_for_stderr

Report = Annotated[
    Path | None,
    Parameter(help="FILE.html for a page with the real connection beside its simulated twin."),
]


def say_twin(log: Log, path: Path, *, live: Mapping[str, Any] | None = None, command: str) -> None:
    """Write the page, and say where it is."""
    write_twin(log, path, live=live, command=command, reporter=reporter_for_stderr())
    say(f"airhop: open {path.absolute().as_uri()} in a browser")
