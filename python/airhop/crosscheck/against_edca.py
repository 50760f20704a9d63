"""Checks of saturated access categories against a slot model of EDCA, and against ns-3.44.

A function is an EDCA function (EDCAF): the channel access of one category in a station. The slot model has
the rules of IEEE 802.11-2020 §10.23.2.4, but no frames. At each slot boundary after AIFS, a function
transmits or decreases its backoff. Functions of one station may collide internally. A station without a
response begins its AIFS after the ACK timeout. In a collision, the timeout of the shorter frame ends during
the longer frame, so that its station begins AIFS together with all other stations.

If frames reserve the medium until the TXOP limit, the remaining reservation decides: if it is long enough for
a CF-End, a CF-End ends the TXOP; otherwise the other stations wait. `python -m
airhop.crosscheck.against_edca` prints its rows of `reference/edca.csv`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from airhop.crosscheck.against_ns3_wifi import settings
from airhop.crosscheck.check import Check
from airhop.crosscheck.quantity import Quantity
from airhop.crosscheck.reference import Row, rows
from airhop.crosscheck.wifi_forms import (
    ATTEMPTS,
    CONTROL_MBPS,
    RTS_BYTES,
    SIFS_US,
    SLOT_US,
    TIMEOUT_US,
    Link,
    legacy_us,
)
from airhop.crosscheck.worlds import Document
from airhop.stats import Estimate

PARAMETERS: Mapping[str, tuple[int, int, int]] = {
    "VO": (2, 3, 7),
    "VI": (2, 7, 15),
    "BE": (3, 15, 1023),
    "BK": (7, 15, 1023),
}
"""AIFSN, CWmin and CWmax of the access categories, from the highest priority on (Table 9-155)."""
RESERVED: Mapping[str, str] = {"1": "response", "limit": "limit"}
"""Reservation of the medium by TXOPs (key `nav`), by the value of the column `txop`."""
LIMITS_US: Mapping[str, float] = {"VO": 2080.0, "VI": 4096.0}
"""TXOP limits of Table 9-155 with 0 for best effort and background, µs."""
CF_END_US = legacy_us(20, CONTROL_MBPS)
"""Duration of a CF-End, µs."""
WITHIN, RARE_WITHIN, NS3_WITHIN = 0.03, 0.15, 0.12
"""Bounds of differences: from the slot model, from its categories below `RARE_MBPS`, and from 2 s of ns-3."""
RARE_MBPS = 1.5
"""Goodput of a category, Mbit/s, below which few channel accesses let its mean over 600 s vary by some per
cent.
"""
LEAST_MBPS = 0.03
"""Minimum goodput of a compared category, Mbit/s; a category with less has no channel access for minutes."""
SECONDS = {"model": 600.0, "ns-3": 60.0}
"""Measured time of a replication, s."""
CASES = (
    *(("VO+VI+BE+BK", 0, 0), ("VO+VI", 0, 0), ("VI+BE", 0, 0), ("BE+BK", 0, 0), ("(VO+VI+BE+BK)", 0, 0)),
    *(("VO+VI+BE+BK", None, 0), ("VI+BE", None, 0), ("BE+BK", None, 0), ("(VO+VI+BE+BK)", None, 0)),
    *(("VO+VI+BE+BK", 0, 1), ("VO+VI", 0, 1), ("VO+VI+BE+BK", None, 1), ("VI+BE", None, 1)),
)
"""Cases of the slot model, 802.11n, MCS 7, 20 MHz: functions, A-MPDU limit, and TXOP limits of Table 9-155.
Functions in parentheses belong to one station."""
SEEDS = 4
LEFT_OUT: Mapping[str, str] = {
    "nav": "Results of ns-3 on access categories with TXOP limits and A-MPDUs: ns-3 reserves the medium until"
    " the end of the limit, and only the holder may use the rest of the limit if it is shorter than a CF-End."
    " Other stations are then starved for seconds (802.11ac at MCS 8: voice 313.7 Mbit/s, best effort 0)."
    ' Airhop has this reservation with `nav = "limit"`; a slot model is its oracle.',
    "rare": "Goodputs of ns-3 below 2 Mbit/s beside higher access categories, and runs of 0.6 s of 802.11ac:"
    " they contain a few accesses of the category.",
}
"""Reasons of the measurements that are not compared."""


@dataclass
class _Function:
    """State of a saturated EDCA function; times in µs."""

    station: int
    category: str
    first: float
    """Duration of the first frame of a TXOP, which may collide."""
    txop: float
    bits: float
    attempts: int | None
    reserved: float = 0.0
    """Time that a TXOP reserves from its first bit on; 0 if it reserves its own duration."""
    window: int = 0
    backoff: int = 0
    late: float = 0.0
    """Delay of the start of the next AIFS after the end of the last busy period."""
    tries: int = 0
    delivered: float = 0.0

    @property
    def begin(self) -> float:
        """First slot boundary after SIFS at which the function decreases its backoff."""
        return self.late + PARAMETERS[self.category][0] * SLOT_US

    @property
    def access(self) -> float:
        """Slot boundary after SIFS at which the function transmits."""
        return self.begin + self.backoff * SLOT_US

    def draw(self, rng: Random, window: int) -> None:
        """Draw a backoff."""
        self.window, self.backoff = window, rng.randint(0, window)

    def fail(self, rng: Random) -> None:
        """Count a failed attempt, and draw a backoff from the doubled contention window."""
        _, least, most = PARAMETERS[self.category]
        self.tries += 1
        is_last = self.attempts is not None and self.tries >= self.attempts
        self.tries = 0 if is_last else self.tries
        self.draw(rng, least if is_last else min(2 * self.window + 1, most))


def names(functions: str) -> list[str]:
    """Return the categories of a case."""
    return functions.strip("()").split("+")


def goodput_mbps(
    link: Link, functions: str, *, limits: bool, seconds: float, seed: int, nav: bool = False
) -> list[float]:
    """Return the goodput of each function in the slot model, Mbit/s; if `nav`, TXOPs reserve their limits."""
    rng, are_together = Random(seed), functions.startswith("(")
    found = []
    for number, category in enumerate(names(functions)):
        limit = LIMITS_US.get(category, 0.0) if limits else 0.0
        first, txop, mpdus = _txop(link, limit)
        attempts = ATTEMPTS if link.mpdus() == 1 else None
        station = 0 if are_together else number
        function = _Function(
            station, category, first, txop, 8.0 * link.payload * mpdus, attempts, limit * nav
        )
        function.draw(rng, PARAMETERS[category][1])
        found.append(function)
    time = 0.0
    while time < seconds * 1e6:
        time += _access(found, rng)
    return [function.delivered / time for function in found]


def _access(functions: Sequence[_Function], rng: Random) -> float:
    """Simulate the next busy period; return the time to its end, µs."""
    access = min(function.access for function in functions)
    due = [function for function in functions if function.access == access]
    for function in functions:
        if function not in due and access >= function.begin:
            function.backoff -= (
                int((access - function.begin) // SLOT_US) + 1
            )  # the slot boundary of the access is included
        function.late = 0.0
    highest: dict[int, _Function] = {}
    for category in PARAMETERS:
        for function in due:
            if (
                function.category == category
                and highest.setdefault(function.station, function) is not function
            ):
                function.fail(rng)
    on_air = list(highest.values())
    time = SIFS_US + access
    if len(on_air) == 1:
        (alone,) = on_air
        alone.delivered, alone.tries = alone.delivered + alone.bits, 0
        alone.draw(rng, PARAMETERS[alone.category][1])
        rest = alone.reserved - alone.txop
        if rest > SIFS_US + CF_END_US:
            return time + alone.txop + SIFS_US + CF_END_US
        for function in functions:
            function.late = rest if rest > 0 and function.station != alone.station else 0.0
        return time + alone.txop
    for function in on_air:
        function.fail(rng)
    longest = max(function.first for function in on_air)
    last = {function.station for function in on_air if function.first == longest}
    for function in functions:
        function.late = TIMEOUT_US if function.station in last else 0.0
    return time + longest


def _txop(link: Link, limit: float) -> tuple[float, float, int]:
    """Return the duration of a saturated TXOP's first frame, of the TXOP, µs, and its number of MPDUs."""
    time, total, first = link.protection_us, 0, 0.0
    while True:
        gap = SIFS_US if total else 0.0
        most = link.mpdus()
        fitting = (
            k for k in range(most, 0, -1) if not limit or time + gap + sum(link.exchange_us(k)) <= limit
        )
        mpdus = next(fitting, 0 if total else 1)
        if not mpdus:
            return first, time, total
        data = link.exchange_us(mpdus)
        first = first or (legacy_us(RTS_BYTES, CONTROL_MBPS) if link.rts else data[0])
        time, total = time + gap + sum(data), total + mpdus
        if not limit:
            return first, time, total


