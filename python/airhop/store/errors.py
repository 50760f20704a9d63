"""Errors of a store.

Each message names the file, the failure, the data that are kept, and the remedy.
"""

from __future__ import annotations

from pathlib import Path

from airhop.errors import InputError
from airhop.files import why


class StoreError(OSError):
    """Failed write to the disk during a study; the store keeps the runs added before."""


def cannot_write(path: Path, error: OSError) -> StoreError:
    """Create the error for a failed write in an open store: disk full, over quota, hardware."""
    return StoreError(
        f"cannot write {path}: {why(error)}. All runs that had finished before are kept in {path.parent}; "
        "remove the cause and start the same command again: it computes only the missing runs"
    )


def cannot_open(folder: Path, error: OSError) -> InputError:
    """Create the error for a path that cannot be a store: a file, or a folder without write access."""
    return InputError(
        f"cannot write into {folder}: {why(error)}. Nothing in it was changed; choose another folder"
    )


def cannot_read(path: Path, error: OSError) -> InputError:
    """Create the error for a file or folder of the store that exists but cannot be opened."""
    return InputError(f"cannot read {path}: {why(error)}. Nothing was changed")


def damaged_part(path: Path, what: str) -> InputError:
    """Create the error for a part (Parquet file of the store) with changed content."""
    return InputError(
        f"{path} is damaged: {what}. All other runs of the store are kept. Restore the file from a copy, or "
        "move it out of the folder: its runs are then computed again"
    )


def foreign_part(path: Path, what: str) -> InputError:
    """Create the error for a Parquet file in the store that no store wrote."""
    return InputError(f"{path} is not a part of the store: {what}. Move it out of the folder")


_REMEDIES_OF_JOURNALS = (
    "Restore the file from a copy; or delete the damaged lines, and line 2, which counts the runs, to keep "
    "the other runs; or move the file out of the folder: its runs are then computed again"
)


def damaged_line(path: Path, number: int) -> InputError:
    """Create the error for a journal with a changed line."""
    return InputError(
        f"{path} is damaged in line {number}. All other runs of the store are kept. {_REMEDIES_OF_JOURNALS}"
    )


def other_format(path: Path, version: str, airhop: str) -> InputError:
    """Create the error for a journal in the unknown format of another Airhop version."""
    return InputError(
        f"{path} has format {version}, which this Airhop does not read: Airhop {airhop} wrote it. Open the "
        "folder with that, or choose another folder"
    )


def cut_short(path: Path, runs: int, least: int) -> InputError:
    """Create the error for a journal with fewer runs than were written."""
    return InputError(
        f"{path} is truncated: {least:,} runs were written, and the file has {runs:,}. All other runs of the "
        f"store are kept. {_REMEDIES_OF_JOURNALS}"
    )
