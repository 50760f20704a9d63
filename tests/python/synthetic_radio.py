"""A synthetic trace of a radio link with ARQ that fades for a second.

A segment has 100 bytes. Segment 3 waits for the end of the fade while the sender's timer expires, so that a
second copy arrives after the first. Segment 4 is dropped in the queue, and its second copy arrives. Segment 5
is sent once by the sender, and once more by an agent on the path.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

import synthetic
from airhop.report import TracedRun

SIZE = 100
PLACE = "bs->m"
NETWORK: dict[str, Any] = {
    "name": "fading",
    "duration": "4 s",
    "wired": [{"name": "w1", "ends": ["s", "bs"], "rate": "56 kbit/s", "delay": "50 ms"}],
    "radio": [
        {
            "name": "air",
            "ends": ["bs", "m"],
            "rate": "19.2 kbit/s",
            "delay": "10 ms",
            "arq": {"kind": "go-back-n", "window": 3},
            "arq_back": {"kind": "selective-repeat", "window": 8},
            "errors": {
                "kind": "two-state",
                "good": "10 s",
                "bad": "4 s",
                "ber_good": 1e-6,
                "ber_bad": 1e-2,
            },
        }
    ],
    "flow": [{"name": "ftp", "from": "s", "to": "m", "transport": "tcp", "segment": "100 B"}],
}
FADES = ((PLACE, 1.0, 2.02), ("m->bs", 1.0, 2.02))
# time, number of the segment, cause
SEGMENTS = (
    (0.00, 0, "new"),
    (0.10, 1, "new"),
    (0.20, 2, "new"),
    (0.90, 3, "new"),
    (0.95, 4, "new"),
    (1.80, 3, "timeout"),
    (2.20, 4, "timeout"),  # on the ACK of segment 3, without another timeout
    (2.60, 5, "new"),
)
# start, number of the segment, attempt, outcome; each is on the air for 50 ms
FRAMES = (
    (0.05, 0, 1, "received"),
    (0.15, 1, 1, "received"),
    (0.25, 2, 1, "received"),
    (1.05, 3, 1, "channel"),
    (1.35, 3, 2, "channel"),
    (1.65, 3, 3, "channel"),
    (2.05, 3, 4, "received"),
    (2.10, 3, 1, "received"),
    (2.25, 4, 1, "received"),
    (2.65, 5, 1, "received"),
    (2.85, 5, 1, "received"),
)
# time, number of the first missing segment
ACKS = ((0.12, 1), (0.22, 2), (0.32, 3), (2.20, 4), (2.30, 4), (2.40, 5), (2.75, 6))
# time, kind, event, lateness in ms (of received notices that should have prevented an expiry)
NOTICES = (
    (1.40, "ebsn", "sent", float("nan")),
    (1.45, "ebsn", "received", -350.0),
    (1.70, "ebsn", "sent", float("nan")),
    (1.85, "ebsn", "received", 50.0),
    (1.90, "rttn", "received", -10.0),
    (2.00, "eln", "received", float("nan")),
)


def tables() -> dict[str, pl.DataFrame]:
    """Make the trace tables."""
    segments, seen = [], set[int]()
    for time, number, cause in SEGMENTS:
        again = number in seen
        seen.add(number)
        segments.append((time, "ftp", _seq(number), SIZE, again, cause))
    air = [
        (start, start + 0.05, "bs", "m", "data", SIZE + 40, "ftp", "data", _seq(number), attempt, outcome)
        for start, number, attempt, outcome in FRAMES
    ]
    air += [
        (end, end + 0.003, "m", "bs", "ack", 6, "ftp", "data", seq, 1, "received")
        for _, end, *_, seq, _, outcome in air
        if outcome == "received"
    ]
    lost = [
        (start + 0.05, "ftp", PLACE, "channel", "data", _seq(number), SIZE)
        for start, number, _, outcome in FRAMES
        if outcome == "channel"
    ]
    lost.append((1.0, "ftp", PLACE, "queue", "data", _seq(4), SIZE))
    acks = [(time, "ftp", _seq(number), 0, number == before) for (_, before), (time, number) in
            zip(((0.0, 0), *ACKS), ACKS, strict=False)]  # fmt: skip
    window = [
        (0.0, "ftp", 1.0, 64.0, 100, float("nan"), float("nan")),
        (0.12, "ftp", 2.0, 64.0, 200, 120.0, 400.0),
        (0.32, "ftp", 3.0, 64.0, 200, 120.0, 300.0),
        (1.80, "ftp", 1.0, 2.0, 100, 120.0, 600.0),
        (2.40, "ftp", 2.0, 2.0, 100, 150.0, 500.0),
    ]
    return {
        "segments": _frame(segments, "time_s flow seq bytes retransmission cause"),
        "acks": _frame(acks, "time_s flow ack sacked_bytes duplicate"),
        "window": _frame(window, "time_s flow cwnd ssthresh flight srtt_ms rto_ms"),
        "drops": _frame(sorted(lost), "time_s flow place cause kind seq bytes"),
        "notices": _frame(
            [(t, "ftp", kind, event, _seq(3), late) for t, kind, event, late in NOTICES],
            "time_s flow kind event seq lateness_ms",
        ),
        "deliveries": _frame([(2.11, "ftp", 400)], "time_s flow bytes"),
        "queue": _frame([(1.05, PLACE, 1), (2.05, PLACE, 0)], "time_s place packets"),
        "air": _frame(
            sorted(air), "start_s end_s from to kind bytes flow packet seq attempt outcome"
        ).with_columns(pl.col("attempt").cast(pl.UInt32)),
        "fades": _frame(FADES, "place begin_s end_s"),
    }


def _seq(number: int) -> int:
    return 1 + SIZE * number


def _frame(rows: Any, columns: str) -> pl.DataFrame:
    return pl.DataFrame(rows, columns.split(), orient="row")


def traced_run() -> TracedRun:
    """Put the trace into the synthetic run of `synthetic`."""
    run = synthetic.traced_run()
    flow = run.document["flows"][0] | {"from": "s", "to": "m"}
    document = run.document | {"duration_s": 4.0, "flows": [flow]}
    return replace(run, tables=tables(), network=NETWORK, document=document, opening_s=4.0)
