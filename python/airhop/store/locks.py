"""Locks between processes that write to the same store.

A lock (flock(2)) ends with its process.
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from airhop.errors import InputError
from airhop.store.errors import cannot_open
from airhop.store.layout import COMMIT_LOCK, LOCK, shard_lock


class WriterLock:
    """Lock for writing to a store, either as the only writer or as one of several shards.

    The constructor raises InputError if another process has the lock. The message names this process.
    """

    def __init__(self, runs: Path, shard: str | None) -> None:
        self._fds: list[int] = []
        try:
            if shard is None:
                self._acquire(runs / LOCK, fcntl.LOCK_EX)
            else:
                self._acquire(runs / LOCK, fcntl.LOCK_SH)
                self._acquire(runs / shard_lock(shard), fcntl.LOCK_EX)
            self._commit = self._open(runs / COMMIT_LOCK)
        except BlockingIOError:
            self.release()
            raise InputError(
                f"another process is writing into {runs.parent}: {_holders(runs, shard)}. Wait until it has "
                "ended, or choose another folder"
            ) from None
        except OSError as error:
            self.release()
            raise cannot_open(runs, error) from None

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Lock the store for writing parts during the `with` block.

        Waits for shards that hold the lock.
        """
        fcntl.flock(self._commit, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._commit, fcntl.LOCK_UN)

    def release(self) -> None:
        """Release the lock."""
        while self._fds:
            os.close(self._fds.pop())

    def _acquire(self, path: Path, kind: int) -> None:
        fd = self._open(path)
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
        if kind == fcntl.LOCK_EX:
            os.ftruncate(fd, 0)
            os.write(fd, f"process {os.getpid()} on {socket.gethostname()}".encode())

    def _open(self, path: Path) -> int:
        self._fds.append(os.open(path, os.O_RDWR | os.O_CREAT, 0o666))
        return self._fds[-1]


def _holders(runs: Path, shard: str | None) -> str:
    """Return a text with the processes that hold the lock, as recorded in the lock file."""
    shards = runs.glob(shard_lock("*")) if shard is None else [runs / shard_lock(shard)]
    held = [path.read_text() for path in (runs / LOCK, *sorted(shards)) if _is_held(path)]
    return ", ".join(held) or "a process that has just ended"


def _is_held(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
