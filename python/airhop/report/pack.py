"""Compression of a page's texts, data and figures, for the browser to unpack on demand."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from bokeh.document import Document
from bokeh.models import Model

MOST_LINES = 2_000
"""Maximum number of lines of a text in a page, about 150 kB. A scenario of 10,000 flows has 900,000 lines."""


def excerpt(text: str) -> str:
    """Return the first `MOST_LINES` lines of a text, and a line with the number of omitted lines."""
    lines = text.splitlines()
    if len(lines) <= MOST_LINES:
        return text
    return "\n".join((*lines[:MOST_LINES], f"# … and {len(lines) - MOST_LINES:,} more lines"))


def pack(data: Any) -> str:
    """Compress JSON data into text for a script element of the page; page.js decompresses the text.

    Equal data give equal text. Raises ValueError for numbers that JSON lacks (nan, infinite).
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=4, mtime=0)).decode()


def template(figures: Mapping[str, Model]) -> dict[str, Any]:
    """Serialize figures that share Bokeh models; the page may draw each figure several times.

    Returns `doc` for BokehJS, and `roots`: the ID of each figure in `doc`, by name.
    """
    document = Document()
    for model in figures.values():
        document.add_root(model)
    return {
        "doc": document.to_json(deferred=False),
        "roots": {name: model.id for name, model in figures.items()},
    }


class Templates:
    """Templates of a page's figures; all chapters share one copy of each template."""

    def __init__(self) -> None:
        self.packed: dict[str, str] = {}
        """Compressed templates by id; the script unpacks a template by this id."""
        self._ids: dict[Hashable, str] = {}

    def add(self, key: Hashable, build: Callable[[], Mapping[str, Model]]) -> str:
        """Return the id of the template with a key; build the template if missing.

        `build` is called only if no page has a template with this key. The key must contain everything that
        determines the figures.
        """
        if key not in self._ids:
            self._ids[key] = f"template-{len(self._ids)}"
            if key not in _PACKED:
                _PACKED[key] = pack(template(build()))
            self.packed[self._ids[key]] = _PACKED[key]
        return self._ids[key]


_PACKED: dict[Hashable, str] = {}
"""Templates of all pages by key. A template takes a second to build, and most experiments share templates."""
