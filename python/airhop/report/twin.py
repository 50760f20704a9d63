"""Page that compares an emulation (real hosts over simulated links) with its twin, a pure simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airhop.analysis.measures import ACTIVE, GOODPUT
from airhop.live.validity import told as moved
from airhop.report.chapter import html_id
from airhop.report.pack import Templates, pack, template
from airhop.report.packets.marks import ACK_LOST, DATA_DROPS, LegendEntry
from airhop.report.twin_figures import HEIGHTS_PX, LOOKS, curves, figures, losses
from airhop.terminal import number

if TYPE_CHECKING:
    import polars as pl

    from airhop.results import Result

ALWAYS_TOLD = ("channel", "collision", "queue", "retries")
"""Causes of loss that the table always lists, even without losses."""


CAPTIONS = {
    "delivered": "Delivered bytes over time; the marks on each curve are its lost data, by cause",
    "goodput": "Goodput in windows",
    "cwnd": "Congestion windows: the kernel's from TCP_INFO every 50 ms, the twin's at each change",
}


@dataclass(frozen=True)
class Side:
    """One of the two compared runs, real or simulated, with the compared flow."""

    name: str
    """`kernel` for the emulation, `twin` for the simulation."""
    label: str
    flow: Mapping[str, Any]
    """Flow in the run document."""
    tables: Mapping[str, pl.DataFrame]

    @classmethod
    def of(cls, name: str, label: str, result: Result, flow: str) -> Side:
        """Read the flow of this name from a traced run."""
        found = next(one for one in result.document["flows"] if one["name"] == flow)
        return cls(name, label, found, result.tables)

    def rows(self, table: str) -> pl.DataFrame:
        """Select the rows of a trace table that belong to the flow."""
        import polars as pl

        return self.tables[table].filter(pl.col("flow") == self.flow["name"])

    @cached_property
    def cwnd(self) -> pl.DataFrame:
        """Congestion window over time: `x` in seconds, `y` in segments.

        Empty if the kernel did not report its window.
        """
        import polars as pl

        table = "tcp_info" if self.name == "kernel" else "window"
        if table not in self.tables:
            return pl.DataFrame({"x": [], "y": []}, schema={"x": pl.Float64, "y": pl.Float64})
        return self.rows(table).select(x="time_s", y=pl.col("cwnd").cast(pl.Float64))

    @cached_property
    def span_s(self) -> tuple[float, float]:
        """Times of the first segment and the last delivery, in seconds."""
        first, last = self.rows("segments")["time_s"].min(), self.rows("deliveries")["time_s"].max()
        return float(first or 0.0), float(last or 0.0)  # type: ignore[arg-type]

    @property
    def goodput_mbps(self) -> float:
        """Goodput in Mbit/s between the first segment and the last delivery."""
        return float(self.flow[ACTIVE] or 0.0)

    @cached_property
    def lost(self) -> dict[str, int]:
        """Number of the flow's data losses by cause, and of its lost ACKs as `ack`.

        `channel` and `collision` count frames. All other causes count packets.
        """
        drops = self.rows("drops").select("kind", "cause")
        found = {cause: drops.filter(kind="data", cause=cause).height for cause in DATA_DROPS}
        # Leave out discards of ACKs: a discard has the same time as the loss of the last frame.
        acks = drops.filter(drops["cause"] != "retries").filter(kind="ack").height
        return {**found, "ack": acks}

    @cached_property
    def delay_ms(self) -> tuple[float | None, float | None]:
        """Median and 95th percentile of the delay of delivered data packets, in ms.

        None if no data packet was delivered.
        """
        import polars as pl

        steps = self.rows("packets").filter(pl.col("kind") == "data")
        step = pl.col("step")
        made, left = (steps.filter(step == name).select("packet", "time_s") for name in ("made", "delivered"))
        took = made.join(left, on="packet").select(1e3 * (pl.col("time_s_right") - pl.col("time_s")))
        delay = took.to_series()
        return delay.quantile(0.5, "nearest"), delay.quantile(0.95, "nearest")


@dataclass(frozen=True)
class TwinChapter:
    """Chapter of the report that compares an emulation with its twin."""

    scenario: str
    sides: tuple[Side, Side]
    """Real connection of the kernel, and simulated flow of the scenario."""
    duration_s: float
    seed: int
    rep: int
    about: Sequence[tuple[str, str]]
    """Origin of both runs, as name and text."""
    notes: Sequence[str] = ()
    """Notes about the log, one sentence each."""
    live: Mapping[str, Any] | None = None
    """Value of `Emulation.live`. None for a replayed log, because a replay does not run in real time."""
    paper = None
    computed = None

    @property
    def name(self) -> str:
        """Name of the page."""
        return f"{self.scenario}, emulated"

    @property
    def title(self) -> str:
        """Title of the page."""
        return "a real connection beside its simulated twin"

    @property
    def id(self) -> str:
        """The name as an HTML id."""
        return html_id(self.name)

    @property
    def warnings(self) -> list[str]:
        """Warnings about the numbers, one sentence each."""
        late = [] if self.live is None or self.live["valid"] else self.live["why"]
        too_late = [f"The run is not valid: {'; '.join(late)}."] if late else []
        return [*too_late, *self.notes]

    @property
    def windows(self) -> dict[str, pl.DataFrame]:
        """Congestion windows by run; empty if the kernel did not report its window."""
        kernel, _ = self.sides
        return {} if kernel.cwnd.is_empty() else {side.name: side.cwnd for side in self.sides}

    @property
    def headline(self) -> str:
        """Sentence on the goodput of both runs."""
        kernel, twin = self.sides
        return (
            f"The kernel delivers {number(kernel.goodput_mbps)} Mbit/s, Airhop’s {twin.flow['scheme']}"
            f" {number(twin.goodput_mbps)} Mbit/s, over the same links with the same seed."
        )

    @property
    def versions(self) -> str:
        """The version of Airhop that wrote the page."""
        from airhop import __version__

        return f"Airhop {__version__}"


@dataclass(frozen=True)
class TwinLayout:
    """Values that the page's template reads, in addition to the chapter."""

    chapter: TwinChapter
    template = "twin.html.j2"
    heights = HEIGHTS_PX
    """Heights of the figures in pixels."""

    @property
    def captions(self) -> dict[str, str]:
        """The figures by name, with their captions."""
        return {name: text for name, text in CAPTIONS.items() if name != "cwnd" or self.chapter.windows}

    @property
    def sections(self) -> tuple[str, ...]:
        """Sections of the page that the links at its top refer to."""
        return ("figures", "tables", *(("emulator",) if self.chapter.live else ()), "method")

    @property
    def facts(self) -> str:
        """Description of the runs."""
        chapter = self.chapter
        return (
            f"{chapter.duration_s:.4g} s, seed {chapter.seed}, replication {chapter.rep}; {chapter.versions}"
        )

    @property
    def legend(self) -> list[LegendEntry]:
        """Legend buttons of the two runs, and of the causes of loss that occurred."""
        sides = self.chapter.sides
        found = [LegendEntry(s.name, s.label, LOOKS[s.name].color, LOOKS[s.name].symbol, None) for s in sides]
        for cause, mark in DATA_DROPS.items():
            if count := sum(side.lost[cause] for side in sides):
                found.append(LegendEntry.of(mark, count))
        return found

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """Results of both runs: a row per quantity, a cell per run."""
        sides = self.chapter.sides
        causes = [c for c in DATA_DROPS if c in ALWAYS_TOLD or any(side.lost[c] for side in sides)]
        return [
            ("goodput while active, Mbit/s", [number(side.goodput_mbps) for side in sides]),
            (
                f"goodput over all {self.chapter.duration_s:.4g} s, Mbit/s",
                [number(side.flow[GOODPUT]) for side in sides],
            ),
            ("first segment to last delivery, s", [_span(*side.span_s) for side in sides]),
            ("delivered, MB", [number(side.flow["delivered_bytes"] / 1e6) for side in sides]),
            ("segments sent", [number(side.flow["sent_segments"]) for side in sides]),
            ("retransmissions", [number(side.flow["retransmissions"]) for side in sides]),
            *((DATA_DROPS[cause].text, [number(side.lost[cause]) for side in sides]) for cause in causes),
            (ACK_LOST.text, [number(side.lost["ack"]) for side in sides]),
            ("smoothed round-trip time at the end, ms", [number(side.flow["srtt_ms"]) for side in sides]),
            ("one-way delay of data, median, ms", [number(side.delay_ms[0]) for side in sides]),
            ("one-way delay of data, 95th percentile, ms", [number(side.delay_ms[1]) for side in sides]),
        ]

    @property
    def kept_pace(self) -> list[tuple[str, str]]:
        """Validity of the emulation and lateness of its packets, as pairs of name and value."""
        live = self.chapter.live or {}
        shift, delay = live["goodput_shift"], live["delay_shift"]
        told = [
            ("valid", "yes" if live["valid"] else "no"),
            ("change of goodput by lateness", f"{moved(shift)}, limit {shift['limit']:g} %"),
            (f"change of {delay['quantity']} by lateness", f"{moved(delay)}, limit {delay['limit']:g} %"),
            ("pairs of runs", f"{shift['pairs']} of {shift['length_s']:.3g} s"),
            ("compared", shift["compared"]),
        ]
        told += [(f"lateness, {name}", f"{number(value)} µs") for name, value in live["lateness_us"].items()]
        told += [
            (f"turnaround of {node}, {name}", f"{number(of[name])} µs")
            for node, of in live["turnaround_us"].items()
            for name in ("p50", "p90")
        ]
        return told

    def pack(self, _templates: Templates) -> dict[str, str]:
        """Return the compressed figures and data.

        The page's script finds them by id.
        """
        chapter = self.chapter
        drawn = figures(
            {side.name: curves(side.rows("deliveries"), chapter.duration_s) for side in chapter.sides},
            {side.name: losses(side.rows("drops"), side.rows("deliveries")) for side in chapter.sides},
            chapter.windows,
            {side.name: side.label for side in chapter.sides},
            chapter.duration_s,
        )
        return {f"{chapter.id}-drawn": pack(template(drawn))}


def _span(begin: float, end: float) -> str:
    return f"{begin:.3g}–{end:.3g}"
