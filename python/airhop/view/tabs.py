"""Limit on the number of open tabs; further tabs show a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
from bokeh.document import Document

from airhop.view import widgets

MOST_TABS = 16
"""Maximum number of tabs.

Creating a page occupies the server thread for a quarter of a second, and the page's runs use all cores.
"""
AGAIN_S = 3
"""Reload interval in s of a tab beyond the maximum."""


class Tabs:
    """Limit of open tabs: a new tab has the page that `page` creates, or a message beyond the limit."""

    def __init__(self, page: Callable[[], Any]) -> None:
        self._page = page
        self._open = 0

    def opened(self) -> pn.Template:
        """Return the page of a new tab, or the message about the number of open tabs."""
        if self._open >= MOST_TABS:
            full = FrozenTemplate(widgets.asset("full.html"))
            full.add_variable("most", MOST_TABS)
            full.add_variable("again_s", AGAIN_S)
            full.add_variable("style", widgets.asset("page.css"))
            return full
        self._open += 1
        try:
            pn.state.on_session_destroyed(self._closed)
            return self._page()
        except BaseException:
            self._closed(None)
            raise

    def _closed(self, _context: object) -> None:
        self._open -= 1


class FrozenTemplate(pn.Template):  # type: ignore[misc]
    """Template that freezes a document's models while it fills the document.

    Bokeh then collects the models only once.
    """

    def server_doc(self, doc: Document | None = None, *arguments: Any, **options: Any) -> Document:
        """Add the page to the document of its session."""
        document = doc or pn.state.curdoc
        with document.models.freeze():
            return super().server_doc(document, *arguments, **options)
