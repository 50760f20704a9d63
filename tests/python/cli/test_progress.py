"""A job reports its progress on stderr."""

import io
import time

import pytest

from airhop.progress import SILENT, BarReporter, LineReporter, Task


class Terminal(io.StringIO):
    """Stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_lines_are_printed_at_most_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 11.0, 12.0, 25.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    stream = io.StringIO()
    with LineReporter(stream).task("sweep", 4) as task:
        for _ in range(4):
            task.advance()
    assert stream.getvalue().splitlines() == [
        "sweep: 2 of 4, 0.2/s, 11 s left",
        "sweep: 4 of 4, 0.2/s, 0 s left",
    ]


def test_reused_steps_do_not_count_in_the_rate_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    task = Task("sweep", 20_000, lambda: "2 workers")
    task.reuse(10_000)
    assert task.text(102.0) == "10,000 of 20,000, 10,000 reused, 2 workers"
    task.advance(100)
    assert task.text(102.0) == "10,100 of 20,000, 10,000 reused, 50/s, 3 min left, 2 workers"


def test_a_bar_shows_label_and_status_as_the_line_reporter_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airhop.progress.PATIENCE_S", 0.0)
    stream = Terminal()
    with BarReporter(stream).task("a [study]", 4, lambda: "± 3 %") as task:
        task.advance(2)
        while "2 of 4" not in stream.getvalue():  # a separate thread draws the bar
            time.sleep(0.01)
    assert "a [study]" in stream.getvalue() and "± 3 %" in stream.getvalue()


def test_a_short_task_shows_no_progress_bar() -> None:
    stream = io.StringIO()
    with BarReporter(stream).task("sweep", 2) as task:
        task.advance(2)
    assert stream.getvalue() == ""
    assert task.done == 2


def test_the_silent_reporter_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    SILENT.say("something")
    with SILENT.task("sweep", 1) as task:
        task.advance()
    assert task.done == 1
    assert capfd.readouterr() == ("", "")
