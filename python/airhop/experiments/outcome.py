"""The result of an experiment: rows, verdicts, and the files they were written to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.experiments.experiment import Experiment, Judgement, Mode
from airhop.experiments.samples import Samples
from airhop.stats import Estimate, Ratio

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Row:
    """One cell of the grid."""

    scheme: str
    x: float
    reps: int
    value: Estimate
    ratio: Ratio | None
    """Paired ratio to the baseline; None for the baseline itself."""
    published: float | None


@dataclass
class Outcome:
    """What an experiment found."""

    experiment: Experiment
    mode: Mode
    seed: int
    samples: Samples
    rows: list[Row]
    claims: dict[str, Judgement]
    wall_s: float
    files: list[Path] = field(default_factory=list)

    @classmethod
    def of(cls, experiment: Experiment, mode: Mode, seed: int, samples: Samples, wall_s: float) -> Outcome:
        """Judge what was measured."""
        return cls(
            experiment, mode, seed, samples, rows(experiment, samples), judge(experiment, samples), wall_s
        )

    @property
    def reps(self) -> int:
        """The smallest number of replications of any cell."""
        return self.samples.reps

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(judgement.holds for judgement in self.claims.values())

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
                    "holds": self.claims[claim.id].holds,
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
    published = experiment.published or {}
    return [
        Row(
            scheme=scheme,
            x=x,
            reps=len(samples.runs[scheme, x]),
            value=samples.estimate(scheme, x),
            ratio=None if scheme == experiment.baseline else samples.ratio(scheme, experiment.baseline, x),
            published=published.get((scheme, x)),
        )
        for scheme in experiment.schemes
        for x in samples.xs
    ]


def judge(experiment: Experiment, samples: Samples) -> dict[str, Judgement]:
    """Judge each claim; verdicts by its id."""
    return {claim.id: claim.judge(samples) for claim in experiment.claims}
