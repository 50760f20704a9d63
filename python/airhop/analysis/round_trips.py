"""Round-trip times of a flow's segments, expiries of its retransmission timer, and lateness of notices.

The functions read the trace tables of a run. Times are seconds, round-trip times milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def round_trips(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.DataFrame:
    """List the true round-trip time of each acknowledged segment of a flow, sorted by time of the ACK.

    The time runs from the segment's last transmission to the ACK. Columns:

    - `time_s`: time of the ACK
    - `sent_s`: time of the last transmission
    - `seq`: first byte of the segment
    - `rtt_ms`: round-trip time
    - `sendings`: number of transmissions before the ACK

    A sender may not use the sample of a retransmitted segment, because the ACK may belong to an earlier
    transmission (Karn and Partridge 1987).
    """
    import polars as pl

    sent = (
        _rows(tables, "segments", flow)
        .sort("time_s", maintain_order=True)
        .select(
            "seq",
            sent_s="time_s",
            end=pl.col("seq") + pl.col("bytes"),
            sendings=pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("seq"),
        )
    )
    covered = sent.group_by("seq").agg(end=pl.col("end").max()).sort("end")
    # An ACK acknowledges the segments that end at or before its acknowledgement number.
    known = (
        covered.join_asof(_progress(tables, flow), left_on="end", right_on="ack", strategy="forward")
        .drop_nulls("time_s")
        .select("seq", "time_s")
        .sort("time_s")
    )
    return (
        known.join_asof(
            sent.drop("end").sort("sent_s"),
            left_on="time_s",
            right_on="sent_s",
            by="seq",
            strategy="backward",
            check_sortedness=False,
        )
        .with_columns(rtt_ms=1e3 * (pl.col("time_s") - pl.col("sent_s")))
        .select("time_s", "sent_s", "seq", "rtt_ms", "sendings")
        .sort("time_s", "seq")
    )


def timeouts(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.Series:
    """List the expiry times of a flow's retransmission timer, ascending.

    An expiry is recognized by the retransmission of the oldest segment without an ACK at that time. The slow
    start after a timeout sends further segments with the cause `timeout` when ACKs arrive.
    """
    import polars as pl

    acks = _rows(tables, "acks", flow).sort("time_s", maintain_order=True)
    oldest = acks.select(acked_s="time_s", una=pl.col("ack").cum_max())
    on_ack = pl.col("time_s").is_in(acks["time_s"].to_list())
    return (
        _rows(tables, "segments", flow)
        .filter(pl.col("cause") == "timeout", ~on_ack)
        .sort("time_s", maintain_order=True)
        .join_asof(oldest, left_on="time_s", right_on="acked_s", strategy="backward")
        .filter(pl.col("seq") == pl.col("una").fill_null(1))["time_s"]
        .unique(maintain_order=True)
    )


def timely_notices(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.DataFrame:
    """List the received notices that should have prevented an expiry of the RTO timer.

    Columns: `time_s`; `kind`; `lateness_ms`, the time of the notice relative to the expiry; `late`, true if
    the timer expired first.
    """
    import polars as pl

    notices = _rows(tables, "notices", flow)
    if "lateness_ms" not in notices.columns:
        notices = notices.with_columns(lateness_ms=float("nan"))
    return (
        notices.filter(pl.col("event") == "received", pl.col("lateness_ms").is_finite())
        .select("time_s", "lateness_ms", "kind", late=pl.col("lateness_ms") > 0)
        .sort("time_s")
    )


def _progress(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.DataFrame:
    """Select the ACKs that acknowledged new data."""
    import polars as pl

    acks = _rows(tables, "acks", flow).sort("time_s", maintain_order=True)
    return (
        acks.select("time_s", ack=pl.col("ack").cum_max())
        .unique("ack", keep="first", maintain_order=True)
        .sort("ack")
    )


def _rows(tables: Mapping[str, pl.DataFrame], name: str, flow: str) -> pl.DataFrame:
    import polars as pl

    return tables[name].filter(pl.col("flow") == flow)
