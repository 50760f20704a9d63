"""Fill the tables of docs/real-packets.md: measurements of a kernel over emulated links, and simulations.

The kernel's values are rows in python/airhop/crosscheck/reference (written by tools/emulated.py), and the
simulated values rows of docs/cross-checks.csv.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cross_checks
from airhop.crosscheck.against_kernel import check_id, paired_id
from airhop.crosscheck.reference import COMPLETION_S, parameters, points
from airhop.crosscheck.words import percent
from airhop.objects import shipped
from airhop.stats import Estimate
from blocks import table


@dataclass(frozen=True)
class Share:
    """Ratio of two independent means, with the half-width of its 95 % interval."""

    value: float
    half_width: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.half_width:.2f}"

    @property
    def difference(self) -> str:
        """Relative excess of the first mean over the second."""
        return f"{100 * (self.value - 1):+.1f} ± {100 * self.half_width:.1f} %"


def over(one: Estimate, other: Estimate) -> Share:
    """Divide two independent means; the squares of the relative half-widths add (delta method)."""
    value = one.mean / other.mean
    return Share(value, value * math.hypot(one.relative or 0.0, other.relative or 0.0))


def inverse(ratio: Estimate) -> Share:
    """Return the inverse of a ratio (delta method)."""
    return Share(1 / ratio.mean, (ratio.half_width or 0.0) / ratio.mean**2)


def simulated() -> Mapping[str, Estimate]:
    """Return the simulated mean of each check."""
    return {row.check.id: row.ours for row in cross_checks.measured()}


def tables() -> dict[str, str]:
    """Return the blocks of the page by name."""
    bulk: list[tuple[str, ...]] = []
    objects: list[tuple[str, ...]] = []
    aggregated: list[tuple[str, ...]] = []
    for (link, params, scheme), theirs in points("emulated").items():
        given = parameters(params)
        if "services" in given or link in ("down", "up", "koo"):
            continue
        line = (_link(link, given), scheme, *_compared(theirs, (link, params, scheme), 3, 1.0))
        of_kind = aggregated if link == "wifi-n" else bulk if shipped(scheme) is None else objects
        of_kind.append(line)
    return {
        "schemes of the kernel": table(("link", "sender", *_HEAD), bulk, left=2),
        "objects": table(("link", "object", *_HEAD), objects, left=2),
        "A-MPDUs": table(("802.11n", "sender", *_HEAD), aggregated, left=2),
        "downloads": table(("attempts", "size, kB", "sender", *_HEAD), _downloads(), left=3),
    }


_HEAD = ("runs", "kernel", "simulated", "difference")
_LINKS = {
    "wire": "wire, loss {loss}",
    "red": "wire, RED marks",
    "steps": "wire, step marking",
    "wifi-n": "MPDU loss {loss}",
}
_LAST_HOP = "last hop, attempts {attempts}, FER {fer}"


def _link(link: str, given: Mapping[str, str]) -> str:
    shares = {name: percent(given[name]) for name in ("fer", "loss") if name in given}
    paced = ", paced" if "paced" in given else ""
    return _LINKS.get(link, _LAST_HOP).format(**{**given, **shares}) + paced


def _compared(theirs: Estimate, point: tuple[str, str, str], digits: int, unit: float) -> tuple[str, ...]:
    """Return the cells of a point; if runs with the same losses are paired, the simulated mean is theirs."""
    pairs = simulated().get(paired_id(*point))
    ours = simulated()[check_id(*point)] if pairs is None else theirs.scaled(pairs.mean)
    share = over(theirs, ours) if pairs is None else inverse(pairs)
    means = (f"{unit * each.mean:.{digits}f}" for each in (theirs, ours))
    return str(theirs.n), *means, share.difference


def _downloads() -> Iterator[tuple[str, ...]]:
    for point, theirs in points("downloads", COMPLETION_S).items():
        link, params, scheme = point
        given = parameters(params)
        yield given["attempts"], given["size"], scheme, *_compared(theirs, (link, params, scheme), 0, 1000.0)
