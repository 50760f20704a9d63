"""Comparison by several goals (throughput, delay and others): headline, table, and trade-off graph."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from airhop import stats
from airhop.analysis.goals import Goal, Kind
from airhop.analysis.verdict import KINDS, Standing
from airhop.numerals import joined
from airhop.plots.style import SchemeStyle
from airhop.report.symbols import PATHS, STROKED
from airhop.terminal import mean_pm

if TYPE_CHECKING:
    from airhop.study.verdicts import Outcome

WIDTH, HEIGHT = 460.0, 330.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 446.0, 14.0, 282.0
"""Edges of the plot in the drawing, in pixels."""
LABEL_PX = 14.0
"""Minimum distance between the base lines of two labels, in pixels."""
MOST_TICKS = 6
"""Maximum number of ticks of a logarithmic axis."""
MARGIN = 0.08
"""Share of an axis that stays empty beyond the outermost intervals."""


@dataclass(frozen=True)
class Mark:
    """Mark of a scheme in the graph of throughput against delay, with 95 % intervals."""

    scheme: str
    delay: stats.Estimate
    throughput: stats.Estimate


@dataclass(frozen=True)
class GoalRow:
    """One goal in the table of a setting."""

    label: str
    cells: Mapping[str, str]
    """Mean and half-width by scheme; a text if the scheme has unfinished transfers."""
    best: Sequence[str]
    """Schemes that no other scheme significantly exceeds; empty if the goal does not distinguish schemes."""


def headline(settings: Sequence[Outcome], goodput: str) -> str:
    """Return the headline of a study.

    For a single setting, the headline is the verdict. For several settings, the headline is the sentence
    `goodput`, followed by one sentence per other goal on the scheme that is best at most settings.
    """
    compared = [found for found in settings if len(found.verdict.standings) > 1]
    if not compared:
        return goodput
    if len(settings) == 1:
        return settings[0].verdict.headline
    told = [text for kind in KINDS if kind != "throughput" and (text := _sentence_on_best(kind, settings))]
    starving = {scheme: count for scheme, count in _starving(settings).items() if count}
    if starving:
        by_count: dict[int, list[str]] = {}
        for scheme, count in starving.items():
            by_count.setdefault(count, []).append(scheme)
        where = [f"{joined(of)} at {_counted(count, len(settings))}" for count, of in by_count.items()]
        told.append(f"Flows starve with {', with '.join(where)}.")
    return " ".join((goodput, *told))


def findings(settings: Sequence[Outcome], goodput: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences below the headline of a study.

    For a single setting with several goals, the sentences have the values that explain the verdict. Otherwise
    the sentences are `goodput`.
    """
    alone = settings[0].verdict if len(settings) == 1 else None
    return tuple(goodput if alone is None or len(alone.standings) < 2 else alone.evidence)


def _counted(count: int, settings: int) -> str:
    """Format a number of settings: `all 3 settings`, `2 of 3 settings`."""
    return f"all {settings} settings" if count == settings else f"{count} of {settings} settings"


def _sentence_on_best(kind: Kind, settings: Sequence[Outcome]) -> str:
    """Return a sentence on the scheme that is most often the only best one in a goal, or an empty text."""
    leading = [found.verdict.leading.get(kind) for found in settings]
    wins = [standing.winner for standing in leading if standing is not None and standing.winner is not None]
    if not wins:
        return ""
    most = max(dict.fromkeys(wins), key=wins.count)
    goal = next(one.goal for one in leading if one is not None and one.winner == most)
    return f"{most} has {goal.superlative} at {_counted(wins.count(most), len(settings))}."


def _starving(settings: Sequence[Outcome]) -> dict[str, int]:
    """Return the number of settings at which flows starve, by scheme."""
    found: dict[str, int] = {}
    for outcome in settings:
        for scheme, classes in outcome.verdict.starved.items():
            found[scheme] = found.get(scheme, 0) + bool(classes)
    return found


