"""Chapter of the report: the results of a study, and for an experiment also the claims of its paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from airhop.experiments.reproduced import CheckedClaim
from airhop.numerals import multiple
from airhop.plots.quantities import (
    FAIRNESS,
    GOODPUT,
    Dimension,
    Quantity,
    Scale,
    dimensions,
    fairness,
    measured,
)
from airhop.plots.style import SchemeStyle, styles
from airhop.report import goals
from airhop.report.packets.traced import TracedRun, trace_schemes
from airhop.report.readings import ReadingsTable
from airhop.study.measure import METRICS
from airhop.study.verdicts import Outcome as SettingOutcome
from airhop.study.verdicts import outcomes

if TYPE_CHECKING:
    import polars as pl

    from airhop.experiments.experiment import Metric
    from airhop.experiments.outcome import Outcome
    from airhop.experiments.reproduced import Reproduced
    from airhop.study.table import Cell, Table

ESCAPES = {"/": "-", "-": "--"}
"""Replacements for common characters that are no letters, in HTML ids."""


VERDICTS = "A claim holds if the 95 % interval of the claimed quantity excludes the opposite."


def html_id(name: str) -> str:
    """Convert the name of a chapter into an HTML id; different names have different ids."""
    return "study-" + "".join(c if c.isalnum() else ESCAPES.get(c, f"_{ord(c):x}_") for c in name)


@dataclass(frozen=True)
class Paper:
    """Figure or table of a paper that the chapter reproduces, with the paper's claims."""

    source: str
    claims: tuple[CheckedClaim, ...]
    """Claims; failed claims come first."""
    readings: ReadingsTable | None = None
    """Verdicts on the claims under other readings (interpretations) of the paper; None without any."""
    beyond: str | None = None
    """Text on values above the paper's y axis; None without such values."""

    @classmethod
    def of(cls, outcome: Reproduced, beyond: str | None = None) -> Paper:
        """Read the printed values and claims from an outcome."""
        experiment, claims = outcome.experiment, tuple(outcome.claims)
        return cls(experiment.source, claims, ReadingsTable.of(claims, experiment.questions), beyond)

    @property
    def held(self) -> int:
        """Number of claims that hold."""
        return sum(checked.word == "holds" for checked in self.claims)

    @property
    def open(self) -> int:
        """Number of claims that the confidence intervals do not decide."""
        return sum(checked.word == "open" for checked in self.claims)


@dataclass(frozen=True)
class PrintedAxes:
    """The axes of a paper's figure."""

    ticks: tuple[float, ...]
    """Printed y axis, extended to include the measurements."""
    note: str | None
    """Note on the end of the printed y axis; None if this figure's axis has the same end."""
    limits: tuple[float, float] | None
    """The printed x axis."""
    published: Mapping[tuple[str, int], float] = field(default_factory=dict)
    """Printed numbers by scheme of the curve and by index of the x value in the grid."""


