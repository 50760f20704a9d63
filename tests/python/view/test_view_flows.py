"""The live page for several flows: graphs and percentiles of flows and classes; schemes with equal runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from bokeh.document import Document
from panel.io.server import set_curdoc

import airhop
from airhop import Scenario, compare, run
from airhop.comparison.alike import equal_runs
from airhop.plots.style import styles
from airhop.results import Result
from airhop.view.curves import Curves, Line
from airhop.view.fragments import percentiles
from airhop.view.page import Page
from airhop.view.runs import Runs
from airhop.view.shown import Shown, choices
from airhop.view.state import State

PAGES = {"kind": "web", "page": "news", "think": "1 s"}
CALL = {"kind": "cbr", "rate": "64 kbit/s"}
LINK = {"name": "w", "ends": ["a", "b"], "rate": "10 Mbit/s", "delay": "20 ms"}


def flow(name: str, app: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    ends = {"name": name, "from": "a", "to": "b"}
    return {**ends, "scheme": "reno", **({} if app is None else {"app": app}), **more}


SHARED = Scenario.load(
    {
        "name": "shared",
        "duration": "5 s",
        "wired": [LINK],
        "flow": [
            flow("one"),
            flow("pages", PAGES),
            flow("two", start="1 s"),
            {"name": "call", "from": "a", "to": "b", "transport": "udp", "app": CALL},
        ],
    }
)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(SHARED, trace=True)


def value_at(line: Line, time_s: float) -> float:
    """Return the value of a step line at a time; 0 before its first corner."""
    before = np.searchsorted(line.x, time_s, side="right")
    return float(line.y[before - 1]) if before else 0.0


def test_flows_and_classes_of_several_flows_can_be_chosen() -> None:
    assert choices(SHARED, 1, 0) == {
        "flow one": "flow one",
        "flow pages": "flow pages",
        "flow two": "flow two",
        "flow call": "flow call",
        "class bulk, 2 flows": "class bulk",
    }
    gone = Shown(rep=7, of="flow three", connection=2)
    assert gone.within(SHARED, 1, reps=3) == Shown(rep=0, of="flow one")
    kept = Shown(rep=2, of="class bulk")
    assert kept.within(SHARED, 1, reps=3) == kept


def test_window_and_acks_of_a_class_are_the_sums_over_its_flows(result: Result) -> None:
    of_class, one, two = (Curves.of(result, Shown(of=of)) for of in ("class bulk", "flow one", "flow two"))
    assert of_class.name == "bulk"
    for time_s in (0.5, 1.5, 3.3, 4.9):
        for line in ("window", "acks"):
            members = [value_at(getattr(curves, line), time_s) for curves in (one, two)]
            assert value_at(getattr(of_class, line), time_s) == pytest.approx(sum(members)), line
    assert [len(line.x) for line in of_class.rtt] == [len(curves.rtt[0].x) for curves in (one, two)]
    # The marks of a class are on its curve, because sequence numbers of two flows have no common axis.
    assert set(of_class.resent["flow"]) == {"one", "two"}
    for mark in of_class.resent.iter_rows(named=True):
        assert mark["y"] == pytest.approx(value_at(of_class.acks, mark["x"]))
    assert of_class.resent.filter(pl.col("flow") == "two")["first"].equals(two.resent["y"])


def test_a_closed_connection_has_no_window() -> None:
    bulk = {"kind": "bulk"}
    short = {
        "kind": "request-response",
        "request": "200 B",
        "response": "30 kB",
        "think": "1 s",
        "connections": "new",
    }
    scenario = {
        "name": "closes",
        "duration": "4 s",
        "wired": [LINK],
        "flow": [
            flow("api1", short, **{"class": "api"}),
            flow("api2", bulk, **{"class": "api", "start": "3 s"}),
        ],
    }
    traced = run(Scenario.load(scenario), trace=True)
    first = Curves.of(traced, Shown(of="flow api1"))
    ended = traced.tables["segments"].filter(pl.col("flow").cast(pl.String) == "api1#1")["time_s"].max()
    again = traced.tables["segments"].filter(pl.col("flow").cast(pl.String) == "api1#2")["time_s"].min()
    of_class = Curves.of(traced, Shown(of="class api"))
    assert isinstance(ended, float) and isinstance(again, float) and first.window.y.max() > 1
    assert value_at(of_class.window, (ended + again) / 2) == 0.0


def test_the_queue_is_that_of_the_flows_in_which_data_wait_longest(result: Result) -> None:
    curves = Curves.of(result, Shown(of="flow two"))
    assert curves.place == "a->b"
    assert curves.queue.y.max() == result.tables["queue"]["packets"].max()
    # A station of 802.11ac has one queue for all receivers.
    cell = run(Scenario.load("wifi-five").with_({"warmup": "0 s", "duration": "0.5 s"}), trace=True)
    assert Curves.of(cell, Shown(of="class others")).place == "ap->*"


def test_percentiles_are_those_of_the_chosen_flow_or_class() -> None:
    comparison = compare(SHARED, ["reno", "cubic"], reps=2)
    look = styles(["reno", "cubic"])
    document = comparison.results["reno", 0].document
    flows = {one["name"]: one for one in document["flows"]}
    shown = {
        of: percentiles(comparison, Shown(of=of), look) for of in ("flow one", "flow call", "flow pages")
    }
    assert "one-way delay, p99, ms" in shown["flow one"] and "round-trip time, p95, ms" in shown["flow one"]
    assert "completion" not in shown["flow one"] and "completion, p50, ms" in shown["flow pages"]
    assert "round-trip" not in shown["flow call"], "a UDP flow measures no round trip"
    assert flows["call"]["delay_ms"]["p99"] is not None and "one-way delay" in shown["flow call"]
    alone = replace(comparison, reps=1, results={k: v for k, v in comparison.results.items() if k[1] == 0})
    of_class = percentiles(alone, Shown(of="class bulk"), look)
    (pooled,) = (one["delay_ms"] for one in document["classes"] if one["name"] == "bulk")
    rtt_ms = (flows["one"]["rtt_ms"]["p95"] + flows["two"]["rtt_ms"]["p95"]) / 2
    for value in (pooled["p50"], pooled["p99"], rtt_ms):
        assert f"<td>{airhop.terminal.number(value)}</td>" in of_class


@pytest.mark.parametrize(
    ("preset", "reason"),
    [("linux", "preset linux (loss_detection = rack) recovers the losses of all schemes"), ("rfc", None)],
)
def test_a_note_names_schemes_with_equal_runs_and_the_reason(preset: str, reason: str | None) -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "5 s", "flow.ftp.tcp.preset": preset})
    found = equal_runs(compare(scenario, ["reno", "cubic", "sack"], reps=2))
    if reason is None:
        assert found == []
    else:
        (said,) = found
        assert said.startswith("reno, sack: all runs are equal.") and reason in said


def test_equal_runs_without_losses_are_not_ascribed_to_the_recovery() -> None:
    limited = flow("limited", tcp={"receive_window": "10 kB"})
    scenario = Scenario.load({"name": "no-losses", "duration": "2 s", "wired": [LINK], "flow": [limited]})
    (said,) = equal_runs(compare(scenario, ["reno", "newreno", "cubic"], reps=1))
    assert (
        said == "reno, newreno, cubic: all runs are equal. No event of these runs distinguishes the schemes"
    )


def test_a_long_comparison_is_shown_as_its_replications_accumulate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airhop.view.page.SOON_S", 0.0)
    monkeypatch.setattr(
        Page, "_later", lambda _self, change, *arguments: seen.append((change.__name__, arguments))
    )
    seen: list[tuple[str, Any]] = []
    state = replace(State.of("last-hop").with_sets({"duration": "1 s"}), reps=5)
    state = replace(state, shown=state.shown.within(state.scenario, state.seed, state.reps))
    with set_curdoc(Document()):
        runs = Runs()
        asyncio.run(Page(state, runs)._work(state))
        runs.close()
    shown = [arguments[0].reps if name == "_show_bars" else name for name, arguments in seen]
    assert shown == [1, "_show_graphs", 3, 5]
