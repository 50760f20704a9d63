"""The law of exchanges on frames that two stations begin in the same slot."""

from __future__ import annotations

import polars as pl

import airhop
from airhop.scenario import Scenario
from airhop.verify import LAWS, Trace

SAME_SLOT = {
    "name": "same-slot",
    "duration": "300 ms",
    "wlan": [
        {
            "name": "cell",
            "standard": "802.11g",
            "rate": "24 Mbit/s",
            "stations": {"ap": [0, 0], "near": [5, 0], "far": [30, 0]},
            "range": {"receive": "40 m", "sense": "85 m", "capture": "10 dB"},
        }
    ],
    "flow": [
        {
            "name": station,
            "from": station,
            "to": "ap",
            "transport": "udp",
            "app": {"kind": "cbr", "rate": "30 Mbit/s"},
        }
        for station in ("near", "far")
    ],
}
"""A cell with frames of equal length, of which the access point captures the near station's."""


def test_a_link_ack_for_another_station_is_no_response() -> None:
    """IEEE 802.11-2016 §10.3.2.9: a station waits for the timeout if no Ack for its own frame begins."""
    scenario = Scenario.load(SAME_SLOT)
    result = airhop.run(scenario, seed=1, trace=True)
    air = result.tables["air"].with_row_index()
    of_far = air.filter(pl.col("from") == "far")
    lost = of_far.row(of_far["outcome"].to_list().index("collision"), named=True)
    next_one = of_far.filter(pl.col("index") > lost["index"]).row(0, named=True)
    captured = air.filter((pl.col("end_s") == lost["end_s"]) & (pl.col("outcome") == "captured"))
    assert captured["from"].to_list() == ["near"]

    length = next_one["end_s"] - next_one["start_s"]
    begin = lost["end_s"] + 15e-6
    is_next = pl.col("index") == next_one["index"]
    moved = air.with_columns(
        start_s=pl.when(is_next).then(begin).otherwise("start_s"),
        end_s=pl.when(is_next).then(begin + length).otherwise("end_s"),
    ).sort("start_s", "index")
    tables = result.tables | {"air": moved.drop("index")}
    found = LAWS["exchange"].check(Trace(scenario.to_dict(), result.to_dict(), tables))
    assert any("15000 ns after a data without an answer" in str(finding) for finding in found)
