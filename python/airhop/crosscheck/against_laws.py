"""Checks against closed forms: Bianchi's DCF, the square-root law and PFTK."""

from __future__ import annotations

from collections.abc import Iterator

from airhop.crosscheck import laws
from airhop.crosscheck.check import Check, Reason
from airhop.crosscheck.quantity import GOODPUT, SATURATION, SENDING_RATE
from airhop.crosscheck.words import percent
from airhop.crosscheck.worlds import RFC_EVERY_ACK, Document, Tcp, saturated_cell, wire
from airhop.stats import Estimate

BIANCHI_WITHIN, SQUARE_ROOT_WITHIN, PFTK_WITHIN = 0.02, 0.05, 0.15
"""Bounds of the differences from each law.

PFTK models correlated losses within a round, with the limit √(3/2) / (R √p) for small p. With independent
losses, the constant is 1.31 instead of √(3/2), or 7 % more. The rest of the bound allows for other
differences.
"""
STATIONS = (1, 2, 5, 10, 20)
LOSSES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
HEAVY = (3e-2, 1e-1)
"""Loss rates for PFTK only, because the square-root law models no timeouts."""
ROUND_TRIP_S, TIMEOUT_S = 0.1, 1.0
"""Round-trip time (50 ms each way) and timeout (minimum RTO of the RFCs) in both laws, in seconds."""
SEGMENT_BITS = 8000

RECOVERY = Reason(
    "recovery takes time",
    "The square-root law assumes that the window grows again immediately after a loss, which is accurate for"
    " small loss rates only. Fast recovery lasts one of the 1 / (C √p) round trips between two losses: one of"
    " 14 at 0.3 % loss and one of 8 at 1 %. With delayed ACKs it is one of 20 and one of 11, and some windows"
    " are so small that a loss leads to a timeout.",
)
SQUARE_ROOT_OFF = {(1, 3e-3): -0.05, (1, 1e-2): -0.11, (2, 3e-3): -0.09, (2, 1e-2): -0.18}
"""Differences explained by `RECOVERY`, by segments per ACK and loss rate."""


def checks() -> Iterator[Check]:
    """Yield the checks of all three laws."""
    for access in ("basic", "rts-cts"):
        yield from (_saturation(access, stations) for stations in STATIONS)
    for acked in laws.RANDOM_LOSS:
        yield from (_square_root(loss, acked) for loss in LOSSES)
    for acked in laws.RANDOM_LOSS:
        yield from (_pftk(loss, acked) for loss in (*LOSSES, *HEAVY))


def dcf(access: str, attempts: int) -> laws.Dcf:
    """Return the DCF durations of an 802.11b cell at 11 Mbit/s with datagrams of 1000 bytes.

    IEEE 802.11-2016 §16.3.4 and §10.3: slot 20 µs, SIFS 10 µs, long preamble 192 µs. As in the model,
    stations that heard a collision wait for an EIFS.
    """
    slot, sifs, preamble, mbps = 20.0, 10.0, 192.0, 11.0
    difs = sifs + 2 * slot
    # an EIFS includes the duration of an ACK at the lowest rate, 1 Mbit/s
    eifs = sifs + difs + preamble + 8 * 14 / 1.0
    data, rts, cts, ack = (preamble + 8 * size / mbps for size in (1000 + 28 + 36, 20, 14, 14))
    if access == "basic":
        success, collision = data + sifs + ack + difs, data + eifs
    else:
        success, collision = rts + cts + data + ack + 3 * sifs + difs, rts + eifs
    return laws.Dcf(slot, success, collision, window=32, stages=5, attempts=attempts)


def _saturation(access: str, stations: int) -> Check:
    attempts = 7
    model = dcf(access, attempts).throughput(stations, SEGMENT_BITS)
    return Check(
        id=f"bianchi {access} {stations}",
        source="bianchi",
        scenario=f"{'basic access' if access == 'basic' else 'RTS/CTS'}, stations: {stations}",
        quantity=SATURATION,
        document=saturated_cell(stations, access=access, attempts=attempts, seconds=20),
        theirs=_exact(model),
        bound=BIANCHI_WITHIN,
        reps=10,
        is_quick=stations in (1, 10),
    )


def _square_root(loss: float, acked: int) -> Check:
    law = laws.square_root(loss, ROUND_TRIP_S, acked=acked) * SEGMENT_BITS / 1e6
    deviation = SQUARE_ROOT_OFF.get((acked, loss))
    return Check(
        id=f"square-root {acked} {loss:g}",
        source="square-root",
        scenario=f"SACK, {_acks(acked)}, loss {percent(loss)}",
        quantity=GOODPUT,
        document=_lossy("sack", {**RFC_EVERY_ACK, "delayed_ack": acked == 2}, loss),
        theirs=_exact(law),
        bound=SQUARE_ROOT_WITHIN,
        reps=20 if loss < 1e-3 else 10,  # runs with few losses need more replications
        is_quick=loss in (1e-3, 1e-2),
        reason=None if deviation is None else RECOVERY,
        deviation=deviation or 0.0,
    )


def _pftk(loss: float, acked: int) -> Check:
    # Limited transmit (RFC 3042) is off, because it prevents timeouts that the law, which is older, counts.
    tcp = {**RFC_EVERY_ACK, "delayed_ack": acked == 2, "limited_transmit": False}
    return Check(
        id=f"pftk {acked} {loss:g}",
        source="pftk",
        scenario=f"Reno, {_acks(acked)}, loss {percent(loss)}",
        quantity=SENDING_RATE,
        document=_lossy("reno", tcp, loss),
        theirs=_exact(laws.pftk(loss, ROUND_TRIP_S, TIMEOUT_S, acked=acked)),
        bound=PFTK_WITHIN,
        reps=10,
        is_quick=loss in (1e-3, 1e-2),
    )


def _lossy(scheme: str, tcp: Tcp, loss: float) -> Document:
    """Return a lossy wire with so high a rate that only losses limit TCP."""
    return wire(
        scheme,
        tcp,
        loss=loss,
        seconds=1000,
        warmup=100,  # long, because with few losses the first slow start far exceeds the law's window
        rate="1 Gbit/s",
        delay="50 ms",
        packets=1_000_000,
    )


def _acks(acked: int) -> str:
    return "an ACK per segment" if acked == 1 else "delayed ACKs"


def _exact(value: float) -> Estimate:
    return Estimate(value, 0.0, 1)
