"""Thread that writes files in parallel with simulations, because drawing takes as long as simulating."""

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
    """Executor that runs calls in order on one thread.

    If the `with` block ends with an exception such as Ctrl-C, all waiting calls are dropped. The running call
    is interrupted with KeyboardInterrupt, so that it can clean up.
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
        """Queue a call."""
        self._calls.append(self._pool.submit(call))

    def done(self) -> Iterator[T]:
        """Yield the results of finished calls, in order, without waiting."""
        while self._calls and self._calls[0].done():
            yield self._calls.popleft().result()

    def rest(self) -> Iterator[T]:
        """Wait for all remaining calls, and yield their results."""
        while self._calls:
            yield self._calls[0].result()
            self._calls.popleft()
