"""Schemes in Python measure the delivery rate and pace; values on the wire are known."""

from __future__ import annotations

from pathlib import Path

import pytest

import airhop
from airhop import Ack, Delivery, Flow, InputError, Loss, Scenario, SchemeError, Window

EXAMPLE = Path(__file__).resolve().parents[3] / "examples/bbr.py"
LINK = """
name = "link"
duration = "10 s"
[[wired]]
name = "wire"
ends = ["s", "d"]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { kind = "drop-tail", packets = 200 }
[[flow]]
name = "f"
from = "s"
to = "d"
scheme = "newreno"
segment = "1000 B"
app = { kind = "bulk" }
"""
PAYLOAD_RATE = 10e6 / 8 * 1000 / 1040
"""Payload rate of the wire, bytes per second: 40 bytes of each packet are headers."""


@pytest.fixture
def link(tmp_path: Path) -> Scenario:
    file = tmp_path / "link.toml"
    file.write_text(LINK)
    return Scenario.load(str(file))


class Wide:
    """Scheme with a window of 300 segments, more than the capacity of link and queue."""

    def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
        window.cwnd = 300

    def on_loss(self, _window: Window, _loss: Loss, _flow: Flow) -> None: ...


def flow_of(scenario: Scenario, scheme: str) -> dict[str, object]:
    flows: list[dict[str, object]] = airhop.run(scenario, scheme=scheme).to_dict()["flows"]
    return flows[0]


def number(flow: dict[str, object], name: str) -> float:
    value = flow[name]
    assert isinstance(value, int | float)
    return float(value)


def test_the_pacing_rate_of_a_python_scheme_is_the_rate_of_its_flow(link: Scenario) -> None:
    """250 kB/s of payload are 2 Mbit/s for any window; the start takes some round trips."""

    @airhop.scheme("py-paced")
    class Paced(Wide):
        def pacing_rate(self, _window: Window, _flow: Flow) -> float | None:
            return 250_000

    assert number(flow_of(link, "py-paced"), "goodput_mbps") == pytest.approx(2, rel=0.01)


def test_the_delivery_rate_equals_the_rate_of_the_wire(link: Scenario) -> None:
    """A full wire delivers its payload rate in each sample after the start; each arrival counts once."""
    seen: list[tuple[float, float | None, int, int]] = []

    @airhop.scheme("py-measured", recovery="sack")
    class Measured(Wide):
        def on_ack(self, window: Window, _ack: Ack, _flow: Flow) -> None:
            window.cwnd = 150

        def on_delivery(self, _window: Window, delivery: Delivery, _flow: Flow) -> None:
            seen.append((delivery.now, delivery.rate, delivery.delivered, delivery.total))

    flow_of(link, "py-measured")
    rates = [rate for now, rate, _, _ in seen if now > 1]
    assert rates == pytest.approx([PAYLOAD_RATE] * len(rates), rel=0.02)
    assert sum(delivered for _, _, delivered, _ in seen) == seen[-1][3] - 1, "all but the SYN"


@pytest.mark.parametrize("packets", [30, 200])
def test_bbr_in_python_has_the_goodput_of_built_in_bbr(link: Scenario, packets: int) -> None:
    """Tolerances: 1 % of goodput, and 3 ms of standing queue, a tenth of Reno's longest queue.

    When the queue of 30 packets overflows in the startup, RACK of preset linux repairs the losses of both.
    """
    airhop.plugins.load(EXAMPLE)
    scenario = link.with_({"wired.wire.queue.packets": packets, "flow.f.tcp.preset": "linux"})
    python, built_in = flow_of(scenario, "py-bbr"), flow_of(scenario, "bbr")
    assert number(python, "goodput_mbps") == pytest.approx(number(built_in, "goodput_mbps"), rel=0.01)
    (fast, slow) = (flow["delay_ms"] for flow in (python, built_in))
    assert isinstance(fast, dict)
    assert isinstance(slow, dict)
    assert fast["p50"] == pytest.approx(slow["p50"], abs=3)


@pytest.mark.parametrize("rate", [0, -1.0, float("nan"), float("inf"), "fast"])
def test_an_invalid_pacing_rate_is_refused(link: Scenario, rate: object) -> None:
    @airhop.scheme("py-odd")
    class Odd(Wide):
        def pacing_rate(self, _window: Window, _flow: Flow) -> float | None:
            return rate  # type: ignore[return-value]

    with pytest.raises(SchemeError, match="pacing_rate") as told:
        flow_of(link, "py-odd")
    assert "expected bytes per second above 0, or None" in str(told.value.__cause__)


def test_scheme_methods_with_wrong_arguments_are_refused() -> None:
    class Odd(Wide):
        def on_delivery(self, _window: Window) -> None: ...

    with pytest.raises(InputError, match="expected on_delivery"):
        airhop.scheme("py-odd")(Odd)


def test_a_delivery_object_can_be_constructed_in_a_test() -> None:
    made = Delivery(1.0, 1000, 5000, 1e6, 4000, in_recovery=True)
    assert (made.rate, made.prior, made.rtt, made.in_recovery, made.lost) == (1e6, 4000, None, True, 0)
    assert repr(made) == "Delivery(now=1, delivered=1000, total=5000, rate=1000000)"
