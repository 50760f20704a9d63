"""What an experiment is: a scenario, a grid, the schemes compared, and what their paper claims about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from airhop.experiments.samples import Samples

Mode = Literal["quick", "default", "full"]
"""Quick: coarse grid, few replications. Default: until intervals are narrow. Full: the paper's own counts."""


@dataclass(frozen=True)
class Axis:
    """The quantity an experiment varies: one scenario path and the values it takes."""

    key: str
    """Short name, used in rows and file columns (`fer`)."""
    path: str
    """Scenario path the values are written to (`wlan.cell.errors.fer`)."""
    label: str
    """What a reader calls it (`Frame error rate`)."""
    full: tuple[float, ...]
    """The whole grid, ascending."""
    coarse: tuple[float, ...]
    """The grid of quick mode, ascending."""
    log: bool = False
    limits: tuple[float, float] | None = None
    """Printed range of the axis; values outside it are computed but not drawn."""
    percent: bool = False
    """Values are probabilities that prose and tables give in per cent."""

    def grid(self, mode: Mode) -> tuple[float, ...]:
        """Give the values taken in this mode."""
        return self.coarse if mode == "quick" else self.full

    def shows(self, x: float) -> bool:
        """Tell whether a chart draws this value."""
        return self.limits is None or self.limits[0] <= x <= self.limits[1]

    def text(self, x: float) -> str:
        """Write the value as prose and tables print it."""
        return f"{100 * x:g} %" if self.percent else f"{x:g}"


@dataclass(frozen=True)
class Metric:
    """What is measured in every run: a column of the flow's results."""

    name: str
    """Column of the run document's flow (`goodput_mbps`)."""
    label: str
    unit: str
    ticks: tuple[float, ...]
    """Ticks of the printed axis, evenly spaced; the first and the last are its ends."""


@dataclass(frozen=True)
class Replications:
    """How many replications a cell of the grid gets."""

    quick: int
    full: int
    half_width: float = 0.03
    """Default mode stops when every 95 % half-width is below this fraction of its mean."""
    batch: int = 10
    most: int = 100


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

    holds: bool
    measured: str


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
    scenario: str
    """Name of the packaged scenario."""
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
    published: Mapping[tuple[str, float], float] | None = None
    """Printed numbers by (scheme, x), where the paper prints any."""
