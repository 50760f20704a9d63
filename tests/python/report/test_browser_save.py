"""Downloads from a report in a real browser: the page itself makes SVG and PNG figures, and CSV tables."""

from __future__ import annotations

import csv
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import synthetic_study
from airhop.report import Chapter, write_report
from browser import Tab

STUDY = synthetic_study.study("errors", schemes=("reno", "snoop", "ll-elsn"))
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chapter = Chapter.of_table(STUDY, trace=False)  # type: ignore[arg-type]
    return write_report([chapter], tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def opened(tab: Tab, report: Path) -> Tab:
    tab.page.goto(report.as_uri())
    tab.page.wait_for_selector("html[data-ready]", state="attached")
    tab.page.wait_for_function("() => chapters[0].drawn.get('means')?.sources.get('data:0').data.x.length")
    return tab


def saved(tab: Tab, host: str, kind: str, *, key: str | None = None) -> tuple[str, bytes]:
    """Press a button, by a click or by a key, and return the name and the content of the file."""
    button = tab.page.locator(f"{host} [data-save={kind}]")
    with tab.page.expect_download() as download:
        button.press(key) if key else button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def colours(svg: bytes) -> list[bytes]:
    """Return the colours of an SVG, in the order of its elements."""
    return re.findall(rb' (?:fill|stroke)="([^"]+)"', svg)


def texts(svg: bytes) -> list[str]:
    """Return the texts of an SVG."""
    return ["".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_a_figure_is_saved_with_its_caption_and_the_legend_of_its_visible_curves(
    opened: Tab, report: Path
) -> None:
    name, svg = saved(opened, "[data-view=means]", "svg")
    assert name == "errors-goodput-mbit-s-against-frame-error-rate-of-cell-with-95-intervals.svg"
    caption, *legend = texts(svg)[:4]
    assert caption == "Goodput (Mbit/s) against frame error rate of cell, with 95 % intervals."
    assert legend == ["reno", "snoop", "ll-elsn"]
    assert "frame error rate of cell" in texts(svg)[4:]  # the axis of the figure
    assert b"<image" not in svg
    opened.page.click(".schemes button:has-text('snoop')")
    _, without = saved(opened, "[data-view=means]", "svg")
    assert texts(without)[1:3] == ["reno", "ll-elsn"]
    assert opened.requests == [report.as_uri()]
    assert opened.errors == []


def test_a_png_has_twice_the_pixels_of_the_svg(opened: Tab) -> None:
    _, svg = saved(opened, "[data-view=distribution]", "svg")
    _, png = saved(opened, "[data-view=distribution]", "png")
    assert png.startswith(b"\x89PNG")
    root = ET.fromstring(svg)
    size = [float(root.attrib[side]) for side in ("width", "height")]
    assert struct.unpack(">II", png[16:24]) == tuple(round(2 * side) for side in size)
    assert opened.errors == []


def test_a_saved_figure_has_the_light_theme_and_the_page_keeps_the_dark_theme(opened: Tab) -> None:
    _, light = saved(opened, "[data-view=means]", "svg")
    opened.page.click("#theme")
    assert opened.page.locator("html").get_attribute("data-theme") == "dark"
    _, dark = saved(opened, "[data-view=means]", "svg")
    assert colours(dark) == colours(light) != []
    assert opened.page.locator("html").get_attribute("data-theme") == "dark"


def test_the_list_of_points_is_saved_with_full_numbers_in_the_order_shown(opened: Tab) -> None:
    page = opened.page
    page.click("#study-errors-tables summary:has-text('points')")
    page.locator("#study-errors-points [role=columnheader]", has_text="mean").locator("button").click()
    name, content = saved(opened, "details:has(#study-errors-points)", "csv", key="Enter")
    assert name == "errors-points-goodput-mbit-s.csv"
    head, *rows = csv.reader(content.decode().splitlines())
    assert head == ["scheme", "frame error rate of cell", "n", "mean", "± 95 %", "difference",
                    "difference ± 95 %", "correlation", "ratio", "ratio low", "ratio high"]  # fmt: skip
    assert [float(row[3]) for row in rows] == sorted((float(row[3]) for row in rows), reverse=True)
    written = {(row[0], float(row[1])): row for row in rows}
    for cell in STUDY.cells():
        setting: Any = cell.point.values[synthetic_study.FER]
        row = written[cell.point.scheme, setting]
        assert (float(row[3]), float(row[4])) == pytest.approx(
            (cell.value.mean, cell.value.half_width), rel=1e-5
        )
        if cell.ratio is None:
            assert row[5:] == [""] * 6
        else:
            found = tuple(map(float, row[8:]))
            assert found == pytest.approx((cell.ratio.value, cell.ratio.low, cell.ratio.high), rel=1e-5)


def test_a_table_of_the_page_is_saved_with_a_head_for_each_column(opened: Tab) -> None:
    _, content = saved(opened, "#study-errors-tables .scroll", "csv")
    head, *rows = csv.reader(content.decode().splitlines())
    compared = (f"{scheme}{part}" for scheme in ("snoop", "ll-elsn") for part in ("", " ± 95 %", " × reno"))
    assert head == ["frame error rate of cell", "reno", "reno ± 95 %", *compared]
    cells = [cell for cell in STUDY.cells() if cell.point.scheme == "snoop"]
    assert [float(row[3]) for row in rows] == pytest.approx([cell.value.mean for cell in cells], abs=5e-4)
    _, judged = saved(opened, ".judged", "csv")
    head, *rows = csv.reader(judged.decode().splitlines())
    assert head[:2] == ["scheme", "classified as"]
    assert {row[0] for row in rows} == {"reno", "snoop", "ll-elsn"}


def test_a_print_has_no_buttons_for_downloads(opened: Tab) -> None:
    assert opened.page.locator(".save:visible").count() > 3
    opened.page.emulate_media(media="print")
    assert opened.page.locator(".save:visible").count() == 0
