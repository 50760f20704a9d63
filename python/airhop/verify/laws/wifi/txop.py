"""TXOPs: exchanges of a station that follow each other by a SIFS, within the limit of their access category.

IEEE 802.11-2020 §10.23.2.9. The first exchange of a TXOP may exceed the limit with a single MPDU, and with a
BlockAckReq. RTS and CTS precede the first exchange with each receiver of a TXOP.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from airhop.verify.laws.wifi.pairs import Exchange, Exchanges
from airhop.verify.medium import Medium, finding, media
from airhop.verify.trace import ROUNDING, Finding, Trace


def check(trace: Trace) -> Iterator[Finding]:
    """Check every channel with a TXOP limit above 0."""
    for medium in media(trace):
        if medium.txop:
            for txop in _txops(medium):
                yield from _check(medium, txop)


def _txops(medium: Medium) -> Iterator[list[Exchange]]:
    """Yield the exchanges of each TXOP of a category with a limit."""
    exchanges = Exchanges(medium)
    of_station: defaultdict[str, list[Exchange]] = defaultdict(list)
    for (pair, category), found in exchanges.of().items():
        if category in medium.txop:
            of_station[pair[0]] += found
    for found in of_station.values():
        txop: list[Exchange] = []
        for exchange in sorted(found, key=lambda one: one.start):
            if txop and exchanges.first(txop[-1]) != exchange.first:
                yield txop
                txop = []
            txop.append(exchange)
        if txop:
            yield txop


def _check(medium: Medium, txop: list[Exchange]) -> Iterator[Finding]:
    """Check the duration of a TXOP, and its RTS frames."""
    limit = medium.txop[txop[0].first.category]
    protected: set[str] = set()
    needs_rts = medium.plan["access"] == "rts-cts"
    for number, exchange in enumerate(txop):
        main = exchange.main
        has_rts = exchange.first.kind == "rts"
        receiver = exchange.first.receiver
        if has_rts and receiver in protected:
            yield finding("txop", exchange.first, f"a second RTS to {receiver} in a TXOP")
        if main is None:
            continue
        is_data = main.kind in ("data", "a-mpdu") and needs_rts
        if is_data and not has_rts and receiver not in protected:
            yield finding("txop", main, f"no RTS to {receiver} in the TXOP before")
        protected |= {receiver} if has_rts else set()
        until = main.end + medium.sifs + round(medium.answer_time(main.kind))
        may_exceed = number == 0 and main.kind != "a-mpdu"
        if until > txop[0].start + limit + ROUNDING and not may_exceed:
            text = f"its exchange ends {until - txop[0].start} ns after the start of the TXOP, of {limit} ns"
            yield finding("txop", main, text)
