"""Airhop's TCP held to packetdrill scripts: what a peer does, and what a TCP must send and say of itself."""

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
"""What becomes of a script."""


@dataclass(frozen=True)
class Judged:
    """A script with its verdict."""

    path: Path
    verdict: Kind
    checks: int = 0
    """Segments, results of calls and assertions that were compared, without the handshake."""
    line: int | None = None
    """Where the verdict was reached, if that was before the end."""
    column: int | None = None
    reason: str | None = None
    """Why the script ended early, does not apply, or cannot be read."""
    expected: str | None = None
    """By the script that fails."""
    seen: str | None = None
    """By the stack."""
    skipped: tuple[str, ...] = ()
    """Assertions that the stack has no answer to."""

    @property
    def told(self) -> str:
        """What `airhop doctor --packetdrill` prints of it."""
        where = f"{self.path}:{self.line}:{self.column}"
        if self.verdict == "pass":
            until = f", up to line {self.line}: {self.reason}" if self.reason else ""
            skipped = f", {len(self.skipped)} not evaluated: {self.skipped[0]}" if self.skipped else ""
            return f"pass  {self.path}: {self.checks} checks{until}{skipped}"
        if self.verdict == "fail":
            return f"fail  {where}: expected {self.expected}; seen {self.seen}"
        return f"{'n/a ' if self.verdict == 'not-applicable' else 'error'}  {where}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Give what is known of it for JSON."""
        told = asdict(self) | {"path": str(self.path), "skipped": list(self.skipped)}
        return {key: value for key, value in told.items() if value not in (None, [])}


def scripts(where: Path) -> list[Path]:
    """Find the scripts of a folder, with its folders, in the order of their names; a file is one itself.

    Parameters
    ----------
    where
        A folder or a file.

    Raises
    ------
    InputError
        There is none.
    """
    found = [where] if where.is_file() else sorted(where.rglob("*.pkt"))
    if not found:
        raise InputError(f"--packetdrill {where}: expected a script, or a folder with scripts (*.pkt)")
    return found


def judge(path: Path, *, kernel: bool = False) -> Judged:
    """Hold Airhop's TCP to a script, or the kernel of this machine.

    Parameters
    ----------
    path
        The script.
    kernel
        The kernel, in a network namespace, in real time. The script's shell commands are run there.

    Raises
    ------
    InputError
        It cannot be opened.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    told = json.loads(_core.packetdrill(str(path), text, kernel))
    skipped = tuple(f"line {note['line']}: {note['reason']}" for note in told.pop("skipped", []))
    return Judged(path=path, skipped=skipped, **told)


def needs_restart() -> bool:
    """Tell whether this process has to be started anew as root of namespaces of its own to ask the kernel.

    Raises
    ------
    PrivilegeError
        That would not help either; the lines of `airhop doctor`.
    """
    if lacking := missing():
        raise PrivilegeError("\n".join(one.line for one in lacking))
    return _core.needs_user_namespace()


def judge_all(paths: Iterable[Path], reporter: Reporter, *, kernel: bool = False) -> Iterator[Judged]:
    """Judge one script after the other, and tell how far that is.

    Parameters
    ----------
    paths
        The scripts.
    reporter
        Who tells.
    kernel
        As in `judge`.
    """
    paths = list(paths)
    with reporter.follow(Task("scripts", len(paths))) as task:
        for path in paths:
            yield judge(path, kernel=kernel)
            task.advance(1)


def summary(judged: Iterable[Judged]) -> dict[Kind, int]:
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
