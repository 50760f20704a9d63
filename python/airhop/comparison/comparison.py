"""Runs of the arms (variants of one scenario) of a comparison, and statistics over paired runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airhop import stats
from airhop.analysis.goals import Goal, classes_in, goals, shares_of, starved
from airhop.analysis.loss_classifications import LOSS_CLASSES, TRUE_CAUSES, LossClassifications, share_right
from airhop.analysis.measures import (
    ACTIVE,
    AIRTIME_JAIN,
    GOODPUT,
    LOSS,
    MEANS,
    MEASURES,
    OF_CLASSES,
    SUMS,
    aggregate_flows,
    columns,
    of_class,
)
from airhop.analysis.verdict import Verdict, verdict
from airhop.boundary.arguments import checked
from airhop.comparison.arms import Arm
from airhop.comparison.summary import summary
from airhop.display import AxesLike, Shown, Summary, plotted, to_pandas
from airhop.hints import hints, lines, senders
from airhop.results import Result
from airhop.scenario import Scenario
from airhop.simulate import Interrupted
from airhop.study.cells import RATIO, bounds

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

_OF_FLOWS = (*SUMS, *MEANS)
METRICS = (*_OF_FLOWS, AIRTIME_JAIN)
"""Metrics of a comparison: sums or means over the TCP flows of a run, and the fairness of airtime in cells.
"""
DATAGRAMS = (GOODPUT, ACTIVE, "delivered_bytes", "sent_segments", LOSS, *columns("delay_ms"), "jitter_ms")
"""Metrics of UDP: sums or means over the UDP flows of a run."""
CLASS_METRICS = tuple(measure.column for measure in OF_CLASSES)
"""Metrics of a class of flows."""
SHOWN_OF_DATAGRAMS = (GOODPUT, ACTIVE, LOSS, "delay_mean_ms", "delay_p95_ms", "jitter_ms")
"""Columns of a table of UDP metrics."""


@dataclass(frozen=True)
class Row:
    """Results of one arm."""

    scheme: str
    """Name of the arm: scheme, parameters that differ from the defaults, and varied values."""
    metrics: Mapping[str, stats.Estimate | None]
    """Mean of each metric, by name. Replications without a value are left out. The value of a run is a sum
    over the TCP flows (`goodput_mbps`, `sent_segments` and so on), or a mean over the flows with a value
    (`srtt_ms` and so on). None if no flow has a value.
    """
    datagrams: Mapping[str, stats.Estimate | None]
    """Metrics of the UDP flows; empty if there are no UDP flows."""
    classes: Mapping[str, Mapping[str, stats.Estimate | None]]
    """Means by class of flows and column. Replications without a value are left out."""
    goodput_ratio: stats.Ratio
    """Ratio of the mean goodput to the first arm's mean goodput over paired runs, with Fieller's interval."""
    judgements: Sequence[LossClassifications]
    """Loss classifications of each replication."""

    @property
    def goodput(self) -> stats.Estimate:
        """Total goodput of all TCP flows in Mbit/s."""
        found = self.metrics[GOODPUT]
        assert found is not None  # sums over flows have a value in every run
        return found

    @property
    def judged_right(self) -> stats.Ratio | None:
        """Share of losses that the scheme classified correctly, 0 to 1; None without classified losses."""
        return share_right(self.judgements)


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """Finished runs of a comparison: all runs, unless the comparison was interrupted.

    A notebook shows the verdict and a table of the arms.
    """

    scenario: Scenario
    arms: Sequence[Arm]
    """Compared variants; the first is the baseline of ratios."""
    seed: int
    reps: int
    results: Mapping[tuple[str, int], Result]
    """Results by name of the arm and replication."""

    def _summary(self) -> Summary:
        return summary(self)

    @property
    def schemes(self) -> list[str]:
        """Names of the arms; the names of the schemes if only schemes are compared."""
        return [arm.name for arm in self.arms]

    @property
    def heading(self) -> str:
        """Keys that distinguish the arms, as in `scheme` or `scheme, queue`."""
        keys = {path.rpartition(".")[2]: None for arm in self.arms for path in arm.changes}
        return ", ".join(keys) or "arm"

    @property
    def hints(self) -> list[str]:
        """Lines that `airhop compare` prints: TCP stack of the senders, and settings that easily mislead."""
        return lines(arm.scenario for arm in self.arms)

    @property
    def complete(self) -> bool:
        """True if every run finished."""
        return len(self.results) == len(self.schemes) * self.reps

    @property
    def paired_reps(self) -> list[int]:
        """Replications that all arms finished; all statistics use only these replications."""
        return [
            rep for rep in range(self.reps) if all((scheme, rep) in self.results for scheme in self.schemes)
        ]

    def frame(self) -> pl.DataFrame:
        """Return one row per finished run, with metrics of the TCP flows and units in the column names.

        The first columns distinguish the arms: `scheme`, or a column for each varied path.
        """
        import polars as pl

        columns = {arm.name: arm.columns for arm in self.arms}
        rows = [
            {**columns[name], "seed": self.seed, "rep": rep, **self._metrics[name, rep]}
            for name, rep in sorted(self.results, key=lambda key: key[1])
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def cells_frame(self) -> pl.DataFrame:
        """Return one row per arm, over the paired replications.

        The columns that distinguish the arms come first. `n` is the number of replications. `goodput_ratio`
        is the goodput divided by the first arm's goodput, with bounds. For each metric NAME of `Row.metrics`,
        the column NAME is the mean. `NAME_low` and `NAME_high` are the bounds of the 95 % interval, null for
        a single replication.
        """
        import polars as pl

        rows = [
            {
                **arm.columns,
                "n": row.goodput_ratio.n,
                **bounds(RATIO, row.goodput_ratio),
                **{
                    column: value
                    for name, metric in row.metrics.items()
                    for column, value in bounds(name, metric).items()
                },
            }
            for arm, row in zip(self.arms, self.rows(), strict=False)
        ]
        types = {column: pl.Float64 for name in (RATIO, *METRICS) for column in bounds(name, None)}
        return pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)

    def to_pandas(self) -> pd.DataFrame:
        """Return `frame` as a data frame of pandas. Raises InputError if pandas is not installed."""
        return to_pandas(self.frame())

    @checked
    def plot(self, metric: str = GOODPUT, *, ax: AxesLike | None = None) -> Figure:
        """Draw a metric of each arm with its 95 % interval, in a figure that a notebook shows.

        Parameters
        ----------
        metric
            Name in `Row.metrics`, such as `goodput_mbps` (Mbit/s) or `delay_p95_ms` (ms).
        ax
            Axes to draw on, without a change of style. None draws a new figure in the style of the printed
            figures.

        Returns
        -------
        Figure
            The figure, for instance for `savefig`.

        Raises
        ------
        InputError
            When no arm has the metric.
        """
        return plotted("arms.means", self, metric=metric, ax=ax)

    def rows(self) -> list[Row]:
        """Summarize every arm over the paired replications.

        Empty if no replication is complete in all arms.
        """
        reps = self.paired_reps
        if not reps:
            return []
        goodput = {
            scheme: [self.results[scheme, rep].goodput_mbps for rep in reps] for scheme in self.schemes
        }
        return [
            Row(
                scheme,
                _estimates([self._metrics[scheme, rep] for rep in reps], METRICS),
                self._datagrams(scheme),
                self._classes(scheme),
                stats.ratio(goodput[scheme], goodput[self.schemes[0]]),
                [self.results[scheme, rep].judgements for rep in reps],
            )
            for scheme in self.schemes
        ]

    def warnings(self) -> list[str]:
        """List warnings about unreliable intervals."""
        reps = self.paired_reps
        doubts = stats.doubts(
            [[tuple(self._metrics[scheme, rep].values()) for rep in reps] for scheme in self.schemes]
        )
        rows = self.rows()
        shown = {
            f"{row.scheme} {name}": value for row in rows for name, value in row.metrics.items() if value
        }
        ratios = {f"{row.scheme} ratio": row.goodput_ratio for row in rows[1:]}
        return [*doubts, *stats.vague({**shown, **ratios})]

    @cached_property
    def _metrics(self) -> dict[tuple[str, int], dict[str, float | None]]:
        """Metrics of each run by arm and replication; cached, because a run may have thousands of flows."""
        return {
            key: aggregate_flows(run.document["flows"], _OF_FLOWS)
            | {AIRTIME_JAIN: run.document.get(AIRTIME_JAIN)}
            for key, run in self.results.items()
        }

    def _datagrams(self, scheme: str) -> dict[str, stats.Estimate | None]:
        """Summarize the UDP flows of an arm over the paired replications; empty without UDP flows."""
        runs = [self.results[scheme, rep].document["flows"] for rep in self.paired_reps]
        if all(flow["transport"] == "tcp" for flows in runs for flow in flows):
            return {}
        return _estimates([aggregate_flows(flows, DATAGRAMS, "udp") for flows in runs], DATAGRAMS)

    def _classes(self, scheme: str) -> dict[str, dict[str, stats.Estimate | None]]:
        """Summarize the classes of flows of an arm over the paired replications."""
        by_class: dict[str, list[dict[str, Any]]] = {}
        for rep in self.paired_reps:
            for one in self.results[scheme, rep].document.get("classes", ()):
                by_class.setdefault(one["name"], []).append(of_class(one))
        return {name: _estimates(runs, CLASS_METRICS) for name, runs in by_class.items()}

    @cached_property
    def verdict(self) -> Verdict:
        """Best arm in throughput, completion time, delay and fairness, and starved flows."""
        reps = self.paired_reps
        runs = {name: [self.results[name, rep].document for rep in reps] for name in self.schemes}
        seen = {one.name: one for documents in runs.values() for one in classes_in(documents)}
        samples = {
            goal: {
                name: {rep: value for rep in reps if (value := self._value(goal, name, rep)) is not None}
                for name in self.schemes
            }
            for goal in goals(seen.values())
        }
        shares = {name: [shares_of(document) for document in documents] for name, documents in runs.items()}
        unfinished = {
            one.name: {name: self._unfinished(one.name, name) for name in self.schemes}
            for one in seen.values()
            if one.completes
        }
        return verdict(samples, unfinished, {name: starved(of_arm) for name, of_arm in shares.items()})

    def _unfinished(self, of: str, name: str) -> float:
        """Return the share of transfers and requests of class `of` that are unfinished in the arm `name`."""
        documents = (self.results[name, rep].document for rep in self.paired_reps)
        found = [one for document in documents for one in document["classes"] if one["name"] == of]
        completed, unfinished = (
            sum(MEASURES[f"class_completion_{which}"].value(one) for one in found)
            for which in ("count", "unfinished")
        )
        return float(unfinished / max(completed + unfinished, 1))

    def _value(self, goal: Goal, name: str, rep: int) -> float | None:
        """Return the value of a goal in a run; None if no flow of the run has a value."""
        document = self.results[name, rep].document
        if goal.of is None:
            return self._metrics[name, rep][goal.column]
        found = (one for one in document.get("classes", ()) if one["name"] == goal.of)
        return next((MEASURES[f"class_{goal.column}"].value(one) for one in found), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `airhop compare --json` prints."""
        return {
            "scenario": self.scenario.name,
            "seed": self.seed,
            "reps": self.reps,
            "complete": self.complete,
            "warnings": self.warnings(),
            "verdict": self.verdict.to_dict(),
            "senders": senders(arm.scenario for arm in self.arms),
            "hints": [str(hint) for hint in hints(arm.scenario for arm in self.arms)],
            "schemes": [
                {
                    "scheme": row.scheme,
                    "changes": dict(arm.changes),
                    "n": row.goodput_ratio.n,
                    "metrics": _written(row.metrics),
                    "datagrams": _written(row.datagrams),
                    "classes": {
                        name: {
                            column.removeprefix("class_"): value for column, value in _written(found).items()
                        }
                        for name, found in row.classes.items()
                    },
                    "goodput_ratio": {
                        "to": self.schemes[0],
                        "value": _finite(row.goodput_ratio.value),
                        "low": row.goodput_ratio.low,
                        "high": row.goodput_ratio.high,
                    },
                    **_classifications(row),
                }
                for arm, row in zip(self.arms, self.rows(), strict=False)
            ],
            "runs": [result.document for result in self.results.values()],
        }


