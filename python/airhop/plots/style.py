"""Style of schemes in print, in the terminal and in the report.

A scheme has one style in all figures: one marker, one pattern of dashes, and one colour on paper, on the page
and in the terminal. Up to eight curves of a figure have eight colours. If two schemes of the figure have the
same colour, the second scheme gets a free colour.

The eight colours are distinguishable with any colour vision. Any two differ by at least 0.075 in Oklab (0.02
is just noticeable), for normal vision and for protanopes, deuteranopes and tritanopes (Machado et al. 2009).
The colours have a contrast of 3:1 on white and on the report's dark background, where the page brightens
them. The lightnesses differ by at least 2.5 in L* (2.3 is just noticeable), so a grey print distinguishes the
colours. Each pair of marker and dashes occurs once, so curves are distinguishable without colour.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil


@dataclass(frozen=True)
class SchemeStyle:
    """Colour, marker and line of one scheme."""

    color: str
    marker: str
    """Name of the marker in matplotlib."""
    bokeh_marker: str
    glyph: str
    """Character of the marker."""
    filled: bool
    """True if the marker is filled, on paper and as a character."""
    dash: tuple[int, ...]
    """Line dashes in points; empty for a solid line."""


COLORS = ("#7a8089", "#2095d4", "#c4864f", "#e21925", "#0b7d3a", "#b435f9", "#f900bd", "#b1299a")
"""Grey, blue, ochre, red, green, violet, pink, plum."""
MARKERS = (
    ("o", "circle", "○●"),
    ("s", "square", "□■"),
    ("^", "triangle", "△▲"),
    ("D", "diamond", "◇◆"),
    ("v", "inverted_triangle", "▽▼"),
    ("p", "hex", "⬠⬟"),
    ("*", "star", "☆★"),
    ("P", "plus", "✛✚"),
)
"""Markers for matplotlib, for Bokeh, and as characters, open and filled."""
DASHES: tuple[tuple[int, ...], ...] = ((4, 2), (1, 1), (6, 2, 1, 2), ())
LAST_DASHES: tuple[tuple[int, ...], ...] = ((8, 2, 2, 2), (10, 2, 2, 2, 2, 2))
"""Dash patterns of the last rows of the table of schemes."""

PLACES = (
    ("reno", "sack", "snoop", "ll-elsn", "newreno", "tahoe", "eln", "vegas"),
    ("jtcp", "tibet", "lhp", "dcr", "veno", "westwood-plus", "jersey", "hack"),
    ("tcp-eln", "ewln", "westwood", "casablanca", "hack-fixed", "split", "westwood-nr", "ideal-bwe"),
    ("newreno-ff", "westwood-vt", "santa-cruz", "cubic", "tcp-cl", "tcp-cc", "tcp-w", "new-jersey"),
    ("dctcp", "ebsn", "bbr", "rttn", "hybla", "bbr3", "copa", "ledbat"),
    ("illinois", "eln-cubic", "htcp"),
)
"""Table of schemes with one column per colour; "" is a free place. Schemes in the same figure of a paper have
different colours if possible.
"""
ROWS = len(DASHES) + len(LAST_DASHES)


def _style(place: int) -> SchemeStyle:
    """Return the style of a place in the table of schemes, counted row by row.

    From row to row, markers advance by two and dashes by one. The last rows have the remaining markers and
    dashes of their own. Two styles differ in at least two of colour, marker and dashes.
    """
    row, column = divmod(place, len(COLORS))
    last = row - len(DASHES)
    marker, bokeh_marker, glyphs = MARKERS[(column + (1 + 2 * last if last >= 0 else 2 * row)) % len(MARKERS)]
    dashes = LAST_DASHES[last] if last >= 0 else DASHES[(column + row) % len(DASHES)]
    filled = row % 2 == 0
    return SchemeStyle(COLORS[column], marker, bokeh_marker, glyphs[filled], filled, dashes)


PALETTE = tuple(_style(place) for place in range(ROWS * len(COLORS)))
"""All styles."""
OWN = {
    name: row * len(COLORS) + column
    for row, names in enumerate(PLACES)
    for column, name in enumerate(names)
    if name
}
"""Place in the table of schemes, for each scheme with a fixed style."""


def styles(names: Iterable[str]) -> dict[str, SchemeStyle]:
    """Return the style of each curve of a figure.

    A curve whose name begins with the name of a scheme has the scheme's style. All other curves, and a second
    curve of a scheme, have unused styles. In a figure of up to eight curves each colour occurs at most once,
    in a figure of up to sixteen curves at most twice, and so on. Styles repeat only if a figure has more
    curves than `PALETTE` has styles.
    """
    listed = tuple(dict.fromkeys(names))
    taken: dict[str, int] = {}
    for name in listed:
        place = OWN.get(_scheme(name))
        if place is not None and place not in taken.values():
            taken[name] = place
    for name in listed:
        if name not in taken:
            taken[name] = _free(taken.values())
    return _with_distinct_colors({name: PALETTE[taken[name]] for name in listed})


def _with_distinct_colors(look: dict[str, SchemeStyle]) -> dict[str, SchemeStyle]:
    """Replace repeated colours of curves by unused colours."""
    colors: dict[str, str] = {}
    used = Counter[str]()
    for _ in range(ceil(len(look) / len(COLORS))):
        fewest = min(used[color] for color in COLORS)
        left = {name: style.color for name, style in look.items() if name not in colors}
        own = {color: name for name, color in reversed(left.items()) if used[color] == fewest}
        others = (name for name in left if name not in own.values())
        free = (color for color in COLORS if used[color] == fewest and color not in own)
        taken = {name: color for color, name in own.items()} | dict(zip(others, free, strict=False))
        colors |= taken
        used.update(taken.values())
    return {name: replace(style, color=colors[name]) for name, style in look.items()}


def _scheme(name: str) -> str:
    """Extract the scheme from the name of a curve, such as `ll-elsn(n=3)` or `ll-elsn, 4 attempts`."""
    found = re.match(r"[\w-]+", name)
    return found[0] if found else ""


def _free(taken: Iterable[int]) -> int:
    """Return the least used place; among several, the first place with the least used colour."""
    of_place = Counter(taken)
    of_color = Counter(place % len(COLORS) for place in of_place.elements())
    return min(range(len(PALETTE)), key=lambda place: (of_place[place], of_color[place % len(COLORS)], place))
