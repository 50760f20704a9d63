"""`airhop emulate`: its arguments, messages and exit codes, without real packets."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

import airhop
from airhop import PrivilegeError, RunError, Scenario, ScenarioError, _core
from airhop.cli.shown.live import ProgressLine
from airhop.progress import Clock
from bpf_objects import OBJECTS
from command_line import Cli
from fake_core import FakeCore, command, progress

TWO = ("emulate", "last-hop", "--set", "duration=2 s", "--on", "s", "serve", "--on", "d", "ask {s}")


def test_options_on_and_at_are_passed_to_the_core_as_hosts_and_commands(
    cli: Cli, fake_core: FakeCore, tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    ended = cli(*TWO, "--seed", "7", "--log", str(log), "--headers-only", "--spin", "0.2 ms")
    assert ended.code == 0
    assert fake_core.asked == {
        "doors": [("--on s", "s", None), ("--on d", "d", None)],
        "always_told": False,
        "controls": [],
        "commands": [("s", "serve"), ("d", "ask 10.0.0.1")],
        "ready": [],
        "seed": 7,
        "log": str(log),
        "headers_only": True,
        "code": [],
        "spin_us": 200,
    }
    assert f"airhop replay {log}" in ended.err


@pytest.mark.usefixtures("nothing_added")
def test_the_printed_replay_command_loads_the_scheme_files(
    cli: Cli, fake_core: FakeCore, tmp_path: Path
) -> None:
    """The log contains no code: the error names the scheme's file, and the printed command loads the file."""
    here, log = next(one for one in OBJECTS if one.name == "veno.bpf.o"), tmp_path / "a log"
    ended = cli(*TWO, "--scheme", "bpf_veno", "--with", str(here), "--log", str(log))
    assert ended.code == 0
    assert f"airhop replay '{log}' --with {shlex.quote(str(here))}" in ended.err
    ((file, name, digest),) = fake_core.asked["code"]
    assert (file, name) == ("veno.bpf.o", "bpf_veno")
    assert digest == hashlib.sha256(here.read_bytes()).hexdigest()


HOSTILE = "bell\a escape\x1b]0;title\x07 csi\x9b31m turned\u202e back\rover\ttab\r\nnext\n"


def test_output_of_commands_contains_no_control_characters(cli: Cli, fake_core: FakeCore) -> None:
    """A command and its output may be untrusted: only tabs and line ends are printed unchanged."""
    fake_core.live["commands"] = [command("s", "printf '\x1b[2J'", 3) | {"stdout": HOSTILE}]
    ended = cli(*TWO)
    for text in (ended.out, ended.err):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), repr(text)
    assert r"bell\x07 escape\x1b]0;title\x07" in ended.out and "\nnext\n" in ended.out
    told = cli(*TWO, "--json").out
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", told)
    assert json.loads(told)["live"]["commands"][0]["stdout"] == HOSTILE


def test_a_port_or_a_command_determines_when_a_node_is_ready(cli: Cli, fake_core: FakeCore) -> None:
    ended = cli(*TWO, "--ready", "s=8000", "--ready", "s=curl {s}:80", "--report", "no.html")
    assert fake_core.asked["ready"] == [("s", 8000, ""), ("s", None, "curl 10.0.0.1:80")]
    assert ended.code == 2, "the fake core writes no log, so there is no report"
    scenario = Scenario.load("last-hop")
    on = {"s": "serve", "d": "ask {s}"}
    airhop.emulate(scenario, on, ready={"s": 8000})
    assert fake_core.asked["ready"] == [("s", 8000, "")]
    airhop.emulate(scenario, on, ready={"s": [8000, "true"]})
    assert fake_core.asked["ready"] == [("s", 8000, ""), ("s", None, "true")]


@pytest.mark.parametrize(
    ("ready", "told"),
    [
        ("q=80", "node `q` has no command"),
        ("d=80", "no command of another node starts after the commands of d"),
        ("s=0", "expected a port from 1 to 65535"),
        ("s=65536", "expected a port from 1 to 65535"),
        ("s", "expected NODE=PORT or NODE=COMMAND"),
        ("s=", "expected NODE=PORT or NODE=COMMAND"),
        ("s=curl {S}", "Did you mean `s`?"),
    ],
)
@pytest.mark.usefixtures("fake_core")
def test_a_ready_option_for_a_node_without_later_commands_is_refused(cli: Cli, ready: str, told: str) -> None:
    ended = cli(*TWO, "--ready", ready)
    assert ended.code == 2 and told in ended.err


def test_flows_of_real_hosts_are_shown_with_their_congestion_control(cli: Cli, fake_core: FakeCore) -> None:
    """The document names the congestion control, not only `tcp`; many machines use BBR by default."""
    fake_core.live = {"congestion_control": {"ftp": "bbr"}}
    assert "reno" in cli(*TWO).out, "a simulated flow has its scheme"
    fake_core.is_real = True
    assert "bbr (kernel)" in cli(*TWO).out


