"""Effect of lateness on results: the changes, their intervals, and the number of runs.

These tests have no real packets.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import airhop
from airhop import Scenario, _core
from airhop.live import validity
from airhop.live.emulation import judge
from airhop.live.validity import Compared, _Runs, effect_of, told

LAST_HOP = Scenario.load("last-hop").with_({"flow.ftp.tcp.preset": "linux", "duration": "4 s"})


@dataclass
class Emulated:
    """Fake data of an emulation: a longer delay of a wire replaces the measured lateness."""

    late: Scenario
    punctual: Scenario = LAST_HOP
    scheme: str | None = "reno"
    lengths: list[float] = field(default_factory=list)

    def twin(self, length_s: float) -> Any:
        self.lengths.append(length_s)
        core = [one.with_({"duration": f"{length_s:.9f} s"}).core for one in (self.punctual, self.late)]
        return (*core, [("ftp", 0.0, self.scheme, ("tcp 1 > 2", self.scheme))])


@pytest.fixture(autouse=True)
def few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a sixteenth of the events of an emulation."""
    monkeypatch.setattr(validity, "MOST_EVENTS", 1_000_000)


def slower(delay: str) -> Emulated:
    return Emulated(LAST_HOP.with_({"wired.w1.delay": delay}))


def document(events: int = 10_000) -> dict[str, Any]:
    return {"events": events, "duration_s": 4.0, "seed": 1, "rep": 0}


def test_an_emulation_with_a_10_ms_longer_round_trip_is_not_valid() -> None:
    # 5 ms each way of a round trip of 45 ms. Mathis 1997: the rate of Reno is inversely proportional to the
    # round trip.
    effect = effect_of(document(), slower("15 ms"))
    percent, low, high = effect.goodput.percents
    assert percent is not None and low is not None and high is not None
    assert -20 < percent < -7 and low < percent < high < -3
    live: dict[str, Any] = {"why": [], "valid": True}
    judge(live, effect)
    assert not live["valid"]
    goodput, delay = live["why"]
    assert "change the goodput of the twin by -1" in goodput and "the limit is 3 %" in goodput
    assert "change the median round trip of the twin by +2" in delay and "the limit is 3 %" in delay
    assert live["goodput_shift"]["percent"] == percent
    assert live["delay_shift"]["percent"] == effect.delay.percents[0]


def test_an_emulation_without_effect_is_decided_after_the_first_runs() -> None:
    effect = effect_of(document(), Emulated(LAST_HOP))
    for shift in (effect.goodput, effect.delay):
        assert (shift.moved.n, shift.percents) == (validity.FIRST_PAIRS, (0.0, 0.0, 0.0))
    live: dict[str, Any] = {"why": ["3 packets were lost in devices"], "valid": False}
    judge(live, effect)
    assert not live["valid"], "other reasons against validity stay"


def test_a_larger_tolerance_accepts_a_larger_shift() -> None:
    effect = effect_of(document(), slower("15 ms"), limit_percent=25.0)
    assert not effect.too_large and effect.to_dict(effect.goodput)["limit"] == 25.0


def test_the_number_of_runs_is_doubled_until_shifts_are_precise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validity, "PRECISE", 0.1)
    effect = effect_of(document(), slower("15 ms"))
    for shift in (effect.goodput, effect.delay):
        _, low, high = shift.percents
        assert low is not None and high is not None
        assert high - low <= 20 and shift.moved.n in (8, 16, 32, 64)


def test_the_validity_check_simulates_a_bounded_number_of_events(monkeypatch: pytest.MonkeyPatch) -> None:
    # For an emulation with many events only its first part is simulated, with as many runs as the limit
    # allows.
    monkeypatch.setattr(validity, "MOST_EVENTS", 200_000)
    emulated = slower("15 ms")
    effect = effect_of(document(events=100_000), emulated)
    assert emulated.lengths == [pytest.approx(4.0 * 200_000 / (2 * validity.FIRST_PAIRS * 100_000))]
    run = airhop.run(LAST_HOP.with_({"duration": f"{effect.length_s:.9f} s"}))
    pairs = 200_000 / (2 * run.document["events"])
    assert effect.goodput.moved.n == pytest.approx(pairs, rel=0.2)


def rehearsed(scheme: str, attempts: int, oversleep_us: int, log: Path) -> dict[str, Any]:
    """Return `live` of 20 s over the last hop in virtual time, with sleeps that last too long."""
    scenario = LAST_HOP.with_({"duration": "20 s", "flow.ftp.scheme": scheme, "wlan.cell.attempts": attempts})
    doors: list[tuple[str, str, str | None]] = [("s", "s", None), ("d", "d", None)]
    text, emulated = _core.rehearse(
        scenario.core, doors, 1, 0, str(log), True, [], [(0, 100, 100_000_000)], 0, oversleep_us
    )
    live: dict[str, Any] = {"why": []}
    judge(live, effect_of(json.loads(text), emulated))
    return live


