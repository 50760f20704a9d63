"""Figures have distinct styles and all values, in print and in the terminal."""

from __future__ import annotations

from collections import Counter
from io import StringIO
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from rich.console import Console

import synthetic
from airhop import catalogue
from airhop.experiments.frame import frame
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.plots.paper import PRINT_STYLE, curve, legend, page
from airhop.plots.style import OWN, PALETTE, PLACES, styles
from airhop.plots.terminal import Series, chart
from airhop.report import chapter_of_outcome
from airhop.reproduction import print_outcome
from airhop.reproduction.chart import draw, goodput_figure


def luminance(color: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("background", ["#fdfdfc", "#14171c"])
@pytest.mark.parametrize("style", PALETTE, ids=lambda style: style.color)
def test_every_colour_has_contrast_on_light_and_dark_backgrounds(style: object, background: str) -> None:
    # WCAG 2.2, 1.4.11: graphical objects need a contrast of 3:1.
    a, b = sorted((luminance(style.color), luminance(background)))  # type: ignore[attr-defined]
    assert (b + 0.05) / (a + 0.05) >= 3.0


def test_schemes_differ_without_colour() -> None:
    look = styles(["reno", "sack", "snoop", "ll-elsn"])
    assert len({style.marker for style in look.values()}) == len(look)
    assert len({style.glyph for style in look.values()}) == len(look)
    assert len({style.dash for style in look.values()}) == len(look)
    for a, b in combinations(PALETTE, 2):
        shared = (a.color == b.color) + (a.marker == b.marker) + (a.dash == b.dash)
        assert shared <= 1, (a, b)


def test_a_scheme_has_the_same_style_in_every_figure() -> None:
    built_in = [scheme["name"] for scheme in catalogue.built_in()]
    together = styles(built_in)
    assert set(OWN) == set(built_in), "every scheme has its own place in `style.PLACES`"
    assert len(set(together.values())) == len(built_in)
    for name in built_in:
        assert styles(["mine", name])[name] == together[name] == PALETTE[OWN[name]]
    variants = styles(["ll-elsn(n=3)", "mine", "reno, 4 attempts"])
    assert [variants["ll-elsn(n=3)"], variants["reno, 4 attempts"]] == list(
        styles(["ll-elsn", "reno"]).values()
    )


def test_variants_of_a_scheme_and_user_schemes_have_unused_colours() -> None:
    look = styles(["reno", "reno, 4 attempts", "mine", "ll-elsn"])
    assert len({style.color for style in look.values()}) == 4
    assert styles(["ll-elsn(n=3)", "ll-elsn"])["ll-elsn(n=3)"] == styles(["ll-elsn"])["ll-elsn"], "the first"


OKLAB = (
    ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
     (0.0883024619, 0.2817188376, 0.6299787005)),
    ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
     (0.0259040371, 0.7827717662, -0.8086757660)),
)  # fmt: skip
"""From linear sRGB to the cubes of cone responses, and from these to L, a, b (Ottosson 2020)."""
VISIONS = {
    "normal": np.eye(3),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                     (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                   (0.004733, 0.691367, 0.303900)),
}  # fmt: skip
"""Linear sRGB with colour vision deficiencies (Machado, Oliveira and Fernandes 2009, table 1, severity 1)."""


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_differ_for_normal_and_colour_blind_vision(vision: str) -> None:
    colors = {style.color for style in PALETTE}
    channels = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in colors])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    cones, axes = map(np.array, OKLAB)
    seen = np.cbrt(np.clip(linear @ np.array(VISIONS[vision]).T, 0, 1) @ cones.T) @ axes.T
    # 0.02 is just noticeable; lines are thin.
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.075


def lightness(color: str) -> float:
    """CIE 1976 L* of an sRGB colour, 0 to 100."""
    y = luminance(color)
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_colours_differ_in_grey() -> None:
    # A difference of 2.3 is just noticeable (Mahy et al. 1994).
    levels = sorted({lightness(style.color) for style in PALETTE})
    assert min(b - a for a, b in pairwise(levels)) > 2.5


