"""Frames on the air of a run, as data for the page's script, with their legend.

The data list receivers and sensing stations by lane and not by frame, to keep the page small. The script
assets/js/on_air.js derives the marks of the visible frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from airhop.analysis.on_air import DELIMITER_BYTES, FRAMES, REASONS, OnAir, on_air
from airhop.plots.frames import STYLES
from airhop.report.packets.air_marks import COLLISIONS, FRAME_PX, LANE_PX, MPDUS, OUTCOMES, STRIPS
from airhop.report.packets.marks import Mark

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

MOST_FRAMES = 12_000
"""Maximum number of frames of a run in the page, about 100 kB; a run of 20 s has tens of thousands."""
MOST_LANES = 24
"""Maximum number of stations in the figure. The busiest stations are shown."""
TICK_S = 1e-7
"""Time unit of the packed frames, in seconds."""


@dataclass(frozen=True)
class AirShown:
    """Frames that the page shows, and the number of all frames."""

    air: OnAir
    frames: int
    stations: int


def air_shown(run: TracedRun) -> AirShown | None:
    """Arrange the first frames of a run and its busiest stations; None if the trace has no frames."""
    if "air" not in run.tables or run.tables["air"].is_empty():
        return None
    frames = run.tables["air"].with_row_index("ppdu").sort("start_s").head(MOST_FRAMES)
    queue = run.tables["queue"].filter(pl.col("time_s") <= frames["end_s"].max())
    whole = on_air({**run.tables, "air": frames, "queue": queue}, run.network)
    return AirShown(whole.busiest(MOST_LANES), run.tables["air"].height, len(whole.lanes))


def height_px(lanes: int) -> int:
    """Return the height of the figure in pixels."""
    return FRAME_PX + LANE_PX * lanes


def air_counts(air: OnAir) -> list[tuple[Mark, int | None]]:
    """List the legend's entries in drawing order, each with its count or None."""
    kinds = dict(air.frames["kind"].value_counts().iter_rows())
    outcomes = dict(air.frames["outcome"].value_counts().iter_rows())
    reasons = [overlap.reason for overlap in air.overlaps if not overlap.captured]
    found: list[tuple[Mark, int | None]] = [
        (Mark(kind, style.text, "square", style.color, 8), kinds[kind])
        for kind, style in STYLES.items()
        if kind in kinds
    ]
    found += [(MPDUS[group], count) for group, count in mpdu_counts(air.mpdus).items() if count]
    found += [(mark, reasons.count(reason)) for reason, mark in COLLISIONS.items() if reason in reasons]
    found += [(mark, outcomes[outcome]) for outcome, mark in OUTCOMES.items() if outcome in outcomes]
    return [*found, *((mark, None) for mark in STRIPS.values())]


def mpdu_counts(mpdus: pl.DataFrame) -> dict[str, int]:
    """Count the MPDUs lost to bit errors and the retransmitted MPDUs, within A-MPDUs."""
    return {
        "lost": mpdus.filter(outcome="channel").height,
        "retried": mpdus.filter(pl.col("attempt") > 1).height,
    }


def air_data(shown: AirShown) -> dict[str, Any]:
    """Return the frames as columns of integers.

    Times are in ticks of 0.1 µs, and `start` is delta-encoded. Lanes are indices into `lanes`. Kinds,
    outcomes and flows are indices into lists of names. `mpdus` contains the MPDUs of each A-MPDU.
    """
    air, frames = shown.air, shown.air.frames
    outcomes = ["received", *OUTCOMES, "collision"]
    flows = sorted(frames["flow"].unique())
    start = _ticks(frames["start_s"])
    return {
        "lanes": [lane.label for lane in air.lanes],
        "hearers": air.hearers,
        "sensers": air.sensers,
        "kinds": list(FRAMES),
        "outcomes": outcomes,
        "flows": flows,
        "reasons": list(REASONS),
        "start": start.diff().fill_null(start.head(1)).to_list(),
        "length": (_ticks(frames["end_s"]) - start).to_list(),
        "lane": frames["lane"].to_list(),
        "to": frames["to"].to_list(),
        "kind": _places(frames["kind"], FRAMES),
        "outcome": _places(frames["outcome"], outcomes),
        "flow": _places(frames["flow"], flows),
        "seq": frames["seq"].to_list(),
        "bytes": frames["bytes"].to_list(),
        "attempt": frames["attempt"].to_list(),
        "mpdus": _mpdus(air),
        "overlaps": [
            [
                overlap.frame,
                overlap.other,
                overlap.lane,
                round(overlap.start_s / TICK_S),
                round(overlap.end_s / TICK_S),
                list(REASONS).index(overlap.reason),
                int(overlap.captured),
            ]
            for overlap in air.overlaps
        ],
        "waiting": [[lane, round(start / TICK_S), round(end / TICK_S)] for lane, start, end in air.waiting],
        "height": height_px(len(air.lanes)),
        "tick": TICK_S,
        "total": shown.frames,
        "stations": shown.stations,
    }


def _mpdus(air: OnAir) -> dict[str, list[int]]:
    """Return the MPDUs of each A-MPDU, run-length encoded, by the index of the A-MPDU's frame.

    Each run has three numbers: the MPDU count, the bytes per subframe, and a code. In the code, 1 means lost
    to bit errors and 2 means retransmitted; 3 means lost and retransmitted.
    """
    runs: dict[str, list[int]] = {}
    places = dict(zip(air.frames["ppdu"], range(air.frames.height), strict=True))
    codes = air.mpdus.select(
        "ppdu",
        bytes=(pl.col("bytes") + DELIMITER_BYTES + 3) // 4 * 4,
        code=(pl.col("outcome") == "channel").cast(pl.UInt8) + 2 * (pl.col("attempt") > 1).cast(pl.UInt8),
    )
    same = pl.struct("ppdu", "bytes", "code").rle_id()
    packed = codes.group_by(same.alias("run"), maintain_order=True).agg(
        pl.col("ppdu", "bytes", "code").first(), count=pl.len()
    )
    for ppdu, size, code, count in packed.select("ppdu", "bytes", "code", "count").iter_rows():
        runs.setdefault(str(places[ppdu]), []).extend((count, size, code))
    return runs


def _ticks(seconds: pl.Series) -> pl.Series:
    return (seconds / TICK_S).round().cast(pl.Int64)


def _places(words: pl.Series, known: list[str] | tuple[str, ...]) -> list[int]:
    return words.replace_strict(known, range(len(known)), return_dtype=pl.UInt8).to_list()
