"""Intervals equal those of an independent computation."""

import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import binom, pearsonr, t, ttest_1samp, ttest_rel

from airhop import stats
from airhop.stats import Interval, bca, difference, doubts, estimate, jain, ratio, simultaneous, t_quantile
from airhop.terminal import mean_pm, signed_pm

FALSE_ALARM = 1e-4
"""Probability, over seeds, that a coverage test fails although the intervals are correct."""

WAITS = [12.1, 9.8, 11.4, 10.3, 10.9]
OTHERS = [3.1, 2.4, 2.9, 2.7, 2.6]


def test_the_mean_has_students_half_width() -> None:
    # t(0.975, 4) = 2.776, the value in every printed table.
    found = estimate(WAITS)
    assert found.mean == pytest.approx(10.9)
    assert found.half_width == pytest.approx(2.776 * np.std(WAITS, ddof=1) / math.sqrt(5), rel=2e-4)
    assert found.n == 5


def test_the_half_width_is_the_bound_of_the_t_test() -> None:
    found = estimate(WAITS)
    assert found.half_width is not None
    assert ttest_1samp(WAITS, found.mean - found.half_width).pvalue == pytest.approx(0.05)


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.95, 1 - 0.05 / 141, 0.999999])
def test_students_quantile_equals_scipys(confidence: float) -> None:
    for degrees in [*range(1, 60), 199, 1000]:
        expected = stdtrit(degrees, 0.5 + confidence / 2)
        assert t_quantile(degrees, confidence) == pytest.approx(expected, rel=3e-10), degrees
        if confidence == stats.CONFIDENCE:
            assert t_quantile(degrees) == pytest.approx(expected, rel=1e-14), degrees


def test_students_quantile_is_infinite_at_confidence_1_and_defined_for_probabilities_only() -> None:
    assert [t_quantile(4, 0.0), t_quantile(4, 1.0)] == [0.0, math.inf]
    for degrees, confidence in ((0, 0.95), (-1, 0.95), (4, 1.5), (4, -0.2), (4, math.nan)):
        assert math.isnan(t_quantile(degrees, confidence))
    for degrees in range(1, 300):  # quantiles at which the series rounds to 1
        assert t_quantile(degrees, 0.999999) < t_quantile(degrees, math.nextafter(1.0, 0.0)) < math.inf


# Times and rates are not negative. A t interval of few variable replications that extends below zero is
# therefore cut at zero.
def test_an_interval_of_a_non_negative_mean_does_not_extend_below_zero() -> None:
    few = estimate([100.0, 300.0, 400.0])
    assert few.half_width is not None and few.half_width > few.mean
    assert few.ends == Interval(0.0, few.mean + few.half_width)
    assert mean_pm(few) == "267 (0–646)"
    assert signed_pm(difference([100.0, 300.0, 400.0], [0.0, 0.0, 0.0])) == "267 ± 379"
    narrow = estimate(WAITS)
    assert narrow.half_width is not None
    assert narrow.ends == Interval(narrow.mean - narrow.half_width, narrow.mean + narrow.half_width)
    assert estimate([3.0]).ends is None
    assert estimate([0.0, 0.0]).ends == Interval(0.0, 0.0)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.9975])
def test_intervals_at_another_confidence_level_are_bounds_of_the_t_test(confidence: float) -> None:
    mean, ahead = estimate(WAITS).at(confidence), difference(WAITS, OTHERS).at(confidence)
    times = ratio(WAITS, OTHERS).at(confidence)
    turns = pytest.approx(1.0 - confidence)
    assert mean.half_width is not None and ahead.half_width is not None and times.low is not None
    assert ttest_1samp(WAITS, mean.mean + mean.half_width).pvalue == turns
    apart = [x - y for x, y in zip(WAITS, OTHERS, strict=True)]
    assert ttest_1samp(apart, ahead.mean + ahead.half_width).pvalue == turns
    assert ttest_rel(WAITS, [times.low * y for y in OTHERS]).pvalue == turns


def test_an_interval_missing_at_95_percent_is_missing_at_any_confidence() -> None:
    assert estimate([4.0]).at(0.9).half_width is None
    one = ratio([4.0], [2.0]).at(0.9)
    assert (one.value, one.low, one.high) == (2.0, None, None)


def test_simultaneous_intervals_share_the_error_rate_of_a_single_interval() -> None:
    # Bonferroni: the sum of the error probabilities of all tests equals that of one interval.
    for tries in (1, 3, 20):
        assert tries * (1.0 - simultaneous(tries)) == pytest.approx(0.05)


def test_the_mean_of_a_single_replication_has_no_interval() -> None:
    assert estimate([4.0]).half_width is None
    assert estimate([4.0]).relative is None
    one = ratio([4.0], [2.0])
    assert (one.value, one.low, one.high) == (2.0, None, None)


