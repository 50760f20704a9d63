"""Lines that commands print with results: TCP stack of the senders, and settings that easily mislead."""

import json

import pytest

import airhop
from airhop.cli import main
from airhop.hints import hints, lines, senders
from airhop.scenario import Scenario

RADIO = {
    "name": "fast",
    "duration": "2 s",
    "radio": [
        {
            "name": "air",
            "ends": ["s", "d"],
            "rate": "300 Mbit/s",
            "delay": "10 ms",
            "arq": {"kind": "selective-repeat", "window": 64},
        }
    ],
    "flow": [
        {
            "name": "cbr",
            "from": "s",
            "to": "d",
            "transport": "udp",
            "app": {"kind": "cbr", "rate": "100 Mbit/s"},
        }
    ],
}


def test_compare_prints_the_preset_and_hints_at_senders_of_preset_linux(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["compare", "last-hop", "cubic", "reno", "bbr", "-n", "2", "--set", "duration=1 s", "--json"])
    streams = capsys.readouterr()
    told = streams.err.splitlines()
    assert told[0] == "senders: preset rfc, delayed_ack = false"
    assert told[1].startswith("hint: cubic, bbr: most of the measurements are with preset linux; preset rfc")
    assert told[1].endswith(": --set flow.ftp.tcp.preset=linux")
    assert told[2].startswith("hint: wlan.cell: sends each frame once (attempts = 1)")
    document = json.loads(streams.out)  # one document, which contains these lines
    assert document["senders"] == "preset rfc, delayed_ack = false"
    assert [f"hint: {hint}" for hint in document["hints"]] == told[1:3]


def test_the_setting_that_a_hint_suggests_removes_the_hint() -> None:
    scenario = Scenario.load("last-hop", sets=["scheme=cubic"])
    for _ in range(2):
        found = hints([scenario])
        assert found[0].set is not None
        scenario = Scenario.load(scenario.to_dict(), sets=[found[0].set])
    assert hints([scenario]) == []


def test_a_comparison_of_senders_with_different_presets_prints_both_presets() -> None:
    rfc = Scenario.load("last-hop")
    linux = rfc.with_({"flow.ftp.tcp.preset": "linux"})
    told = senders([rfc, linux])
    assert told is not None
    assert "preset rfc" in told
    assert "preset linux" in told
    assert "affect every comparison across them" in told
    assert senders([rfc, rfc]) == "preset rfc, delayed_ack = false"
    assert senders([Scenario.load(RADIO)]) is None


def test_a_comparison_of_queues_with_different_capacities_prints_a_hint() -> None:
    """RFC 8290 §5.2.2: FQ-CoDel has room for 10,240 packets by default, Airhop's drop-tail for 50."""
    base = Scenario.load("last-hop", sets=["wlan.cell.attempts=7"])

    def told(*queues: object) -> list[str]:
        found = hints([base.with_({"wlan.cell.queue": queue}) for queue in queues])
        return [str(hint) for hint in found if hint.trap == "queue-capacity"]

    tail, fair = {"kind": "drop-tail"}, {"kind": "fq-codel"}
    assert (
        "wlan.cell: queues hold different numbers of packets, drop-tail 50, fq-codel 10,240"
        in told(tail, fair)[0]
    )
    assert told(tail, {"kind": "fq-codel", "packets": 50}) == []
    assert told(tail, {"kind": "drop-tail", "packets": 500}) == []  # varied by the study


def test_a_hint_at_many_points_of_a_study_is_printed_in_three_lines() -> None:
    base = Scenario.load(RADIO)
    told = lines(base.with_({"radio.air.arq.window": window}) for window in range(1, 60))
    assert len(told) == 3
    assert told[-1] == "hint: … and 57 more of this kind"


def test_a_short_arq_window_limits_goodput_as_the_hint_states() -> None:
    # 64 frames of 1028 B a round trip of 20.03 ms: 26.3 Mbit/s on the air, and 1000/1028 of this rate is
    # payload.
    (hint,) = hints([Scenario.load(RADIO)])
    assert "26.3 Mbit/s of its 300 Mbit/s" in hint.text
    measured = airhop.run(Scenario.load(RADIO)).document["flows"][0]["goodput_mbps"]
    assert measured == pytest.approx(26.3 * 1000 / 1028, rel=0.02)


def test_a_short_receive_window_limits_goodput_as_the_hint_states() -> None:
    scenario = Scenario.load(
        "dumbbell", sets=["flow.all.tcp.receive_window=10 kB", "duration=20 s", "flow.all.start=0 s"]
    )
    told = [hint for hint in hints([scenario]) if hint.trap == "short-receive-window"]
    assert told
    bound = float(told[0].text.split("can obtain at most ")[1].split(" ")[0])
    goodput = max(flow["goodput_mbps"] for flow in airhop.run(scenario).document["flows"])
    assert goodput <= bound * 1.01
