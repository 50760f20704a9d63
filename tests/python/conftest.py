"""Settings of all Python tests, and the fixtures that they share."""

from hypothesis import settings

from browser import browser, pytest_terminal_summary, tab

__all__ = ["browser", "pytest_terminal_summary", "tab"]

# No deadline: a busy machine is no failure. The same examples every time: a failure is everybody's.
settings.register_profile("airhop", deadline=None, derandomize=True)
settings.load_profile("airhop")
