"""Checks of a single 802.11n, ac or ax station against closed forms, for settings drawn pairwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from random import Random

from airhop.crosscheck import wifi_forms
from airhop.crosscheck.against_ns3_wifi import settings
from airhop.crosscheck.check import Check
from airhop.crosscheck.quantity import SATURATION
from airhop.crosscheck.wifi_forms import BACKOFF_SD_US, LONGEST_AMSDU, Link
from airhop.crosscheck.words import count
from airhop.crosscheck.worlds import saturated_wifi
from airhop.stats import Estimate

WITHIN = 0.005
DRAWN = 200
TESTED = 20
"""Number of drawn settings that every test run simulates, beginning with the first."""
DRAWN_AMSDUS = 30
TESTED_AMSDUS = 4
"""Number of settings with A-MSDUs that every test run simulates."""
AMSDUS = (500, 3839, 7935, LONGEST_AMSDU["ax"])
"""Values of the maximum A-MSDU length in bytes, up to the standard's limit."""
CAPS = (0, 3000, 8191, 65_535, None)
"""Values of the maximum A-MPDU length in bytes; None means the standard's limit."""
PAYLOADS = (1472, 972, 472, 72)
CANDIDATES = 60
"""Number of random candidates per step of the draw. The candidate with the most new pairs is selected."""
REPS = 2
PRECISION = 0.001
"""Intended standard error of the mean over all replications, as a share of the mean."""

Pair = tuple[tuple[int, object], tuple[int, object]]


def checks() -> Iterator[Check]:
    """Yield a check for each drawn setting."""
    for place, link in enumerate(draw()):
        yield _check(link, is_quick=place < TESTED)
    for place, link in enumerate(draw_amsdus()):
        yield _check(link, is_quick=place < TESTED_AMSDUS)


@cache
def draw() -> Sequence[Link]:
    """Draw settings with many pairs of parameter values; the first settings have most of the pairs."""
    rng = Random(41)
    drawn: list[Link] = []
    seen: set[Pair] = set()
    while len(drawn) < DRAWN:
        offered = [one for one in (_random(rng) for _ in range(CANDIDATES)) if one.exists]
        best = max(offered, key=lambda one: len(pairs(one) - seen))
        if best not in drawn:
            drawn.append(best)
            seen |= pairs(best)
    return tuple(drawn)


@cache
def draw_amsdus() -> Sequence[Link]:
    """Draw settings with A-MSDUs of two datagrams or more."""
    rng = Random(42)
    drawn: list[Link] = []
    while len(drawn) < DRAWN_AMSDUS:
        link = _random(rng)
        longest = LONGEST_AMSDU[link.standard]
        link = replace(link, amsdu=min(rng.choice(AMSDUS), longest))
        if link.exists and link.ampdu != 0 and link.msdus > 1 and link not in drawn:
            drawn.append(link)
    return tuple(drawn)


def pairs(link: Link) -> set[Pair]:
    """Return all pairs of parameter values in a setting, each value with the parameter's index."""
    values = (
        link.standard,
        link.mcs,
        link.streams,
        link.width,
        link.guard_ns,
        link.ampdu,
        link.rts,
        link.payload,
    )
    return set(combinations(enumerate(values), 2))


def _random(rng: Random) -> Link:
    standard = rng.choice(("n", "ac", "ax"))
    return Link(
        standard,
        rng.randrange(wifi_forms.MCS[standard]),
        1 + rng.randrange(wifi_forms.STREAMS[standard]),
        rng.choice(wifi_forms.WIDTHS_MHZ[standard]),
        rng.choice(wifi_forms.GUARDS_NS[standard]),
        rng.choice(CAPS),
        rng.random() < 0.5,
        rng.choice(PAYLOADS),
    )


def _check(link: Link, *, is_quick: bool) -> Check:
    mbps, cycle = link.goodput_mbps(), link.cycle_us()
    # The error has two parts: the mean backoff's, 1 / √cycles, and the exchanges at both ends of the run,
    # which may or may not be complete.
    each = PRECISION * REPS**0.5
    cycles = max((BACKOFF_SD_US / cycle / each) ** 2, 1 / each)
    cap = "no A-MPDU" if link.ampdu == 0 else f"A-MPDU up to {link.ampdu or 'the limit'}"
    if link.amsdu:
        cap += f", A-MSDU up to {link.amsdu} B"
    return Check(
        id=f"lone-wifi {link.standard} {link.mcs} {link.streams} {link.width} {link.guard_ns} {link.ampdu}"
        f" {int(link.rts)} {link.payload}{f' {link.amsdu}' if link.amsdu else ''}",
        source="lone-wifi",
        scenario=f"802.11{link.standard}, MCS {link.mcs}, {count(link.streams, 'stream')}, {link.width} MHz,"
        f" guard interval {link.guard_ns} ns, {cap}, {'RTS/CTS' if link.rts else 'basic access'},"
        f" {link.payload} B",
        quantity=SATURATION,
        document=saturated_wifi(
            f"802.11{link.standard}",
            settings(link),
            stations=1,
            offered_mbps=1.3 * mbps,
            seconds=round(cycles * cycle / 1e6, 3),
            payload=link.payload,
        ),
        theirs=Estimate(mbps, 0.0, 1),
        bound=WITHIN,
        reps=REPS,
        is_quick=is_quick,
    )
