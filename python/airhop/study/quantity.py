"""Parser of quantities such as "10 ms", for names of columns and divided ranges."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

UNITS = {
    "ns": ("time", "1e-9", "ns"),
    "us": ("time", "1e-6", "us"),
    "µs": ("time", "1e-6", "us"),
    "ms": ("time", "1e-3", "ms"),
    "s": ("time", "1", "s"),
    "bit/s": ("rate", "1", "bps"),
    "kbit/s": ("rate", "1e3", "kbps"),
    "Mbit/s": ("rate", "1e6", "mbps"),
    "Gbit/s": ("rate", "1e9", "gbps"),
    "B": ("size", "1", "bytes"),
    "kB": ("size", "1e3", "kbytes"),
    "MB": ("size", "1e6", "mbytes"),
    "m": ("length", "1", "m"),
    "km": ("length", "1e3", "km"),
}
"""Units in scenarios: dimension, factor to the dimension's first unit, and suffix of column names."""

_WRITTEN = re.compile(r"\s*([-+\d.eE]+?)\s*([^\W\d_][\w/]*)\s*")
_EQUIVALENT_CHARACTERS = str.maketrans("\u03bc\u2212", "\u00b5-")
"""Translation of a Greek mu and a typographic minus sign. The core accepts both characters as well."""


class Quantity(NamedTuple):
    """A number with a unit, in decimal arithmetic, so that 1 s is exactly 1000 ms."""

    number: Decimal
    unit: str

    @property
    def dimension(self) -> str:
        """Dimension: time, rate, size or length."""
        return UNITS[self.unit][0]

    @property
    def suffix(self) -> str:
        """The unit as a suffix of column names."""
        return UNITS[self.unit][2]

    def to(self, unit: str) -> float:
        """Return the number in another unit of the same dimension."""
        return float(self.number * Decimal(UNITS[self.unit][1]) / Decimal(UNITS[unit][1]))


def read_quantity(value: object) -> Quantity | None:
    """Parse a text such as "10 ms"; return None for other texts."""
    found = _WRITTEN.fullmatch(value.translate(_EQUIVALENT_CHARACTERS)) if isinstance(value, str) else None
    if found is None or found[2] not in UNITS:
        return None
    try:
        return Quantity(Decimal(found[1]), found[2])
    except InvalidOperation:
        return None
