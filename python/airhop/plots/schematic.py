"""Printed drawing of a network without positions: nodes in columns, joined by wired and radio links."""

from __future__ import annotations

import textwrap
from functools import partial
from typing import TYPE_CHECKING, Any

from airhop.plots.fading import WIDE_IN
from airhop.plots.paper import new_figure
from airhop.plots.style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.analysis.schematic import Line, Schematic

COLUMN_IN, ROW_IN, MARGIN_IN = 1.9, 0.75, 0.5
"""Distances in inches between joined nodes and between rows, and margin of the drawing."""
ABOVE_IN, NOTE_IN = 0.14, 0.125
"""Distance from a link to the text above, and height of a line of text below the link, in inches."""
NOTE_CHARACTERS = 38
"""Maximum number of characters in a line of text below a link."""
SMALL = 6.5
ASIDE = 0.25
"""Position of the flash (the mark of a radio link) on a sloped line, as a share of the line's length. The
text is in the middle.
"""
INK = PALETTE[1].color
NODE: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "fontsize": 9,
    "bbox": {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "black", "linewidth": 0.8},
    "zorder": 3,
}


def schematic_figure(drawn: Schematic) -> Figure:
    """Draw nodes and links with their properties; call it inside PRINT_STYLE."""
    width = min(2 * MARGIN_IN + COLUMN_IN * max(drawn.columns - 1, 1), WIDE_IN)
    notes = NOTE_IN * max((len(_wrapped(line)) for line in drawn.lines), default=0)
    height = 2 * MARGIN_IN + (ROW_IN + notes) * (drawn.rows - 1) + notes
    figure = new_figure(width, height, laid_out=False)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    step = (width - 2 * MARGIN_IN) / max(drawn.columns - 1, 1)
    at = {
        name: (MARGIN_IN + step * column, -1.2 * MARGIN_IN - (ROW_IN + notes) * row)
        for name, (column, row) in drawn.places.items()
    }
    for line in drawn.lines:
        _draw_line(axes, line, at[line.ends[0]], at[line.ends[1]])
    for name, place in at.items():
        axes.text(*place, name, **NODE)
    axes.set_xlim(0.0, width)
    axes.set_ylim(-figure.get_figheight(), 0.0)
    axes.set_axis_off()
    return figure


def _draw_line(axes: Axes, line: Line, a: tuple[float, float], b: tuple[float, float]) -> None:
    level = a[1] == b[1]
    corners = flash(a, b, 0.5 if level else ASIDE) if line.wireless else [a, b]
    axes.plot(*zip(*corners, strict=True), color=INK if line.wireless else "0.3", linewidth=1.1, zorder=1)
    x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    head, notes = f"{line.name}\n{line.speed}".strip(), "\n".join(_wrapped(line))
    look: dict[str, Any] = {"ha": "center", "linespacing": 1.25, "zorder": 2}
    if level:
        axes.text(x, y + ABOVE_IN, head, va="bottom", fontsize=8, **look)
        axes.text(x, y - ABOVE_IN, notes, va="top", fontsize=SMALL, color="0.25", **look)
    else:  # other links are on both sides of the line
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        axes.text(x, y, f"{head}\n{notes}".strip(), va="center", fontsize=SMALL, bbox=box, **look)


def _wrapped(line: Line) -> list[str]:
    """Break the notes of a link into lines, but not between a number and its unit."""
    wrap = partial(textwrap.wrap, width=NOTE_CHARACTERS, break_on_hyphens=False)
    return [part for note in line.notes for part in wrap(note)]


def flash(a: tuple[float, float], b: tuple[float, float], at: float) -> list[tuple[float, float]]:
    """Return the corners of a line with a flash (the mark of a radio link) at the share `at` of the line."""
    (x, y), (dx, dy) = a, (b[0] - a[0], b[1] - a[1])
    corners = ((0.0, 0.0), (at + 0.03, 0.035), (at - 0.03, -0.035), (1.0, 0.0))
    return [(x + along * dx - aside * dy, y + along * dy + aside * dx) for along, aside in corners]
