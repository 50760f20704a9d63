"""Parts of an experiment: a scenario, a grid, the compared curves, and the claims of the paper."""

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
"""Modes. "quick": coarse grid, few replications. "default": replications until intervals are narrow. "full":
the paper's number of replications.
"""
MODES: tuple[Mode, ...] = ("quick", "default", "full")

X = float | str
"""Value of an axis: a number or a word."""


@dataclass(frozen=True)
class PlottedAxis:
    """Varied axis of an experiment, with the labels of the paper.

    Values are numbers or words, written to one scenario path or to several paths at once.
    """

    key: str
    """Name in documents and files, with unit (`fer`, `d_off_ms`)."""
    name: str
    """Head of a table's column (`FER`)."""
    paths: tuple[str, ...]
    """Scenario paths that the value sets (`wlan.cell.errors.fer`)."""
    label: str
    """Label for readers (`Frame error rate`)."""
    full: tuple[X, ...]
    """Whole grid: numbers ascending, or words in drawing order."""
    coarse: tuple[X, ...]
    """Grid of quick mode: some values of `full`, in the same order. Other modes reuse the runs of quick mode.
    """
    unit: str = ""
    """Unit of the values (`ms`); empty for counts and probabilities."""
    counts: str = ""
    """Noun of counted values, in the singular, as in `hop`; empty for other values."""
    log: bool = False
    limits: tuple[float, float] | None = None
    """Printed range of the axis. Values outside are computed but not drawn."""
    ticks: tuple[float, ...] = ()
    """Ticks of the printed axis, if they differ from automatic ticks."""
    percent: bool = False
    """True if values are probabilities that text and tables show in per cent."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Labels of the values of an axis of words, if they differ from the words."""
    takes: Mapping[X, tuple[object, ...]] = field(default_factory=dict)
    """Values of `paths` by word, if the words of the axis stand for settings."""

    def grid(self, mode: Mode) -> tuple[X, ...]:
        """Return the values of the grid in this mode."""
        return self.coarse if mode == "quick" else self.full

    def of_study(self, mode: Mode) -> study.Axis:
        """Return the axis of this mode's study."""
        from airhop import study

        return study.Axis(self.paths, tuple(self.setting(x) for x in self.grid(mode)))

    def setting(self, x: X) -> tuple[object, ...]:
        """Return the value that x sets at each scenario path, such as `10 ms`, 0.01, 5 or `veno`."""
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
    """Curve of an experiment: a scheme, a setting, or both."""

    name: str
    """Name in documents, files and claims: `ll-elsn`, `ll-elsn, 4 attempts`."""
    label: str
    """Label in the legend."""
    scheme: str | Mapping[str, object] | None = None
    """Scheme of all TCP flows, by name or with parameters as in `{"name": "ll-elsn", "n": 3}`. With None,
    each flow keeps its scheme.
    """
    settings: Mapping[str, object] = field(default_factory=dict)
    """Values by scenario path. A path that only other curves set keeps the value of the experiment's
    settings.
    """

    @classmethod
    def of_schemes(cls, labels: Mapping[str, str]) -> tuple[Curve, ...]:
        """Return a curve for each scheme with default parameters; `labels` are by name of the scheme."""
        return tuple(cls(name, label, name) for name, label in labels.items())

    @property
    def scheme_name(self) -> str | None:
        """Name of the curve's scheme, without parameters; None if the curve sets no scheme."""
        return (
            self.scheme if self.scheme is None or isinstance(self.scheme, str) else str(self.scheme["name"])
        )

    def under(self, reading: Reading) -> Curve:
        """Return this curve for a reading of the paper."""
        scheme, settings = self.scheme, {**self.settings, **reading.curves.get(self.name, {})}
        if self.scheme_name and (parameters := reading.schemes.get(self.scheme_name)):
            given = {} if isinstance(scheme, str) or scheme is None else scheme
            scheme = {"name": self.scheme_name, **given, **parameters}
        return replace(self, scheme=scheme, settings=settings)

    @property
    def changes(self) -> dict[str, object]:
        """Changes of the scenario for this curve, by path."""
        return ({} if self.scheme is None else {SCHEME: self.scheme}) | dict(self.settings)


