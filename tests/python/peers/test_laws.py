"""The closed forms of the cross-checks yield the printed numbers of their papers, and known limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airhop.crosscheck import laws
from airhop.crosscheck.against_laws import dcf


@pytest.mark.parametrize("collides", [0.01, 0.1, 0.3, 0.45, 0.6])
@pytest.mark.parametrize("stages", [0, 3, 5])
def test_stations_transmit_with_bianchis_probability(collides: float, stages: int) -> None:
    # Bianchi 2000, equation (7); (8) without stages.
    model = laws.Dcf(slot=50, success=1, collision=1, window=32, stages=stages)
    p, doubled = collides, 2 * collides
    wanted = 2 * (1 - doubled) / ((1 - doubled) * 33 + p * 32 * (1 - doubled**stages))
    assert model.transmits(p) == pytest.approx(wanted, rel=1e-9)
    if not stages:
        assert model.transmits(p) == pytest.approx(2 / 33)


# Bianchi 2000, Table II (FHSS): 8184 bits of payload, 272 + 128 of headers, control frames of 240 and 288
# bits at 1 Mbit/s, slot 50, SIFS 28, DIFS 128, propagation 1 µs.
PAYLOAD, HEADERS, ACK, RTS, SIFS, DIFS, SLOT = 8184, 400, 240, 288, 28, 128, 50
COLLISION = {"basic": HEADERS + PAYLOAD + DIFS + 1, "rts-cts": RTS + DIFS + 1}


SUCCESS = {
    "basic": HEADERS + PAYLOAD + SIFS + ACK + DIFS + 2,
    "rts-cts": RTS + ACK + HEADERS + PAYLOAD + ACK + 3 * SIFS + DIFS + 4,
}


@pytest.mark.parametrize(("access", "printed"), [("basic", 9.334), ("rts-cts", 2.042)])
@pytest.mark.parametrize("stations", [10, 50])
def test_throughput_is_largest_at_bianchis_window(access: str, printed: float, stations: int) -> None:
    # Section V: near the maximum, stations send with probability 1 / (n K), K = sqrt(T_c / 2 slots), printed
    # as 9.334 and 2.042. The throughput there does not depend on n.
    slots = COLLISION[access] / SLOT
    k = math.sqrt(slots / 2)
    assert k == pytest.approx(printed, abs=0.0005)

    def throughput(sends: float) -> float:  # with a constant window, (8)
        window = 2 / sends - 1
        model = laws.Dcf(SLOT, SUCCESS[access], COLLISION[access], window, stages=0)
        return model.throughput(stations, PAYLOAD)

    best = max(throughput(scale / (stations * k)) for scale in np.linspace(0.4, 2.4, 21))
    assert throughput(1 / (stations * k)) == pytest.approx(best, rel=0.003)
    collided = COLLISION[access] * (k * (math.exp(1 / k) - 1) - 1)
    assert best == pytest.approx(PAYLOAD / (SUCCESS[access] + SLOT * k + collided), rel=0.01)


def test_a_single_station_has_the_durations_of_the_standard() -> None:
    # DIFS, 15.5 slots, frame, SIFS, ACK: crates/radio/tests/bianchi.rs has the same by hand.
    cycle = 50.0 + 15.5 * 20.0 + (192.0 + 1064.0 * 8.0 / 11.0) + 10.0 + (192.0 + 14.0 * 8.0 / 11.0)
    assert dcf("basic", 7).throughput(1, 8000) == pytest.approx(8000 / cycle)


def test_saturation_throughputs_equal_those_of_the_reference() -> None:
    # The README of the measured references: model 5.202 for one station; 5.203 for ten with an EIFS.
    assert dcf("basic", 7).throughput(1, 8000) == pytest.approx(5.202, abs=0.0005)
    assert dcf("basic", 7).throughput(10, 8000) == pytest.approx(5.203, abs=0.0005)


@pytest.mark.parametrize("acked", [1, 2])
def test_the_constant_of_the_square_root_law_matches_additive_increase(acked: int) -> None:
    # Ott, Kemperman and Mathis 1996: with x = W √p, x² / 2 grows by 1 / b per packet (in units of 1 / p), and
    # a loss leaves a quarter of it. At any packet, it is the sum of 4^-k E_k / b with exponential E_k, and
    # the interval between packets is 1 / W of a round trip.
    drawn = np.random.default_rng(1).exponential(1 / acked, (400_000, 12)) @ 0.25 ** np.arange(12)
    assert laws.RANDOM_LOSS[acked] == pytest.approx(1 / np.mean((2 * drawn) ** -0.5), rel=0.005)
    assert laws.square_root(1e-4, 0.1, acked=acked) == pytest.approx(laws.RANDOM_LOSS[acked] * 1000)


def arrives(loss: float, sent: int, first: int) -> float:
    """Return PFTK's A(w, k): the probability that of w packets the first k arrive, if one is lost."""
    return (1 - loss) ** first * loss / (1 - (1 - loss) ** sent)


