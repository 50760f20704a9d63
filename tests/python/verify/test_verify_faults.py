"""Every fault that is planted in a trace, or in its scenario or document, is found by the law it breaks."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airhop
from airhop.results import Result
from airhop.scenario import Scenario
from airhop.verify import LAWS, Trace, verify

Tables = dict[str, pl.DataFrame]
STATIC = {"wlan.field.routing": {"kind": "static"}, "wlan.field.control_rate": "6 Mbit/s", "duration": "2 s"}
CAPTURES = {"wlan.field.range.capture": "3 dB"}
"""A neighbour, 30 m away, is 6 dB above a station 60 m away."""
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
    "chain": ("cheng2008-chain", {"scheme": "newreno", "duration": "2 s"}),
    "standard": ("cheng2008-chain", STATIC | {"wlan.field.preset": "802.11"}),
    "captures": ("cheng2008-chain", STATIC | {"wlan.field.preset": "802.11"} | CAPTURES),
    "locks": ("cheng2008-chain", STATIC | CAPTURES),
    "rts-cts": (
        "cheng2008-chain",
        {"wlan.field.access": "rts-cts", "wlan.field.routing": {"kind": "static"}, "duration": "1 s"},
    ),
    "radio": ("kounavis1996-fixed-mobile", {"duration": "20 s"}),
}
"""Runs in which faults are planted: scenarios, and what is changed in them."""
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


@cache
def recorded(name: str) -> tuple[Scenario, Result]:
    """Trace a run in which nothing is wrong."""
    source, changes = SCENARIOS.get(name, (VARYING, {"duration": "6 s"}))
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
        """Whether it contradicts a law."""
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
        """Forge a record away."""
        frame = self.tables[table]
        self.tables[table] = pl.concat([frame[:row], frame[row + 1 :]])

    def double(self, table: str, row: int) -> None:
        """Forge a second record of the same."""
        frame = self.tables[table]
        self.tables[table] = pl.concat([frame[: row + 1], frame[row:]])

    def add(self, table: str, column: str, row: int, more: float) -> None:
        """Forge a number."""
        self.set(table, column, row, self.tables[table][column][row] + more)

    def scale(self, table: str, column: str, factor: float) -> None:
        """Forge a whole column."""
        self.tables[table] = self.tables[table].with_columns(pl.col(column) * factor)

    def find(self, table: str, number: int = 0, **wanted: Any) -> int:
        """Find the row of the trace that has these values, the `number`-th of them."""
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


def _too_early(run: Recorded) -> None:
    run.shift("packets", "time_s", run.find("packets", 200, step="arrived", place="s->r1"), -1e-6)


def _too_late(run: Recorded) -> None:
    run.shift("packets", "time_s", run.find("packets", 200, step="arrived", place="r1->bs"), 1e-6)


def _no_room(run: Recorded) -> None:
    run.scenario["wired"][0]["queue"]["packets"] = 3


def _two_fates(run: Recorded) -> None:
    frame = run.tables["packets"]
    delivered = run.find("packets", 5, step="delivered", place="d")
    run.tables["packets"] = pl.concat([frame[: delivered + 1], frame[delivered:]])


def _wrong_node(run: Recorded) -> None:
    run.set("packets", "place", run.find("packets", 50, step="offered", place="r1->bs"), "bs->d")


def _overtaken(run: Recorded) -> None:
    rows = [run.find("packets", number, step="arrived", place="r1->bs", kind="data") for number in (300, 301)]
    for column in ("packet", "seq"):
        values = [run.tables["packets"][column][row] for row in rows]
        for row, value in zip(rows, reversed(values), strict=True):
            run.set("packets", column, row, value)


def _talks_over(run: Recorded) -> None:
    run.shift("air", "start_s", run.find("air", 100, kind="data", **{"from": "bs"}), -3e-3)


def _too_short(run: Recorded) -> None:
    run.shift("air", "start_s", run.find("air", 100, kind="data", **{"from": "bs"}), 20e-6)


def _not_received(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 100, kind="data", outcome="received"), "channel")


def _false_ack(run: Recorded) -> None:
    packet = run.tables["packets"]["packet"][run.find("packets", 50, step="made", place="d", kind="ack")]
    for row in run.tables["packets"].with_row_index().filter(pl.col("packet") == packet)["index"]:
        run.set("packets", "seq", row, run.tables["packets"]["seq"][row] + 1000)


def _gap(run: Recorded) -> None:
    row = run.find("segments", 400, cause="new")
    run.set("segments", "seq", row, run.tables["segments"]["seq"][row] + 1000)


def _beyond_the_window(run: Recorded) -> None:
    row = run.find("segments", 400, cause="new")
    run.set("segments", "cwnd", row, 1.0)
    run.set("segments", "flight", row, 9000)


def _more_than_is_out(run: Recorded) -> None:
    run.set("segments", "flight", run.find("segments", 400, cause="new"), 10_000_000)


def _goodput(run: Recorded) -> None:
    run.document["flows"][0]["goodput_mbps"] *= 1.001


def _uncounted(run: Recorded) -> None:
    run.document["drops"]["queue"] += 1


def _delivered_too_much(run: Recorded) -> None:
    run.set("deliveries", "bytes", 100, run.tables["deliveries"]["bytes"][100] + 1000)


def _frames_at_once(run: Recorded) -> None:
    run.shift("air", "start_s", run.find("air", 60, kind="data", **{"from": "bs"}), -0.02)


def _out_of_nowhere(run: Recorded) -> None:
    run.set("air", "seq", run.find("air", 30, kind="data", outcome="received", **{"from": "bs"}), 7)


def _outage_ignored(run: Recorded) -> None:
    run.scenario["wired"][0]["changes"].pop()


def _rate_ignored(run: Recorded) -> None:
    run.scenario["wired"][0]["changes"][0]["rate"] = "301 kbit/s"


def _impatient(run: Recorded) -> None:
    """Plant a backoff that is counted from the end of the frame before, not from a DIFS after it."""
    row = run.find("air", 100, kind="data", attempt=1)
    before = max(end for end in run.tables["air"]["end_s"] if end < run.tables["air"]["start_s"][row])
    run.move(row, before + 20e-6 - run.tables["air"]["start_s"][row])


def _too_long(run: Recorded) -> None:
    run.shift("air", "end_s", run.find("air", 100, kind="ack"), 20e-6)


def _one_attempt_more(run: Recorded) -> None:
    run.wlan["attempts"] = 1


def _too_strong_for_that(run: Recorded) -> None:
    run.wlan["range"]["capture"] = "40 dB"


def _too_weak_for_that(run: Recorded) -> None:
    run.wlan["range"]["capture"] = "0 dB"


def _gives_up_early(run: Recorded) -> None:
    """Plant the standard's timeout in a cell with ns-2's, which ends with the whole answer and a DIFS."""
    run.wlan["ack_timeout"] = "ns2"


def _unanswered(run: Recorded) -> None:
    run.remove("air", run.find("air", 100, kind="ack"))


def _unasked(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 100, kind="data", outcome="received"), "channel")


def _answers_late(run: Recorded) -> None:
    run.move(run.find("air", 100, kind="ack"), 5e-6)


def _unharmed(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 3, kind="data", outcome="collision"), "received")


def _met_nothing(run: Recorded) -> None:
    run.set("air", "outcome", run.find("air", 100, kind="data", outcome="received"), "collision")


def _without_cts(run: Recorded) -> None:
    run.remove("air", run.find("air", 50, kind="cts"))


def _deaf_to_a_cts(run: Recorded) -> None:
    """Plant a station that hears the CTS of another, and begins in the midst of the data."""
    cts = run.find("air", 40, kind="cts", outcome="received", **{"from": "n2", "to": "n1"})
    row = run.find("air", 0, kind="rts", **{"from": "n3"})
    run.move(row, run.tables["air"]["end_s"][cts] + 100e-6 - run.tables["air"]["start_s"][row])


def _room_to_spare(run: Recorded) -> None:
    run.wlan["queue"]["packets"] = 60


def _too_many_wait(run: Recorded) -> None:
    run.wlan["queue"]["packets"] = 40


def _errors_on_a_clean_channel(run: Recorded) -> None:
    run.wlan["errors"] = {"kind": "clean"}


def _loses_too_seldom(run: Recorded) -> None:
    run.wlan["errors"]["fer"] = 0.6


def _manages_without_management(run: Recorded) -> None:
    run.set("drops", "cause", run.find("drops", cause="queue"), "aqm")


def _retries_on_a_wire(run: Recorded) -> None:
    run.set("drops", "cause", run.find("drops", cause="collision"), "retries")
    run.set("drops", "place", run.find("drops", cause="retries"), "s->r1")


def _the_wrong_way(run: Recorded) -> None:
    run.set(
        "packets", "place", run.find("packets", 50, step="offered", place="n1->n2", kind="data"), "n1->n0"
    )


def _round_in_circles(run: Recorded) -> None:
    run.scale("packets", "packet", 0)


def _nothing_made(run: Recorded) -> None:
    run.remove("packets", run.find("packets", 100, step="made", kind="data"))


def _made_and_not_sent(run: Recorded) -> None:
    run.remove("segments", run.find("segments", 100))


def _hears_too_early(run: Recorded) -> None:
    run.shift("acks", "time_s", run.find("acks", 100), -1e-6)


def _does_not_hear(run: Recorded) -> None:
    run.remove("acks", run.find("acks", 100))


def _handed_to_another(run: Recorded) -> None:
    run.set("packets", "place", run.find("packets", 100, step="delivered", kind="data"), "bs")


def _notice_from_nowhere(run: Recorded) -> None:
    frame = run.tables["notices"]
    run.tables["notices"] = frame.filter(frame["event"].cast(pl.String) == "received")


def _acknowledges_late(run: Recorded) -> None:
    run.flow["tcp"]["delayed_ack"]["timeout"] = "1 ms"


def _acknowledges_too_little(run: Recorded) -> None:
    run.flow["tcp"]["delayed_ack"]["segments"] = 1


def _acknowledges_no_more(run: Recorded) -> None:
    is_ack = (pl.col("kind").cast(pl.String) == "ack") & (pl.col("time_s") > 3)
    run.tables["packets"] = run.tables["packets"].filter(~is_ack)


def _twice_its_window(run: Recorded) -> None:
    for table in ("segments", "window"):
        run.scale(table, "cwnd", 0.5)


def _two_windows(run: Recorded) -> None:
    run.scale("segments", "cwnd", 1.01)


def _more_than_there_is(run: Recorded) -> None:
    run.flow["app"]["size"] = "140 kB"


def _beyond_the_receive_window(run: Recorded) -> None:
    run.flow["tcp"]["receive_window"] = "4 kB"


def _times_out_early(run: Recorded) -> None:
    run.flow["tcp"]["rto"]["min"] = "3 s"


def _count(*path: str) -> Callable[[Recorded], None]:
    """Plant one too many in a counter of the document."""

    def forge(run: Recorded) -> None:
        table: Any = run.document
        for key in path[:-1]:
            table = table[int(key)] if key.isdigit() else table[key]
        table[path[-1]] += 1

    forge.__name__ = "_" + "_".join(path)
    return forge


def _counts_requests_twice(run: Recorded) -> None:
    run.document["routing"]["requests"] *= 2


def _never_done(run: Recorded) -> None:
    run.document["flows"][0]["completion_s"] = None


def _frame_too_long(run: Recorded) -> None:
    run.shift("air", "end_s", run.find("air", 60, kind="data", **{"from": "bs"}), 1e-6)


def _repeats_for_ever(run: Recorded) -> None:
    run.scenario["radio"][0]["arq"]["attempts"] = 1


def _drops_gone(run: Recorded) -> None:
    """Plant a trace in which no packet is dropped, though losses are on record."""
    run.tables["packets"] = run.tables["packets"].filter(pl.col("step").cast(pl.String) != "dropped")


def _one_drop_gone(run: Recorded) -> None:
    run.remove("packets", run.find("packets", 5, step="dropped"))


def _dropped_later(run: Recorded) -> None:
    run.shift("packets", "time_s", run.find("packets", 5, step="dropped"), 1e-6)


def _gives_up_after_one(run: Recorded) -> None:
    """Plant a limit of three transmissions over a run that gave up after one."""
    run.wlan["attempts"] = 3


def _removed(table: str, row: int) -> Callable[[Recorded], None]:
    """Plant a table that lacks a record."""

    def forge(run: Recorded) -> None:
        run.remove(table, row)

    forge.__name__ = f"_without_a_row_of_{table}"
    return forge


def _doubled(table: str, row: int, **wanted: Any) -> Callable[[Recorded], None]:
    """Plant a table that has a record twice."""

    def forge(run: Recorded) -> None:
        run.double(table, run.find(table, row, **wanted))

    forge.__name__ = "_".join(["", "twice_in", table, *wanted.values()])
    return forge


def _shifted(table: str, row: int) -> Callable[[Recorded], None]:
    """Plant a record that is a microsecond late."""

    def forge(run: Recorded) -> None:
        run.shift(table, "time_s", row, 1e-6)

    forge.__name__ = f"_late_in_{table}"
    return forge


def _more(table: str, column: str, row: int, more: float = 1, **wanted: Any) -> Callable[[Recorded], None]:
    """Plant a number that is off by a little."""

    def forge(run: Recorded) -> None:
        run.add(table, column, run.find(table, row, **wanted), more)

    forge.__name__ = f"_{table}_{column}_plus_{more:g}"
    return forge


def _emptied(table: str) -> Callable[[Recorded], None]:
    """Plant a table without records."""

    def forge(run: Recorded) -> None:
        run.tables[table] = run.tables[table][:0]

    forge.__name__ = f"_no_{table}"
    return forge


def _no_threshold(run: Recorded) -> None:
    run.set("window", "ssthresh", 100, 0.0)


def _threshold_for_once(run: Recorded) -> None:
    same = run.tables["window"]["ssthresh"]
    row = next(row for row in range(20, len(same)) if same[row - 1] == same[row] == same[row + 1] < 100)
    run.add("window", "ssthresh", row, 1)


def _timeout_below_the_least(run: Recorded) -> None:
    run.set("window", "rto_ms", 100, 0.0)


def _elsewhere(run: Recorded) -> None:
    run.add("stations", "x_m", 1, 1)


def _changes_one_way(run: Recorded) -> None:
    run.add("links", "rate_mbps", 2, 1)


def _fades_one_way(run: Recorded) -> None:
    run.add("fades", "begin_s", 1, 1e-6)


def _reports_too_much(run: Recorded) -> None:
    row = run.find("acks", 20, duplicate="true")
    run.add("acks", "sacked_bytes", row, 1000)


def _disordered(run: Recorded) -> None:
    frame = run.tables["queue"]
    run.tables["queue"] = pl.concat([frame[:100], frame[101:102], frame[100:101], frame[102:]])


FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    ("wire", "last-hop", _too_early),
    ("wire", "last-hop", _too_late),
    ("wire", "last-hop", _no_room),
    ("wire", "last-hop", _overtaken),
    ("wire", "varying", _outage_ignored),
    ("wire", "varying", _rate_ignored),
    ("walk", "last-hop", _two_fates),
    ("walk", "last-hop", _wrong_node),
    ("air", "last-hop", _talks_over),
    ("air", "last-hop", _impatient),
    ("air", "last-hop", _too_short),
    ("air", "last-hop", _too_long),
    ("air", "chain", _one_attempt_more),
    ("air", "last-hop", _not_received),
    ("exchange", "last-hop", _unanswered),
    ("exchange", "last-hop", _unasked),
    ("exchange", "last-hop", _answers_late),
    ("exchange", "last-hop", _unharmed),
    ("exchange", "last-hop", _met_nothing),
    ("exchange", "captures", _too_strong_for_that),
    ("exchange", "locks", _too_strong_for_that),
    ("exchange", "standard", _too_weak_for_that),
    ("exchange", "chain", _too_weak_for_that),
    ("exchange", "standard", _gives_up_early),
    ("exchange", "rts-cts", _without_cts),
    ("exchange", "rts-cts", _deaf_to_a_cts),
    ("radio", "radio", _frames_at_once),
    ("radio", "radio", _frame_too_long),
    ("radio", "radio", _out_of_nowhere),
    ("radio", "radio", _repeats_for_ever),
    ("route", "rts-cts", _the_wrong_way),
    ("route", "last-hop", _round_in_circles),
    ("fate", "told", _room_to_spare),
    ("fate", "told", _too_many_wait),
    ("fate", "last-hop", _errors_on_a_clean_channel),
    ("fate", "told", _loses_too_seldom),
    ("fate", "told", _manages_without_management),
    ("fate", "last-hop", _retries_on_a_wire),
    ("order", "last-hop", _disordered),
    ("plan", "last-hop", _elsewhere),
    ("plan", "chain", _elsewhere),
    ("plan", "varying", _changes_one_way),
    ("plan", "radio", _fades_one_way),
    ("walk", "last-hop", _doubled("packets", 100, step="offered")),
    ("walk", "last-hop", _more("packets", "bytes", 100, step="arrived", place="s->r1")),
    ("air", "last-hop", _doubled("air", 100, kind="data")),
    ("air", "last-hop", _more("air", "bytes", 100, kind="data")),
    ("air", "chain", _more("air", "attempt", 100, kind="data")),
    ("exchange", "last-hop", _more("air", "seq", 100, kind="ack")),
    ("radio", "radio", _more("air", "bytes", 30, kind="data")),
    ("loss", "last-hop", _drops_gone),
    ("loss", "last-hop", _one_drop_gone),
    ("loss", "last-hop", _dropped_later),
    ("loss", "last-hop", _removed("drops", 10)),
    ("loss", "last-hop", _doubled("drops", 10)),
    ("loss", "last-hop", _shifted("drops", 10)),
    ("loss", "last-hop", _more("drops", "bytes", 10)),
    ("loss", "radio", _removed("drops", 10)),
    ("loss", "chain", _shifted("drops", 100)),
    ("air", "last-hop", _gives_up_after_one),
    ("queue", "last-hop", _emptied("queue")),
    ("queue", "last-hop", _removed("queue", 100)),
    ("queue", "last-hop", _doubled("queue", 100)),
    ("queue", "last-hop", _shifted("queue", 100)),
    ("queue", "chain", _shifted("queue", 100)),
    ("queue", "radio", _more("queue", "packets", 100)),
    ("flight", "last-hop", _more("segments", "flight", 100)),
    ("flight", "last-hop", _more("window", "flight", 100)),
    ("window", "last-hop", _no_threshold),
    ("window", "last-hop", _threshold_for_once),
    ("window", "last-hop", _timeout_below_the_least),
    ("window", "last-hop", _doubled("window", 100)),
    ("window", "last-hop", _shifted("window", 100)),
    ("window", "last-hop", _more("window", "srtt_ms", 20, 40)),
    ("sack", "linux", _reports_too_much),
    ("end", "last-hop", _nothing_made),
    ("end", "last-hop", _made_and_not_sent),
    ("end", "last-hop", _hears_too_early),
    ("end", "last-hop", _does_not_hear),
    ("end", "last-hop", _handed_to_another),
    ("end", "told", _notice_from_nowhere),
    ("receiver", "last-hop", _false_ack),
    ("receiver", "last-hop", _delivered_too_much),
    ("receiver", "delayed", _acknowledges_late),
    ("receiver", "delayed", _acknowledges_too_little),
    ("receiver", "delayed", _acknowledges_no_more),
    ("sender", "last-hop", _gap),
    ("sender", "last-hop", _beyond_the_window),
    ("sender", "last-hop", _twice_its_window),
    ("sender", "linux", _twice_its_window),
    ("sender", "last-hop", _two_windows),
    ("sender", "last-hop", _more_than_is_out),
    ("sender", "varying", _more_than_there_is),
    ("sender", "last-hop", _beyond_the_receive_window),
    ("sender", "delayed", _times_out_early),
    ("counters", "last-hop", _goodput),
    ("counters", "last-hop", _uncounted),
    ("counters", "last-hop", _count("drops", "channel")),
    ("counters", "last-hop", _count("flows", "0", "delivered_bytes")),
    ("counters", "last-hop", _count("flows", "0", "sent_segments")),
    ("counters", "last-hop", _count("flows", "0", "retransmissions")),
    ("counters", "last-hop", _count("flows", "0", "fast_recoveries")),
    ("counters", "delayed", _count("flows", "0", "timeouts")),
    ("counters", "last-hop", _count("flows", "0", "srtt_ms")),
    ("counters", "told", _count("flows", "0", "notices", "eln")),
    ("counters", "chain", _count("drops", "route")),
    ("counters", "chain", _counts_requests_twice),
    ("counters", "varying", _never_done),
]


@pytest.mark.parametrize(
    ("law", "run", "forge"), FAULTS, ids=[f"{run}-{forge.__name__[1:]}" for _, run, forge in FAULTS]
)
def test_a_planted_fault_is_found(law: str, run: str, forge: Callable[[Recorded], None]) -> None:
    forged = Recorded(run)
    forge(forged)
    assert forged.breaks(law)


def test_every_law_has_a_planted_fault() -> None:
    assert {law for law, _, _ in FAULTS} == set(LAWS)
    front = Path(__file__).resolve().parents[3] / "docs" / "checked.md"
    assert f"; {len(FAULTS)} planted faults |" in front.read_text(encoding="utf-8")
