"""Table of losses by true cause and by the sender's repair, to show wrongly classified losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from airhop.analysis.topology import cells

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

REPAIRS = {
    "notice": "on a notice",
    "fast": "fast retransmission",
    "recovery": "in recovery",
    "timeout": "after a timeout",
    "probe": "by a probe",
    "elsewhere": "not by the sender",
    "open": "not yet",
}
"""Labels of repairs of a loss. `elsewhere` means that an agent or a link repaired the loss, or that the data
had arrived in spite of the loss.
"""
CAUSES = {
    "queue": "queue full",
    "aqm": "dropped by AQM",
    "collision": "collision",
    "channel": "channel error",
    "agent": "dropped by an agent",
    "route": "no route",
    "arrived": "no loss: only the link's ACK was lost",
    "none": "no loss: the segment arrived, or was still on its way",
}
"""Labels of the true causes of losses; the first two causes are congestion."""
FRAME_LOSSES = ("channel", "collision")


@dataclass(frozen=True)
class Confusion:
    """Counts of lost or retransmitted data segments by true cause and by repair.

    Causes without segments are omitted.
    """

    causes: tuple[str, ...]
    repairs: tuple[str, ...]
    counts: Mapping[tuple[str, str], int]

    def share(self, cause: str, repair: str) -> float:
        """Return the share of losses by `cause` that had this repair."""
        total = sum(self.counts.get((cause, other), 0) for other in self.repairs)
        return self.counts.get((cause, repair), 0) / total if total else 0.0


def confusion(run: TracedRun) -> Confusion:
    """Count the lost data segments of a run, and retransmissions without a loss, by cause and repair."""
    segments = run.table("segments").select("time_s", "seq", "retransmission", "cause")
    again = segments.filter("retransmission").select("seq", again_s="time_s", repair="cause").sort("again_s")
    acks = run.table("acks").select("time_s", "ack").sort("time_s")
    losses = lost_segments(run).join_asof(
        again, left_on="time_s", right_on="again_s", by="seq", strategy="forward", check_sortedness=False
    )
    passed = _passed(acks, losses["seq"])
    judged = losses.with_columns(passed_s=passed).with_columns(
        repair=pl.when(pl.col("passed_s") <= pl.col("again_s").fill_null(float("inf")))
        .then(pl.lit("elsewhere"))
        .otherwise(pl.col("repair").fill_null("open"))
    )
    counts = {
        (cause, repair): number
        for cause, repair, number in judged.group_by("cause", "repair").len().iter_rows()
    }
    repairs = judged.filter(~pl.col("repair").is_in(["elsewhere", "open"]))
    needless = again.join(repairs, on=["seq", "again_s"], how="anti")
    for repair, number in needless.group_by("repair").len().iter_rows():
        counts["none", repair] = number
    return Confusion(
        causes=tuple(cause for cause in CAUSES if any(key[0] == cause for key in counts)),
        repairs=tuple(repair for repair in REPAIRS if any(key[1] == repair for key in counts)),
        counts=counts,
    )


def lost_segments(run: TracedRun) -> pl.DataFrame:
    """Return the lost data segments, sorted by time: time_s, seq and the true cause.

    The loss of a frame on a link with ARQ is not the loss of a segment. A packet that such a link discards is
    lost if every attempt was lost. Otherwise the packet had arrived, and only a link ACK was lost (cause
    `arrived`). Under Block Ack with a lifetime, the trace records a discard only if the packet had not
    arrived. If an MPDU was discarded before its first transmission, the cause is that of the station's last
    loss.
    """
    attempts = _attempts(run)
    drops = run.table("drops").filter(pl.col("kind") == "data").select("time_s", "seq", "place", "cause")
    retried = pl.col("place").is_in(list(attempts)) & pl.col("cause").is_in([*FRAME_LOSSES, "retries"])
    given_up = pl.col("cause") == "retries"
    failed = pl.col("cause").is_in(FRAME_LOSSES)
    packets = (
        drops.filter(retried)
        .with_columns(packet=given_up.cum_sum().shift(1, fill_value=0).over("place", "seq"))
        .group_by("place", "seq", "packet", maintain_order=True)
        .agg(
            time_s=pl.col("time_s").last(),
            given_up=given_up.any(),
            failures=failed.sum(),
            cause=pl.col("cause").filter(failed).last(),
        )
        .filter("given_up")
        .sort("time_s", maintain_order=True)
        .pipe(_with_last_losses, run)
        .with_columns(needed=pl.col("place").replace_strict(attempts, default=1, return_dtype=pl.UInt32))
        .with_columns(
            cause=pl.when(pl.col("failures") < pl.col("needed")).then(pl.lit("arrived")).otherwise("cause")
        )
    )
    return pl.concat(
        [frame.select("time_s", "seq", "cause") for frame in (drops.filter(~retried), packets)]
    ).sort("time_s")


def _with_last_losses(packets: pl.DataFrame, run: TracedRun) -> pl.DataFrame:
    """Set the missing cause of each packet to the cause of the last frame that the same station lost."""
    station = pl.col("place").str.split("->").list.first()
    frames = (
        run.tables["drops"]
        .select("time_s", "place", "kind", last="cause")
        .filter(pl.col("last").is_in(FRAME_LOSSES), pl.col("kind") != "control")
        .select("time_s", "last", station=station)
        .sort("time_s")
    )
    found = packets.with_columns(station=station).join_asof(
        frames, on="time_s", by="station", check_sortedness=False
    )
    cause = pl.coalesce("cause", "last", pl.lit("channel"))
    return found.with_columns(cause=cause).drop("station", "last")


def _attempts(run: TracedRun) -> dict[str, int]:
    """Return by hop the number of lost data frames after which the link layer discards a packet.

    With RTS/CTS a packet is also discarded after lost RTS frames: one lost data frame then suffices. An MPDU
    with a lifetime may be discarded before its first transmission.
    """
    found: dict[str, int] = {}
    channels = cells(run.network, run.tables)
    for table, cell in zip(run.network.get("wlan", ()), channels, strict=True):
        needed = table.get("attempts", 1) if table.get("access", "basic") == "basic" else 1
        if "lifetime" in table:
            needed = 0
        found |= {f"{a}->{b}": needed for a, others in cell.hearers.items() for b in others}
    for radio in run.network.get("radio", ()):
        found |= _radio_attempts(radio)
    return found


def _radio_attempts(radio: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of lost frames before a discard, for each direction of a radio link with ARQ.

    A link with a window may discard a packet although some frames of the packet arrived, because the receiver
    rejected these frames. One lost frame then suffices.
    """
    a, b = radio["ends"]
    return {
        place: arq.get("attempts", 1) if arq["kind"] == "stop-and-wait" else 1
        for place, arq in ((f"{a}->{b}", radio["arq"]), (f"{b}->{a}", radio["arq_back"]))
        if arq["kind"] != "none"
    }


def _passed(acks: pl.DataFrame, seqs: pl.Series) -> pl.Series:
    """Return the time of the first cumulative ACK above each sequence number; null without such an ACK."""
    progress = acks.with_columns(pl.col("ack").cum_max()).unique("ack", keep="first", maintain_order=True)
    found = progress["ack"].search_sorted(seqs, side="right")
    times = pl.concat([progress["time_s"], pl.Series([None], dtype=pl.Float64)])
    return times.gather(found)
