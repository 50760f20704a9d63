"""The rows of an experiment or a calculation as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from airhop.files import write

if TYPE_CHECKING:
    from airhop.experiments.calculation import Calculated
    from airhop.experiments.outcome import Outcome, Row


def write_rows(outcome: Outcome, path: Path) -> None:
    """Write one line per cell: mean, 95 % half-width, paired ratio and difference to the baseline."""
    import polars as pl

    experiment = outcome.experiment
    lines: list[dict[str, object]] = []
    also = {metric: {(row.scheme, row.x): row for row in rows} for metric, rows in outcome.also.items()}
    for row in outcome.rows:
        line: dict[str, object] = {"scheme": row.scheme, experiment.axis.key: row.x}
        line |= {"reps": row.reps, **_columns(experiment.baseline, experiment.metric.name, row)}
        line |= _printed(experiment.baseline, row) if experiment.published else {}
        for metric, others in also.items():
            if (row.scheme, row.x) in others:
                other = others[row.scheme, row.x]
                line |= _columns(experiment.baseline, metric, other, prefix=f"{metric}_")
        lines.append(line)
    write(path, pl.DataFrame(lines, infer_schema_length=None).write_csv)


def _columns(baseline: str, metric: str, row: Row, prefix: str = "") -> dict[str, object]:
    ratio, difference = row.ratio, row.difference
    return {
        f"{metric}_mean": row.value.mean,
        f"{metric}_half_width": row.value.half_width,
        f"{prefix}ratio_to_{baseline}": ratio.value if ratio else None,
        f"{prefix}ratio_to_{baseline}_low": ratio.low if ratio else None,
        f"{prefix}ratio_to_{baseline}_high": ratio.high if ratio else None,
        f"{prefix}difference_to_{baseline}": difference.mean if difference else None,
        f"{prefix}difference_to_{baseline}_half_width": difference.half_width if difference else None,
        f"{prefix}correlation_with_{baseline}": difference.correlation if difference else None,
    }


def _printed(baseline: str, row: Row) -> dict[str, object]:
    return {
        "published": row.published,
        "off_published": row.off,
        f"published_ratio_to_{baseline}": row.published_ratio,
    }


def write_values(outcome: Calculated, path: Path) -> None:
    """Write one line per value of a calculation."""
    import polars as pl

    rows = [{**value.to_dict(), **value.to_dict()["x"]} for value in outcome.values]
    write(path, pl.DataFrame(rows, infer_schema_length=None).drop("x").write_csv)
