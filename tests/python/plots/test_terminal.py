"""A terminal shows numbers with rounded digits, and charts with intervals."""

import math

import pytest

from airhop.stats import Estimate, Ratio
from airhop.terminal import bar_chart, mean_pm, number, percent, percent_interval, percent_pm, ratio


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (math.nan, "–"),
        (0, "0"),
        (46, "46"),
        (26100, "26,100"),
        (0.8512, "0.851"),
        (3.6049, "3.60"),
        (71.24, "71.2"),
        (0.00123, "0.00123"),
        (12345.6, "12,346"),
    ],
)
def test_a_number_is_printed_with_rounded_digits(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Estimate(0.8512, 0.0213, 10), "0.851 ± 0.021"),
        (Estimate(364.6, 8.9, 10), "364.6 ± 8.9"),
        (Estimate(364.6, 89.0, 10), "365 ± 89"),
        (Estimate(46.0, 0.0, 10), "46.0 ± 0"),
        (Estimate(0.8512, None, 1), "0.851"),
    ],
)
def test_a_mean_is_printed_with_its_interval(value: Estimate, text: str) -> None:
    assert mean_pm(value) == text


def test_a_ratio_is_printed_with_its_interval_if_it_has_one() -> None:
    assert ratio(Ratio(3.849, 3.7, 4.012, 10)) == "× 3.85 (3.70–4.01)"
    assert ratio(Ratio(1.39, -0.31, 4.07, 3), least=0.0) == "× 1.39 (0.00–4.07)"
    assert ratio(Ratio(3.849, None, None, 1)) == "× 3.85"
    assert ratio(Ratio(math.nan, None, None, 1)) == "–"


def test_a_bar_shows_mean_and_interval() -> None:
    rows = [
        ("reno", Estimate(1.0, 0.0, 3)),
        ("ll-elsn", Estimate(3.0, 1.0, 3)),
        ("dead", Estimate(0.0, None, 1)),
    ]
    first, second, third = bar_chart(rows, unit="Mbit/s", width=16).plain.split("\n")
    assert first == "   reno ████ 1.00 Mbit/s"
    assert second == "ll-elsn ████████░░░░░░░░ 3.00 Mbit/s"
    assert third == "   dead  0 Mbit/s"


@pytest.mark.parametrize(("columns", "widest"), [(60, 60), (30, 30), (200, 75)])
def test_bars_leave_space_for_their_numbers(columns: int, widest: int) -> None:
    rows = [("reno", Estimate(1.0, 0.5, 5)), ("ll-elsn-long", Estimate(3.0, None, 1))]
    lines = bar_chart(rows, unit="Mbit/s", columns=columns).plain.splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) == widest


def test_a_chart_without_rows_is_empty() -> None:
    assert bar_chart([], unit="Mbit/s").plain == ""


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0"),
        (1.0, "100"),
        (0.9979, "99.79"),
        (0.967, "96.7"),
        (0.45, "45"),
        (0.083, "8.3"),
        (1e-5, "0.00"),
    ],
)
def test_shares_near_0_and_1_are_not_rounded_to_0_or_100_percent(share: float, text: str) -> None:
    assert percent(share) == text


def test_shares_are_printed_with_the_decimals_of_their_interval() -> None:
    assert percent_interval(Ratio(0.45, 0.42, 0.48, 5)) == "45 (42–48)"
    assert percent_interval(Ratio(0.8961, 0.8801, 0.9123, 5)) == "89.6 (88.0–91.2)"
    assert percent_interval(Ratio(0.0, 0.0, 0.0, 5)) == "0"
    assert percent_interval(Ratio(0.0021, None, None, 1)) == "0.21"
    assert percent_pm(Ratio(0.9957, 0.9945, 0.9969, 5)) == "99.57 ± 0.12"
    assert percent_pm(Ratio(0.5, None, None, 1)) == "50"
