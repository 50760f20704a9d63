"""Packet error rates of the verifier, compared with those of ns-3.44's error models."""

from __future__ import annotations

import math
from typing import Any

import pytest

from airhop.verify.ppdus import Ppdus
from airhop.verify.snr import BySnr


def link(mcs: int, model: str, coding: str, snr: float, **more: Any) -> BySnr:
    """Return a link without path loss at this SNR: 802.11ax, 80 MHz, one stream."""
    ppdus = Ppdus(
        {
            "standard": "802.11ax",
            "band": "5 GHz",
            "width": "80 MHz",
            "guard_interval": "800 ns",
            "rate": {"mcs": mcs, "streams": 1},
        }
    )
    noise = -174 + 10 * math.log10(80e6) + 7
    table = {
        "kind": "snr",
        "model": model,
        "coding": coding,
        "power": f"{noise + snr} dBm",
        "noise_figure": "7 dB",
        "exponent": 3.0,
        "reference_loss": "0 dB",
        "power_split": True,
    }
    return BySnr(ppdus, table | more, 1.0)


@pytest.mark.parametrize(
    ("model", "coding", "mcs", "octets", "snr", "per", "tolerance"),
    [
        ("nist", "bcc", 0, 1538, 3.5, 0.419533, 1e-5),
        ("nist", "bcc", 0, 100, 3.0, 0.177535, 1e-5),
        ("yans", "bcc", 10, 1538, 32.0, 0.338911, 1e-5),
        ("yans", "bcc", 11, 100, 32.5, 0.287138, 1e-5),
        ("table", "bcc", 11, 100, 32.5, 0.287138, 1e-5),
        ("table", "bcc", 0, 1538, 1.0, 0.0698079, 0.1),
        ("table", "bcc", 7, 100, 18.5, 0.131178, 0.1),
        ("table", "ldpc", 11, 1538, 28.5, 0.418943, 0.1),
        ("table", "ldpc", 11, 100, 28.5, 0.0346837, 0.1),
    ],
)
def test_the_packet_error_rate_equals_that_of_ns3(
    model: str, coding: str, mcs: int, octets: int, snr: float, per: float, tolerance: float
) -> None:
    """The closed forms have the same digits; the fitted curves are within 0.05 dB, a tenth of the rate."""
    assert link(mcs, model, coding, snr).per(octets) == pytest.approx(per, rel=tolerance)


def test_frames_below_the_minimum_power_are_lost() -> None:
    noise = -174 + 10 * math.log10(80e6) + 7
    assert link(0, "table", "bcc", 40.0, min_rssi=f"{noise + 39} dBm").per(100) < 1e-9
    assert link(0, "table", "bcc", 40.0, min_rssi=f"{noise + 41} dBm").per(100) == 1.0
