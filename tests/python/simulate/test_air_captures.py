"""Captures of the air contain the frames of the run's trace, and Wireshark dissects them."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from math import ceil
from pathlib import Path
from typing import Any

import pytest

import airhop
from air_capture import Frame, read
from airhop.results import Result

QUEUE = {"kind": "drop-tail", "packets": 500}
ERRORS = {"kind": "bernoulli", "loss": 0.1}
RECEIVED = ("received", "captured")
CONTROL_PREAMBLE_US = 20
SHORT_PREAMBLES_US = {"802.11": 128, "802.11b": 192, "802.11g": 20, "802.11n": 36, "802.11ac": 40}
"""Preambles of data PPDUs with one spatial stream (IEEE 802.11-2020 clauses 15 to 19, 21)."""


def cell(standard: str, flows: dict[str, dict[str, Any]], **keys: Any) -> dict[str, Any]:
    """Return a cell of an access point and two stations."""
    stations = {"ap": [0, 0], "a": [5, 0], "b": [0, 5]}
    wlan = {"name": "cell", "standard": standard, "queue": QUEUE, "errors": ERRORS, "stations": stations}
    return {"name": "cell", "duration": "60 ms", "wlan": [wlan | keys], "flow": [*_flows(flows)]}


def _flows(flows: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, keys in flows.items():
        to = keys.get("to", "ap")
        yield {"name": name, "from": name if to == "ap" else "ap", "to": to, "segment": "1448 B"} | keys


def udp(rate: str, **keys: Any) -> dict[str, Any]:
    """Return the keys of a flow of datagrams."""
    return {"transport": "udp", "app": {"kind": "cbr", "rate": rate}} | keys


TCP = {"scheme": "cubic"}
BOTH = {"a": TCP, "b": udp("30 Mbit/s")}
CELLS = {
    "n": cell("802.11n", BOTH, rate={"mcs": 7}),
    "n at 2.4 GHz": cell("802.11n", BOTH, rate={"mcs": 3}, band="2.4 GHz", attempts=3),
    "n without aggregation": cell("802.11n", BOTH, rate={"mcs": 7}, aggregation={"bytes": 0}),
    "ac with A-MSDUs": cell(
        *("802.11ac", {"a": udp("200 Mbit/s", segment="400 B"), "b": udp("200 Mbit/s", segment="200 B")}),
        rate={"mcs": 5},
        aggregation={"amsdu": 3839},
        access="rts-cts",
    ),
    "ac with BlockAckReqs": cell(
        *("802.11ac", {"a": udp("300 Mbit/s"), "b": udp("300 Mbit/s")}),
        rate={"mcs": 8},
        lost_block_ack="request",
        aggregation={"frames": 16},
    ),
    "ax": cell("802.11ax", {"a": udp("300 Mbit/s", to="a"), "b": TCP}, rate={"mcs": 9}),
    "categories": cell(
        *(
            "802.11n",
            {"a": udp("10 Mbit/s", access_category="VO"), "b": udp("40 Mbit/s", access_category="BK")},
        ),
        rate={"mcs": 7},
    ),
    "g": cell("802.11g", BOTH, rate="54 Mbit/s", access="rts-cts"),
    "b in fragments": cell("802.11b", BOTH, rate="11 Mbit/s", fragmentation="500 B"),
    "fhss": cell("802.11", {"a": udp("1 Mbit/s", segment="500 B")}, rate="2 Mbit/s"),
}


def captured(network: dict[str, Any], folder: Path) -> tuple[Result, list[Frame]]:
    """Run a network with a trace and captures."""
    result = airhop.run(airhop.Scenario.load(network), seed=3, trace=True, pcap_dir=folder)
    comments, name, frames = read(folder / "cell.air.pcapng")
    assert comments[0].startswith("Cell cell, ")
    assert name == "cell"
    return result, frames


def ppdus(frames: list[Frame]) -> list[list[Frame]]:
    """Group frames by PPDU: A-MPDUs by their reference, other frames alone."""
    numbered = enumerate(frames)
    key = lambda pair: (pair[1].reference, pair[0] if pair[1].reference is None else 0)  # noqa: E731
    return [[frame for _, frame in group] for _, group in groupby(numbered, key)]


@pytest.mark.parametrize("name", CELLS)
def test_a_capture_has_the_ppdus_of_the_table_air(name: str, tmp_path: Path) -> None:
    """Each row of `air` is a PPDU: time, stations, kind, length, outcome."""
    result, frames = captured(CELLS[name], tmp_path)
    rows = result.tables["air"].to_dicts()
    found = ppdus(frames)
    assert len(found) == len(rows) > 20
    addresses = dict(zip(("ap", "a", "b"), (f"02:a1:00:00:00:0{n}" for n in (1, 2, 3)), strict=True))
    addresses["*"] = "ff:ff:ff:ff:ff:ff"
    legacy = CELLS[name]["wlan"][0]["standard"] in ("802.11", "802.11b", "802.11g")
    for ppdu, row in zip(found, rows, strict=True):
        first = ppdu[0]
        assert {frame.time_ns for frame in ppdu} == {round(row["end_s"] * 1e9)}
        assert {frame.receiver for frame in ppdu} == {addresses[row["to"]]}
        assert {frame.transmitter for frame in ppdu} <= {addresses[row["from"]], ""}
        received = row["outcome"] in RECEIVED
        assert any(not frame.bad_fcs for frame in ppdu) is received
        data = "data" if legacy else "qos-data"
        if row["kind"] in ("data", "broadcast"):
            assert [frame.kind for frame in ppdu] == [data]
        elif row["kind"] == "a-mpdu":
            assert {frame.kind for frame in ppdu} == {data}
            assert [frame.is_last for frame in ppdu] == [False] * (len(ppdu) - 1) + [True]
            assert len(ppdu) > 1
            subframes = [4 * ceil((frame.bytes + 4) / 4) for frame in ppdu[:-1]]
            assert sum(subframes) + ppdu[-1].bytes + 4 == row["bytes"]
        else:
            assert [frame.kind for frame in ppdu] == [row["kind"]]
            assert first.bytes == row["bytes"]
        if row["kind"] == "data":
            assert first.bytes == row["bytes"]
        assert (first.tid is None) is (legacy or first.kind in ("rts", "cts", "ack"))


@pytest.mark.parametrize("name", CELLS)
def test_a_capture_is_sound_in_itself(name: str, tmp_path: Path) -> None:
    """FCS, comments, sequence numbers, PHY fields and TSF timer are consistent."""
    result, frames = captured(CELLS[name], tmp_path)
    standard = CELLS[name]["wlan"][0]["standard"]
    starts = {round(row["end_s"] * 1e9): row["start_s"] for row in result.tables["air"].iter_rows(named=True)}
    sent = Counter[tuple[str, str, int | None, int, int]]()
    for frame in frames:
        assert frame.fcs_holds is not frame.bad_fcs
        assert frame.bad_fcs is frame.comment.startswith("lost on ")
        is_data = frame.kind in ("data", "qos-data")
        is_new = standard in ("802.11n", "802.11ac", "802.11ax")
        field = {"802.11n": 19, "802.11ac": 21, "802.11ax": 23}.get(standard)
        assert set(frame.modes) == ({field} if is_new and is_data else set())
        assert (frame.rate_mbps is None) is (is_new and is_data)
        assert (frame.reference is None) or is_data
        preamble = SHORT_PREAMBLES_US.get(standard, 43.2) if is_data or not is_new else CONTROL_PREAMBLE_US
        begun = starts[frame.time_ns] * 1e6 + preamble
        assert frame.tsft_us == pytest.approx(begun - 0.5, abs=0.51)
        if is_data:
            key = (frame.transmitter, frame.receiver, frame.tid, frame.sequence, frame.fragment)
            assert frame.retry is (sent[key] > 0), "a retransmission has the Retry bit"
            sent[key] += 1


@pytest.mark.parametrize("name", [name for name in CELLS if "aggregation" not in name])
def test_a_capture_has_the_mpdus_of_the_table_mpdus(name: str, tmp_path: Path) -> None:
    """Each MPDU of `mpdus` is a Data frame with its packets, sequence number and outcome."""
    result, frames = captured(CELLS[name], tmp_path)
    mpdus = result.tables["mpdus"]
    if not mpdus.height:
        assert CELLS[name]["wlan"][0]["standard"] in ("802.11", "802.11b", "802.11g")
        return
    data = [frame for frame in frames if frame.kind == "qos-data"]
    rows = [[*group] for _, group in groupby(mpdus.to_dicts(), lambda row: (row["ppdu"], row["place"]))]
    assert len(rows) == len(data)
    for packets, frame in zip(rows, data, strict=True):
        first = packets[0]
        assert frame.bytes == first["bytes"]
        assert frame.sequence == first["sequence"] % 4096
        assert frame.bad_fcs is (first["outcome"] not in RECEIVED)
        assert len(frame.datagrams) == len(packets)
        for packet, datagram in zip(packets, frame.datagrams, strict=True):
            if packet["packet"] == "datagram":
                assert datagram[9] == 17
                assert int.from_bytes(datagram[28:36], "big") == packet["seq"]
            else:
                assert datagram[9] == 6
    if "A-MSDU" in name:
        assert any(len(packets) > 1 for packets in rows)


@pytest.mark.parametrize("name", ["n", "ac with A-MSDUs", "ac with BlockAckReqs", "ax"])
def test_a_block_ack_lists_the_mpdus_that_arrived(name: str, tmp_path: Path) -> None:
    """IEEE 802.11-2020 §10.25.6.5: each MPDU that arrived is in the bitmap, unless it is below the window."""
    _, frames = captured(CELLS[name], tmp_path)
    found = ppdus(frames)
    answered = 0
    for ppdu, answer in pairwise(found):
        if answer[0].kind != "block-ack" or ppdu[0].kind != "qos-data":
            continue
        ack = answer[0]
        for frame in ppdu:
            place = (frame.sequence - ack.start) % 4096
            if place < 256:
                seen = bool(ack.bitmap >> place & 1)
                arrived_before = frame.retry and seen
                assert seen is (not frame.bad_fcs) or arrived_before
        assert ack.receiver == ppdu[0].transmitter
        assert ack.tid == ppdu[0].tid
        answered += 1
    assert answered > 5


def test_duration_fields_reserve_the_medium_until_the_end_of_the_response(tmp_path: Path) -> None:
    """IEEE 802.11-2020 §9.2.5: the Duration field covers the frames that follow, a SIFS apart."""
    _, frames = captured(CELLS["ac with A-MSDUs"], tmp_path)
    found = [ppdu[0] for ppdu in ppdus(frames)]
    exchanges = [
        four
        for four in zip(found, found[1:], found[2:], found[3:], strict=False)
        if [frame.kind for frame in four] == ["rts", "cts", "qos-data", "block-ack"]
    ]
    assert len(exchanges) > 5
    for four in exchanges:
        end = four[-1].time_ns
        for frame in four:
            assert frame.duration_us == ceil((end - frame.time_ns) / 1000)


def test_fragments_of_a_packet_are_its_bytes_in_order(tmp_path: Path) -> None:
    """IEEE 802.11-2020 §10.4: fragments of an MSDU are consecutive, all but the last with More Fragments."""
    _, frames = captured(CELLS["b in fragments"], tmp_path)
    whole: dict[tuple[str, int], dict[int, Frame]] = {}
    for frame in frames:
        if frame.kind == "data" and not frame.bad_fcs:
            whole.setdefault((frame.transmitter, frame.sequence), {})[frame.fragment] = frame
    complete = [parts for parts in whole.values() if not parts[max(parts)].more_fragments and len(parts) > 1]
    assert len(complete) > 3
    for parts in complete:
        assert sorted(parts) == list(range(len(parts)))
        assert [parts[n].more_fragments for n in sorted(parts)] == [True] * (len(parts) - 1) + [False]
        msdu = b"".join(parts[n].datagrams[0] for n in sorted(parts))
        assert msdu[:8] == b"\xaa\xaa\x03\x00\x00\x00\x08\x00"
        assert int.from_bytes(msdu[10:12], "big") == len(msdu) - 8


def test_a_capture_is_deterministic_and_leaves_the_run_as_it_is(tmp_path: Path) -> None:
    """Equal runs write equal bytes, and a run without captures has the same fingerprint."""
    scenario = airhop.Scenario.load(CELLS["n"])
    bare = airhop.run(scenario, seed=3)
    runs = [airhop.run(scenario, seed=3, pcap_dir=tmp_path / name) for name in ("first", "second")]
    assert {run.document["fingerprint"] for run in runs} == {bare.document["fingerprint"]}
    first, second = ((tmp_path / name / "cell.air.pcapng").read_bytes() for name in ("first", "second"))
    assert first == second


def dissect(path: Path, *fields: str, options: tuple[str, ...] = ()) -> list[dict[str, str]]:
    """Return fields of each frame as tshark reads them."""
    words = [word for field in fields for word in ("-e", field)]
    settings = [word for option in options for word in ("-o", option)]
    command = ["tshark", "-n", "-r", str(path), *settings, "-T", "fields", *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return [dict(zip(fields, line.split("\t"), strict=True)) for line in ended.stdout.split("\n")[:-1]]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
@pytest.mark.parametrize("name", CELLS)
def test_wireshark_dissects_each_frame(name: str, tmp_path: Path) -> None:
    """No frame is malformed, and tshark finds the fields and FCS states that the reader finds."""
    result, frames = captured(CELLS[name], tmp_path)
    path = tmp_path / "cell.air.pcapng"
    rows = dissect(
        path, *("_ws.malformed", "wlan.ra", "wlan.seq", "wlan.fc.retry", "wlan.fixed.ssc.sequence")
    )
    assert len(rows) == len(frames)
    for row, frame in zip(rows, frames, strict=True):
        assert row["_ws.malformed"] == ""
        assert row["wlan.ra"] == frame.receiver
        assert row["wlan.seq"] == ("" if frame.sequence < 0 else str(frame.sequence))
        assert int(row["wlan.fc.retry"]) == frame.retry
        assert row["wlan.fixed.ssc.sequence"] == ("" if frame.start < 0 else str(frame.start))
    checked = dissect(path, "wlan.fcs.status", options=("wlan.check_checksum:TRUE",))
    assert [row["wlan.fcs.status"] for row in checked] == ["01"[not frame.bad_fcs] for frame in frames]
    radio = dissect(path, "radiotap.ampdu.reference", "wlan_radio.duration")
    lasting = {
        round(row["end_s"] * 1e9): 1e6 * (row["end_s"] - row["start_s"])
        for row in result.tables["air"].iter_rows(named=True)
    }
    for row, frame in zip(radio, frames, strict=True):
        found = row["radiotap.ampdu.reference"]
        assert (int(found, 0) if found else None) == frame.reference
        if frame.rate_mbps is not None and name != "fhss":  # Wireshark does not compute this duration
            # Wireshark omits the signal extension of 802.11g and of 2.4 GHz.
            extension = 6 if frame.channel == (2412, 0xC0) else 0
            assert int(row["wlan_radio.duration"]) == pytest.approx(lasting[frame.time_ns] - extension, abs=1)