@dataclass(frozen=True)
class Metric:
    """Metric of a run: a column of the study's data frame, or a formula of columns."""

    name: str
    """Name or formula of the metric in studies, such as `goodput_mbps` or `retransmissions / sent_segments`.
    `flow.reno.goodput_mbps` is the goodput of one flow.
    """
    label: str
    unit: str
    """Unit; empty for an index or a count."""
    ticks: tuple[float, ...]
    """Ticks of the printed y axis, evenly spaced; the first and the last tick are the axis' ends."""
    digits: int = 2
    """Decimals that tables print."""
    most: float = math.inf
    """Largest possible value. Intervals end there."""
    printed: bool = True
    """True if `ticks` are the paper's ticks; False if the paper's axis is unknown."""

    @property
    def bounded(self) -> bool:
        """True if the metric has a largest value, so that ratios to a baseline have little meaning."""
        return math.isfinite(self.most)

    @property
    def title(self) -> str:
        """Label and unit, for an axis."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Replications:
    """Number of replications of a cell (curve at a value of the axis), by mode."""

    quick: int
    full: int
    half_width: float = 0.03
    """Stopping rule of default mode: every 95 % half-width is below this fraction of the mean."""
    batch: int = 10
    most: int = 100
    printed: bool = False
    """True if the paper prints the number `full`."""

    def rule(self, mode: Mode, metric: Metric) -> int | Until:
        """Return the study's rule in this mode: a number, or a stopping rule by the metric's intervals."""
        from airhop.study import Until

        if mode == "default":
            return Until(self.half_width, relative=True, of=metric.name, max=self.most, batch=self.batch)
        return self.quick if mode == "quick" else self.full


@dataclass(frozen=True)
class TimelineChoice:
    """Runs that the report shows packet by packet, chosen to explain the headline."""

    curve: str
    """Curve of the run that the page shows first."""
    x: X | Callable[[Samples], X]
    """Value of the axis for these runs, or a function from the measured samples to the value."""
    duration_s: float
    opening_s: float
    """Length of the page's initial time window in seconds."""
    rep: int = 0

    def at(self, samples: Samples) -> X:
        """Return the value of the axis, for these samples."""
        return self.x(samples) if callable(self.x) else self.x


@dataclass(frozen=True)
class Picture:
    """Printed figure of one run, packet by packet, for papers that show runs instead of means."""

    name: str
    """Base name of the figure's files: `sequence` stands for `sequence.pdf` and other formats."""
    curve: str
    x: X
    draw: Callable[[Result], Figure]
    """Function that draws a traced run, inside `plots.paper.PRINT_STYLE`."""
    rep: int = 0


@dataclass(frozen=True)
class ClaimResult:
    """Decision on a claim, with the measured values that decide it."""

    decision: Decision | bool | None
    """Decision by intervals, or an exact decision: True, False, or None for open."""
    measured: str
    short: tuple[str, ...] = ()
    """Curves with intervals that do not support the claim, if the check names curves."""
    needs: str = ""
    """Information that the check needs but the paper lacks; empty if nothing is missing."""

    @property
    def holds(self) -> bool | None:
        """True if the claim holds. None if the intervals do not decide; more replications may then decide."""
        return Decision.of(self.decision).holds

    @property
    def word(self) -> Literal["holds", "fails", "open"]:
        """Return the decision in a word."""
        return "open" if self.holds is None else "holds" if self.holds else "fails"


Found = TypeVar("Found")
"""Input of a check: `Samples` of an experiment, `Values` of a calculation."""


