"""Parts of an experiment: a scenario, a grid, the compared curves, and the claims of its paper."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from airhop.errors import InputError
from airhop.experiments.decision import Decision
from airhop.experiments.reading import MARK, Question, Reading, readings
from airhop.scenario import SCHEME, toml_literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airhop import study
    from airhop.experiments.samples import Samples
    from airhop.results import Result
    from airhop.study import Study, Until

Mode = Literal["quick", "default", "full"]
"""Modes. quick: coarse grid, few replications; default: until intervals are narrow; full: the paper's
counts."""
MODES: tuple[Mode, ...] = ("quick", "default", "full")

X = float | str
"""A value of an axis: a number, or a word."""


@dataclass(frozen=True)
class PlottedAxis:
    """Varied axis of an experiment and its drawing, with the labels of the paper.

    Values are numbers or words, written to one scenario path or to several paths at once.
    """

    key: str
    """Name in documents and files, with its unit (`fer`, `d_off_ms`)."""
    name: str
    """Head of a table's column (`FER`)."""
    paths: tuple[str, ...]
    """Scenario paths that the value sets (`wlan.cell.errors.fer`)."""
    label: str
    """Label for readers (`Frame error rate`)."""
    full: tuple[X, ...]
    """The whole grid: numbers ascending, or words in the order in which they are drawn."""
    coarse: tuple[X, ...]
    """The grid of quick mode, in the same order: values of `full`, so that its runs are reused."""
    unit: str = ""
    """Unit of the values (`ms`); empty for counts and probabilities."""
    counts: str = ""
    """Counted unit of the values, in the singular: `hop`."""
    log: bool = False
    limits: tuple[float, float] | None = None
    """Printed range of the axis; values outside it are computed but not drawn."""
    ticks: tuple[float, ...] = ()
    """Ticks of the printed axis, if they differ from automatic ticks."""
    percent: bool = False
    """True if values are probabilities that text and tables show in per cent."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Readable names of the values of an axis of words, if they differ from the words."""
    takes: Mapping[X, tuple[object, ...]] = field(default_factory=dict)
    """Values of `paths` by value of the axis, for an axis whose values name settings."""

    def grid(self, mode: Mode) -> tuple[X, ...]:
        """Return the values of the grid in this mode."""
        return self.coarse if mode == "quick" else self.full

    def of_study(self, mode: Mode) -> study.Axis:
        """Return the axis of this mode's study."""
        from airhop import study

        return study.Axis(self.paths, tuple(self.setting(x) for x in self.grid(mode)))

    def setting(self, x: X) -> tuple[object, ...]:
        """Return the value for each scenario path: `10 ms`, 0.01, 5, `veno`."""
        return self.takes.get(x) or (f"{x} {self.unit}" if self.unit else x,) * len(self.paths)

    @property
    def of_words(self) -> bool:
        """True if the axis values are words instead of numbers."""
        return isinstance(self.full[0], str)

    def place(self, x: X) -> float:
        """Return the position of a value in a chart: the number, or a word's index in the full grid."""
        return float(self.full.index(x)) if isinstance(x, str) else x

    def shows(self, x: X) -> bool:
        """Return whether a chart draws this value."""
        return self.limits is None or isinstance(x, str) or self.limits[0] <= x <= self.limits[1]

    def text(self, x: X) -> str:
        """Format the value for text and tables."""
        if isinstance(x, str):
            return self.words.get(x, x)
        if self.percent:
            return f"{100 * x:g} %"
        if self.counts:
            return f"{x:g} {self.counts}{'' if x == 1 else 's'}"
        return f"{x:g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Curve:
    """Compared curve: a scheme, or a setting, or both."""

    name: str
    """Name in documents, files and claims: `ll-elsn`, `ll-elsn, 4 attempts`."""
    label: str
    """Label in the legend."""
    scheme: str | Mapping[str, object] | None = None
    """Scheme of all TCP flows, by name or with parameters, `{"name": "ll-elsn", "n": 3}`; None: unchanged."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Scenario paths that the curve fixes; the experiment's settings have the paths that only other curves
    fix.
    """

    @classmethod
    def of_schemes(cls, labels: Mapping[str, str]) -> tuple[Curve, ...]:
        """Make a curve of each scheme with its default parameters, labels by name."""
        return tuple(cls(name, label, name) for name, label in labels.items())

    @property
    def scheme_name(self) -> str | None:
        """Name of the curve's scheme, without parameters; None if the curve sets no scheme."""
        return (
            self.scheme if self.scheme is None or isinstance(self.scheme, str) else str(self.scheme["name"])
        )

    def under(self, reading: Reading) -> Curve:
        """Return this curve under another reading."""
        scheme, settings = self.scheme, {**self.settings, **reading.curves.get(self.name, {})}
        if self.scheme_name and (parameters := reading.schemes.get(self.scheme_name)):
            given = {} if isinstance(scheme, str) or scheme is None else scheme
            scheme = {"name": self.scheme_name, **given, **parameters}
        return replace(self, scheme=scheme, settings=settings)

    @property
    def changes(self) -> dict[str, object]:
        """Settings of the curve in the scenario, by path."""
        return ({} if self.scheme is None else {SCHEME: self.scheme}) | dict(self.settings)


