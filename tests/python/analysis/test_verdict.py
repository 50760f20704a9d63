"""Verdicts on arms from synthetic samples: winners by goal, unfinished transfers, starved flows."""

from __future__ import annotations

import pytest

from airhop.analysis.goals import ClassSeen, Goal, Share, goals, starved
from airhop.analysis.verdict import Verdict, verdict

THROUGHPUT, DELAY = Goal("throughput", "goodput_mbps"), Goal("delay", "delay_p95_ms", "bulk down")
CALL = Goal("delay", "delay_p95_ms", "call", is_foremost=True)
COMPLETION = Goal("completion", "completion_mean_ms", "web")


def sample(*values: float) -> dict[int, float]:
    return dict(enumerate(values))


def of(samples: dict[Goal, dict[str, dict[int, float]]], **unfinished: dict[str, float]) -> Verdict:
    return verdict(samples, unfinished, {})


def test_a_winner_is_better_than_every_other_by_a_paired_difference() -> None:
    """The scatter of the channel is ten times the difference: only pairs show that b has 1 Mbit/s more."""
    samples = {"a": sample(10, 20, 30.1), "b": sample(11, 21, 31), "c": sample(5, 15.1, 25)}
    (standing,) = of({THROUGHPUT: samples}).standings
    assert standing.winner == "b" and list(standing.means) == ["b", "a", "c"]
    noisy = {"a": sample(10, 20, 30), "b": sample(19, 12, 32)}
    (open_,) = of({THROUGHPUT: noisy}).standings
    assert open_.winner is None and set(open_.best) == {"a", "b"}


def test_a_lower_value_is_better_for_delay_and_completion_time() -> None:
    samples = {"a": sample(10, 11, 12.1), "b": sample(5, 6, 7)}
    assert [of({goal: samples}).standings[0].winner for goal in (DELAY, THROUGHPUT)] == ["b", "a"]


def test_a_verdict_is_it_depends_if_every_arm_is_behind_in_some_goal() -> None:
    fast, slow = (
        {"a": sample(10, 11, 12.1), "b": sample(5, 6, 7)},
        {"a": sample(9, 8, 9.1), "b": sample(2, 1, 2)},
    )
    found = of({THROUGHPUT: fast, DELAY: slow})
    assert found.depends and found.ahead == []
    assert found.text == (
        "It depends: a has the highest throughput (11 Mbit/s; b: 6 Mbit/s); "
        "b has the lowest delay of bulk down (1.67 ms; a: 8.7 ms)."
    )
    assert found.headline == "It depends: a has the highest throughput; b has the lowest delay of bulk down."
    assert found.evidence == [
        "a has the highest throughput (11 Mbit/s; b: 6 Mbit/s).",
        "b has the lowest delay of bulk down (1.67 ms; a: 8.7 ms).",
    ]
    both = of({THROUGHPUT: fast, DELAY: {"a": slow["b"], "b": slow["a"]}})
    assert not both.depends and both.ahead == ["a"]
    assert both.text.startswith("a has the highest throughput (11 Mbit/s; b: 6 Mbit/s) and the lowest delay")


def test_an_arm_whose_transfers_do_not_complete_is_behind() -> None:
    """An arm completes only one transfer, in a short time, which does not make it the best arm."""
    times = {"a": sample(900, 910, 905), "b": sample(100)}
    found = of({COMPLETION: times}, web={"a": 0.0, "b": 0.9})
    assert found.text == "a has the shortest completion time of web (905 ms; b: 90 % unfinished)."
    # One of ten requests is outstanding at the end of any run, so the means are compared.
    outstanding = of({COMPLETION: times | {"b": sample(100, 110, 120)}}, web={"a": 0.0, "b": 0.1})
    assert outstanding.standings[0].winner == "b"


def test_the_delay_of_datagrams_takes_precedence_over_the_delay_of_tcp() -> None:
    wide, narrow = (
        {"a": sample(1, 2, 1), "b": sample(90, 95, 91)},
        {"a": sample(9, 9, 9), "b": sample(8, 8, 8)},
    )
    assert of({DELAY: wide, CALL: narrow}).leading["delay"].goal is CALL


def test_arms_that_do_not_differ_are_not_ranked() -> None:
    alike = {"a": sample(1, 3, 2), "b": sample(2, 1, 3)}
    found = of({THROUGHPUT: alike, DELAY: alike})
    assert found.text == "The arms do not differ by more than chance in throughput or delay."
    assert of({THROUGHPUT: {"a": sample(1, 2, 3)}}).text == ""


def test_a_flow_starves_below_5_percent_of_an_equal_share() -> None:
    """By hand: an equal share of 10.24 Mbit/s among 4 flows is 2.56, and a twentieth of it 0.128."""
    shares = [("d1", "down", 0.12), ("d2", "down", 0.13), ("u1", "up", 5.0), ("u2", "up", 4.99)]
    run = [Share(*share) for share in shares]
    assert starved([run]) == {"down": ["d1"]}
    # The mean over replications decides on a flow that starves in one of two replications.
    other = [share._replace(goodput_mbps=1.0) for share in run]
    assert starved([run, other]) == {}
    assert starved([]) == {}
    found = verdict({}, {}, {"cubic": starved([run]), "bbr": {}})
    assert found.text == "Flows starve (under 5 % of an equal share): with cubic d1 of down."
    assert found.headline.endswith("Flows starve with cubic.")


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([ClassSeen("bulk", 1, False, False)], ["goodput_mbps", "class.bulk.delay_p95_ms"]),
        (
            [ClassSeen("bulk down", 4, False, False), ClassSeen("web", 2, True, False)],
            [
                "goodput_mbps",
                "class.web.completion_mean_ms",
                "class.bulk down.delay_p95_ms",
                "class.web.delay_p95_ms",
                "class.bulk down.jain",
            ],
        ),
        (
            [ClassSeen("call", 4, False, True, True), ClassSeen("video down", 2, False, False, True)],
            ["goodput_mbps", "class.call.delay_p95_ms", "class.video down.delay_p95_ms"],
        ),
    ],
)
def test_goals_of_a_verdict_follow_from_the_classes_of_flows(
    seen: list[ClassSeen], expected: list[str]
) -> None:
    assert [goal.metric for goal in goals(seen)] == expected


def test_a_verdict_names_only_the_first_of_many_equal_arms() -> None:
    """Six equal arms are best in a goal, and the seventh arm is behind."""
    samples = {f"a{number}": sample(10, 11, 12) for number in range(6)} | {"b": sample(5, 6, 7)}
    told = of({THROUGHPUT: samples}).text
    assert told == "a0, a1, a2, a3 and 2 more share the highest throughput (11 Mbit/s; b: 6 Mbit/s)."
