"""Results of a study: rows per run or flow, and points with their intervals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from airhop import stats
from airhop.analysis.loss_classifications import LossClassifications
from airhop.analysis.measures import GOODPUT, JUDGEMENTS
from airhop.boundary.arguments import checked
from airhop.display import AxesLike, Shown, Summary, plotted, to_pandas
from airhop.errors import InputError
from airhop.scenario import SCHEME
from airhop.study.cells import compared, estimated
from airhop.study.manifest import load_manifests
from airhop.study.measure import METRICS, per_run
from airhop.study.metric import measured, with_flows
from airhop.study.study import Point, Study, run_command
from airhop.study.summary import summary
from airhop.study.until import Until

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

FRAME = (SCHEME, "seed", "rep", *METRICS, "duration_s", "fingerprint", "run_id")
"""Columns of `Table.frame` after the columns of the axes."""
POINT = "point"
"""Column with the index of the point, used only in this module."""


@dataclass(frozen=True)
class Cell:
    """Summary of a point over its `n` replications.

    `difference` and `ratio` compare the point with the baseline scheme at the same setting, over their common
    replications. Both are None for the baseline itself, and if the study has no baseline.
    """

    point: Point
    n: int
    value: stats.Estimate
    difference: stats.Difference | None
    ratio: stats.Ratio | None


class Table(Shown):
    """The finished runs of a study: all of them if `complete`. A notebook shows a table of the points."""

    def __init__(self, study: Study, rows: pl.DataFrame, *, computed: int = 0, reused: int = 0) -> None:
        """Find the runs of `study` among the rows of a store.

        `computed` is the number of runs that were simulated for this table, `reused` the number of runs from
        the store.
        """
        self.study = study
        self.computed = computed
        self.reused = reused
        self._rows = rows

    @classmethod
    @checked
    def load(cls, folder: str | Path) -> list[Table]:
        """Read the tables of all studies in a folder, sorted by name; empty without studies.

        Raises InputError if the folder does not exist, or if a file is damaged.
        """
        from airhop.store import read_rows

        rows = read_rows(folder)
        return [cls(study, rows) for study in load_manifests(folder)]

    def _summary(self) -> Summary:
        return summary(self)

    @cached_property
    def hints(self) -> list[str]:
        """Lines that `airhop sweep` prints: TCP stacks of the senders, and settings that easily mislead."""
        from airhop import hints

        return hints.lines(point.scenario for point in self.study.points())

    @property
    def complete(self) -> bool:
        """True if every run of the study has finished."""
        return None not in self._counts

    @checked
    def frame(self, *metrics: str) -> pl.DataFrame:
        """Return one row per run, sorted by point and replication, with `metrics` as additional columns.

        Columns of the grid: the axes, with units in their names, and scheme, seed and rep. Columns over the
        TCP flows: sums (`goodput_mbps`, `delivered_bytes` and so on), means (`srtt_ms`, `completion_s`,
        `lateness_mean_ms`), and `jain`, the fairness of the goodputs. Columns of losses: `judged_right` (the
        share of correct loss classifications), notices by kind, drops by cause, and counts such as
        `judged_wireless_channel` (channel losses that senders classified as wireless). Columns of the run:
        events, duration_s, fingerprint and run_id.

        The frame does not depend on the order in which the runs finished.
        """
        import polars as pl

        frame = self._with_axes(self._runs, FRAME)
        values = {metric: measured(with_flows(self._runs, self._rows, metric), metric) for metric in metrics}
        others = [pl.Series(metric, values[metric]) for metric in metrics if metric not in frame.columns]
        return frame.with_columns(others) if others else frame

    def flows(self) -> pl.DataFrame:
        """Return one row per flow and run, in the order of `frame`.

        Columns: first the axes, then the columns of the store.
        """
        import polars as pl

        from airhop.store import COLUMNS

        rows = self._runs.select(POINT, "run_id").join(
            self._rows.select(*COLUMNS), on="run_id", maintain_order="left_right"
        )
        flows = self._with_axes(rows, tuple(COLUMNS))
        # The column `scheme` of the axis, with parameters, replaces the store's; flows of datagrams have no
        # scheme.
        return flows.with_columns(pl.when(pl.col("transport") == "tcp").then(SCHEME).alias(SCHEME))

    def rows(self) -> pl.DataFrame:
        """Return the rows of the store that belong to the study.

        The column `point` has the index of the point.
        """
        points = self._runs.select(POINT, "run_id")
        return points.join(self._rows, on="run_id", maintain_order="left_right").rename({POINT: "point"})

    @checked
    def cells(self, metric: str = GOODPUT, points: Sequence[Point] | None = None) -> list[Cell]:
        """Summarize each grid point with at least one run over its replications, in grid order.

        `points` selects and orders the points to summarize.
        """
        wanted = self.study.points() if points is None else points
        baselines = {p.setting: p.index for p in self.study.points() if p.scheme == self.study.baseline}
        samples = self.samples(metric, {p.index for p in wanted} | {*baselines.values()})
        cells = []
        for point in wanted:
            baseline = baselines.get(point.setting)
            others = {} if baseline is None or baseline == point.index else samples.get(baseline, {})
            if sample := samples.get(point.index):
                cells.append(_cell(point, sample, others))
        return cells

    @checked
    def cells_frame(self, *metrics: str) -> pl.DataFrame:
        """Return one row per point with runs, in grid order, with `metrics` as additional columns.

        Columns: the axes, scheme, and `n`, the number of runs. With a baseline, also the paired difference
        `goodput_difference_mbps` and ratio `goodput_ratio`, with their bounds. For each metric of `frame`,
        NAME is the mean over the runs that have the metric. `NAME_low` and `NAME_high` are the bounds of its
        95 % interval, null for a single run.
        """
        import polars as pl

        names = list(dict.fromkeys((*METRICS, *metrics)))
        runs = self._runs
        for metric in metrics:
            values = measured(with_flows(self._runs, self._rows, metric), metric)
            runs = runs.with_columns(pl.Series(metric, values))
        cells = estimated(runs, POINT, names)
        if self.study.baseline is not None:
            pairs = compared(self.cells(), POINT)
            cells = (
                cells.select(POINT, "n")
                .join(pairs, on=POINT, maintain_order="left")
                .join(cells.drop("n"), on=POINT, maintain_order="left")
            )
        axes = self._with_axes(runs.unique(POINT, keep="first", maintain_order=True), (SCHEME,))
        return pl.concat([axes, cells.drop(POINT)], how="horizontal")

    @checked
    def to_pandas(self, *metrics: str) -> pd.DataFrame:
        """Return `frame` as a data frame of pandas. Raises InputError if pandas is not installed."""
        return to_pandas(self.frame(*metrics))

    @checked
    def plot(
        self,
        metric: str = GOODPUT,
        *,
        kind: Literal["means", "differences", "distribution"] = "means",
        along: str | None = None,
        at: Mapping[str, object] | None = None,
        labels: Mapping[str, str] | None = None,
        ax: AxesLike | None = None,
    ) -> Figure:
        """Draw a metric with 95 % intervals.

        Parameters
        ----------
        metric
            Column of `frame`, such as `goodput_mbps` (Mbit/s) or `srtt_ms` (ms).
        kind
            "means": mean per scheme against an axis; "differences": paired differences to the baseline;
            "distribution": distribution over the replications of one setting.
        along
            Column of the x axis; by default the first column that varies. Ignored for a distribution.
        at
            Fixed values by column of the grid. All other columns except `along` are fixed at the middle of
            their values.
        labels
            Other names for schemes.
        ax
            Axes to draw on, in their own style. None draws a new figure in the style of the printed figures.

        Returns
        -------
        Figure
            The figure, for instance for `savefig`.

        Raises
        ------
        InputError
            When a column does not vary, or when differences lack a baseline.
        """
        chosen = {"metric": metric, "at": at, "labels": labels, "ax": ax}
        if kind != "distribution":
            return plotted(f"studies.{kind}", self, along=along, **chosen)
        if along is not None:
            raise InputError("along: a distribution is of one setting; `at` selects it")
        return plotted("studies.distribution", self, **chosen)

    @checked
    def values(self, point: Point, metric: str = GOODPUT) -> dict[int, float]:
        """Return a metric of a point by replication, without runs that lack the metric."""
        return self.samples(metric).get(point.index, {})

    @checked
    def samples(
        self, metric: str = GOODPUT, points: Collection[int] | None = None
    ) -> dict[int, dict[int, float]]:
        """Return `values` by index of the point, for all points with runs or only for `points`."""
        import polars as pl

        runs = self._runs if points is None else self._runs.filter(pl.col(POINT).is_in(list(points)))
        return {
            point: {rep: value for rep, value in sample.items() if value == value}
            for point, sample in self._by_point(runs, metric).items()
        }

    def judgements(self) -> dict[int, dict[int, LossClassifications]]:
        """Return the loss classifications of every run, by point index and replication."""
        found: dict[int, dict[int, LossClassifications]] = {}
        for row in self._runs.select(POINT, "rep", *JUDGEMENTS).iter_rows(named=True):
            found.setdefault(row[POINT], {})[row["rep"]] = LossClassifications.of_columns(row)
        return found

    def warnings(self) -> list[str]:
        """List warnings about unreliable intervals."""
        found = []
        if not self.complete:
            here = stats.replications(len(self._runs)).replace("replication", "run")
            found.append(
                f"the study is not complete: this folder has {here} of it. Run the study again, or its "
                f"other shards"
            )
        fingerprints = self._runs.group_by(POINT).agg("fingerprint")["fingerprint"]
        found += stats.doubts([cell.to_list() for cell in fingerprints])
        cells = self.cells()
        vague = [cell for cell in cells if cell.value.vague or (cell.ratio and cell.ratio.vague)]
        if vague:
            found.append(
                f"at {len(vague)} of {len(cells)} points the interval of the goodput, or of its ratio, "
                "reaches below 0; run more replications"
            )
        pairs = [d.n for cell in cells if (d := cell.difference) and d.correlation is not None]
        if few := sum(count < stats.FEW_PAIRS for count in pairs):
            found.append(
                f"the correlation is of fewer than {stats.FEW_PAIRS} pairs at {few} of {len(pairs)} points: "
                "it has no interval there"
            )
        until = self.study.reps
        if isinstance(until, Until) and (wide := self._too_wide(until)):
            found.append(
                f"{until.of}: after {until.max} replications the interval is still wider than the requested "
                f"half-width"
                f" at {wide} of {len(self.study.settings)} settings"
            )
        return found

    @checked
    def command(self, point: Point, rep: int) -> str:
        """Return the `airhop run` command that repeats a run, quoted for a shell."""
        return run_command(self.study, point, rep)

    @cached_property
    def _found(self) -> pl.DataFrame:
        """All runs that the study may use, with their points, in grid order and by replication."""
        import polars as pl

        runs = [(point.index, point.scheme, run_id) for point, _, run_id in self.study.runs()]
        wanted = pl.DataFrame(runs, schema=[POINT, SCHEME, "run_id"], orient="row")
        rows = self._rows.join(wanted, on="run_id", how="semi", maintain_order="left")
        return wanted.join(per_run(rows), on="run_id", maintain_order="left")

    @cached_property
    def _counts(self) -> list[int | None]:
        """Number of replications that each setting needs; None if runs are missing."""
        rule = self.study.reps
        samples = self._by_point(self._found, rule.of if isinstance(rule, Until) else GOODPUT)
        settings = [[samples.get(point.index, {}) for point in setting] for setting in self.study.settings]
        if isinstance(rule, Until):
            return [rule.count(setting) for setting in settings]
        return [rule if all(len(sample) == rule for sample in setting) else None for setting in settings]

    @cached_property
    def _runs(self) -> pl.DataFrame:
        """Runs of the study.

        Surplus replications in the store, from other studies, are left out.
        """
        import polars as pl

        enough = [
            (point.index, self.study.most_reps if count is None else count)
            for setting, count in zip(self.study.settings, self._counts, strict=True)
            for point in setting
        ]
        counts = pl.DataFrame(enough, schema=[POINT, "count"], orient="row")
        found = self._found.join(counts, on=POINT, maintain_order="left")
        return found.filter(pl.col("rep") < pl.col("count")).drop("count")

    @cached_property
    def _axes(self) -> pl.DataFrame:
        import polars as pl

        points = self.study.points()
        columns = {name: [point.values[name] for point in points] for name in self.study.columns}
        return pl.DataFrame({POINT: [point.index for point in points], **columns})

    def _with_axes(self, runs: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        """Return the columns of the axes and the columns `names`, without duplicates."""
        axes = self.study.columns
        others = [name for name in names if name not in axes]
        joined = runs.select(POINT, *others).join(self._axes, on=POINT, maintain_order="left")
        return joined.select(*axes, *others)

    def _by_point(self, runs: pl.DataFrame, metric: str) -> dict[int, dict[int, float]]:
        """Return a metric by point and replication."""
        found: dict[int, dict[int, float]] = {}
        values = measured(with_flows(runs, self._rows, metric), metric)
        for point, rep, value in zip(runs[POINT], runs["rep"], values, strict=True):
            found.setdefault(point, {})[rep] = value
        return found

    def _too_wide(self, until: Until) -> int:
        samples = self._by_point(self._runs, until.of)
        return sum(
            count is not None and not until.met(list(samples[point.index].values()) for point in setting)
            for setting, count in zip(self.study.settings, self._counts, strict=True)
        )


def _cell(point: Point, sample: Mapping[int, float], baseline: Mapping[int, float]) -> Cell:
    value = stats.estimate(list(sample.values()))
    common = sample.keys() & baseline.keys()
    if not common:
        return Cell(point, len(sample), value, None, None)
    pairs = [sample[rep] for rep in sorted(common)], [baseline[rep] for rep in sorted(common)]
    return Cell(point, len(sample), value, stats.difference(*pairs), stats.ratio(*pairs))
