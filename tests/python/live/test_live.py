"""Real programs at nodes start, communicate over the emulated network, and end completely.

No test checks the lateness of packets, because machines may be busy.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import airhop
from airhop import Scenario
from airhop.live import privilege
from airhop.verify import verify
from live_machine import needs
from patience import PATIENCE_S

pytestmark = pytest.mark.alone

SIZE = 300_000
WIRE = """
name = "wire"
duration = "8 s"
[[wired]]
name = "w"
ends = ["s", "d"]
rate = "50 Mbit/s"
delay = "2 ms"
queue = { kind = "drop-tail", packets = 500 }
[[flow]]
name = "f"
from = "s"
to = "d"
scheme = "cubic"
segment = "1448 B"
"""
SERVE_ONE = """
import http.server, socket
class Server(http.server.HTTPServer):
    address_family = socket.AF_INET6
Server(("::", 8000), http.server.SimpleHTTPRequestHandler).handle_request()
"""
ASK = """
import hashlib, sys, urllib.request
data = urllib.request.urlopen("http://" + sys.argv[1] + ":8000/blob").read()
print(len(data), hashlib.sha256(data).hexdigest())
"""


def python(code: str, *words: str) -> str:
    """Return the command that runs a Python program."""
    return shlex.join([sys.executable, "-c", code, *words])


@pytest.fixture(autouse=True)
def rights() -> None:
    needs("namespaces", "tun")


@pytest.fixture
def wire(tmp_path: Path) -> Path:
    """Write the scenario."""
    path = tmp_path / "wire.toml"
    path.write_text(WIRE, encoding="utf-8")
    return path


@pytest.fixture
def blob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Write the served file into the folder in which programs start."""
    data = bytes(i * i % 251 for i in range(SIZE))
    (tmp_path / "blob").write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return data


def command_of(*words: str | Path) -> list[str]:
    return [sys.executable, "-P", "-m", "airhop", *map(str, words)]