class InterruptedComparison(Interrupted):
    """Interruption by Ctrl-C; `comparison` contains the finished runs."""

    def __init__(self, comparison: Comparison, interrupted: Interrupted) -> None:
        super().__init__(interrupted.results, len(comparison.schemes) * comparison.reps)
        self.comparison = comparison


def _estimates(
    runs: Sequence[Mapping[str, float | None]], names: Iterable[str]
) -> dict[str, stats.Estimate | None]:
    """Estimate the mean of each measure over the replications with a value.

    The estimate is None if no replication has a value.
    """
    samples = {name: [value for run in runs if (value := run[name]) is not None] for name in names}
    return {name: stats.estimate(sample) if sample else None for name, sample in samples.items()}


def _written(estimates: Mapping[str, stats.Estimate | None]) -> dict[str, Any]:
    return {
        name: value and {"mean": value.mean, "half_width": value.half_width}
        for name, value in estimates.items()
    }


def _classifications(row: Row) -> dict[str, Any]:
    """Return the share of correct classifications, and the losses as in the run document."""
    found, right = LossClassifications.sum(row.judgements), row.judged_right
    return {
        "judged_right": None
        if right is None
        else {"value": right.value, "low": right.low, "high": right.high},
        "judgements": {
            judged: {cause: found.count(judged, cause) for cause in TRUE_CAUSES} for judged in LOSS_CLASSES
        },
    }


def _finite(value: float) -> float | None:
    return value if value == value else None  # JSON has no nan
