"""Records of deployed BPF objects, written before the first change to the kernel.

Every change has a record, even if the command is killed.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

RECORDS = Path("/run/airhop")
"""Folder of the records; on most machines a reboot empties /run."""
BOOT = Path("/proc/sys/kernel/random/boot_id")
_PLAN = "plan.json"
_MAP = "map"


@dataclass(frozen=True)
class Record:
    """Changes that a deployment makes, and the values needed to reverse these changes."""

    name: str
    """Name of the congestion control."""
    file: str = ""
    """Absolute path of the BPF object; empty if the command was killed before the first change."""
    device: str | None = None
    """Interface of the listeners; None without listeners."""
    namespace: int | None = None
    """Inode number of the network namespace in which the control becomes the default; None without one."""
    before: str | None = None
    """Default congestion control of this namespace before the deployment."""
    boot: str = ""
    """Boot ID of the kernel."""
    map: int | None = None
    """Id of the control's BPF map after the removal has begun; None before."""


def boot_id() -> str:
    """Return the kernel's identifier of this boot (random(4))."""
    return BOOT.read_text(encoding="ascii").strip()


def folder_name(name: str) -> str:
    """Return the folder name of a control: dots become hyphens, because BPF file systems reject dots."""
    return name.replace(".", "-")


def recorded() -> list[str]:
    """List the names of all records."""
    folders = sorted(RECORDS.iterdir()) if RECORDS.is_dir() else []
    return [folder.name.replace("-", ".") for folder in folders]


def read(name: str) -> Record:
    """Read a record.

    If SIGKILL truncated the record, only the name is known. The killed command had changed nothing, because
    the first change follows the complete record.
    """
    folder = RECORDS / folder_name(name)
    try:
        record = Record(**json.loads((folder / _PLAN).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        record = Record(name, boot=boot_id())
    try:
        number, end, _ = (folder / _MAP).read_text(encoding="ascii").partition("\n")
    except FileNotFoundError:
        return record
    return replace(record, map=int(number)) if end else record


def write(record: Record) -> None:
    """Write the first record of a deployed BPF object."""
    folder = RECORDS / folder_name(record.name)
    folder.mkdir(mode=0o755)
    (folder / _PLAN).write_text(json.dumps(asdict(record)), encoding="utf-8")


def begin_removal(record: Record, number: int) -> Record:
    """Add the id of the control's BPF map to a record.

    The id identifies the control after the pinned link is removed.
    """
    folder = RECORDS / folder_name(record.name)
    folder.mkdir(mode=0o755, exist_ok=True)
    (folder / _MAP).write_text(f"{number}\n", encoding="ascii")
    return replace(record, map=number)


def forget(name: str) -> None:
    """Delete a record."""
    shutil.rmtree(RECORDS / folder_name(name), ignore_errors=True)


@contextmanager
def locked() -> Iterator[None]:
    """Lock the records for this command; create the folder of records if missing."""
    RECORDS.mkdir(mode=0o755, exist_ok=True)
    folder = os.open(RECORDS, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
