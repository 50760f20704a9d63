"""Figures for print and for the terminal."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import synthetic
from airhop.experiments import registry
from airhop.plots.chart import draw, goodput_figure
from airhop.plots.frame import frame
from airhop.plots.style import PALETTE, styles
from airhop.plots.terminal import Series, chart
from airhop.report import chapter_of_outcome

FIG6 = registry()["yun2009/fig6"]


def luminance(color: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("background", ["#fdfdfc", "#14171c"])
@pytest.mark.parametrize("style", PALETTE, ids=lambda style: style.color)
def test_every_colour_is_seen_on_light_and_dark(style: object, background: str) -> None:
    # WCAG 2.2, 1.4.11: graphical objects need a contrast of 3:1.
    a, b = sorted((luminance(style.color), luminance(background)))  # type: ignore[attr-defined]
    assert (b + 0.05) / (a + 0.05) >= 3.0


def test_schemes_differ_without_colour() -> None:
    look = styles(FIG6.schemes)
    assert len({style.marker for style in look.values()}) == len(look)
    assert len({style.glyph for style in look.values()}) == len(look)
    assert len({style.dash for style in look.values()}) == len(look)


def lightness(color: str) -> float:
    """CIE 1976 L* of an sRGB colour, 0 to 100."""
    y = luminance(color)
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_inks_differ_in_grey() -> None:
    # A difference of 2.3 is just noticeable (Mahy et al. 1994); the palette keeps half as much again.
    levels = sorted(lightness(style.ink) for style in PALETTE)
    assert min(b - a for a, b in pairwise(levels)) > 3.45
    # WCAG 2.2, 1.4.11, on white paper.
    assert all(1.05 / (luminance(style.ink) + 0.05) >= 3.0 for style in PALETTE)


def test_more_schemes_than_colours_still_differ() -> None:
    look = styles(str(n) for n in range(24))
    assert len({(style.color, style.marker, style.dash) for style in look.values()}) == 24


def test_the_printed_figure_has_the_papers_axes_and_every_scheme() -> None:
    axes = goodput_figure(synthetic.outcome(FIG6)).axes[0]
    assert axes.get_xscale() == "log"
    assert axes.get_xlim() == (1e-4, 1e-1)
    assert axes.get_ylim() == (0.0, 3.6)
    assert [bar.get_label() for bar in axes.containers] == ["Reno", "SACK", "Snoop", "LL-ELSN"]


def test_the_printed_figure_shows_means_and_intervals() -> None:
    outcome = synthetic.outcome(FIG6)
    snoop = [row for row in outcome.rows if row.scheme == "snoop"]
    line, _, (bars,) = goodput_figure(outcome).axes[0].containers[2]
    assert list(line.get_ydata()) == [row.value.mean for row in snoop]
    for row, (low, high) in zip(snoop, bars.get_segments(), strict=True):
        assert row.value.half_width is not None
        assert (high[1] - low[1]) / 2 == pytest.approx(row.value.half_width)


def test_data_above_the_papers_axis_lengthen_it() -> None:
    means = {x: row | {"ll-elsn": 3.75} for x, row in synthetic.FIGURE6.items()}
    outcome = synthetic.outcome(FIG6, synthetic.samples(means))
    drawn = frame(outcome)
    assert drawn.y_ticks == pytest.approx((0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6, 4.2))
    assert drawn.note == "The paper's axis ends at 3.6 Mbit/s."
    figure = goodput_figure(outcome)
    assert figure.axes[0].get_ylim() == drawn.y_limits
    assert figure.get_supxlabel() == drawn.note
    paper = chapter_of_outcome(outcome, trace=False).paper
    assert paper is not None
    assert paper.ticks == drawn.y_ticks


def test_an_interval_above_the_papers_axis_lengthens_it_too() -> None:
    means = {x: row | {"ll-elsn": 3.59} for x, row in synthetic.FIGURE6.items()}
    assert frame(synthetic.outcome(FIG6, synthetic.samples(means, common=0.0, own=0.0))).note is None
    assert frame(synthetic.outcome(FIG6, synthetic.samples(means, own=0.05))).y_ticks[-1] == pytest.approx(
        4.2
    )


def test_values_left_of_the_printed_axis_are_not_drawn() -> None:
    means = {1e-5: synthetic.FIGURE6[1e-4], **synthetic.FIGURE6}
    line = goodput_figure(synthetic.outcome(FIG6, synthetic.samples(means))).axes[0].containers[0][0]
    assert min(line.get_xdata()) == 1e-4


def test_files_are_written_and_repeatable(tmp_path: Path) -> None:
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


def test_terminal_points_stand_where_their_values_are() -> None:
    lines = lines_of([Series("a", "●", "red", [(1e-4, 4.0), (1e-1, 0.0)])])
    assert lines[1].endswith("┤●" + lines[1].split("●")[1])
    assert lines[1].index("●") == lines[1].index("┤") + 1
    assert lines[8].rstrip().endswith("●")
    assert lines[8].index("●") == 49


def test_terminal_axis_is_labelled_at_the_decades() -> None:
    lines = lines_of([Series("a", "●", "red", [(1e-3, 2.0)])])
    assert lines[10].split() == ["1e-4", "1e-3", "1e-2", "1e-1"]
    tick = [place for place, c in enumerate(lines[9]) if c == "┬"][1]
    assert lines[4].index("●") == tick


def test_terminal_chart_keeps_its_width_and_names_every_series() -> None:
    lines = lines_of([Series("one", "●", "red", [(1e-3, 9.0)]), Series("two", "■", "blue", [(1e-2, 1.0)])])
    assert max(len(line) for line in lines[:-1]) <= 50
    assert "● one" in lines[-1]
    assert "■ two" in lines[-1]


def test_terminal_lines_join_the_points() -> None:
    lines = lines_of([Series("a", "●", "red", [(1e-4, 0.0), (1e-1, 4.0)])])[1:9]
    dotted = [[place for place, c in enumerate(line) if "\u2800" < c <= "\u28ff"] for line in lines]
    assert all(dotted)
    # Rising: what is higher lies further right.
    assert [places[0] for places in dotted] == sorted((places[0] for places in dotted), reverse=True)
