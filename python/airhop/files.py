"""Folders for results: complete files appear in them at the end, or nothing does."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airhop.errors import InputError


@contextmanager
def filling(folder: str | Path) -> Iterator[Path]:
    """Make `folder` and give a hidden folder inside it to write to; its files move up when the block is done.

    Files of the same names are replaced, others stay. An error or Ctrl-C leaves everything as it was.
    Raises InputError when nothing can be written there, before any work is done.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hidden = tempfile.TemporaryDirectory(prefix=".airhop-", dir=folder)
    except OSError as error:
        raise InputError(f"cannot write into {folder}: {why(error)}") from None
    with hidden as name:
        yield Path(name)
        for file in sorted(Path(name).iterdir()):
            file.replace(folder / file.name)


def why(error: OSError) -> str:
    """Give the reason alone, without number and path: `Permission denied`."""
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "it is not a folder"
    return error.strerror or str(error)
