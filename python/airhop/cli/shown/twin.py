"""Report of an emulation and the simulated twin, written by several commands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from airhop.cli.common.output import say
from airhop.errors import InputError
from airhop.files import filling, is_folder
from airhop.live import Log
from airhop.progress import reporter_for_stderr

Report = Annotated[
    Path | None,
    Parameter(help="FILE.html for a page that compares the real connection with its simulated twin."),
]


def check_page(path: Path) -> None:
    """Raise InputError, before any work, if the page cannot be written."""
    if is_folder(path):
        raise InputError(f"cannot write {path}: it is a folder")
    with filling(path.parent):
        pass


def write_twin_page(log: Log, path: Path, *, live: Mapping[str, Any] | None = None, command: str) -> None:
    """Write the report of an emulation and its simulated twin, and print the report's address."""
    from airhop.report.beside import write_twin  # imports bokeh, which shell completion does not need

    write_twin(log, path, live=live, command=command, reporter=reporter_for_stderr())
    say(f"airhop: open {path.absolute().as_uri()} in a browser")
