"""Intervals against an independent computation of the same law."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp, ttest_rel

from airhop.stats import difference, estimate, jain, ratio

WAITS = [12.1, 9.8, 11.4, 10.3, 10.9]
OTHERS = [3.1, 2.4, 2.9, 2.7, 2.6]


def test_mean_and_student_half_width() -> None:
    # t(0.975, 4) = 2.776, the value in every printed table.
    found = estimate(WAITS)
    assert found.mean == pytest.approx(10.9)
    assert found.half_width == pytest.approx(2.776 * np.std(WAITS, ddof=1) / math.sqrt(5), rel=2e-4)
    assert found.n == 5


def test_half_width_is_where_the_t_test_turns() -> None:
    found = estimate(WAITS)
    assert found.half_width is not None
    assert ttest_1samp(WAITS, found.mean - found.half_width).pvalue == pytest.approx(0.05)


def test_one_replication_has_no_interval() -> None:
    assert estimate([4.0]).half_width is None
    assert estimate([4.0]).relative is None
    one = ratio([4.0], [2.0])
    assert (one.value, one.low, one.high) == (2.0, None, None)


def test_difference_is_paired() -> None:
    # A channel that moves both alike must not widen the interval of their difference.
    channel = [0.0, 5.0, -5.0, 2.0]
    found = difference([c + 3.0 for c in channel], channel)
    assert found.mean == pytest.approx(3.0)
    assert found.half_width == pytest.approx(0.0, abs=1e-12)


def test_fieller_bounds_are_where_the_paired_t_test_turns() -> None:
    # Fieller (1954): the interval of x/y holds every r that the paired t test of x against r·y accepts.
    found = ratio(WAITS, OTHERS)
    assert found.low is not None and found.high is not None
    assert found.low < found.value < found.high
    for bound in (found.low, found.high):
        assert ttest_rel(WAITS, [bound * y for y in OTHERS]).pvalue == pytest.approx(0.05)
    assert found.excludes(3.0) and not found.excludes(found.value)


def test_ratio_to_itself_is_one() -> None:
    found = ratio(WAITS, WAITS)
    assert (found.value, found.low, found.high) == pytest.approx((1.0, 1.0, 1.0))


def test_ratio_to_what_may_be_zero_has_no_interval() -> None:
    found = ratio(WAITS, [1.0, -1.0, 2.0, -2.0, 0.5])
    assert found.low is None and found.high is None


def test_ratio_to_nothing_is_no_number() -> None:
    assert math.isnan(ratio([1.0, 2.0], [0.0, 0.0]).value)


def test_starved_replication_is_no_obstacle() -> None:
    # The log of a ratio would be infinite here.
    found = ratio([0.0, 2.0, 2.2], [1.0, 1.1, 0.9])
    assert found.low is not None and math.isfinite(found.low)


def test_pairs_must_match() -> None:
    with pytest.raises(ValueError, match="same length"):
        difference([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="at least one"):
        estimate([])


def test_interval_covers_at_its_rate() -> None:
    # 95 % of intervals of normal samples hold the true mean: 1000 draws, 4 standard errors of leave.
    rng = np.random.default_rng(1)
    hits = 0
    for sample in rng.normal(10.0, 2.0, size=(1000, 6)):
        found = estimate(sample)
        assert found.half_width is not None
        hits += abs(found.mean - 10.0) <= found.half_width
    assert abs(hits / 1000 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 1000)
    assert t.ppf(0.975, 5) > 2.5  # the normal quantile, 1.96, would cover less


def test_jain_of_the_paper() -> None:
    # Jain, Chiu, Hawe 1984: k of n users with equal shares and the rest with none give k/n.
    assert jain([2.0, 2.0, 0.0, 0.0]) == pytest.approx(0.5)
    assert math.isnan(jain([0.0, 0.0]))


@given(st.lists(st.floats(0, 1e6), min_size=1).filter(lambda shares: max(shares) > 1e-3))
def test_jain_lies_between_one_user_and_all(shares: list[float]) -> None:
    assert 1 / len(shares) - 1e-9 <= jain(shares) <= 1 + 1e-9
