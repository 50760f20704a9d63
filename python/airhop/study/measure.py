"""Conversion of a store's rows, one per flow and run, into metrics of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.analysis import loss_classifications
from airhop.analysis.measures import AIRTIME_JAIN, DROPS, GOODPUT, JUDGEMENTS, MEANS, NOTICES, SUMS

if TYPE_CHECKING:
    import polars as pl

METRICS = (*SUMS, *MEANS, "jain", AIRTIME_JAIN, "judged_right", *NOTICES, *DROPS, "events", *JUDGEMENTS)
"""Metrics of a run: all values that depend on the seed."""
OF_A_FLOW = (*SUMS, *MEANS, *NOTICES, *JUDGEMENTS)
"""Metrics of a flow."""
SAME_IN_ALL_ROWS = ("seed", "rep", AIRTIME_JAIN, *DROPS, "events", "duration_s", "fingerprint")
"""Columns about the run. All flows of a run have the same value."""


def per_run(rows: pl.DataFrame) -> pl.DataFrame:
    """Aggregate the rows of a store to one row per run, with METRICS and the columns of the run.

    Counts are summed over the TCP flows. Measures that may be missing, such as `srtt_ms`, are averaged over
    the flows that have a value. `jain` is the fairness index of the TCP flows' goodputs: 1 for a single flow,
    null if all flows starved. `judged_right` is the share of correct loss classifications, and null if no
    loss was classified.
    """
    import polars as pl

    tcp = pl.col("transport") == "tcp"
    goodput = pl.col(GOODPUT).filter(tcp)
    squares = (goodput**2).sum()
    judged, decided, right = (
        pl.sum_horizontal(columns).filter(tcp).sum()
        for columns in (
            JUDGEMENTS,
            loss_classifications.DECIDED_COLUMNS,
            loss_classifications.RIGHT_COLUMNS,
        )
    )
    return (
        rows.group_by("run_id", maintain_order=True)
        .agg(
            *(pl.col(name).filter(tcp).sum() for name in (*SUMS, *NOTICES, *JUDGEMENTS)),
            *(pl.col(name).mean() for name in MEANS),
            pl.when(decided > 0).then(right / judged).alias("judged_right"),
            pl.when(squares > 0).then(goodput.sum() ** 2 / (goodput.len() * squares)).alias("jain"),
            *(pl.col(name).first() for name in SAME_IN_ALL_ROWS),
        )
        .select("run_id", "seed", "rep", *METRICS, "duration_s", "fingerprint")
    )
