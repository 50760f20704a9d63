"""Style of printed figures: as wide as one column of a paper, readable in grey, with reproducible bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from airhop.numerals import NO_BREAK, tie_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.plots.style import SchemeStyle

COLUMN_WIDTH_IN = 3.5
HEIGHT_IN = 2.7
LINE_IN = 0.165
"""Height in inches of a line of a legend."""
MOST_COLUMNS = 5
"""Maximum number of columns of a legend."""
POINTS_PER_IN = 72
CAPTION_PT = 6.5
CAPTION_LINE_IN = 0.11
CAPTION_SHARE = 0.96
"""Maximum width of a line of the caption, as a share of the figure's width."""
FORMATS = ("pdf", "svg", "png")
DPI = 300
PRINT_STYLE: dict[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.linewidth": 0.6,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "legend.fontsize": 8,
    "lines.linewidth": 1.0,
    "lines.markersize": 4.0,
    "pdf.fonttype": 42,  # TrueType, because journals reject Type 3 fonts
    "svg.hashsalt": "airhop",  # makes ids depend on the content instead of random numbers
}


def new_figure(width: float, height: float, *, laid_out: bool = True) -> Figure:
    """Create an empty figure of this size in inches; if `laid_out`, matplotlib arranges the axes.

    The figure is built without pyplot, so there is no global state and no display.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from airhop.plots.styled import StyledFigure

    figure = StyledFigure(figsize=(width, height), layout="constrained" if laid_out else None)
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def canvas(ax: Axes | None, height: float = HEIGHT_IN) -> Iterator[tuple[Figure, Axes]]:
    """Yield the figure and axes to draw on: those of `ax`, or a new figure in the printed style."""
    import matplotlib as mpl

    if ax is not None:
        yield cast("Figure", ax.figure), ax
        return
    with mpl.rc_context(PRINT_STYLE):
        yield page(height)


def finish(figure: Figure, axes: Axes, told: str = "", *, own: bool) -> Figure:
    """Add the legend and the caption `told`, outside of the axes if Airhop created the figure (`own`)."""
    if own:
        if told:
            caption(figure, told)
        legend(figure)
        return figure
    if told:
        axes.set_title(told, loc="left", fontsize="small")
    if axes.get_legend_handles_labels()[1]:
        axes.legend()
    return figure


def page(height: float = HEIGHT_IN) -> tuple[Figure, Axes]:
    """Create a figure of one column."""
    figure, (axes,) = panels(1, height)
    return figure, axes


def panels(count: int, height: float = HEIGHT_IN) -> tuple[Figure, list[Axes]]:
    """Create a figure of one column, with `count` panels of this height below each other.

    The panels share their x axis.
    """
    figure = new_figure(COLUMN_WIDTH_IN, count * height)
    made = list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])
    for axes in made:
        axes.grid(visible=True, linewidth=0.3, color="0.85")
        axes.set_axisbelow(True)
    return figure, made


def folded(text: str, width_in: float = COLUMN_WIDTH_IN) -> str:
    """Break a caption into lines that fit within a width in inches."""
    import numpy as np
    from matplotlib.textpath import TextPath

    room = CAPTION_SHARE * POINTS_PER_IN * width_in
    lines: list[str] = []
    for word in tie_units(text).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        # Width of the control points, which is an upper bound of the text's width and fast to compute.
        fits = np.ptp(TextPath((0.0, 0.0), longer, size=CAPTION_PT).vertices[:, 0]) <= room
        lines[-1:] = [longer] if fits or not lines else [lines[-1], word]
    return "\n".join(lines).replace(NO_BREAK, " ")


def caption(figure: Figure, text: str, **place: Any) -> None:
    """Write a caption below the figure, on the right; call it inside PRINT_STYLE."""
    told = folded(text, figure.get_figwidth())
    figure.supxlabel(told, x=0.99, ha="right", fontsize=CAPTION_PT, color="0.4", **place)


def write(figure: Figure, stem: Path, title: str) -> list[Path]:
    """Write `stem.pdf`, `stem.svg` and `stem.png` and return their paths; call it inside PRINT_STYLE.

    If the stem ends in one of these suffixes, only that file is written.
    """
    wanted = stem.suffix[1:]
    stem, kinds = (stem.with_suffix(""), (wanted,)) if wanted in FORMATS else (stem, FORMATS)
    stem.parent.mkdir(parents=True, exist_ok=True)
    # Without dates, equal data produce equal bytes.
    facts: dict[str, dict[str, str | None]] = {
        "pdf": {"Title": title, "CreationDate": None},
        "svg": {"Title": title, "Date": None},
        "png": {"Title": title},
    }
    if figure.get_layout_engine():
        # Arrange the axes once; otherwise each format would repeat this step, which takes longer than
        # drawing.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    paths = []
    for kind in kinds:
        path = stem.with_name(f"{stem.name}.{kind}")
        figure.savefig(path, dpi=DPI, metadata=facts[kind])
        paths.append(path)
    return paths


def curve(
    axes: Axes,
    x: list[float],
    y: list[float],
    half: list[float | None],
    *,
    label: str,
    style: SchemeStyle,
    joined: bool = True,
    least: float = -inf,
) -> None:
    """Draw the means of a curve with intervals cut at `least`; if `joined`, a line joins the means."""
    below = [min(width or 0.0, mean - least) for mean, width in zip(y, half, strict=True)]
    axes.errorbar(
        x,
        y,
        yerr=[below, [width or 0.0 for width in half]],
        label=label,
        color=style.color,
        marker=style.marker,
        linestyle=dashes(style) if joined else "none",
        markerfacecolor=face(style),
        markeredgewidth=0.9,
        capsize=2.0,
        elinewidth=0.7,
        clip_on=False,
        zorder=3,
    )


def published(axes: Axes, x: Sequence[float], y: Sequence[float], *, ink: str) -> None:
    """Mark numbers printed in a paper, in the colour of the curve, with one entry in the legend."""
    first = "printed" not in axes.get_legend_handles_labels()[1]
    axes.plot(
        x,
        y,
        "x",
        color=ink,
        markersize=5.0,
        markeredgewidth=0.7,
        label="printed" if first else None,
        clip_on=False,
        zorder=4,
    )


def dashes(style: SchemeStyle) -> Any:
    """Return the line style in matplotlib's form."""
    return (0, style.dash) if style.dash else "-"


def face(style: SchemeStyle) -> str:
    """Return the fill colour of a marker."""
    return style.color if style.filled else "white"


def legend(figure: Figure, most_columns: int = MOST_COLUMNS) -> None:
    """Put the legend above the axes, in as few lines as possible.

    Each further line makes the figure higher, so that the axes keep their size.
    """
    count = len({label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]})
    if not count:
        return
    lines = ceil(count / most_columns)
    while True:
        made = figure.legend(
            frameon=False,
            ncols=ceil(count / lines),
            handlelength=2.6,
            columnspacing=1.2,
            borderaxespad=0.2,
            loc="outside upper center",
        )
        if lines == count or made.get_window_extent().width <= figure.bbox.width:
            break
        made.remove()
        lines = next(more for more in range(lines + 1, count + 1) if ceil(count / more) < ceil(count / lines))
    figure.set_figheight(figure.get_figheight() + (lines - 1) * LINE_IN)
