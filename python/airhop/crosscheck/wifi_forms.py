"""Closed forms of a single saturated 802.11n, ac or ax station: PPDU durations, A-MPDU lengths, goodput.

Best effort at 5 GHz (IEEE 802.11-2020; 802.11ax-2021, clause 27): SIFS 16 µs, slot 9 µs, AIFS 43 µs, mean
backoff 7.5 slots. With `DurationSource.NS3`, the durations are those of ns-3.44.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import count

from airhop.crosscheck.laws import Dcf

SIFS_US, SLOT_US = 16.0, 9.0
AIFS_US, MEAN_BACKOFF_US = SIFS_US + 3 * SLOT_US, 7.5 * SLOT_US
BACKOFF_SD_US = SLOT_US * math.sqrt((16**2 - 1) / 12)
"""Standard deviation in µs of a backoff that is uniform in 0 … 15 slots."""
LONGEST_PPDU_US = 5484.0
"""aPPDUMaxTime of HT-mixed, VHT and HE PPDUs in µs."""
TIMEOUT_US = SIFS_US + SLOT_US + 20.0
"""ACK timeout after a frame in µs: SIFS, slot and aRxPHYStartDelay."""
ATTEMPTS, STAGES = 7, 6
"""dot11ShortRetryLimit, and the number of doublings from a window of 15 to 1023 slots."""
RTS_BYTES, CTS_BYTES, ACK_BYTES = 20, 14, 14
CONTROL_MBPS = 24
"""Rate of RTS frames in Mbit/s."""


class DurationSource(Enum):
    """Source of the durations: the standard, or ns-3.44 with departures from the standard."""

    IEEE = "IEEE"
    NS3 = "ns-3"


_TONES: Mapping[str, Mapping[int, int]] = {
    "n": {20: 52, 40: 108},
    "ac": {20: 52, 40: 108, 80: 234, 160: 468},
    "ax": {20: 234, 40: 468, 80: 980, 160: 1960},
}
"""N_SD by standard and width in MHz; for HE the value of the resource unit that fills the channel."""
_BITS = (1, 2, 2, 4, 4, 6, 6, 6, 8, 8, 10, 10)
_CODES = (
    *(Fraction(1, 2), Fraction(1, 2), Fraction(3, 4), Fraction(1, 2), Fraction(3, 4), Fraction(2, 3)),
    *(Fraction(3, 4), Fraction(5, 6), Fraction(3, 4), Fraction(5, 6), Fraction(3, 4), Fraction(5, 6)),
)
_LTFS = (1, 2, 4, 4, 6, 6, 8, 8)
_ENCODER_BITS = {"n": 1080, "ac": 2160}
"""Maximum number of data bits that one convolutional encoder can encode per symbol."""
_VHT_LEFT_OUT = {(80, 3, 6), (80, 6, 9), (80, 7, 6), (160, 3, 9)}
"""Width, streams and MCS of VHT modes that the tables of §21.5 exclude. The data bits of these modes would
divide evenly among the encoders.
"""
LONGEST_AMPDU = {"n": 65_535, "ac": 1_048_575, "ax": 6_500_631}
LONGEST_AMSDU = {"n": 4095 - 30, "ac": 11_454 - 30, "ax": 11_454 - 30}
"""Longest A-MSDU in an A-MPDU, in bytes. MPDUs of HT have at most 4095 bytes (§9.7.1), of VHT and HE 11454.
"""
WINDOW = {"n": 64, "ac": 64, "ax": 256}
"""Block Ack window in MPDUs."""
MCS = {"n": 8, "ac": 10, "ax": 12}
STREAMS = {"n": 4, "ac": 8, "ax": 8}
GUARDS_NS = {"n": (400, 800), "ac": (400, 800), "ax": (800, 1600, 3200)}
WIDTHS_MHZ = {standard: tuple(widths) for standard, widths in _TONES.items()}


@dataclass(frozen=True)
class Link:
    """Transmission settings of a saturated station.

    Attributes
    ----------
    standard
        "n", "ac" or "ax".
    mcs
        Index per stream.
    streams
        Spatial streams.
    width
        Channel width in MHz.
    guard_ns
        Guard interval in ns.
    ampdu
        Longest A-MPDU in bytes. 0 sends one MPDU per PPDU. None means the standard's limit.
    rts
        True if RTS and CTS precede each data PPDU.
    payload
        Bytes of a datagram.
    amsdu
        Longest A-MSDU in bytes. 0 sends one datagram per MPDU.
    """

    standard: str
    mcs: int
    streams: int
    width: int
    guard_ns: int = 800
    ampdu: int | None = None
    rts: bool = False
    payload: int = 1472
    amsdu: int = 0

    @property
    def exists(self) -> bool:
        """True if the standard has this mode."""
        if self.standard != "ac":
            return True
        is_left_out = (self.width, self.streams, self.mcs) in _VHT_LEFT_OUT
        return (self._coded * _CODES[self.mcs]).denominator == 1 and not is_left_out

    def mpdu_of(self, msdus: int) -> int:
        """Return the length in bytes of an MPDU with `msdus` datagrams.

        The length includes UDP, IP, LLC and SNAP headers, QoS data header and FCS. In an A-MSDU, each
        datagram follows a header of 14 bytes. Each datagram except the last is padded to a multiple of 4
        bytes (§9.3.2.2.2).
        """
        msdu = self.payload + 8 + 20 + 8
        body = msdu if msdus == 1 else (msdus - 1) * 4 * math.ceil((14 + msdu) / 4) + 14 + msdu
        return 26 + body + 4

    @property
    def msdus(self) -> int:
        """Number of datagrams in a full MPDU.

        The number is limited by the A-MPDU limit, and by the longest PPDU with the standard's durations.
        """
        most = LONGEST_AMPDU[self.standard] if self.ampdu is None else self.ampdu
        longest = min(self.amsdu, LONGEST_AMSDU[self.standard])

        def fits(msdus: int) -> bool:
            mpdu = self.mpdu_of(msdus)
            return mpdu - 30 <= longest and mpdu + 4 <= most and self.ppdu_us(mpdu + 4) <= LONGEST_PPDU_US

        return next(msdus for msdus in count(1) if not fits(msdus + 1))

    @property
    def mpdu(self) -> int:
        """Length of a full MPDU in bytes."""
        return self.mpdu_of(self.msdus)

    @property
    def data_bits(self) -> int:
        """N_DBPS, data bits of a symbol."""
        return math.floor(self._coded * _CODES[self.mcs])

    @property
    def symbol_us(self) -> float:
        """Duration of a symbol in µs."""
        if self.standard == "ax":
            return (12_800 + self.guard_ns) / 1000
        return 3.6 if self.guard_ns == 400 else 4.0

    @property
    def _coded(self) -> int:
        return _TONES[self.standard][self.width] * _BITS[self.mcs] * self.streams

    @property
    def _encoders(self) -> int:
        """Number of encoders N_ES; 0 for LDPC.

        HE requires LDPC above 20 MHz, 4 streams or MCS 9 (§27.3.12.5).
        """
        if self.standard == "ax":
            return int(self.width == 20 and self.streams <= 4 and self.mcs <= 9)
        count = math.ceil(self.data_bits / _ENCODER_BITS[self.standard])
        while self._coded % count or self.data_bits % count:
            count += 1
        return count

    def preamble_us(self, source: DurationSource = DurationSource.IEEE) -> float:
        """Return the time before the data symbols in µs (§19.3.2, §21.3.2, §27.3.4)."""
        ltfs = _LTFS[self.streams - 1]
        if self.standard == "n":
            return 32.0 + 4.0 * ltfs
        if self.standard == "ac":
            return 32.0 + 4.0 * ltfs + (4.0 if source is DurationSource.IEEE else 0.0)  # VHT-SIG-B
        ltf = {800: 7.2, 1600: 8.0, 3200: 16.0}[self.guard_ns] if source is DurationSource.IEEE else 8.0
        return 36.0 + ltfs * ltf

    def ppdu_us(self, psdu: int, source: DurationSource = DurationSource.IEEE) -> float:
        """Return the duration in µs of a PPDU with a PSDU of `psdu` bytes (§19.4.3, §21.4.3, §27.4.3)."""
        symbols = math.ceil((16 + 8 * psdu + 6 * self._encoders) / self.data_bits)
        data = symbols * self.symbol_us
        if self.symbol_us == 3.6 and source is DurationSource.IEEE:
            data = 4.0 * math.ceil(9 * symbols / 10)  # rounded up to a whole number of long symbols
        return self.preamble_us(source) + data

    def psdu(self, mpdus: int) -> int:
        """Return the length in bytes of a PSDU with `mpdus` MPDUs (§9.7); a single HT MPDU is no A-MPDU."""
        if mpdus == 1:
            return self.mpdu if self.standard == "n" else self.mpdu + 4
        return (mpdus - 1) * 4 * math.ceil((self.mpdu + 4) / 4) + self.mpdu + 4

    def mpdus(self, source: DurationSource = DurationSource.IEEE) -> int:
        """Return the number of MPDUs in the longest A-MPDU."""
        most = LONGEST_AMPDU[self.standard] if self.ampdu is None else self.ampdu

        def is_beyond(mpdus: int) -> bool:
            psdu = self.psdu(mpdus)
            return mpdus > 1 and (psdu > most or self.ppdu_us(psdu, source) > LONGEST_PPDU_US)

        return bisect_left(range(1, WINDOW[self.standard] + 1), x=True, key=is_beyond)

    def exchange_us(self, mpdus: int, source: DurationSource = DurationSource.IEEE) -> tuple[float, float]:
        """Return the duration in µs of a data PPDU with `mpdus` MPDUs, and of SIFS plus response."""
        response = ACK_BYTES if mpdus == 1 else 32 if WINDOW[self.standard] <= 64 else 56
        response_mbps = 6 if self.mcs == 0 else 12 if self.mcs <= 2 else 24  # §10.6.6.5
        return self.ppdu_us(self.psdu(mpdus), source), SIFS_US + legacy_us(response, response_mbps)

    @property
    def protection_us(self) -> float:
        """Duration of RTS, SIFS, CTS and SIFS in µs; 0 with basic access."""
        sizes = (RTS_BYTES, CTS_BYTES) if self.rts else ()
        return sum(legacy_us(size, CONTROL_MBPS) + SIFS_US for size in sizes)

    def cycle_us(self, source: DurationSource = DurationSource.IEEE, mpdus: int | None = None) -> float:
        """Return the mean time of AIFS, backoff and exchange in µs; by default with the longest A-MPDU."""
        exchange = self.exchange_us(mpdus or self.mpdus(source), source)
        return AIFS_US + MEAN_BACKOFF_US + self.protection_us + sum(exchange)

    def goodput_mbps(self, source: DurationSource = DurationSource.IEEE) -> float:
        """Return the goodput in Mbit/s of a single saturated station without losses."""
        return 8 * self.payload * self.msdus * self.mpdus(source) / self.cycle_us(source)

    def lossy_goodput_mbps(self, loss: float, source: DurationSource = DurationSource.IEEE) -> float:
        """Return the goodput in Mbit/s of a single station without A-MPDUs, with seven attempts per MPDU.

        Parameters
        ----------
        loss
            Probability that an MPDU is lost.
        source
            Source of the durations.
        """
        data, response = self.exchange_us(1, source)
        time = 0.0
        for attempt in range(ATTEMPTS):
            slots = (16 * 2 ** min(attempt, STAGES) - 1) / 2
            answer = (1 - loss) * response + loss * TIMEOUT_US
            time += loss**attempt * (AIFS_US + slots * SLOT_US + self.protection_us + data + answer)
        return 8 * self.payload * self.msdus * (1 - loss**ATTEMPTS) / time

    def contended_goodput_mbps(self, stations: int, source: DurationSource = DurationSource.IEEE) -> float:
        """Return the goodput in Mbit/s of a saturated cell: Bianchi's model with EDCA's values.

        Single MPDUs have seven attempts. A-MPDUs have any number of attempts, and every attempt is full.

        Parameters
        ----------
        stations
            Number of stations.
        source
            Source of the durations.
        """
        mpdus = self.mpdus(source)
        data, response = self.exchange_us(mpdus, source)
        collision = legacy_us(RTS_BYTES, CONTROL_MBPS) if self.rts else data
        dcf = Dcf(
            SLOT_US,
            success=self.protection_us + data + response + AIFS_US,
            collision=collision + AIFS_US,
            window=16,
            stages=STAGES,
            attempts=ATTEMPTS if mpdus == 1 else None,
        )
        return dcf.throughput(stations, 8 * self.payload * self.msdus * mpdus)


def legacy_us(size: int, mbps: int) -> float:
    """Return the duration of an OFDM control frame in µs (§17.4.3).

    Raises ZeroDivisionError for a rate of 0.
    """
    return 20.0 + 4.0 * math.ceil((22 + 8 * size) / (4 * mbps))
