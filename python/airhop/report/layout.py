"""Contents of a chapter for its template: figures, tables, time-lines, and data for the page's script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from airhop.analysis.measures import ACTIVE, GOODPUT, MEASURES
from airhop.plots.quantities import Dimension, Scale
from airhop.report import figures
from airhop.report.causes import Confusion, confusion
from airhop.report.chapter import VERDICTS, Chapter
from airhop.report.data import chapter_data, runs_data, sources_data
from airhop.report.goals import GoalRow, goal_rows, picture
from airhop.report.matrices import Matrices, matrices
from airhop.report.pack import Templates, excerpt, pack
from airhop.report.packets.connection import Connections, facts, opened
from airhop.report.packets.figures import timeline_figures
from airhop.report.packets.on_air import air_data
from airhop.report.packets.timeline import Timeline, timeline
from airhop.report.schematic import Network, network
from airhop.report.topology import Plan, plans

if TYPE_CHECKING:
    from bokeh.plotting import figure
    from markupsafe import Markup

    from airhop.study.table import Cell

SCALED: dict[str, Callable[[Chapter, Scale], figure]] = {
    "means": figures.means,
    "differences": figures.differences,
    "fairness": figures.fairness,
}
"""Figures of a metric against a dimension. Each figure needs a template for every scale of a dimension."""

RATES = " ".join(f"{MEASURES[name].label}: {MEASURES[name].about}" for name in (GOODPUT, ACTIVE))
INTERVALS = (
    "95 % over replications: Student's t for means and paired differences, Fieller's for ratios of means. "
    "Replication r of every scheme meets the same channel, so differences are paired."
)


@dataclass(frozen=True)
class PivotRow:
    """Row of the table of means, with the points at one value of the dimension."""

    text: str
    cells: dict[str, Cell]
    """Summaries of the points by scheme."""
    best: str | None


@dataclass(frozen=True)
class Pivot:
    """Table of the main metric, by value of the dimension and by scheme; readable without JavaScript."""

    dimension: str
    rows: list[PivotRow]
    compared: set[str]
    """Schemes with a ratio to the baseline."""
    digits: int

    def mean(self, cell: Cell) -> str:
        """Format a cell's mean."""
        return f"{cell.value.mean:,.{self.digits}f}"


