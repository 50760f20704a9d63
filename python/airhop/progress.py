"""Progress of a job on stderr: a bar on a terminal, or a line from time to time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

PATIENCE_S = 2.0
"""Minimum duration in seconds of a job whose progress is shown."""
LINE_EVERY_S = 10.0
"""Interval in seconds between progress lines if stderr is not a terminal."""
BAR_WIDTH = 24
"""Width of the bar in characters. On a terminal of 80 columns, text fits beside the bar."""


class Task:
    """Job with a number of steps that a worker reports; `total` may grow."""

    def __init__(self, label: str, total: int, status: Callable[[], str] = str) -> None:
        self.label = label
        self.total = total
        self.done = 0
        self.reused = 0
        self.on_step: Callable[[], None] | None = None
        """Callback for each step."""
        self._status = status
        self.start = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        """Count steps as done."""
        self.done += steps
        if self.on_step is not None:
            self.on_step()

    def reuse(self, steps: int) -> None:
        """Count steps that an earlier process finished; the printed rate excludes these steps."""
        self.done += steps
        self.reused += steps

    def text(self, now: float) -> str:
        """Format progress, rate, remaining time, and the status text of the job."""
        told = [f"{self.done:,} of {self.total:,}"]
        if self.reused:
            told.append(f"{self.reused:,} reused")
        rate = (self.done - self.reused) / max(now - self.start, 1e-9)
        if rate:
            left = (self.total - self.done) / rate
            told += [f"{rate:,.{0 if rate >= 10 else 1}f}/s", f"{_time(left)} left"]
        return ", ".join([*told, *filter(None, [self._status()])])


Some = TypeVar("Some", bound=Task)
"""Type of the job in `Reporter.follow`."""


class Clock(Task):
    """Job of known duration, with one step per second."""

    def text(self, now: float) -> str:  # noqa: ARG002
        """Format the elapsed seconds, and the status text of the job."""
        return ", ".join([f"{self.done:,} of {self.total:,} s", *filter(None, [self._status()])])


def _time(seconds: float) -> str:
    """Format a waiting time: `45 s`, `12 min`, `3.2 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Reporter:
    """Silent reporter and base class of the printing reporters."""

    def say(self, text: str) -> None:
        """Print a sentence about the progress."""

    @contextmanager
    def task(self, label: str, total: int, status: Callable[[], str] = str) -> Iterator[Task]:
        """Follow a job of `total` steps. `status` returns the status text at the end of a line."""
        with self.follow(Task(label, total, status)) as task:
            yield task

    @contextmanager
    def follow(self, task: Some) -> Iterator[Some]:
        """Show the progress of a job while the `with` block runs."""
        yield task


SILENT = Reporter()


class LineReporter(Reporter):
    """Plain lines, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=self._stream, flush=True)

    @contextmanager
    def follow(self, task: Some) -> Iterator[Some]:
        """Print a line every `LINE_EVERY_S` seconds while the job runs."""
        last = task.start

        def tell() -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= LINE_EVERY_S:
                last = now
                self.say(f"{task.label}: {task.text(now)}")

        task.on_step = tell
        yield task


class BarReporter(Reporter):
    """A bar with the remaining time, on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self._console = Console(file=stream)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(text, highlight=False, markup=False)

    @contextmanager
    def follow(self, task: Some) -> Iterator[Some]:
        """Show a bar once the job has run for PATIENCE_S."""
        bar = _bar(task, self._console)
        # A timer, not a check in `advance`, because the first step alone may take longer than PATIENCE_S.
        timer = threading.Timer(PATIENCE_S, bar.start)
        timer.daemon = True
        timer.start()
        try:
            yield task
        finally:
            timer.cancel()
            timer.join()
            if bar.live.is_started:  # stop() of a bar that was never shown prints an empty line
                bar.stop()


def _bar(job: Task, console: Console) -> Progress:
    """Create the bar of a job; the bar reads the job's counts several times per second."""
    from rich.progress import BarColumn, Progress, TextColumn

    class Bar(Progress):
        def get_renderables(self) -> Iterable[RenderableType]:
            told = job.text(time.monotonic())
            for shown in self.task_ids:
                self.update(shown, total=job.total, completed=job.done, told=told)
            return super().get_renderables()

    label, told = (TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[told]}"))
    bar = Bar(label, BarColumn(BAR_WIDTH), told, console=console, transient=True, refresh_per_second=4)
    bar.add_task(job.label, total=job.total, told="")
    return bar


def reporter_for_stderr() -> Reporter:
    """Choose the reporter for stderr."""
    return BarReporter(sys.stderr) if sys.stderr.isatty() else LineReporter(sys.stderr)
