"""Compared quantities, read from run documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Quantity:
    """Measured quantity of a run: `of` reads the value from the run document, and `scale` multiplies it."""

    name: str
    unit: str
    of: Callable[[Mapping[str, Any]], float]
    scale: float = 1.0

    def read(self, document: Mapping[str, Any]) -> float:
        """Return the value of the quantity in a run document."""
        return self.scale * self.of(document)

    def with_scale(self, scale: float) -> Quantity:
        """Return the quantity with another scale."""
        return replace(self, scale=scale)


def _goodput(document: Mapping[str, Any]) -> float:
    return float(sum(flow["goodput_mbps"] for flow in document["flows"]))


def _sending_rate(document: Mapping[str, Any]) -> float:
    seconds = document["duration_s"] - document["warmup_s"]
    return float(sum(flow["sent_segments"] for flow in document["flows"]) / seconds)


def _completion(document: Mapping[str, Any]) -> float:
    (flow,) = document["flows"]
    return float(flow["completion_s"])


GOODPUT = Quantity("goodput", "Mbit/s", _goodput)
"""Goodput, summed over all flows."""
RATIO = Quantity("ratio of goodputs", "1", _goodput)
"""Ratio of the mean goodput of a check's runs to that of the paired runs (`Check.over`)."""
SATURATION = Quantity("saturation throughput", "Mbit/s", _goodput)
COMPLETION = Quantity("completion", "s", _completion)
"""Completion time of a run's only transfer, counted from the first SYN."""
SENDING_RATE = Quantity("sending rate", "segments/s", _sending_rate)
"""Sending rate including retransmissions: B(p) of PFTK."""
