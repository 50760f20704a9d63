"""Arrivals over a flow's last wireless hop: frames, the copy of the segment in each frame, and fades.

The functions read the trace tables of a run. Times are seconds.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from airhop.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

MODULO = 90
"""Modulus of segment numbers in the figures of Kounavis 1996."""
DELIVERED = ("received", "captured")
"""Outcomes of frames that the receiver decoded."""
FRAME_LOSSES = ("channel", "collision")
SENT, DROPPED, ON_AIR = range(3)
"""Sort order of a segment's events at equal times."""


def last_hop(tables: Mapping[str, pl.DataFrame], flow: str) -> str:
    """Return the last wireless hop of a flow's data, such as `bs->m`.

    The first data segment determines the hop. Raises InputError if the flow has no data on the air, or if the
    run has no table `air`.
    """
    first = _data(tables, flow).group_by("place").agg(first=_column("start_s").min())
    if first.is_empty():
        raise InputError(f"no data of `{flow}` went over the air")
    return str(first.sort("first", "place")["place"][-1])


def arrivals(
    tables: Mapping[str, pl.DataFrame], flow: str, *, place: str | None = None, modulo: int = MODULO
) -> pl.DataFrame:
    """List a flow's data frames on a wireless hop, including lost frames, by end of transmission.

    `place` is a hop such as `bs->m`, by default the last hop. Columns:

    - `time_s`: end of the transmission
    - `number`: segment number from 0, modulo `modulo`
    - `seq`: first byte of the segment
    - `attempt`: transmission count of this packet on the link, from 1
    - `copy`: transmission count of the segment at the sender, from 1; 0 for a packet of an agent on the path
    - `delivered`: false if the channel lost the frame
    - `outcome`: outcome in the table `air`

    A link that delivers in order may reject a received frame. Raises InputError if there is no such hop, or
    no table `air`.
    """
    import polars as pl

    frames = _data(tables, flow)
    place = place or last_hop(tables, flow)
    known = frames["place"].unique().sort().to_list()
    if place not in known:
        raise InputError(
            f"no data of `{flow}` went over `{place}`.{did_you_mean(place, known)}"
            f" It went over: {', '.join(known) or 'no air'}."
        )
    hop = frames.filter(pl.col("place") == place).sort("start_s")
    size = segment_bytes(tables, flow)
    return (
        hop.with_columns(copy=pl.Series(_copies(tables, flow, place, hop), dtype=pl.UInt32))
        .select(
            "seq",
            "attempt",
            "copy",
            "outcome",
            time_s="end_s",
            number=((pl.col("seq").cast(pl.Int64) - 1) // size % modulo).cast(pl.UInt32),
            delivered=pl.col("outcome").is_in(DELIVERED),
        )
        .sort("time_s")
    )


def segment_bytes(tables: Mapping[str, pl.DataFrame], flow: str) -> int:
    """Return the payload of a full segment in bytes: the largest payload that the flow sent."""
    sizes = tables["segments"].filter(_column("flow") == flow)["bytes"]
    return int(sizes.max() or 1)  # type: ignore[arg-type]


def ticks(modulo: int) -> list[int]:
    """Return ticks that divide the range from 0 to the modulus into at most six equal steps."""
    steps = next(count for count in (6, 5, 4, 3, 2, 1) if modulo % count == 0)
    return list(range(0, modulo + 1, modulo // steps))


def fades(tables: Mapping[str, pl.DataFrame], place: str | None = None) -> pl.DataFrame:
    """List the fades of links; empty without a table `fades`.

    Columns: `place`, `begin_s`, `end_s`, sorted by time. `place` is a hop such as `bs->m`. By default the
    list contains all hops. Directions that fade together have one row.
    """
    import polars as pl

    if "fades" not in tables:
        return pl.DataFrame(schema={"place": pl.String, "begin_s": pl.Float64, "end_s": pl.Float64})
    found = tables["fades"]
    if place is not None:
        found = found.filter(pl.col("place") == place)
    return found.unique(["begin_s", "end_s"], keep="first", maintain_order=True).sort("begin_s")


def _data(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.DataFrame:
    """Select a flow's data frames from the table `air`, with the hop in the column `place`."""
    if "air" not in tables:
        raise InputError("the run has no table `air`; run it with trace=True")
    data = tables["air"].filter(
        _column("flow") == flow, _column("kind") == "data", _column("packet") == "data"
    )
    return data.select("start_s", "end_s", "seq", "attempt", "outcome", place=_place("from", "to"))


def _copies(tables: Mapping[str, pl.DataFrame], flow: str, place: str, hop: pl.DataFrame) -> Iterator[int]:
    """Yield the copy number of the segment in each frame on a hop, by start of the frame.

    The copy number counts the sender's transmissions of a segment. The path is assumed to keep packets in
    order. A frame with attempt 1 carries the oldest copy still before the hop. A drop before the hop removes
    the newest copy. If no copy is left, the number is 0, because an agent sent the packet.
    """
    sendings: dict[int, int] = defaultdict(int)
    before: dict[int, deque[int]] = defaultdict(deque)
    current: dict[int, int] = {}
    for _, what, seq, attempt in sorted(_events(tables, flow, place, hop)):
        waiting = before[seq]
        if what == SENT:
            sendings[seq] += 1
            waiting.append(sendings[seq])
        elif what == DROPPED:
            if waiting:
                waiting.pop()
        else:
            if attempt == 1:
                current[seq] = waiting.popleft() if waiting else 0
            yield current.get(seq, 0)


def _events(
    tables: Mapping[str, pl.DataFrame], flow: str, place: str, hop: pl.DataFrame
) -> Iterator[tuple[float, int, int, int]]:
    """Yield the events of a flow's segments before and on a hop: time, event, seq, attempt."""
    sent = tables["segments"].filter(_column("flow") == flow)
    yield from ((t, SENT, seq, 0) for t, seq in sent.select("time_s", "seq").iter_rows())
    dropped = tables["drops"].filter(
        _column("flow") == flow, _column("kind") == "data", ~_on_air(tables["air"], place)
    )
    yield from ((t, DROPPED, seq, 0) for t, seq in dropped.select("time_s", "seq").iter_rows())
    rows = hop.select("start_s", "seq", "attempt").iter_rows()
    yield from ((t, ON_AIR, seq, attempt) for t, seq, attempt in rows)


def _on_air(air: pl.DataFrame, place: str) -> pl.Expr:
    """Select drops on the hop itself, and losses of frames that ARQ may retransmit."""
    answered = air.filter(_column("kind") == "ack").select(place=_place("to", "from"))["place"].unique()
    here = (_column("place") == place) & _column("cause").is_in([*FRAME_LOSSES, "retries"])
    again = _column("place").is_in(answered.to_list()) & _column("cause").is_in(FRAME_LOSSES)
    return here | again


def _place(sender: str, receiver: str) -> pl.Expr:
    import polars as pl

    return pl.concat_str(sender, receiver, separator="->")


def _column(name: str) -> pl.Expr:
    import polars as pl

    return pl.col(name)