@dataclass(frozen=True)
class Metric:
    """Metric of every run: a column of the study's frame, or a formula of columns."""

    name: str
    """Name of the metric in studies: `goodput_mbps`, `jain`, `flow.reno.goodput_mbps` for the metric of one
    flow, `retransmissions / sent_segments`."""
    label: str
    unit: str
    """Unit; empty for an index or a count."""
    ticks: tuple[float, ...]
    """Ticks of the printed axis, evenly spaced; the first and the last are its ends."""
    digits: int = 2
    """Decimals that tables print."""
    most: float = math.inf
    """Largest possible value: intervals end at this value."""
    printed: bool = True
    """True if `ticks` are the paper's ticks; False if the paper's axis is unknown."""

    @property
    def bounded(self) -> bool:
        """True if the metric is an index, whose ratios to a baseline have little meaning."""
        return math.isfinite(self.most)

    @property
    def title(self) -> str:
        """Label and unit, for an axis."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Replications:
    """Number of replications a cell of the grid gets."""

    quick: int
    full: int
    half_width: float = 0.03
    """Default mode stops when every 95 % half-width is below this fraction of its mean."""
    batch: int = 10
    most: int = 100
    printed: bool = False
    """True if `full` is a count that the paper prints."""

    def rule(self, mode: Mode, metric: Metric) -> int | Until:
        """Return the study's rule in this mode: a count, or until the metric's intervals are narrow."""
        from airhop.study import Until

        if mode == "default":
            return Until(self.half_width, relative=True, of=metric.name, max=self.most, batch=self.batch)
        return self.quick if mode == "quick" else self.full


@dataclass(frozen=True)
class TimelineChoice:
    """Runs that the report shows packet by packet, which belong to the headline."""

    curve: str
    """Curve whose run the page shows first."""
    x: X | Callable[[Samples], X]
    """A value of the axis, or a function that finds the value from the measured samples."""
    duration_s: float
    opening_s: float
    """Length of the initial time window of the page, s."""
    rep: int = 0

    def at(self, samples: Samples) -> X:
        """Return the value of the axis in this outcome."""
        return self.x(samples) if callable(self.x) else self.x


@dataclass(frozen=True)
class Picture:
    """Printed figure of one run, packet by packet, for papers that show runs instead of means."""

    name: str
    """Base name of the figure's files: `sequence` makes `sequence.pdf` and other formats."""
    curve: str
    x: X
    draw: Callable[[Result], Figure]
    """Draws a traced run, inside `plots.paper.PRINT_STYLE`."""
    rep: int = 0


@dataclass(frozen=True)
class ClaimResult:
    """Decision on a claim, with the measured values that decide it."""

    decision: Decision | bool | None
    """Decision by intervals; or True, False or None without intervals."""
    measured: str
    short: tuple[str, ...] = ()
    """Curves whose intervals do not support the claim, if the check names the curves."""
    needs: str = ""
    """Missing information of the paper that a test of a number needs; empty if nothing is missing."""

    @property
    def holds(self) -> bool | None:
        """True if the claim holds; None if the intervals leave it open: more replications may decide."""
        return Decision.of(self.decision).holds

    @property
    def word(self) -> Literal["holds", "fails", "open"]:
        """Return the decision in a word."""
        return "open" if self.holds is None else "holds" if self.holds else "fails"


