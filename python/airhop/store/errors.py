"""Errors of a store: the file, the failure, the kept data, the remedy."""

from __future__ import annotations

from pathlib import Path

from airhop.errors import InputError
from airhop.files import why


class StoreError(OSError):
    """The disk refused a write in the middle of a study; what had been added before is kept."""


def cannot_write(path: Path, error: OSError) -> StoreError:
    """Report that a write failed in an open store: disk full, over quota, hardware."""
    return StoreError(
        f"cannot write {path}: {why(error)}. All runs that had finished before are kept in {path.parent}; "
        "mend this and start the same command again: it computes only what is missing"
    )


def cannot_open(folder: Path, error: OSError) -> InputError:
    """Report that a folder does not take a store: it is a file, read-only, another user's."""
    return InputError(
        f"cannot write into {folder}: {why(error)}. Nothing in it was changed; choose another folder"
    )


def cannot_read(path: Path, error: OSError) -> InputError:
    """Report that a file or folder of the store exists but does not open."""
    return InputError(f"cannot read {path}: {why(error)}. Nothing was changed")


def damaged_part(path: Path, what: str) -> InputError:
    """Report that a part is not what was written."""
    return InputError(
        f"{path} is damaged: {what}. All other runs of the store are kept. Put the file back from a copy, or "
        "move it out of the folder: its runs are then computed again"
    )


def foreign_part(path: Path, what: str) -> InputError:
    """Report that a Parquet file which no store wrote stands among the parts."""
    return InputError(f"{path} is not a part of the store: {what}. Move it out of the folder")


_KEEP_OR_NOT = (
    "Put the file back from a copy; or delete what is damaged, and line 2, which counts the runs, to keep "
    "the others; or move the file out of the folder: what is missing is then computed again"
)


def damaged_line(path: Path, number: int) -> InputError:
    """Report that a journal was changed after it was written."""
    return InputError(
        f"{path} is damaged in line {number}. All other runs of the store are kept. {_KEEP_OR_NOT}"
    )


def other_format(path: Path, version: str, airhop: str) -> InputError:
    """Report that a journal was written by an Airhop that this one knows nothing of."""
    return InputError(
        f"{path} has format {version}, which this Airhop does not read: Airhop {airhop} wrote it. Open the "
        "folder with that, or choose another folder"
    )


def cut_short(path: Path, runs: int, least: int) -> InputError:
    """Report that a journal has lost runs after they were written."""
    return InputError(
        f"{path} was cut short: {least:,} runs were written, and {runs:,} are there. All other runs of the "
        f"store are kept. {_KEEP_OR_NOT}"
    )
