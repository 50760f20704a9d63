"""Settings of all Python tests, and the fixtures that they share."""

import gc
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

# Without a deadline, because machines may be busy, and with the same examples each time, so that failures are
# reproducible.
settings.register_profile("airhop", deadline=None, derandomize=True)
settings.load_profile("airhop")

# If pytest is a background job of a script, it ignores SIGINT, and so would the processes in tests of Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of tests start Python programs. Without bytecode files, each would spend most of its time on the
# compilation of libraries.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_collection_finish() -> None:
    """Exempt the objects of imports from garbage collection, because they stay and visits take time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def nothing_added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hide the schemes that other tests of this process added, for one test."""
    before = added.added()
    monkeypatch.setattr(added, "_added", {})
    monkeypatch.setattr(plugins, "_loaded", {})
    yield
    now = added.added()
    monkeypatch.undo()
    added._added = {**before, **now}
