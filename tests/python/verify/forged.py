"""Traces in which faults are planted, and functions that plant faults in any table."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import polars as pl

import airhop
from airhop.bench.courses import AS_NS2
from airhop.results import Result
from airhop.scenario import Scenario
from airhop.verify import LAWS, Trace, verify

Tables = dict[str, pl.DataFrame]
STATIC = {"wlan.field.routing": {"kind": "static"}, "wlan.field.control_rate": "6 Mbit/s", "duration": "2 s"}
CAPTURES = {"wlan.field.range.capture": "3 dB"}
"""Change with which a neighbour at 30 m, 6 dB above a station at 60 m, is captured."""
SCENARIOS: dict[str, tuple[str, dict[str, Any]]] = {
    "last-hop": ("last-hop", {}),
    "delayed": (
        "last-hop",
        {
            "flow.ftp.tcp.preset": "rfc",
            "flow.ftp.tcp.delayed_ack": True,
            "flow.ftp.tcp.rto.min": "200 ms",
            "wlan.cell.errors.fer": 0.15,
        },
    ),
    "linux": ("last-hop", {"flow.ftp.tcp.preset": "linux", "scheme": "sack"}),
    "told": ("last-hop", {"scheme": "ll-elsn", "wlan.cell.errors.fer": 0.15}),
    "chain": ("cheng2008-chain", {**AS_NS2, "scheme": "newreno", "duration": "2 s"}),
    "standard": ("cheng2008-chain", STATIC | {"wlan.field.preset": "802.11"}),
    "captures": ("cheng2008-chain", STATIC | {"wlan.field.preset": "802.11"} | CAPTURES),
    "locks": ("cheng2008-chain", STATIC | CAPTURES),
    "rts-cts": (
        "cheng2008-chain",
        {"wlan.field.access": "rts-cts", "wlan.field.routing": {"kind": "static"}, "duration": "1 s"},
    ),
    "fragments": (
        "last-hop",
        {"wlan.cell.fragmentation": "256 B", "wlan.cell.errors.fer": 0.6, "wlan.cell.attempts": 3},
    ),
    "hidden": ("cheng2008-chain", STATIC | {"wlan.field.fragmentation": "400 B"}),
    "radio": (
        "kounavis1996-fixed-mobile",
        {"duration": "20 s", "radio.air.errors.ber_good": 1e-6, "radio.air.errors.ber_bad": 1e-2},
    ),
    "reordered": ("last-hop", {"wired.w2.reorder": {"share": 0.05, "by": "3 ms", "direction": "r1->bs"}}),
}
"""Runs in which faults are planted: scenarios with changes."""
MARKED = {
    "name": "marked",
    "duration": "4 s",
    "wired": [
        {"name": "a", "ends": ["s", "r"], "rate": "100 Mbit/s", "delay": "5 ms"},
        {
            "name": "w",
            "ends": ["r", "d"],
            "rate": "5 Mbit/s",
            "delay": "20 ms",
            "queue": {"kind": "red", "packets": 100, "min": 5, "max": 20, "weight": 0.05, "ecn": True},
            "errors": {"kind": "bernoulli", "loss": 0.003},
        },
    ],
    "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "reno", "tcp": {"preset": "rfc", "ecn": True}}],
}
"""A marking bottleneck, and a channel whose losses need repairs."""
VARYING = {
    "name": "varying",
    "duration": "4 s",
    "wired": [
        {
            "name": "w",
            "ends": ["s", "d"],
            "rate": "1 Mbit/s",
            "delay": "20 ms",
            "changes": [
                {"kind": "rate", "at": "1 s", "rate": "300 kbit/s"},
                {"kind": "outage", "at": "1500 ms", "lasts": "200 ms", "every": "1 s"},
            ],
        }
    ],
    "flow": [
        {
            "name": "ftp",
            "from": "s",
            "to": "d",
            "scheme": "reno",
            "app": {"kind": "transfer", "size": "150 kB"},
        }
    ],
}
BLOCK_ACK = {
    "name": "block-ack",
    "duration": "200 ms",
    "wired": [{"name": "w", "ends": ["s", "ap"], "rate": "500 Mbit/s", "delay": "1 ms"}],
    "wlan": [
        {
            "name": "cell",
            "standard": "802.11n",
            "rate": {"mcs": 7},
            "stations": {"ap": [0, 0], "a": [1, 0], "b": [2, 0]},
            "lost_block_ack": "request",
            "errors": {"kind": "bernoulli", "loss": 0.1},
        }
    ],
    "flow": [
        {"name": "down", "from": "s", "to": "a", "scheme": "cubic"},
        {"name": "up", "from": "b", "to": "s", "scheme": "cubic"},
    ],
}
"""A cell that aggregates, in which MPDUs are lost and A-MPDUs collide."""
BY_SNR = {"kind": "snr", "power": "-27.5 dBm", "exponent": 0.3, "min_rssi": "-90 dBm"}
"""Error model by which some 10 % of one station's MPDUs, and half of the other's, are lost."""
CATEGORIES = {
    "name": "categories",
    "duration": "300 ms",
    "wlan": [
        {
            "name": "cell",
            "standard": "802.11n",
            "rate": {"mcs": 7},
            "aggregation": {"bytes": 8191},
            "stations": {"ap": [0, 0], "a": [1, 0], "b": [2, 0]},
            "errors": {"kind": "bernoulli", "loss": 0.1},
        }
    ],
    "flow": [
        {"name": "voice", "from": "a", "to": "ap", "scheme": "cubic", "access_category": "VO"},
        {"name": "video", "from": "ap", "to": "b", "scheme": "cubic", "access_category": "VI"},
        {"name": "best", "from": "ap", "to": "b", "scheme": "cubic"},
        {"name": "back", "from": "ap", "to": "a", "scheme": "cubic", "access_category": "BK"},
    ],
}
"""A cell with flows of all access categories, in which MPDUs are lost."""
GIVEN_UP = {
    "name": "given-up",
    "duration": "1 s",
    "wlan": [
        {
            "name": "cell",
            "standard": "802.11n",
            "rate": {"mcs": 2, "streams": 4},
            "attempts": 1,
            "layout": {"kind": "chain", "nodes": 4, "spacing": "30 m"},
            "range": {"receive": "35 m", "sense": "52 m"},
        }
    ],
    "flow": [
        {"name": "there", "from": "n0", "to": "n3", "scheme": "cubic", "segment": "1400 B"},
        {"name": "back", "from": "n3", "to": "n0", "scheme": "cubic", "segment": "1400 B"},
    ],
}
"""A chain of hidden stations that lose BlockAckReqs, so that timers of receivers expire."""
SINGLE = {
    "duration": "300 ms",
    "wlan.cell.aggregation": {"bytes": 0},
    "wlan.cell.attempts": 3,
}
"""No Block Ack, so that internal collisions count as attempts at packets."""
TAIL = {"flow.ftp.app.size": "150500 B", "flow.ftp.tcp.nagle": True, "duration": "6 s"}
"""A transfer whose last segment is half of a full segment."""
TWO_KINDS = {
    "name": "two-kinds",
    "duration": "4 s",
    "warmup": "500 ms",
    "wired": [
        {
            "name": "w",
            "ends": ["s", "d"],
            "rate": "2 Mbit/s",
            "delay": "20 ms",
            "errors": {"kind": "bernoulli", "loss": 0.02},
        }
    ],
    "flow": [
        {"name": "f", "from": "s", "to": "d", "scheme": "sack", "class": "all"},
        {
            "name": "u",
            "from": "s",
            "to": "d",
            "transport": "udp",
            "class": "all",
            "app": {"kind": "cbr", "rate": "500 kbit/s"},
        },
    ],
}
"""A stream that repairs losses, and datagrams, in one class."""
CONCEALING = {"kind": "call", "playout": "100 ms", "bpl": 25.1}
TALK = {
    "name": "talk",
    "duration": "4 s",
    "warmup": "500 ms",
    "wired": [
        {
            "name": "w",
            "ends": ["s", "d"],
            "rate": "1 Mbit/s",
            "delay": "80 ms",
            "queue": {"kind": "drop-tail", "packets": 20},
            "errors": {"kind": "bernoulli", "loss": 0.01},
        }
    ],
    "flow": [
        {"name": "call", "from": "s", "to": "d", "transport": "udp", "app": CONCEALING},
        {"name": "game", "from": "s", "to": "d", "transport": "udp", "app": {"kind": "game"}},
        {"name": "f", "from": "s", "to": "d", "scheme": "cubic"},
    ],
}
"""A call and a game whose packets are lost, and wait behind a download."""
VIDEOS = {
    "name": "videos",
    "duration": "4 s",
    "warmup": "500 ms",
    "wired": [{"name": "w", "ends": ["s", "d"], "rate": "3 Mbit/s", "delay": "2 ms"}],
    "flow": [
        {
            "name": "a",
            "from": "s",
            "to": "d",
            "scheme": "cubic",
            "app": {
                "kind": "video",
                "ladder": ["200 kbit/s", "1 Mbit/s", "1.5 Mbit/s"],
                "segment": "200 ms",
                "buffer": "1 s",
                "choice": "throughput",
            },
        },
        {
            "name": "b",
            "from": "s",
            "to": "d",
            "scheme": "cubic",
            "app": {
                "kind": "video",
                "ladder": ["1.8 Mbit/s", "2 Mbit/s"],
                "segment": "500 ms",
                "buffer": "2 s",
            },
        },
    ],
}
"""Two videos of one class, which share a wire."""
INLINE: dict[str, tuple[Any, dict[str, Any]]] = {
    "talk": (TALK, {}),
    "two-kinds": (TWO_KINDS, {}),
    "videos": (VIDEOS, {}),
    "marked": (MARKED, {}),
    "each-byte": (MARKED, {"scheme": "dctcp"}),
    "each-mark": (MARKED, {"scheme": "jersey"}),
    "tail": (VARYING, TAIL),
    "block-ack": (BLOCK_ACK, {"duration": "200 ms"}),
    "resends": (BLOCK_ACK, {"duration": "200 ms", "wlan.cell.lost_block_ack": "resend"}),
    "amsdu": (BLOCK_ACK, {"duration": "200 ms", "wlan.cell.aggregation.amsdu": "max"}),
    "txop": (
        CATEGORIES,
        {
            "duration": "300 ms",
            "wlan.cell.txop": {"VI": "4.096 ms", "VO": "2.080 ms"},
            "wlan.cell.access": "rts-cts",
        },
    ),
    "nav": (
        CATEGORIES,
        {
            "duration": "300 ms",
            "wlan.cell.txop": {"VI": "4.096 ms", "VO": "2.080 ms"},
            "wlan.cell.nav": "limit",
        },
    ),
    "by-snr": (BLOCK_ACK, {"duration": "400 ms", "wlan.cell.errors": BY_SNR}),
    "categories": (CATEGORIES, {"duration": "300 ms", "wlan.cell.lost_block_ack": "request"}),
    "single-mpdus": (CATEGORIES, SINGLE),
    "given-up": (GIVEN_UP, {"duration": "1 s"}),
    "linux-tail": (VARYING, TAIL | {"flow.ftp.tcp.preset": "linux"}),
}


@cache
def recorded(name: str) -> tuple[Scenario, Result]:
    """Trace a run without faults."""
    source, changes = (SCENARIOS | INLINE).get(name, (VARYING, {"duration": "6 s"}))
    scenario = airhop.Scenario.load(source).with_({"duration": "4 s"} | changes)
    result = airhop.run(scenario, trace=True)
    assert verify(scenario, result) == []
    return scenario, result


class Recorded:
    """A run whose records can be forged."""

    def __init__(self, name: str) -> None:
        scenario, result = recorded(name)
        self.scenario: dict[str, Any] = copy.deepcopy(scenario.to_dict())
        self.document: dict[str, Any] = result.to_dict()
        self.tables: Tables = dict(result.tables)

    def breaks(self, law: str) -> bool:
        """Return whether the trace contradicts a law."""
        trace = Trace(self.scenario, self.document, self.tables)
        return next(iter(LAWS[law].check(trace)), None) is not None

    def set(self, table: str, column: str, row: int, value: Any) -> None:
        """Forge one cell."""
        frame = self.tables[table]
        cells = frame[column].to_list()
        cells[row] = value
        self.tables[table] = frame.with_columns(pl.Series(column, cells, dtype=frame[column].dtype))

    def shift(self, table: str, column: str, row: int, seconds: float) -> None:
        """Forge one time."""
        self.set(table, column, row, self.tables[table][column][row] + seconds)

    def move(self, row: int, seconds: float) -> None:
        """Forge the time of a frame on the air."""
        for column in ("start_s", "end_s"):
            self.shift("air", column, row, seconds)

    def remove(self, table: str, row: int) -> None:
        """Remove a record."""
        frame = self.tables[table]
        self.tables[table] = pl.concat([frame[:row], frame[row + 1 :]])

    def double(self, table: str, row: int) -> None:
        """Duplicate a record."""
        frame = self.tables[table]
        self.tables[table] = pl.concat([frame[: row + 1], frame[row:]])

    def add(self, table: str, column: str, row: int, more: float) -> None:
        """Forge a number."""
        self.set(table, column, row, self.tables[table][column][row] + more)

    def scale(self, table: str, column: str, factor: float) -> None:
        """Forge a whole column."""
        self.tables[table] = self.tables[table].with_columns(pl.col(column) * factor)

    def find(self, table: str, number: int = 0, **wanted: Any) -> int:
        """Find the `number`-th row of the trace with these values."""
        frame = self.tables[table].with_row_index()
        for column, value in wanted.items():
            frame = frame.filter(pl.col(column).cast(pl.String) == str(value))
        return int(frame["index"][number])

    @property
    def flow(self) -> dict[str, Any]:
        """The first flow of the scenario."""
        flow: dict[str, Any] = self.scenario["flow"][0]
        return flow

    @property
    def wlan(self) -> dict[str, Any]:
        """The first wlan of the scenario."""
        wlan: dict[str, Any] = self.scenario["wlan"][0]
        return wlan


def count(*path: str) -> Callable[[Recorded], None]:
    """Plant a counter of the document that is too large by one."""

    def forge(run: Recorded) -> None:
        table: Any = run.document
        for key in path[:-1]:
            table = table[int(key)] if key.isdigit() else table[key]
        table[path[-1]] += 1

    forge.__name__ = "_" + "_".join(path)
    return forge


def removed(table: str, row: int) -> Callable[[Recorded], None]:
    """Plant a table that lacks a record."""

    def forge(run: Recorded) -> None:
        run.remove(table, row)

    forge.__name__ = f"_without_a_row_of_{table}"
    return forge


def doubled(table: str, row: int, **wanted: Any) -> Callable[[Recorded], None]:
    """Plant a table with a duplicated record."""

    def forge(run: Recorded) -> None:
        run.double(table, run.find(table, row, **wanted))

    forge.__name__ = "_".join(["", "twice_in", table, *wanted.values()])
    return forge


def shifted(table: str, row: int) -> Callable[[Recorded], None]:
    """Plant a record that is a microsecond late."""

    def forge(run: Recorded) -> None:
        run.shift(table, "time_s", row, 1e-6)

    forge.__name__ = f"_late_in_{table}"
    return forge


def more(table: str, column: str, row: int, more: float = 1, **wanted: Any) -> Callable[[Recorded], None]:
    """Plant a slightly wrong number."""

    def forge(run: Recorded) -> None:
        run.add(table, column, run.find(table, row, **wanted), more)

    forge.__name__ = f"_{table}_{column}_plus_{more:g}"
    return forge


def emptied(table: str) -> Callable[[Recorded], None]:
    """Plant a table without records."""

    def forge(run: Recorded) -> None:
        run.tables[table] = run.tables[table][:0]

    forge.__name__ = f"_no_{table}"
    return forge