@pytest.mark.parametrize("loss", [0.001, 0.01, 0.1])
@pytest.mark.parametrize("window", [4, 8, 20])
def test_timeouts_have_padhyes_probability(loss: float, window: int) -> None:
    # Padhye et al. 1998: if k packets of the round with the loss arrive, k are sent in the next round, of
    # which m arrive. A timeout follows if k < 3 or m < 3. The closed form is the sum of these terms.
    def fewer_than_three(k: int) -> float:
        return sum((1 - loss) ** m * loss if m < k else (1 - loss) ** k for m in range(min(3, k + 1)))

    wanted = sum(arrives(loss, window, k) * (1.0 if k < 3 else fewer_than_three(k)) for k in range(window))
    assert laws.pftk_timeout(loss, window) == pytest.approx(wanted, rel=1e-9)


def test_padhyes_model_has_the_limits_that_it_states() -> None:
    assert laws.pftk_timeout(1e-7, 30) == pytest.approx(3 / 30, rel=1e-3)
    assert laws.pftk_timeout(0.1, 3) == 1.0
    for acked in (1, 2):
        assert laws.pftk_window(1e-8, acked) == pytest.approx(math.sqrt(8 / (3 * acked * 1e-8)), rel=1e-3)
        law = math.sqrt(3 / (2 * acked * 1e-7)) / 0.1
        assert laws.pftk(1e-7, 0.1, 1.0, acked=acked) == pytest.approx(law, rel=0.01)


def test_padhyes_model_equals_values_computed_by_hand() -> None:
    # p = 0.02, b = 2, R = 0.2 s, T_0 = 2 s: a mean window of 0.6667 + 8.1103 segments; 0.058808 x 1.103679 /
    # 0.162488 of the losses are timeouts; (49 + 8.777 + 0.3994 / 0.98) segments in
    # (9.777 x 0.2 + 0.3994 x 2 x 1.020833 / 0.98) s.
    assert laws.pftk_window(0.02, 2) == pytest.approx(8.777, abs=5e-4)
    assert laws.pftk_timeout(0.02, 8.777) == pytest.approx(0.3994, abs=5e-4)
    assert laws.pftk(0.02, 0.2, 2.0, acked=2) == pytest.approx(20.873, rel=5e-4)


@pytest.mark.parametrize("loss", [1e-3, 1e-2, 3e-2])
def test_padhyes_full_model_is_near_its_approximation(loss: float) -> None:
    # The paper's approximation, which is the form of RFC 5348 §3.1; b = 2 and the paper's usual T_0 / RTT.
    b, round_trip, timeout = 2, 0.25, 1.0
    late = timeout * min(1, 3 * math.sqrt(3 * b * loss / 8)) * loss * (1 + 32 * loss**2)
    wanted = 1 / (round_trip * math.sqrt(2 * b * loss / 3) + late)
    assert laws.pftk(loss, round_trip, timeout, acked=b) == pytest.approx(wanted, rel=0.2)
