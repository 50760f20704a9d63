"""Saturated stations of 802.11n, ac and ax: closed forms, their draw, and ns-3's rows and departures."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import airhop
import cross_checks as page_of_checks
from airhop.crosscheck import (
    against_edca,
    against_ns3_wifi,
    against_wifi_forms,
    checks,
    measure,
    reference,
    wifi_forms,
)
from airhop.crosscheck.record import recorded
from airhop.crosscheck.wifi_forms import DurationSource, Link

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT / "python" / "airhop" / "crosscheck" / "reference" / "wifi.csv"

# Values from another program: link, MPDUs, PSDU in bytes, data PPDU in µs, and Mbit/s with the durations of
# the standard and of ns-3.44.
WORKED = [
    (Link("n", 7, 1, 20, ampdu=0), 1, 1538, 228.0, 30.787, 30.787),
    (Link("n", 7, 1, 20), 28, 43_230, 5360.0, 59.750, 59.750),
    (Link("n", 7, 1, 20, 400), 31, 47_862, 5340.0, 66.392, 66.407),
    (Link("n", 7, 2, 40), 42, 64_846, 1964.0, 233.023, 233.023),
    (Link("ac", 9, 1, 80, ampdu=0), 1, 1542, 72.0, 51.991, 52.926),
    (Link("ac", 9, 1, 80, ampdu=8191), 5, 7718, 200.0, 164.240, 166.093),
    (Link("ac", 9, 1, 80), 64, 98_814, 2068.0, 338.497, 339.106),
    (Link("ac", 9, 1, 80, rts=True), 64, 98_814, 2068.0, 325.627, 326.191),
    (Link("ac", 9, 1, 80, 400), 64, 98_814, 1868.0, 371.904, 373.156),
    (Link("ac", 9, 2, 80), 64, 98_814, 1060.0, 618.518, 620.555),
    (Link("ax", 11, 1, 20), 63, 97_270, 5483.2, 131.315, 131.296),
    (Link("ax", 11, 1, 80, ampdu=0), 1, 1542, 70.4, 52.361, 52.175),
    (Link("ax", 11, 1, 80), 256, 395_262, 5320.0, 549.468, 549.388),
    (Link("ax", 11, 2, 80), 256, 395_262, 2688.8, 1055.811, 1055.219),
    (Link("ax", 0, 1, 20), 3, 4630, 4354.4, 7.712, 7.711),
]


@pytest.mark.parametrize(("link", "mpdus", "psdu", "data_us", "ieee", "ns3"), WORKED)
def test_closed_forms_equal_the_worked_examples(
    link: Link, mpdus: int, psdu: int, data_us: float, ieee: float, ns3: float
) -> None:
    assert (link.mpdus(), link.psdu(mpdus)) == (mpdus, psdu)
    assert link.ppdu_us(psdu) == pytest.approx(data_us)
    assert link.goodput_mbps() == pytest.approx(ieee, abs=6e-4)
    assert link.goodput_mbps(DurationSource.NS3) == pytest.approx(ns3, abs=6e-4)


# Values from another program, Mbit/s: 802.11ac MCS 9 at 80 MHz with single MPDUs at 50 % loss, then 20
# stations with single MPDUs, and 802.11n MCS 7 at 20 MHz with the longest A-MPDUs.
def test_closed_forms_with_losses_and_contention_equal_the_worked_examples() -> None:
    single = Link("ac", 9, 1, 80, ampdu=0)
    assert single.lossy_goodput_mbps(0.5) == pytest.approx(14.3966, rel=1e-4)
    assert single.lossy_goodput_mbps(0.5, DurationSource.NS3) == pytest.approx(14.5388, rel=1e-4)
    assert single.lossy_goodput_mbps(0.0) == pytest.approx(single.goodput_mbps())
    assert single.contended_goodput_mbps(20) == pytest.approx(53.1057, rel=1e-3)
    assert Link("n", 7, 1, 20).contended_goodput_mbps(20) == pytest.approx(42.7716, rel=1e-3)


def test_all_closed_forms_count_each_datagram_of_an_a_msdu() -> None:
    """Without losses, or for one station, all closed forms equal that of a single station."""
    of = Link("n", 7, 1, 20, ampdu=4500, amsdu=3839)
    assert (of.msdus, of.mpdus()) == (2, 1)
    assert of.lossy_goodput_mbps(0.0) == pytest.approx(of.goodput_mbps())
    assert of.contended_goodput_mbps(1) == pytest.approx(of.goodput_mbps())


def test_control_frames_have_the_durations_of_legacy_ofdm() -> None:
    # Octets by rate: RTS, CTS, BlockAckReq, BlockAck of 64 and of 256 bits.
    found = [[wifi_forms.legacy_us(size, mbps) for mbps in (24, 12, 6)] for size in (20, 14, 24, 32, 56)]
    assert found == [[28, 36, 52], [28, 32, 44], [32, 40, 56], [32, 44, 68], [40, 60, 100]]


def test_vht_excludes_mcs_whose_bits_are_no_multiple_of_the_encoders() -> None:
    # IEEE 802.11-2020 §21.5: MCS 9 at 20 MHz with 1, 2, 4, 5, 7 and 8 streams, MCS 6 at 80 MHz with 3 and 7.
    at_20 = [streams for streams in range(1, 9) if not Link("ac", 9, streams, 20).exists]
    assert at_20 == [1, 2, 4, 5, 7, 8]
    assert [streams for streams in range(1, 9) if not Link("ac", 6, streams, 80).exists] == [3, 7]


# ---- the draw --------------------------------------------------------------------------------------------


def test_the_drawn_links_cover_every_pair_of_parameter_values() -> None:
    drawn = against_wifi_forms.draw()
    assert len(set(drawn)) == len(drawn) == against_wifi_forms.DRAWN
    covered = set().union(*map(against_wifi_forms.pairs, drawn))
    rng = Random(5)
    others = (against_wifi_forms._random(rng) for _ in range(20_000))
    assert all(against_wifi_forms.pairs(one) <= covered for one in others if one.exists)


# The tolerance of 0.5 % is five standard errors of the mean backoff.
def test_the_goodput_of_a_single_station_equals_the_closed_form() -> None:
    tested = [one for one in checks(quick=True) if one.source == "lone-wifi"]
    assert len(tested) == against_wifi_forms.TESTED + against_wifi_forms.TESTED_AMSDUS
    assert [row.to_dict() for row in measure(tested) if row.verdict != "within"] == []


# ---- ns-3's rows -----------------------------------------------------------------------------------------


def test_every_row_of_ns3_is_compared() -> None:
    with REFERENCE.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert Counter(row["exp"] for row in rows) == {"a": 252, "b": 28, "c": 38}
    compared = [one for one in checks() if one.source == "ns-3-wifi"]
    assert len(compared) == 318


def test_values_of_ns3_are_scaled_only_by_the_ratio_of_closed_forms() -> None:
    by_id = {one.id: one for one in checks() if one.source == "ns-3-wifi"}
    for row, theirs in reference.rows("wifi"):
        link = against_ns3_wifi.link(row)
        check = by_id[f"ns-3-wifi {' '.join(row.values())}"]
        ratio = check.theirs.mean / theirs.mean
        named = against_ns3_wifi.departures(link)
        assert ratio == pytest.approx(against_ns3_wifi.ratio(row))
        assert named or ratio == 1.0
        assert abs(ratio - 1.0) <= 0.04  # SIG-B and rounding change a cycle of 200 us by at most 8 us
        assert check.scenario.count(";") == len(named)


# IEEE 802.11n, ac and ax in ns-3: 95 % of the points within 3 %, all within their bounds.
def test_most_wifi_points_of_ns3_differ_by_less_than_3_percent() -> None:
    rows = [row for row in recorded(page_of_checks.MEASURED, checks()) if row.check.source == "ns-3-wifi"]
    near = sum(abs(row.difference) <= against_ns3_wifi.MOST_WITHIN for row in rows)
    assert near >= against_ns3_wifi.MOST * len(rows)


# ---- access categories -----------------------------------------------------------------------------------


def test_the_slot_model_of_edca_reproduces_its_recorded_values() -> None:
    """One seed of 20 s against the means of four runs of 600 s, without A-MPDUs."""
    known = {
        (row["functions"], row["ampdu_cap"], row["txop"], row["category"]): theirs.mean
        for row, theirs in reference.rows("edca")
        if row["peer"] == "model"
    }
    for functions, ampdu, txop in [case for case in against_edca.CASES if case[1] == 0][::5]:
        link = Link("n", 7, 1, 20, ampdu=ampdu)
        found = against_edca.goodput_mbps(link, functions, limits=bool(txop), seconds=20, seed=9)
        for category, mbps in zip(against_edca.names(functions), found, strict=True):
            recorded_mbps = known.get((functions, str(ampdu), str(txop), category), 0.0)
            assert mbps == pytest.approx(recorded_mbps, rel=0.1, abs=0.1)


@pytest.mark.parametrize(
    ("standard", "mcs", "width", "cap", "functions", "seconds"),
    [("n", 7, 20, "0", "VO+VI", 300), ("ac", 8, 80, "max", "VO+BE", 10)],
)
def test_reserved_txop_limits_have_the_goodput_of_the_slot_model(
    standard: str, mcs: int, width: int, cap: str, functions: str, seconds: int
) -> None:
    """Tolerances are 3 % above 1 Mbit/s, else 0.05 Mbit/s.

    CF-Ends occur, and reservations that starve best effort.
    """
    row = {"peer": "model", "std": standard, "mcs": str(mcs), "width_mhz": str(width), "ampdu_cap": cap}
    row |= {"txop": "limit", "functions": functions, "category": "VO"}
    scenario = airhop.Scenario.load(against_edca.document(row)).with_({"duration": f"{seconds + 0.5} s"})
    flows = airhop.run(scenario).to_dict()["flows"]
    found = {flow["name"]: flow["goodput_mbps"] for flow in flows}
    model = against_edca.goodput_mbps(
        against_edca.link(row), functions, limits=True, nav=True, seconds=2 * seconds, seed=1
    )
    for category, mbps in zip(against_edca.names(functions), model, strict=True):
        assert found[category] == pytest.approx(mbps, rel=0.03, abs=0.05)


@pytest.mark.parametrize("txop", ["0", "1"])
def test_block_ack_requests_have_the_goodput_of_the_slot_model(txop: str) -> None:
    """A BlockAckReq is the whole TXOP without a limit; with a limit data follows it after a SIFS.

    The goodput of video is 11.5 and 19.7 Mbit/s; 13.7 and 16.6 if A-MPDUs are sent again, and 15.3 Mbit/s if
    no data follows the BlockAckReq.
    """
    row = {"peer": "model", "std": "n", "mcs": "7", "width_mhz": "20", "ampdu_cap": "max", "txop": txop}
    row |= {"functions": "VO+VI", "category": "VO"}
    scenario = airhop.Scenario.load(against_edca.document(row))
    run = airhop.run(scenario.with_({"duration": "200.5 s", "wlan.cell.lost_block_ack": "request"}))
    found = [flow["goodput_mbps"] for flow in run.to_dict()["flows"]]
    link, limits = against_edca.link(row), txop == "1"
    model = against_edca.goodput_mbps(link, "VO+VI", limits=limits, seconds=400, seed=1, request=True)
    assert found == pytest.approx(model, rel=0.03)


def test_most_goodputs_of_access_categories_are_within_their_bounds() -> None:
    rows = [row for row in recorded(page_of_checks.MEASURED, checks()) if row.check.source == "edca"]
    assert len(rows) > 30
    assert [row.to_dict() for row in rows if row.verdict not in ("within", "open")] == []
