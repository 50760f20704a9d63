"""Arrivals over the last air interface of a flow: frames, the copies that they carry, and fades.

It is read from the trace tables of a run. Times are seconds.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from airhop.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

MODULO = 90
"""Segments are numbered modulo this in the figures of Kounavis 1996."""
DELIVERED = ("received", "captured")
"""Outcomes of a frame that came over."""
FRAME_LOSSES = ("channel", "collision")
SENT, DROPPED, ON_AIR = range(3)
"""Order of what happens to a segment at one moment."""


def last_hop(tables: Mapping[str, pl.DataFrame], flow: str) -> str:
    """Name the wireless hop that the data of a flow crosses last, as `bs->m`.

    It is the one that the first data frame came to last. Raises InputError where the flow has no data on the
    air, or the run no table `air`.
    """
    first = _data(tables, flow).group_by("place").agg(first=_column("start_s").min())
    if first.is_empty():
        raise InputError(f"no data of `{flow}` went over the air")
    return str(first.sort("first", "place")["place"][-1])


def arrivals(
    tables: Mapping[str, pl.DataFrame], flow: str, *, place: str | None = None, modulo: int = MODULO
) -> pl.DataFrame:
    """List the data frames of a flow on a wireless hop, lost ones too, by the time at which they ended there.

    `place` is a hop as `bs->m`, by default the last one. Columns: `time_s`; `number`, that of the segment
    modulo `modulo`, the first being 0; `seq`, its first byte; `attempt` of the link at this packet, the first
    is 1; `copy`, which sending of the source it bears, the first is 1, and 0 for a copy that an agent on the
    way made; `delivered`, false if the channel took it; `outcome` of the table `air`.

    A link that delivers in order may still refuse a frame that came over. Raises InputError where there is no
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
    """Return the payload of a full segment of a flow: the largest that it sent."""
    sizes = tables["segments"].filter(_word("flow") == flow)["bytes"]
    return int(sizes.max() or 1)  # type: ignore[arg-type]


def ticks(modulo: int) -> list[int]:
    """Divide the numbers below a modulus into equal steps, at most six."""
    steps = next(count for count in (6, 5, 4, 3, 2, 1) if modulo % count == 0)
    return list(range(0, modulo + 1, modulo // steps))


def fades(tables: Mapping[str, pl.DataFrame], place: str | None = None) -> pl.DataFrame:
    """List when links were bad: `place`, `begin_s`, `end_s`, by time; none without a table `fades`.

    `place` is a hop as `bs->m`, by default all of them: directions that fade together are then one.
    """
    import polars as pl

    if "fades" not in tables:
        return pl.DataFrame(schema={"place": pl.String, "begin_s": pl.Float64, "end_s": pl.Float64})
    found = tables["fades"].with_columns(_word("place"))
    if place is not None:
        found = found.filter(pl.col("place") == place)
    return found.unique(["begin_s", "end_s"], keep="first", maintain_order=True).sort("begin_s")


def _data(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.DataFrame:
    """Select the data frames of a flow from the table `air`, with the hop of each as `place`."""
    if "air" not in tables:
        raise InputError("the run has no table `air`; run it with trace=True")
    data = tables["air"].filter(_word("flow") == flow, _word("kind") == "data", _word("packet") == "data")
    return data.select("start_s", "end_s", "seq", "attempt", _word("outcome"), place=_place("from", "to"))


def _copies(tables: Mapping[str, pl.DataFrame], flow: str, place: str, hop: pl.DataFrame) -> Iterator[int]:
    """Find the source transmission that each frame of a hop carries, in order of their starts.

    The way keeps the order: the first attempt at a packet bears the oldest copy of the segment that is still
    before the hop. What is dropped there is the newest. With no copy left, an agent made it.
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
    """Yield what happens to the segments of a flow before and on a hop: time, what, seq, attempt."""
    sent = tables["segments"].filter(_word("flow") == flow)
    yield from ((t, SENT, seq, 0) for t, seq in sent.select("time_s", "seq").iter_rows())
    dropped = tables["drops"].filter(
        _word("flow") == flow, _word("kind") == "data", ~_on_air(tables["air"], place)
    )
    yield from ((t, DROPPED, seq, 0) for t, seq in dropped.select("time_s", "seq").iter_rows())
    rows = hop.select("start_s", "seq", "attempt").iter_rows()
    yield from ((t, ON_AIR, seq, attempt) for t, seq, attempt in rows)


def _on_air(air: pl.DataFrame, place: str) -> pl.Expr:
    """Select the drops that take no packet on its way to a hop: those on it, and repeated frames."""
    answered = air.filter(_word("kind") == "ack").select(place=_place("to", "from"))["place"].unique()
    here = (_word("place") == place) & _word("cause").is_in([*FRAME_LOSSES, "retries"])
    again = _word("place").is_in(answered.to_list()) & _word("cause").is_in(FRAME_LOSSES)
    return here | again


def _place(sender: str, receiver: str) -> pl.Expr:
    import polars as pl

    return pl.concat_str(_word(sender), _word(receiver), separator="->")


def _word(column: str) -> pl.Expr:
    """Cast a category to text."""
    import polars as pl

    return _column(column).cast(pl.String)


def _column(name: str) -> pl.Expr:
    import polars as pl

    return pl.col(name)
