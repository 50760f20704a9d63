"""Reproducing experiments: measure, judge, draw, report."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from airhop.experiments.experiment import Experiment, Mode
from airhop.experiments.measure import Grid
from airhop.experiments.outcome import Outcome
from airhop.experiments.registered import lookup
from airhop.experiments.samples import Samples
from airhop.progress import Reporter

INTERRUPTED = "interrupted-runs.csv"
"""Where the runs go that had finished before Ctrl-C: beside the files of an earlier run, not over them."""


def reproduce(ids: list[str], mode: Mode, out: Path, progress: Reporter, seed: int = 1) -> Iterator[Outcome]:
    """Run the experiments with these ids one after the other and write each one's files below `out/ID`.

    Raises InputError for an unknown id at once. A claim that fails is a result, not an error. Ctrl-C keeps
    the runs that had finished and says where.
    """
    experiments = lookup(ids)
    return (_reproduce(experiment, mode, out / experiment.id, progress, seed) for experiment in experiments)


def _reproduce(experiment: Experiment, mode: Mode, out: Path, progress: Reporter, seed: int) -> Outcome:
    out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    grid = Grid(experiment, mode, seed)
    try:
        samples = grid.measure(mode, progress)
        outcome = Outcome.of(experiment, mode, seed, samples, wall_s=time.perf_counter() - started)
        _write(outcome, grid, out)
    except KeyboardInterrupt:
        kept = _keep(grid.samples, experiment, out / INTERRUPTED)
        raise KeyboardInterrupt(f"interrupted in {experiment.id}; {kept}") from None
    return outcome


def _keep(samples: Samples, experiment: Experiment, path: Path) -> str:
    """Write the runs that finished before an interrupt, if any, and tell so."""
    runs = sum(len(cell) for cell in samples.runs.values())
    if not runs:
        return "no run had finished"
    write_runs(experiment, samples, path)
    return f"the runs that had finished ({runs}) are in {path}"


def _write(outcome: Outcome, grid: Grid, out: Path) -> None:
    """Write rows, runs, verdicts, the printed figure and the interactive report."""
    from airhop.plots.chart import draw
    from airhop.report import trace_runs, write_report

    stem = outcome.experiment.id.rpartition("/")[2]
    figures = draw(outcome, out / stem)
    rows, runs, verdicts, report = (
        out / "rows.csv",
        out / "runs.csv",
        out / "outcome.json",
        out / "report.html",
    )
    write_rows(outcome, rows)
    write_runs(outcome.experiment, outcome.samples, runs)
    verdicts.write_text(json.dumps(outcome.to_dict(), indent=2) + "\n", encoding="utf-8")
    write_report(outcome, trace_runs(grid), report)
    (out / INTERRUPTED).unlink(missing_ok=True)
    outcome.files = [report, *figures, rows, runs, verdicts]


def write_rows(outcome: Outcome, path: Path) -> None:
    """Write one line per cell: mean, 95 % half-width, paired ratio to the baseline."""
    import polars as pl

    experiment = outcome.experiment
    metric, baseline = experiment.metric.name, experiment.baseline
    pl.DataFrame(
        [
            {
                "scheme": row.scheme,
                experiment.axis.key: row.x,
                "reps": row.reps,
                f"{metric}_mean": row.value.mean,
                f"{metric}_half_width": row.value.half_width,
                f"ratio_to_{baseline}": row.ratio.value if row.ratio else None,
                f"ratio_to_{baseline}_low": row.ratio.low if row.ratio else None,
                f"ratio_to_{baseline}_high": row.ratio.high if row.ratio else None,
            }
            for row in outcome.rows
        ]
    ).write_csv(path)


def write_runs(experiment: Experiment, samples: Samples, path: Path) -> None:
    """Write one line per run and TCP flow, with its fingerprint: enough to run any of them again."""
    import polars as pl

    pl.DataFrame(
        [
            {
                "scheme": scheme,
                experiment.axis.key: x,
                "seed": run["seed"],
                "rep": rep,
                "flow": flow["name"],
                **{key: value for key, value in flow.items() if isinstance(value, int | float)},
                **{f"drops_{cause}": count for cause, count in run["drops"].items()},
                "events": run["events"],
                "fingerprint": run["fingerprint"],
            }
            for scheme, x, rep, run in samples.documents()
            for flow in run["flows"]
            if flow["transport"] == "tcp"
        ]
    ).write_csv(path)