def ended(*words: str | Path, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run the command line in a separate process."""
    return subprocess.run(
        [*before, *command_of(*words)], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


# `{s}` is the IPv4 address of the node; crates/wire/src/addressing.rs: the first node is fd00:a1b0::1.
@pytest.mark.parametrize("address", ["{s}", "[fd00:a1b0::1]"])
def test_a_download_arrives_complete_and_its_log_is_replayed(
    wire: Path, blob: bytes, tmp_path: Path, address: str
) -> None:
    import hashlib

    log = tmp_path / "a.log"
    commands = {"s": python(SERVE_ONE), "d": python(ASK, address)}
    # The download lasts 0.6 s, twelve intervals of TCP_INFO samples, so that a busy machine also has a
    # sample.
    slow = Scenario.load(wire).with_({"wired.w.rate": "4 Mbit/s"})
    emulation = airhop.emulate(slow, commands, log=log)
    assert emulation.failures == []
    (_, client) = emulation.live["commands"]
    assert client["stdout"].split() == [str(SIZE), hashlib.sha256(blob).hexdigest()]
    down = [
        flow
        for flow in emulation.document["flows"]
        if (flow["from"], flow["delivered_bytes"] > SIZE) == ("s", True)
    ]
    assert [flow["transport"] for flow in down] == ["tcp"]
    assert down[0]["timeouts"] is None, "known only to the kernel"

    # A replay promises an equal report and fingerprint each time.
    first, second = airhop.replay(log), airhop.replay(log, trace=True, pcap_dir=tmp_path)
    assert first.fingerprint == second.fingerprint == emulation.fingerprint
    assert first.document["flows"] == second.document["flows"] == emulation.document["flows"]
    assert first.drops == emulation.drops
    assert second.tables["packets"].height > SIZE // 1448
    # The kernel's TCP_INFO (tcp(7)) of the connection every 50 ms.
    if privilege("tcp_info").available:
        name = down[0]["name"]
        rows = second.tables["tcp_info"]
        rows = rows.filter(rows["flow"].cast(str) == name)
        assert rows["time_s"].is_sorted() and (rows["cwnd"] >= 1).all()
        assert set(rows["congestion_control"]) == {emulation.live["congestion_control"][name]}
    # Captures have the real bytes: at the server the bytes of the request.
    assert b"GET /blob HTTP/1.1" in (tmp_path / "s.pcapng").read_bytes()


@pytest.mark.usefixtures("blob")
def test_an_emulation_with_real_packets_passes_the_verifier(wire: Path, tmp_path: Path) -> None:
    # docs/real-packets.md: a replay is verified like a run. The laws of simulated ends do not apply to hosts.
    log = tmp_path / "a.log"
    datagram = "import socket, sys; socket.socket(type=socket.SOCK_DGRAM).sendto(bytes(99), (sys.argv[1], 9))"
    commands = {"s": python(SERVE_ONE), "d": f"{python(datagram, '{s}')}; {python(ASK, '{s}')}"}
    assert airhop.emulate(Scenario.load(wire), commands, log=log).failures == []
    replayed = airhop.replay(log, trace=True)
    scenario = Scenario.load(wire)
    assert verify(scenario, replayed) == []
    down = max(replayed.document["flows"], key=lambda flow: flow["delivered_bytes"])
    down["delivered_bytes"] += 1
    assert {finding.law for finding in verify(scenario, replayed)} == {"counters"}


def test_a_log_of_headers_only_replays_to_the_same_run(wire: Path, blob: bytes, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    commands = {"s": python(SERVE_ONE), "d": python(ASK, "{s}")}
    emulation = airhop.emulate(Scenario.load(wire), commands, log=log, headers_only=True)
    assert emulation.failures == []
    assert b"GET /blob" not in log.read_bytes(), "payload is private"
    assert log.stat().st_size < len(blob)
    replayed = airhop.replay(log)
    assert replayed.fingerprint == emulation.fingerprint
    assert "headers" in replayed.notes[0]


def test_a_truncated_log_is_replayed_as_far_as_it_goes(wire: Path, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    airhop.emulate(Scenario.load(wire), {"s": "true", "d": "true"}, log=log)
    log.write_bytes(log.read_bytes()[:-4])
    (note,) = airhop.replay(log).notes
    assert "is truncated" in note


def test_emulate_json_has_live_keys_and_exit_codes_of_commands(wire: Path) -> None:
    # The contract of the command: exit codes, and the keys of `live`.
    found = ended("emulate", wire, "--on", "s", "echo {d}; exit 3", "--on", "d", "kill -9 $$", "--json")
    document = json.loads(found.stdout)
    live = document["live"]
    assert live["lateness_us"].keys() == {"p50", "p99", "max"}
    assert {"turnaround_us", "valid", "commands"} <= live.keys()
    outcomes = [(one["node"], one["exit"], one["stdout"]) for one in live["commands"]]
    assert outcomes == [("s", 3, "10.0.0.2\n"), ("d", 137, "")]
    assert found.returncode == 1
    assert "s: `echo 10.0.0.2; exit 3` ended with 3" in found.stderr
    fine = ended("emulate", wire, "--on", "s", "true", "--on", "d", "true", "--json")
    assert fine.returncode == (0 if json.loads(fine.stdout)["live"]["valid"] else 1)


def test_changes_that_the_scenario_rejects_exit_with_code_2(wire: Path) -> None:
    alone = ended("emulate", wire, "--on", "s", "true")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "at least two nodes" in alone.stderr
    # crates/net/src/services.rs: no proxy of Airhop has the data of a real connection.
    split = ended("emulate", "last-hop", "--scheme", "split", "--on", "s", "true", "--on", "d", "true")
    assert split.returncode == 2
    assert "cannot act on real packets" in split.stderr


def processes_with(word: str) -> list[str]:
    """List the processes with a word in their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:  # the process has ended
                continue
            if word.encode() in line.split(b"\0"):
                found.append(folder.name)
    return found


@pytest.fixture
def sleeping(wire: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start an emulation whose programs and their children sleep for a unique time, which identifies them."""
    seconds = f"{os.getpid()}.25"
    begun = tmp_path / "begun"
    asleep = f"sh -c 'setsid sleep {seconds} & touch {begun}; sleep {seconds}'"
    words = command_of("emulate", wire, "--set", "duration=600 s", "--on", "s", asleep, "--on", "d", asleep)
    with subprocess.Popen(words, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        wait_until(lambda: begun.exists() or process.poll() is not None)
        yield process, seconds
        process.kill()


def wait_until(done: object) -> None:
    assert callable(done)
    deadline = time.monotonic() + PATIENCE_S
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_killed_emulation_leaves_no_process_behind(
    sleeping: tuple[subprocess.Popen[str], str], sent: signal.Signals, code: int
) -> None:
    process, seconds = sleeping
    assert processes_with(seconds), "they sleep"
    process.send_signal(sent)
    assert process.wait(PATIENCE_S) == code
    # Namespaces and devices have no names: they end with the last process in them.
    wait_until(lambda: not processes_with(seconds))
    assert processes_with(seconds) == []


def test_an_unprivileged_emulation_runs_in_a_user_namespace(wire: Path) -> None:
    needs(programs=("setpriv", "unshare"))
    less = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin") if os.geteuid() == 0 else ()
    found = ended(
        "emulate",
        wire,
        "--on",
        "s",
        "grep CapBnd /proc/self/status",
        "--on",
        "d",
        "true",
        "--json",
        before=less,
    )
    live = json.loads(found.stdout)["live"]
    assert [one["exit"] for one in live["commands"]] == [0, 0]
    assert "CapBnd" in live["commands"][0]["stdout"]


def test_quic_packets_cross_the_network_as_udp(wire: Path) -> None:
    program = f"{sys.executable} {Path(__file__).parents[1] / 'quic.py'}"
    commands = {"s": f"{program} serve {SIZE}", "d": f"{program} ask {{s}}"}
    emulation = airhop.emulate(Scenario.load(wire), commands)
    assert emulation.failures == []
    assert emulation.live["commands"][1]["stdout"] == f"{SIZE}\n"
    by_way = {flow["from"]: flow for flow in emulation.document["flows"]}
    assert {flow["transport"] for flow in by_way.values()} == {"udp"}
    assert by_way["s"]["delivered_bytes"] > SIZE > by_way["d"]["delivered_bytes"]


def test_captures_of_a_replay_have_correct_checksums(wire: Path, blob: bytes, tmp_path: Path) -> None:
    needs(programs=("tshark", "curl"))
    log = tmp_path / "a.log"
    ask = "sysctl -qw net.ipv4.tcp_ecn=1 && curl --silent --show-error --output got http://{s}:8000/blob"
    # A queue that marks packets, so that the network changes headers (RFC 8289, RFC 3168).
    queue = {"kind": "codel", "ecn": True, "packets": 500}
    marked = Scenario.load(wire).with_({"wired.w.rate": "4 Mbit/s", "wired.w.queue": queue})
    emulation = airhop.emulate(marked, {"s": python(SERVE_ONE), "d": ask}, log=log)
    assert emulation.failures == []
    assert (tmp_path / "got").read_bytes() == blob
    airhop.replay(log, pcap_dir=tmp_path)
    for node in ("s", "d"):
        words = [
            *("tshark", "-n", "-r", str(tmp_path / f"{node}.pcapng")),
            *("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"),
        ]
        read = subprocess.run([*words, "-Y", "tcp"], capture_output=True, text=True, check=True)
        assert read.stdout.count("\n") > SIZE // 1448
        marks = subprocess.run(
            [*words, "-Y", "ip.dsfield.ecn == 3"], capture_output=True, text=True, check=True
        )
        assert bool(marks.stdout) is (node == "d"), "marked on the path"
        # All ones are equivalent to zero (RFC 1071 §1), and Linux sends all ones for this sum.
        is_wrong = "ip.checksum.status == 0 || (tcp.checksum.status == 0 && tcp.checksum != 0xffff)"
        wrong = [*words, "-Y", is_wrong]
        assert subprocess.run(wrong, capture_output=True, text=True, check=True).stdout == ""