Found = TypeVar("Found")
"""Input of a check: `Samples` of an experiment, `Values` of a calculation."""


@dataclass(frozen=True)
class Claim(Generic[Found]):
    """Statement of the paper in Airhop's words, and the check that decides it."""

    id: str
    text: str
    check: Callable[[Found], ClaimResult]
    reason: str | Mapping[str, str] = field(default="", kw_only=True)
    """Mechanism that can make the claim fail, known from traces and reported with a failed claim. A mapping
    has a mechanism for each curve; the report lists the mechanisms of the curves that fail in this run.
    Measured values are in `ClaimResult.measured` only, so that no run contradicts a reason."""
    quote: str = field(default="", kw_only=True)
    """Quotation of the paper that the claim restates, with `[…]` for omissions. Empty for an own claim
    without a printed statement."""
    own: bool = field(default=False, kw_only=True)
    """True if the claim is Airhop's own, and not stated by the paper."""
    because: str = field(default="", kw_only=True)
    """Reason of an own claim, a sentence."""
    bound: bool = field(default=False, kw_only=True)
    """True if the paper prints a bound, as in "more than 400 %", instead of a number."""

    def why(self, result: ClaimResult) -> str:
        """Return the known mechanisms behind a failed result; empty if the claim holds."""
        if result.holds:
            return ""
        if isinstance(self.reason, str):
            return self.reason
        return " ".join(text for curve, text in self.reason.items() if curve in result.short)

    def under(self, reading: Reading) -> Claim[Found]:
        """Return this claim under another reading."""
        return replace(self, check=reading.checks.get(self.id, self.check))


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper, reproducible by its id."""

    id: str
    title: str
    source: str
    """Publication."""
    scenario: str | Path
    """A packaged scenario's name, or the path of a file."""
    settings: Mapping[str, object]
    """Scenario paths fixed for this experiment."""
    curves: tuple[Curve, ...]
    """Curves in the paper's order."""
    baseline: str
    """Name of the curve that is the denominator of ratios."""
    axis: PlottedAxis
    metric: Metric
    replications: Replications
    claims: tuple[Claim[Samples], ...]
    headline: Callable[[Samples], str]
    """The result in one sentence."""
    timeline: TimelineChoice | None = None
    beside: Experiment | None = None
    """Companion: another experiment on the same axis whose measurements the claims also need."""
    published: Mapping[tuple[str, X], float] | None = None
    """Printed numbers by (curve, x); empty if the paper prints none."""
    also: tuple[Metric, ...] = ()
    """Further metrics of the same runs."""
    panels: tuple[tuple[str, ...], ...] = ()
    """Names of the curves of each panel of the printed figure; empty for one panel with all curves."""
    pictures: tuple[Picture, ...] = ()
    """Figures of single runs, in addition to the figure of the means."""
    questions: tuple[Question, ...] = ()
    """Open questions of its paper."""
    changed: str = ""
    """Settings by a user; an experiment with such settings has no claims, because it differs from the
    paper's."""

    def __post_init__(self) -> None:
        names = [reading.name for reading in readings(self.questions)]
        if len(set(names)) < len(names):
            raise InputError(f"{self.id}: two readings have the same name")
        for reading in readings(self.questions):
            self._refuse_unknown(reading)
        if len(self.labels) < len(self.curves):
            raise InputError(f"{self.id}: two curves have the same name")
        drawn = [curve for panel in self.panels for curve in panel]
        if drawn and sorted(drawn) != sorted(self.labels):
            raise InputError(f"{self.id}: expected every curve in exactly one panel, and no other names")
        for picture in self.pictures:
            if picture.curve not in self.labels or picture.x not in self.axis.coarse:
                raise InputError(
                    f"{self.id}: `{picture.name}` is a picture of `{picture.curve}` at "
                    f"{self.axis.text(picture.x)}, a cell that not every mode runs"
                )

        if (shown := self.timeline) is not None and shown.curve not in self.labels:
            raise InputError(
                f"{self.id}: the time-line opens on `{shown.curve}`, which is no curve of the experiment"
            )

    @property
    def labels(self) -> dict[str, str]:
        """Label of each curve in the legend, by name."""
        return {curve.name: curve.label for curve in self.curves}

    def under(self, reading: Reading) -> Experiment:
        """Return this experiment and its companion under another reading, without open questions.

        Raises InputError if the reading changes a scheme or a curve that the experiment does not compare.
        """
        self._refuse_unknown(reading)
        return self._under(reading)

    def with_(self, changes: Mapping[str, object]) -> Experiment:
        """Return this experiment's grid and curves with other settings, by scenario path.

        The returned experiment has another name and neither claims nor printed values. Raises InputError for
        a path that the experiment varies.
        """
        if not changes:
            return self
        varied = {*self.axis.paths, *(path for curve in self.curves for path in curve.changes)}
        for path in changes:
            for own in varied:
                if f"{path}.".startswith(f"{own}.") or f"{own}.".startswith(f"{path}."):
                    raise InputError(f"{self.id}: the experiment varies `{own}`, so `{path}` cannot be set")
        told = ", ".join(f"{path} = {toml_literal(value)}" for path, value in changes.items())
        return replace(
            self,
            id=f"{self.id}+{re.sub(r'[^A-Za-z0-9_.=-]+', '-', told.replace(' = ', '=')).strip('-')}",
            source=f"Not {self.source}: {told}. No claim is checked",
            settings={**self.settings, **changes},
            metric=replace(self.metric, printed=False),
            claims=(),
            headline=lambda samples: f"With {told}: {self.headline(samples)}",
            beside=self.beside and self.beside.with_(changes),
            published=None,
            questions=(),
            changed=told,
        )

    def _refuse_unknown(self, reading: Reading) -> None:
        schemes = {curve.scheme_name for curve in self.curves}
        unknown = (reading.schemes.keys() - schemes) | (reading.curves.keys() - self.labels.keys())
        if unknown:
            raise InputError(
                f"{self.id}: `{reading.name}` changes {', '.join(sorted(unknown))}, which is no scheme or "
                "curve of the experiment"
            )

    def _under(self, reading: Reading) -> Experiment:
        return replace(
            self,
            id=f"{self.id}{MARK}{reading.name}",
            scenario=reading.scenario or self.scenario,
            settings={**self.settings, **reading.settings},
            curves=tuple(curve.under(reading) for curve in self.curves),
            metric=reading.metric or self.metric,
            claims=tuple(claim.under(reading) for claim in self.claims),
            beside=self.beside and self.beside._read_beside(reading),
            questions=(),
        )

    def _read_beside(self, reading: Reading) -> Experiment:
        """Return this companion under its own reading of the same name, which may change another network."""
        if not self.questions:
            return self._under(reading)
        own = next((one for one in readings(self.questions) if one.name == reading.name), None)
        return self._under(own) if own else self

    def study(self, mode: Mode, seed: int = 1) -> Study:
        """Return this mode's study: every value of the axis with every curve; curves vary fastest."""
        from airhop import study
        from airhop.scenario import Scenario

        return study.Study(
            name=self.id,
            scenario=Scenario.load(self.scenario).with_(dict(self.settings)),
            axes=(
                self.axis.of_study(mode),
                study.Axis(*self._compared()),
            ),
            reps=self.replications.rule(mode, self.metric),
            seed=seed,
            baseline=self.baseline,
        )

    def _compared(self) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...], tuple[str, ...]]:
        """Return paths, values and names of the curves; a curve takes open settings from the experiment."""
        paths = tuple(dict.fromkeys(path for curve in self.curves for path in curve.changes))
        for curve in self.curves:
            for path in paths:
                if path not in curve.changes and path not in self.settings:
                    raise InputError(
                        f"{self.id}: the curve `{curve.name}` does not set `{path}`, which other curves set"
                    )
        values = tuple(
            tuple({**self.settings, **curve.changes}[path] for path in paths) for curve in self.curves
        )
        return paths, values, tuple(self.labels)
