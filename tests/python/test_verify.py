"""The verifier: nothing is found in sound runs, whatever scheme and links; every planted fault is found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import airhop
from airhop.catalogue import built_in
from airhop.errors import ScenarioError
from airhop.verify import LAWS, Trace, verify
from airhop.verify.networks import random_network

Tables = dict[str, pl.DataFrame]


@pytest.mark.parametrize(
    "links", ["last-hop", "yun2009-uplink", "kounavis1996-mobile-mobile", "cheng2008-chain"]
)
@pytest.mark.parametrize("scheme", built_in())
def test_every_scheme_keeps_the_laws_over_every_kind_of_link(scheme: str, links: str) -> None:
    scenario = airhop.Scenario.load(links).with_({"duration": "2 s", "scheme": scheme})
    assert verify(scenario, airhop.run(scenario, trace=True)) == []


@pytest.mark.parametrize("seed", range(25))
def test_random_networks_keep_the_laws(seed: int) -> None:
    try:
        scenario = airhop.Scenario.load(random_network(seed))
    except ScenarioError:
        pytest.skip("its parts do not go together")
    assert verify(scenario, airhop.run(scenario, seed=seed, trace=True)) == []


def test_random_networks_are_the_same_whatever_schemes_are_registered() -> None:
    """A reader who repeats seed 7 gets the network of seed 7."""
    before = [random_network(seed) for seed in range(50)]

    @airhop.scheme("verify-mine")
    class Mine:
        def on_ack(self, window: airhop.Window, ack: airhop.Ack, flow: airhop.Flow) -> None: ...
        def on_loss(self, window: airhop.Window, loss: airhop.Loss, flow: airhop.Flow) -> None: ...

    assert "verify-mine" in [scheme["name"] for scheme in airhop.schemes()]
    assert [random_network(seed) for seed in range(50)] == before


class Recorded:
    """A run whose records can be forged."""

    def __init__(self, links: str) -> None:
        scenario = airhop.Scenario.load(links).with_({"duration": "10 s"})
        result = airhop.run(scenario, trace=True)
        self.scenario: dict[str, Any] = copy.deepcopy(scenario.to_dict())
        self.document: dict[str, Any] = result.to_dict()
        self.tables: Tables = dict(result.tables)

    def laws(self) -> set[str]:
        """Name the laws that it contradicts."""
        trace = Trace(self.scenario, self.document, self.tables)
        return {finding.law for law in LAWS.values() for finding in law.check(trace)}

    def set(self, table: str, column: str, row: int, value: Any) -> None:
        """Forge one cell."""
        frame = self.tables[table]
        cells = frame[column].to_list()
        cells[row] = value
        self.tables[table] = frame.with_columns(pl.Series(column, cells, dtype=frame[column].dtype))

    def shift(self, table: str, column: str, row: int, seconds: float) -> None:
        """Forge one time."""
        self.set(table, column, row, self.tables[table][column][row] + seconds)

    def find(self, table: str, number: int = 0, **wanted: Any) -> int:
        """Find the row of the trace that has these values, the `number`-th of them."""
        frame = self.tables[table].with_row_index()
        for column, value in wanted.items():
            frame = frame.filter(pl.col(column).cast(pl.String) == str(value))
        return int(frame["index"][number])


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
    run.set("deliveries", "bytes", 300, run.tables["deliveries"]["bytes"][300] + 1000)


def _frames_at_once(run: Recorded) -> None:
    run.shift("air", "start_s", run.find("air", 60, kind="data", **{"from": "bs"}), -0.02)


def _out_of_nowhere(run: Recorded) -> None:
    run.set("air", "seq", run.find("air", 30, kind="data", outcome="received", **{"from": "bs"}), 7)


FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    ("wire", "last-hop", _too_early),
    ("wire", "last-hop", _too_late),
    ("wire", "last-hop", _no_room),
    ("wire", "last-hop", _overtaken),
    ("walk", "last-hop", _two_fates),
    ("walk", "last-hop", _wrong_node),
    ("air", "last-hop", _talks_over),
    ("air", "last-hop", _too_short),
    ("air", "last-hop", _not_received),
    ("receiver", "last-hop", _false_ack),
    ("receiver", "last-hop", _delivered_too_much),
    ("sender", "last-hop", _gap),
    ("sender", "last-hop", _beyond_the_window),
    ("sender", "last-hop", _more_than_is_out),
    ("books", "last-hop", _goodput),
    ("books", "last-hop", _uncounted),
    ("radio", "kounavis1996-fixed-mobile", _frames_at_once),
    ("radio", "kounavis1996-fixed-mobile", _out_of_nowhere),
]


@pytest.mark.parametrize(
    ("law", "links", "forge"), FAULTS, ids=[forge.__name__[1:] for _, _, forge in FAULTS]
)
def test_a_planted_fault_is_found(law: str, links: str, forge: Callable[[Recorded], None]) -> None:
    run = Recorded(links)
    assert run.laws() == set()
    forge(run)
    assert law in run.laws()


def test_an_untraced_run_cannot_be_verified() -> None:
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "1 s"})
    with pytest.raises(ValueError, match="not traced"):
        verify(scenario, airhop.run(scenario))
