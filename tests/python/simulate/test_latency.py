"""One-way delays and round trips of TCP equal those of the run's trace, and values computed by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from airhop import Result, Scenario, run

WIRE: dict[str, Any] = {
    "name": "wire",
    "duration": "5 s",
    "wired": [{"name": "w", "ends": ["s", "d"], "rate": "8 Mbit/s", "delay": "10 ms"}],
    "flow": [
        {
            "name": "f",
            "from": "s",
            "to": "d",
            "scheme": "reno",
            "segment": "948 B",
            "tcp": {"delayed_ack": False},
        }
    ],
}


def delays_of_bytes(found: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return the delay, ms, and the bytes of each delivered piece of a segment, from the trace."""
    sent = {
        row["seq"] + row["bytes"]: (row["seq"], row["time_s"])
        for row in found.tables["segments"].iter_rows(named=True)
        if not row["retransmission"]
    }
    delays, sizes = [], []
    before = 0
    for row in found.tables["deliveries"].iter_rows(named=True):
        for end, (start, at) in sorted(sent.items()):
            size = min(end - 1, row["bytes"]) - max(start - 1, before)
            if size > 0:
                delays.append(1e3 * (row["time_s"] - at))
                sizes.append(size)
            if end - 1 > row["bytes"]:
                break
        sent = {end: value for end, value in sent.items() if end - 1 > row["bytes"]}
        before = row["bytes"]
    return np.array(delays), np.array(sizes)


@pytest.mark.parametrize("scheme", ["reno", "ll-elsn", "cubic"])
def test_delay_is_from_the_first_transmission_to_the_application(scheme: str) -> None:
    """A byte after a hole waits for the repair: delays by byte equal the trace of segments and deliveries."""
    changes = {"duration": "10 s", "wlan.cell.errors.fer": 0.03, "scheme": scheme}
    found = run(Scenario.load("last-hop").with_(changes), seed=3, trace=True)
    delays, sizes = delays_of_bytes(found)
    order = np.argsort(delays, kind="stable")
    below = np.cumsum(sizes[order])
    told = found.document["flows"][0]["delay_ms"]
    assert told["mean"] == pytest.approx(float(delays @ sizes / sizes.sum()), rel=1e-9)
    assert told["max"] == pytest.approx(float(delays.max()), rel=1e-9)
    for key, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        exact = float(delays[order][np.searchsorted(below, math.ceil(share * below[-1]))])
        assert exact * (1 - 1e-9) <= told[key] <= 1.01 * exact


def test_round_trips_and_delays_of_an_idle_path_equal_those_of_the_links() -> None:
    """By hand: 948 B and 52 B of headers take 1 ms at 8 Mbit/s, an ACK of 52 B 0.052 ms; delays are 10 ms.

    The ACK of the SYN-ACK is sent immediately before the data.
    """
    short = Scenario.load(WIRE).with_({"flow.f.app": {"kind": "transfer", "size": "948 B"}})
    (flow,) = run(short).document["flows"]
    assert flow["delay_ms"]["max"] == pytest.approx(11.052)
    # The handshake is also a sample: a SYN and a SYN-ACK of 64 B.
    assert flow["rtt_ms"]["min"] == pytest.approx(20.128)
    assert flow["rtt_ms"]["p99"] == pytest.approx(21.104, rel=0.01)


def test_delays_and_round_trips_exclude_the_warm_up() -> None:
    """The handshake's round trip is the shortest, and the burst of the initial window waits longest."""
    steady = Scenario.load(WIRE).with_({"flow.f.tcp.receive_window": "20 kB"})
    whole = run(steady).document["flows"][0]
    after = run(steady.with_({"warmup": "2 s"})).document["flows"][0]
    assert after["delay_ms"]["max"] < whole["delay_ms"]["max"]
    assert after["rtt_ms"]["min"] > whole["rtt_ms"]["min"] == pytest.approx(20.128)
