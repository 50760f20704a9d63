"""Verdict of a comparison: the best arms in each goal, by confidence intervals of paired differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airhop import stats
from airhop.analysis.goals import STARVED, Goal, Kind
from airhop.numerals import joined

KINDS: dict[Kind, str] = {
    "throughput": "throughput",
    "completion": "completion time",
    "delay": "delay",
    "fairness": "fairness",
}
"""Names of the goals, in the order of a verdict."""
LEFT = 0.1
"""Largest tolerated difference between two arms' shares of unfinished transfers. Above this difference, the
arm with the larger share counts as worse. The value is Airhop's choice: of ten requests, one may be
outstanding at the end of the run.
"""
MOST_NAMED = 4
"""Maximum number of arms, or of starved flows of a class, that a verdict names."""

Samples = Mapping[str, Mapping[int, float]]
"""Values of a metric by arm and replication. Replications without a value are omitted."""


@dataclass(frozen=True)
class Standing:
    """Ranking of the arms by one goal."""

    goal: Goal
    means: Mapping[str, stats.Estimate | None]
    """Means by arm, best first. Only replications with a value for every ranked arm count. None for the
    unranked arms in `unfinished`.
    """
    best: tuple[str, ...]
    """Arm with the best mean, followed by the arms that are not significantly worse."""
    unfinished: Mapping[str, float]
    """Share of unfinished transfers by arm, 0 to 1. Only arms more than `LEFT` above the smallest share are
    listed.
    """

    @property
    def winner(self) -> str | None:
        """Arm that is significantly better than every other arm; None without such an arm."""
        return self.best[0] if len(self.best) == 1 < len(self.means) else None

    @property
    def decides(self) -> bool:
        """True if some arm is significantly worse than the best arm."""
        return len(self.best) < len(self.means)

    @property
    def spread(self) -> float:
        """Ratio of best and worst mean, at least 1; infinite if some arm leaves transfers unfinished."""
        values = [abs(value.mean) for value in self.means.values() if value is not None]
        low, high = sorted((values[0], values[-1]))
        if self.unfinished:
            return math.inf
        return high / low if low > 0 else math.inf if high > 0 else 1.0


@dataclass(frozen=True)
class Verdict:
    """Rankings of the arms by goal, and starved flows by arm and class."""

    standings: Sequence[Standing]
    starved: Mapping[str, Mapping[str, Sequence[str]]]

    @property
    def leading(self) -> dict[Kind, Standing]:
        """One ranking per kind of goal, for the kinds that distinguish arms.

        Among several goals of a kind, a foremost goal takes precedence, then the goal with the widest spread.
        """
        found: dict[Kind, Standing] = {}
        for kind in KINDS:
            of_kind = [one for one in self.standings if one.goal.kind == kind and one.decides]
            if of_kind:
                found[kind] = max(of_kind, key=lambda one: (one.goal.is_foremost, one.spread))
        return found

    @property
    def ahead(self) -> list[str]:
        """Arms that are among the best in every leading goal."""
        leading = list(self.leading.values())
        return [arm for arm in leading[0].best if all(arm in one.best for one in leading)] if leading else []

    @property
    def depends(self) -> bool:
        """True if no arm is among the best in every leading goal."""
        return bool(self.leading) and not self.ahead

    @property
    def text(self) -> str:
        """Verdict as sentences with values: best arms by goal, undecided goals, starved flows."""
        return " ".join(filter(None, (self._sentence_of_winners(_clause), self._starvation())))

    @property
    def headline(self) -> str:
        """Short verdict, without values and names of flows."""
        starving = [arm for arm, classes in self.starved.items() if classes]
        told = self._sentence_of_winners(lambda standing: standing.goal.superlative)
        return f"{told} Flows starve with {joined(starving)}.".lstrip() if starving else told

    @property
    def evidence(self) -> list[str]:
        """Sentences with values: one for each goal that distinguishes arms, and one on starved flows."""
        told = [f"{_subject(standing.best)} {_clause(standing)}." for standing in self.leading.values()]
        return [*told, *filter(None, [self._starvation()])]

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data: the text, the best arms in each goal, and starved flows."""
        return {
            "text": self.text,
            "depends": self.depends,
            "goals": [
                {
                    "goal": standing.goal.kind,
                    "class": standing.goal.of,
                    "metric": standing.goal.column,
                    "winner": standing.winner,
                    "unfinished": dict(standing.unfinished),
                    "best": list(standing.best),
                }
                for standing in self.standings
            ],
            "starved": {arm: dict(classes) for arm, classes in self.starved.items()},
        }

    def _sentence_of_winners(self, told_of: Callable[[Standing], str]) -> str:
        compared = {standing.goal.kind for standing in self.standings}
        open_ = [KINDS[kind] for kind in KINDS if kind in compared and kind not in self.leading]
        alike = f"The arms do not differ by more than chance in {joined(open_, 'or')}." if open_ else ""
        by_arms: dict[tuple[str, ...], list[str]] = {}
        for standing in self.leading.values():
            by_arms.setdefault(tuple(sorted(standing.best)), []).append(told_of(standing))
        clauses = [f"{_subject(arms)} {joined(won)}" for arms, won in by_arms.items()]
        told = f"{'It depends: ' if self.depends else ''}{'; '.join(clauses)}." if clauses else ""
        return " ".join(filter(None, (told, alike)))

    def _starvation(self) -> str:
        arms = [
            f"with {arm} {joined([_named(of, flows) for of, flows in classes.items()])}"
            for arm, classes in self.starved.items()
            if classes
        ]
        if not arms:
            return ""
        return f"Flows starve (under {100 * STARVED:.0f} % of an equal share): {'; '.join(arms)}."