def checks() -> Iterator[Check]:
    """Yield a check for every row of edca.csv."""
    for row, theirs in rows("edca"):
        yield _check(row, theirs)


def link(row: Row) -> Link:
    """Return the transmission settings of a row."""
    cap = row["ampdu_cap"]
    return Link(
        row["std"], int(row["mcs"]), 1, int(row["width_mhz"]), 800, None if cap == "max" else int(cap)
    )


def document(row: Row) -> Document:
    """Return the scenario of a row: a saturated station for each function, or one for all."""
    of, functions = link(row), row["functions"]
    keys = settings(of)
    if of.ampdu != 0:
        keys["lost_block_ack"] = "request" if row["peer"] == "ns-3" else "resend"
        keys["lifetime"] = "1000 s"
    if row["txop"] != "0":
        keys["nav"] = RESERVED[row["txop"]]
        keys["txop"] = {category: f"{limit:g} us" for category, limit in LIMITS_US.items()}
    are_together = functions.startswith("(")
    stations = {category: "n" if are_together else f"n-{category}" for category in names(functions)}
    datagrams = {"transport": "udp", "segment": f"{of.payload} B"}
    offered = f"{2 * of.goodput_mbps():.6g} Mbit/s"
    return {
        "name": "access-categories",
        "duration": f"{0.5 + SECONDS[row['peer']]:g} s",
        "warmup": "0.5 s",
        "wlan": [
            {
                "name": "cell",
                "standard": f"802.11{of.standard}",
                "stations": {name: [0, 0] for name in ("ap", *dict.fromkeys(stations.values()))},
                "queue": {"kind": "drop-tail", "packets": 1200},
                **keys,
            }
        ],
        "flow": [
            {
                "name": category,
                "from": station,
                "to": "ap",
                "access_category": category,
                "app": {"kind": "cbr", "rate": offered},
                **datagrams,
            }
            for category, station in stations.items()
        ],
    }


