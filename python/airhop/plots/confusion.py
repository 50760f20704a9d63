"""Printed figure of loss classifications against true causes: one matrix per scheme, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from airhop.analysis.loss_classifications import (
    LOSS_CLASSES,
    RIGHT,
    TRUE_CAUSES,
    LossClassifications,
    share_right,
)
from airhop.hints import sent_once
from airhop.plots.paper import (
    CAPTION_LINE_IN,
    COLUMN_WIDTH_IN,
    PRINT_STYLE,
    caption,
    folded,
    new_figure,
    write,
)
from airhop.plots.quantities import GOODPUT
from airhop.plots.slices import Slice, cut
from airhop.terminal import percent, percent_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.study import Table

MATRICES_PER_ROW = 2
"""Maximum number of matrices in a row."""
ROW_IN, HEAD_IN, FOOT_IN = 0.19, 0.22, 0.66
"""Heights in inches of a row of a matrix, of the head above a matrix, and of the foot below the last matrix.
"""
LEFT_IN, GAP_IN, RIGHT_IN = 0.62, 0.16, 0.04
"""Widths in inches of the row names, of the gap between two matrices, and of the right margin."""
DARKEST = 0.75
"""Darkness (0 to 1) of a cell that contains all losses."""
CAUSES = {
    "queue": "queue",
    "aqm": "AQM",
    "channel": "channel",
    "collision": "collision",
    "none": "not lost",
}
"""Labels of true causes below the columns."""


def draw_confusion(
    table: Table,
    stem: str | Path,
    *,
    at: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw a matrix per scheme at one setting: loss classifications (rows) against true causes (columns).

    Cells are in per cent of all losses that the scheme detected, summed over replications. Correct
    classifications have a frame.

    Parameters
    ----------
    table
        Results of a study.
    stem
        Path of the files, without a suffix.
    at
        Fixed values by column of the grid; other columns are fixed at the middle of their values.
    labels
        Labels by scheme, in place of its name.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`; empty without losses.
    """
    import matplotlib as mpl

    part = cut(table, GOODPUT.column, (), at)
    samples = _samples(table, part)
    whole = LossClassifications.sum(found for sample in samples.values() for found in sample)
    if not whole.total:
        return []
    causes = [cause for cause in TRUE_CAUSES if any(whole.count(judged, cause) for judged in LOSS_CLASSES)]
    with mpl.rc_context(PRINT_STYLE | {"font.size": 7, "axes.linewidth": 0.4}):
        once = sent_once(cell.point.scenario for cell in part.cells)
        note = "; ".join(filter(None, ("Beside names: correct classifications", part.where, once)))
        lines = folded(note).count("\n")
        figure, panels = _panels(len(samples), len(whole.judged), FOOT_IN + lines * CAPTION_LINE_IN)
        for place, (panel, (scheme, sample)) in enumerate(zip(panels, samples.items(), strict=True)):
            right = share_right(sample)
            silent = "no classification" if any(found.total for found in sample) else "no loss"
            told = silent if right is None else f"{percent_interval(right)} %"
            panel.set_title(f"{(labels or {}).get(scheme, scheme)}: {told}", fontsize=7, loc="left", pad=2)
            _fill(panel, LossClassifications.sum(sample), whole.judged, causes)
            panel.set_yticks(range(len(whole.judged)), whole.judged if place % MATRICES_PER_ROW == 0 else [])
            if place + MATRICES_PER_ROW >= len(samples):
                panel.set_xlabel("true cause", fontsize=7, labelpad=1)
                heads = [CAUSES[cause] for cause in causes]
                panel.set_xticks(range(len(causes)), heads, rotation=40, ha="right")
            else:
                panel.set_xticks([])
        # Once beside all lines: the label is longer than a matrix with a single row.
        top, bottom = (panels[place].get_position() for place in (0, -1))
        middle = (top.y1 + bottom.y0) / 2
        figure.text(0.008, middle, "classified as", fontsize=7, rotation=90, ha="left", va="center")
        caption(figure, note, y=0.01)
        return write(figure, Path(stem), "Loss classifications by true cause")


def _samples(table: Table, part: Slice) -> dict[str, list[LossClassifications]]:
    """Select the classifications in the cells of a slice, by scheme and with one entry per replication."""
    found = table.judgements()
    return {cell.point.scheme: list(found[cell.point.index].values()) for cell in part.cells}


def _panels(count: int, rows: int, foot: float) -> tuple[Figure, list[Axes]]:
    """Create a figure of one column with `count` matrices.

    All sizes are fixed, because an automatic layout would take a quarter of the drawing time.
    """
    high = rows * ROW_IN
    wide = (COLUMN_WIDTH_IN - LEFT_IN - RIGHT_IN - (MATRICES_PER_ROW - 1) * GAP_IN) / MATRICES_PER_ROW
    height = ceil(count / MATRICES_PER_ROW) * (high + HEAD_IN) + foot
    figure = new_figure(COLUMN_WIDTH_IN, height, laid_out=False)
    panels = []
    for place in range(count):
        line, column = divmod(place, MATRICES_PER_ROW)
        left, bottom = LEFT_IN + column * (wide + GAP_IN), height - (line + 1) * (high + HEAD_IN)
        panels.append(
            figure.add_axes((left / COLUMN_WIDTH_IN, bottom / height, wide / COLUMN_WIDTH_IN, high / height))
        )
    return figure, panels


def _fill(panel: Axes, found: LossClassifications, judged: Sequence[str], causes: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    shares = [[found.share(loss_class, cause) for cause in causes] for loss_class in judged]
    panel.imshow(shares, cmap="Greys", vmin=0.0, vmax=1.0 / DARKEST, aspect="auto", interpolation="nearest")
    panel.tick_params(length=0, pad=2)
    for row, loss_class in enumerate(judged):
        for column, cause in enumerate(causes):
            share = shares[row][column]
            if (loss_class, cause) in RIGHT:
                corner = (column - 0.46, row - 0.42)
                panel.add_patch(Rectangle(corner, 0.92, 0.84, fill=False, linewidth=0.9, zorder=3))
            if share:
                ink = "white" if share > 0.75 else "black"
                panel.text(column, row, percent(share), ha="center", va="center", fontsize=6.5, color=ink)
