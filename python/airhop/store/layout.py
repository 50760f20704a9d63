"""Names of a store's files, and lists of these files.

The folder DIR/runs contains:

    part-000001-89abcdef.parquet    part: its number, and the CRC-32 of its bytes
    writer.journal                  runs that are in no part; for a shard: shard-2-of-8.journal
    .lock  .lock-2-of-8  .commit    locks, which stay, but have no effect if no process holds them
    .part-….unfinished              part while it is written, also after its writer has been killed
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from airhop.store.errors import cannot_read, foreign_part

LOCK = ".lock"
COMMIT_LOCK = ".commit"
_PART = re.compile(r"part-(?P<number>\d{6,})-(?P<checksum>[0-9a-f]{8})\.parquet")


def journal_path(runs: Path, shard: str | None) -> Path:
    """Return the path of a writer's journal."""
    return runs / ("writer.journal" if shard is None else f"shard-{shard}.journal")


def shard_lock(shard: str) -> str:
    """Return the name of a shard's lock."""
    return f"{LOCK}-{shard}"


def part_path(runs: Path, number: int, data: bytes) -> Path:
    """Return the path of a part."""
    return runs / f"part-{number:06}-{zlib.crc32(data):08x}.parquet"


def unfinished_path(part: Path) -> Path:
    """Return the path of an unfinished part, hidden from searches for Parquet files."""
    return part.with_name(f".{part.stem}.unfinished")


def number_of(part: Path) -> int:
    """Return the number in the name of a part."""
    return int(part.name.split("-")[1])


def is_whole(part: Path, data: bytes) -> bool:
    """Return whether the checksum in a part's name matches these bytes."""
    return part.name == part_path(part.parent, number_of(part), data).name


def parts(runs: Path) -> list[Path]:
    """List the parts, oldest first. Raises InputError if the folder has any other Parquet file."""
    found = _listing(runs, ".parquet")
    for path in found:
        if not _PART.fullmatch(path.name):
            raise foreign_part(path, "its name is not the name of a part")
    return sorted(found, key=number_of)


def journals(runs: Path) -> list[Path]:
    """List the journals."""
    return _listing(runs, ".journal")


def unfinished(runs: Path) -> list[Path]:
    """List the unfinished parts of all writers, even of killed ones."""
    return _listing(runs, ".unfinished")


def _listing(runs: Path, suffix: str) -> list[Path]:
    try:
        return sorted(path for path in runs.iterdir() if path.name.endswith(suffix))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise cannot_read(runs, error) from None
