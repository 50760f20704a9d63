"""Report: one self-contained HTML file, written from templates."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from airhop.experiments.reproduced import ORDER, CheckedClaim
from airhop.files import filling
from airhop.numerals import half_width_text, interval, tie_units
from airhop.report.calculated import CalculationChapter, CalculationPage
from airhop.report.causes import CAUSES, REPAIRS
from airhop.report.chapter import Chapter
from airhop.report.layout import Layout
from airhop.report.matrices import CAUSES as TRUE_CAUSES
from airhop.report.pack import Templates
from airhop.report.packets.timeline import TITLES
from airhop.report.readings import RULE
from airhop.report.schematic import tell
from airhop.report.symbols import symbol
from airhop.report.twin import TwinChapter, TwinLayout

SCRIPTS = (
    "base",
    "figures",
    "save",
    "list",
    "choices",
    "views",
    "causes",
    "chapter",
    "on_air",
    "timeline",
    "twin",
    "page",
)
"""Parts of the page's script, in order."""


SECTIONS = {
    "goals": "Goals",
    "figures": "Figures",
    "readings": "Readings",
    "causes": "Causes of loss",
    "tables": "Tables",
    "timeline": "Packet by packet",
    "emulator": "The emulator",
    "method": "Method",
}
"""Parts of a chapter, with the texts of links to them."""

Page = Chapter | CalculationChapter | TwinChapter


@dataclass(frozen=True)
class Overview:
    """Summary at the beginning of a report with several chapters."""

    title: str
    held: int
    open: int
    claims: int
    missed: list[tuple[Page, CheckedClaim]]
    """Claims that do not hold: failed claims first, then open claims."""
    made: str

    @classmethod
    def of(cls, chapters: Sequence[Page]) -> Overview:
        """Count the experiments, studies and claims of the chapters."""
        papers = [chapter.paper for chapter in chapters if chapter.paper is not None]
        parts = [_count(len(papers), "experiment", "experiments")] if papers else []
        if own := len(chapters) - len(papers):
            parts.append(_count(own, "study", "studies"))
        times = [chapter.computed for chapter in chapters if chapter.computed is not None]
        versions = ", ".join(sorted({chapter.versions for chapter in chapters}))
        return cls(
            title=" and ".join(parts),
            held=sum(paper.held for paper in papers),
            open=sum(paper.open for paper in papers),
            claims=sum(len(paper.claims) for paper in papers),
            missed=sorted(
                (
                    (chapter, checked)
                    for chapter in chapters
                    if chapter.paper is not None
                    for checked in chapter.paper.claims
                    if checked.word != "holds"
                ),
                key=lambda found: ORDER.index(found[1].word),
            ),
            made=f"{max(times):%Y-%m-%d %H:%M}, {versions}" if times else versions,
        )


def write_report(chapters: Sequence[Page], path: Path) -> Path:
    """Write a report on these chapters as one HTML file with Bokeh's JavaScript and all data.

    The finished report replaces the file or symbolic link at `path`.
    """
    with filling(path.parent) as hidden:
        (hidden / path.name).write_text(render(chapters), encoding="utf-8")
    return path


def render(chapters: Sequence[Page]) -> str:
    """Return the report as HTML: one chapter alone, or several chapters after a summary."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("airhop.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "interval": interval,
        "half_width_text": half_width_text,
        "lower_first": lambda text: text[:1].lower() + text[1:],
        "tie_units": tie_units,
    }
    templates = Templates()
    pages = [_layout(chapter) for chapter in chapters]
    packed = {
        page.chapter.id: page.pack(templates) for page in pages if not isinstance(page, CalculationPage)
    }
    environment.globals |= {
        "symbol": symbol,
        "tell": tell,
        "sections": SECTIONS,
        "titles": TITLES,
        "causes": CAUSES,
        "repairs": REPAIRS,
        "readings_rule": RULE,
        "true_causes": TRUE_CAUSES,
    }
    page_script = "\n".join(_asset(f"js/{name}.js") for name in SCRIPTS)
    scripts = [*re.findall("<script>(.*?)</script>", _bokeh(), re.DOTALL), f"\n{page_script}\n"]
    html: str = environment.get_template("page.html.j2").render(
        pages=pages,
        packed=packed,
        templates=templates.packed,
        alone=len(chapters) == 1,
        overview=Overview.of(chapters),
        style=_asset("page.css"),
        page_script=page_script,
        digests=" ".join(map(_digest, scripts)),
        bokeh_library=_bokeh(),
    )
    return html


def _layout(chapter: Page) -> Layout | CalculationPage | TwinLayout:
    if isinstance(chapter, TwinChapter):
        return TwinLayout(chapter)
    return Layout(chapter) if isinstance(chapter, Chapter) else CalculationPage(chapter)


def _digest(script: str) -> str:
    """Return the hash by which a Content-Security-Policy allows a script (W3C CSP 3 §2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@cache
def _bokeh() -> str:
    """Return Bokeh's own script, without the files that an imported Panel would add."""
    from bokeh.core.templates import JS_RESOURCES
    from bokeh.resources import Resources

    bokeh = Resources(mode="inline", components=["bokeh"])
    library: str = JS_RESOURCES.render(js_raw=bokeh.js_raw, js_files=[], hashes={})
    return library


def _asset(name: str) -> str:
    return files("airhop.report").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