def test_the_option_notices_always_sends_notices_to_all_senders(cli: Cli, fake_core: FakeCore) -> None:
    fake_core.live = {"notices": {"sent": {"eln": 1_234, "ersn": 0}}}
    told = cli(*TWO)
    assert (fake_core.asked["always_told"], told.code) == (False, 0)
    assert "notices to real senders: 1,234 ELN\n" in told.out
    assert cli(*TWO, "--notices", "always").code == 0
    assert fake_core.asked["always_told"]
    assert "always" in cli(*TWO, "--notices", "never").err


def test_an_interface_given_with_at_is_passed_to_the_core(cli: Cli, fake_core: FakeCore) -> None:
    assert cli(*TWO[:7], "--at", "d=eth0").code == 0
    assert fake_core.asked["doors"] == [("--on s", "s", None), ("--at d=eth0", "d", "eth0")]


def test_commands_start_in_the_order_of_the_options(cli: Cli, fake_core: FakeCore) -> None:
    cli("emulate", "last-hop", "--on", "d", "one", "--on", "s", "two", "--on", "d", "three")
    assert fake_core.asked["commands"] == [("d", "one"), ("s", "two"), ("d", "three")]


def test_emulate_prints_tables_and_the_output_of_commands(cli: Cli, fake_core: FakeCore) -> None:
    told = cli(*TWO).out
    for words in ("s → d", "losses by reason", "lateness of the emulator, µs", "d     106  1,200", "0.0 %"):
        assert words in told
    assert told.index("s$ serve") < told.index("serve was here") < told.index("d$ ask 10.0.0.1")
    assert "–" in told, "values known only to a kernel"
    assert fake_core.exits == {}


@pytest.mark.usefixtures("fake_core")
def test_emulate_json_is_the_run_document_with_the_key_live(cli: Cli) -> None:
    # Keys of `live` that other programs read.
    document = json.loads(cli(*TWO, "--json").out)
    shifts = {"goodput_shift", "delay_shift"}
    known = {"lateness_us", "turnaround_us", *shifts, "valid", "why", "commands", "notices", "notes"}
    assert set(document["live"]) == known
    simulated = json.loads(cli("run", "last-hop", "--set", "duration=2 s", "--json").out)
    assert set(document) - set(simulated) == {"live"}


def test_emulate_names_a_command_that_failed(cli: Cli, fake_core: FakeCore) -> None:
    fake_core.exits = {"d": 7, "s": 128 + 11}
    ended = cli(*TWO)
    assert ended.code == 1
    assert "d: `ask 10.0.0.1` ended with 7" in ended.err
    assert "s: `serve` was ended by signal 11" in ended.err
    assert "(exit 7)" in ended.out


def test_a_server_terminated_at_the_end_of_the_run_has_not_failed(cli: Cli, fake_core: FakeCore) -> None:
    fake_core.live = {"commands": [command("s", "serve", 143, in_time=False)]}
    ended = cli(*TWO)
    assert ended.code == 0
    assert "serve  (ended by Airhop at the end of the run)" in ended.out


def test_an_emulation_with_late_packets_is_not_valid(cli: Cli, fake_core: FakeCore) -> None:
    fake_core.live = {
        "valid": False,
        "why": ["it stood still for 30 ms at 1.5 s"],
        "notes": ["ELN stays inside"],
    }
    ended = cli(*TWO)
    assert ended.code == 1
    assert "it stood still for 30 ms at 1.5 s" in ended.err
    assert "note: ELN stays inside" in ended.err


def test_an_interrupted_emulation_exits_with_130_and_names_its_log(
    cli: Cli, fake_core: FakeCore, tmp_path: Path
) -> None:
    fake_core.raised = KeyboardInterrupt()
    ended = cli(*TWO, "--log", str(tmp_path / "a.log"))
    assert (ended.code, ended.out) == (130, "")
    assert "interrupted after 2 s; the datagrams that had entered are in" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("error", "code"), [(ScenarioError("last-hop: one node"), 2), (RunError("node s: a step failed"), 1)]
)
def test_errors_of_the_core_are_printed_with_their_exit_code(
    cli: Cli, fake_core: FakeCore, error: Exception, code: int
) -> None:
    fake_core.raised = error
    ended = cli(*TWO)
    assert (ended.code, ended.out, ended.err) == (code, "", f"airhop: {error}\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--on", "bss", "true"), "--on bss: last-hop has no node `bss`. Did you mean `bs`?"),
        (("--at", "q=eth0"), "--at q=eth0: last-hop has no node `q`. Its nodes: s, r1, bs, d."),
        (("--at", "eth0"), "expected NODE=DEV"),
        (("--at", "=eth0"), "expected NODE=DEV"),
        (("--on", "s", "echo {S}"), "Did you mean `s`?"),
        (("--on", "s"), "--on"),
        (("--headers-only",), "--log FILE"),
        (("--spin", "200"), "expected a time"),
        (("--spin", "2 s"), "expected a time"),
        (("--tolerance", "0"), "expected per cent above 0 and up to 100, as in 3"),
        (("--tolerance", "nan"), "expected per cent"),
        (("--log", "/nowhere/a.log"), "no folder /nowhere"),
        (("--log", "/"), "it is a folder"),
        (("--seed", "-1"), "whole number"),
        (("--scheme", "renno"), "reno"),
    ],
)
@pytest.mark.usefixtures("fake_core")
def test_bad_options_of_emulate_exit_with_code_2(cli: Cli, words: Sequence[str], told: str) -> None:
    ended = cli(*TWO, *words)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert "Traceback" not in ended.err


