"""Losses at the wireless link in a trace, and the notices about these losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

SEGMENT = 1000
"""Segment size in bytes (§5.1)."""


@dataclass(frozen=True)
class NoticeStatistics:
    """Statistics of the losses in one run, and of the notices about these losses."""

    losses: int
    delay_ms: float
    """Mean time in milliseconds from a loss to the arrival of the notice, over losses with a notice."""
    undetected: float
    """Share of losses without a notice because the loss was not detected."""
    untold: float
    """Share of losses for which no notice reached the sender: none was created, or the notice was lost."""

    @classmethod
    def of(cls, losses: pl.DataFrame) -> NoticeStatistics:
        """Compute the statistics from the rows of `first_losses`.

        Raises ValueError when no loss has a notice.

        """
        import polars as pl

        made, heard = (
            pl.col(column).is_not_null() & (pl.col(column) <= pl.col("again_s")).fill_null(True)
            for column in ("made_s", "heard_s")
        )
        delay = (pl.col("heard_s") - pl.col("lost_s")).filter(heard).mean()
        found = losses.select(delay_ms=1000.0 * delay, undetected=1 - made.mean(), untold=1 - heard.mean())
        if found["delay_ms"].item() is None:
            raise ValueError(f"{len(losses)} losses and no notice: the run is too short")
        return cls(len(losses), **found.row(0, named=True))


def collided_losses(tables: Mapping[str, pl.DataFrame], losses: pl.DataFrame) -> pl.DataFrame:
    """Select the losses whose last frame was destroyed completely by a collision.

    Parameters
    ----------
    tables
        Tables of a traced run.
    losses
        Rows of `first_losses` of this run.
    """
    import polars as pl

    frames = tables["drops"].filter(pl.col("kind") == "data", pl.col("cause").is_in(["channel", "collision"]))
    last = frames.join(losses.select("seq", "lost_s"), on="seq").filter(pl.col("time_s") <= pl.col("lost_s"))
    last = last.sort("time_s").unique("seq", keep="last", maintain_order=True)
    collided = last.filter(pl.col("cause") == "collision")
    return losses.join(collided.select("seq"), on="seq", how="semi")


def detected(losses: pl.DataFrame) -> int:
    """Count the losses with a notice created before the segment was retransmitted for another reason."""
    import polars as pl

    made = (pl.col("made_s") <= pl.col("again_s")).fill_null(pl.col("made_s").is_not_null())
    return losses.filter(made).height


def first_losses(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """List the segments whose first copy the link layer discarded, one row each; the run has one flow.

    Later copies are excluded, because some senders react to one notice per segment, and cannot distinguish
    the notice of a second loss from a repeated notice. Losses whose repair is incomplete at the end of the
    run are also excluded.

    Returns the columns of `losses_by_segment`.
    """
    import polars as pl

    is_first = (pl.col("again_s") >= pl.col("lost_s")).fill_null(True)
    is_known = pl.col("again_s").is_not_null() | pl.col("heard_s").is_not_null()
    return losses_by_segment(tables).filter(is_first, is_known)


def losses_by_segment(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """List the segments with a copy that the link layer discarded, one row each; the run has one flow.

    Parameters
    ----------
    tables
        Tables of a traced run.

    Returns
    -------
    polars.DataFrame
        By time of the loss: `seq`, and times in seconds: `sent_s`, `next_s` (first transmission of the next
        segment; null without one), `lost_s` (the paper's §3.2: "discarded at the wireless link layer"),
        `made_s` and `heard_s` (an ELN about the segment was created, and reached the sender; null if not),
        `again_s` (the segment was retransmitted; null if not). A notice counts if it preceded a
        retransmission for another reason.
    """
    import polars as pl

    def earliest(rows: pl.DataFrame, name: str) -> pl.DataFrame:
        return rows.group_by("seq").agg(pl.col("time_s").min().alias(name))

    segments, drops = tables["segments"], tables["drops"]
    elns = tables["notices"].filter(pl.col("kind") == "eln")
    sent = earliest(segments, "sent_s")
    found = earliest(drops.filter(pl.col("cause") == "retries", pl.col("kind") == "data"), "lost_s")
    for facts in (
        sent,
        sent.select(pl.col("seq") - SEGMENT, pl.col("sent_s").alias("next_s")),
        earliest(segments.filter("retransmission"), "again_s"),
        earliest(elns.filter(pl.col("event") == "sent"), "made_s"),
        earliest(elns.filter(pl.col("event") == "received"), "heard_s"),
    ):
        found = found.join(facts, on="seq", how="left")
    return found.sort("lost_s")


def unhindered(tables: Mapping[str, pl.DataFrame], losses: pl.DataFrame) -> pl.DataFrame:
    """Select the losses without another discarded packet, in either direction, until their repair.

    Parameters
    ----------
    tables
        Tables of a traced run.
    losses
        Rows of `first_losses` of this run.
    """
    import polars as pl

    discards = tables["drops"].filter(pl.col("cause") == "retries").select(next_lost_s="time_s")
    repaired = pl.coalesce("again_s", "heard_s")
    return (
        losses.sort("lost_s")
        .join_asof(
            discards.sort("next_lost_s"),
            left_on="lost_s",
            right_on="next_lost_s",
            strategy="forward",
            allow_exact_matches=False,
        )
        .filter((pl.col("next_lost_s") > repaired).fill_null(value=True))
        .drop("next_lost_s")
    )


def followed(losses: pl.DataFrame) -> pl.DataFrame:
    """Select losses if the next segment was sent at the same time, and waited behind the lost segment."""
    import polars as pl

    return losses.filter(pl.col("next_s") == pl.col("sent_s"))
