"""Parts of a store: immutable Parquet files, named by number and the CRC-32 of their bytes.

A damaged part is detected by its checksum before Parquet is decoded.
"""

from __future__ import annotations

import io
import os
from contextlib import suppress
from pathlib import Path

import polars as pl

from airhop.store.errors import cannot_read, cannot_write, damaged_part, foreign_part
from airhop.store.layout import is_whole, number_of, part_path, parts, unfinished, unfinished_path
from airhop.store.schema import IDENTITY


def read_part(path: Path, columns: list[str] | None = None) -> pl.DataFrame:
    """Read a part, or some columns of a part. Raises InputError if any byte has changed."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from None
    if not is_whole(path, data):
        raise damaged_part(path, f"its {len(data)} bytes differ from the written bytes")
    try:
        schema = pl.read_parquet_schema(io.BytesIO(data))
    except pl.exceptions.PolarsError:
        raise foreign_part(path, "it is not a Parquet file") from None
    if lacking := [name for name in IDENTITY if name not in schema]:
        raise foreign_part(path, f"it has no column `{lacking[0]}`")
    return pl.read_parquet(io.BytesIO(data), columns=columns)


def write_part(runs: Path, rows: pl.DataFrame) -> None:
    """Write rows as the next part; an interruption leaves no incomplete part.

    Only one process at a time may call this function for a folder. Raises StoreError if the write fails.
    """
    buffer = io.BytesIO()
    rows.write_parquet(buffer)
    data = buffer.getvalue()
    path = part_path(runs, max(map(number_of, parts(runs)), default=0) + 1, data)
    hidden = unfinished_path(path)
    try:
        for left in unfinished(runs):  # left by a process that was killed in this function
            left.unlink()
        _write_through(hidden, data)
        hidden.rename(path)
        _sync(runs)
    except OSError as error:
        with suppress(OSError):
            hidden.unlink(missing_ok=True)
        raise cannot_write(path, error) from None


def _write_through(path: Path, data: bytes) -> None:
    """Write a file and sync it to the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Sync the directory entries of a folder to the disk."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
