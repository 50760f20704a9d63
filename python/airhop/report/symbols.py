"""Bokeh's markers as small SVG drawings, so that legend buttons look like the marks in figures."""

from __future__ import annotations

from markupsafe import Markup

PATHS = {
    "circle": "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z",
    "square": "M3 3h10v10H3z",
    "triangle": "M8 2l6 11H2z",
    "inverted_triangle": "M8 14L2 3h12z",
    "diamond": "M8 1.5L13 8L8 14.5L3 8z",
    "hex": "M8 2l5.2 3v6L8 14l-5.2-3V5z",
    "star": "M8 1.5l1.9 4.4l4.7.5l-3.5 3.1l1 4.7L8 11.8l-4.1 2.4l1-4.7L1.4 6.4l4.7-.5z",
    "plus": "M6 2h4v4h4v4h-4v4H6v-4H2V6h4z",
    "square_pin": "M3 3q5 2.6 10 0q-2.6 5 0 10q-5-2.6-10 0q2.6-5 0-10z",
    "x": "M3.5 3.5l9 9M12.5 3.5l-9 9",
    "asterisk": "M8 2v12M2 8h12M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
    "y": "M8 8v6M8 8L3 4M8 8l5-4",
    "dash": "M4 8h8",
    "line": "M0 8h16",
    "dashed": "M0 8h4.5M6 8h4.5M12 8h4",
    "dotted": "M0 8h2M4.6 8h2M9.2 8h2M13.8 8h2",
    "dotdash": "M0 8h2M4.5 8h6.5M13.5 8h2",
    "diamond_cross": "M8 1.5L13 8L8 14.5L3 8zM8 1.5v13M3 8h10",
    "square_x": "M3 3h10v10H3zM3 3l10 10M13 3L3 13",
    "square_cross": "M3 3h10v10H3zM8 3v10M3 8h10",
    "circle_x": "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM4.1 4.1l7.8 7.8M11.9 4.1l-7.8 7.8",
    "circle_cross": "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM8 2.5v11M2.5 8h11",
}
STROKED = {
    "x",
    "asterisk",
    "y",
    "dash",
    "line",
    "dashed",
    "dotted",
    "dotdash",
    "square_x",
    "square_cross",
    "circle_x",
    "circle_cross",
    "diamond_cross",
}


def symbol(name: str, color: str) -> Markup:
    """Draw the marker as inline SVG.

    A name that ends in `-open` draws only the outline.
    """
    shape = name.removesuffix("-open")
    hollow = shape in STROKED or name.endswith("-open")
    fill = "none" if hollow else color
    return Markup(
        '<svg class="symbol" viewBox="0 0 16 16" aria-hidden="true">'
        '<path d="{}" fill="{}" stroke="{}" stroke-width="{}"/></svg>'
    ).format(PATHS[shape], fill, color, 1.8 if hollow else 0.5)
