"""Tests of Airhop's TCP by packetdrill scripts with input, expected segments and socket state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from airhop import _core
from airhop.errors import InputError, PrivilegeError
from airhop.live.privileges import missing
from airhop.progress import Reporter, Task

Kind = Literal["pass", "fail", "not-applicable", "unreadable"]
"""Verdict of a script."""


@dataclass(frozen=True)
class CheckedScript:
    """Script with its verdict."""

    path: Path
    verdict: Kind
    checks: int = 0
    """Number of checks after the handshake: segments, results of calls, and assertions."""
    line: int | None = None
    """Line where the execution stopped; None if the script ran to the end."""
    column: int | None = None
    reason: str | None = None
    """Reason of a failure, of a parse error, or of the verdict "not-applicable"."""
    expected: str | None = None
    """Failed expectation of the script."""
    seen: str | None = None
    """Behaviour of the stack instead of the expected behaviour."""
    skipped: tuple[str, ...] = ()
    """Assertions that the tested TCP cannot evaluate."""

    @property
    def told(self) -> str:
        """Line that `airhop doctor --packetdrill` prints."""
        where = f"{self.path}:{self.line}:{self.column}"
        if self.verdict == "pass":
            until = f", up to line {self.line}: {self.reason}" if self.reason else ""
            skipped = f", {len(self.skipped)} not evaluated: {self.skipped[0]}" if self.skipped else ""
            return f"pass  {self.path}: {self.checks} checks{until}{skipped}"
        if self.verdict == "fail":
            return f"fail  {where}: expected {self.expected}; seen {self.seen}"
        return f"{'n/a ' if self.verdict == 'not-applicable' else 'error'}  {where}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON, without empty fields."""
        told = asdict(self) | {"path": str(self.path), "skipped": list(self.skipped)}
        return {key: value for key, value in told.items() if value not in (None, [])}


def scripts(where: Path) -> list[Path]:
    """Return the scripts of a folder and its subfolders, sorted by name; for a file, only the file.

    Parameters
    ----------
    where
        A folder or a file.

    Raises
    ------
    InputError
        When there is no script.
    """
    found = [where] if where.is_file() else sorted(where.rglob("*.pkt"))
    if not found:
        raise InputError(f"--packetdrill {where}: expected a script, or a folder with scripts (*.pkt)")
    return found


def judge(path: Path, *, kernel: bool = False) -> CheckedScript:
    """Test Airhop's TCP, or the kernel of this machine, by a script.

    Parameters
    ----------
    path
        The script.
    kernel
        True to test the kernel, in a network namespace and in real time. The script's shell commands run in
        the namespace.

    Raises
    ------
    InputError
        When the script cannot be opened.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    told = json.loads(_core.packetdrill(str(path), text, kernel))
    skipped = tuple(f"line {note['line']}: {note['reason']}" for note in told.pop("skipped", []))
    return CheckedScript(path=path, skipped=skipped, **told)


def needs_restart() -> bool:
    """Return whether a test of the kernel needs a restart of this process as root of new namespaces.

    Raises
    ------
    PrivilegeError
        When a restart would not provide the privileges; the message has the lines of `airhop doctor`.
    """
    if lacking := missing():
        raise PrivilegeError("\n".join(one.line for one in lacking))
    return _core.needs_user_namespace()


def judge_all(paths: Iterable[Path], reporter: Reporter, *, kernel: bool = False) -> Iterator[CheckedScript]:
    """Execute the scripts one after the other, and report progress.

    Parameters
    ----------
    paths
        The scripts.
    reporter
        Receiver of progress.
    kernel
        As in `judge`.
    """
    paths = list(paths)
    with reporter.follow(Task("scripts", len(paths))) as task:
        for path in paths:
            yield judge(path, kernel=kernel)
            task.advance(1)


def summary(judged: Iterable[CheckedScript]) -> dict[Kind, int]:
    """Count the verdicts.

    Parameters
    ----------
    judged
        Scripts with their verdicts.
    """
    counts: dict[Kind, int] = dict.fromkeys(get_args(Kind), 0)
    for one in judged:
        counts[one.verdict] += 1
    return counts
