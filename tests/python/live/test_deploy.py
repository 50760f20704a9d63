"""Deployed BPF objects, which stay in the kernel: `--status` reports them, `--remove` removes them.

All tests run in separate namespaces, with a BPF file system and an empty /run, and with objects whose names
no user has. New kernel ids identify these objects.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from airhop import InputError
from airhop.live import deployment, records
from airhop.live.privileges import Privilege
from bpf_host import Host, bpf_host, wait_until
from bpf_objects import OBJECTS, renamed
from command_line import Cli

NAME = "tst.veno"
NON_RESTRICTED = 1
CONNECTION = """
import socket, sys
server, client = socket.create_server(("127.0.0.1", 0)), socket.socket()
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
client.connect(server.getsockname())
print("connected", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def host() -> Iterator[Host]:
    with bpf_host() as made:
        yield made


@pytest.mark.alone
def test_a_dry_run_prints_the_verifiers_output_and_leaves_nothing_loaded(host: Host, tmp_path: Path) -> None:
    said = host.run(str(renamed("veno", NAME, tmp_path)), "--dry-run")
    assert "veno_ssthresh is accepted: processed " in said
    assert "struct tcp_congestion_ops is accepted" in said
    assert f"register {NAME} for all network namespaces" in said
    wait_until(lambda: not host.has_something())
    assert host.states() == []


@pytest.mark.alone
def test_an_object_in_use_is_unloaded_after_its_last_connection(host: Host, tmp_path: Path) -> None:
    object_ = str(renamed("eln", NAME, tmp_path))
    assert "receives no notices" in host.run(object_)
    assert "is deployed already" in host.run(object_, code=1)
    connect = host.entering(sys.executable, "-c", CONNECTION, NAME)
    with subprocess.Popen(connect, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as connection:
        assert connection.stdout
        assert connection.stdout.readline() == "connected\n"
        [state] = host.states()
        assert (state["name"], state["registered"], state["users"]) == (NAME, True, 1)
        assert "still used by 1" in host.run("--remove", NAME)
        assert host.has_something()
        [state] = host.states()
        assert (state["registered"], state["users"]) == (False, 1)
        connection.communicate()
    wait_until(lambda: not host.has_something())
    assert f"{NAME}: the kernel has freed it" in host.run("--status")
    assert "no control is deployed" in host.run("--status")
    assert "not deployed" in host.run("--remove", NAME, code=2)


@pytest.mark.alone
def test_the_default_congestion_control_applies_to_its_network_namespace_only(
    host: Host, tmp_path: Path
) -> None:
    """In another namespace the control is neither reported as the default nor restored."""
    before = host_default(host)
    assert "TCP_CONG_NON_RESTRICTED" in host.run(str(renamed("veno", NAME, tmp_path)), "--default", code=1)
    assert not host.has_something(), "a refusal by the kernel would keep the object until the next boot"
    host.run(str(renamed("veno", NAME, tmp_path, flags=NON_RESTRICTED)), "--default")
    assert host_default(host) == NAME
    [state] = host.states()
    assert (state["default"], state["users"]) == (True, 1)
    assert "the kernel has freed it" in host.run("--remove", NAME, net=False)
    assert host_default(host) == before


def host_default(host: Host) -> str:
    command = host.entering("sysctl", "-n", "net.ipv4.tcp_congestion_control")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.alone
def test_the_notice_listener_is_removed_with_its_interface(host: Host, tmp_path: Path) -> None:
    subprocess.run(host.entering("ip", "tuntap", "add", "ears", "mode", "tun"), check=True)
    host.run(str(renamed("eln", NAME, tmp_path)), "--listen", "ears")
    [state] = host.states()
    assert (state["listening"], state["device"]) == (True, "ears")
    subprocess.run(host.entering("ip", "link", "delete", "ears"), check=True)
    assert "does not listen at ears" in host.run("--status")
    assert "the kernel has freed it" in host.run("--remove", NAME)
    wait_until(lambda: not host.has_something())


@pytest.mark.alone
def test_no_deployment_is_left_after_a_reboot(host: Host) -> None:
    """A record of an earlier boot, which a machine may keep in /run, is not reported as deployed."""
    script = "from airhop.live import records; records.RECORDS.mkdir();"
    script += f" records.write(records.Record({NAME!r}, 'x.bpf.o', map=1, boot='earlier'))"
    subprocess.run(host.entering(sys.executable, "-P", "-c", script), check=True)
    assert f"{NAME}: the kernel has freed it" in host.run("--status")
    assert "no control is deployed" in host.run("--status")


@pytest.mark.alone
def test_deploy_without_privileges_names_the_missing_capabilities(host: Host) -> None:
    # Root without capabilities, because another user may have no access to a checkout in a folder of root.
    user = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
    words = [sys.executable, "-P", "-m", "airhop", "deploy", str(OBJECTS[0])]
    done = subprocess.run(host.entering(*user, *words), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "needs root, or CAP_BPF and CAP_NET_ADMIN" in line


# Each child process executes the command, and is killed before the line with its number. The parent process
# then undoes the changes.
KILLED_AT_LINES = """
import os, signal, sys
from pathlib import Path
from airhop.live import deployment, records

step = int(sys.argv[2])
planned = deployment.plan(sys.argv[1], default=True, listen="lo")
FILES = {deployment.__file__, records.__file__}

def lines_of(work, limit):
    count = 0
    def trace(frame, event, argument):
        nonlocal count
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            count += 1
            if count == limit:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    work()
    sys.settrace(None)
    return count

def child(work, limit):
    pid = os.fork()
    if pid == 0:
        lines_of(work, limit)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(status) or status == 0, status
    return os.WIFSIGNALED(status)

def clear():
    states, gone = deployment.deployed()
    left = {state.record.name for state in states}
    if planned.name in deployment._available():
        assert left == {planned.name}, left
    for name in left:
        assert deployment.remove(name) == 0
    assert deployment.deployed() == ([], [])
    assert planned.name not in deployment._available()
    assert deployment.DEFAULT.read_text().strip() == planned.before
    assert not deployment.PINS.exists() and records.recorded() == []

limit, kills = step, 0
while child(lambda: deployment.deploy(planned), limit):
    clear()
    limit, kills = limit + step, kills + 1
limit = step
while child(lambda: deployment.remove(planned.name), limit):
    clear()
    deployment.deploy(planned)
    limit, kills = limit + step, kills + 1
clear()
print(kills)
"""


@pytest.mark.alone
def test_status_shows_everything_that_a_killed_deploy_leaves_behind(host: Host, tmp_path: Path) -> None:
    """SIGKILL strikes before every 13th line that a deployment and a removal execute.

    With AIRHOP_KILLED_EVERY=1 in the environment, it strikes before every line.
    """
    object_ = renamed("eln", NAME, tmp_path, flags=NON_RESTRICTED)
    step = os.environ.get("AIRHOP_KILLED_EVERY", "13")
    command = host.entering(sys.executable, "-P", "-c", KILLED_AT_LINES, str(object_), step)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 8
    wait_until(lambda: not host.has_something())


def test_a_file_that_is_no_bpf_object_is_refused_by_deploy(cli: Cli, tmp_path: Path) -> None:
    plain = tmp_path / "plain.bpf.o"
    plain.write_bytes(b"no object")
    done = cli("deploy", str(plain))
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "not a BPF object" in done.err
    assert cli("deploy", str(tmp_path / "none.o")).code == 2
    assert "--listen any" in cli("deploy", "bpf_veno", "--listen", "any").err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "expected one of OBJECT, --status and --remove NAME"),
        (("bpf_veno", "--status"), "expected one of OBJECT, --status and --remove NAME"),
        (("--status", "--default"), "need an OBJECT"),
    ],
)
def test_contradictory_options_of_deploy_are_refused(cli: Cli, words: tuple[str, ...], expected: str) -> None:
    done = cli("deploy", *words)
    assert done.code == 2
    assert expected in done.err