@dataclass(frozen=True)
class Claim(Generic[Found]):
    """Claim: a statement of the paper in Airhop's words, and the check that decides on it."""

    id: str
    text: str
    check: Callable[[Found], ClaimResult]
    reason: str | Mapping[str, str] = field(default="", kw_only=True)
    """Known mechanism that can make the claim fail. The mechanism was found in traces, and is printed with a
    failed claim. A mapping has a mechanism for each curve. The report prints the mechanisms of the failing
    curves. Measured values belong in `ClaimResult.measured`, so that no run contradicts the text.
    """
    quote: str = field(default="", kw_only=True)
    """Quotation of the paper's statement, with `[…]` for omissions. Empty if the paper prints no such
    statement.
    """
    own: bool = field(default=False, kw_only=True)
    """True if the claim is Airhop's, not the paper's."""
    because: str = field(default="", kw_only=True)
    """Sentence with the reason of a claim of Airhop."""
    bound: bool = field(default=False, kw_only=True)
    """True if the paper prints a bound, as in "more than 400 %", instead of a number."""

    def why(self, result: ClaimResult) -> str:
        """Return the known mechanisms of a failed claim; empty if the claim holds."""
        if result.holds:
            return ""
        if isinstance(self.reason, str):
            return self.reason
        return " ".join(text for curve, text in self.reason.items() if curve in result.short)

    def under(self, reading: Reading) -> Claim[Found]:
        """Return this claim for a reading of the paper."""
        return replace(self, check=reading.checks.get(self.id, self.check))


@dataclass(frozen=True)
class Experiment:
    """Experiment that reproduces a figure or table of a paper."""

    id: str
    title: str
    source: str
    """Publication."""
    scenario: str | Path
    """Name of a packaged scenario, or path of a file."""
    settings: Mapping[str, object]
    """Fixed values of this experiment by scenario path."""
    curves: tuple[Curve, ...]
    """Curves in the paper's order."""
    baseline: str
    """Name of the curve that is the denominator of ratios."""
    axis: PlottedAxis
    metric: Metric
    replications: Replications
    claims: tuple[Claim[Samples], ...]
    headline: Callable[[Samples], str]
    """Function that returns the result in one sentence."""
    timeline: TimelineChoice | None = None
    beside: Experiment | None = None
    """Companion: another experiment with the same axis. Some claims also need the companion's results."""
    published: Mapping[tuple[str, X], float] | None = None
    """Printed numbers by (curve, x); None if the paper prints no numbers."""
    also: tuple[Metric, ...] = ()
    """Further metrics of the same runs."""
    panels: tuple[tuple[str, ...], ...] = ()
    """Names of the curves of each panel of the printed figure; empty for one panel with all curves."""
    pictures: tuple[Picture, ...] = ()
    """Figures of single runs, in addition to the figure of the means."""
    questions: tuple[Question, ...] = ()
    """Open questions (unclear statements) of the paper."""
    changed: str = ""
    """Description of a user's changes of settings; empty without changes. A changed experiment has no claims,
    because the paper has other settings.
    """

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
        """Return this experiment and its companion for a reading of the paper, without open questions.

        Raises InputError if the reading changes a scheme or a curve that the experiment does not compare.
        """
        self._refuse_unknown(reading)
        return self._under(reading)

    def with_(self, changes: Mapping[str, object]) -> Experiment:
        """Return an experiment with the same grid and curves, but with changed settings, by scenario path.

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
        """Return this companion under the companion's own reading (answer) of the same name."""
        if not self.questions:
            return self._under(reading)
        own = next((one for one in readings(self.questions) if one.name == reading.name), None)
        return self._under(own) if own else self

    def study(self, mode: Mode, seed: int = 1) -> Study:
        """Return the study of this mode: every value of the axis with every curve.

        The curve varies fastest.
        """
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
        """Return the scenario paths that curves set, the values by curve, and the names of the curves.

        If a curve does not set a path, the experiment's value applies.
        """
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
