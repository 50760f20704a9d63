"""Data and figures inside the page: compressed, and out of the browser's way until they are wanted."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any

from bokeh.document import Document
from bokeh.models import Model


def pack(data: Any) -> str:
    """Compress what JSON can hold into text for a script element; page.js unpacks it.

    The same data give the same text. Numbers that are no JSON (nan, infinite) are refused with ValueError.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=4, mtime=0)).decode()


def template(figures: Mapping[str, Model]) -> dict[str, Any]:
    """Serialize figures that share models, to be drawn by the page, maybe more than once.

    Returns `doc`, which BokehJS reads, and `roots`: the id of each figure in it, by name.
    """
    document = Document()
    for model in figures.values():
        document.add_root(model)
    return {
        "doc": document.to_json(deferred=False),
        "roots": {name: model.id for name, model in figures.items()},
    }


class Templates:
    """The templates of a page, each packed once however many chapters draw it."""

    def __init__(self) -> None:
        self.packed: dict[str, str] = {}
        """Text by the id under which the script unpacks it."""
        self._ids: dict[Hashable, str] = {}

    def add(self, key: Hashable, build: Callable[[], Mapping[str, Model]]) -> str:
        """Give the id of the template with this key; figures are built only if it is not there yet."""
        if key not in self._ids:
            self._ids[key] = f"template-{len(self._ids)}"
            self.packed[self._ids[key]] = pack(template(build()))
        return self._ids[key]

    def same(self, key: Hashable, build: Callable[[], Mapping[str, Model]]) -> str:
        """Do as `add` for figures that every page draws alike: they are built once for all of them."""
        if key not in self._ids:
            self._ids[key] = f"template-{len(self._ids)}"
            self.packed[self._ids[key]] = _packed(build)
        return self._ids[key]


@cache
def _packed(build: Callable[[], Mapping[str, Model]]) -> str:
    return pack(template(build()))
