"""Logs of emulations, and replays: the same run again, without its hosts."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from airhop import _core
from airhop.boundary.arguments import checked
from airhop.boundary.file_kinds import LOG, kind_of_file
from airhop.errors import InputError
from airhop.files import filling, is_file
from airhop.results import Result
from airhop.scenario import Scenario


class Log:
    """What entered during an emulation, and when, in a file of `airhop emulate --log`."""

    @checked
    def __init__(self, path: str | Path) -> None:
        """Read its head. Raises InputError when it is no log, ScenarioError when its scenario is refused."""
        self.path = Path(path)
        if not is_file(self.path):
            raise InputError(f"there is no file {self.path}; airhop emulate --log FILE writes one")
        try:
            text = _core.log_header(str(self.path))
        except OSError as error:
            kind = kind_of_file(self.path)
            if kind not in (None, LOG):
                what = f"{self.path}: it is {kind}, and not what airhop emulate --log writes"
                raise InputError(f"cannot replay {what}") from None
            raise InputError(f"cannot replay: {error}") from None
        head = _head(text)
        if head is None:
            raise InputError(f"cannot replay {self.path}: expected the head that airhop emulate --log writes")
        self.head = head
        """`airhop` (the version that wrote it), `seed`, `rep`, `doors`, `headers_only` and `scenario`."""
        self.scenario = Scenario.load(head["scenario"])

    @property
    def notes(self) -> list[str]:
        """What has to be known of it, a sentence each."""
        notes = []
        if (version := self.head["airhop"]) != _core.__version__:
            notes.append(
                f"{self.path} was written by Airhop {version}, and this is {_core.__version__}:"
                " what happens may not be the same"
            )
        if self.head["headers_only"]:
            notes.append(
                f"{self.path} has headers alone: in captures all payload is zeros, and checksums do not hold"
            )
        return notes

    @checked
    def replay(self, *, trace: bool = False, pcap_dir: str | Path | None = None) -> Result:
        """Run it again; see `airhop.replay`.

        Parameters
        ----------
        trace
            Keep the tables (`Result.tables`).
        pcap_dir
            Gets one NODE.pcapng per node.

        Returns
        -------
        Result
            Run document and, when traced, tables; `notes` say whether the log was cut short.

        Raises
        ------
        InputError
            When the file is damaged.
        """
        with nullcontext() if pcap_dir is None else filling(pcap_dir) as folder:
            target = None if folder is None else str(folder)
            try:
                outcome, is_whole = _core.replay(self.scenario.core, str(self.path), trace, target)
            except OSError as error:
                raise InputError(f"cannot replay: {error}") from None
        notes = self.notes
        if not is_whole:
            notes.append(
                f"{self.path} was cut short, as by an emulator that was killed: what is there was replayed"
            )
        return Result(outcome.json(), outcome if trace else None, notes)


def _head(text: str) -> dict[str, Any] | None:
    """Read the head of a log; None where it is another program's."""
    try:
        head = json.loads(text)
    except ValueError:
        return None
    keys = {"airhop", "scenario", "seed", "rep", "doors", "headers_only"}
    return head if isinstance(head, dict) and keys <= head.keys() else None


@checked
def replay(path: str | Path, *, trace: bool = False, pcap_dir: str | Path | None = None) -> Result:
    """Run again what entered during an emulation: the same fingerprint each time, without its hosts.

    Parameters
    ----------
    path
        A log of `emulate`. Of one that was cut short, as of an emulator that was killed, what is there is
        replayed, and `Result.notes` say so.
    trace
        Keep the tables (`Result.tables`).
    pcap_dir
        Gets one NODE.pcapng per node, with the real bytes; captures of the same names are replaced.

    Returns
    -------
    Result
        As `run` gives. What only the kernel of a real sender knows, such as its timeouts, is null.

    Raises
    ------
    InputError
        When there is no such file, or it is no log of this version.
    ScenarioError
        When a file that its scenario names is not there or has changed since.
    RunError
        When the run fails.
    """
    return Log(path).replay(trace=trace, pcap_dir=pcap_dir)