def verdict(
    samples: Mapping[Goal, Samples],
    unfinished: Mapping[str, Mapping[str, float]],
    starved: Mapping[str, Mapping[str, Sequence[str]]],
) -> Verdict:
    """Return the verdict on arms.

    Parameters
    ----------
    samples
        Values by goal, arm and replication. In each replication, all arms had the same channel errors.
    unfinished
        Share of unfinished transfers and requests, by class and arm.
    starved
        Starved flows by arm and class.
    """
    found = (
        _standing(goal, of_arms, unfinished.get(goal.of or "", {}) if goal.kind == "completion" else {})
        for goal, of_arms in samples.items()
    )
    return Verdict([standing for standing in found if standing is not None], starved)


def _standing(goal: Goal, samples: Samples, unfinished: Mapping[str, float]) -> Standing | None:
    """Rank the arms by paired differences; return None for fewer than two arms with values.

    Intervals have a joint confidence of 95 % over all pairs of arms (Bonferroni), because the best arm is
    unknown before the runs. A mean over completed transfers ignores unfinished transfers. An arm therefore
    counts as worse than all ranked arms if its share of unfinished transfers exceeds the smallest share by
    more than `LEFT`.
    """
    least = min(unfinished.values(), default=0.0)
    left = {arm: share for arm, share in unfinished.items() if share > least + LEFT}
    ranked = {arm: values for arm, values in samples.items() if values and arm not in left}
    reps = sorted(set.intersection(*map(set, ranked.values()))) if ranked else []
    if not reps or len(ranked) + len(left) < 2:
        return None
    columns = {arm: [values[rep] for rep in reps] for arm, values in ranked.items()}
    sign = -1.0 if goal.is_higher_better else 1.0
    means = {arm: stats.estimate(column) for arm, column in columns.items()}
    order = sorted(means, key=lambda arm: sign * means[arm].mean)
    confidence = stats.simultaneous(len(order) * (len(order) - 1) // 2)
    ahead = {arm: stats.difference(columns[order[0]], columns[arm]).at(confidence) for arm in order[1:]}
    best = (order[0], *(arm for arm, difference in ahead.items() if not difference.excludes(0.0)))
    return Standing(goal, {arm: means.get(arm) for arm in (*order, *left)}, best, left)


def _subject(arms: Sequence[str]) -> str:
    return f"{joined(_few(arms))} {'has' if len(arms) == 1 else 'share'}"


def _few(names: Sequence[str]) -> list[str]:
    """Return the first `MOST_NAMED` names, and a text with the number of further names."""
    more = len(names) - MOST_NAMED
    return [*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])]


def _clause(standing: Standing) -> str:
    """Return a clause with the goal, and the values of the best and the worst arm."""
    first, *_, last = standing.means
    best, worst = (_shown(standing, arm) for arm in (first, last))
    return f"{standing.goal.superlative} ({best}; {last}: {worst})"


def _shown(standing: Standing, arm: str) -> str:
    mean = standing.means[arm]
    if mean is None:
        return f"{100 * standing.unfinished[arm]:.0f} % unfinished"
    return value(standing.goal, mean.mean)


def value(goal: Goal, mean: float) -> str:
    """Format a value of a goal with the unit; times of at least one second are in seconds."""
    if goal.kind == "throughput":
        return f"{mean:.3g} Mbit/s"
    if goal.kind == "fairness":
        return f"{mean:.2f}"
    return f"{mean / 1000:.3g} s" if mean >= 1000 else f"{mean:.3g} ms"


def _named(of: str, flows: Sequence[str]) -> str:
    return f"{', '.join(_few(flows))} of {of}"
