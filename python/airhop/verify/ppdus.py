"""PPDUs of 802.11n, ac and ax as in the standard: durations, response rates, limits of A-MPDUs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from airhop.verify.trace import quantity

FORMATS = {"802.11n": "ht", "802.11ac": "vht", "802.11ax": "he"}
LONGEST = 5_484_000
"""aPPDUMaxTime in ns (IEEE 802.11-2020 §19.4.4, §21.4.4; 802.11ax-2021 §27.4.4)."""
CONTROL_BYTES = {"rts": 20, "cts": 14, "ack": 14, "block-ack-req": 24, "cf-end": 20}
"""Lengths of control frames in bytes (IEEE 802.11-2020 §9.3.1)."""
DELIMITER = 4
"""Bytes before each MPDU of an A-MPDU (IEEE 802.11-2020 §9.7.1)."""
QOS_MAC_BYTES = 26 + 4
"""Length of the MAC header and FCS of a QoS Data frame in bytes (IEEE 802.11-2020 §9.3.2.1)."""
SUBFRAME_HEADER = 14
"""Bytes before each MSDU of an A-MSDU (IEEE 802.11-2020 §9.3.2.2.2)."""
AIFSN = {"BK": 7, "BE": 3, "VI": 2, "VO": 2}
"""AIFSN of the access categories, by ascending priority (IEEE 802.11-2020 Table 9-155)."""
CW = {"BK": (15, 1023), "BE": (15, 1023), "VI": (7, 15), "VO": (3, 7)}
"""CWmin and CWmax of the access categories with OFDM (IEEE 802.11-2020 Table 9-155)."""
_BASIC = (6, 12, 24)
"""Mandatory OFDM rates in Mbit/s (IEEE 802.11-2020 §17.2.3)."""
_MODULATIONS = (
    (1, Fraction(1, 2)), (2, Fraction(1, 2)), (2, Fraction(3, 4)), (4, Fraction(1, 2)), (4, Fraction(3, 4)),
    (6, Fraction(2, 3)), (6, Fraction(3, 4)), (6, Fraction(5, 6)), (8, Fraction(3, 4)), (8, Fraction(5, 6)),
    (10, Fraction(3, 4)), (10, Fraction(5, 6)),
)  # fmt: skip
"""Coded bits per subcarrier and code rate, by MCS (IEEE 802.11-2020 §19.5, §21.5; 802.11ax-2021 §27.5)."""
_SUBCARRIERS = {
    "ht": {20: 52, 40: 108},
    "vht": {20: 52, 40: 108, 80: 234, 160: 468},
    "he": {20: 234, 40: 468, 80: 980, 160: 1960},
}
"""Number of data subcarriers (N_SD) by format and channel width in MHz."""
_PSDU_LIMIT = {"ht": 65_535, "vht": 1_048_575, "he": 6_500_631}
_MPDU_LIMIT = {"ht": 4095, "vht": 11_454, "he": 11_454}
"""Maximum length in bytes of an MPDU among several in an A-MPDU (IEEE 802.11-2020 §9.7.1, §9.4.2.157.2)."""


@dataclass(frozen=True)
class Ppdus:
    """PPDUs of a cell of 802.11n, ac or ax; times in nanoseconds."""

    plan: Mapping[str, Any]

    @cached_property
    def format(self) -> str:
        """Format of PPDUs: `ht`, `vht` or `he`."""
        return FORMATS[self.plan["standard"]]

    @cached_property
    def extension(self) -> int:
        """Silence that ends each PPDU of OFDM at 2.4 GHz (aSignalExtension)."""
        return 6_000 if self.plan["band"] == "2.4 GHz" else 0

    @cached_property
    def sifs(self) -> int:
        """SIFS: 10 µs at 2.4 GHz, 16 µs at 5 GHz (IEEE 802.11-2020 §17.4.4, §18.5.4)."""
        return 10_000 if self.plan["band"] == "2.4 GHz" else 16_000

    slot = 9_000

    def aifs(self, category: str) -> int:
        """Return AIFS of an access category (IEEE 802.11-2020 §10.23.2.4)."""
        return self.sifs + AIFSN[category] * self.slot

    def eifs(self, category: str) -> int:
        """Return EIFS: SIFS, an Ack at the lowest basic rate, and AIFS (§10.3.2.3.7)."""
        return self.sifs + self._legacy(CONTROL_BYTES["ack"], 6) + self.aifs(category)

    @cached_property
    def timeout(self) -> int:
        """ACK timeout after the end of a frame: SIFS, slot and aRxPHYStartDelay (§10.3.2.11)."""
        return self.sifs + self.slot + 20_000

    @cached_property
    def aggregates(self) -> bool:
        """True if MPDUs are sent under a Block Ack agreement."""
        return bool(self.plan["aggregation"]["bytes"] != 0)

    @cached_property
    def window(self) -> int:
        """Block Ack window in MPDUs."""
        return int(self.plan["aggregation"]["frames"])

    @cached_property
    def most_bytes(self) -> int:
        """Maximum length of an A-MPDU in bytes."""
        given = self.plan["aggregation"]["bytes"]
        return min(_PSDU_LIMIT[self.format], math.inf if given == "max" else int(given))  # type: ignore[return-value]

    @property
    def mpdu_limit(self) -> int:
        """Maximum length in bytes of an MPDU among several in an A-MPDU."""
        return _MPDU_LIMIT[self.format]

    @cached_property
    def most_amsdu(self) -> int:
        """Maximum length of an A-MSDU in bytes.

        Limits: the scenario, the format (§9.4.2.55.2, §9.4.2.157.2), and the A-MPDU.
        """
        given = self.plan["aggregation"]["amsdu"]
        mac = min(int(quantity(self.plan["overhead"])), QOS_MAC_BYTES)
        longest = min(self.mpdu_limit - QOS_MAC_BYTES, self.most_bytes - DELIMITER - mac)
        return min(longest, math.inf if given == "max" else int(given))  # type: ignore[return-value]

    @property
    def psdu_limit(self) -> int:
        """Maximum length of a PSDU of this format in bytes."""
        return _PSDU_LIMIT[self.format]

    @cached_property
    def block_ack_bytes(self) -> int:
        """Length in bytes of a compressed BlockAck with a bitmap of 64 or 256 bits.

        IEEE 802.11-2020 §9.3.1.8.
        """
        return 24 + (8 if self.window <= 64 else 32)

    def length(self, kind: str) -> int | None:
        """Return the length of a control frame in bytes; None for a data frame."""
        return self.block_ack_bytes if kind == "block-ack" else CONTROL_BYTES.get(kind)

    def psdu(self, mpdus: list[int]) -> int:
        """Return the length of an A-MPDU with delimiters; all MPDUs but the last are padded (§9.7.1)."""
        return sum(-(-(DELIMITER + octets) // 4) * 4 for octets in mpdus[:-1]) + DELIMITER + mpdus[-1]

    def amsdu(self, msdus: list[set[int]]) -> set[int]:
        """List the possible lengths of an A-MSDU from the possible lengths of each MSDU.

        All subframes but the last are padded to a multiple of 4 bytes (§9.3.2.2.2).
        """
        lengths = {0}
        for msdu in msdus:
            lengths = {
                -(-before // 4) * 4 + SUBFRAME_HEADER + octets for before in lengths for octets in msdu
            }
        return lengths

    def airtime(self, kind: str, octets: int) -> int:
        """Return the duration of the PPDU of a frame."""
        match kind:
            case "a-mpdu":
                return self._modern(octets)
            case "data":  # S-MPDU; HT has no S-MPDU, but single MPDUs without a delimiter
                return self._modern(octets if self.format == "ht" else octets + DELIMITER)
            case "rts" | "broadcast" | "cf-end":
                return self._legacy(octets, self._control)
            case "cts":
                return self._legacy(octets, max(rate for rate in _BASIC if rate <= self._control))
        return self._legacy(octets, self._response)

    @cached_property
    def _control(self) -> int:
        return round(quantity(self.plan["control_rate"]) / 1e6)

    @cached_property
    def _response(self) -> int:
        """Rate in Mbit/s of Ack, BlockAck and BlockAckReq: the highest basic rate up to the reference rate.

        IEEE 802.11-2020 §10.6.6.5, §10.6.11.
        """
        reference = (6, 12, 18, 24, 36, 48, 54)[min(self.plan["rate"]["mcs"], 6)]
        return max(rate for rate in _BASIC if rate <= reference)

    def _legacy(self, octets: int, mbps: int) -> int:
        """Return the duration of a non-HT PPDU in ns (IEEE 802.11-2020 §17.4.3)."""
        return 20_000 + 4_000 * math.ceil((16 + 8 * octets + 6) / (4 * mbps)) + self.extension

    def _modern(self, octets: int) -> int:
        """Return the duration of an HT, VHT or HE PPDU in ns.

        IEEE 802.11-2020 §19.4.3, §21.4.3; 802.11ax-2021 §27.4.3.
        """
        symbols = math.ceil((16 + 8 * octets + 6 * self._encoders) / self._data_bits)
        guard = round(quantity(self.plan["guard_interval"]))
        if self.format == "he":
            return self._preamble + symbols * (12_800 + guard) + self.extension
        if guard == 400:  # the data field ends at a multiple of 4 µs
            return self._preamble + 4_000 * math.ceil(symbols * 3_600 / 4_000) + self.extension
        return self._preamble + symbols * 4_000 + self.extension

    @property
    def mcs(self) -> int:
        """MCS of each stream."""
        return int(self.plan["rate"]["mcs"])

    @property
    def modulation(self) -> tuple[int, Fraction]:
        """Coded bits per subcarrier, and code rate."""
        return _MODULATIONS[self.mcs]

    @cached_property
    def streams(self) -> int:
        """Number of spatial streams."""
        return int(self.plan["rate"].get("streams", 1))

    @cached_property
    def width(self) -> int:
        """Channel width in MHz."""
        return int(self.plan["width"].split()[0])

    @property
    def symbol_gain(self) -> float:
        """Product of channel width and symbol duration, divided by the number of data subcarriers."""
        useful = 12_800 if self.format == "he" else 3_200
        symbol = useful + quantity(self.plan["guard_interval"])
        return self.width * symbol / 1000 / _SUBCARRIERS[self.format][self.width]

    @cached_property
    def _preamble(self) -> int:
        fields = 1 if self.streams == 1 else self.streams + self.streams % 2
        guard = round(quantity(self.plan["guard_interval"]))
        match self.format:
            case "ht":  # L-STF, L-LTF, L-SIG; HT-SIG; HT-STF; HT-LTFs
                return 20_000 + 8_000 + 4_000 + 4_000 * fields
            case "vht":  # VHT-SIG-A, VHT-STF, VHT-LTFs, VHT-SIG-B
                return 20_000 + 8_000 + 4_000 + 4_000 * fields + 4_000
        training = (12_800 if guard == 3_200 else 6_400) + guard  # 4x with the longest guard, 2x otherwise
        return 20_000 + 4_000 + 8_000 + 4_000 + training * fields  # RL-SIG, HE-SIG-A, HE-STF, HE-LTFs

    @cached_property
    def _coded_bits(self) -> int:
        bits, _ = _MODULATIONS[self.plan["rate"]["mcs"]]
        return _SUBCARRIERS[self.format][self.width] * bits * self.streams

    @cached_property
    def _data_bits(self) -> int:
        """Data bits per symbol (N_DBPS)."""
        return math.floor(self._coded_bits * _MODULATIONS[self.plan["rate"]["mcs"]][1])

    @cached_property
    def _encoders(self) -> int:
        """Number of encoders (N_ES): the smallest sufficient number such that all have equal bits.

        IEEE 802.11-2020 §19.5, §21.5; 802.11ax-2021 §27.3.12.5.
        """
        if self.format == "he":  # BCC up to this limit; LDPC, which has no tail bits, beyond it
            return int(self.width == 20 and self.streams <= 4 and self.plan["rate"]["mcs"] <= 9)
        most = 1080 if self.format == "ht" else 2160  # 270 and 540 Mbit/s with the long guard interval
        least = math.ceil(self._data_bits / most)
        return next(n for n in itertools.count(least) if math.gcd(self._data_bits, self._coded_bits) % n == 0)
