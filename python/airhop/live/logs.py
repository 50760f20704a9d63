"""Logs of emulations, and replay of an emulation without real hosts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from airhop import _core
from airhop.added import added
from airhop.boundary.arguments import checked
from airhop.boundary.file_kinds import LOG, kind_of_file
from airhop.errors import InputError, ScenarioError, harmless
from airhop.files import filling, is_file
from airhop.plugins import load_installed
from airhop.results import Result
from airhop.scenario import Scenario


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_host(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("node"), str)


def _is_code(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"file", "scheme", "digest"}
        and _are_texts(value.values())
    )


FORMAT_1_KEYS: Mapping[str, Callable[[Any], bool]] = {
    "airhop": lambda value: isinstance(value, str),
    "scenario": lambda value: isinstance(value, dict),
    "seed": _is_number,
    "rep": _is_number,
    "doors": lambda value: isinstance(value, list) and all(_is_host(one) for one in value),
    "headers_only": lambda value: isinstance(value, bool),
}
"""Keys of the head of a log, and checks of their values."""
KEYS: Mapping[str, Callable[[Any], bool]] = {
    **FORMAT_1_KEYS,
    "files": lambda value: isinstance(value, dict) and _are_texts(value.values()),
    "with": lambda value: isinstance(value, list) and all(_is_code(one) for one in value),
}


class Log:
    """Log of the datagrams that entered an emulation, from a file of `airhop emulate --log`.

    The log may come from an untrusted source; the replay opens no other file of this machine.
    """

    @checked
    def __init__(self, path: str | Path) -> None:
        """Read the head of the log.

        Raises InputError if the file is no log, or if schemes of the log are not loaded. Raises ScenarioError
        if the scenario in the log is invalid.
        """
        self.path = Path(path)
        self._shown = harmless(str(self.path))
        """Path as text for notes, without lone surrogates, which are invalid in HTML pages."""
        if not is_file(self.path):
            raise InputError(f"there is no file {self.path}; airhop emulate --log FILE writes one")
        try:
            self.version, text = _core.log_header(str(self.path))
        except OSError as error:
            kind = kind_of_file(self.path)
            if kind not in (None, LOG):
                what = f"{self.path}: it is {kind}, not a log of airhop emulate --log"
                raise InputError(f"cannot replay {what}") from None
            raise InputError(f"cannot replay: {error}") from None
        head = _head(text, FORMAT_1_KEYS if self.version == 1 else KEYS)
        if head is None:
            raise InputError(f"cannot replay {self.path}: expected the head of a log of airhop emulate --log")
        self.head = head
        """Head of the log: `airhop` (version of the writer), `scenario`, `files` (contents of files that the
        scenario names, by digest), `with` (`file`, `scheme` and `digest` of each user-defined scheme),
        `seed`, `rep`, `doors` (real hosts) and `headers_only`. Format 1 lacks `files` and `with`.
        """
        self._check_schemes()
        self.scenario = self._scenario()

    def _scenario(self) -> Scenario:
        try:
            return Scenario.received(self.head["scenario"], self.head.get("files"))
        except ScenarioError as error:
            if self.version == 1 and "no file is read" in str(error):
                why = "a log of format 1 lacks the contents of files; a new emulation writes a log with them"
                raise ScenarioError(f"{error}\n\n{self.path}: {why}") from None
            raise

    def _check_schemes(self) -> None:
        """Raise InputError if a scheme of the log is not loaded, or has other code than in the log."""
        asked = self.head.get("with", [])
        if not {one["scheme"] for one in asked} <= added().keys():
            load_installed()
        wrong = []
        for one in asked:
            here = added().get(one["scheme"])
            if here is None:
                wrong.append(f"the log needs {one['file']}, which has the scheme `{one['scheme']}`")
            elif here.digest != one["digest"]:
                wrong.append(
                    f"the log needs another version of {one['file']} than the loaded one: the code of "
                    f"`{one['scheme']}` has the digest {here.digest[:16]}, expected {one['digest'][:16]}"
                )
        if wrong:
            files = " ".join(f"--with {file}" for file in dict.fromkeys(one["file"] for one in asked))
            raise InputError(
                f"cannot replay {self.path}: {'; '.join(wrong)}."
                f" A log contains no code; load the schemes: airhop replay {self.path} {files}"
            )

    @property
    def notes(self) -> list[str]:
        """Notes about the log, one sentence each."""
        notes = []
        if (version := self.head["airhop"]) != _core.__version__:
            notes.append(
                f"{self._shown} was written by Airhop {version}, and this is {_core.__version__}: the "
                "replay may differ"
            )
        if self.version == 1:
            notes.append(f"{self._shown} is a log of format 1, without checksums: damage is not detected")
        if self.head["headers_only"]:
            notes.append(
                f"{self._shown} contains only headers: captures have zeros as payload, and invalid checksums"
            )
        return notes

    @checked
    def replay(self, *, trace: bool = False, pcap_dir: str | Path | None = None) -> Result:
        """Repeat the run; see `airhop.replay`.

        Parameters
        ----------
        trace
            Record the tables (`Result.tables`).
        pcap_dir
            Folder for one NODE.pcapng per node, and one CELL.air.pcapng per 802.11 cell.

        Returns
        -------
        Result
            Run document, and trace tables if `trace` is set. `notes` has a sentence if the log was truncated,
            and `controls` has the congestion control of each real sender whose kernel reported it.

        Raises
        ------
        InputError
            When the file is damaged.
        """
        with nullcontext() if pcap_dir is None else filling(pcap_dir) as folder:
            target = None if folder is None else str(folder)
            try:
                outcome, is_whole, controls = _core.replay(self.scenario.core, str(self.path), trace, target)
            except OSError as error:
                raise InputError(f"cannot replay: {error}") from None
        notes = self.notes
        if not is_whole:
            notes.append(
                f"{self._shown} is truncated, as if the emulator was killed: it is replayed as far as it goes"
            )
        return Result(outcome.json(), outcome if trace else None, notes, controls=controls)


def _head(text: str, keys: Mapping[str, Callable[[Any], bool]]) -> dict[str, Any] | None:
    """Parse the head of a log; return None if the file belongs to another program."""
    try:
        head = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(head, dict) or not keys.keys() <= head.keys():
        return None
    return head if all(check(head[key]) for key, check in keys.items()) else None


@checked
def replay(path: str | Path, *, trace: bool = False, pcap_dir: str | Path | None = None) -> Result:
    """Replay the log of an emulation, without its hosts; every replay has the same fingerprint.

    Parameters
    ----------
    path
        Log of `emulate`. A truncated log, for example of a killed emulator, is replayed up to the truncation,
        and `Result.notes` has a sentence about it.
    trace
        Record the tables (`Result.tables`).
    pcap_dir
        Folder for one NODE.pcapng per node, with the real bytes, and one CELL.air.pcapng per 802.11 cell;
        captures of the same names are replaced.

    Returns
    -------
    Result
        Result as from `run`. Measures that only a real sender's kernel knows, such as timeouts, are null.

    Raises
    ------
    InputError
        When the file does not exist, is no log, or is damaged. Also when a scheme of the log is not loaded
        (`airhop.load`) or has changed since, because a log contains no code.
    ScenarioError
        When the scenario of the log is invalid.
    RunError
        When the run fails.
    """
    return Log(path).replay(trace=trace, pcap_dir=pcap_dir)
