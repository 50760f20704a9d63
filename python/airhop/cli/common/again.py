"""Restart of the command by a program that provides privileges, for instance in new namespaces."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from airhop.errors import PrivilegeError
from airhop.files import why

_RESTART_MARK = "AIRHOP_STARTED_AGAIN"
"""Environment variable that marks a restarted process, to prevent a second restart."""


class Again(Exception):  # noqa: N818
    """Request to `dispatch` to restart the command with more privileges, by another program."""

    def __init__(self, by: Sequence[str]) -> None:
        super().__init__(f"the command must be started by {' '.join(by)}")
        self.by = by


def start_again(by: Sequence[str], words: Sequence[str]) -> NoReturn:
    """Replace this process by the program `by` that runs `airhop` with `words`.

    The process ID stays, so signals and the exit code work as before.

    Raises PrivilegeError if a restart is impossible or would not provide the privilege.
    """
    if _RESTART_MARK in os.environ:
        raise PrivilegeError(
            f"{by[0]} does not grant the right to create network namespaces: run airhop as root"
        )
    # Without -P, Python would import an `airhop` of the working directory.
    command = [*by, sys.executable, "-P", "-m", "airhop", *words]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvpe(command[0], command, os.environ | {_RESTART_MARK: "1"})
    except OSError as error:
        raise PrivilegeError(f"cannot start {by[0]} of util-linux: {why(error)}") from None