def _goodput_of(category: str) -> Quantity:
    def of(document: Mapping[str, object]) -> float:
        flows = document["flows"]
        assert isinstance(flows, list)
        return float(next(flow["goodput_mbps"] for flow in flows if flow["name"] == category))

    return Quantity(f"goodput of {category}", "Mbit/s", of)


def _check(row: Row, theirs: Estimate) -> Check:
    of, peer = link(row), row["peer"]
    cap = "no A-MPDU" if of.ampdu == 0 else "A-MPDU up to the standard's limit"
    functions = row["functions"]
    where = "one station with" if functions.startswith("(") else "a station for each of"
    limits = "TXOP limits 0" if row["txop"] == "0" else "TXOP limits of Table 9-155"
    limits += ", reserved" if row["txop"] == "limit" else ""
    bound = NS3_WITHIN if peer == "ns-3" else WITHIN if theirs.mean >= RARE_MBPS else RARE_WITHIN
    return Check(
        id=f"edca {' '.join(row.values())}",
        source="edca" if peer == "model" else "ns-3-edca",
        scenario=f"802.11{of.standard}, MCS {of.mcs}, {of.width} MHz, {cap}, {limits}, {where}"
        f" {', '.join(names(functions))}: {row['category']}",
        quantity=_goodput_of(row["category"]),
        document=document(row),
        theirs=theirs,
        bound=bound,
        reps=4,
        is_quick=(functions, row["ampdu_cap"], row["txop"]) == ("VO+VI", "0", "0"),
    )


def main() -> None:
    """Print the slot model's rows of edca.csv."""
    for functions, ampdu, txop in CASES:
        of = Link("n", 7, 1, 20, ampdu=ampdu)
        cap = "max" if ampdu is None else ampdu
        runs = [
            goodput_mbps(of, functions, limits=bool(txop), seconds=SECONDS["model"], seed=seed)
            for seed in range(1, SEEDS + 1)
        ]
        for category, *found in zip(names(functions), *runs, strict=True):
            if min(found) >= LEAST_MBPS:
                for seed, mbps in enumerate(found, 1):
                    sys.stdout.write(f"model,n,7,20,{cap},{txop},{functions},{category},{seed},{mbps:.5g}\n")


if __name__ == "__main__":
    main()
