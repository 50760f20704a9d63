"""Equations (1) to (5) of Yun 2009 agree with explicit sums and an independent simulation."""

from __future__ import annotations

import numpy as np
import pytest

from airhop.experiments.yun2009.equations import (
    attempts_of_success,
    crossing_time,
    eln_interval,
    ersn_interval,
    notice_rate,
    simulate_link,
)
from airhop.stats import jain

# Slots between notices by (p, l), counted by another program over 6e7 to 2e8 frames: ERSN, ELN.
COUNTED = {
    (0.1, 2): (10.9972, 109.78),
    (0.1, 3): (11.1039, 1104.64),
    (0.2, 2): (6.0008, 30.02),
    (0.2, 3): (6.1986, 154.89),
    (0.3, 2): (4.3333, 14.45),
    (0.3, 3): (4.6323, 51.49),
    (0.3, 4): (4.7237, 175.11),
    (0.3, 5): (4.7503, 586.89),
}
GRID = [(p, limit) for p in (0.01, 0.1, 0.3, 0.9) for limit in (1, 2, 3, 5, 7)]


@pytest.mark.parametrize("p", [0.0, 0.05, 0.5])
def test_equation_1_equals_a_numerical_sum(p: float) -> None:
    k = np.arange(2000)
    assert crossing_time(2e-3, p) == pytest.approx((k * 2e-3 * p**k * (1 - p)).sum() + 2e-3)


@pytest.mark.parametrize(("p", "limit"), GRID)
def test_equation_3_equals_a_numerical_sum(p: float, limit: int) -> None:
    i = np.arange(1, limit + 1)
    assert attempts_of_success(p, limit) == pytest.approx((i * p ** (i - 1) * (1 - p) / (1 - p**limit)).sum())


@pytest.mark.parametrize(("p", "limit"), GRID)
def test_equation_2_equals_slots_per_frame_divided_by_notices_per_frame(p: float, limit: int) -> None:
    # A frame takes 1 + p + … + p^(l-1) slots; it causes an ERSN with p and an ELN with p^l.
    slots = (p ** np.arange(limit)).sum()
    assert eln_interval(p, limit) == pytest.approx(slots / p**limit)
    if limit > 1:
        assert ersn_interval(p, limit) == pytest.approx(slots / p)


@pytest.mark.parametrize(("point", "counted"), COUNTED.items())
def test_equation_2_equals_the_counts_of_an_independent_simulation(
    point: tuple[float, int], counted: tuple[float, float]
) -> None:
    # Tolerances are the sampling errors: 1e-3 for ERSNs in 6e7 frames, 6e-3 for the rarest ELNs.
    assert ersn_interval(*point) == pytest.approx(counted[0], rel=1e-3)
    assert eln_interval(*point) == pytest.approx(counted[1], rel=6e-3)


def test_the_literal_reading_of_equation_2_overestimates_the_interval() -> None:
    # Relative errors of E[RT] computed for l attempts instead of l - 1: 0.8, 2.2, 3.7 and 0.4 %.
    p, limit = np.array([0.1, 0.2, 0.3, 0.3]), np.array([2, 2, 2, 5])
    excess = ersn_interval(p, limit, literal=True) / ersn_interval(p, limit) - 1
    assert excess == pytest.approx([0.0074, 0.0222, 0.0373, 0.0043], abs=1e-4)


def test_the_ersn_interval_is_refused_for_a_retry_limit_of_1() -> None:
    with pytest.raises(ValueError, match="2 or more"):
        ersn_interval(0.1, [2, 1])


def test_equation_4_equals_values_computed_by_hand() -> None:
    # A notice has 0.2 of a frame's length (L/P). At p = 0.1 with two attempts an ELN is sent every 109.999
    # slots; at p = 0 no notice is sent.
    assert notice_rate(eln_interval([0.0, 0.1], 2)) == pytest.approx([0.0, 0.2 / 110.0])
    assert notice_rate(ersn_interval(0.3, 2)) == pytest.approx(0.046154, abs=1e-6)
    assert notice_rate(5.0, message_share=0.5) == 0.1


def test_equation_5_ranges_from_1_over_n_to_1() -> None:
    assert jain([2.0, 2.0, 2.0, 2.0]) == 1.0
    assert jain([0.0, 0.0, 3.0, 0.0]) == 0.25
    assert jain([1.0, 3.0]) == 16.0 / 20.0


@pytest.mark.parametrize("point", [(0.1, 2), (0.3, 2), (0.3, 4)])
def test_the_simulated_link_has_the_intervals_of_the_independent_simulation(point: tuple[float, int]) -> None:
    link = simulate_link(*point, frames=400_000, rng=np.random.default_rng(1))
    for found, slots in zip((link.ersn, link.eln), COUNTED[point], strict=True):
        assert found.half_width is not None
        assert found.mean == pytest.approx(1 / slots, abs=2 * found.half_width)
    assert link.ersn.relative is not None and link.ersn.relative < 0.01
    assert link.elns == pytest.approx(400_000 * point[0] ** point[1], rel=0.05)


def test_a_simulated_link_without_retransmission_sends_no_ersn() -> None:
    link = simulate_link(0.2, 1, frames=20_000, rng=np.random.default_rng(1))
    assert link.ersn.mean == 0.0
    assert link.eln.mean == pytest.approx(0.2, rel=0.05)