@dataclass(frozen=True)
class Chapter:
    """Chapter of a study: grid, labels, and the runs with packet traces."""

    name: str
    title: str
    headline: str
    table: Table
    labels: Mapping[str, str]
    """Legend labels by scheme, in the order of the study's schemes."""
    dimensions: tuple[Dimension, ...]
    main: Quantity
    """The metric shown first."""
    command: str = ""
    """Command that recreates the whole chapter; empty if a single command cannot recreate it."""
    runs: tuple[TracedRun, ...] = ()
    opens_on: str = ""
    """Scheme in the chapter's headline; the page first shows a run of this scheme."""
    findings: tuple[str, ...] = ()
    """Comparison of each scheme with the baseline over the whole grid, one sentence per scheme."""
    paper: Paper | None = None
    printed: PrintedAxes | None = None
    others: tuple[Quantity, ...] = ()
    """Metrics of the experiment in addition to the main one."""
    computed: datetime | None = None
    """Time at which the rows were written, if known."""
    cautions: tuple[str, ...] = ()
    """Warnings, one sentence each."""
    settings: tuple[SettingOutcome, ...] = ()
    """Verdict of each setting, in grid order."""

    @classmethod
    def of_table(cls, table: Table, *, computed: datetime | None = None, trace: bool = True) -> Chapter:
        """Return the chapter of a user's study. If `trace`, one setting runs again with a packet trace."""
        study, led = table.study, leader(table)
        settings = outcomes(table)
        found = tuple(dimensions([point.values for point in study.points()]))
        return cls(
            name=study.name,
            title=", ".join(dimension.label for dimension in found) or "one setting",
            headline=goals.headline(settings, headline(table, found)),
            settings=tuple(settings),
            findings=goals.findings(settings, findings(table, found)),
            table=table,
            labels={scheme: scheme for scheme in study.schemes},
            dimensions=found,
            main=GOODPUT,
            runs=trace_schemes(table, led.point.index if led else None) if trace else (),
            opens_on=led.point.scheme if led else "",
            computed=computed,
        )

    def with_flow(self, flow: str) -> Chapter:
        """Return a chapter with traced runs that show the TCP flow or connection `flow`, where present."""
        runs = (replace(run, shown=flow) if flow in run.names else run for run in self.runs)
        return replace(self, runs=tuple(runs))

    @cached_property
    def id(self) -> str:
        """The name as an HTML id."""
        return html_id(self.name)

    @cached_property
    def scheme_styles(self) -> dict[str, SchemeStyle]:
        """Colours, markers and dashes by scheme."""
        return styles(self.labels)

    @property
    def opening_run(self) -> int:
        """Index of the run shown first: the run of the headline's scheme, or else the last run."""
        return next((i for i, run in enumerate(self.runs) if run.scheme == self.opens_on), len(self.runs) - 1)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Rows, one per run."""
        return self.table.frame(*(one.column for one in self._named if one.column not in METRICS))

    @cached_property
    def versions(self) -> str:
        """The versions of Airhop that computed the rows."""
        found = sorted(self.table.flows()["airhop"].unique())
        return "Airhop " + " and ".join(found)

    @cached_property
    def warnings(self) -> list[str]:
        """Warnings about the numbers, one sentence each."""
        missing = [] if self.table.complete else ["Some runs of this study are still missing."]
        return [*self.cautions, *missing, *(text[:1].upper() + text[1:] for text in self.table.warnings())]

    @property
    def hints(self) -> list[str]:
        """TCP stacks of the senders, and settings of the scenarios that easily mislead."""
        return self.table.hints

    @cached_property
    def opening(self) -> SettingOutcome | None:
        """Setting in the headline. The page shows throughput, delay and other goals at this setting.

        None if the schemes are compared by fewer than two goals.
        """
        led = leader(self.table)
        setting = None if led is None else led.point.setting
        found = [one for one in self.settings if len(one.verdict.standings) > 1]
        return next((one for one in found if one.points[0].setting == setting), found[0] if found else None)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Metrics with values, the main one first."""
        columns = {found.column for found in self._named}
        return [*self._named, *(found for found in measured(self.frame) if found.column not in columns)]

    @cached_property
    def _named(self) -> list[Quantity]:
        """Metrics that the chapter names, the main one first."""
        of_class = [fair for fair in (fairness(self.table),) if fair is not None and fair is not FAIRNESS]
        return [self.main, *self.others, *of_class]

    @cached_property
    def fairness(self) -> Quantity | None:
        """Fairness metric of the page; None unless several flows share the network."""
        fair = fairness(self.table)
        shown = fair is not None and any(one.column == fair.column for one in self.quantities)
        return fair if shown and self.main.column != FAIRNESS.column else None

    @property
    def plane(self) -> tuple[Dimension, Dimension] | None:
        """Both dimensions of the heat map; None unless two numeric dimensions vary independently."""
        numeric = [d for d in self.dimensions if d.numeric and len(d.values) > 1]
        for other in numeric[1:]:
            if other.group != numeric[0].group:
                return numeric[0], other
        return None

    @cached_property
    def cells(self) -> dict[str, list[Cell]]:
        """Summaries of the points with rows, by metric."""
        return {found.column: self.table.cells(found.column) for found in self.quantities}

    def setting(self, values: Mapping[str, object]) -> str:
        """Format the values of a point without its scheme: `frame error rate of cell = 0.01`."""
        varied = [d for d in self.dimensions if len(d.values) > 1] or list(self.dimensions)
        return ", ".join(f"{d.label} = {d.text(values[d.column])}" for d in varied)


def headline(table: Table, found: tuple[Dimension, ...]) -> str:
    """Return a sentence on the largest ratio to the baseline; without a baseline, on the largest goodput."""
    baseline, cell = table.study.baseline, leader(table)
    if cell is None:
        return "No run has finished yet."
    if baseline is not None and (ratio := cell.ratio) is not None:
        if not ratio.excludes(1.0) or ratio.value < 1.0:
            return f"No scheme is ahead of {baseline} in goodput by more than chance."
        times = multiple(ratio)
        return f"{cell.point.scheme} delivers {times} times the goodput of {baseline}{_where(found, cell)}."
    amount = f"{cell.value.mean:.3g} {GOODPUT.unit}"
    return f"{cell.point.scheme} delivers the most, {amount}{_where(found, cell)}."


