"""Make docs/api/tables.md: the tables of a trace and their columns, from traced runs.

Names, types and words come from the runs, meanings of columns from `MEANINGS`. A test fails for a column
without a meaning, and for a meaning without a column.
"""

from __future__ import annotations

from functools import cache

import polars as pl

import airhop

ABOUT = {
    "segments": "Each segment with data or a FIN as the sender hands it to IP.",
    "acks": "Each ACK as the sender processes it.",
    "window": "State of the sender, with a row for each change of cwnd, ssthresh, the smoothed round "
    "trip or the timeout.",
    "deliveries": "In-order bytes handed to the receiving application.",
    "notices": "Explicit notifications, one row per named segment: at their origin, and at the sender that "
    "acted on them.",
    "drops": "Frames lost on the channel or in a collision, and packets dropped anywhere else.",
    "queue": "Number of packets in each queue, with a row for each change.",
    "packets": "Each step of each packet.",
    "air": "Each transmission on a cell or radio link, in the order of their ends.",
    "mpdus": "In cells with Block Ack: each packet of each MPDU in `air`, sorted by row of `air`, then by "
    "position. The packets of an A-MSDU differ only in the columns `msdu`, `flow`, `packet` and "
    "`seq`.",
    "stations": "Positions of the stations of each cell.",
    "fades": "Bad periods of each directed link with fades that depend on time only, not on traffic.",
    "links": "Rate and delay of each link with `changes`, valid from `time_s` until the link's next row;"
    " only in runs with changes.",
}
MEANINGS = {
    "time_s": "simulated time, s",
    "start_s": "first bit of the preamble, s",
    "begin_s": "begin of the bad period, s",
    "end_s": "end, s",
    "flow": "name of the flow; a connection that closes also has its number (`web#1`); `-`: no flow",
    "seq": "first byte of the payload, counted from 1; the number of an ACK or of a datagram",
    "bytes": "length of the IP datagram or of the frame, B",
    "segments.bytes": "payload of the segment, B",
    "deliveries.bytes": "bytes delivered to the application since the beginning, B",
    "payload": "TCP or UDP payload, B",
    "retransmission": "true if the segment begins below the highest byte sent before",
    "cause": "cause of the drop ([each cause](../concepts.md#congestion-or-channel)); `-`: not dropped",
    "segments.cause": "cause of the transmission",
    "drops.cause": "cause ([each cause](../concepts.md#congestion-or-channel))",
    "cwnd": "congestion window, segments",
    "ssthresh": "slow-start threshold, segments",
    "flight": "data in flight by the sender's estimate, B",
    "fin": "true if the segment has a FIN, whose sequence number follows the payload (RFC 9293 §3.4)",
    "ack": "acknowledgement number: the first missing byte",
    "sacked_bytes": "bytes in the SACK blocks of the ACK, B",
    "duplicate": "true for a duplicate ACK",
    "srtt_ms": "smoothed round-trip time, ms; NaN before the first sample",
    "rto_ms": "retransmission timeout, ms",
    "kind": "type of the frame",
    "notices.kind": "kind of the notice",
    "event": "creation of the notice, or its processing by the sender",
    "lateness_ms": "arrival time minus the time of the expiry that the notice should have prevented, "
    "ms; NaN without such an expiry",
    "place": "a node, or a directed link such as `bs->d`; `agent` if an agent removed the packet",
    "packets.packet": "number of the packet, from 0 in the order of creation",
    "air.packet": "type of the packet in the frame; for an A-MPDU, `packet`, `flow`, `seq` and "
    "`attempt` describe its first"
    " packet",
    "air.seq": "first byte of the payload, counted from 1; the number of an ACK or of a datagram; the "
    "starting"
    " sequence number of a BlockAckReq or its response",
    "mpdus.ppdu": "row of the PPDU in `air`, from 0",
    "mpdus.place": "position of the MPDU in the A-MPDU, from 0; 0 for the only MPDU of a PPDU",
    "mpdus.msdu": "position of the packet in the A-MSDU, from 0; 0 for the only packet of an MPDU",
    "mpdus.sequence": "sequence number under the Block Ack agreement, from 0; the frame contains it "
    "modulo 4096",
    "mpdus.packet": "type of the packet in the MPDU",
    "mpdus.bytes": "length of the MPDU, without delimiter and padding, B",
    "mpdus.attempt": "number of the MPDU's transmission, from 1",
    "mpdus.outcome": "outcome of the MPDU at its receiver",
    "packets": "number of packets in the queue",
    "step": "step of the packet",
    "damaged": "true if only the headers of the packet are intact",
    "ecn": "ECN codepoint in the IP header of the packet (RFC 3168 §5) before the step",
    "flags": "TCP control bits: SYN `S`, FIN `F`, PSH `P`, ACK `.`, ECE `E`, CWR `W`; `-`: not TCP",
    "ece": "true if the ACK echoes a mark (RFC 3168 §6.1.3); false on a SYN-ACK",
    "from": "the sending node",
    "to": "the receiving node; `*`: every station in range",
    "attempt": "number of the packet's transmission, from 1",
    "category": "access category of the exchange in a cell of 802.11n, ac or ax; `-`: no access category",
    "outcome": "outcome of the frame at its receiver",
    "wlan": "name of the cell",
    "station": "name of the station",
    "x_m": "x coordinate, m",
    "y_m": "y coordinate, m",
    "rate_mbps": "rate, Mbit/s; 0 in an outage",
    "delay_ms": "propagation delay, ms",
}
"""Meanings by column, or by table and column if the column has another meaning in that table."""
NAMES = ("flow", "place", "from", "to", "wlan", "station", "flags")
"""Columns whose values are names of the scenario, or combinations of letters."""

