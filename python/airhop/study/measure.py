"""From the rows of a store, one a flow, to what a run is measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.analysis import lateness, loss_classifications

if TYPE_CHECKING:
    import polars as pl

GOODPUT = "goodput_mbps"
SUMS = (
    GOODPUT,
    "delivered_bytes",
    "sent_segments",
    "retransmissions",
    "timeouts",
    "fast_recoveries",
    "window_cuts",
    "spurious_timeouts",
    "duplicates",
    "timeouts_warned_late",
    *(column for column in lateness.COLUMNS if column != lateness.MEAN),
)
"""Counts and rates of a flow that add up over the TCP flows of a run."""
NOTICES = tuple(f"notices_{kind}" for kind in ("eln", "ersn", "ebsn", "rttn", "nak"))
DROPS = tuple(
    f"drops_{cause}" for cause in ("queue", "aqm", "channel", "collision", "retries", "agent", "route")
)
JUDGEMENTS = tuple(loss_classifications.COLUMNS)
MEANS = ("srtt_ms", "completion_s", lateness.MEAN)
"""What not every TCP flow has, as a mean over those that do."""
METRICS = (*SUMS, *MEANS, "jain", "judged_right", *NOTICES, *DROPS, "events", *JUDGEMENTS)
"""What a run is measured by: its numbers that a seed can change."""
OF_A_FLOW = (*SUMS, *MEANS, *NOTICES, *JUDGEMENTS)
"""What a single flow is measured by."""
SAME_IN_ALL_ROWS = ("seed", "rep", *DROPS, "events", "duration_s", "fingerprint")
"""Columns that say something about the run, in the row of every flow."""


def per_run(rows: pl.DataFrame) -> pl.DataFrame:
    """Sum up the rows of a store: a row per run, with METRICS and what all rows of the run have in common.

    Counts of flows are sums over the TCP flows; `srtt_ms` is the mean over those that have measured one,
    `completion_s` over those that have finished, and `lateness_mean_ms` over those whose notices met a timer;
    `jain` is the fairness index of their goodputs, 1 for a single flow and null when all starved;
    `judged_right` is the share of losses whose cause was judged right, null when none was judged.
    """
    import polars as pl

    tcp = pl.col("transport") == "tcp"
    goodput = pl.col(GOODPUT).filter(tcp)
    squares = (goodput**2).sum()
    judged, right = (
        pl.sum_horizontal(columns).filter(tcp).sum()
        for columns in (JUDGEMENTS, loss_classifications.RIGHT_COLUMNS)
    )
    return (
        rows.group_by("run_id", maintain_order=True)
        .agg(
            *(pl.col(name).filter(tcp).sum() for name in (*SUMS, *NOTICES, *JUDGEMENTS)),
            *(pl.col(name).filter(tcp).mean() for name in MEANS),
            pl.when(judged > 0).then(right / judged).alias("judged_right"),
            pl.when(squares > 0).then(goodput.sum() ** 2 / (goodput.len() * squares)).alias("jain"),
            *(pl.col(name).first() for name in SAME_IN_ALL_ROWS),
        )
        .select("run_id", "seed", "rep", *METRICS, "duration_s", "fingerprint")
    )
