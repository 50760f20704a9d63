"""Faults in the playback of videos: in the document, the requests, the deliveries, and the player's keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
from forged import Recorded, count


def _plays(**keys: Any) -> Callable[[Recorded], None]:
    """Plant a player with other keys."""

    def forge(run: Recorded) -> None:
        run.flow["app"] = run.flow["app"] | keys

    forge.__name__ = f"_other_{'_'.join(keys)}"
    return forge


def _late_segments(run: Recorded) -> None:
    """Plant deliveries that are a microsecond late: the requests then precede the segments before them."""
    frame = run.tables["deliveries"]
    run.tables["deliveries"] = frame.with_columns(pl.col("time_s") + 1e-6)


def _early_request(run: Recorded) -> None:
    """Plant a request that is sent a microsecond before the buffer has room."""
    run.shift("segments", "time_s", run.find("segments", 9, flow="a requests"), -1e-6)


def _missing_request(run: Recorded) -> None:
    run.remove("segments", run.find("segments", 9, flow="a requests"))


def _no_quality(run: Recorded) -> None:
    del run.document["flows"][0]["video"]


def _quality_without_a_video(run: Recorded) -> None:
    run.document["classes"][0]["video"] = run.document["classes"][0]["video"] | {"viewers": 1}


_KEYS = (
    "startup_s",
    "stalls",
    "stalled_s",
    "stalled_pct",
    "played_s",
    "bitrate_mbps",
    "switches",
    "segments",
)

FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    *(("video", "videos", count("flows", "0", "video", key)) for key in _KEYS),
    *(("video", "videos", count("classes", "0", "video", key)) for key in _KEYS),
    ("video", "videos", _plays(choice="buffer")),
    ("video", "videos", _plays(buffer="600 ms")),
    ("video", "videos", _plays(startup="400 ms")),
    ("video", "videos", _plays(segment="220 ms")),
    ("video", "videos", _plays(request="100 B")),
    ("video", "videos", _late_segments),
    ("video", "videos", _early_request),
    ("video", "videos", _missing_request),
    ("video", "videos", _no_quality),
    ("video", "videos", _quality_without_a_video),
]
