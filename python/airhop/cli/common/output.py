"""Output of commands: tables on stdout, other text on stderr, and with --json one document on stdout."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from airhop.errors import harmless

PIPE_WIDTH = 10_000
"""Table width in characters if stdout is no terminal. Rows are then neither wrapped nor cut, so that programs
such as grep can search the rows.
"""

_OTHER_CONTROLS = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters beyond the first 32 of ASCII, and overrides of the text direction."""

MOST_ROWS = 1_000
"""Maximum number of rows of a table, because the layout of each row takes milliseconds."""

GAP = 2
"""Number of blanks between two columns of a table, and at both edges together."""


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Raise BrokenPipeError for a closed pipe; `main` handles the error.

        Rich itself would exit with code 1.
        """
        raise BrokenPipeError


class _Pipe(_Console):
    """Console for pipes and files: lines have no trailing blanks."""

    def print(self, *objects: Any, **how: Any) -> None:
        """Print without the trailing blanks of rich's tables."""
        with self.capture() as captured:
            super().print(*objects, **how)
        self.file.write(re.sub(r"[ ]+$", "", captured.get(), flags=re.MULTILINE))


def console() -> Console:
    """Return the console for tables and charts on stdout; text is printed without interpreting markup."""
    if sys.stdout.isatty():
        return _Console(highlight=False, markup=False, emoji=False)
    return _Pipe(width=PIPE_WIDTH, highlight=False, markup=False, emoji=False)


def help_console() -> Console:
    """Return the console for help on stdout.

    The width is the terminal's width. In a pipe the width is COLUMNS, by default 80.
    """
    return _Console(highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """Print a sentence on stderr, with control characters escaped, because the text may be untrusted."""
    print(harmless(text), file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print the JSON document.

    JSON escapes the control characters of ASCII. This function also escapes all other control characters.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    print(_OTHER_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def table(*columns: str, title: str | None = None, left: int = 1) -> Table:
    """Return an empty table: the first `left` columns contain text, all further columns numbers."""
    made = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        title=title,
        title_justify="left",
        title_style="bold",
    )
    for index, column in enumerate(columns):
        made.add_column(column, justify="left" if index < left else "right", no_wrap=True, vertical="bottom")
    return made


def print_table(
    out: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str,
    left: int = 1,
    most: int = MOST_ROWS,
) -> None:
    """Print a table.

    A narrow terminal omits the last columns. Rows beyond `most` are also omitted. A note reports what is
    missing.
    """
    beyond, rows = rows[most:], rows[:most]
    widths = [
        max(len(line) for cell in (column, *(row[i] for row in rows)) for line in cell.splitlines() or [""])
        for i, column in enumerate(columns)
    ]
    fitting = len(columns)
    while fitting > left + 1 and sum(widths[:fitting]) + GAP * fitting > out.width:
        fitting -= 1
    shown = table(*columns[:fitting], left=left)
    for row in rows:
        shown.add_row(*row[:fitting])
    out.print(title, style="bold")  # rich would break a title of the table at the table's width
    out.print(shown)
    if beyond:
        print_note(out, f"and {len(beyond):,} more rows; --json prints all rows")
    if fitting < len(columns):
        missing = ", ".join(column.replace("-\n", "").replace("\n", " ") for column in columns[fitting:])
        say(f"the terminal is too narrow for {missing}; --json prints all columns")


def print_note(out: Console, text: str) -> None:
    """Print a note on the table above, and a blank line."""
    out.print(f"{text}\n", style="dim")
