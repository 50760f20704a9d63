"""Calls and games: closed forms, the verifier, tables, studies, and settings."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import airhop
from airhop import Scenario, ScenarioError, sweep
from airhop.verify import verify
from command_line import Cli

CALL = {"name": "call", "from": "a", "to": "b", "transport": "udp", "app": {"kind": "call"}}
GAME = {"name": "game", "from": "a", "to": "b", "transport": "udp", "app": {"kind": "game"}}


def wire(*flows: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """Return a scenario: flows over a wire of 1 Mbit/s and 30 ms for 20 s."""
    link = {"name": "w", "ends": ["a", "b"], "rate": "1 Mbit/s", "delay": "30 ms"}
    return {"name": "talk", "duration": "20 s", "wired": [link | keys], "flow": list(flows or (CALL,))}


def rated(idd: float, ppl: float, ie: float = 0.0, bpl: float = 4.3) -> float:
    """Return the rating R by G.107 for random losses (BurstR = 1)."""
    return 93.2 - idd - (ie + (95 - ie) * ppl / (ppl + bpl))


def test_a_call_over_an_idle_wire_has_the_delay_of_the_wire() -> None:
    """20 ms of speech, 200 B at 1 Mbit/s, 30 ms of wire, and 60 ms until playout, in both directions."""
    there, back = airhop.run(Scenario.load(wire())).document["flows"]
    assert (there["name"], back["name"]) == ("call", "call reverse")
    for flow in (there, back):
        call = flow["call"]
        assert (call["late"], call["lost"], call["burst_ratio"]) == (0, 0, None)
        assert call["mouth_to_ear_ms"] == pytest.approx(111.6)
        assert call["r"] == pytest.approx(93.2, abs=1e-3)
        assert call["mos"] == pytest.approx(4.41, abs=0.005)
        # The packets of the last 91.6 ms have not played.
        assert call["played"] == pytest.approx((20 - 0.0916) / 0.02, abs=1)
    assert there["sent_segments"] == 1001  # from 0 s to 20 s
    # 160 bytes of speech and 12 of RTP.
    assert there["goodput_mbps"] == pytest.approx(0.0688, rel=0.01)


def test_packets_are_late_if_their_delay_grows_by_more_than_the_playout() -> None:
    """After 10 s, 200 B take 11.4 or 11.9 ms instead of 1.6 ms: all later packets are in time, or none."""
    app = {"kind": "call", "playout": "10 ms"}
    for kbps, share in ((140, 0.0), (135, 0.5)):
        slower = {"kind": "rate", "at": "10 s", "rate": f"{kbps} kbit/s"}
        flow, _ = airhop.run(Scenario.load(wire(CALL | {"app": app}, changes=slower))).document["flows"]
        call = flow["call"]
        assert call["late_pct"] + call["lost_pct"] == pytest.approx(100 * share, abs=0.3)
        assert call["mouth_to_ear_ms"] == pytest.approx(61.6)
        assert flow["loss"] == 0.0  # of the network, which loses no packet
    # One burst of n missed packets after n played packets: BurstR is n / 2.
    assert call["burst_ratio"] == pytest.approx((call["late"] + call["lost"]) / 2, rel=0.01)


def test_ratings_fall_with_delay_and_loss_by_the_e_model() -> None:
    """Idd is 14.76 at 300 ms, and 24.07 at 400 ms.

    Ie,eff of independent losses depends only on their percentage.
    """
    for delay_ms, idd in ((218.4, 14.760694708940), (318.4, 24.070089219773)):
        scenario = Scenario.load(wire(delay=f"{delay_ms} ms"))
        assert airhop.run(scenario).document["flows"][0]["call"]["r"] == pytest.approx(rated(idd, 0.0))
    lossy = wire(errors={"kind": "bernoulli", "loss": 0.05}, delay="10 ms") | {"duration": "200 s"}
    for ie, bpl in ((0.0, 4.3), (0.0, 25.1), (11.0, 19.0)):
        app = {"kind": "call", "ie": ie, "bpl": bpl}
        call = airhop.run(Scenario.load(lossy | {"flow": [CALL | {"app": app}]})).document["flows"][0]["call"]
        assert call["lost_pct"] == pytest.approx(5, abs=5 * math.sqrt(5 * 95 / 10_000))
        ratio = max(call["burst_ratio"], 1)
        assert ratio == pytest.approx(1, abs=0.06)
        ie_eff = ie + (95 - ie) * call["lost_pct"] / (call["lost_pct"] / ratio + bpl)
        assert call["ie_eff"] == pytest.approx(ie_eff)
        assert call["r"] == pytest.approx(93.2 - ie_eff)


def test_a_game_counts_packets_by_their_deadline() -> None:
    """128 B at 1 Mbit/s and 30 ms: 31.024 ms. The last packet, at 20 s, has no deadline within the run."""
    app = {"kind": "game", "every": "50 ms", "deadline": "31.024 ms"}
    for deadline, key in (("31.024 ms", "in_time"), ("31.023 ms", "late")):
        document = wire(GAME | {"app": app | {"deadline": deadline}})
        there, _ = airhop.run(Scenario.load(document)).document["flows"]
        assert (there["game"][key], there["sent_segments"]) == (400, 401)
        assert there["delay_ms"]["p99"] == pytest.approx(31.024)


def test_the_verifier_agrees_with_conversations_behind_a_download() -> None:
    download = {"name": "f", "from": "a", "to": "b", "scheme": "cubic"}
    queue = {"kind": "drop-tail", "packets": 20}
    for warmup in ("0 s", "3 s"):
        scenario = Scenario.load(wire(CALL, GAME, download, queue=queue) | {"warmup": warmup})
        run = airhop.run(scenario, trace=True)
        assert verify(scenario, run) == []
        call, game = (run.document["flows"][place][kind] for place, kind in ((0, "call"), (1, "game")))
        assert call["late"] > 0 and call["lost"] > 0 and game["late"] > 0


def test_the_two_sides_of_a_call_have_independent_clocks() -> None:
    """The reverse direction begins within the first interval, at a time drawn by seed and flow name."""
    starts = set()
    for seed, name in ((1, "call"), (2, "call"), (1, "other")):
        scenario = Scenario.load(wire(CALL | {"name": name, "start": "1 s"}) | {"duration": "1.1 s"})
        made = airhop.run(scenario, seed=seed, trace=True).tables["packets"].filter(step="made")
        first = {flow: min(made.filter(flow=flow)["time_s"]) for flow in (name, f"{name} reverse")}
        assert first[name] == 1.0
        starts.add(first[f"{name} reverse"])
    assert len(starts) == 3 and all(1.0 < start < 1.02 for start in starts)


def test_both_directions_are_one_class_without_a_direction() -> None:
    scenario = Scenario.load("last-hop").to_dict() | {"duration": "5 s"}
    scenario["flow"] = [CALL | {"from": "s", "to": "d"}, GAME | {"from": "s", "to": "d", "class": "play"}]
    document = airhop.run(Scenario.load(scenario)).document
    assert Scenario.load(scenario).classes() == {"call": "call", "game": "play"}
    call, play = document["classes"]
    flows = [flow["call"] for flow in document["flows"] if flow["class"] == "call"]
    assert len(flows) == 2 and "game" not in call and "call" not in play
    assert call["call"]["r"] == pytest.approx(sum(flow["r"] for flow in flows) / 2)
    assert call["call"]["r_min"] == min(flow["r"] for flow in flows)
    assert call["call"]["played"] == sum(flow["played"] for flow in flows)


def test_studies_have_ratings_of_runs_flows_and_classes() -> None:
    found = sweep(Scenario.load(wire()), {"flow.call.app.playout": ["60 ms", "248.4 ms"]}, reps=2)
    near, far = found.study.points()
    for metric in ("call_r", "flow.call.call_r", "class.call.call_r_min"):
        assert list(found.values(near, metric).values()) == pytest.approx([93.2] * 2, abs=1e-3)
        assert list(found.values(far, metric).values()) == pytest.approx([rated(14.760694708940, 0)] * 2)


def test_commands_print_the_quality_of_conversations(cli: Cli, tmp_path: Path) -> None:
    download = {"name": "f", "from": "a", "to": "b", "scheme": "cubic"}
    file = tmp_path / "talk.toml"
    file.write_text(Scenario.load(wire(CALL, GAME, download) | {"duration": "2 s"}).toml())
    printed = cli("run", str(file)).out
    assert all(word in printed for word in ("calls", "games", "mouth", "idd", "call reverse"))
    printed = cli("compare", str(file), "reno", "cubic", "--reps", "2").out
    assert all(word in printed for word in ("calls: means", "games: means", "class call", "mouth"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"segment": "160 B"}, '"172 B"'),
        ({"app": {"kind": "call", "every": "999 us"}}, "at least"),
        ({"app": {"kind": "call", "rate": "40 Mbit/s"}}, '"65000 B"'),
        ({"app": {"kind": "call", "playuot": "60 ms"}}, 'did you mean "playout"?'),
        ({"app": {"kind": "cal"}}, 'did you mean "call"?'),
    ],
)
def test_a_wrong_setting_of_a_call_has_a_message(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        Scenario.load(wire(CALL | change))
    assert words in str(refusal.value)


def test_a_call_shows_the_size_of_its_packets() -> None:
    """The effective scenario contains the size, and loading it yields an equal scenario."""
    scenario = Scenario.load(wire())
    shown = scenario.to_dict()
    assert shown["flow"][0]["segment"] == "172 B"
    assert Scenario.load(shown) == scenario
