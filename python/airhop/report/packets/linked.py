"""Time axis and hover cards that all figures of a time-line share."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, CustomJSHover, HoverTool, Range1d
from bokeh.plotting import figure

from airhop.report.look import plain_figure
from airhop.report.packets.marks import HEIGHTS_PX

TIME = "@x{0.000000} s"
"""Format of times in hover cards."""
NUMBER_OR_NONE = "return isFinite(value) ? value.toFixed(1) : value > 0 ? '∞' : '–'"
"""JavaScript format of a value that may be infinite or missing."""
UNFITTED = ["unfitted"]
"""Tag of lines and marks that do not affect the range of the y axis."""


def linked(time: Range1d, name: str, label: str, **options: Any) -> figure:
    """Return a figure on the shared time axis.

    The script page.js sets the range of its y axis.
    """
    return plain_figure(
        name=name,
        height=HEIGHTS_PX[name],
        x_range=time,
        y_range=Range1d(1.0, 2.0),
        y_axis_label=label,
        **options,
    )


def source(name: str, *columns: str) -> ColumnDataSource:
    """Make an empty data source.

    The page's script fills it with the rows of this name.
    """
    return ColumnDataSource({column: [] for column in columns}, name=name)


def hover_along(plot: figure, rows: ColumnDataSource, y: str, card: str) -> None:
    """Show hover cards along an invisible line, because Bokeh's step lines have no hover cards.

    Each card describes the last change before the pointer.
    """
    unseen = plot.line("x", y, source=rows, line_alpha=0.0)
    unseen.tags = UNFITTED
    words = dict.fromkeys(("@ssthresh", "@srtt_ms"), CustomJSHover(code=NUMBER_OR_NONE))
    plot.add_tools(
        HoverTool(renderers=[unseen], tooltips=card, formatters=words, mode="vline", line_policy="prev")
    )
