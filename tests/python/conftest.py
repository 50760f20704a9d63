"""Settings of all Python tests, and the fixtures that they share."""

import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from airhop import added, plugins
from browser import browser, pytest_terminal_summary, tab
from command_line import cli
from fake_core import fake_core

__all__ = ["browser", "cli", "fake_core", "pytest_terminal_summary", "tab"]

# No deadline: a busy machine is no failure. The same examples every time: a failure is everybody's.
settings.register_profile("airhop", deadline=None, derandomize=True)
settings.load_profile("airhop")

# A job in the background of a script ignores SIGINT, and so would what tests of Ctrl-C interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of tests start programs. Compiling the libraries anew would be most of what each of them does.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture
def nothing_added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Schemes that other tests of this process added are unknown for one test."""
    before = added.added()
    monkeypatch.setattr(added, "_added", {})
    monkeypatch.setattr(plugins, "_loaded", {})
    yield
    now = added.added()
    monkeypatch.undo()
    added._added = {**before, **now}
