"""By how much lateness moves a result: the figure, its interval, and how many runs it takes.

No packet is real here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

import airhop
from airhop import Scenario
from airhop.live import validity
from airhop.live.emulation import judge
from airhop.live.validity import Compared, shift_of, told

LAST_HOP = Scenario.load("last-hop").with_({"flow.ftp.tcp.preset": "linux", "duration": "4 s"})


@dataclass
class Emulated:
    """Measured lateness, by its effect: the twin with a wire longer by that time."""

    late: Scenario
    real: tuple[str, str | None] | None = ("tcp 1 > 2", "reno")
    lengths: list[float] = field(default_factory=list)

    def twin(self, length_s: float) -> Any:
        self.lengths.append(length_s)
        core = [one.with_({"duration": f"{length_s:.9f} s"}).core for one in (LAST_HOP, self.late)]
        return (*core, [("ftp", 0.0, "reno", self.real)])


@pytest.fixture(autouse=True)
def few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spend a sixteenth of what an emulation does."""
    monkeypatch.setattr(validity, "MOST_EVENTS", 1_000_000)


def slower(delay: str) -> Emulated:
    return Emulated(LAST_HOP.with_({"wired.w1.delay": delay}))


def document(events: int = 10_000) -> dict[str, Any]:
    return {"events": events, "duration_s": 4.0, "seed": 1, "rep": 0}


def test_a_longer_round_trip_moves_the_goodput_and_is_refused() -> None:
    # Mathis 1997: the rate of Reno goes as one over the round trip: 5 ms each way of 70 ms, a good tenth.
    shift = shift_of(document(), slower("15 ms"))
    percent, low, high = shift.percents
    assert percent is not None and low is not None and high is not None
    assert -20 < percent < -7 and low < percent < high < -3
    live: dict[str, Any] = {"why": [], "valid": True}
    judge(live, shift)
    assert not live["valid"]
    (why,) = live["why"]
    assert "move the goodput of its twin by -1" in why and "the limit is 3 %" in why
    assert live["goodput_shift"]["percent"] == percent


def test_what_moves_nothing_is_known_after_the_first_runs() -> None:
    shift = shift_of(document(), Emulated(LAST_HOP))
    assert (shift.moved.n, shift.percents) == (validity.FIRST_PAIRS, (0.0, 0.0, 0.0))
    live: dict[str, Any] = {"why": ["3 packets were lost in devices"], "valid": False}
    judge(live, shift)
    assert not live["valid"], "whatever else speaks against it stays"


def test_the_tolerance_decides() -> None:
    shift = shift_of(document(), slower("15 ms"), limit_percent=25.0)
    assert shift.is_small and shift.to_dict()["limit"] == 25.0


def test_runs_are_doubled_until_the_figure_is_precise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validity, "PRECISE", 0.1)
    shift = shift_of(document(), slower("15 ms"))
    _, low, high = shift.percents
    assert low is not None and high is not None
    assert high - low <= 20 and shift.moved.n in (8, 16, 32, 64)


def test_the_cost_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of an emulation with many events its first part alone is simulated, and no more runs than fit.
    monkeypatch.setattr(validity, "MOST_EVENTS", 200_000)
    emulated = slower("15 ms")
    shift = shift_of(document(events=100_000), emulated)
    assert emulated.lengths == [pytest.approx(4.0 * 200_000 / (2 * validity.FIRST_PAIRS * 100_000))]
    run = airhop.run(LAST_HOP.with_({"duration": f"{shift.length_s:.9f} s"}))
    assert shift.moved.n == pytest.approx(200_000 / (2 * run.document["events"]), rel=0.2)


def test_a_transfer_counts_until_it_is_complete() -> None:
    # 1 MB from 1 s on, complete after 2 s: 4 Mbit/s, whatever the run lasted; not complete, until its end.
    flow = Compared("f", 1.0, "cubic", None)
    run = {"flows": [{"name": "f", "delivered_bytes": 1_000_000, "completion_s": 2.0}]}
    assert flow.goodput_mbps(run, 10.0) == pytest.approx(4.0)
    run["flows"][0]["completion_s"] = None
    assert flow.goodput_mbps(run, 9.0) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("scheme", "real", "expected"),
    [
        ("bbr", ("tcp a > b", "bbr"), "tcp a > b (bbr)"),
        ("cubic", ("tcp a > b", None), "tcp a > b (cubic, for its sender's is not known)"),
        ("cubic", ("tcp a > b", "htcp"), "tcp a > b (cubic, for Airhop has no htcp)"),
        (None, ("udp a > b", None), "udp a > b"),
        ("reno", None, "ftp of the scenario (reno)"),
    ],
)
def test_the_page_states_the_compared_flows(
    scheme: str | None, real: tuple[str, str | None] | None, expected: str
) -> None:
    assert Compared("ftp", 0.0, scheme, real).told == expected


def test_nothing_delivered_is_no_figure() -> None:
    # A network that is down for the whole time.
    dead = LAST_HOP.with_({"wlan.cell.errors": {"kind": "bernoulli", "fer": 1.0}})

    class Dead(Emulated):
        def twin(self, length_s: float) -> Any:
            core = dead.with_({"duration": f"{length_s:.9f} s"}).core
            return core, core, [("ftp", 0.0, "reno", None)]

    shift = shift_of(document(), Dead(dead))
    assert shift.percents == (None, None, None) and shift.is_small
    assert told(shift.to_dict()) == "nothing was delivered that could move"