def goal_rows(outcome: Outcome) -> list[GoalRow]:
    """Return the table of the goals at one setting."""
    return [
        GoalRow(
            standing.goal.label,
            {scheme: _cell(standing, scheme) for scheme in standing.means},
            standing.best if standing.decides else (),
        )
        for standing in outcome.verdict.standings
    ]


def _cell(standing: Standing, scheme: str) -> str:
    value = standing.means[scheme]
    if value is None:
        return f"{100 * standing.unfinished[scheme]:.0f} % unfinished"
    return mean_pm(value)


def marks(outcome: Outcome) -> tuple[Goal, list[Mark]] | None:
    """Return the delay goal of the graph, and a mark for each scheme with values of delay and throughput.

    The graph shows the delay goal that decides the verdict, if there is one. Otherwise the graph shows the
    first of the most important delay goals. Returns None with fewer than two marks, or without a goal of
    delay or of throughput.
    """
    throughput = next((goal for goal in outcome.samples if goal.kind == "throughput"), None)
    delays = [goal for goal in outcome.samples if goal.kind == "delay"]
    if throughput is None or not delays:
        return None
    led = outcome.verdict.leading.get("delay")
    shown = led.goal if led is not None else max(delays, key=lambda goal: goal.is_foremost)
    found = [
        Mark(point.scheme, stats.estimate(list(delay)), stats.estimate(list(goodput)))
        for point in outcome.points
        if (delay := outcome.samples[shown].get(point.scheme, {}).values())
        and (goodput := outcome.samples[throughput].get(point.scheme, {}).values())
    ]
    return (shown, found) if len(found) > 1 else None


def picture(outcome: Outcome, look: Mapping[str, SchemeStyle], labels: Mapping[str, str]) -> Markup | None:
    """Draw throughput against the delay: better is up and to the right (Yan et al. 2018, Figure 2).

    The delay axis is logarithmic, with low delays on the right.
    """
    found = marks(outcome)
    if found is None:
        return None
    goal, shown = found
    x = _Axis.of([mark.delay for mark in shown], LEFT, RIGHT, log=True)
    y = _Axis.of([mark.throughput for mark in shown], TOP, BOTTOM, log=False)
    places = [(x.place(mark.delay.mean), y.place(mark.throughput.mean)) for mark in shown]
    parts = [*_axes(x, y, goal)]
    for mark, place in zip(shown, places, strict=True):
        parts += _mark(mark, place, x, y, look[mark.scheme])
    parts += [_label(labels[mark.scheme], *at) for mark, at in zip(shown, _spread(places), strict=True)]
    told = "; ".join(
        f"{labels[mark.scheme]}: {mark.throughput.mean:.3g} Mbit/s, {mark.delay.mean:.3g} ms"
        for mark in shown
    )
    head = Markup('<svg class="tradeoff" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">')
    return head.format(WIDTH, HEIGHT, told) + Markup("").join(parts) + Markup("</svg>")


