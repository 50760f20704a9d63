"""Documents, tables and traces contain requests and responses."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import airhop
from airhop import Scenario
from airhop.verify import verify
from command_line import Cli

WEB = {
    "name": "web",
    "from": "a",
    "to": "b",
    "scheme": "newreno",
    "tcp": {"preset": "ns2"},
    "app": {"kind": "request-response", "request": "200 B", "response": "4000 B", "think": "1 s"},
}


def requests(**keys: Any) -> Scenario:
    """Return a scenario: requests over a wire of 1 Mbit/s and 30 ms for 20 s."""
    link = {"name": "w", "ends": ["a", "b"], "rate": "1 Mbit/s", "delay": "30 ms"}
    app = {key: value for key, value in (WEB["app"] | keys).items() if value is not None}  # type: ignore[operator]
    return Scenario.load({"name": "web", "duration": "20 s", "wired": [link], "flow": [WEB | {"app": app}]})


def test_a_run_document_has_completion_times_and_a_flow_for_requests() -> None:
    """A closed loop with 1 s of think time has at most one request per second; requests are a second flow."""
    responses, asked = airhop.run(requests()).document["flows"]
    completion = responses["completion_ms"]
    assert list(completion) == ["count", "unfinished", "mean", "p50", "p95", "p99"]
    assert (asked["name"], asked["from"], asked["to"]) == ("web requests", "b", "a")
    assert asked["completion_ms"] is None
    assert completion["count"] == responses["delivered_bytes"] // 4000 < 20
    # Two one-way delays, and 200 B and 4 kB with their headers at 1 Mbit/s, in one window or more.
    assert completion["mean"] > 2 * 30 + 8 * (240 + 4160) / 1000


@pytest.mark.parametrize("keys", [{}, {"think": None, "rate": 10}, {"think": None, "rate": 50}])
def test_the_verifier_counts_responses_to_requests(keys: dict[str, Any]) -> None:
    """A wrong count is detected in a closed loop, in an open loop, and above the capacity of the wire."""
    scenario = requests(**keys)
    run = airhop.run(scenario, trace=True)
    assert list(verify(scenario, run)) == []
    run.document["flows"][0]["completion_ms"]["count"] += 1
    assert any("completion_ms.count" in finding.text for finding in verify(scenario, run))


@pytest.mark.parametrize(
    "app",
    [
        {"connections": "new"},
        {
            "connections": "new",
            "think": None,
            "rate": 10,
            "response": {"kind": "empirical", "of": "data-mining"},
        },
        {"kind": "web", "page": "news", "request": None, "response": None},
    ],
)
def test_the_verifier_follows_connections_from_syn_to_fin(app: dict[str, Any]) -> None:
    """The document has one entry per direction.

    An additional connection, and data beyond a FIN, are detected.
    """
    scenario = requests(**app)
    run = airhop.run(scenario, trace=True)
    responses, asked = run.document["flows"]
    counts = responses["connections"]
    assert (responses["name"], asked["name"], asked["connections"]) == ("web", "web requests", None)
    assert counts["opened"] >= counts["closed"] > 0
    assert run.tables["segments"].filter(pl.col("fin"))["flow"].unique().len() >= 2 * counts["closed"]
    assert list(verify(scenario, run)) == []
    counts["closed"] -= 1
    assert any("connections.closed" in finding.text for finding in verify(scenario, run))


def test_run_prints_completion_times_only_if_there_are_transfers(cli: Cli) -> None:
    app = '{ kind = "request-response", request = "200 B", response = "20 kB", rate = 5 }'
    short = ("--set", "duration=5 s")
    shown = cli("run", "last-hop", *short, "--set", f"flow.ftp.app={app}").out
    assert "transfers and requests" in shown and "ftp requests" in shown
    assert "transfers and requests" not in cli("run", "last-hop", *short).out
