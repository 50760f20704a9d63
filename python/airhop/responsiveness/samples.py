"""Intervals of a test, read from the trace of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airhop.analysis.round_trips import round_trips
from airhop.responsiveness.draft import INTERVAL_S, Interval, Samples
from airhop.responsiveness.network import LOAD, PROBES, RESPONSE_BYTES

if TYPE_CHECKING:
    import polars as pl

Tables = Mapping[str, "pl.DataFrame"]


def intervals(tables: Tables, seconds: float) -> list[Interval]:
    """Return the complete intervals of a run of `seconds` seconds.

    Each probe counts in the interval of its end.
    """
    foreign, rtts = _foreign(tables), _load_round_trips(tables)
    bytes_of = _by_interval(_deliveries(tables, f"{LOAD}\\d"), "more")
    of_probes = {column: _by_interval(foreign, column) for column in ("tcp_f", "http_f")}
    of_load = _by_interval(rtts, "rtt_ms")
    return [
        Interval(
            goodput_mbps=8e-6 * sum(bytes_of.get(i, ())) / INTERVAL_S,
            samples=Samples(
                of_probes["tcp_f"].get(i, ()), of_probes["http_f"].get(i, ()), of_load.get(i, ())
            ),
        )
        for i in range(int(seconds // INTERVAL_S))
    ]


def _foreign(tables: Tables) -> pl.DataFrame:
    """List the completed probes: `time_s` of completion, and the times `tcp_f` and `http_f` in ms."""
    import polars as pl

    packets = tables["packets"]
    opening = packets.filter(pl.col("flow").str.starts_with(f"{PROBES} requests#"))
    probe, begins = pl.col("flow").str.extract(r"#(\d+)$"), pl.col("time_s").min()

    def first(step: str, condition: pl.Expr, name: str) -> pl.DataFrame:
        found = opening.filter((pl.col("step") == step) & condition)
        return found.group_by(probe.alias("probe")).agg(begins.alias(name))

    asked = first("made", pl.col("flags") == "S", "begun_s")
    opened = first("delivered", pl.col("flags") == "S.", "opened_s")
    requested = first("made", pl.col("payload") > 0, "requested_s")
    answered = (
        _deliveries(tables, f"{PROBES}#")
        .group_by(probe.alias("probe"))
        .agg(pl.col("time_s").max(), pl.col("more").sum())
        .filter(pl.col("more") >= RESPONSE_BYTES)
    )
    joined = answered.join(asked, on="probe").join(opened, on="probe").join(requested, on="probe")
    return joined.sort("time_s").select(
        "time_s",
        tcp_f=1e3 * (pl.col("opened_s") - pl.col("begun_s")),
        http_f=1e3 * (pl.col("time_s") - pl.col("requested_s")),
    )


def _load_round_trips(tables: Tables) -> pl.DataFrame:
    """List the RTTs of segments sent once, over all load-generating connections."""
    import polars as pl

    names = tables["segments"]["flow"].unique().sort()
    loads = [name for name in names if name.removeprefix(LOAD).isdigit()]
    nothing = pl.DataFrame(schema={"time_s": pl.Float64, "rtt_ms": pl.Float64})
    trips = [round_trips(tables, name).filter(pl.col("sendings") == 1) for name in loads]
    return pl.concat([nothing, *(one.select("time_s", "rtt_ms") for one in trips)])


def _deliveries(tables: Tables, flows: str) -> pl.DataFrame:
    """List the deliveries of flows with names that begin with a pattern: `time_s`, `flow`, `more` bytes."""
    import polars as pl

    found = tables["deliveries"]
    found = found.filter(pl.col("flow").str.contains(f"^{flows}"))
    before = pl.col("bytes").shift(1, fill_value=0).over("flow")
    return found.select("time_s", "flow", more=pl.col("bytes") - before)


def _by_interval(frame: pl.DataFrame, column: str) -> dict[int, list[Any]]:
    import polars as pl

    place = (pl.col("time_s") // INTERVAL_S).cast(pl.Int64).alias("interval")
    return dict(frame.group_by(place).agg(column).iter_rows())
