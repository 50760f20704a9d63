"""How schemes look, the same in print, in the terminal and in the report.

Colours keep a contrast of at least 3:1 on white and on the report's dark background, so that all are about
equally bright; on paper each has its own brightness, and survives a grey print. Markers and dashes tell
schemes apart without either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class SchemeStyle:
    """Colour, marker and line of one scheme."""

    color: str
    """On screens."""
    ink: str
    """On paper: the same hue at a brightness of its own."""
    marker: str
    """matplotlib's name of the marker."""
    bokeh_marker: str
    glyph: str
    """The marker as a character."""
    dash: tuple[int, ...]
    """Line dashes in points; empty for a solid line."""


PALETTE = (
    SchemeStyle("#7d8794", "#8994a2", "o", "circle", "●", (4, 2)),
    SchemeStyle("#2f7fd6", "#1f5b9b", "s", "square", "■", (1, 1)),
    SchemeStyle("#c77700", "#b76d00", "^", "triangle", "▲", (6, 2, 1, 2)),
    SchemeStyle("#d6336c", "#7d1a3d", "D", "diamond", "◆", ()),
    SchemeStyle("#1f9d63", "#167d4e", "v", "inverted_triangle", "▼", (4, 2)),
    SchemeStyle("#8b5cf6", "#382268", "p", "hex", "⬟", (1, 1)),
    SchemeStyle("#0d9aa8", "#0d97a5", "*", "star", "★", (6, 2, 1, 2)),
    SchemeStyle("#a8643c", "#714226", "P", "plus", "✚", ()),
)
SHIFT = 3
"""By how many places markers and dashes move on when colours come again."""


def styles(schemes: Iterable[str]) -> dict[str, SchemeStyle]:
    """Give each scheme of a figure its style, by its place in the figure's list.

    Beyond the palette's end colours come again, with other markers and dashes.
    """
    return {scheme: _style(place) for place, scheme in enumerate(schemes)}


def _style(place: int) -> SchemeStyle:
    size = len(PALETTE)
    own, other = PALETTE[place % size], PALETTE[(place + SHIFT * (place // size)) % size]
    return replace(other, color=own.color, ink=own.ink)
