"""Loss, delay and jitter of datagrams, and rates of active flows: closed forms, and tables that show them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scipy.stats import binom

import airhop
from airhop import Scenario
from airhop.cli.common.output import console
from airhop.cli.shown.flows import MOST_FLOWS, print_run
from airhop.verify import verify
from command_line import Cli
from made_documents import blank_flow, blank_run

CALL = {
    "name": "call",
    "from": "a",
    "to": "b",
    "transport": "udp",
    "segment": "172 B",
    "app": {"kind": "cbr", "rate": "68.8 kbit/s"},  # every 20 ms
}


def wire(**keys: Any) -> dict[str, Any]:
    """Return a scenario: a call over a wire of 1 Mbit/s and 30 ms for 20 s."""
    link = {"name": "w", "ends": ["a", "b"], "rate": "1 Mbit/s", "delay": "30 ms"}
    return {"name": "call", "duration": "20 s", "wired": [link | keys], "flow": [CALL]}


def call(document: dict[str, Any]) -> dict[str, Any]:
    (flow,) = airhop.run(Scenario.load(document)).document["flows"]
    return flow  # type: ignore[no-any-return]


def test_the_delay_of_an_idle_wire_is_transmission_plus_propagation() -> None:
    """200 B at 1 Mbit/s and 30 ms: each datagram takes 31.6 ms, and no datagram is lost."""
    flow = call(wire())
    assert flow["delay_ms"] == pytest.approx(dict.fromkeys(("mean", "p50", "p95", "p99", "max"), 31.6))
    assert (flow["loss"], flow["jitter_ms"]) == (0.0, 0.0)
    # The first datagram is sent at 0, and the last delivered 31.6 ms after its creation: 68.8 kbit/s.
    n = flow["delivered_bytes"] / 172
    assert flow["active_mbps"] == pytest.approx(172 * 8 * n / (0.02 * (n - 1) + 0.0316) / 1e6)


def test_the_loss_of_a_datagram_flow_equals_the_loss_of_the_channel() -> None:
    """Each datagram is lost with probability 0.1: a binomial share, equal to the channel's drops."""
    document = wire(errors={"kind": "bernoulli", "loss": 0.1}) | {"duration": "100 s"}
    run = airhop.run(Scenario.load(document)).document
    (flow,) = run["flows"]
    ended = flow["delivered_bytes"] / 172 + run["drops"]["channel"]
    assert flow["loss"] == run["drops"]["channel"] / ended
    low, high = binom.ppf([1e-6, 1 - 1e-6], int(ended), 0.1) / ended
    assert low < flow["loss"] < high


def test_datagrams_in_flight_at_the_end_of_the_run_are_not_lost() -> None:
    """Datagrams of the last 31.6 ms have not arrived, although no datagram was dropped."""
    flow = call(wire() | {"duration": "1.01 s"})
    assert flow["sent_segments"] > flow["delivered_bytes"] / 172
    assert flow["loss"] == 0.0


def test_delay_jitter_and_loss_exclude_the_warm_up() -> None:
    """During the warm-up the wire has 100 kbit/s and 46 ms instead of 31.6; measures exclude this time."""
    faster = {"kind": "rate", "at": "9 s", "rate": "1 Mbit/s"}
    slow = wire(rate="100 kbit/s", changes=faster)
    flow = call(slow | {"warmup": "10 s"})
    assert flow["delay_ms"]["max"] == pytest.approx(31.6)
    assert flow["jitter_ms"] == 0.0
    whole = call(slow)
    assert whole["delay_ms"]["max"] == pytest.approx(46.0)
    assert whole["delay_ms"]["p50"] == pytest.approx(31.6, rel=0.01)