def leader(table: Table) -> Cell | None:
    """Return the cell whose goodput ratio to the baseline has the largest lower end; None without cells.

    A cell is the summary of a point. Without a baseline, or if no ratio has an interval, the result is the
    cell with the largest mean goodput.
    """
    cells = table.cells(GOODPUT.column)
    ahead = [cell for cell in cells if cell.ratio is not None and cell.ratio.low is not None]
    if table.study.baseline is not None and ahead:
        return max(ahead, key=lambda cell: (cell.ratio.low or 0.0, cell.ratio.value))  # type: ignore[union-attr]
    return max(cells, key=lambda cell: cell.value.mean, default=None)


def findings(table: Table, found: tuple[Dimension, ...]) -> tuple[str, ...]:
    """Count for each scheme the settings with goodput significantly above or below the baseline.

    With 95 % intervals, about one in twenty differences is significant by chance.
    """
    baseline, cells = table.study.baseline, table.cells(GOODPUT.column)
    told = []
    for scheme in table.study.schemes:
        ratios = [(cell, cell.ratio) for cell in cells if cell.point.scheme == scheme and cell.ratio]
        known = [(cell, ratio) for cell, ratio in ratios if ratio.low is not None]
        if scheme == baseline or not known:
            continue
        sure = [(cell, ratio) for cell, ratio in known if ratio.excludes(1.0)]
        ahead = [pair for pair in sure if pair[1].value > 1.0]
        text = _counted(
            {
                f"ahead of {baseline}": len(ahead),
                f"behind {baseline}": len(sure) - len(ahead),
                f"no significant difference from {baseline}": len(ratios) - len(sure),
            }
        )
        if ahead:
            best, most = max(ahead, key=lambda pair: pair[1].low or 0.0)
            text += f"; ahead most by {multiple(most)} times{_where(found, best)}"
        told.append(f"{scheme}: {text}.")
    return tuple(told)


def _counted(outcomes: Mapping[str, int]) -> str:
    """Format the number of settings of each outcome that occurs."""
    found = {outcome: count for outcome, count in outcomes.items() if count}
    settings = sum(found.values())
    if len(found) == 1:
        (outcome,) = found
        return f"{outcome} at {'the one setting' if settings == 1 else f'all {settings} settings'}"
    return ", ".join(f"{outcome} at {count}" for outcome, count in found.items()) + f" of {settings} settings"


def _where(found: tuple[Dimension, ...], cell: Cell) -> str:
    varied = [d for d in found if len(d.values) > 1]
    told = " and ".join(f"{d.label} = {d.text(cell.point.values[d.column])}" for d in varied)
    return f", where {told}" if told else ""


def chapter_of_outcome(outcome: Outcome, *, computed: datetime | None = None, trace: bool = True) -> Chapter:
    """Return the chapter of an experiment: its study with labels of the paper, and the paper's claims."""
    from airhop.experiments.frame import frame

    experiment, drawn = outcome.experiment, frame(outcome)
    axis, grid = experiment.axis, experiment.axis.grid(outcome.mode)
    study = Chapter.of_table(outcome.table, computed=computed, trace=False)
    # An axis may set several paths together, which form one dimension of the figure. Values that are no
    # numbers, such as positions, are categories.
    varied = study.dimensions[0]
    scale: Scale = "log" if axis.log else "linear"
    return replace(
        study,
        name=experiment.id,
        title=experiment.title,
        headline=outcome.headline,
        findings=(),  # the page shows the claims instead
        labels=experiment.labels,
        dimensions=(
            replace(
                varied,
                scale="category" if axis.of_words or not varied.numeric else scale,
                label=axis.label,
                texts=tuple(axis.text(x) for x in grid),
            ),
        ),
        main=_quantity(experiment.metric),
        others=tuple(map(_quantity, experiment.also)),
        command=outcome.command,
        runs=_traced(outcome) if trace else (),
        opens_on=experiment.timeline.curve if experiment.timeline else "",
        paper=None if experiment.changed else Paper.of(outcome, drawn.beyond),
        cautions=(f"{experiment.source}.",) if experiment.changed else (),
        printed=PrintedAxes(
            ticks=drawn.y_ticks,
            note=drawn.note,
            limits=axis.limits,
            published={
                (curve, grid.index(x)): value
                for (curve, x), value in (experiment.published or {}).items()
                if x in grid
            },
        ),
    )


def _traced(outcome: Outcome) -> tuple[TracedRun, ...]:
    """Simulate the headline's setting of an experiment again, with packet traces."""
    experiment, choice = outcome.experiment, outcome.experiment.timeline
    grid = experiment.axis.grid(outcome.mode)
    x = choice.at(outcome.samples) if choice else None
    first = grid.index(x) * len(experiment.curves) if x in grid else None
    return trace_schemes(outcome.table, first, choice, experiment.labels)


def _quantity(metric: Metric) -> Quantity:
    return Quantity(metric.name, metric.label, metric.unit, metric.most)