def test_the_difference_of_samples_is_paired() -> None:
    # A channel that changes both samples equally must not widen the interval of their difference.
    channel = [0.0, 5.0, -5.0, 2.0]
    found = difference([c + 3.0 for c in channel], channel)
    assert found.mean == pytest.approx(3.0)
    assert found.half_width == pytest.approx(0.0, abs=1e-12)


def test_fieller_bounds_are_bounds_of_the_paired_t_test() -> None:
    # Fieller (1954): the interval of x/y contains every r that the paired t test of x against r·y accepts.
    found = ratio(WAITS, OTHERS)
    assert found.low is not None and found.high is not None
    assert found.low < found.value < found.high
    for bound in (found.low, found.high):
        assert ttest_rel(WAITS, [bound * y for y in OTHERS]).pvalue == pytest.approx(0.05)
    assert found.excludes(3.0) and not found.excludes(found.value)


def test_the_ratio_of_a_sample_to_itself_is_1() -> None:
    found = ratio(WAITS, WAITS)
    assert (found.value, found.low, found.high) == pytest.approx((1.0, 1.0, 1.0))


def test_a_ratio_to_a_mean_that_may_be_zero_has_no_interval() -> None:
    found = ratio(WAITS, [1.0, -1.0, 2.0, -2.0, 0.5])
    assert found.low is None and found.high is None


def test_the_ratio_to_a_mean_of_zero_is_nan() -> None:
    assert math.isnan(ratio([1.0, 2.0], [0.0, 0.0]).value)


def test_a_replication_with_goodput_zero_leaves_the_ratios_interval_finite() -> None:
    # The log of a ratio would be infinite here.
    found = ratio([0.0, 2.0, 2.2], [1.0, 1.1, 0.9])
    assert found.low is not None and math.isfinite(found.low)


def test_samples_of_different_or_zero_length_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        difference([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="at least one"):
        estimate([])


def covers(
    draw: Callable[[np.random.Generator], NDArray[np.float64]],
    interval: Callable[[NDArray[np.float64]], Interval | None],
    true: float,
    trials: int,
) -> int:
    """Count the random samples whose interval contains the true value."""
    rng = np.random.default_rng(1)
    found = [interval(draw(rng)) for _ in range(trials)]
    assert None not in found
    return sum(one.low <= true <= one.high for one in found if one)


def accepted(rate: float, trials: int) -> tuple[int, int]:
    """Return the range of counts that a true coverage of `rate` leaves only with probability FALSE_ALARM."""
    low, high = binom.interval(1 - FALSE_ALARM, trials, rate)
    return int(low), int(high)


def test_intervals_of_means_contain_the_true_mean_at_their_confidence_level() -> None:
    low, high = accepted(0.95, 2000)
    hits = covers(lambda rng: rng.normal(10.0, 2.0, size=6), lambda x: estimate(x).interval(), 10.0, 2000)
    assert low <= hits <= high
    # With six values the normal quantile would cover 89 %, which the test detects.
    assert 2000 * (2 * t.cdf(1.96, 5) - 1) < low


def test_intervals_of_paired_differences_contain_the_truth_at_their_level() -> None:
    def pairs(rng: np.random.Generator) -> NDArray[np.float64]:
        channel = rng.normal(0.0, 5.0, size=8)
        return np.stack([channel + rng.normal(3.0, 1.0, size=8), channel + rng.normal(0.0, 1.0, size=8)])

    def interval(pair: NDArray[np.float64]) -> Interval:
        found = difference(list(pair[0]), list(pair[1]))
        assert found.half_width is not None
        return Interval(found.mean - found.half_width, found.mean + found.half_width)

    low, high = accepted(0.95, 2000)
    assert low <= covers(pairs, interval, 3.0, 2000) <= high


def test_an_interval_is_cut_to_the_range_of_the_quantity() -> None:
    found = estimate([0.9, 1.0, 1.0])
    cut = found.interval(0.0, 1.0)
    assert found.half_width is not None and found.mean + found.half_width > 1.0
    assert cut == Interval(found.mean - found.half_width, 1.0)
    assert estimate([1.0]).interval() is None


def test_equal_replications_have_an_interval_of_width_zero() -> None:
    # In binary, the computed mean of three times 0.1 is not 0.1, and the deviation is not 0.
    found = estimate([0.1, 0.1, 0.1])
    assert (found.mean, found.half_width) == (0.1, 0.0)
    assert bca([2.0, 2.0, 2.0]) == Interval(2.0, 2.0)


# ---- paired differences ----------------------------------------------------------------------------------


def test_a_difference_reports_the_correlation_of_the_pairs() -> None:
    found = difference(WAITS, OTHERS)
    assert found.correlation == pytest.approx(pearsonr(WAITS, OTHERS).statistic)
    assert found.half_width is not None and found.correlation is not None
    # The printed correlation r satisfies Var(a - b) = Var a + Var b - 2 r sd(a) sd(b).
    a, b = np.std(WAITS, ddof=1), np.std(OTHERS, ddof=1)
    variance = a**2 + b**2 - 2 * found.correlation * a * b
    assert found.half_width == pytest.approx(2.776 * math.sqrt(variance / 5), rel=2e-4)


def test_a_difference_contains_every_value_that_the_paired_t_test_accepts() -> None:
    found = difference(WAITS, OTHERS)
    assert found.half_width is not None
    at_the_end = [b + found.mean - found.half_width for b in OTHERS]
    assert ttest_rel(WAITS, at_the_end).pvalue == pytest.approx(0.05)
    assert found.excludes(0.0) and not found.excludes(found.mean)


def test_without_scatter_or_with_a_single_pair_there_is_no_correlation() -> None:
    assert difference([1.0, 2.0], [3.0, 3.0]).correlation is None
    one = difference([4.0], [1.0])
    assert (one.mean, one.half_width, one.n, one.correlation) == (3.0, None, 1, None)
    assert not one.excludes(0.0)


# ---- bootstrap -------------------------------------------------------------------------------------------


def test_bca_returns_the_textbooks_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    # Efron and Tibshirani 1993, table 14.2: variance of spatial test A, 90 %, BCa 115.8 to 259.6, from 2000
    # other resamples. The percentile interval, 100.8 to 233.9, differs by far more than 2 %.
    spatial_a = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6]
    spatial_a += [0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]
    monkeypatch.setattr(stats, "CONFIDENCE", 0.9)
    assert np.var(spatial_a) == pytest.approx(171.5, abs=0.05)
    found = bca(spatial_a, np.var)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((115.8, 259.6), rel=0.02)


