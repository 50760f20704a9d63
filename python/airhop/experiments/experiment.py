"""What an experiment is: a scenario, a grid, the schemes compared, and what their paper claims about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from airhop.experiments.samples import Samples
    from airhop.study import Study, Until

Mode = Literal["quick", "default", "full"]
"""Quick: coarse grid, few replications. Default: until intervals are narrow. Full: the paper's own counts."""
MODES: tuple[Mode, ...] = ("quick", "default", "full")


@dataclass(frozen=True)
class Axis:
    """The quantity an experiment varies: one number, written to one scenario path or to several at once."""

    key: str
    """Name in documents and files, with its unit (`fer`, `d_off_ms`)."""
    name: str
    """What heads a column of a table (`FER`)."""
    paths: tuple[str, ...]
    """Scenario paths the value is written to (`wlan.cell.errors.fer`)."""
    label: str
    """What a reader calls it (`Frame error rate`)."""
    full: tuple[float, ...]
    """The whole grid, ascending."""
    coarse: tuple[float, ...]
    """The grid of quick mode, ascending: values of `full`, so that its runs are reused."""
    unit: str = ""
    """Unit of the values (`ms`); empty for counts and probabilities."""
    log: bool = False
    limits: tuple[float, float] | None = None
    """Printed range of the axis; values outside it are computed but not drawn."""
    ticks: tuple[float, ...] = ()
    """Ticks of the printed axis, where they are not what one would choose anyway."""
    percent: bool = False
    """Values are probabilities that prose and tables give in per cent."""

    def grid(self, mode: Mode) -> tuple[float, ...]:
        """Give the values taken in this mode."""
        return self.coarse if mode == "quick" else self.full

    def setting(self, x: float) -> str | float:
        """Write the value as a scenario takes it: `10 ms`, 0.01, 5."""
        return f"{x} {self.unit}" if self.unit else x

    def shows(self, x: float) -> bool:
        """Tell whether a chart draws this value."""
        return self.limits is None or self.limits[0] <= x <= self.limits[1]

    def text(self, x: float) -> str:
        """Write the value as prose and tables print it."""
        if self.percent:
            return f"{100 * x:g} %"
        return f"{x:g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Metric:
    """What is measured in every run: a column of the study's frame."""

    name: str
    """Column of `Table.frame()` (`goodput_mbps`, `jain`)."""
    label: str
    unit: str
    """Empty for an index or a count."""
    ticks: tuple[float, ...]
    """Ticks of the printed axis, evenly spaced; the first and the last are its ends."""
    digits: int = 2
    """Decimals that tables print."""
    most: float = math.inf
    """The largest value there can be: intervals are cut there."""
    printed: bool = True
    """Whether `ticks` are the paper's; otherwise its axis is not known and they are ours."""

    @property
    def bounded(self) -> bool:
        """Whether it is an index, whose ratios to a baseline say little."""
        return math.isfinite(self.most)

    @property
    def title(self) -> str:
        """Label and unit, as an axis bears them."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Replications:
    """How many replications a cell of the grid gets."""

    quick: int
    full: int
    half_width: float = 0.03
    """Default mode stops when every 95 % half-width is below this fraction of its mean."""
    batch: int = 10
    most: int = 100

    def rule(self, mode: Mode, metric: Metric) -> int | Until:
        """Give the study's rule in this mode: a count, or until the metric's intervals are narrow."""
        from airhop.study import Until

        if mode == "default":
            return Until(self.half_width, relative=True, of=metric.name, max=self.most, batch=self.batch)
        return self.quick if mode == "quick" else self.full


@dataclass(frozen=True)
class TimelineChoice:
    """Which run the report shows packet by packet."""

    x: float
    duration_s: float
    opening_s: float
    """How much of the beginning the page opens on; all of the run is a click away."""
    rep: int = 0


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim, with the figure it rests on."""

    holds: bool | None
    """None when the intervals decide neither way: more replications may."""
    measured: str

    @property
    def verdict(self) -> Literal["holds", "fails", "open"]:
        """Say it in a word."""
        return "open" if self.holds is None else "holds" if self.holds else "fails"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper in our words, and the check that decides it."""

    id: str
    text: str
    judge: Callable[[Samples], Judgement]


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper, reproducible by its id."""

    id: str
    title: str
    source: str
    """Where it was published."""
    scenario: str | Path
    """A packaged scenario's name, or the path of a file."""
    settings: Mapping[str, object]
    """Scenario paths fixed for this experiment."""
    schemes: Mapping[str, str]
    """Scheme name to the paper's label, in the paper's order."""
    baseline: str
    """The scheme that ratios refer to."""
    axis: Axis
    metric: Metric
    replications: Replications
    claims: tuple[Claim, ...]
    headline: Callable[[Samples], str]
    """The result in one sentence."""
    timeline: TimelineChoice | None = None
    beside: Experiment | None = None
    """Another experiment on the same axis whose measurements the claims need too."""
    published: Mapping[tuple[str, float], float] | None = None
    """Printed numbers by (scheme, x), where the paper prints any."""

    def study(self, mode: Mode, seed: int = 1) -> Study:
        """Make the study that this mode runs: the axis, slower, times the schemes."""
        from airhop import study
        from airhop.scenario import SCHEME, Scenario

        paths = self.axis.paths
        grid = tuple((self.axis.setting(x),) * len(paths) for x in self.axis.grid(mode))
        return study.Study(
            name=self.id,
            scenario=Scenario.load(self.scenario).with_(dict(self.settings)),
            axes=(
                study.Axis(paths, grid),
                study.Axis((SCHEME,), tuple((scheme,) for scheme in self.schemes)),
            ),
            reps=self.replications.rule(mode, self.metric),
            seed=seed,
            baseline=self.baseline,
        )
