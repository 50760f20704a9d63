"""Reading of files, and atomic writing of results into a folder: either all files appear, or none."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO

from airhop.boundary.file_kinds import kind_of
from airhop.errors import InputError, did_you_mean

LONGEST = 1 << 24
"""Maximum size of a scenario or study file in bytes. A file with ten thousand flows has a hundredth of it."""

_HIDDEN = ".airhop-"
"""Prefix of the hidden folders that `filling` creates; eight characters follow."""
_KEPT_CHARACTERS = " !#&'()+,-.;=@[]_{}~"
_LONGEST_NAME = 200
"""Maximum length of a file name in bytes. Systems allow 255, including endings."""


@contextmanager
def filling(folder: str | Path) -> Iterator[Path]:
    """Create `folder`, and yield a hidden folder in it.

    At the end of the `with` block, the files in the hidden folder move to `folder`.

    Files of the same names are replaced, and other files stay. After an error or Ctrl-C in the block,
    `folder` is unchanged. If a process was killed, the next process that fills the folder removes the hidden
    folder. Raises InputError at the start if the folder is not writable.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _clear(folder)
        hidden, lock = _hidden(folder)
    except (OSError, ValueError) as error:  # ValueError: a name that the locale cannot encode, or a zero byte
        raise InputError(f"cannot write into {folder}: {why(error)}") from None
    try:
        with hidden as name:
            yield Path(name)
            for file in sorted(Path(name).iterdir()):
                file.replace(folder / file.name)
    except OSError as error:
        if error.strerror is None or not str(error.filename or hidden.name).startswith(hidden.name):
            raise
        # the message omits the removed hidden folder
        raise OSError(error.errno, why(error), str(folder)) from None
    finally:
        os.close(lock)


def write(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Write a file through `fill`, for libraries that cannot open every path."""
    buffer = io.BytesIO()
    fill(buffer)
    path.write_bytes(buffer.getbuffer())


def _hidden(folder: Path) -> tuple[tempfile.TemporaryDirectory[str], int]:
    """Make and lock a hidden folder.

    The lock, flock(2), lasts until this process ends or closes the descriptor.
    """
    while True:
        made = tempfile.TemporaryDirectory(prefix=_HIDDEN, dir=folder)
        lock = os.open(made.name, os.O_RDONLY | os.O_DIRECTORY)
        with suppress(OSError):  # without locks on this file system, folders of killed processes stay
            fcntl.flock(lock, fcntl.LOCK_EX)
        # True unless another process removed the folder before the lock existed
        if Path(made.name).is_dir():
            return made, lock
        os.close(lock)


def _clear(folder: Path) -> None:
    """Remove hidden folders without a lock: their processes have ended."""
    for left in folder.glob(f"{_HIDDEN}????????"):
        try:
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left, ignore_errors=True)
        os.close(lock)


def is_file(path: Path) -> bool:
    """Return whether the path is a file or a pipe, such as the shell's <(…), and not a folder."""
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # the path is too long, or contains a zero byte
        return False


def is_folder(path: Path) -> bool:
    """Return whether a folder of that name exists."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_text(path: Path, what: str, known: Iterable[str]) -> str:
    """Read a file or a pipe as text.

    `what` describes the expected content, such as "a scenario". If the file is missing, the error message may
    suggest names from `known`.

    Raises InputError if the file does not exist, is too long or endless, or is not text.
    """
    data = read_bytes(path, what, did_you_mean(path.stem, known))
    if (kind := kind_of(data)) is not None:
        raise InputError(f"{path} is {kind}, and not {what}")
    try:
        return data.decode("utf-8-sig")  # without the byte-order mark that Windows writes first
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {path}: byte {error.start} is not UTF-8; {what} is text") from None


def read_bytes(path: Path, what: str, hint: str = "") -> bytes:
    """Read a file or a pipe as bytes.

    `what` describes the expected content. If the file is missing, the error message ends with `hint`, a
    sentence after a leading blank. Raises InputError if the file does not exist, or is too long or endless.
    """
    try:
        with path.open("rb") as file:
            if not _is_finite(os.fstat(file.fileno()).st_mode):
                raise InputError(f"cannot read {path}: it is not a file")
            data = file.read(LONGEST + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}.{hint}") from None
    except InputError:
        raise
    # ValueError: a zero byte in the path, or a name that the locale cannot encode
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {why(error)}") from None
    if len(data) > LONGEST:
        raise InputError(f"cannot read {path}: it has more than {LONGEST} bytes; {what} is short")
    return data


def _is_finite(mode: int) -> bool:
    """Return whether a file mode is that of a file, a pipe or a socket; a device may be endless."""
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def file_name(text: str) -> str:
    """Convert any text into the name of a file or folder; different texts have different names.

    Letters, digits, blanks and harmless characters stay. Other characters and a leading dot become %XX as in
    URLs (RFC 3986 §2.1). If the name would be too long, a digest replaces its end.
    """
    name = "".join(c if c.isalnum() or c in _KEPT_CHARACTERS else _escaped(c) for c in text)
    if not name or name.startswith("."):
        name = f"%2E{name[1:]}" if name else "%"
    if len(name.encode()) > _LONGEST_NAME:
        kept = name.encode()[: _LONGEST_NAME - 20].decode(errors="ignore")
        name = f"{kept}%%{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return name


def _escaped(character: str) -> str:
    return "".join(f"%{octet:02X}" for octet in character.encode(errors="surrogateescape"))


def packaged_toml(folder: str) -> dict[str, str]:
    """Return the texts of the TOML files in a folder of the package, sorted by file name without ending."""
    found = files("airhop") / folder
    return {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in sorted(found.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }


def why(error: OSError | ValueError) -> str:
    """Return the message of an error without number and path, as in `Permission denied`."""
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "it is not a folder"
    return getattr(error, "strerror", None) or str(error)
