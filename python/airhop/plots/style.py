"""How schemes look, the same in print, in the terminal and in the report.

Colours keep a contrast of at least 3:1 on white and on the report's dark background; markers and dashes tell
schemes apart without colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class SchemeStyle:
    """Colour, marker and line of one scheme."""

    color: str
    marker: str
    """matplotlib's name of the marker."""
    bokeh_marker: str
    glyph: str
    """The marker as a character."""
    dash: tuple[int, ...]
    """Line dashes in points; empty for a solid line."""


PALETTE = (
    SchemeStyle("#7d8794", "o", "circle", "●", (4, 2)),
    SchemeStyle("#2f7fd6", "s", "square", "■", (1, 1)),
    SchemeStyle("#c77700", "^", "triangle", "▲", (6, 2, 1, 2)),
    SchemeStyle("#d6336c", "D", "diamond", "◆", ()),
    SchemeStyle("#1f9d63", "v", "inverted_triangle", "▼", (4, 2)),
    SchemeStyle("#8b5cf6", "p", "hex", "⬟", (1, 1)),
    SchemeStyle("#0d9aa8", "*", "star", "★", (6, 2, 1, 2)),
    SchemeStyle("#a8643c", "P", "plus", "✚", ()),
)


def styles(schemes: Iterable[str]) -> dict[str, SchemeStyle]:
    """Give each scheme of a figure its style, by its place in the figure's list."""
    return {scheme: PALETTE[place % len(PALETTE)] for place, scheme in enumerate(schemes)}
