"""The receiver that moves through its fades: its position over time, its fades, and the claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from airhop import run
from airhop.experiments import Value, Values
from airhop.experiments.kounavis1996 import rttn_moving as moving
from airhop.experiments.reading import Reading
from airhop.stats import Estimate

FADES = """# period_s = 250.000000000
begin_s,end_s
10.000000000,14.000000000
198.000000000,202.000000000
210.000000000,214.000000000
"""


def test_the_receiver_alternates_between_double_and_half_speed() -> None:
    # By hand: 100 s at twice the speed cover 200 s of the path, then 100 s at half the speed cover 50 s.
    assert list(moving.passing_times([100.0, 200.0, 225.0, 250.0, 350.0], 4)) == [
        50.0,
        100.0,
        150.0,
        200.0,
        250.0,
    ]


def test_the_duration_of_a_fade_is_inverse_to_the_receivers_speed() -> None:
    # Rice 1948: the duration of fades is inverse to the speed; one begins at one speed and ends at the other.
    rows = moving.crossed(FADES, 4).splitlines()
    assert rows[0] == "# period_s = 400"
    times = [tuple(map(float, row.split(","))) for row in rows[2:]]
    assert times == [(5.0, 7.0), (99.0, 104.0), (120.0, 128.0)]


def test_at_constant_speed_fades_equal_those_of_the_papers_network(tmp_path: Path) -> None:
    # §5 A: 10 and 4 s. At constant speed, runs equal those without motion, except for the description of the
    # channel.
    standing = moving.scenario("rttn")
    moved = moving.moving(standing, 1, tmp_path, seed=1, rep=3)
    both = [run(one, seed=1, rep=3) for one in (standing, moved)]
    assert both[0].tcp_flows == both[1].tcp_flows


def test_all_curves_have_the_same_recorded_fades(tmp_path: Path) -> None:
    records = set()
    for curve in moving.CURVES:
        moved = moving.moving(moving.scenario(curve.name), 16, tmp_path, seed=1, rep=0)
        first, last = moved.to_dict()["radio"]
        assert (first["errors"]["kind"], last["errors"]["kind"]) == ("two-state", "recorded")
        assert (last["errors"]["ber_good"], last["errors"]["ber_bad"]) == (1e-5, 1e-1)
        records.add(Path(last["errors"]["file"]).read_text(encoding="utf-8"))
    assert len(records) == 1


@pytest.mark.parametrize(
    "reading", [one for question in moving.EXPERIMENT.questions for one in question.others]
)
def test_every_reading_of_the_moving_receiver_has_runnable_scenarios(reading: Reading) -> None:
    assert moving.EXPERIMENT.under(reading).id.endswith(f"@{reading.name}")
    for curve in moving.CURVES:
        assert moving.scenario(curve.name, reading) is not None


def values(**differences: float) -> Values:
    """Make paired differences, by their curves and metric, equal at every factor."""
    return Values(
        Value(curves.replace("_", " "), {"factor": factor}, metric, Estimate(mean, 0.1, 10))
        for name, mean in differences.items()
        for curves, metric in [name.split("__")]
        for factor in moving.FACTORS
    )


HELD = {
    "patient_less_steady__spread_s": 1.0,
    "rttn_less_ebsn__goodput_kbps": 0.2,
    "rttn_less_ebsn__timeouts": -1.0,
    "rttn_less_local__timeouts": -5.0,
    "rttn_less_steady__timeouts": 0.5,
}


def test_claims_about_movement_are_checked_by_paired_differences() -> None:
    assert {claim.check(values(**HELD)).holds for claim in moving.CLAIMS} == {True}
    broken = {
        "kou-moving-goodput": "rttn_less_ebsn__goodput_kbps",
        "kou-moving-timeouts": "rttn_less_local__timeouts",
        "kou-moving-harder": "rttn_less_steady__timeouts",
    }
    for claim, name in broken.items():
        measured = values(**{**HELD, name: -HELD[name]})
        assert [one.id for one in moving.CLAIMS if one.check(measured).holds is False] == [claim]


def test_a_delay_spread_that_rises_or_falls_depends_on_the_movement() -> None:
    # §4: "variations in RTT depend on a great number of parameters such as the receiver's movement".
    (claim,) = [one for one in moving.CLAIMS if one.id == "kou-moving-spread"]
    for difference, depends in ((1.0, True), (-1.0, True), (0.05, None)):
        measured = values(**{**HELD, "patient_less_steady__spread_s": difference})
        assert claim.check(measured).holds is depends


def test_a_delay_spread_that_differs_at_one_factor_depends_on_the_movement() -> None:
    (claim,) = [one for one in moving.CLAIMS if one.id == "kou-moving-spread"]
    for spreads, depends in (((0.0, 1.0), True), ((1.0, 0.0), True), ((0.0, 0.05), None)):
        measured = Values(
            Value("patient less steady", {"factor": factor}, "spread_s", Estimate(spread, 0.1, 10))
            for factor, spread in zip(moving.CHANGING, spreads, strict=True)
        )
        assert claim.check(measured).holds is depends
