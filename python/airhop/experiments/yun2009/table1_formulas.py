"""Formulas of Table 1, evaluated for the paper's path and one transmission per frame.

Unless stated otherwise, times are in milliseconds, and sizes are bytes of IP packets. The path is that of the
scenarios `yun2009-downlink` and `yun2009-uplink`: 802.11b at 11 Mbit/s, and three wired links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Literal

from airhop.experiments.yun2009.notices import SEGMENT

FER = 0.01
"""FER of a full data frame, as in all figures for which the paper names no FER."""
LINKS, LINK_MS, LINK_MBPS = 3, 10.0, 10.0
SLOT_MS, SIFS_MS, PLCP_MS, CW_MIN, RADIO_MBPS = 0.020, 0.010, 0.192, 31, 11.0
DIFS_MS = SIFS_MS + 2 * SLOT_MS
EIFS_MS = SIFS_MS + PLCP_MS + 14 * 8 / 1000 + DIFS_MS
"""EIFS in milliseconds, with a link ACK at 1 Mbit/s."""
HEADERS, OVERHEAD = 40, 36
"""Bytes of the IP and TCP headers, and bytes of MAC header, LLC and frame check sequence."""
FRAGMENTS = (100, 256, 256, 256, 172)
"""Sizes in bytes of LHP's fragments of 1040 bytes. With one transmission each, a slot is one fragment."""


@dataclass(frozen=True)
class Row:
    """Row of Table 1 for a scheme."""

    label: str
    data_option: int = 0
    """Bytes of TCP options of a segment."""
    notice: int = HEADERS
    """Bytes of the packet with the notice. An ELN has 8 more if its segment is not the next expected one."""
    detects: Literal["receiver", "base station", "link layer"] = "receiver"
    """Detector of a loss: the receiver, the base station (from the next ACK), or the link layer."""
    failure: Callable[[Row], float] = lambda _: 0.0
    """Probability of a detection failure: a loss without a notice."""

    @property
    def segments(self) -> int:
        """Segments in flight under light load."""
        return 2 if self.detects == "base station" else 1

    def delay_ms(self, way: str) -> tuple[float, float]:
        """Return Table 1's ELN delay, and the part of this delay on the wire, in milliseconds."""
        if self.detects == "link layer" and way == "uplink":
            return 0.0, 0.0
        data, notice = SEGMENT + HEADERS + self.data_option, self.notice
        air = 0.0 if self.detects == "link layer" else wireless_ms(notice)
        air += wireless_ms(data) if self.detects == "base station" else 0.0
        wire = wired_ms(notice) + (wired_ms(data) if way == "uplink" else 0.0)
        return air + wire, wire


def wireless_ms(size: int) -> float:
    """Return the time in milliseconds of an IP packet across the wireless link: equation (1)."""
    from airhop.experiments.yun2009.equations import crossing_time

    attempt = DIFS_MS + SLOT_MS * CW_MIN / 2 + PLCP_MS + 8e-3 * (size + OVERHEAD) / RADIO_MBPS
    return float(crossing_time(attempt, hit(size + OVERHEAD)))


def wired_ms(size: int) -> float:
    """Return the time in milliseconds of an IP packet across the wired path: T_wrd."""
    return LINKS * (LINK_MS + 8e-3 * size / LINK_MBPS)


def hit(size: int) -> float:
    """Return the probability of a bit error in `size` bytes of a frame."""
    survives: float = (1.0 - FER) ** (size / (SEGMENT + HEADERS + OVERHEAD))
    return 1.0 - survives


def header_hit(row: Row) -> float:
    """Return P_f_header, the probability that the headers of a damaged frame are damaged."""
    headers = OVERHEAD + HEADERS + row.data_option
    return hit(headers) / hit(headers + SEGMENT)


def fragment_lost(_: Row) -> float:
    """Return P_f_frag, the probability that a lost packet's first fragment failed in every slot."""
    frames = [size + OVERHEAD for size in FRAGMENTS]
    arrived = prod(1.0 - hit(frame) for frame in frames)
    return hit(frames[0]) ** len(frames) / (1.0 - arrived)


ROWS = {
    "eln": Row("Balakrishnan", detects="base station"),
    "hack": Row("HACK", data_option=4, notice=HEADERS + 8, failure=header_hit),
    "ewln": Row("EWLN", notice=HEADERS + 8, failure=header_hit),
    "tcp-eln": Row("TCP-ELN", data_option=4, notice=HEADERS + 8, failure=header_hit),
    "lhp": Row("LHP", notice=HEADERS + 8, failure=fragment_lost),
    "ll-elsn": Row("LL-ELSN", detects="link layer"),
}
