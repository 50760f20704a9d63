"""One run of each scheme, packet by packet, for the report's time-line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from airhop.experiments.measure import Grid


@dataclass(frozen=True)
class TracedRun:
    """A traced run of one scheme and how to make it again."""

    scheme: str
    label: str
    document: dict[str, Any]
    tables: dict[str, pl.DataFrame]
    command: str

    @property
    def flow(self) -> dict[str, Any]:
        """The TCP flow shown: the first of the run."""
        return next(flow for flow in self.document["flows"] if flow["transport"] == "tcp")

    def table(self, name: str) -> pl.DataFrame:
        """Take the rows of a trace table that belong to the flow shown."""
        import polars as pl

        table = self.tables[name]
        return table.filter(pl.col("flow").cast(pl.String) == self.flow["name"])


def trace_runs(grid: Grid) -> list[TracedRun]:
    """Run each scheme once with its trace, all over the same channel, as the time-line choice says."""
    import airhop

    experiment = grid.experiment
    choice = experiment.timeline
    if choice is None:
        return []
    settings = {**experiment.settings, experiment.axis.path: choice.x, "duration": f"{choice.duration_s:g} s"}
    scenario = airhop.Scenario.load(experiment.scenario).with_(settings)
    runs = []
    for scheme, label in experiment.schemes.items():
        result = airhop.run(scenario, scheme=scheme, seed=grid.seed, rep=choice.rep, trace=True)
        sets = " ".join(f"--set {shlex.quote(f'{path}={value}')}" for path, value in settings.items())
        key = f"--seed {grid.seed} --rep {choice.rep}"
        command = f"airhop run {experiment.scenario} --scheme {scheme} {sets} {key} --trace DIR"
        runs.append(TracedRun(scheme, label, result.to_dict(), result.tables, command))
    return runs
