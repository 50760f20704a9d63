"""Common style of interactive figures in the light theme; page.js recolours them for the dark theme."""

from __future__ import annotations

from typing import Any

from bokeh.models import BasicTickFormatter
from bokeh.plotting import figure

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
LIGHT_TEXT, LIGHT_AXIS = "#59636e", "#8c959f"  # --label and --axis of page.css
GRID, GRID_ALPHA = "#7d8794", 0.18  # visible on light and dark pages and in print
POWER_LIMIT = 9
"""Smallest decimal exponent of ticks in the form 1e+9. Smaller ticks have plain digits, as in 120000 kB."""
TOOLTIP = '<div style="font:12px/1.45 {font};color:#1b1f24;font-variant-numeric:tabular-nums">{body}</div>'


def plain_figure(**options: Any) -> figure:
    """Make a figure as wide as the page's column, without frame, toolbar or fill."""
    plot = figure(
        sizing_mode="stretch_width",
        tools="",
        toolbar_location=None,
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_color=None,
        min_border_left=72,
        min_border_right=14,
        **options,
    )
    for axis in plot.axis:
        if isinstance(axis.formatter, BasicTickFormatter):
            axis.formatter.power_limit_high = POWER_LIMIT
    plot.axis.axis_label_text_font_style = "normal"
    plot.axis.axis_label_text_font = plot.axis.major_label_text_font = FONT
    plot.axis.axis_label_text_font_size = "13px"
    plot.axis.major_label_text_font_size = "12px"
    plot.axis.major_tick_in = 0
    plot.axis.major_tick_out = 4
    plot.axis.minor_tick_out = 2
    plot.axis.axis_label_text_color = plot.axis.major_label_text_color = LIGHT_TEXT
    plot.axis.axis_line_color = plot.axis.major_tick_line_color = plot.axis.minor_tick_line_color = LIGHT_AXIS
    plot.grid.grid_line_color = GRID
    plot.grid.grid_line_alpha = GRID_ALPHA
    return plot


def tooltip(head: str, *rows: tuple[str, str]) -> str:
    """Return the HTML of a hover card: a bold first line, then names and values."""
    lines = "".join(f'<div><span style="color:#59636e">{name}</span> {value}</div>' for name, value in rows)
    return TOOLTIP.format(font=FONT.replace("'", ""), body=f"<b>{head}</b>{lines}")
