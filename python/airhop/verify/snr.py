"""Packet error rates of the error model `snr`, computed from the published formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from airhop.verify.ppdus import Ppdus

_Curve = tuple[float, float]
"""SNR in dB at a packet error rate of 50 %, and steepness of the error curve in decades.

Without any signal, the errors per octet are higher by this number of decades.
"""
_BCC: Mapping[int, tuple[_Curve, ...]] = {
    100: (
        (-0.75, 4.20), (2.26, 4.23), (4.74, 4.30), (7.64, 3.41), (10.85, 3.72),
        (14.83, 3.07), (16.16, 3.15), (17.61, 3.00), (21.22, 2.70), (22.81, 2.93),
    ),
    1538: (
        (0.31, 5.69), (3.31, 5.49), (5.78, 5.37), (8.94, 4.43), (12.03, 4.45),
        (16.23, 3.77), (17.56, 4.03), (18.82, 3.94), (22.78, 3.41), (24.27, 3.58),
    ),
}  # fmt: skip
"""Curves of BCC by frame length in bytes and by MCS. The curves were fitted at these two lengths."""
_LDPC: Mapping[int, tuple[_Curve, ...]] = {
    1538: (
        (-0.95, 11.95), (2.06, 12.06), (4.56, 13.84), (7.53, 9.09), (10.60, 11.82), (14.76, 9.92),
        (16.14, 10.14), (17.64, 9.52), (21.28, 9.33), (23.09, 8.28), (26.38, 8.12), (28.42, 7.41),
    ),
}  # fmt: skip
_WEIGHTS = {
    (1, 2): (10, 2, (36, 211, 1404, 11633, 77433, 502690, 3322763, 21292910, 134365911)),
    (2, 3): (6, 1, (3, 70, 285, 1276, 6160, 27128, 117019, 498860, 2103891, 8784123)),
    (3, 4): (5, 1, (42, 201, 1492, 10469, 62935, 379644, 2253373, 13073811, 75152755, 428005675)),
    (5, 6): (
        4,
        1,
        (92, 528, 8694, 79453, 792114, 7375573, 67884974, 610875423, 5427275376, 47664215639),
    ),
}
"""Minimum distance, step and weights of the code 133/171, by code rate.

Frenger et al. 1999; Haccoun and Bégin 1989.
"""
_PATHS = {(1, 2): (10, 11, 0), (2, 3): (6, 1, 16), (3, 4): (5, 8, 31), (5, 6): (4, 14, 69)}
"""Minimum distance, and number of paths at this distance and at the next, by code rate."""


@dataclass(frozen=True)
class BySnr:
    """Error model `snr` for frames with data between two stations."""

    ppdus: Ppdus
    """PPDUs of the cell."""
    model: Mapping[str, Any]
    """Table of the error model."""
    metres: float
    """Distance of the stations in metres."""

    @cached_property
    def rssi(self) -> float:
        """Total received power in dBm over all streams (log-distance path loss)."""
        loss = _decibels(self.model["reference_loss"])
        loss += 10 * float(self.model["exponent"]) * math.log10(max(self.metres, 1.0))
        return _decibels(self.model["power"]) - loss

    @cached_property
    def snr(self) -> float:
        """SNR per stream and subcarrier in dB."""
        noise = -174 + 10 * math.log10(self.ppdus.width * 1e6) + _decibels(self.model["noise_figure"])
        split = 10 * math.log10(self.ppdus.streams) if self.model["power_split"] else 0.0
        return self.rssi - noise - split

    def per(self, octets: int) -> float:
        """Return the packet error rate of an MPDU."""
        if "min_rssi" in self.model and self.rssi < _decibels(self.model["min_rssi"]):
            return 1.0
        match self.model["model"]:
            case "nist":
                return _per(self._nist, octets)
            case "yans":
                return _per(self._yans, octets)
        is_bcc = self.model["coding"] == "bcc"
        if is_bcc and self.ppdus.mcs > 9:  # as in ns-3
            return _per(self._yans, octets)
        curves = _BCC if is_bcc else _LDPC
        events = [self._events(fitted, by_mcs[self.ppdus.mcs]) for fitted, by_mcs in curves.items()]
        way = min(max(math.log(octets / 100) / math.log(1538 / 100), 0.0), 1.0)
        return -math.expm1(-octets * 10 ** (events[0] + (events[-1] - events[0]) * way))

    def _events(self, octets: int, curve: _Curve) -> float:
        """Return log10 of the errors per octet at the frame length of the fitted curve."""
        half, decades = curve
        return math.log10(math.log(2) / octets) + decades * (1 - 10 ** ((self.snr - half) / 10))

    @cached_property
    def _nist(self) -> float:
        """Bit error rate by the union bound (Pei and Henderson 2010)."""
        bits, snr = self.ppdus.modulation[0], 10 ** (self.snr / 10)
        if bits == 1:
            raw = math.erfc(math.sqrt(snr)) / 2
        elif bits == 2:
            raw = math.erfc(math.sqrt(snr / 2)) / 2
        else:
            side = math.sqrt(2**bits)
            raw = (side - 1) / (side * math.log2(side)) * math.erfc(math.sqrt(1.5 * snr / (2**bits - 1)))
        least, step, weights = _WEIGHTS[self._code]
        bound = math.sqrt(4 * raw * (1 - raw))
        total = sum(weight * bound ** (least + step * place) for place, weight in enumerate(weights))
        return min(total / (2 * self._code[0]), 1.0)

    @cached_property
    def _yans(self) -> float:
        """Bit error rate by the first terms of the bound (Lacage and Henderson 2006)."""
        bits = self.ppdus.modulation[0]
        ratio = 10 ** (self.snr / 10) * self.ppdus.symbol_gain / bits
        if bits == 1:
            raw = math.erfc(math.sqrt(ratio)) / 2
        else:
            points = 2**bits
            side = (1 - 1 / math.sqrt(points)) * math.erfc(math.sqrt(1.5 * bits / (points - 1) * ratio))
            raw = (1 - (1 - side) ** 2) / bits
        least, *paths = _PATHS[self._code]
        total = sum(many * _mistaken(raw, least + more) for more, many in enumerate(paths))
        return min(total, 1.0)

    @property
    def _code(self) -> tuple[int, int]:
        return self.ppdus.modulation[1].as_integer_ratio()


def _mistaken(raw: float, distance: int) -> float:
    """Return the probability that a decoder prefers a wrong path at this distance."""
    return sum(
        math.comb(distance, errors)
        * raw**errors
        * (1 - raw) ** (distance - errors)
        * (0.5 if 2 * errors == distance else 1.0)
        for errors in range((distance + 1) // 2, distance + 1)
    )


def _per(bit_error_rate: float, octets: int) -> float:
    return 1.0 if bit_error_rate >= 1 else -math.expm1(8 * octets * math.log1p(-bit_error_rate))


def _decibels(text: str) -> float:
    return float(text.split()[0])
