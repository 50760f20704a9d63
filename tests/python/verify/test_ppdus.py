"""Durations of PPDUs equal durations computed by hand from the formulas of the standard."""

from __future__ import annotations

from typing import Any

import pytest

from airhop.verify.ppdus import Ppdus


def ppdus(standard: str, mcs: int, width: int, *, streams: int = 1, guard: int = 800, **more: Any) -> Ppdus:
    return Ppdus(
        {
            "standard": standard,
            "band": "5 GHz",
            "width": f"{width} MHz",
            "guard_interval": f"{guard} ns",
            "rate": {"mcs": mcs, "streams": streams},
            "control_rate": "24 Mbit/s",
            "aggregation": {"bytes": "max", "amsdu": "max", "frames": 256 if standard == "802.11ax" else 64},
        }
        | more
    )


@pytest.mark.parametrize(
    ("cell", "mpdus", "octets", "microseconds"),
    [
        (ppdus("802.11n", 7, 20), 1, 1538, 228.0),
        (ppdus("802.11n", 7, 20), 28, 43_230, 5360.0),
        (ppdus("802.11n", 7, 20, guard=400), 31, 47_862, 5340.0),
        (ppdus("802.11n", 7, 40, streams=2), 42, 64_846, 1964.0),
        (ppdus("802.11ac", 9, 80), 1, 1538, 72.0),
        (ppdus("802.11ac", 9, 80), 64, 98_814, 2068.0),
        (ppdus("802.11ac", 9, 80, guard=400), 64, 98_814, 1868.0),
        (ppdus("802.11ac", 9, 80, streams=2), 64, 98_814, 1060.0),
        (ppdus("802.11ax", 11, 20), 63, 97_270, 5483.2),
        (ppdus("802.11ax", 11, 80), 256, 395_262, 5320.0),
        (ppdus("802.11ax", 11, 80, streams=2), 256, 395_262, 2688.8),
        (ppdus("802.11ax", 0, 20), 3, 4630, 4354.4),
        (ppdus("802.11n", 7, 20, band="2.4 GHz"), 1, 1538, 234.0),
    ],
)
def test_the_duration_of_a_ppdu_equals_the_formulas(
    cell: Ppdus, mpdus: int, octets: int, microseconds: float
) -> None:
    """MPDUs of 1538 bytes, each in a subframe of 1544."""
    if mpdus == 1:
        assert cell.airtime("data", octets) == microseconds * 1e3
        return
    assert cell.psdu([1538] * mpdus) == octets
    assert cell.airtime("a-mpdu", octets) == microseconds * 1e3


@pytest.mark.parametrize(
    ("mcs", "standard", "block_ack", "ack"),
    [(0, "802.11n", 68, 44), (2, "802.11n", 44, 32), (3, "802.11n", 32, 28), (7, "802.11ax", 40, 28)],
)
def test_responses_use_the_highest_basic_rate_below_the_mcs(
    mcs: int, standard: str, block_ack: int, ack: int
) -> None:
    cell = ppdus(standard, mcs, 20)
    assert cell.airtime("block-ack", cell.block_ack_bytes) == block_ack * 1000
    assert cell.airtime("ack", 14) == ack * 1000


def test_interframe_spaces_equal_those_of_best_effort_traffic() -> None:
    cell = ppdus("802.11ac", 9, 80)
    assert (cell.sifs, cell.aifs("BE"), cell.eifs("BE"), cell.timeout) == (16_000, 43_000, 103_000, 45_000)
