"""From words to a command: parsing, and the exit code of whatever goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

from cyclopts import App, Parameter

from airhop.cli import COMMANDS, EXIT_BAD_INPUT
from airhop.errors import InputError, ScenarioError, did_you_mean

Sets = Annotated[
    tuple[str, ...],
    Parameter(
        name="--set",
        negative="",
        show_default=False,
        help="PATH=VALUE: change a value of the scenario, as in wlan.cell.errors.fer=0.02. Can be repeated.",
    ),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json",
        negative="",
        show_default=False,
        help="Print one JSON document on stdout and nothing else there.",
    ),
]
Seed = Annotated[int, Parameter(help="Seed of every random stream.")]


def dispatch(words: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    app = App(
        name="airhop",
        help="Simulate and compare TCP over wireless links.",
        version=_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,  # `main` says what had finished
    )
    for name, summary in COMMANDS.items():
        app.command(f"airhop.cli.{name}:{name}", name=name, help=summary)
    try:
        _check_command(words[0])
        code = app(words)
    except BrokenPipeError:
        raise
    except (InputError, ScenarioError, OSError) as error:
        print(f"airhop: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    return int(code or 0)


def _check_command(word: str) -> None:
    """Refuse an unknown command here: the parser would import every command to do it."""
    if not word.startswith("-") and word not in COMMANDS:
        raise InputError(f"there is no command `{word}`.{did_you_mean(word, COMMANDS)} See airhop --help.")


def _version() -> str:
    from airhop import _core

    return _core.__version__