@pytest.mark.parametrize("scheme", ["bbr", "cubic", "reno"])
def test_an_emulation_with_5_ms_lateness_is_refused_for_its_round_trips(scheme: str, tmp_path: Path) -> None:
    # Up to 5 ms each way of a round trip of 45 ms. BBR, whose rate does not depend on the round trip, loses
    # less than 3 % of its goodput.
    live = rehearsed(scheme, 1, 5000, tmp_path / "late.log")
    assert not live["valid"]
    assert any("the median round trip of the twin by +" in why for why in live["why"])
    if scheme == "bbr":
        assert len(live["why"]) == 1 and abs(live["goodput_shift"]["percent"]) < 3.0


@pytest.mark.parametrize("scheme", ["bbr", "cubic", "reno"])
def test_an_emulation_without_lateness_is_valid(scheme: str, tmp_path: Path) -> None:
    # The virtual clock adds some microseconds, as the clock of a machine does. With seven attempts per frame
    # TCP has no losses, and four pairs of runs are precise.
    live = rehearsed(scheme, 7, 0, tmp_path / "punctual.log")
    assert live["valid"], live["why"]
    assert live["delay_shift"]["compared"].endswith(f"({scheme})")


def test_the_compared_delay_of_datagrams_is_the_one_way_delay() -> None:
    # Datagrams have no round trip: 5 ms of a one-way delay of 20 ms on the wires and 3.2 ms on links.
    network = LAST_HOP.to_dict()
    cbr = {"kind": "cbr", "rate": "1 Mbit/s"}
    network["flow"] = [{"name": "ftp", "from": "s", "to": "d", "transport": "udp", "app": cbr}]
    udp = Scenario.load(network)
    effect = effect_of(document(), Emulated(udp.with_({"wired.w1.delay": "15 ms"}), udp, None))
    assert effect.delay.quantity == "median one-way delay"
    assert effect.delay.percents[0] == pytest.approx(100 * 5 / 23.2, rel=0.02)
    assert effect.too_large == [effect.delay]


def test_delays_of_flows_have_equal_weights() -> None:
    # 40 -> 50 ms and 400 -> 400 ms: (1.25 + 1) / 2. A flow without a sample in one of the runs is excluded.
    flows = tuple(Compared(name, 0.0, "reno", None) for name in "abc")
    runs = _Runs(flows, 1.0)
    for late, punctual in (((50, 400, 1), (40, 400, 1)), ((100, 800, None), (80, 800, 1))):
        runs.add(run_of(late), run_of(punctual))
    assert runs.delay.percents[0] == pytest.approx(12.5)


def run_of(medians: tuple[float | None, ...]) -> dict[str, Any]:
    trips = [None if median is None else {"p50": median} for median in medians]
    same = {"delivered_bytes": 1, "completion_s": None}
    flows = [{"name": name, "rtt_ms": trip, **same} for name, trip in zip("abc", trips, strict=True)]
    return {"events": 1, "flows": flows}


def test_a_transfer_is_compared_until_it_is_complete() -> None:
    # 1 MB from 1 s on, complete after 2 s: 4 Mbit/s for any duration; incomplete: until the end of the run.
    flow = Compared("f", 1.0, "cubic", None)
    run = {"flows": [{"name": "f", "delivered_bytes": 1_000_000, "completion_s": 2.0}]}
    assert flow.goodput_mbps(run, 10.0) == pytest.approx(4.0)
    run["flows"][0]["completion_s"] = None
    assert flow.goodput_mbps(run, 9.0) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("scheme", "real", "expected"),
    [
        ("bbr", ("tcp a > b", "bbr"), "tcp a > b (bbr)"),
        ("cubic", ("tcp a > b", None), "tcp a > b (cubic, because the real sender's control is unknown)"),
        ("cubic", ("tcp a > b", "htcp"), "tcp a > b (cubic, because Airhop has no htcp)"),
        (None, ("udp a > b", None), "udp a > b"),
        ("reno", None, "ftp of the scenario (reno)"),
    ],
)
def test_the_page_states_the_compared_flows(
    scheme: str | None, real: tuple[str, str | None] | None, expected: str
) -> None:
    assert Compared("ftp", 0.0, scheme, real).told == expected


def test_an_emulation_without_delivered_data_has_no_goodput_shift() -> None:
    # A network that is down for the whole time.
    dead = LAST_HOP.with_({"wlan.cell.errors": {"kind": "bernoulli", "fer": 1.0}})

    class Dead(Emulated):
        def twin(self, length_s: float) -> Any:
            core = dead.with_({"duration": f"{length_s:.9f} s"}).core
            return core, core, [("ftp", 0.0, "reno", None)]

    effect = effect_of(document(), Dead(dead))
    assert not effect.too_large
    for shift in (effect.goodput, effect.delay):
        assert shift.percents == (None, None, None)
        assert told(effect.to_dict(shift)) == "no change, because nothing was delivered"
