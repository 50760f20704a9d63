"""Cells of 802.11n, ac and ax: a single station against a closed form, and error messages."""

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
"""AIFS, mean backoff and SIFS of best effort at 5 GHz, µs."""


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
            {"standard": "802.11ac", "rate": {"mcs": 7}, "txop": {"VI": "4.096 s"}},
            r'txop\.VI: expected at most "2\.09712 s"',
        ),
        ({"standard": "802.11ax", "rate": {"mcs": 7}, "preset": "ns2"}, r"preset: 802\.11ax has no such key"),
    ],
)
def test_invalid_wifi_keys_are_reported(keys: dict[str, object], words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        airhop.Scenario.load(cell(**keys))


def test_the_mpdus_of_a_ppdu_cause_a_single_notice_of_each_kind() -> None:
    """LL-ELSN over lost MPDUs: a notice names the segments of all MPDUs that failed together.

    A notice covers 64 segment lengths. After queue losses, an A-MPDU may contain segments beyond this, which
    need another notice.
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


CATEGORIES = ("VO", "VI", "BE", "BK")


def saturated(categories: tuple[str, ...], **keys: object) -> dict[str, Any]:
    """Return a cell with a saturated station for each of these access categories."""
    stations = {"ap": [0, 0]} | {f"sta{number}": [1, 0] for number, _ in enumerate(categories)}
    wlan = {"name": "cell", "standard": "802.11n", "rate": {"mcs": 7}, "stations": stations, "eifs": "never"}
    datagrams = {"transport": "udp", "segment": f"{PAYLOAD} B", "app": {"kind": "cbr", "rate": "70 Mbit/s"}}
    flows = [
        {"name": category, "from": f"sta{number}", "to": "ap", "access_category": category, **datagrams}
        for number, category in enumerate(categories)
    ]
    return {"name": "cell", "duration": "20 s", "warmup": "100 ms", "wlan": [wlan | keys], "flow": flows}


def test_saturated_access_categories_share_a_cell_as_in_ns3() -> None:
    """Mbit/s of one station per category, HT20 MCS 7 without A-MPDU, compared with 2 s of ns-3.44."""
    scenario = airhop.Scenario.load(saturated(CATEGORIES, aggregation={"bytes": 0}))
    flows = airhop.run(scenario, seed=1).document["flows"]
    found = [flow["goodput_mbps"] for flow in flows]
    assert found == pytest.approx([20.4, 8.1, 2.4, 0.6], rel=0.06, abs=0.12)


def test_txop_limits_favour_video_as_in_ns3() -> None:
    """Goodput with the limits of Table 9-155, HT20 MCS 7 without A-MPDU, compared with ns-3.44, Mbit/s."""
    keys = {"aggregation": {"bytes": 0}, "txop": {"VI": "4.096 ms", "VO": "2.080 ms"}}
    scenario = airhop.Scenario.load(saturated(CATEGORIES, **keys))
    flows = airhop.run(scenario, seed=1).document["flows"]
    found = [flow["goodput_mbps"] for flow in flows]
    assert found == pytest.approx([21.6, 16.6, 0.37, 0.07], rel=0.06, abs=0.08)
    short = scenario.with_({"duration": "1 s"})
    assert verify(short, airhop.run(short, seed=1, trace=True)) == []


def test_a_flow_of_a_higher_category_meets_no_queue_of_a_lower_one() -> None:
    """Two runs of a call next to a saturated best-effort download: with best effort, and with voice."""
    wlan = {
        "name": "cell",
        "standard": "802.11n",
        "rate": {"mcs": 7},
        "stations": {"ap": [0, 0], "sta": [1, 0]},
    }
    call = {"transport": "udp", "segment": "160 B", "app": {"kind": "cbr", "rate": "64 kbit/s"}}
    flows = [
        {"name": "bulk", "from": "ap", "to": "sta", "scheme": "cubic"},
        {"name": "call", "from": "ap", "to": "sta", **call},
    ]
    base = airhop.Scenario.load({"name": "call", "duration": "5 s", "wlan": [wlan], "flow": flows})
    delays = {}
    for category in ("BE", "VO"):
        scenario = base.with_({"flow.call.access_category": category})
        result = airhop.run(scenario, seed=1, trace=True)
        assert verify(scenario, result) == []
        delays[category] = result.document["flows"][1]["delay_ms"]["p99"]
    queues = {queue["name"] for queue in result.document["queues"]}
    assert {"ap->sta", "ap->sta VO"} <= queues
    assert delays["VO"] < 12.0 < delays["BE"]


def test_all_packets_of_a_flow_have_its_access_category() -> None:
    """Data, ACKs, requests and responses: the frames of each flow in the trace."""
    scenario = airhop.Scenario.load("wifi-ac").with_(
        {"flow.download.access_category": "VI", "duration": "1 s", "warmup": "0 s"}
    )
    result = airhop.run(scenario, seed=1, trace=True)
    assert verify(scenario, result) == []
    assert set(result.tables["air"]["category"].unique().to_list()) == {"VI"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"wlan.cell.standard": "802.11g", "wlan.cell.rate": "54 Mbit/s"},
            r'wlan "cell" of 802\.11g, on its path, has no EDCA',
        ),
        (
            {"flow.up.from": "s", "flow.up.to": "r"},
            r'no wlan of "802\.11n", "802\.11ac" or "802\.11ax" is on its path',
        ),
    ],
)
def test_an_access_category_without_edca_is_refused(changes: dict[str, object], words: str) -> None:
    scenario = cell(standard="802.11n", rate={"mcs": 7})
    scenario["wired"] = [{"name": "w", "ends": ["s", "r"], "rate": "1 Mbit/s", "delay": "1 ms"}]
    base = airhop.Scenario.load(scenario)
    with pytest.raises(ScenarioError, match=words):
        base.with_({"flow.up.access_category": "VO", **changes})


def test_a_path_over_two_cells_has_categories_only_in_the_modern_cell() -> None:
    """A flow of voice over 802.11g, which has one queue for all packets, and 802.11ac."""
    old = {"standard": "802.11g", "rate": "54 Mbit/s", "stations": {"a": [0, 0], "b": [1, 0], "c": [2, 0]}}
    new = {"standard": "802.11ac", "rate": {"mcs": 7}, "stations": {"b": [0, 0], "d": [1, 0], "e": [2, 0]}}
    flows = [
        {"name": "voice", "from": "a", "to": "d", "scheme": "cubic", "access_category": "VO"},
        {"name": "best", "from": "d", "to": "e", "scheme": "cubic"},
    ]
    wlans = [{"name": "old", **old}, {"name": "new", "txop": {"VO": "2.080 ms"}, **new}]
    scenario = airhop.Scenario.load({"name": "two", "duration": "1 s", "wlan": wlans, "flow": flows})
    result = airhop.run(scenario, seed=1, trace=True)
    assert verify(scenario, result) == []
    queues = [queue["name"] for queue in result.document["queues"]]
    assert queues == ["a->*", "b->*", "b->* VO", "d->*", "d->* VO", "e->*"]