@pytest.mark.parametrize(
    ("app", "start"), [({"kind": "bulk"}, "12 s"), ({"kind": "transfer", "size": "200 kB"}, "3 s")]
)
def test_an_active_tcp_flow_is_measured_from_its_first_segment_to_its_last_delivery(
    app: dict[str, Any], start: str
) -> None:
    """As in iperf3, a late start or an early end does not lower the rate of a flow."""
    flow = {"name": "ftp", "from": "a", "to": "b", "scheme": "reno", "app": app, "start": start}
    run = airhop.run(Scenario.load(wire() | {"flow": [flow]}), trace=True)
    (measured,) = run.document["flows"]
    first, last = run.tables["segments"]["time_s"].min(), run.tables["deliveries"]["time_s"].max()
    assert isinstance(first, float) and isinstance(last, float)
    assert measured["active_mbps"] == pytest.approx(measured["delivered_bytes"] * 8e-6 / (last - first))
    assert measured["active_mbps"] > 1.5 * measured["goodput_mbps"]
    assert (measured["loss"], measured["jitter_ms"]) == (None, None)


def test_the_verifier_computes_datagram_measures_from_the_trace_alone() -> None:
    """The verifier detects a change of any measure of datagrams by a thousandth."""
    document = wire(errors={"kind": "bernoulli", "loss": 0.05}, queue={"kind": "drop-tail", "packets": 3})
    bulk = {"name": "ftp", "from": "a", "to": "b", "scheme": "reno", "start": "2 s"}
    scenario = Scenario.load(document | {"flow": [CALL, bulk], "warmup": "5 s"})
    run = airhop.run(scenario, trace=True)
    assert list(verify(scenario, run)) == []
    measured, tcp = run.document["flows"]
    forged = [(measured, key) for key in ("loss", "jitter_ms", "active_mbps")]
    forged += [(measured["delay_ms"], "mean"), (measured["delay_ms"], "max"), (tcp, "active_mbps")]
    for at, key in forged:
        at[key] *= 1.001
        assert any(key in finding.text for finding in verify(scenario, run)), key
        at[key] /= 1.001


def test_run_and_compare_show_datagrams(cli: Cli) -> None:
    short = ("--set", "duration=5 s")
    alone = cli("run", "cheng2008-udp", *short).out
    assert all(words in alone for words in ("loss", "jitter", "delay", "goodput: over the 5 s"))
    beside = cli("compare", "koo2007-cross", "reno", "sack", "-n", "2", *short).out
    assert "UDP flows" in beside and "jitter" in beside
    document = json.loads(cli("compare", "koo2007-cross", "reno", "-n", "2", *short, "--json").out)
    (row,) = document["schemes"]
    assert row["datagrams"]["loss"]["mean"] >= 0 and row["datagrams"]["delay_p95_ms"]["mean"] > 0
    (tcp,) = json.loads(cli("compare", "last-hop", "reno", "-n", "2", *short, "--json").out)["schemes"]
    assert tcp["datagrams"] == {}, "no flow of UDP, no row"


@pytest.mark.usefixtures("fake_core")
def test_emulate_prints_the_active_rate_of_iperf3_before_the_goodput(cli: Cli) -> None:
    told = cli("emulate", "last-hop", "--set", "duration=2 s", "--on", "s", "a", "--on", "d", "b").out
    heads = next(line for line in told.splitlines() if "active" in line)
    assert heads.index("active") < heads.index("goodput")
    assert "active: from the first segment to the last delivery" in told


def flows(count: int) -> airhop.Result:
    names = {"scheme": "reno", "transport": "tcp", "from": "s", "to": "d"}
    made = [blank_flow() | names | {"name": f"f{number}", "goodput_mbps": 1.0} for number in range(count)]
    head = {"scenario": "many", "seed": 1, "rep": 0, "duration_s": 1.0, "warmup_s": 0.0, "wall_s": 0.1}
    return airhop.Result(json.dumps(head | blank_run() | {"fingerprint": "0", "flows": made}))


def test_a_table_of_many_flows_is_bounded_and_counts_the_omitted_flows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Printing a table of 10,000 flows would take a minute."""
    print_run(console(), flows(10_000))
    told = capsys.readouterr().out
    assert len(told.splitlines()) < MOST_FLOWS + 20
    assert "and 9,960 more rows; --json prints all rows" in told
    print_run(console(), flows(MOST_FLOWS))
    assert "more rows" not in capsys.readouterr().out
