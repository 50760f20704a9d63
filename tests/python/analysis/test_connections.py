"""Connections that applications open: a trace contains each connection, and pages show it like a flow."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import airhop
from airhop.analysis.connections import connections
from airhop.report import TracedRun
from airhop.report.packets.connection import MOST_ROWS, facts, opened
from airhop.report.packets.timeline import timeline
from airhop.results import Result
from airhop.view.curves import Curves
from airhop.view.shown import Shown

REQUESTS = {
    "kind": "request-response",
    "request": "200 B",
    "response": "30 kB",
    "arrivals": "poisson",
    "rate": 5,
    "connections": "new",
}


@pytest.fixture(scope="module")
def result() -> Result:
    flow = {"name": "api", "from": "a", "to": "b", "scheme": "reno", "app": REQUESTS}
    bulk = {"name": "bulk", "from": "a", "to": "b", "scheme": "reno", "app": {"kind": "bulk"}}
    link = {"name": "w", "ends": ["a", "b"], "rate": "10 Mbit/s", "delay": "20 ms"}
    scenario = {"name": "requests", "duration": "5 s", "wired": [link], "flow": [flow, bulk]}
    return airhop.run(airhop.Scenario.load(scenario), trace=True)


@pytest.fixture(scope="module")
def traced(result: Result) -> TracedRun:
    return TracedRun("reno", "Reno", result.document, result.tables, "airhop run x")


# Every segment belongs to a connection of its flow; a flow without connections has its own segments.
def test_connections_have_all_segments_of_their_flow(result: Result) -> None:
    found = connections([flow["name"] for flow in result.tcp_flows], result.tables)
    assert found["bulk"] == []
    assert found["api"] == [f"api#{number}" for number in range(1, len(found["api"]) + 1)]
    data = result.tables["segments"].filter(pl.col("bytes") > 0)  # without segments that contain only a FIN
    segments = data["flow"].cast(pl.String)
    sent = {flow["name"]: flow["sent_segments"] for flow in result.tcp_flows}
    assert segments.is_in(found["api"]).sum() == sent["api"] > 0


def test_a_page_shows_the_first_connection_by_default_or_the_selected_connection(traced: TracedRun) -> None:
    assert traced.name == "api#1"
    third = replace(traced, shown="api#3")
    assert (third.name, third.flow["name"]) == ("api#3", "api")
    assert replace(traced, shown="bulk").opened == []
    own = third.tables["segments"].filter(pl.col("flow").cast(pl.String) == "api#3")
    drawn = timeline(third).sources
    assert drawn["new"].height == own.filter(~pl.col("retransmission")).height > 0
    assert dict(facts(third))["segments sent"] == f"{own.filter(pl.col('bytes') > 0).height:,}"
    assert dict(facts(third))["data"] == "30.0 kB"


# A connection in the middle of the run is complete: its response has 30 kB, without retransmissions.
def test_a_page_lists_the_connections_of_its_flow(traced: TracedRun) -> None:
    listed = opened(traced)
    assert listed is not None and listed.count == len(traced.opened) <= MOST_ROWS
    assert [row["name"] for row in listed.rows] == traced.opened
    assert listed.rows[2]["kilobytes"] == 30.0
    assert float(listed.rows[2]["opened"]) < float(listed.rows[2]["ended"])
    assert opened(replace(traced, shown="bulk")) is None


def test_the_curves_of_each_connection_can_be_selected_by_number(result: Result) -> None:
    api = [Shown(of="flow api", connection=number) for number in (1, 3, 99)]
    first, third, none = (Curves.of(result, shown) for shown in api)
    assert (first.name, third.name) == ("api#1", "api#3")
    assert first.connections == len(connections(["api"], result.tables)["api"])
    assert third.acks.y.max() == pytest.approx(30.0, abs=0.01), "the whole response is acknowledged"
    assert none.acks.y.size == 0, "a scheme may have fewer connections than another"
    bulk = Curves.of(result, Shown(of="flow bulk"))
    assert (bulk.name, bulk.connections) == ("bulk", 0)
