"""Links with different directions: the bounds of their rates, and verification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airhop
from airhop.verify import verify


def line(flows: list[dict[str, Any]], **link: Any) -> airhop.Scenario:
    """Connect a provider and a home by a wire, and measure 5 of 7 s."""
    wire = {"name": "line", "ends": ["isp", "home"], "delay": "5 ms"}
    return airhop.Scenario.load(
        {"name": "line", "duration": "7 s", "warmup": "2 s", "wired": [wire | link], "flow": flows}
    )


def download(window: int) -> list[dict[str, Any]]:
    tcp = {"preset": "linux", "receive_window": f"{window * 1448} B"}
    return [{"name": "f", "from": "isp", "to": "home", "scheme": "reno", "segment": "1448 B", "tcp": tcp}]


ADSL = {"isp->home": "10 Mbit/s", "home->isp": "100 kbit/s"}
BOUND_MBPS = 100e3 / (52 * 8) * 2 * 1448 * 8 / 1e6
"""Goodput allowed by ACKs of 52 B, one per two segments: 5.569 Mbit/s (RFC 3449 §2.1)."""


def queues(packets: int) -> list[dict[str, Any]]:
    """Return queues of 500 packets towards the home, and of `packets` packets in the other direction."""
    return [
        {"kind": "drop-tail", "packets": 500, "direction": "isp->home"},
        {"kind": "drop-tail", "packets": packets, "direction": "home->isp"},
    ]


def test_acks_on_a_slow_reverse_path_limit_the_goodput_of_a_flow() -> None:
    """RFC 3449 §2.1: with a queue for all ACKs the return path bounds the flow, at 5.57 Mbit/s."""
    scenario = line(download(200), rate=ADSL, queue=queues(200))
    result = airhop.run(scenario, trace=True)
    assert result.goodput_mbps == pytest.approx(BOUND_MBPS, rel=0.01)
    assert sum(result.document["drops"].values()) == 0
    assert verify(scenario, result) == []


def test_dropped_acks_on_a_slow_reverse_path_increase_the_goodput() -> None:
    """ACKs are cumulative: later ACKs replace those that a short queue drops, and the bound is void."""
    scenario = line(download(200), rate=ADSL, queue=queues(50))
    result = airhop.run(scenario, trace=True)
    assert result.goodput_mbps > 1.1 * BOUND_MBPS
    assert set(result.tables["drops"]["place"]) == {"home->isp"}
    assert verify(scenario, result) == []


def test_a_pair_of_recorded_links_delivers_as_in_its_files(tmp_path: Path) -> None:
    """A line of a Mahimahi trace delivers 1500 B of IP.

    Both saturated directions are within 0.1 % of this.
    """
    traces = {"isp->home": "0\n0\n3\n7\n7\n7\n20\n", "home->isp": "5\n16\n25\n"}
    for way, text in traces.items():
        (tmp_path / f"{way[0]}.trace").write_text(text)
    files = {way: str(tmp_path / f"{way[0]}.trace") for way in traces}
    flows = [
        {"name": way[0], "from": way.split("->")[0], "to": way.split("->")[1], "transport": "udp",
         "segment": "1472 B", "app": {"kind": "cbr", "rate": "6 Mbit/s"}}
        for way in traces
    ]  # fmt: skip
    scenario = line(flows, deliveries=files, queue=queues(50))
    result = airhop.run(scenario, trace=True)
    for flow, way in zip(result.document["flows"], traces, strict=True):
        lines = [int(text) for text in traces[way].split()]
        expected = len(lines) / lines[-1] * 1472 * 8 / 1e3
        assert flow["goodput_mbps"] == pytest.approx(expected, rel=0.001), way
    assert verify(scenario, result) == []


def test_packets_with_a_longer_delay_are_overtaken() -> None:
    """In one direction, a share of the packets arrives later by the configured time."""
    rate = "10 Mbit/s"
    late = {"share": 0.1, "by": "4 ms", "direction": "isp->home"}
    scenario = line(
        [
            {"name": f"{a}{b}", "from": a, "to": b, "transport": "udp", "segment": "972 B",
             "app": {"kind": "cbr", "rate": "4 Mbit/s"}}
            for a, b in (("isp", "home"), ("home", "isp"))
        ],
        rate=rate,
        reorder=late,
    )  # fmt: skip
    result = airhop.run(scenario, trace=True)
    assert verify(scenario, result) == []
    steps = result.tables["packets"]
    for flow, is_late in (("isphome", True), ("homeisp", False)):
        mine = steps.filter(steps["flow"] == flow)
        sent, came = (
            dict(mine.filter(mine["step"] == step).select("packet", "time_s").iter_rows())
            for step in ("offered", "arrived")
        )
        extra = {round((came[packet] - sent[packet]) * 1e6) for packet in came}
        assert extra == {5800, 9800} if is_late else {5800}, flow  # 0.8 ms of bits and 5 ms of wire
        share = sum(came[packet] - sent[packet] > 0.009 for packet in came) / len(came)
        assert share == pytest.approx(0.1 if is_late else 0, abs=0.025)  # of 3500; four deviations are 0.02
