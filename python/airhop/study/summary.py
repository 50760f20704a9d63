"""Summary of a study: its first points, with goodput and the ratio to the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.display import MOST_ROWS, Summary
from airhop.hints import pointer
from airhop.scenario import SCHEME
from airhop.stats import replications
from airhop.study.axis import Scalar, text
from airhop.study.until import Until
from airhop.terminal import mean_pm, number, ratio

if TYPE_CHECKING:
    from airhop.study.table import Table


def summary(table: Table) -> Summary:
    """Summarize a study's results.

    The points of a setting are adjacent, as in the output of `airhop sweep`.
    """
    study = table.study
    points = [point for setting in study.settings for point in setting]
    settings = [column for column in study.columns if column != SCHEME]
    compared = study.baseline is not None
    more = len(points) - MOST_ROWS
    reps = study.reps if isinstance(study.reps, Until) else replications(study.reps)
    return Summary(
        f"{study.name}: {len(points):,} point{'' if len(points) == 1 else 's'}, {reps}, seed {study.seed}"
        f"{'' if table.complete else ', not complete'}{pointer(table.hints)}",
        [
            *settings,
            SCHEME,
            "goodput\nMbit/s",
            *([f"goodput\nto {study.baseline}"] if compared else []),
            "runs",
        ],
        [
            [
                *(setting_text(cell.point.values[column]) for column in settings),
                cell.point.scheme,
                mean_pm(cell.value),
                *([ratio(cell.ratio) if cell.ratio else "× 1"] if compared else []),
                number(cell.n),
            ]
            for cell in table.cells(points=points[:MOST_ROWS])
        ],
        notes=[f"… and {more:,} more points: .cells_frame()"] if more > 0 else [],
        names=len(settings) + 1,
    )


def setting_text(value: Scalar) -> str:
    """Format a value of an axis; numbers get four significant digits to distinguish adjacent values."""
    return f"{value:.4g}" if isinstance(value, float) else text(value)