def test_a_dry_run_lists_everything_that_the_machine_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refused = Privilege("struct_ops", available=False, reason="no BPF struct_ops: only on Linux")
    monkeypatch.setattr(deployment, "privilege", lambda _name: refused)
    monkeypatch.setattr(platform, "release", lambda: "6.2.0-31-generic")
    monkeypatch.setattr(deployment, "BPF_FILES", tmp_path)
    monkeypatch.setattr(records, "RECORDS", tmp_path / "none" / "airhop")
    planned = deployment.plan(str(renamed("eln", "tst.lacks", tmp_path)), default=False, listen="lo")
    kinds = [line.split()[0] for line in deployment.lacking(planned)]
    assert kinds == ["struct_ops", "kernel", "kernel", "bpf", "records"]


def test_control_names_with_other_characters_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="letters, digits, dots and underscores"):
        deployment.plan(str(renamed("veno", "../veno", tmp_path)), default=False, listen=None)


def test_of_a_truncated_deployment_record_only_the_name_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    whole = records.Record(NAME, "x.bpf.o", "eth0", 4026531840, "cubic", "boot")
    records.write(whole)
    assert records.recorded() == [NAME]
    assert records.read(NAME) == whole
    assert records.begin_removal(whole, 12) == records.read(NAME)
    folder = tmp_path / "tst-veno"
    (folder / "map").write_text("1")
    assert records.read(NAME) == whole
    plan = folder / "plan.json"
    plan.write_text(plan.read_text()[:20])
    assert records.read(NAME).file == ""
