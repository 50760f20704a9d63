"""Arrivals over the last air interface of a flow: frames, the copies that they carry, and fades.

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
"""Outcomes of a frame that was received."""
FRAME_LOSSES = ("channel", "collision")
SENT, DROPPED, ON_AIR = range(3)
"""Order of the events of a segment at the same time."""


def last_hop(tables: Mapping[str, pl.DataFrame], flow: str) -> str:
    """Return the wireless hop that the data of a flow crosses last, as `bs->m`.

    This is the hop that the first data frame reached last. Raises InputError if the flow has no data on the
    air, or if the run has no table `air`.
    """
    first = _data(tables, flow).group_by("place").agg(first=_column("start_s").min())
    if first.is_empty():
        raise InputError(f"no data of `{flow}` went over the air")
    return str(first.sort("first", "place")["place"][-1])


def arrivals(
    tables: Mapping[str, pl.DataFrame], flow: str, *, place: str | None = None, modulo: int = MODULO
) -> pl.DataFrame:
    """List the data frames of a flow on a wireless hop, including lost ones, by the time of their end.

    `place` is a hop such as `bs->m`, by default the last hop. Columns: `time_s`; `number`, the number of the
    segment modulo `modulo`, from 0; `seq`, the first byte of the segment; `attempt`, the number of the link's
    attempt at this packet, from 1; `copy`, the number of the source's transmission that the frame carries,
    from 1, or 0 for a copy made by an agent on the path; `delivered`, false if the channel lost the frame;
    `outcome` of the table `air`.

    A link that delivers in order may still reject a frame that was received. Raises InputError if there is no
    such hop, or no table `air`.
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
    """Return the payload of a full segment of a flow, the largest payload that the flow sent, bytes."""
    sizes = tables["segments"].filter(_column("flow") == flow)["bytes"]
    return int(sizes.max() or 1)  # type: ignore[arg-type]


def ticks(modulo: int) -> list[int]:
    """Divide the numbers below a modulus into equal steps, at most six."""
    steps = next(count for count in (6, 5, 4, 3, 2, 1) if modulo % count == 0)
    return list(range(0, modulo + 1, modulo // steps))


def fades(tables: Mapping[str, pl.DataFrame], place: str | None = None) -> pl.DataFrame:
    """List the periods in which links were bad; empty without a table `fades`.

    Columns: `place`, `begin_s`, `end_s`, by time. `place` is a hop such as `bs->m`, by default all hops;
    directions that fade together are then merged.
    """
    import polars as pl

    if "fades" not in tables:
        return pl.DataFrame(schema={"place": pl.String, "begin_s": pl.Float64, "end_s": pl.Float64})
    found = tables["fades"]
    if place is not None:
        found = found.filter(pl.col("place") == place)
    return found.unique(["begin_s", "end_s"], keep="first", maintain_order=True).sort("begin_s")


def _data(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.DataFrame:
    """Select the data frames of a flow from the table `air`, with the hop of each as `place`."""
    if "air" not in tables:
        raise InputError("the run has no table `air`; run it with trace=True")
    data = tables["air"].filter(
        _column("flow") == flow, _column("kind") == "data", _column("packet") == "data"
    )
    return data.select("start_s", "end_s", "seq", "attempt", "outcome", place=_place("from", "to"))


def _copies(tables: Mapping[str, pl.DataFrame], flow: str, place: str, hop: pl.DataFrame) -> Iterator[int]:
    """Find the source transmission that each frame of a hop carries, in order of their starts.

    The path keeps packets in order: the first attempt at a packet carries the oldest copy of the segment that
    is still before the hop. A packet dropped before the hop is the newest copy. If no copy is left, an agent
    sent the frame.
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
    """Select the drops that remove no packet before a hop: drops on the hop, and frames that are repeated."""
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
