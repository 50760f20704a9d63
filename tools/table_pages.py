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
    "window": "The sender's state, whenever cwnd, ssthresh, the smoothed round trip or the timeout changed.",
    "deliveries": "In-order bytes handed to the receiving application.",
    "notices": "Explicit notifications by segment, at their origin and at the sender that acted on them.",
    "drops": "Frames lost on the channel or in a collision, and packets dropped anywhere else.",
    "queue": "The number of packets waiting at a place, whenever it changes.",
    "packets": "Each step of each packet.",
    "air": "Each transmission on a cell or radio link, in the order in which they ended.",
    "mpdus": "Each packet of each MPDU of the PPDUs in `air`, by row and then by place, in cells with Block"
    " Ack. The packets of an A-MSDU have the same values in all columns but `msdu` and those of the packet"
    " (`flow`, `packet`, `seq`).",
    "stations": "Positions of each cell's stations.",
    "fades": "The bad periods of each directed link whose fades depend on time only, not on traffic.",
    "links": "Rate and delay of each link with `changes`, valid from `time_s` until the link's next row;"
    " only in runs with changes.",
}
MEANINGS = {
    "time_s": "simulated time, s",
    "start_s": "first bit of the preamble, s",
    "begin_s": "begin of the bad period, s",
    "end_s": "end, s",
    "flow": "name of the flow, of a connection that closes with its number (`web#1`); `-` if it is of none",
    "seq": "first byte of payload, the first of a flow being 1; of an ACK or a datagram its number",
    "bytes": "length of the IP datagram or of the frame, B",
    "segments.bytes": "payload of the segment, B",
    "deliveries.bytes": "handed over since the beginning, B",
    "payload": "TCP or UDP payload, B",
    "retransmission": "true if it begins below the highest byte sent before",
    "cause": "cause of the drop ([each cause](../concepts.md#congestion-or-channel)); `-`: not dropped",
    "segments.cause": "cause of the transmission",
    "drops.cause": "cause ([each cause](../concepts.md#congestion-or-channel))",
    "cwnd": "congestion window, segments",
    "ssthresh": "slow-start threshold, segments",
    "flight": "data in flight as the sender counts them, B",
    "fin": "true if it carries a FIN, which takes the number after its payload (RFC 9293 §3.4)",
    "ack": "acknowledgement number: the first byte that is missing",
    "sacked_bytes": "bytes that its SACK blocks report, B",
    "duplicate": "true if it is a duplicate ACK",
    "srtt_ms": "smoothed round-trip time, ms; NaN before the first sample",
    "rto_ms": "retransmission timeout, ms",
    "kind": "kind",
    "notices.kind": "kind of the notice",
    "event": "made, or acted on",
    "lateness_ms": "its arrival less the expiry that it should have prevented, ms; NaN where there is none",
    "place": "a node, or a directed link such as `bs->d`; `agent` if an agent removed the packet",
    "packets.packet": "its number, from 0 in the order in which packets were made",
    "air.packet": "kind of the packet inside; of an A-MPDU, of the first, as `flow`, `seq` and `attempt`",
    "air.seq": "first byte of payload, the first of a flow being 1; of an ACK or a datagram its number; of a"
    " BlockAckReq and its answer the starting sequence number",
    "mpdus.ppdu": "row of `air` of its PPDU, from 0",
    "mpdus.place": "place in the A-MPDU, from 0; 0 if it is alone in its PPDU",
    "mpdus.msdu": "place of the packet in the A-MSDU, from 0; 0 if it is alone in its MPDU",
    "mpdus.sequence": "sequence number under the Block Ack agreement, from 0; on the air it is modulo 4096",
    "mpdus.packet": "kind of the packet inside",
    "mpdus.bytes": "length of the MPDU, without delimiter and padding, B",
    "mpdus.attempt": "transmission of the MPDU, the first is 1",
    "mpdus.outcome": "outcome of the MPDU at its receiver",
    "packets": "number of waiting packets",
    "step": "step of the packet",
    "damaged": "true if only its headers are intact",
    "ecn": "ECN codepoint in its IP header (RFC 3168 §5) before the step",
    "flags": "TCP control bits: SYN `S`, FIN `F`, PSH `P`, ACK `.`, ECE `E`, CWR `W`; `-`: it is no TCP",
    "ece": "true if it echoes a mark (RFC 3168 §6.1.3); false on a SYN-ACK",
    "from": "the sending node",
    "to": "the receiving node; `*`: every station in range",
    "attempt": "the attempt at that packet, the first is 1",
    "outcome": "outcome of the frame at its receiver",
    "wlan": "name of the cell",
    "station": "name of the station",
    "x_m": "place, m",
    "y_m": "place, m",
    "rate_mbps": "rate, Mbit/s; 0 in an outage",
    "delay_ms": "propagation delay, ms",
}
"""Meanings by column, or by table and column if the column has another meaning in that table."""
NAMES = ("flow", "place", "from", "to", "wlan", "station", "flags")
"""Columns whose words are names of the scenario, or combinations of letters."""

HEAD = """# Trace tables

`airhop.run(s, trace=True).tables` is a dict of the `polars.DataFrame`s below, by name;
`airhop run --trace DIR` writes each as DIR/NAME.parquet. Rows are in chronological order in every table
with a time column. Categorical columns, such as causes and names, are of type `Enum`.
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
    """List tables and columns without a meaning, and meanings of nothing."""
    there = {(name, column) for name, table in tables().items() for column in table.columns}
    columns = {column for _, column in there} | {f"{name}.{column}" for name, column in there}
    return [
        *(set(tables()) ^ set(ABOUT)),
        *(f"{name}.{column}" for name, column in sorted(there) if not meaning(name, column)),
        *(word for word in MEANINGS if word not in columns),
    ]