HEAD = """# Trace tables

`airhop.run(s, trace=True).tables` is a dictionary of `polars.DataFrame`s, with the names of the tables on
this page as keys. `airhop run --trace DIR` writes each table as DIR/NAME.parquet. In every table with a time
column the rows are in chronological order. Categorical columns, such as causes and names, are of type `Enum`.
"""


@cache
def tables() -> dict[str, pl.DataFrame]:
    """Return every table that a traced run can have."""
    steps = airhop.Scenario.load("steps").with_({"duration": "41 s"})
    last_hop = airhop.Scenario.load("last-hop").with_({"duration": "1 s"})
    return airhop.run(steps, trace=True).tables | airhop.run(last_hop, trace=True).tables


def page() -> str:
    """Write the page."""
    parts = [HEAD]
    for name, about in ABOUT.items():
        parts.append(f"\n## `{name}`\n\n{about}\n\n| column | type | meaning |\n|---|---|---|\n")
        for column, dtype in tables()[name].schema.items():
            words = ""
            if isinstance(dtype, pl.Enum) and column not in NAMES:
                words = ": " + ", ".join(f"`{word}`" for word in dtype.categories)
            kind = "Enum" if isinstance(dtype, pl.Enum) else str(dtype)
            parts.append(f"| `{column}` | `{kind}` | {meaning(name, column)}{words} |\n")
    return "".join(parts)


def meaning(table: str, column: str) -> str:
    """Return the meaning of a column of a table."""
    return MEANINGS.get(f"{table}.{column}", MEANINGS.get(column, ""))


def unmatched() -> list[str]:
    """List tables and columns without a meaning, and meanings without a table or column."""
    there = {(name, column) for name, table in tables().items() for column in table.columns}
    columns = {column for _, column in there} | {f"{name}.{column}" for name, column in there}
    return [
        *(set(tables()) ^ set(ABOUT)),
        *(f"{name}.{column}" for name, column in sorted(there) if not meaning(name, column)),
        *(word for word in MEANINGS if word not in columns),
    ]
