"""Axes have the values of their ranges and a column with a unit; bad axes are refused."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airhop import InputError, Scenario
from airhop.study.axis import Axis, flattened, text

FER = "wlan.cell.errors.fer"
DELAY = "wired.w1.delay"


def values(given: object, path: str = FER) -> list[object]:
    return [value for (value,) in Axis.of(path, given).values]


def test_a_log_range_has_equal_ratios_and_both_end_points() -> None:
    found = [float(str(value)) for value in values({"log": [1e-4, 1e-1], "points": 7})]
    assert (found[0], found[-1]) == (1e-4, 1e-1)
    for low, high in pairwise(found):
        assert high / low == pytest.approx(math.sqrt(10), rel=1e-9)


def test_a_linear_range_has_equal_steps_without_rounding_errors() -> None:
    # 0.1 + 2 * 0.1 is not 0.3 in binary; the values are rounded to the decimals that a user would write.
    assert values({"linear": [0.1, 0.5], "points": 5}) == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_a_range_of_integers_has_integer_values_if_possible() -> None:
    attempts = values({"linear": [1, 7], "points": 4}, "wlan.cell.attempts")
    assert attempts == [1, 3, 5, 7] and all(isinstance(value, int) for value in attempts)
    assert values({"linear": [1, 2], "points": 3}) == [1.0, 1.5, 2.0]


def test_a_range_of_quantities_has_the_unit_of_its_first_end_point() -> None:
    assert values({"linear": ["2 ms", "0.03 s"], "points": 3}, DELAY) == ["2 ms", "16 ms", "30 ms"]
    assert values({"log": ["1 Mbit/s", "100 Mbit/s"], "points": 3}, "wired.w1.rate") == [
        "1 Mbit/s",
        "10 Mbit/s",
        "100 Mbit/s",
    ]


@given(
    first=st.floats(1e-9, 1e9),
    last=st.floats(1e-9, 1e9),
    points=st.integers(2, 50),
    kind=st.sampled_from(["log", "linear"]),
)
def test_ranges_are_monotonic_and_have_the_given_number_of_values(
    first: float, last: float, points: int, kind: str
) -> None:
    if abs(first - last) < 1e-6 * first:
        return
    found = [float(str(value)) for value in values({kind: [first, last], "points": points})]
    assert len(found) == points
    assert found == sorted(found, reverse=first > last)


@pytest.mark.parametrize(
    ("path", "given", "column", "expected"),
    [
        (DELAY, ["2 ms", "1 s"], f"{DELAY}_ms", (2.0, 1000.0)),
        (DELAY, ["0.1 s", "100 µs"], f"{DELAY}_s", (0.1, 1e-4)),
        ("wired.w1.rate", ["1 Mbit/s", "500kbit/s"], "wired.w1.rate_mbps", (1.0, 0.5)),
        ("flow.ftp.segment", ["1000 B", "1.5 kB"], "flow.ftp.segment_bytes", (1000.0, 1500.0)),
        ("wlan.cell.range.sense", ["85 m", "1 km"], "wlan.cell.range.sense_m", (85.0, 1000.0)),
        (FER, [0, 0.5], FER, (0.0, 0.5)),
        ("wlan.cell.attempts", [1, 7], "wlan.cell.attempts", (1, 7)),
        ("flow.ftp.tcp.delayed_ack", [True, False], "flow.ftp.tcp.delayed_ack", (True, False)),
        # With a word among the quantities, the column is text, and its name is the path without a unit.
        ("flow.f.tcp.receive_window", ["64 kB", "unlimited"], "flow.f.tcp.receive_window",
         ("64 kB", "unlimited")),
        ("scheme", ["reno", {"name": "ll-elsn", "n": 3.0}], "scheme", ("reno", "ll-elsn(n=3)")),
        ("wlan.cell.errors", [{"kind": "clean"}, {"kind": "bernoulli", "fer": 0.1}], "wlan.cell.errors",
         ("clean", "bernoulli(fer=0.1)")),
    ],
)  # fmt: skip
def test_an_axis_has_a_column_with_unit_and_typed_values(
    path: str, given: list[object], column: str, expected: tuple[object, ...]
) -> None:
    (found,) = Axis.of(path, given).columns.items()
    assert found == (column, expected)
    assert [type(value) for value in found[1]] == [type(value) for value in expected]


def test_units_of_axis_columns_equal_the_units_that_the_core_reads() -> None:
    # The unit in a column's name must be the unit of its values.
    scenario = Scenario.load("last-hop")
    for path, quantities in {
        DELAY: ["1000000 ns", "1000 us", "1000 µs", "1 ms", "0.001 s"],
        "wired.w1.rate": ["2000000 bit/s", "2000 kbit/s", "2 Mbit/s", "0.002 Gbit/s"],
        "flow.ftp.segment": ["1500 B", "1.5 kB", "0.0015 MB"],
        "wlan.cell.range.sense": ["1000 m", "1 km"],
    }.items():
        base = scenario.with_({"wlan.cell.range": {"receive": "40 m", "sense": "85 m"}})
        assert len({base.with_({path: quantity}) for quantity in quantities}) == 1
        for quantity in quantities[1:]:
            with pytest.raises(InputError, match="are the same"):
                Axis.of(path, [quantities[0], quantity])


def test_zipped_keys_vary_together() -> None:
    axis = Axis.zipped(
        {DELAY: ["2 ms", "10 ms"], "wired.w2.delay": {"linear": ["1 ms", "3 ms"], "points": 2}}
    )
    assert axis.values == (("2 ms", "1 ms"), ("10 ms", "3 ms"))
    assert axis.columns == {f"{DELAY}_ms": (2.0, 10.0), "wired.w2.delay_ms": (1.0, 3.0)}
    # A delay may occur twice if the other value differs.
    assert len(Axis.zipped({DELAY: ["2 ms", "2 ms"], FER: [0.1, 0.2]})) == 2


def test_numbers_of_numpy_are_accepted_in_axes() -> None:
    numpy = pytest.importorskip("numpy")
    assert values(numpy.array([0.25, 0.5])) == [0.25, 0.5]
    assert values([numpy.int64(3)]) == [3]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "the list is empty"),
        (0.1, "expected a list of values, or a range"),
        ("0.1", "expected a list of values, or a range"),
        ([0.1, 0.2, 0.1], "0.1 is listed twice"),
        (["1 s", "1000 ms"], "1 s and 1000 ms are the same"),
        ({"log": [1e-4, 1e-1]}, "points: expected a whole number from 2"),
        ({"log": [1e-4, 1e-1], "points": 1}, "from 2 to"),
        ({"log": [1e-4, 1e-1], "points": 2.5}, "from 2 to"),
        ({"log": [1e-4, 1e-1], "points": True}, "from 2 to"),
        ({"lin": [1e-4, 1e-1], "points": 3}, "Did you mean `linear`?"),
        ({"points": 3}, "either `log` or `linear`"),
        ({"log": [1, 2], "linear": [1, 2], "points": 3}, "either `log` or `linear`"),
        ({"log": [0, 1], "points": 3}, "ends above 0"),
        ({"log": [1], "points": 3}, "expected two ends"),
        ({"log": "ab", "points": 3}, "expected two ends"),
        ({"linear": ["1 ms", 2], "points": 3}, "expected two ends"),
        ({"linear": ["1 ms", "2 Mbit/s"], "points": 3}, "expected two ends"),
        ({"linear": [0, math.inf], "points": 3}, "expected two ends"),
        ({"linear": [1, 1], "points": 3}, "the two ends are equal"),
        (list(range(100_001)), "at most 100,000"),
    ],
)  # fmt: skip
def test_messages_about_bad_axes_name_the_key(given: object, told: str) -> None:
    with pytest.raises(InputError) as refusal:
        Axis.of(FER, given)
    assert str(refusal.value).startswith(f"vary.{FER}")
    assert told in str(refusal.value)


def test_zips_of_unequal_length_are_refused() -> None:
    with pytest.raises(InputError, match=rf"{DELAY} has 2, {FER} has 1 values"):
        Axis.zipped({DELAY: ["1 ms", "2 ms"], FER: [0.1]})
    with pytest.raises(InputError, match="at least one path"):
        Axis.zipped({})


@pytest.mark.parametrize(
    ("table", "flat"),
    [
        ({"wlan": {"cell": {"errors": {"fer": [0.1]}}}}, {FER: [0.1]}),
        ({"wired": {"w1": {"delay": {"log": ["1 ms", "1 s"], "points": 3}}}},
         {DELAY: {"log": ["1 ms", "1 s"], "points": 3}}),
        ({"scheme": {"name": "ll-elsn", "n": 3}}, {"scheme": {"name": "ll-elsn", "n": 3}}),
        ({"wlan": {"cell": {"errors": {"kind": "clean"}}}}, {"wlan.cell.errors": {"kind": "clean"}}),
        ({FER: [0.1], "scheme": ["reno"]}, {FER: [0.1], "scheme": ["reno"]}),
    ],
)  # fmt: skip
def test_dotted_keys_with_and_without_quotes_are_equal(table: dict[str, Any], flat: dict[str, Any]) -> None:
    assert flattened(table) == flat


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_number_reads_back_as_the_same_number(value: float) -> None:
    assert float(text(value)) == value
