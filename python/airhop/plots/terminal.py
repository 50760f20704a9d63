"""Line chart in the terminal: lines of braille dots, and points marked by one character per scheme."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.text import Text

# Dot bits of a braille cell (U+2800), by (column, row from the top).
BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
DOTS_X, DOTS_Y = 2, 4


@dataclass(frozen=True)
class Series:
    """One curve."""

    label: str
    glyph: str
    color: str
    points: Sequence[tuple[float, float]]


class Canvas:
    """Canvas of character cells with 2 × 4 dots; in each cell, a later mark covers an earlier mark."""

    def __init__(self, columns: int, rows: int) -> None:
        """Create an empty canvas with a size in characters."""
        self.columns, self.rows = columns, rows
        self.dots: dict[tuple[int, int], int] = {}
        self.glyphs: dict[tuple[int, int], str] = {}
        self.colors: dict[tuple[int, int], str] = {}

    def dot(self, x: int, y: int, color: str) -> None:
        """Set one dot; (0, 0) is the lower left."""
        row = self.rows * DOTS_Y - 1 - y
        cell = (x // DOTS_X, row // DOTS_Y)
        if 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows:
            self.dots[cell] = self.dots.get(cell, 0) | BRAILLE[x % DOTS_X][row % DOTS_Y]
            self.colors[cell] = color

    def line(self, a: tuple[int, int], b: tuple[int, int], color: str) -> None:
        """Draw a straight line of dots."""
        steps = max(abs(b[0] - a[0]), abs(b[1] - a[1]), 1)
        for i in range(steps + 1):
            self.dot(round(a[0] + (b[0] - a[0]) * i / steps), round(a[1] + (b[1] - a[1]) * i / steps), color)

    def mark(self, x: int, y: int, glyph: str, color: str) -> None:
        """Put a glyph into the cell that contains the dot (x, y)."""
        cell = (min(x // DOTS_X, self.columns - 1), self.rows - 1 - min(max(y // DOTS_Y, 0), self.rows - 1))
        self.glyphs[cell] = glyph
        self.colors[cell] = color

    def row(self, row: int) -> Text:
        """Return one coloured row of characters."""
        text = Text()
        for column in range(self.columns):
            cell = (column, row)
            character = self.glyphs.get(cell) or (chr(0x2800 | self.dots[cell]) if cell in self.dots else " ")
            text.append(character, style=self.colors.get(cell, ""))
        text.rstrip()
        return text


def chart(
    lines: Sequence[Series],
    *,
    title: str,
    x_limits: tuple[float, float],
    x_log: bool,
    y_ticks: Sequence[float],
    width: int,
    rows: int = 16,
    x_ticks: Sequence[float] = (),
) -> Text:
    """Draw the chart as text: title, y labels and frame, x labels, legend. Later series cover earlier ones.

    The y axis extends from the first tick to the last. Without `x_ticks`, a logarithmic x axis has ticks at
    decades, and a linear x axis at quarters.
    """
    y_limits = y_ticks[0], y_ticks[-1]
    gutter = max(len(f"{tick:g}") for tick in y_ticks) + 2
    canvas = Canvas(max(width - gutter, 20), rows)
    dots = (canvas.columns * DOTS_X - 1, rows * DOTS_Y - 1)

    def height(y: float) -> int:
        return round(min(max(fraction(y, y_limits, False), 0.0), 1.0) * dots[1])

    def place(point: tuple[float, float]) -> tuple[int, int]:
        return round(fraction(point[0], x_limits, x_log) * dots[0]), height(point[1])

    for series in lines:
        placed = [place(point) for point in series.points]
        for a, b in pairwise(placed):
            canvas.line(a, b, series.color)
    for series in lines:
        for point in series.points:
            canvas.mark(*place(point), series.glyph, series.color)

    labels = {rows - 1 - height(tick) // DOTS_Y: f"{tick:g}" for tick in y_ticks}
    text = Text(title + "\n")
    for row in range(rows):
        text.append(f"{labels.get(row, ''):>{gutter - 2}} ", style="dim")
        text.append("┤" if row in labels else "│", style="dim")
        text.append_text(canvas.row(row))
        text.append("\n")
    text.append_text(_x_axis(x_limits, x_log, x_ticks, gutter, canvas.columns))
    text.append_text(_legend(lines, gutter, width))
    return text


def _legend(lines: Sequence[Series], gutter: int, width: int) -> Text:
    """List the names of all series below the chart, in as many lines as needed."""
    text, column = Text("\n" + " " * gutter), gutter
    for series in lines:
        entry = f"{series.glyph} {series.label}"
        if column > gutter and column + len(entry) > width:
            text.rstrip()
            text.append("\n" + " " * gutter)
            column = gutter
        text.append(f"{entry}   ", style=series.color)
        column += len(entry) + 3
    text.rstrip()
    return text


def fraction(value: float, limits: tuple[float, float], log: bool) -> float:
    """Return the position of a value between the limits: 0 at the first, 1 at the second."""
    low, high = limits
    if log:
        value, low, high = math.log10(value), math.log10(low), math.log10(high)
    return (value - low) / (high - low)


def _x_axis(
    limits: tuple[float, float], log: bool, ticks: Sequence[float], gutter: int, columns: int
) -> Text:
    """Draw the lower edge of the frame, with ticks and labels."""
    ticks = ticks or _even_ticks(limits, log)
    names = [f"1e{round(math.log10(tick))}" if log else f"{tick:g}" for tick in ticks]
    edge, below = ["─"] * columns, [" "] * (columns + gutter)
    for tick, name in zip(ticks, names, strict=True):
        column = round(fraction(tick, limits, log) * (columns - 1))
        edge[column] = "┬"
        start = min(max(gutter + column - len(name) // 2, 0), len(below) - len(name))
        below[start : start + len(name)] = name
    return Text(" " * (gutter - 1) + "└" + "".join(edge) + "\n" + "".join(below), style="dim")


def _even_ticks(limits: tuple[float, float], log: bool) -> list[float]:
    """Return ticks: decades of a logarithmic axis, quarters of a linear axis."""
    low, high = limits
    if not log:
        return [low + (high - low) * i / 4 for i in range(5)]
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0**exponent for exponent in range(first, last + 1)]