@dataclass(frozen=True)
class Layout:
    """Values for a chapter's template, in addition to the chapter itself."""

    chapter: Chapter
    template = "chapter.html.j2"

    @property
    def sections(self) -> tuple[str, ...]:
        """Parts of the chapter, for links at the top of the page."""
        return (
            *(("goals",) if self.goal_rows else ()),
            "figures",
            *(("readings",) if self.chapter.paper and self.chapter.paper.readings else ()),
            *(("causes",) if self.matrices else ()),
            "tables",
            *(("timeline",) if self.chapter.runs else ()),
            "method",
        )

    @cached_property
    def matrices(self) -> Matrices | None:
        """Loss classifications by true cause; None if no scheme classifies losses."""
        return matrices(self.chapter)

    @cached_property
    def views(self) -> list[str]:
        """Names of the figures."""
        several = self.chapter.table.study.baseline is not None and len(self.chapter.labels) > 1
        return [
            "means",
            *(["differences"] if several else []),
            "distribution",
            *(["fairness"] if self.chapter.fairness else []),
            *(["map"] if self.chapter.plane else []),
        ]

    @cached_property
    def pivot(self) -> Pivot | None:
        """Table of means; None if more than one dimension varies."""
        varied = [d for d in self.chapter.dimensions if len(d.values) > 1]
        return None if len(varied) > 1 else _pivot(self.chapter, varied[0] if varied else None)

    @cached_property
    def timelines(self) -> list[Timeline]:
        """The time-lines, in the order of the runs."""
        return [timeline(run) for run in self.chapter.runs]

    @cached_property
    def plans(self) -> list[Plan]:
        """Maps of the station positions, equal for all runs; empty if all stations are in range."""
        return plans(self.chapter.runs[0]) if self.chapter.runs else []

    @cached_property
    def networks(self) -> list[Network]:
        """Drawings of the links, one per run in the order of the runs; empty without radio links."""
        return [drawn for run in self.chapter.runs if (drawn := network(run))]

    @cached_property
    def goal_rows(self) -> list[GoalRow]:
        """Table of the goals at the setting in the headline."""
        return goal_rows(self.chapter.opening) if self.chapter.opening else []

    @cached_property
    def tradeoff(self) -> Markup | None:
        """Graph of throughput against delay at the setting in the headline.

        None if the headline names no setting.
        """
        opening = self.chapter.opening
        return picture(opening, self.chapter.scheme_styles, self.chapter.labels) if opening else None

    @property
    def goals_at(self) -> str:
        """Setting in the headline, as text that begins with a comma; empty for a study of one setting."""
        opening = self.chapter.opening
        if opening is None or len(self.chapter.settings) == 1:
            return ""
        return f", {self.chapter.setting(opening.points[0].values)}"

    @property
    def alike(self) -> bool:
        """True if all runs have the same links with the same ARQ and error models."""
        return len({drawn.lines for drawn in self.networks}) == 1

    @cached_property
    def confusions(self) -> list[Confusion]:
        """Tables of losses by cause and repair, in the order of the runs."""
        return [confusion(run) for run in self.chapter.runs]

    @cached_property
    def shown_facts(self) -> list[list[tuple[str, str]]]:
        """For each run, facts about the flow or connection shown, as pairs of a name and a text."""
        return [facts(run) for run in self.chapter.runs]

    @cached_property
    def connections(self) -> list[Connections | None]:
        """For each run, the connections of the flow shown; None if the application opens no connections."""
        return [opened(run) for run in self.chapter.runs]

    @property
    def timeline_data(self) -> list[dict[str, Any]]:
        """Data of each run that the script needs before unpacking the figures of the run."""
        return [{"losses": shown.losses} for shown in self.timelines]

    @property
    def shown_at(self) -> str:
        """The setting of the time-lines, in words."""
        points = {point.index: point for point in self.chapter.table.study.points()}
        at = points.get(self.chapter.runs[0].point)  # type: ignore[arg-type]
        text = self.chapter.setting(at.values) if at is not None else ""
        return text[:1].upper() + text[1:] or "The one setting"

    @property
    def counts(self) -> dict[str, str]:
        """Numbers of points and runs, formatted."""
        points, runs = len(self.chapter.cells[self.chapter.main.column]), self.chapter.frame.height
        return {"points": f"{points:,}", "runs": f"{runs:,}"}

    @property
    def facts(self) -> str:
        """Size, time and version of the computation."""
        counts, computed = self.counts, self.chapter.computed
        when = f", computed {computed:%Y-%m-%d %H:%M}" if computed else ""
        return f"{counts['points']} points, {counts['runs']} runs{when} with {self.chapter.versions}"

    @property
    def method(self) -> list[tuple[str, str]]:
        """Return facts about the origin of the numbers, pairs of a name and a text."""
        chapter, study = self.chapter, self.chapter.table.study
        reps = sorted({cell.n for cell in chapter.cells[chapter.main.column]})
        told = f"{reps[0]}" if len(reps) == 1 else f"{reps[0]} to {reps[-1]}" if reps else "0"
        facts = [
            ("Source", chapter.paper.source if chapter.paper else ""),
            ("Command", chapter.command),
            *(("Grid", f"{d.column} = {', '.join(d.texts)}") for d in chapter.dimensions),
            ("Schemes", ", ".join(chapter.labels)),
            ("Replications", f"{told} of every point; seed {study.seed}; the first replication has number 0"),
            ("Rates", f"{RATES} The rates of a run are sums over its TCP flows."),
            ("Intervals", INTERVALS),
            ("Verdicts", VERDICTS if chapter.paper else ""),
            ("Rows", self.facts),
            ("Scenario", excerpt(study.scenario.toml())),
        ]
        return [(name, text) for name, text in facts if text]

    def pack(self, templates: Templates) -> dict[str, str]:
        """Return compressed data by id, for the script to unpack; add the figures to `templates`."""
        chapter = self.chapter
        judged = self.matrices.data if self.matrices else None
        data = chapter_data(chapter) | {"judged": judged, "templates": self._templates(templates)}
        found = {f"{chapter.id}-data": data, f"{chapter.id}-runs": runs_data(chapter)}
        for place, (run, shown) in enumerate(zip(chapter.runs, self.timelines, strict=True)):
            window = {"opening": run.opening_s, "duration": run.duration_s}
            air = {} if shown.air is None else {"air": air_data(shown.air)}
            found[f"{chapter.id}-run-{place}"] = window | air | {"sources": sources_data(shown)}
        return {id_: pack(data) for id_, data in found.items()}

    def _templates(self, templates: Templates) -> dict[str, str]:
        """Return the name of each view's template; a view against a dimension has one template per scale."""
        chapter = self.chapter
        # Without a varied dimension, the page shows the first dimension with its single value.
        axes = [d for d in chapter.dimensions if len(d.values) > 1] or chapter.dimensions[:1]
        scales: set[Scale] = {d.scale for d in axes} or {"category"}
        published = bool(chapter.printed and chapter.printed.published)
        drawn = (*chapter.labels.items(), chapter.table.study.baseline, published)
        found = {
            f"{name}:{scale}": templates.add((name, scale, drawn), partial(_against, name, chapter, scale))
            for name in self.views
            if name in SCALED
            for scale in sorted(scales)
        }
        found["distribution"] = templates.add(
            ("distribution", drawn), lambda: {"distribution": figures.distribution(chapter)}
        )
        if "map" in self.views:
            found["map"] = templates.add("map", _map)
        if chapter.runs:
            found["timeline"] = templates.add("timeline", timeline_figures)
        return found


def _map() -> dict[str, figure]:
    return {"map": figures.heat_map()}


def _against(name: str, chapter: Chapter, scale: Scale) -> dict[str, figure]:
    return {name: SCALED[name](chapter, scale)}


def _pivot(chapter: Chapter, dimension: Dimension | None) -> Pivot:
    cells = chapter.cells[chapter.main.column]
    by_value: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        text = dimension.text(cell.point.values[dimension.column]) if dimension else "the one setting"
        by_value.setdefault(text, {})[cell.point.scheme] = cell
    order = dimension.texts if dimension else tuple(by_value)
    top = max((abs(cell.value.mean) for cell in cells), default=0.0)
    digits = 4 if chapter.main.most == 1.0 else 3 if top < 100 else 1
    return Pivot(
        dimension=dimension.label if dimension else "",
        rows=[
            PivotRow(text, by_value[text], _best(by_value[text], digits))
            for text in order
            if text in by_value
        ],
        compared={cell.point.scheme for cell in cells if cell.ratio is not None},
        digits=digits,
    )


def _best(cells: dict[str, Cell], digits: int) -> str | None:
    """Return the scheme with the highest mean after rounding; None if two schemes share this mean."""
    printed = {scheme: round(cell.value.mean, digits) for scheme, cell in cells.items()}
    best = [scheme for scheme, mean in printed.items() if mean == max(printed.values())]
    return best[0] if len(best) == 1 < len(cells) else None
