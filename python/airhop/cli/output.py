"""Where a command writes: tables on stdout, prose on stderr, and with --json one document on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 160
"""Columns to fill when stdout is no terminal: enough that no cell of a table is cut."""


def console() -> Console:
    """Open stdout for tables and charts."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def say(text: str) -> None:
    """Tell a sentence on stderr."""
    print(text, file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print the one document."""
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def table(*columns: str, title: str | None = None, left: int = 1) -> Table:
    """Start a table whose first `left` columns hold text and the others numbers."""
    made = Table(box=SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for index, column in enumerate(columns):
        made.add_column(column, justify="left" if index < left else "right", no_wrap=True)
    return made