# ---- rights ------------------------------------------------------------------------------------------------


def started_again(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """Remove the privileges, and record the program that would replace the process."""
    became: list[Sequence[str]] = []

    def become(program: str, words: Sequence[str], environment: dict[str, str]) -> None:
        assert environment["AIRHOP_STARTED_AGAIN"] == "1"
        became.append([program, *words[1:]])
        raise SystemExit(0)

    monkeypatch.setattr(_core, "needs_user_namespace", lambda: True)
    monkeypatch.setattr(os, "execvpe", become)
    return became


@pytest.mark.usefixtures("fake_core")
def test_without_root_emulate_restarts_itself_in_a_user_namespace(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    became = started_again(monkeypatch)
    cli(*TWO)
    ((program, *words),) = became
    assert program == "unshare"
    assert words[:5] == ["--user", "--map-root-user", "--net", "--mount", "--"]
    assert words[-len(TWO) - 3 :] == ["-P", "-m", "airhop", *TWO]


@pytest.mark.usefixtures("fake_core")
def test_emulate_restarts_itself_at_most_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    became = started_again(monkeypatch)
    monkeypatch.setenv("AIRHOP_STARTED_AGAIN", "1")
    ended = cli(*TWO)
    assert (ended.code, became) == (1, [])
    assert "run airhop as root" in ended.err


def test_emulate_without_privileges_exits_with_the_message_of_doctor(
    cli: Cli, fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    became = started_again(monkeypatch)
    fake_core.privileges[1] = ("tun", False, "no TUN devices: /dev/net/tun is not there (modprobe tun)")
    ended = cli(*TWO)
    line = ended.err.removeprefix("airhop: ").strip()
    assert (ended.code, ended.out, became) == (1, "", [])
    assert "modprobe tun" in line
    assert line in cli("doctor").out


@pytest.mark.usefixtures("fake_core")
def test_emulating_with_a_real_interface_requires_root(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    # A user namespace has no access to the interfaces of the machine.
    became = started_again(monkeypatch)
    ended = cli(*TWO[:7], "--at", "d=eth0")
    assert (ended.code, became) == (1, [])
    assert "--at d=eth0" in ended.err and "root" in ended.err


@pytest.mark.usefixtures("fake_core")
def test_emulate_in_python_explains_missing_privileges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "needs_user_namespace", lambda: True)
    with pytest.raises(PrivilegeError, match="unshare --user --map-root-user"):
        airhop.emulate(Scenario.load("last-hop"), {"s": "true", "d": "true"})


# ---- Python ------------------------------------------------------------------------------------------------


def test_emulate_in_python_returns_a_result_with_live_values(fake_core: FakeCore) -> None:
    scenario = Scenario.load("last-hop").with_({"duration": "2 s"})
    emulation = airhop.emulate(scenario, {"s": ["one", "two"], "d": "three"}, {"bs": "eth0"}, scheme="sack")
    assert fake_core.asked["commands"] == [("s", "one"), ("s", "two"), ("d", "three")]
    assert fake_core.asked["doors"][-1] == ('at["bs"]', "bs", "eth0")
    assert (emulation.valid, emulation.why, emulation.failures) == (True, [], [])
    assert emulation.live["lateness_us"]["p99"] == 200
    assert emulation.to_dict()["live"] == emulation.live
    row = emulation.flows.row(0, named=True)
    assert row["goodput_mbps"] > 0
    unknown = ("timeouts", "window_cuts", "judged_wireless_channel", "lateness_notices")
    assert all(row[column] is None for column in unknown), "null, not zero"


# ---- progress ----------------------------------------------------------------------------------------------


def test_progress_shows_rates_lateness_and_losses() -> None:
    clock = Clock("last-hop", 30)
    pace = ProgressLine(clock)
    assert pace.words() == ""
    pace.on_progress(progress(0.1, 1_000))
    assert pace.words() == "120 µs late (p99), lost: channel 3, emulator 2"
    pace.on_progress(progress(2.1, 251_000))
    # 250 kB entered and 125 kB left in two seconds.
    assert pace.words() == "in 1.00, out 0.500 Mbit/s, 120 µs late (p99), lost: channel 3, emulator 2"
    assert clock.text(0.0) == "2 of 30 s"


def test_the_command_for_the_namespace_of_a_node_is_printed_once() -> None:
    # The namespaces have no names: nsenter(1) enters the namespace of a thread.
    said: list[str] = []
    pace = ProgressLine(Clock("last-hop", 30), said.append)
    for t_s in (0.1, 0.2):
        pace.on_progress(progress(t_s, 1_000) | {"threads": {"d": 42, "s": 41}})
    assert said == [
        "into node d: nsenter --target 42 --net ss -ti",
        "into node s: nsenter --target 41 --net ss -ti",
    ]
