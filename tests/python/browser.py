"""Real browser for tests of pages: the system's headless Chromium, with records of console and network.

Tests use the fixture `tab`. Without Chromium these tests are skipped, with a message at the end of the run.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from patience import PATIENCE_S

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = f"no browser: none of {', '.join(NAMES)} is installed"
WITHOUT = (
    # The omnibox is a page of its own in every window: a third of the CPU time of opening a report.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # Chromium reads only the last list of this option, so the necessary entries of Playwright's list are
    # repeated.
    "AimEnabled",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
)
"""Features of Chromium that no test of a page needs."""
QUIET = (
    "--no-sandbox",  # the sandbox does not work for root, as in a container
    "--disable-dev-shm-usage",  # a container's /dev/shm may be 64 MB
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    f"--disable-features={','.join(WITHOUT)}",
)
WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW: ViewportSize = {"width": 400, "height": 800}
"""Window sizes for `tab.page.set_viewport_size`."""
PATIENCE_MS = 1000 * PATIENCE_S
"""Time limit for an element to appear, ms; long, because machines may be busy."""
OFFLINE_SCHEMES = ("data", "blob", "about")
"""Schemes of addresses that name content of the page itself, without a request."""


def eventually(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until a condition holds, because a page draws the effect of a click later."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


def settled(page: Page, look: Callable[[], Any]) -> Any:
    """Return the value of `look` when two successive calls agree, because the layout is then stable."""
    seen = [None, look()]
    while seen[-1] != seen[-2]:
        page.wait_for_timeout(100)
        seen.append(look())
    return seen[-1]


@dataclass(frozen=True)
class Tab:
    """A page, and the records of its console and network since its opening."""

    page: Page
    errors: list[str] = field(default_factory=list)
    """Console errors, uncaught exceptions and failed requests, as text."""
    requests: list[str] = field(default_factory=list)
    """Every requested address, including websockets, except content of the page itself."""

    @property
    def hosts(self) -> set[str]:
        """Hosts of the requests; empty for files."""
        return {urlsplit(address).hostname or "" for address in self.requests}

    def _listen(self) -> None:
        def ask(address: str) -> None:
            if urlsplit(address).scheme not in OFFLINE_SCHEMES:
                self.requests.append(address)

        page, errors = self.page, self.errors
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("requestfailed", lambda request: errors.append(f"{request.url}: {request.failure}"))
        page.on("request", lambda request: ask(request.url))
        page.on("websocket", lambda socket: ask(socket.url))


def find_chromium() -> str | None:
    """Find the program of the browser."""
    return next(filter(None, map(shutil.which, NAMES)), None)


# The scope is a module, not the session, because an event loop runs in this thread while the browser is open,
# and tests of other modules may start their own loops.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.skip(NO_BROWSER)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield launched
        launched.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    context = browser.new_context(
        viewport={"width": WIDE["width"], "height": WIDE["height"]},
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    opened = Tab(context.new_page())
    opened._listen()
    yield opened
    context.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line if no page was tested, because skipped tests are easily overlooked."""
    skipped = [
        report for report in terminalreporter.getreports("skipped") if NO_BROWSER in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.write_sep("!", red=True)
        terminalreporter.write_line(
            f"{len(skipped)} BROWSER TESTS WERE SKIPPED: {NO_BROWSER}. On Debian: apt-get install chromium",
            red=True,
            bold=True,
        )