@dataclass(frozen=True)
class _Axis:
    """Axis with the largest value at `first`: delay falls to the right, and throughput rises upwards."""

    low: float
    high: float
    first: float
    last: float
    log: bool

    @classmethod
    def of(cls, values: Sequence[stats.Estimate], first: float, last: float, *, log: bool) -> _Axis:
        """Return an axis that includes all intervals."""
        least = min(value.mean for value in values) / 10 if log else 0.0
        ends = [max(end, least) for value in values for end in (value.drawn.low, value.drawn.high)]
        low, high = min(ends), max(ends)
        if log:
            margin = max((high / low) ** MARGIN, 1.15)
            return cls(low / margin, high * margin, first, last, log)
        margin = MARGIN * (high - low) or 0.1 * high or 1.0
        return cls(max(low - margin, 0.0), high + margin, first, last, log)

    def place(self, value: float) -> float:
        """Return the coordinate of a value in pixels.

        Values beyond an end of the axis are placed at this end.
        """
        value = min(max(value, self.low), self.high)
        low, high, at = (
            map(math.log10, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        )
        return self.first + (high - at) / (high - low) * (self.last - self.first)

    def _powers(self, factors: Sequence[int]) -> list[float]:
        """Return the products of `factors` and powers of ten that lie within the axis."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        every = [factor * 10.0**power for power in powers for factor in factors]
        return [tick for tick in every if self.low <= tick <= self.high]

    def ticks(self) -> list[float]:
        """Return round tick values: multiples of powers of ten on a log axis, or about five equal steps."""
        if self.log:
            found = [self._powers(factors) for factors in (range(1, 10), (1, 2, 5), (1,))]
            return next((ticks for ticks in found if len(ticks) <= MOST_TICKS), found[-1])
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
        first = math.ceil(self.low / step)
        return [step * number for number in range(first, math.floor(self.high / step) + 1)]


def _axes(x: _Axis, y: _Axis, goal: Goal) -> Iterator[Markup]:
    line = Markup('<path class="{}" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>')
    text = Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>')
    for tick in x.ticks():
        yield line.format("rule", x.place(tick), TOP, x.place(tick), BOTTOM)
        yield text.format(x.place(tick), BOTTOM + 16, "middle", f"{tick:,.6g}")
    for tick in y.ticks():
        yield line.format("rule", LEFT, y.place(tick), RIGHT, y.place(tick))
        yield text.format(LEFT - 7, y.place(tick) + 4, "end", f"{tick:,.6g}")
    yield line.format("axis", LEFT, BOTTOM, RIGHT, BOTTOM)
    yield line.format("axis", LEFT, TOP, LEFT, BOTTOM)
    of = f" of {goal.of}" if goal.of else ""
    yield text.format((LEFT + RIGHT) / 2, BOTTOM + 38, "middle", f"One-way delay{of}, p95, ms (low is right)")
    turned = Markup('<text transform="translate(14 {:.1f}) rotate(-90)" text-anchor="middle">{}</text>')
    yield turned.format((TOP + BOTTOM) / 2, "Throughput, Mbit/s")


def _mark(mark: Mark, at: tuple[float, float], x: _Axis, y: _Axis, style: SchemeStyle) -> Iterator[Markup]:
    """Draw the marker of a scheme, and both intervals."""
    line = Markup('<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="{}" stroke-width="1.5"/>')
    (left, right), (low, high) = (
        _ends(axis, value) for axis, value in ((x, mark.delay), (y, mark.throughput))
    )
    yield line.format(left, at[1], right, at[1], style.color)
    yield line.format(at[0], low, at[0], high, style.color)
    name = style.bokeh_marker.removesuffix("-open")
    fill = "var(--page)" if name in STROKED or style.bokeh_marker.endswith("-open") else style.color
    yield Markup(
        '<path transform="translate({:.1f} {:.1f})" d="{}" fill="{}" stroke="{}" stroke-width="1.2"/>'
    ).format(at[0] - 8, at[1] - 8, PATHS[name], fill, style.color)


def _ends(axis: _Axis, value: stats.Estimate) -> tuple[float, float]:
    return axis.place(value.drawn.low), axis.place(value.drawn.high)


def _spread(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the coordinates of labels: beside the marks, or lower if another label would cover the place."""
    found: dict[int, tuple[float, float]] = {}
    for number in sorted(range(len(places)), key=lambda number: places[number][1]):
        x, y = places[number]
        for other_x, other_y in found.values():
            if abs(other_x - x) < WIDTH / 3 and y < other_y + LABEL_PX:
                y = other_y + LABEL_PX
        found[number] = (x, y)
    return [found[number] for number in range(len(places))]


def _label(label: str, x: float, y: float) -> Markup:
    """Draw the name of a scheme beside its mark, on the side towards the middle of the drawing."""
    is_right = x > (LEFT + RIGHT) / 2
    return Markup('<text class="name" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        x - 11 if is_right else x + 11, y - 5, "end" if is_right else "start", label
    )
