"""Reproducing experiments: make the rows exist, judge, draw, report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from airhop.experiments.experiment import Experiment, Mode
from airhop.experiments.outcome import Outcome
from airhop.files import filling
from airhop.progress import SILENT, Reporter

if TYPE_CHECKING:
    from airhop.engines import Engine
    from airhop.store import Store


def reproduce(
    experiments: Sequence[Experiment],
    mode: Mode = "default",
    out: str | Path = "airhop-out",
    reporter: Reporter = SILENT,
    *,
    seed: int = 1,
    engine: str = "local",
    workers: int | None = None,
) -> Iterator[Outcome]:
    """Run experiments one after the other as studies on the store of `out`, and write each one's files.

    They share the store: what an earlier one, or an earlier call, has computed is reused. A claim that fails
    is a result, not an error. Ctrl-C keeps the runs that had finished; the same call goes on from there.
    """
    from airhop.engines import open_engine
    from airhop.store import Store

    out = Path(out)
    with open_engine(engine, workers) as pool, Store.open(out) as store:
        for experiment in experiments:
            try:
                yield _reproduce(experiment, mode, seed, out, store, pool, reporter)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(
                    f"interrupted in {experiment.id}; what had finished is kept in {out}, "
                    "and the same command goes on from there"
                ) from None


def _reproduce(
    experiment: Experiment,
    mode: Mode,
    seed: int,
    out: Path,
    store: Store,
    engine: Engine,
    reporter: Reporter,
) -> Outcome:
    from airhop.study import run_study
    from airhop.study.manifest import save_manifest

    study = experiment.study(mode, seed)
    save_manifest(study, out)
    studies = [study, experiment.beside.study(mode, seed)] if experiment.beside else [study]
    tables = [run_study(one, store=store, engine=engine, reporter=reporter) for one in studies]
    computed, reused = sum(table.computed for table in tables), sum(table.reused for table in tables)
    reporter.say(f"{experiment.id}: computed {computed}, reused {reused}")
    outcome = Outcome.of(experiment, mode, seed, *tables)
    _write(outcome, out / experiment.id)
    return outcome


def _write(outcome: Outcome, folder: Path) -> None:
    """Write rows, verdicts, the printed figure and the interactive report."""
    from airhop.plots.chart import draw
    from airhop.report import chapter_of_outcome, write_report

    with filling(folder) as hidden:
        rows, verdicts, report = hidden / "rows.csv", hidden / "outcome.json", hidden / "report.html"
        figures = draw(outcome, hidden / "figure")
        write_rows(outcome, rows)
        verdicts.write_text(json.dumps(outcome.to_dict(), indent=2) + "\n", encoding="utf-8")
        write_report([chapter_of_outcome(outcome)], report)
    outcome.files = [folder / path.name for path in (report, *figures, rows, verdicts)]


def write_rows(outcome: Outcome, path: Path) -> None:
    """Write one line per cell: mean, 95 % half-width, paired ratio and difference to the baseline."""
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
                f"difference_to_{baseline}": row.difference.mean if row.difference else None,
                f"difference_to_{baseline}_half_width": row.difference.half_width if row.difference else None,
                f"correlation_with_{baseline}": row.difference.correlation if row.difference else None,
            }
            for row in outcome.rows
        ]
    ).write_csv(path)
