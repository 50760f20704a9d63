"""Checks of saturated access categories against a slot model of EDCA, and against ns-3.44.

The slot model has the rules of IEEE 802.11-2020 §10.23.2.4, but no frames. From AIFS on, a function transmits
or decreases its backoff at each slot boundary. Functions of one station collide internally. A station without
a response begins AIFS after the timeout. In a collision, the timeout of a shorter frame ends during the
longer frame. The station with the shorter frame therefore begins AIFS with all others.

If an originator requests a missing Block Ack, the next TXOP begins with a BlockAckReq. Data follows if a TXOP
limit permits data. If frames reserve the medium until the TXOP limit, a CF-End ends a TXOP when there is time
for a CF-End. Otherwise the other stations wait for the rest.

`python -m airhop.crosscheck.against_edca` prints the slot model's rows of `reference/edca.csv`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from statistics import fmean

from airhop.crosscheck.against_ns3_wifi import settings
from airhop.crosscheck.check import Check, Reason
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
"""TXOP limits of Table 9-155 in µs. The limit of best effort and background is 0."""
CF_END_US, REQUEST_US = legacy_us(20, CONTROL_MBPS), legacy_us(24, CONTROL_MBPS)
"""Durations of a CF-End and of a BlockAckReq in µs."""
WITHIN, NS3_WITHIN = 0.03, 0.12
"""Bounds for the slot model, and for ns-3 (one run of 2 s, or three runs of 6 s)."""
RARE_MBPS, RARE_WITHIN_MBPS = 1.0, 0.05
"""Limit of small goodputs, and absolute bound of the slot model below this limit, in Mbit/s. Such a category
has few accesses in 600 s. Goodputs below the absolute bound are not compared.
"""
SECONDS = {"model": 600.0, "ns-3": 60.0, "ns-3-arp": 60.0}
"""Measured seconds of a replication, by peer. Stations of "ns-3-arp" send datagrams before the saturation."""
ALL = "+".join(PARAMETERS)
GROUPS = (*("+".join(group) for size in (2, 3) for group in combinations(PARAMETERS, size)), ALL, f"({ALL})")
"""Groups of two to four categories. Categories in parentheses share one station; otherwise each has a
station.
"""
AGGREGATED = ("VO+VI", "VI+BE", "BE+BK", ALL, f"({ALL})")
"""Groups that are also compared with A-MPDUs."""
CASES = tuple(
    (functions, ampdu, txop)
    for ampdu, groups in ((0, GROUPS), (None, AGGREGATED))
    for txop in (0, 1)
    for functions in groups
    if not txop or {*LIMITS_US} & {*functions.strip("()").split("+")}
)
"""Cases of the slot model (802.11n, MCS 7, 20 MHz): functions, A-MPDU limit, and 1 for the TXOP limits of
Table 9-155.
"""
RUNS: Mapping[str, int] = {"0": 4, "max": 16}
"""Number of slot-model runs and of replications, by A-MPDU limit. With A-MPDUs a run has few accesses."""
LATE_SENSE = Reason(
    "carrier sense after 4 µs",
    "A station of ns-3 senses a frame 4 µs after its start; in Airhop carrier sense is immediate. The"
    " difference has no effect while the slots of all stations are aligned. If the rest of a TXOP limit is"
    " shorter than a CF-End, the slots of the holder precede those of the other stations by the rest, which"
    " is no whole number of slots. In ns-3 frames that start less than 4 µs apart then collide, such as"
    " voice 3 µs after video; in Airhop the later station defers. A slot model with the delay and ns-3's"
    " durations has VO 25.5 and VI 22.6 Mbit/s over 802.11n (ns-3 25.5 and 22.6); with the standard's"
    " durations and no delay it has 23.8 and 26.7 (Airhop 24.0 and 26.2). With and without the delay, best"
    " effort beside video has 5.1 (ns-3 4.5) and 9.0 (Airhop 9.1) Mbit/s there, and 2.3 (2.7) and 14.2"
    " (14.4) over 802.11ac. With four categories over 802.11ac video has 22.9 (23.0) and 86.4 (87.1) Mbit/s,"
    " and best effort, which gains the medium only after such collisions, 4.6 (5.0) and 0 (0) Mbit/s.",
)
SENSED_LATE: Mapping[tuple[str, str, str], float] = {
    ("n", "VO+VI", "VI"): 0.18,
    ("n", "VO+VI+BE+BK", "VI"): 0.17,
    ("ac", "VO+VI+BE+BK", "VI"): 2.77,
}
"""Relative excess of slot-model goodput with immediate carrier sense over goodput with carrier sense after 4
µs. The keys are standard, functions and category, for A-MPDUs with reserved TXOP limits.
"""
LEFT_OUT: Mapping[str, str] = {
    "arp": "The first datagrams of ns-3's runs on access categories of 802.11ac, and of 802.11n with A-MPDUs"
    " and TXOP limits. A station of ns-3 sends an ARP request as best effort, after a Block Ack agreement of"
    " best effort, before its first datagram. If voice saturates the medium first, this request waits, in a"
    " run of 0.6 s until its end: voice 313.6 Mbit/s and nothing else, or 261.0, 23.9, 3.8 and 0 Mbit/s with"
    " TXOP limits 0. If each station sends three datagrams before the saturation, the same settings have"
    " 243, 23.0, 5.0 and 0.3, and 174, 57.5, 15.0 and 3.1 Mbit/s; the tables contain these runs.",
    "rare": "Goodputs of ns-3 below 2 Mbit/s beside higher access categories, and eight stations with TXOP"
    " limits: their runs contain a few accesses of the category.",
}
"""Reasons of the measurements that are not compared."""


@dataclass
class _Function:
    """State of a saturated EDCA function; times in µs."""

    station: int
    category: str
    first: float
    """Duration of the first frame of a TXOP, the frame that may collide."""
    txop: float
    bits: float
    attempts: int | None
    requested: tuple[float, float] | None = None
    """Duration and bits of a TXOP that begins with a BlockAckReq. None if the frames are sent again without a
    request.
    """
    reserved: float = 0.0
    """Time that a TXOP reserves from the first bit on; 0 for the duration of the TXOP itself."""
    window: int = 0
    backoff: int = 0
    late: float = 0.0
    """Delay of the start of the next AIFS after the end of the last busy period."""
    tries: int = 0
    delivered: float = 0.0
    must_request: bool = False
    """True if the next TXOP begins with a BlockAckReq."""

    @property
    def begin(self) -> float:
        """First slot boundary after SIFS at which the backoff decreases."""
        return self.late + PARAMETERS[self.category][0] * SLOT_US

    @property
    def access(self) -> float:
        """Slot boundary after SIFS at which the function transmits."""
        return self.begin + self.backoff * SLOT_US

    @property
    def frame(self) -> float:
        """Duration of the first frame of the next TXOP."""
        return REQUEST_US if self.must_request else self.first

    def draw(self, rng: Random, window: int) -> None:
        """Draw a backoff."""
        self.window, self.backoff = window, rng.randint(0, window)

    def on_failure(self, rng: Random) -> None:
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
    link: Link,
    functions: str,
    *,
    limits: bool,
    seconds: float,
    seed: int,
    nav: bool = False,
    request: bool = False,
) -> list[float]:
    """Return the goodput of each function in Mbit/s, by the slot model.

    Parameters
    ----------
    link
        Transmission settings.
    functions
        Categories of a case.
    limits
        True for the TXOP limits of Table 9-155.
    seconds
        Simulated time in seconds.
    seed
        Seed of the backoffs.
    nav
        True if TXOPs reserve their limits.
    request
        True if a BlockAckReq follows a missing Block Ack.
    """
    rng, are_together = Random(seed), functions.startswith("(")
    found = []
    for number, category in enumerate(names(functions)):
        limit = LIMITS_US.get(category, 0.0) if limits else 0.0
        first, txop, mpdus = _txop(link, limit)
        attempts = ATTEMPTS if link.mpdus() == 1 else None
        station, bits = 0 if are_together else number, 8.0 * link.payload
        requested = None
        if request:
            _, time, more = _txop(link, limit, REQUEST_US + link.exchange_us(link.mpdus())[1])
            requested = time, bits * more
        function = _Function(station, category, first, txop, bits * mpdus, attempts, requested, limit * nav)
        function.draw(rng, PARAMETERS[category][1])
        found.append(function)
    time = 0.0
    while time < seconds * 1e6:
        time += _access(found, rng)
    return [function.delivered / time for function in found]


def _access(functions: Sequence[_Function], rng: Random) -> float:
    """Simulate the next busy period; return the time to the end of the period in microseconds."""
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
                function.on_failure(rng)
    on_air = list(highest.values())
    time = SIFS_US + access
    if len(on_air) == 1:
        (alone,) = on_air
        plain = alone.txop, alone.bits
        txop, bits = alone.requested or plain if alone.must_request else plain
        alone.delivered, alone.tries, alone.must_request = alone.delivered + bits, 0, False
        alone.draw(rng, PARAMETERS[alone.category][1])
        rest = alone.reserved - txop
        if rest > SIFS_US + CF_END_US:
            return time + txop + SIFS_US + CF_END_US
        for function in functions:
            function.late = rest if rest > 0 and function.station != alone.station else 0.0
        return time + txop
    longest = max(function.frame for function in on_air)
    last = {function.station for function in on_air if function.frame == longest}
    for function in on_air:
        function.on_failure(rng)
        function.must_request = function.requested is not None
    for function in functions:
        function.late = TIMEOUT_US if function.station in last else 0.0
    return time + longest


def _txop(link: Link, limit: float, before: float = 0.0) -> tuple[float, float, int]:
    """Return first-frame duration, total duration and number of MPDUs of a saturated TXOP.

    The first frame is an RTS if the link uses RTS. `before` is the duration of a BlockAckReq and the response
    at the start of the TXOP, or 0.
    """
    time, total, first = before or link.protection_us, 0, 0.0
    if before and not limit:
        return first, time, total
    while True:
        gap = SIFS_US if total or before else 0.0
        most = link.mpdus()
        fitting = (
            k for k in range(most, 0, -1) if not limit or time + gap + sum(link.exchange_us(k)) <= limit
        )
        mpdus = next(fitting, 0 if total or before else 1)
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
        keys["lost_block_ack"] = "resend" if row["peer"] == "model" else "request"
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
    limits += ", after ARP" if peer == "ns-3-arp" else ""
    deviation = SENSED_LATE.get((of.standard, functions, row["category"]))
    if peer != "ns-3-arp" or of.ampdu == 0 or row["txop"] == "0":
        deviation = None
    within = WITHIN if theirs.mean >= RARE_MBPS else RARE_WITHIN_MBPS / theirs.mean
    return Check(
        id=f"edca {' '.join(row.values())}",
        source="edca" if peer == "model" else "ns-3-edca",
        scenario=f"802.11{of.standard}, MCS {of.mcs}, {of.width} MHz, {cap}, {limits}, {where}"
        f" {', '.join(names(functions))}: {row['category']}",
        quantity=_goodput_of(row["category"]),
        document=document(row),
        theirs=theirs,
        bound=within if peer == "model" else NS3_WITHIN,
        reps=RUNS[row["ampdu_cap"]] if peer == "model" else 4,
        is_quick=(functions, row["ampdu_cap"], row["txop"]) == ("VO+VI", "0", "0"),
        reason=None if deviation is None else LATE_SENSE,
        deviation=deviation or 0.0,
    )


def main() -> None:
    """Print the slot model's rows of edca.csv."""
    for functions, ampdu, txop in CASES:
        of = Link("n", 7, 1, 20, ampdu=ampdu)
        cap = "max" if ampdu is None else str(ampdu)
        runs = [
            goodput_mbps(of, functions, limits=bool(txop), seconds=SECONDS["model"], seed=seed)
            for seed in range(1, RUNS[cap] + 1)
        ]
        for category, *found in zip(names(functions), *runs, strict=True):
            if fmean(found) >= RARE_WITHIN_MBPS:
                for seed, mbps in enumerate(found, 1):
                    sys.stdout.write(f"model,n,7,20,{cap},{txop},{functions},{category},{seed},{mbps:.5g}\n")


if __name__ == "__main__":
    main()
