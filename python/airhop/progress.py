"""Telling on stderr how far a job is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_S = 2.0
"""Nothing is shown for a job shorter than this."""
LINE_EVERY_S = 10.0
"""How often a job that does not run on a terminal says a line."""


class Task:
    """A job of a known number of steps, as its worker sees it."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0

    def advance(self, steps: int = 1) -> None:
        """Count steps as done."""
        self.done += steps


class Reporter:
    """Says nothing; the base of those that do."""

    def say(self, text: str) -> None:
        """Tell a sentence about what is going on."""

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Task]:
        """Follow a job of `total` steps."""
        del label
        yield Task(total)


SILENT = Reporter()


class LineReporter(Reporter):
    """Plain lines, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=self._stream, flush=True)

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Task]:
        """Print a line now and then while the job lasts."""
        yield _LineTask(label, total, self)


class _LineTask(Task):
    def __init__(self, label: str, total: int, reporter: LineReporter) -> None:
        super().__init__(total)
        self._label = label
        self._reporter = reporter
        self._start = self._last = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        super().advance(steps)
        now = time.monotonic()
        if now - self._last >= LINE_EVERY_S:
            self._last = now
            self._reporter.say(f"{self._label}: {self.done} of {self.total}, {now - self._start:.0f} s")


class BarReporter(Reporter):
    """A bar with the time that is left, on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self._console = Console(file=stream)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(text, highlight=False, markup=False)

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Task]:
        """Show a bar once the job has lasted for PATIENCE_S."""
        bar = self._bar()
        task = _BarTask(bar, label, total)
        # A timer and not a look at the clock in `advance`: the first step alone may take longer than that.
        timer = threading.Timer(PATIENCE_S, bar.start)
        timer.daemon = True
        timer.start()
        try:
            yield task
        finally:
            timer.cancel()
            timer.join()
            if bar.live.is_started:  # stopping one that was never shown prints an empty line
                bar.stop()

    def _bar(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        return Progress(*columns, console=self._console, transient=True)


class _BarTask(Task):
    def __init__(self, bar: Progress, label: str, total: int) -> None:
        super().__init__(total)
        self._bar = bar
        self._id = bar.add_task(label, total=total)

    def advance(self, steps: int = 1) -> None:
        super().advance(steps)
        self._bar.advance(self._id, steps)


def reporter_for_stderr() -> Reporter:
    """Choose what suits stderr."""
    return BarReporter(sys.stderr) if sys.stderr.isatty() else LineReporter(sys.stderr)
