"""Result of an experiment: rows and checked claims."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.errors import InputError
from airhop.experiments.experiment import MODES, Experiment, Metric, Mode, X
from airhop.experiments.reading import MARK, otherwise
from airhop.experiments.registered import read_so, registry
from airhop.experiments.reproduced import CheckedClaim, Reproduced, check_claims
from airhop.experiments.samples import Samples
from airhop.stats import Difference, Estimate, Interval, Ratio

if TYPE_CHECKING:
    from airhop.experiments.calculation import Calculation
    from airhop.study import Study, Table


@dataclass(frozen=True)
class Row:
    """Results of one curve at one value of the axis."""

    scheme: str
    """Name of the curve."""
    x: X
    reps: int
    value: Estimate
    interval: Interval | None
    """Confidence interval of the mean, limited to possible values; None for a single replication."""
    ratio: Ratio | None
    """Paired ratio to the baseline; None for the baseline itself, or if the baseline has no value."""
    difference: Difference | None
    """Paired difference to the baseline, with the correlation of the pairs; None if `ratio` is None."""
    published: float | None
    """Number in the paper; None if the paper prints no number for this curve and value."""
    published_ratio: float | None
    """Printed number divided by the printed number of the baseline; None for the baseline, or if a number is
    missing.
    """

    @property
    def off(self) -> float | None:
        """Relative difference of the mean from the printed number; None without a printed number."""
        return self.value.mean / self.published - 1.0 if self.published else None


@dataclass
class Outcome(Reproduced):
    """Results of an experiment."""

    experiment: Experiment
    mode: Mode
    seed: int
    table: Table
    samples: Samples
    rows: list[Row]
    also: dict[str, list[Row]]
    """Rows of additional metrics by name."""
    claims: list[CheckedClaim]
    files: list[Path] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        mode: Mode,
        seed: int,
        table: Table,
        beside: Table | None = None,
    ) -> Outcome:
        """Evaluate the study of an experiment and that of its companion, and check the claims."""
        samples = Samples.of(experiment, mode, table)
        if experiment.beside and beside:
            samples.put_beside(Samples.of(experiment.beside, mode, beside))
        return cls(
            experiment,
            mode,
            seed,
            table,
            samples,
            rows(experiment, experiment.metric, samples),
            {metric.name: rows(experiment, metric, samples.also[metric.name]) for metric in experiment.also},
            check_claims(experiment.claims, samples),
        )

    @property
    def reps(self) -> int:
        """Smallest number of replications of any curve at any value of the axis."""
        return self.samples.reps

    @property
    def warnings(self) -> list[str]:
        """Warnings about unreliable intervals."""
        return self.table.warnings()

    @property
    def headline(self) -> str:
        """Result in one sentence."""
        return self.experiment.headline(self.samples)

    def to_dict(self) -> dict[str, Any]:
        """Return one entry of the `experiments` list that `airhop reproduce --json` prints."""
        measured = {self.experiment.metric.name: self.rows, **self.also}
        return {
            "id": self.experiment.id,
            "reps": self.reps,
            "rows": [self._row(metric, row) for metric, rows in measured.items() for row in rows],
            "claims": [checked.to_dict(self.experiment) for checked in self.claims],
        }

    def _row(self, metric: str, row: Row) -> dict[str, Any]:
        return {
            "scheme": row.scheme,
            "x": {self.experiment.axis.key: row.x},
            "metric": metric,
            "mean": row.value.mean,
            "half_width": row.value.half_width,
            "published": row.published,
            "ratio": row.ratio.value if row.ratio and math.isfinite(row.ratio.value) else None,
            "published_ratio": row.published_ratio,
            "reps": row.reps,
        }


def rows(experiment: Experiment, metric: Metric, samples: Samples) -> list[Row]:
    """List a row per curve and value of the axis, in the experiment's order of curves.

    Rows are omitted if no run has a value, for example the delay of notices in runs without notices.
    """
    published = (experiment.published or {}) if metric is experiment.metric else {}
    baseline = experiment.baseline

    def compared(curve: str, x: X) -> bool:
        return curve != baseline and bool(samples.paired((curve, x), (baseline, x))[0])

    return [
        Row(
            scheme=curve,
            x=x,
            reps=len(samples.cells[curve, x]),
            value=(value := samples.estimate(curve, x)),
            interval=value.interval(most=metric.most),
            ratio=samples.ratio(curve, baseline, x) if compared(curve, x) else None,
            difference=samples.difference(curve, baseline, x) if compared(curve, x) else None,
            published=(printed := published.get((curve, x))),
            published_ratio=printed / of_baseline
            if printed and curve != baseline and (of_baseline := published.get((baseline, x)))
            else None,
        )
        for curve in experiment.labels
        for x in samples.xs
        if samples.cells[curve, x]
    ]


def outcomes_in(folder: Path, known: Mapping[str, Experiment | Calculation] | None = None) -> list[Outcome]:
    """Check the claims of every known experiment with rows in a folder, without a simulation.

    `known` is `registry()` by default. Other studies are ignored. Experiments are ignored if the definition
    has changed since the run. If the folder contains an experiment with the default reading, results for
    other readings become part of this experiment's outcome.
    """
    from airhop.store import read_rows
    from airhop.study import Table

    known = registry() if known is None else known
    rows, found = read_rows(folder), {}
    for table in Table.load(folder):
        experiment, seed = _named(table.study.name, known), table.study.seed
        if experiment is None or (mode := mode_of(experiment, table)) is None:
            continue
        beside = Table(experiment.beside.study(mode, seed), rows) if experiment.beside else None
        if table.complete and (beside is None or beside.complete):
            found[experiment.id] = Outcome.of(experiment, mode, seed, table, beside)
    for outcome in list(found.values()):
        read = otherwise(outcome.experiment)
        others = [(reading, found.pop(one.id)) for reading, one in read if one.id in found]
        if others:
            outcome.read_otherwise(others)
    return list(found.values())


def _named(name: str, known: Mapping[str, Experiment | Calculation]) -> Experiment | None:
    """Return the experiment of a study name such as `yun2009/fig6@tibet-0.999`; None if unknown."""
    whole, _, reading = name.partition(MARK)
    experiment = known.get(whole)
    if not isinstance(experiment, Experiment):
        return None
    try:
        return read_so(experiment, reading)
    except InputError:  # this version of Airhop does not have the interpretation in the name
        return None


def mode_of(experiment: Experiment, table: Table) -> Mode | None:
    """Return the mode in which an experiment ran this study; None if the experiment has changed since.

    The comparison ignores the folder of the scenario's files. For a packaged scenario the folder is the
    working directory, and the ids of runs already cover the contents of the files.
    """
    made = _definition(table.study)
    modes = (mode for mode in MODES if _definition(experiment.study(mode, table.study.seed)) == made)
    return next(modes, None)


def _definition(study: Study) -> dict[str, Any]:
    """Return a study as plain data, without the folder of its scenario."""
    definition = study.to_dict()
    del definition["scenario"]["folder"]
    return definition
