"""Writer thread for files: drawing takes as long as simulating, so the two run in parallel."""

from __future__ import annotations

import ctypes
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Writer(Generic[T]):
    """Executes calls in order on a thread, and yields their results in that order.

    If its context ends with an exception (Ctrl-C, or a consumer that stops), the writer interrupts the
    current call as Ctrl-C would, so that the call can clean up, and drops all later calls.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "writer")
        self._thread = self._pool.submit(threading.get_ident).result()
        self._calls: deque[Future[T]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            if any(call.running() for call in self._calls):
                interrupt = ctypes.py_object(KeyboardInterrupt)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), interrupt)
        self._pool.shutdown()

    def submit(self, call: Callable[[], T]) -> None:
        """Queue a call after all earlier ones."""
        self._calls.append(self._pool.submit(call))

    def done(self) -> Iterator[T]:
        """Yield the available results."""
        while self._calls and self._calls[0].done():
            yield self._calls.popleft().result()

    def rest(self) -> Iterator[T]:
        """Wait for all remaining calls, and yield their results."""
        while self._calls:
            yield self._calls[0].result()
            self._calls.popleft()
