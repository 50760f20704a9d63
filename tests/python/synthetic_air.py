"""A synthetic trace of frames on the air: hidden terminals in a chain of stations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

import synthetic
from airhop.report import TracedRun

MICROSECOND = 1e-6
NETWORK: dict[str, Any] = {
    "name": "chain",
    "duration": "2 s",
    "wlan": [
        {
            "name": "field",
            "access": "basic",
            "attempts": 7,
            "overhead": "54 B",
            # n0 and n3 are hidden from each other, and n1 senses both.
            "stations": {f"n{i}": [30.0 * i, 0.0] for i in range(5)},
            "range": {"receive": "40 m", "sense": "65 m"},
        }
    ],
    "flow": [{"name": "ftp", "from": "n0", "to": "n4", "transport": "tcp", "segment": "1000 B"}],
}
PACKETS = {1094: "data", 2194: "data", 94: "ack", 554: "datagram"}
"""Kind of frame by length; frames of the link layer have the kind `control`."""
# start and end in µs, from, to, kind, bytes, seq, attempt, outcome
ROWS = (
    (100, 400, "n0", "n1", "data", 1094, 3001, 1, "captured"),
    (200, 500, "n3", "n4", "data", 1094, 1001, 1, "received"),
    (410, 440, "n1", "n0", "ack", 14, 3001, 1, "received"),
    (510, 540, "n4", "n3", "ack", 14, 1001, 1, "received"),
    (700, 740, "n4", "n3", "data", 94, 2001, 1, "received"),
    (750, 780, "n3", "n4", "ack", 14, 2001, 1, "received"),
    (800, 1100, "n3", "n4", "data", 1094, 2001, 1, "received"),
    (850, 1150, "n0", "n1", "data", 1094, 4001, 1, "collision"),  # n1 follows the frame of n3
    (1110, 1140, "n4", "n3", "ack", 14, 2001, 1, "received"),
    (1400, 1420, "n0", "n1", "rts", 20, 4001, 2, "received"),
    (1430, 1445, "n1", "n0", "cts", 14, 4001, 2, "received"),
    (1455, 1755, "n0", "n1", "data", 1094, 4001, 2, "channel"),
    (1900, 1950, "n2", "*", "broadcast", 48, 0, 1, "received"),
    (2000, 2300, "n1", "n2", "data", 1094, 3001, 1, "collision"),  # both backoffs ended in the same slot
    (2000, 2040, "n3", "n2", "data", 94, 2001, 1, "collision"),
    (2400, 2700, "n1", "n2", "data", 1094, 3001, 2, "collision"),  # each sends to the other
    (2400, 2440, "n2", "n1", "data", 94, 1001, 1, "collision"),
    (2720, 2780, "n2", "n3", "data", 554, 7, 1, "received"),
    (2800, 2840, "n4", "n0", "data", 94, 2001, 1, "unheard"),
    (2860, 2900, "n0", "n1", "a-mpdu", 2194, 5001, 1, "received"),
    (2905, 2920, "n1", "n0", "block-ack", 32, 5001, 1, "received"),
    (2940, 2955, "n0", "n1", "block-ack-req", 24, 7, 1, "received"),
    (2960, 2975, "n1", "n0", "block-ack", 32, 7, 1, "received"),
    (2980, 2995, "n0", "*", "cf-end", 20, 0, 1, "received"),
)


def tables(times: int = 1, every_us: int = 3000) -> dict[str, pl.DataFrame]:
    """Make the trace tables, which repeat the rows at a period in microseconds."""
    shifts = [every_us * time for time in range(times)]
    air = pl.DataFrame(
        [
            (
                MICROSECOND * (start + by),
                MICROSECOND * (end + by),
                sender,
                to,
                kind,
                size,
                "ftp",
                PACKETS.get(size, "control"),
                seq,
                attempt,
                "-",
                out,
            )
            for by in shifts
            for start, end, sender, to, kind, size, seq, attempt, out in ROWS
        ],
        schema={
            "start_s": pl.Float64,
            "end_s": pl.Float64,
            "from": pl.String,
            "to": pl.String,
            "kind": pl.String,
            "bytes": pl.UInt32,
            "flow": pl.String,
            "packet": pl.String,
            "seq": pl.UInt64,
            "attempt": pl.UInt32,
            "category": pl.String,
            "outcome": pl.String,
        },
        orient="row",
    )
    waits = [(0.0, "n0->*", 2), (0.00008, "n3->*", 1), (0.00019, "n3->*", 0), (0.0012, "n0->*", 0)]
    queue = pl.DataFrame(
        waits, {"time_s": pl.Float64, "place": pl.String, "packets": pl.UInt32}, orient="row"
    )
    return {"air": air, "queue": queue}


def traced_run(times: int = 1) -> TracedRun:
    """Add the frames to the synthetic run of `synthetic`."""
    run = synthetic.traced_run()
    flow = run.document["flows"][0] | {"from": "n0", "to": "n4"}
    document = run.document | {"duration_s": 2.0, "flows": [flow]}
    return replace(run, tables=run.tables | tables(times), network=NETWORK, document=document)
