"""`airhop replay`: results of a log, and messages about files that are no logs.

A fake core replaces the replay.
"""

import json
from pathlib import Path

import pytest

import airhop
from airhop import InputError, Scenario, _core
from airhop.plots.traces import chosen_flow
from command_line import Cli
from fake_core import FakeCore


@pytest.fixture
def log(fake_core: FakeCore, tmp_path: Path) -> Path:
    """Make a log of two seconds."""
    fake_core.head["scenario"] = Scenario.load("last-hop").with_({"duration": "2 s"}).to_dict()
    path = tmp_path / "a.log"
    path.touch()
    return path


def test_two_replays_of_a_log_are_equal(cli: Cli, log: Path, fake_core: FakeCore) -> None:
    first, second = (json.loads(cli("replay", str(log), "--json").out) for _ in range(2))
    assert first["fingerprint"] == second["fingerprint"] == airhop.replay(log).fingerprint
    assert "live" not in first
    assert fake_core.asked["path"] == str(log)


def test_a_replay_has_the_same_parts_as_a_run(cli: Cli, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = cli(
        "replay", str(log), "--trace", str(out), "--pcap", str(out), "--air", str(tmp_path / "air.png")
    )
    assert ended.code == 0
    assert "s → d" in ended.out and "losses by reason" in ended.out
    assert {"packets.parquet", "s.pcapng"} <= {path.name for path in out.iterdir()}
    assert (tmp_path / "air.png").stat().st_size > 0
    assert airhop.replay(log, trace=True).tables["packets"].height > 0


def test_a_replay_can_be_drawn_and_verified_like_a_run(cli: Cli, log: Path, tmp_path: Path) -> None:
    figures = [f"--{name}={tmp_path / name}.png" for name in ("sequence", "round-trips")]
    ended = cli("replay", str(log), "--verify", *figures)
    assert ended.code == 0
    assert "contradict none of" in ended.err
    assert {path.name for path in tmp_path.glob("*.png")} == {"sequence.png", "round-trips.png"}


def test_figures_show_the_flow_with_the_most_bytes_or_the_selected_flow(cli: Cli, tmp_path: Path) -> None:
    """The flow with the most bytes is drawn, because iperf3's first TCP flow is its control connection."""
    flow = "[[flow]]\nname = '{}'\nfrom = 's'\nto = 'd'\nscheme = 'reno'\nstart = '{}'\n"
    base = Scenario.load("last-hop").toml().split("[[flow]]")[0]
    scenario = tmp_path / "two.toml"
    scenario.write_text(base + flow.format("first", "1.9 s") + flow.format("second", "0 s"))
    result = airhop.run(Scenario.load(scenario, sets=["duration=2 s"]))
    assert chosen_flow(result, None) == "second"
    with pytest.raises(InputError, match="Did you mean `first`"):
        chosen_flow(result, "frist")
    words = ("run", str(scenario), "--set", "duration=2 s", "--flow", "first")
    ended = cli(*words, "--round-trips", str(tmp_path / "a.png"))
    assert "round trips of first in" in ended.err
    assert "--flow needs" in cli(*words).err


def test_the_replay_of_a_truncated_log_reports_the_truncation(
    cli: Cli, log: Path, fake_core: FakeCore
) -> None:
    fake_core.is_whole = False
    ended = cli("replay", str(log))
    assert ended.code == 0
    assert f"note: {log} is truncated" in ended.err
    (note,) = airhop.replay(log).notes
    assert "is truncated" in note


def test_a_replay_reports_logs_of_other_versions_and_without_payload(
    cli: Cli, log: Path, fake_core: FakeCore
) -> None:
    fake_core.head |= {"airhop": "0.0.1", "headers_only": True}
    told = cli("replay", str(log)).err
    assert f"written by Airhop 0.0.1, and this is {_core.__version__}" in told
    assert "captures have zeros as payload" in told


def test_a_file_that_is_no_log_is_refused_with_exit_code_2(cli: Cli, log: Path, fake_core: FakeCore) -> None:
    fake_core.raised = OSError("a.log: byte 0: expected a log of airhop emulate")
    ended = cli("replay", str(log))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "airhop: cannot replay: a.log: byte 0: expected a log of airhop emulate\n"
    with pytest.raises(InputError):
        airhop.replay(log)


@pytest.mark.parametrize("words", [("nowhere.log",), (".",)])
@pytest.mark.usefixtures("fake_core")
def test_a_missing_log_is_refused_with_exit_code_2(cli: Cli, words: tuple[str, ...]) -> None:
    ended = cli("replay", *words)
    assert (ended.code, ended.out) == (2, "")
    assert "there is no file" in ended.err


def test_the_replay_of_a_damaged_log_names_the_damaged_byte(
    log: Path, fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_asked: object) -> None:
        raise OSError("a.log: byte 99: expected a record")

    assert fake_core.raised is None, "the head of the log is valid"
    monkeypatch.setattr(_core, "replay", damaged)
    with pytest.raises(InputError, match="byte 99"):
        airhop.replay(log)
