"""Printed figure of the verdicts on claims for each reading (interpretation) of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.plots.paper import PRINT_STYLE, new_figure, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEP_IN = 0.19
"""Distance in inches between two rows, and between two columns."""
NAMES_IN, HEAD_IN, MARGIN_IN = 0.06, 0.052, 0.12
"""Width of a character of a row's name, height of a character of a column's name, and margin, all in inches.
"""
KEY_IN = 0.3
MARKERS: Mapping[str, dict[str, Any]] = {
    "holds": {"marker": "o", "facecolors": "black", "edgecolors": "black"},
    "open": {"marker": "o", "facecolors": "white", "edgecolors": "black"},
    "fails": {"marker": "x", "facecolors": "black"},
}


def draw_readings(
    verdicts: Mapping[str, Sequence[str]], groups: Sequence[tuple[str, Sequence[str]]], stem: Path, title: str
) -> list[Path]:
    """Draw a mark per claim (row) and reading of the paper (column), with a line between two questions.

    Parameters
    ----------
    verdicts
        Words by claim, one per reading: `holds`, `fails` or `open`.
    groups
        Subject of each open question, with the names of its readings.
    stem
        Path of the files, without a suffix.
    title
        Title of the documents.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`.
    """
    import matplotlib as mpl

    columns = [(about, name) for about, names in groups for name in names]
    rows = list(verdicts)
    left = NAMES_IN * max(map(len, rows)) + MARGIN_IN
    head = HEAD_IN * max(len(name) for _, name in columns) + MARGIN_IN
    width = max(left + STEP_IN * len(columns) + MARGIN_IN, 2.4)
    height = head + STEP_IN * len(rows) + KEY_IN
    with mpl.rc_context(PRINT_STYLE | {"font.size": 7}):
        figure = new_figure(width, height, laid_out=False)
        axes = figure.add_axes(
            (left / width, KEY_IN / height, STEP_IN * len(columns) / width, STEP_IN * len(rows) / height)
        )
        _mark(axes, list(verdicts.values()))
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_xticks(range(len(columns)), [name for _, name in columns], rotation=90)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        for place in range(1, len(columns)):
            if columns[place][0] != columns[place - 1][0]:
                axes.axvline(place - 0.5, color="0.5", linewidth=0.4)
        figure.legend(
            loc="lower left", ncols=3, frameon=False, fontsize=7, handletextpad=0.1, columnspacing=1.0
        )
        return write(figure, stem, title)


def _mark(axes: Axes, rows: Sequence[Sequence[str]]) -> None:
    for word, look in MARKERS.items():
        found = [(x, y) for y, row in enumerate(rows) for x, verdict in enumerate(row) if verdict == word]
        x, y = [x for x, _ in found], [y for _, y in found]
        axes.scatter(x, y, s=14, linewidths=0.8, label=word, **look)
