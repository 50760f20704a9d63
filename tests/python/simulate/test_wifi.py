"""Cells of 802.11n, ac and ax: a lone station against a closed form, and error messages."""

from __future__ import annotations

from math import ceil
from typing import Any

import pytest

import airhop
from airhop import ScenarioError
from airhop.verify import verify

PAYLOAD = 1472
MPDU = PAYLOAD + 28 + 38
AIFS, BACKOFF, SIFS = 43.0, 67.5, 16.0
"""Microseconds at 5 GHz, best effort; the backoff is the mean."""


def cell(**keys: object) -> dict[str, Any]:
    """Return a station that sends more datagrams to its access point than the capacity of the channel."""
    queue = {"kind": "drop-tail", "packets": 1000}
    wlan = {"name": "cell", "queue": queue, "stations": {"ap": [0, 0], "sta": [1, 0]}, **keys}
    app = {"kind": "cbr", "rate": "700 Mbit/s"}
    flow = {
        "name": "up",
        "from": "sta",
        "to": "ap",
        "transport": "udp",
        "segment": f"{PAYLOAD} B",
        "app": app,
    }
    return {"name": "cell", "duration": "1 s", "warmup": "100 ms", "wlan": [wlan], "flow": [flow]}


def legacy(octets: int) -> float:
    """Return the microseconds of a control frame at 24 Mbit/s."""
    return 20 + 4 * ceil((22 + 8 * octets) / 96)


@pytest.mark.parametrize(
    ("keys", "bits", "symbol", "preamble", "count", "answer"),
    [
        ({"standard": "802.11n", "rate": {"mcs": 7}}, 260, 4.0, 36.0, 28, 32),
        ({"standard": "802.11ac", "rate": {"mcs": 9}}, 1560, 4.0, 40.0, 64, 32),
        ({"standard": "802.11ax", "rate": {"mcs": 11}}, 8166, 13.6, 43.2, 256, 56),
        ({"standard": "802.11ac", "rate": {"mcs": 9}, "aggregation": {"bytes": 0}}, 1560, 4.0, 40.0, 1, 14),
    ],
)
def test_the_goodput_of_a_single_station_equals_the_closed_form(
    keys: dict[str, object], bits: int, symbol: float, preamble: float, count: int, answer: int
) -> None:
    psdu = (count - 1) * 4 * ceil((MPDU + 4) / 4) + MPDU + 4
    tail = 0 if keys["standard"] == "802.11ax" else 6
    data = preamble + symbol * ceil((16 + 8 * psdu + tail) / bits)
    expected = 8 * PAYLOAD * count / (AIFS + BACKOFF + data + SIFS + legacy(answer))
    found = airhop.run(airhop.Scenario.load(cell(**keys)), seed=1).document["flows"][0]["goodput_mbps"]
    assert found == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {"standard": "802.11n", "rate": "54 Mbit/s"},
            r"rate: expected MCS and spatial streams with 802\.11n",
        ),
        (
            {"standard": "802.11ac", "rate": {"control": "ideal"}},
            r"rate\.control: rate adaptation is not modelled yet",
        ),
        ({"standard": "802.11ac", "width": "20 MHz", "rate": {"mcs": 9}}, r"rate\.mcs: MCS 9: expected 0, 1"),
        (
            {"standard": "802.11ac", "rate": {"mcs": 7}, "txop": {"VI": "4.096 ms"}},
            r'txop\.VI: access category "VI"',
        ),
        ({"standard": "802.11ax", "rate": {"mcs": 7}, "preset": "ns2"}, r"preset: 802\.11ax has no such key"),
    ],
)
def test_invalid_wifi_keys_are_reported(keys: dict[str, object], words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        airhop.Scenario.load(cell(**keys))


def test_the_mpdus_of_a_ppdu_cause_a_single_notice_of_each_kind() -> None:
    """LL-ELSN over lost MPDUs: a notice names the segments of all MPDUs that failed together.

    Segments more than 64 lengths after the first need another notice; A-MPDUs contain such segments after
    queue losses.
    """
    changes = {
        "flow.download.services": ["elsn"],
        "flow.download.notices": "elsn",
        "wlan.cell.errors": {"kind": "bernoulli", "loss": 0.2},
        "duration": "1 s",
        "warmup": "0 s",
    }
    scenario = airhop.Scenario.load("wifi-ac").with_(changes)
    result = airhop.run(scenario, seed=1, trace=True)
    assert verify(scenario, result) == []
    notices = result.tables["notices"]
    sent = notices.filter(event="sent")
    made = result.tables["packets"].filter(step="made", kind="notice")
    ppdus = sent.select("time_s", "kind").n_unique()
    assert ppdus <= made.height < 1.15 * ppdus
    assert sent.height == sent.n_unique() > 4 * made.height > 400
    assert notices.filter(event="received").height > 0.9 * sent.height
    assert set(made["bytes"]) == {40, 52}
