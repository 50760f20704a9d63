"""The result of an experiment: rows, verdicts, and the files they were written to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.experiments.experiment import MODES, Experiment, Judgement, Mode
from airhop.experiments.registered import registry
from airhop.experiments.samples import Samples
from airhop.stats import Difference, Estimate, Interval, Ratio

if TYPE_CHECKING:
    from rich.console import Console

    from airhop.study import Table


@dataclass(frozen=True)
class Row:
    """One cell of the grid."""

    scheme: str
    x: float
    reps: int
    value: Estimate
    interval: Interval | None
    """Of the mean, cut to what the metric can be; None for a single replication."""
    ratio: Ratio | None
    """Paired ratio to the baseline; None for the baseline itself."""
    difference: Difference | None
    """Paired difference to the baseline, with the correlation that pairing achieved; None for itself."""
    published: float | None


@dataclass
class Outcome:
    """What an experiment found."""

    experiment: Experiment
    mode: Mode
    seed: int
    table: Table
    samples: Samples
    rows: list[Row]
    claims: dict[str, Judgement]
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
        """Judge what the experiment's study, and that of the experiment beside it, measured in this mode."""
        samples = Samples.of(experiment, mode, table)
        if experiment.beside and beside:
            samples.beside = Samples.of(experiment.beside, mode, beside)
        return cls(
            experiment,
            mode,
            seed,
            table,
            samples,
            rows(experiment, samples),
            judge(experiment, samples),
        )

    @property
    def reps(self) -> int:
        """The smallest number of replications of any cell."""
        return self.samples.reps

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(judgement.holds for judgement in self.claims.values())

    def claims_that(self, verdict: str) -> list[str]:
        """List the ids of the claims with this verdict: "holds", "fails" or "open"."""
        return [claim for claim, judgement in self.claims.items() if judgement.verdict == verdict]

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return self.experiment.headline(self.samples)

    def to_dict(self) -> dict[str, Any]:
        """Give one entry of the `experiments` list that `airhop reproduce --json` prints."""
        return {
            "id": self.experiment.id,
            "reps": self.reps,
            "rows": [
                {
                    "scheme": row.scheme,
                    "x": {self.experiment.axis.key: row.x},
                    "metric": self.experiment.metric.name,
                    "mean": row.value.mean,
                    "half_width": row.value.half_width,
                    "published": row.published,
                    "reps": row.reps,
                }
                for row in self.rows
            ],
            "claims": [
                {
                    "id": claim.id,
                    "text": claim.text,
                    "holds": self.claims[claim.id].holds is True,
                    "verdict": self.claims[claim.id].verdict,
                    "measured": self.claims[claim.id].measured,
                }
                for claim in self.experiment.claims
            ],
        }

    def print(self, console: Console) -> None:
        """Show the table, a chart and the verdicts in a terminal."""
        from airhop.experiments.console import print_outcome

        print_outcome(self, console)


def rows(experiment: Experiment, samples: Samples) -> list[Row]:
    """List every measured cell, scheme by scheme in the experiment's order."""
    published, baseline = experiment.published or {}, experiment.baseline
    return [
        Row(
            scheme=scheme,
            x=x,
            reps=len(samples.cells[scheme, x]),
            value=(value := samples.estimate(scheme, x)),
            interval=value.interval(most=experiment.metric.most),
            ratio=None if scheme == baseline else samples.ratio(scheme, baseline, x),
            difference=None if scheme == baseline else samples.difference(scheme, baseline, x),
            published=published.get((scheme, x)),
        )
        for scheme in experiment.schemes
        for x in samples.xs
    ]


def judge(experiment: Experiment, samples: Samples) -> dict[str, Judgement]:
    """Judge each claim; verdicts by its id."""
    return {claim.id: claim.judge(samples) for claim in experiment.claims}


def outcomes_in(folder: Path, known: Mapping[str, Experiment] | None = None) -> list[Outcome]:
    """Judge again every known experiment whose rows lie in this folder; nothing is simulated.

    Known are those of `registry()`, unless they are given. Studies of other origin are left out, and so are
    experiments that were defined otherwise when they ran.
    """
    from airhop.store import read_rows
    from airhop.study import Table

    known = registry() if known is None else known
    rows, found = read_rows(folder), []
    for table in Table.load(folder):
        experiment, seed = known.get(table.study.name), table.study.seed
        mode = experiment and mode_of(experiment, table)
        if experiment and mode:
            beside = Table(experiment.beside.study(mode, seed), rows) if experiment.beside else None
            if table.complete and (beside is None or beside.complete):
                found.append(Outcome.of(experiment, mode, seed, table, beside))
    return found


def mode_of(experiment: Experiment, table: Table) -> Mode | None:
    """Tell in which mode an experiment made this study; None when it would not make it today."""
    made = table.study.to_dict()
    return next((mode for mode in MODES if experiment.study(mode, table.study.seed).to_dict() == made), None)
