"""Files to read, and folders for results: complete files appear in them at the end, or nothing does."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from airhop.errors import InputError, did_you_mean


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


def is_file(path: Path) -> bool:
    """Tell whether there is something to read: a file, or a pipe as in <(…)."""
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # too long for a path, or a zero byte in it
        return False


def read_text(path: Path, what: str, known: Iterable[str]) -> str:
    """Read a file that is `what`, such as "a scenario"; `known` are names to suggest where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}.{did_you_mean(path.stem, known)}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {path}: byte {error.start} is not UTF-8; {what} is text") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def packaged_toml(folder: str) -> dict[str, str]:
    """Read the TOML files of a folder that comes with Airhop: texts by name, in order of the names."""
    found = files("airhop") / folder
    return {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in sorted(found.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }


def why(error: OSError) -> str:
    """Give the reason alone, without number and path: `Permission denied`."""
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "it is not a folder"
    return error.strerror or str(error)