def test_bca_intervals_contain_the_mean_of_a_skewed_distribution() -> None:
    # Second-order correct, not exact: at n = 30 exponential waits are covered 92 to 95 % of the time.
    hits = covers(lambda rng: rng.exponential(1.0, size=30), bca, 1.0, 300)
    assert accepted(0.92, 300)[0] <= hits <= accepted(0.95, 300)[1]


def test_equal_data_yield_equal_intervals() -> None:
    assert bca(WAITS) == bca(WAITS)


def test_bca_returns_no_interval_for_a_single_value_or_a_degenerate_median() -> None:
    assert bca([1.0]) is None
    assert bca([1.0, 1.0, 1.0, 1.0, 5.0], np.median) is None


# ---- fairness --------------------------------------------------------------------------------------------


def test_jains_index_equals_the_examples_of_the_paper() -> None:
    # Jain, Chiu, Hawe 1984: if k of n users have equal shares and all others none, the index is k/n.
    assert jain([2.0, 2.0, 0.0, 0.0]) == pytest.approx(0.5)
    assert math.isnan(jain([0.0, 0.0]))


@given(st.lists(st.floats(0, 1e6), min_size=1).filter(lambda shares: max(shares) > 1e-3))
def test_jains_index_is_between_1_over_n_and_1(shares: list[float]) -> None:
    assert 1 / len(shares) - 1e-9 <= jain(shares) <= 1 + 1e-9


def test_an_interval_of_a_fairness_index_does_not_exceed_1() -> None:
    mean = estimate([0.99, 1.0, 0.995])
    assert mean.half_width is not None and mean.mean + mean.half_width > 1.0
    assert mean.interval(most=1.0) == Interval(mean.mean - mean.half_width, 1.0)
    assert estimate([0.9]).interval(most=1.0) is None


# ---- doubts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([[1, 2, 3], [4, 5, 6]], []),
        ([[1, 2], [4, 5]], ["2 replications: too few for an interval; use at least 3, better 10"]),
        ([[1, 2, 3], [4]], ["1 replication at 1 of 2 points: too few"]),
        ([[1, 1, 1], [4, 4, 4]], ["all replications are identical"]),
        ([[1, 1, 1], [4, 5, 6]], ["at 1 of 2 points all replications are identical"]),
        ([[1, 1]], ["2 replications: too few", "all replications are identical"]),
        ([[], []], []),
        ([], []),
    ],
)
def test_warnings_name_unreliable_intervals(cells: list[list[int]], said: list[str]) -> None:
    found = doubts(cells)
    assert len(found) == len(said)
    assert all(one.startswith(start) for one, start in zip(found, said, strict=True))


def test_means_and_ratios_do_not_import_scipy_stats() -> None:
    # `airhop compare` must start fast; scipy.stats takes a second to import.
    code = (
        "import sys; from airhop import stats; stats.estimate([1, 2]); stats.difference([1, 2], [2, 1]); "
        "stats.ratio([1, 2], [2, 1]); stats.jain([0.9, 1]); print('scipy.stats' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
