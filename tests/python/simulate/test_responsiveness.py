"""Responsiveness under working conditions: the arithmetic of the draft, and networks with known times."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from airhop import InputError, Scenario
from airhop.cli import main
from airhop.responsiveness import measure
from airhop.responsiveness.draft import Interval, Samples, final, responsiveness, trimmed_mean

RATE_MBPS, DELAY_MS, PACKETS = 10, 20, 100


def wire(queue: dict[str, Any] | None = None) -> Scenario:
    """Return two hosts over a wire, with a bulk flow."""
    link = {
        "name": "w",
        "ends": ["s", "d"],
        "rate": f"{RATE_MBPS} Mbit/s",
        "delay": f"{DELAY_MS} ms",
        "queue": queue or {"kind": "drop-tail", "packets": PACKETS},
    }
    flow = {"name": "f", "from": "s", "to": "d", "scheme": "cubic", "tcp": {"preset": "linux"}}
    return Scenario.load({"name": "wire", "duration": "1 s", "wired": [link], "flow": [flow]})


# ---- draft-ietf-ippm-responsiveness, "Aggregating the Measurements" ----------------------------------------


def test_the_trimmed_mean_omits_the_largest_5_percent() -> None:
    assert trimmed_mean([*range(1, 20), 1e6]) == 10.0
    assert trimmed_mean([3.0]) == 3.0
    assert trimmed_mean([]) is None


def test_responsiveness_without_tls_weighs_handshakes_and_requests_equally() -> None:
    # Foreign: 60000 / ((40 + 80) / 2) = 1000; loaded: 60000 / 120 = 500; their mean.
    assert responsiveness(Samples([40.0], [80.0], [120.0])) == 750.0
    assert responsiveness(Samples([40.0], [80.0], [])) is None


# ---- "Final Algorithm" -------------------------------------------------------------------------------------


def interval(goodput: float, rtt: float) -> Interval:
    return Interval(goodput, Samples([rtt], [rtt], [rtt]))


def test_the_responsiveness_is_that_of_the_first_stable_interval() -> None:
    # A constant goodput is stable after four intervals; then follow four values of the responsiveness.
    result = final([interval(9.0, 100.0) for _ in range(20)])
    assert (result.intervals, result.rpm, result.goodput_mbps) == (8, 600.0, 9.0)
    assert (result.goodput_confidence, result.confidence) == ("high", "high")


def test_a_standard_deviation_of_5_percent_is_not_stable() -> None:
    # A goodput that grows by 40 % per interval is never stable.
    growing = [interval(1.4**i, 100.0) for i in range(20)]
    result = final(growing)
    assert (result.intervals, result.goodput_confidence, result.confidence) == (20, "medium", "low")
    assert final(growing[:3]).goodput_confidence == "low"


def test_unstable_responsiveness_has_medium_confidence() -> None:
    result = final([interval(9.0, 100.0 * 1.3**i) for i in range(20)])
    assert (result.goodput_confidence, result.confidence) == ("high", "medium")
    last = [100.0 * 1.3**i for i in range(16, 20)]
    assert result.rpm == pytest.approx(60_000 / (sum(last) / 4))


# ---- networks ----------------------------------------------------------------------------------------------


def test_without_load_the_round_trip_time_equals_that_of_the_path() -> None:
    found = measure(wire(), directions=["down"], reps=1, limit_s=20.0)
    handshake, request = (found.idle_of(name) for name in ("tcp_f", "http_f"))
    assert handshake is not None and request is not None
    on_wire_ms = 8e-3 / RATE_MBPS
    assert handshake.mean == pytest.approx(2 * (DELAY_MS + 64 * on_wire_ms), abs=0.1)
    assert request.mean == pytest.approx(2 * (DELAY_MS + 252 * on_wire_ms) + 52 * on_wire_ms, abs=0.2)


def test_a_full_queue_lowers_responsiveness_and_fq_codel_keeps_it() -> None:
    # CUBIC keeps a drop-tail queue between full and the length after a reduction (to 0.7 of queue and path).
    # FQ-CoDel serves the packets of a probe immediately.
    full = measure(wire(), directions=["down"], reps=1)
    (deep,) = full.loaded
    (short,) = measure(wire({"kind": "fq-codel"}), directions=["down"], reps=1).loaded
    request, rpm = deep.of("http_f_ms"), deep.of("rpm")
    assert request is not None and rpm is not None
    queue_ms = PACKETS * 1052 * 8e-3 / RATE_MBPS
    assert 2 * DELAY_MS + 0.4 * queue_ms < request.mean < 2 * DELAY_MS + 1.1 * queue_ms
    assert deep.of("goodput_mbps").mean > 0.9 * RATE_MBPS * 1000 / 1052  # type: ignore[union-attr]
    assert short.of("rpm").mean > 1.5 * rpm.mean  # type: ignore[union-attr]
    test = deep.tests[0]
    foreign = 60_000 / ((test.tcp_f_ms + test.http_f_ms) / 2)  # type: ignore[operator]
    assert test.rpm == pytest.approx((foreign + 60_000 / test.http_l_ms) / 2)  # type: ignore[operator]


def test_equal_seeds_yield_equal_responsiveness() -> None:
    once, again = (measure(wire(), directions=["up"], reps=1, limit_s=20.0).to_dict() for _ in range(2))
    assert once == again
    assert [one["direction"] for one in once["loaded"]] == ["up"]
    assert once["loaded"][0]["confidence"] == "low", "four intervals contain only goodput"


# ---- what is refused, and the command ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"flow": "g"}, "has no TCP flow `g` to test; TCP flows: f"),
        ({"directions": ["sideways"]}, '`sideways`; expected "down", "up", or both'),
        ({"directions": []}, "none; expected"),
        ({"reps": 0}, "at least one replication"),
        ({"limit_s": 19.0}, "at least 20 s, four intervals"),
        ({"limit_s": math.nan}, "limit_s: expected a number"),
    ],
)
def test_arguments_of_responsiveness_out_of_range_are_refused(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        measure(wire(), **arguments)


def test_scenarios_with_random_flow_ends_are_refused() -> None:
    with pytest.raises(InputError, match="the ends of the flow are drawn"):
        measure(Scenario.load("cheng2008-random"))


def test_the_responsiveness_command_prints_its_document(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    path = tmp_path / "wire.toml"
    path.write_text(wire().toml(), encoding="utf-8")
    words = ["responsiveness", str(path), "--direction", "down", "--reps", "1"]
    with pytest.raises(SystemExit) as code:
        main([*words, "--json"])
    assert code.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document == measure(wire(), directions=["down"], reps=1).to_dict()
    with pytest.raises(SystemExit):
        main(words)
    shown = capsys.readouterr().out
    assert "RPM" in shown and "high" in shown
