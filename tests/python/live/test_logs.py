"""Logs, which may be untrusted: a replay needs only the log, and reads no other file."""

from pathlib import Path
from typing import Any

import pytest

import airhop
from airhop import InputError, Scenario, ScenarioError, plugins
from airhop.live import Log
from command_line import Cli
from log_files import D, S, head, udp, write

SECRET = "hunter2,correct horse battery staple"
WIRE: dict[str, Any] = {
    "name": "played-back",
    "duration": "1 s",
    "wired": [{"name": "air", "ends": ["s", "d"], "rate": "1 Mbit/s", "delay": "10 ms"}],
    "flow": [{"name": "ftp", "from": "s", "to": "d", "scheme": "reno"}],
}


def test_a_log_written_as_the_docs_describe_is_replayed(tmp_path: Path) -> None:
    """The documentation describes the format: the core expects zlib's checksums."""
    path = write(tmp_path / "a.log", head(), [(1000, 0, udp(S, D, 100)), (2000, 3, udp(D, S, 60))])
    result = airhop.replay(path)
    assert result.notes == ()
    assert [flow["delivered_bytes"] for flow in result.document["flows"]] == [100, 60]
    old = write(
        tmp_path / "old.log", head(), [(1000, 0, udp(S, D, 100)), (2000, 3, udp(D, S, 60))], version=1
    )
    again = airhop.replay(old)
    assert again.fingerprint == result.fingerprint
    (note,) = again.notes
    assert "format 1, without checksums" in note


@pytest.mark.parametrize("version", [1, 2])
def test_replaying_a_log_reads_no_other_local_file(tmp_path: Path, version: int) -> None:
    """Neither a scenario nor a file that it names is read, because messages could reveal contents."""
    secret = tmp_path / "secret.csv"
    secret.write_text(SECRET)
    recorded = {"kind": "recorded", "file": str(secret), "ber_good": 0, "ber_bad": 0.1}
    wire = WIRE["wired"][0]
    named = [
        str(secret),
        WIRE | {"wired": [wire | {"errors": recorded}]},
        WIRE
        | {
            "wired": [
                {key: value for key, value in wire.items() if key != "rate"} | {"deliveries": str(secret)}
            ]
        },
    ]
    for scenario in named:
        path = write(tmp_path / "a.log", head(scenario), version=version)
        with pytest.raises((InputError, ScenarioError)) as refused:
            Log(path)
        assert not any(part in str(refused.value) for part in SECRET.split(","))
        assert "no file is read" in str(refused.value) or "expected the head" in str(refused.value)


def test_a_log_contains_the_files_of_its_scenario(tmp_path: Path) -> None:
    """A replay without the file equals the run, and a content with another digest is refused."""
    fades = "begin_s,end_s\n0.1,0.3\n"
    (tmp_path / "fades.csv").write_text(fades)
    errors = {"kind": "recorded", "file": str(tmp_path / "fades.csv"), "ber_good": 0, "ber_bad": 0.1}
    wire = WIRE["wired"][0]
    effective = Scenario.load(WIRE | {"wired": [wire | {"errors": errors}]}).to_dict()
    digest = effective["wired"][0]["errors"]["digest"]
    (tmp_path / "fades.csv").unlink()
    path = write(tmp_path / "a.log", head(effective, files={digest: fades}))
    log = Log(path)
    assert log.scenario.with_({"duration": "2 s"}).to_dict()["wired"][0]["errors"]["digest"] == digest
    assert log.replay().document["scenario"] == "played-back"
    write(path, head(effective, files={digest: fades.replace("0.3", "0.4")}))
    with pytest.raises(ScenarioError, match="the file differs from that of the recorded run"):
        Log(path)


def test_a_record_that_no_emulation_can_write_is_named_in_the_message(cli: Cli, tmp_path: Path) -> None:
    """A node without a host, and times after the duration: the message names the record immediately."""
    whole = head(Scenario.load("last-hop").with_({"duration": "1 s"}).to_dict())
    for name, records, end, expected in [
        ("node", [(1, 0, udp(S, D, 9)), (2, 1027, udp(S, D, 9))], 3, "record 2, byte"),
        ("late", [(1, 0, udp(S, D, 9)), (2**60, 0, udp(S, D, 9))], 2**60, "record 2, byte"),
        ("end", [(1, 0, udp(S, D, 9))], 2**60, "the duration of the scenario"),
    ]:
        path = write(tmp_path / f"{name}.log", whole, records, end=end)
        ended = cli("replay", str(path))
        assert ended.code == 2 and expected in ended.err, ended.err


@pytest.mark.parametrize(
    "change",
    [
        {"seed": -1},
        {"rep": 2**63},
        {"doors": [{"node": 1}]},
        {"files": {"a": 1}},
        {"with": [{"file": "x"}]},
        {"airhop": 1},
        {"headers_only": 0},
    ],
)
def test_a_log_header_with_wrong_keys_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    with pytest.raises(InputError, match="expected the head"):
        Log(write(tmp_path / "a.log", head(**change)))


def test_control_characters_of_a_log_do_not_reach_the_terminal(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "a.log", head(airhop="9.9\x1b]0;owned\x07"))
    ended = cli("replay", str(path))
    assert ended.code == 0 and r"written by Airhop 9.9\x1b]0;owned\x07" in ended.err
    assert "\x1b" not in ended.err + ended.out


SCHEME = """
import airhop

@airhop.scheme("mine-in-a-log", recovery="reno")
class Mine:
    def on_ack(self, window, ack, flow):
        window.cwnd += 1
    def on_loss(self, window, loss, flow):
        window.cwnd = 2
"""


def test_a_log_names_the_files_of_its_schemes_and_contains_no_code(cli: Cli, tmp_path: Path) -> None:
    """With the scheme's file, the log is replayed; without it, the message names the file and a command."""
    code = tmp_path / "mine.py"
    code.write_text(SCHEME)
    (name,) = plugins.load(code)
    scenario = Scenario.load("last-hop").with_({"duration": "1 s", "scheme": name})
    (used,) = scenario.added_schemes()
    entry = {"file": plugins.origin(used.source), "scheme": name, "digest": used.digest}
    assert entry["file"] == "mine.py"
    path = write(tmp_path / "a.log", head(scenario.to_dict(), **{"with": [entry]}))
    assert cli("replay", str(path), "--with", str(code)).code == 0
    write(path, head(scenario.to_dict(), **{"with": [entry | {"digest": "0" * 64}]}))
    ended = cli("replay", str(path), "--with", str(code))
    assert ended.code == 2 and "another version of mine.py than the loaded" in ended.err
    missing = {"file": "gone.bpf.o", "scheme": "bpf_gone", "digest": "0" * 64}
    write(path, head(scenario.to_dict(), **{"with": [entry, missing]}))
    ended = cli("replay", str(path), "--with", str(code))
    assert ended.code == 2
    assert f"airhop replay {path} --with mine.py --with gone.bpf.o" in ended.err
    assert "gone.bpf.o, which has the scheme `bpf_gone`" in ended.err