def test_up_to_eight_curves_have_different_colours() -> None:
    for names in combinations(OWN, 2):
        assert len({style.color for style in styles(names).values()}) == 2, names
    today = ["cubic", "vegas", "ledbat", "dctcp", "reno", "illinois", "htcp", "jersey"]  # many of one column
    look = styles(today)
    assert len({style.color for style in look.values()}) == 8
    for name in today:  # marker and dashes, which also identify a scheme, stay unchanged
        own = PALETTE[OWN[name]]
        assert (look[name].marker, look[name].dash, look[name].filled) == (own.marker, own.dash, own.filled)
    ten = [*today, "cubic, 4 attempts", "vegas(gamma=1)"]
    assert sorted(Counter(style.color for style in styles(ten).values()).values()) == [1] * 6 + [2] * 2


def test_common_schemes_always_have_their_assigned_colours() -> None:
    today = ["reno", "sack", "newreno", "cubic", "bbr", "bbr3", "copa", "vegas"]
    assert {name: style.color for name, style in styles(today).items()} == {
        name: PALETTE[OWN[name]].color for name in today
    }


def test_more_schemes_than_styles_can_be_drawn() -> None:
    look = styles(str(n) for n in range(60))
    assert len(look) == 60
    assert len({(style.color, style.marker, style.dash) for style in look.values()}) == len(PALETTE) == 48


def test_a_legend_of_13_curves_is_above_the_axes_and_inside_the_page() -> None:
    names = [name for row in PLACES for name in row][:13]
    with mpl.rc_context(PRINT_STYLE):
        figure, axes = page()
        look = styles(names)
        for place, name in enumerate(names):
            curve(axes, [0.0, 1.0], [place, place], [0.1, 0.1], label=name.capitalize(), style=look[name])
        axes.set_xlabel("Frame error rate")
        legend(figure)
        figure.canvas.draw()
        box, frame_ = figure.legends[0].get_window_extent(), axes.get_window_extent()
        alone, few = page()
        curve(few, [0.0, 1.0], [0.0, 1.0], [0.1, 0.1], label="Reno", style=look["reno"])
        few.set_xlabel("Frame error rate")
        legend(alone)
        alone.canvas.draw()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height
    assert box.y0 >= frame_.y1
    # The axes are as high as with a legend of one line.
    assert frame_.height == pytest.approx(few.get_window_extent().height, rel=0.05)


def test_the_printed_figure_has_the_papers_axes_and_every_scheme() -> None:
    panels = goodput_figure(synthetic.outcome(FIG6)).axes
    for axes, curves in zip(panels, FIG6.panels, strict=True):
        assert axes.get_xscale() == "log"
        assert axes.get_xlim() == (1e-4, 1e-1)
        assert axes.get_ylim() == (0.0, 3.6)
        assert [bar.get_label() for bar in axes.containers] == [FIG6.labels[curve] for curve in curves]
    assert sum(FIG6.panels, ()) == tuple(FIG6.labels)
    assert [axes.texts[0].get_text() for axes in panels] == ["(a)", "(b)"]


def test_the_printed_figure_has_means_and_intervals() -> None:
    outcome = synthetic.outcome(FIG6)
    snoop = [row for row in outcome.rows if row.scheme == "snoop"]
    line, _, (bars,) = goodput_figure(outcome).axes[0].containers[2]
    assert list(line.get_ydata()) == [row.value.mean for row in snoop]
    for row, (low, high) in zip(snoop, bars.get_segments(), strict=True):
        assert row.value.half_width is not None
        assert (high[1] - low[1]) / 2 == pytest.approx(row.value.half_width)


