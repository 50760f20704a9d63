"""From the rows of a store, one a flow, to what a run is measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.analysis import loss_classifications
from airhop.analysis.measures import DROPS, GOODPUT, JUDGEMENTS, MEANS, NOTICES, SUMS

if TYPE_CHECKING:
    import polars as pl

METRICS = (*SUMS, *MEANS, "jain", "judged_right", *NOTICES, *DROPS, "events", *JUDGEMENTS)
"""Metrics of a run: its numbers that a seed can change."""
OF_A_FLOW = (*SUMS, *MEANS, *NOTICES, *JUDGEMENTS)
"""Metrics of a flow."""
SAME_IN_ALL_ROWS = ("seed", "rep", *DROPS, "events", "duration_s", "fingerprint")
"""Columns that say something about the run, in the row of every flow."""


def per_run(rows: pl.DataFrame) -> pl.DataFrame:
    """Sum up the rows of a store: a row per run, with METRICS and what all rows of the run have in common.

    Counts of flows are sums over the TCP flows; measures that not every flow has, such as `srtt_ms`, are
    means over the flows that do; `jain` is the fairness index of the TCP flows' goodputs, 1 for a single flow
    and null when all starved; `judged_right` is the share of losses whose cause was judged right, null when
    no cause was ever said.
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
