"""Runs of `airhop view`: the newest request has priority, and the figures show the simulated values."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from airhop import Scenario, compare, run
from airhop.plots.style import styles
from airhop.view.curves import MOST_POINTS, Curves, Line
from airhop.view.figures import axis_top, dashes
from airhop.view.fragments import notes, tables
from airhop.view.runs import Newest, Runs, SupersededError
from airhop.view.state import State

SHORT = replace(
    State.of("last-hop").with_sets({"duration": "5 s"}), schemes=("reno", "sack", "snoop", "ll-elsn"), reps=1
)


async def settle(until: Callable[[], bool]) -> None:
    while not until():
        await asyncio.sleep(0)


def test_only_the_newest_request_is_computed() -> None:
    done: list[int] = []

    async def scene() -> None:
        gate = asyncio.Event()

        async def work(wish: int) -> None:
            await gate.wait()
            done.append(wish)

        newest = Newest(work)
        newest.ask(1)
        await asyncio.sleep(0)  # the first request is in progress
        assert not newest.superseded
        for wish in range(2, 10):
            newest.ask(wish)
        assert newest.superseded
        gate.set()
        await settle(lambda: len(done) == 2)
        newest.ask(10)
        await settle(lambda: len(done) == 3)

    asyncio.run(scene())
    assert done == [1, 9, 10], "the outdated requests were never started"


def test_no_request_of_a_closed_page_is_computed() -> None:
    done: list[int] = []

    async def scene() -> None:
        async def work(wish: int) -> None:
            await asyncio.sleep(0)
            done.append(wish)

        newest = Newest(work)
        newest.ask(1)
        newest.ask(2)
        newest.close()
        await asyncio.sleep(0.01)

    asyncio.run(scene())
    assert done == []


def test_a_long_superseded_comparison_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airhop.view.runs.PATIENCE_S", 0.0)
    runs = Runs()
    with pytest.raises(SupersededError):
        asyncio.run(runs.compare(SHORT, lambda: True))
    found = asyncio.run(runs.compare(SHORT, lambda: False))
    assert found.complete
    assert "sends each frame once (attempts = 1)" in notes(found)  # a hint, also shown for single runs
    runs.close()


def test_a_short_superseded_comparison_is_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    # A fast comparison is completed even if it is outdated.
    monkeypatch.setattr("airhop.view.runs.PATIENCE_S", 3600.0)
    runs = Runs()
    assert asyncio.run(runs.compare(SHORT, lambda: True)).complete
    runs.close()


def test_ctrl_c_does_not_wait_for_a_long_comparison() -> None:
    runs, asked = Runs(), []

    def close_after_the_first_run() -> bool:
        asked.append(1)
        runs.close()
        return False

    with pytest.raises(SupersededError):
        asyncio.run(runs.compare(replace(SHORT, reps=20), close_after_the_first_run))
    assert len(asked) < 80


def test_curves_end_at_the_values_of_the_run() -> None:
    result = run(SHORT.scenario, scheme="sack", trace=True)
    curves, (flow,) = Curves.of(result), result.tcp_flows
    assert curves.acks.y[-1] <= flow["delivered_bytes"] / 1e3, "acknowledged data have been delivered"
    assert curves.acks.y[-1] > 0.9 * flow["delivered_bytes"] / 1e3
    assert curves.resent.height == flow["retransmissions"]
    assert curves.lost.height == result.drops["channel"] + result.drops["collision"] - not_data(result.tables)
    (rtt,) = curves.rtt
    assert rtt.y.min() >= 40.0, "two links of 10 ms, in both directions"


def not_data(tables: dict[str, pl.DataFrame]) -> int:
    """Count the lost frames that carried no data."""
    frames = tables["drops"].filter(pl.col("cause").cast(pl.String).is_in(["channel", "collision"]))
    return frames.filter(pl.col("kind").cast(pl.String) != "data").height


def test_step_curves_keep_a_value_until_it_changes() -> None:
    line = Line.steps(pl.Series([0.0, 1.0, 3.0]), pl.Series([5.0, 7.0, 6.0]))
    assert np.array_equal(line.x, [0.0, 1.0, 1.0, 3.0, 3.0])
    assert np.array_equal(line.y, [5.0, 5.0, 7.0, 7.0, 6.0])


@pytest.mark.parametrize("points", [0, 1, MOST_POINTS - 1, 10 * MOST_POINTS])
def test_long_curves_are_thinned(points: int) -> None:
    line = Line.steps(pl.Series(np.arange(points, dtype=float)), pl.Series(np.arange(points, dtype=float)))
    assert len(line.x) == len(line.y) <= 2 * MOST_POINTS
    assert len(line.x) == 2 * points - 1 or points in (0, 10 * MOST_POINTS)


def test_schemes_of_the_same_colour_have_different_line_styles() -> None:
    # There are eight colours, so some of ten schemes share a colour.
    names = ["reno", "snoop", "lhp", "ll-elsn", "dcr", "cubic", "bbr", "vegas", "veno", "sack"]
    look = styles(names)
    assert len({style.color for style in look.values()}) == 8
    assert set(dashes(look).values()) == {"solid", "dashed"}
    assert len({(look[name].color, dash) for name, dash in dashes(look).items()}) == len(look)


def test_the_axis_is_not_rescaled_for_small_changes_of_bars() -> None:
    assert axis_top(3.3, 1.0) == 4.0
    assert axis_top(2.0, 4.0) == 4.0, "bars at half the height are visibly lower"
    assert axis_top(1.2, 4.0) == 1.5, "at a third of the height bars would be hard to read"
    assert axis_top(0.033, 4.0) == pytest.approx(0.04)
    assert axis_top(0.0, 4.0) == 1.0, "nothing is delivered: any axis will do"


def test_udp_flows_have_a_separate_table() -> None:
    """A comparison with UDP flows shows their loss and delay, whose columns TCP does not have."""
    udp = compare(Scenario.load("cheng2008-udp").with_({"duration": "2 s"}), ["reno"], reps=1)
    tcp = compare(Scenario.load("last-hop").with_({"duration": "2 s"}), ["reno"], reps=1)
    look = styles(["reno"])
    shown = tables(udp.rows(), look)
    # The table of the bars, the table of UDP, and a table for each of the two classes of flows.
    assert shown.count("<table") == 4 and "class bulk, " in shown
    assert "loss of datagrams, %" in shown and "jitter, ms" in shown
    assert tables(tcp.rows(), look).count("<table") == 1