def test_data_above_the_papers_axis_extend_the_axis() -> None:
    means = {x: row | {"ll-elsn": 3.75} for x, row in synthetic.FIGURE6.items()}
    outcome = synthetic.outcome(FIG6, synthetic.samples(means))
    drawn = frame(outcome)
    assert drawn.y_ticks == pytest.approx((0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6, 4.2))
    assert drawn.note == "The paper's axis ends at 3.6 Mbit/s."
    told = "Above the paper's axis, which ends at 3.6 Mbit/s: LL-ELSN 3.75 ±"
    assert (drawn.beyond or "").startswith(told)
    console = Console(width=96, record=True, file=StringIO())
    print_outcome(outcome, console)
    shown = console.export_text()
    assert shown.index(told) < shown.index("holds")  # where claims are checked
    figure = goodput_figure(outcome)
    assert figure.axes[0].get_ylim() == drawn.y_limits
    assert figure.get_supxlabel() == f"{drawn.note} Each frame sent once (attempts = 1)."
    printed = chapter_of_outcome(outcome, trace=False).printed
    assert printed is not None
    assert printed.ticks == drawn.y_ticks


def test_an_interval_above_the_papers_axis_extends_the_axis() -> None:
    means = {x: row | {"ll-elsn": 3.59} for x, row in synthetic.FIGURE6.items()}
    assert frame(synthetic.outcome(FIG6, synthetic.samples(means, common=0.0, own=0.0))).note is None
    assert frame(synthetic.outcome(FIG6, synthetic.samples(means, own=0.05))).y_ticks[-1] == pytest.approx(
        4.2
    )


def test_values_left_of_the_printed_axis_are_not_drawn() -> None:
    means = {1e-5: synthetic.FIGURE6[1e-4], **synthetic.FIGURE6}
    line = goodput_figure(synthetic.outcome(FIG6, synthetic.samples(means))).axes[0].containers[0][0]
    assert min(line.get_xdata()) == 1e-4


def test_figures_are_written_and_identical_when_repeated(tmp_path: Path) -> None:
    outcome = synthetic.outcome(FIG6)
    first, again = draw(outcome, tmp_path / "a"), draw(outcome, tmp_path / "b")
    assert [path.name for path in first] == ["a.pdf", "a.svg", "a.png"]
    assert first[0].read_bytes().startswith(b"%PDF")
    assert b"<svg" in first[1].read_bytes()
    assert first[2].read_bytes().startswith(b"\x89PNG")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def lines_of(series: list[Series], width: int = 50, rows: int = 8) -> list[str]:
    text = chart(
        series,
        title="Goodput",
        x_limits=(1e-4, 1e-1),
        x_log=True,
        y_ticks=(0.0, 1.0, 2.0, 3.0, 4.0),
        width=width,
        rows=rows,
    )
    return text.plain.splitlines()


def test_terminal_points_are_at_the_positions_of_their_values() -> None:
    lines = lines_of([Series("a", "●", "red", [(1e-4, 4.0), (1e-1, 0.0)])])
    assert lines[1].endswith("┤●" + lines[1].split("●")[1])
    assert lines[1].index("●") == lines[1].index("┤") + 1
    assert lines[8].rstrip().endswith("●")
    assert lines[8].index("●") == 49


def test_the_terminal_axis_is_labelled_at_the_decades() -> None:
    lines = lines_of([Series("a", "●", "red", [(1e-3, 2.0)])])
    assert lines[10].split() == ["1e-4", "1e-3", "1e-2", "1e-1"]
    tick = [place for place, c in enumerate(lines[9]) if c == "┬"][1]
    assert lines[4].index("●") == tick


def test_the_terminal_chart_fits_its_width_and_names_every_series() -> None:
    lines = lines_of([Series("one", "●", "red", [(1e-3, 9.0)]), Series("two", "■", "blue", [(1e-2, 1.0)])])
    assert max(len(line) for line in lines[:-1]) <= 50
    assert "● one" in lines[-1]
    assert "■ two" in lines[-1]


def test_terminal_lines_join_the_points() -> None:
    lines = lines_of([Series("a", "●", "red", [(1e-4, 0.0), (1e-1, 4.0)])])[1:9]
    dotted = [[place for place, c in enumerate(line) if "\u2800" < c <= "\u28ff"] for line in lines]
    assert all(dotted)
    # Rising: the higher label is further right.
    assert [places[0] for places in dotted] == sorted((places[0] for places in dotted), reverse=True)
