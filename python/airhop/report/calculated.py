"""Page of a calculation without a simulation: printed figure, tables, and the paper's claims."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from airhop.report.chapter import VERDICTS, Paper, html_id

if TYPE_CHECKING:
    from airhop.experiments.calculation import Calculated, TextTable


@dataclass(frozen=True)
class CalculationChapter:
    """Chapter of the report that shows a calculation."""

    name: str
    title: str
    headline: str
    paper: Paper
    figure: str
    """Figure as a data URL."""
    tables: Sequence[TextTable]
    method: str
    command: str
    computed: datetime | None = None

    @property
    def id(self) -> str:
        """Name of the calculation as an HTML id."""
        return html_id(self.name)

    @property
    def versions(self) -> str:
        """The version of Airhop that wrote the page."""
        from airhop import __version__

        return f"Airhop {__version__}"


@dataclass(frozen=True)
class CalculationPage:
    """Values for `calculation.html.j2`: the chapter, and values computed from the chapter."""

    chapter: CalculationChapter
    template = "calculation.html.j2"

    @property
    def sections(self) -> tuple[str, ...]:
        """Parts of the chapter, for links at the top of the page."""
        return ("figures", *(("readings",) if self.chapter.paper.readings else ()), "tables", "method")

    @property
    def facts(self) -> str:
        """Time and version of the computation."""
        computed = self.chapter.computed
        return (f"Computed {computed:%Y-%m-%d %H:%M} with " if computed else "") + self.chapter.versions

    @property
    def method(self) -> list[tuple[str, str]]:
        """Return facts about the origin of the numbers, pairs of a name and a text."""
        chapter = self.chapter
        return [
            ("Source", chapter.paper.source),
            ("Command", chapter.command),
            ("Numbers", chapter.method),
            ("Verdicts", VERDICTS),
        ]


def calculation_page(outcome: Calculated, *, computed: datetime | None = None) -> CalculationChapter:
    """Return the chapter of a calculation."""
    calculation = outcome.experiment
    return CalculationChapter(
        name=calculation.id,
        title=calculation.title,
        headline=outcome.headline,
        paper=Paper.of(outcome),
        figure=_drawing(outcome),
        tables=calculation.tables(outcome.values),
        method=calculation.method,
        command=outcome.command,
        computed=computed,
    )


def _drawing(outcome: Calculated) -> str:
    """Draw the printed figure for a page."""
    import matplotlib as mpl

    from airhop.plots.paper import PRINT_STYLE

    text = io.StringIO()
    with mpl.rc_context(PRINT_STYLE):
        outcome.experiment.figure(outcome.values).savefig(text, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(text.getvalue().encode()).decode()
