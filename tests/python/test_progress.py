"""What is said on stderr while a job lasts."""

import io

import pytest

from airhop.progress import SILENT, BarReporter, LineReporter


def test_lines_come_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 11.0, 12.0, 25.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    stream = io.StringIO()
    with LineReporter(stream).task("sweep", 4) as task:
        for _ in range(4):
            task.advance()
    assert stream.getvalue().splitlines() == ["sweep: 2 of 4, 11 s", "sweep: 4 of 4, 25 s"]


def test_short_job_shows_no_bar() -> None:
    stream = io.StringIO()
    with BarReporter(stream).task("sweep", 2) as task:
        task.advance(2)
    assert stream.getvalue() == ""
    assert task.done == 2


def test_silence(capfd: pytest.CaptureFixture[str]) -> None:
    SILENT.say("something")
    with SILENT.task("sweep", 1) as task:
        task.advance()
    assert task.done == 1
    assert capfd.readouterr() == ("", "")
