"""`airhop notify` converts events of a real link layer into notices of LL-ELSN."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from airhop import InputError
from airhop.live.notify import Notice, Notifier, from_file, from_socket, parse_prefix, recorded
from bpf_host import Host, bpf_host, wait_until
from bpf_objects import renamed
from command_line import Cli
from patience import PATIENCE_S

PACKET = "4500041c 00014000 40060000 0a000001 0a000004 1389 0fa0 00000007"
"""IPv4 header, and first 8 bytes of the TCP header, of a datagram of 1052 bytes from 10.0.0.1:5001."""
EVENTS = f"# a comment\n0.0 failed sta {PACKET}\n0.001 failed sta {PACKET}\n0.002 lost sta\n"
SENT = ("eln", "10.0.0.1:5001", "10.0.0.4:4000", 7)


def heard(lines: Iterator[str], to: str = "10.0.0.0/8") -> tuple[Notifier, list[tuple[str, str, str, int]]]:
    sent: list[Notice] = []
    notifier = Notifier([parse_prefix(to)], sent.append)
    for line in lines:
        notifier.hear(line)
    return notifier, [(notice.kind, notice.source, notice.destination, notice.seq) for notice in sent]


def test_notices_are_sent_for_a_file_of_events(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_text(EVENTS, encoding="ascii")
    notifier, sent = heard(from_file(path, at_their_times=True))
    assert sent == [("ersn", *SENT[1:]), SENT]
    assert notifier.counts == {"events": 3, "ersn": 1, "eln": 1}


def test_no_notice_is_sent_to_a_sender_without_a_listener(tmp_path: Path) -> None:
    """Any other TCP processes a notice as an ACK of lost data."""
    path = tmp_path / "events"
    path.write_text(EVENTS, encoding="ascii")
    notifier, sent = heard(from_file(path, at_their_times=False), to="10.0.0.4")
    assert (sent, notifier.counts["withheld"]) == ([], 2)


def test_events_received_by_a_socket_are_recorded_and_replayed(tmp_path: Path) -> None:
    """Several programs write lines in arbitrary pieces; the recorded file yields the same notices."""
    path, file = tmp_path / "socket", tmp_path / "events"
    lines = from_socket(path)
    first = threading.Thread(target=write_events, args=(path,), daemon=True)
    first.start()
    events = recorded((next(lines) for _ in range(3)), file)
    _, sent = heard(events)
    lines.close()  # type: ignore[attr-defined]
    first.join(PATIENCE_S)
    assert sorted(sent) == sorted([("ersn", *SENT[1:]), SENT, ("eln", *SENT[1:3], 9)])
    _, again = heard(from_file(file, at_their_times=False))
    assert again == sent
    assert not path.exists()
    with pytest.raises(FileExistsError):
        next(recorded(iter(["lost sta"]), file))


def write_events(path: Path) -> None:
    wait_until(path.exists)
    with connected(path) as one, connected(path) as other:
        one.sendall(f"failed sta {PACKET[:20]}".encode())
        other.sendall(f"\ndiscarded other {PACKET[:-1]}9\n".encode())
        one.sendall(f"{PACKET[20:]}\nlost sta".encode())


@contextmanager
def connected(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE_S)
        while True:
            try:
                client.connect(str(path))
                break
            except ConnectionRefusedError:  # bound, but not listening yet
                continue
        yield client


def test_the_socket_of_a_killed_program_is_reused(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
        left.listen()
        with pytest.raises(InputError, match="another program listens"):
            next(from_socket(path))
    writer = threading.Thread(target=write_events, args=(path,), daemon=True)
    lines = from_socket(path)
    path.unlink()
    writer.start()
    assert next(lines).split()[0] in {"failed", "discarded"}
    lines.close()  # type: ignore[attr-defined]
    (tmp_path / "plain").write_text("mine", encoding="ascii")
    with pytest.raises(InputError, match="is no socket"):
        next(from_socket(tmp_path / "plain"))
    assert (tmp_path / "plain").read_text(encoding="ascii") == "mine"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "expected --to"),
        (("--to", "10.0.0.300"), "`10.0.0.300` is no address"),
        (("--to", "10.0.0.1", "--play", "a", "--record", "b"), "exclude each other"),
    ],
)
def test_contradictory_options_of_notify_are_refused(cli: Cli, words: tuple[str, ...], expected: str) -> None:
    done = cli("notify", *words)
    assert (done.code, expected in done.err) == (2, True), done.err


def test_a_dry_run_prints_the_notices(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_text(EVENTS + "9e9 gone sta\n", encoding="ascii")
    done = cli("notify", "--to", "10.0.0.1", "--play", str(path), "--dry-run")
    assert done.code == 1
    assert done.out.splitlines()[1] == "eln to 10.0.0.1:5001 about segment 7 of 1000 bytes to 10.0.0.4:4000"
    assert "`gone` is not an event" in done.err
    counts = json.loads(cli("notify", "--to", "::1", "--play", str(path), "--dry-run", "--json").out)
    assert counts == {"events": 3, "no_event": 1, "ersn": 0, "eln": 0, "withheld": 2, "unsent": 0}


@pytest.mark.parametrize("first", ["x", "-1", "nan", "1e999", "failed"])
def test_an_event_without_a_time_is_refused(cli: Cli, tmp_path: Path, first: str) -> None:
    path = tmp_path / "events"
    path.write_text(f"1.5 lost sta\n{first} lost sta\n", encoding="ascii")
    done = cli("notify", "--to", "10.0.0.1", "--play", str(path), "--dry-run")
    assert (done.code, "line 2" in done.err) == (2, True), done.err


LINK = """
import fcntl, os, select, socket, struct, sys, time
from collections import deque

def tun(name):
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1001))
    return device

near, far = tun("air0"), tun("air1")
print("up", flush=True)
events = socket.socket(socket.AF_UNIX)
events.connect(sys.stdin.readline().strip())
held, highest, segments = deque(), None, 0
while True:
    wait = max(0, held[0][0] - time.monotonic()) if held else None
    ready = select.select([near, far], [], [], wait)[0]
    while held and held[0][0] <= time.monotonic():
        os.write(near, held.popleft()[1])
    if far in ready:
        held.append((time.monotonic() + 0.02, os.read(far, 2000)))
    if near in ready:
        packet = os.read(near, 2000)
        if packet[0] != 0x45 or packet[9] != 6 or len(packet) < 500:
            os.write(far, packet)
            continue
        seq, = struct.unpack_from(">I", packet, 24)
        if highest is None or (seq - highest) % 2**32 < 2**31:
            highest, segments = seq + 1, segments + 1
            if segments % 40 == 0:
                events.sendall(b"discarded d " + packet[:28].hex().encode() + bytes([10]))
                continue
        os.write(far, packet)
"""
"""Link layer of a router: a frame per datagram, 20 ms back, and every 40th new segment lost and reported."""
SINK = """
import socket
with socket.create_server(("", 5001)) as server:
    print("up", flush=True)
    connection, _ = server.accept()
    count = 0
    while data := connection.recv(65536):
        count += len(data)
    connection.sendall(str(count).encode())
"""
SOURCE = """
import socket, sys
with socket.socket() as client:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
    client.connect(("10.2.0.2", 5001))
    client.sendall(bytes(600_000))
    client.shutdown(socket.SHUT_WR)
    print(client.recv(100).decode())
"""
NAME = "tst.eln"


@pytest.fixture
def host() -> Iterator[Host]:
    if os.geteuid() != 0:
        pytest.skip("interfaces of this machine are root's")
    with bpf_host() as made:
        yield made


@contextmanager
def namespace(name: str) -> Iterator[list[str]]:
    """Make a network namespace; yield the words before a command that runs in it."""
    do("ip", "netns", "add", name)
    try:
        yield ["ip", "netns", "exec", name]
    finally:
        do("ip", "netns", "del", name)


def do(*words: str) -> None:
    subprocess.run(words, check=True, timeout=PATIENCE_S)


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program that has printed a line, and end it."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def counters(host: Host) -> list[int]:
    """Return the counters of the host's deployed object: avoided window reductions, and received notices."""
    for kind, number in host.new_numbers():
        words = ["bpftool", "-j", "map", "show", "id", str(number)]
        if kind != "map" or not bpftool(words)["name"].endswith("bss"):
            continue
        [row] = bpftool(["bpftool", "-j", "map", "dump", "id", str(number)])
        data = bytes(int(byte, 16) for byte in row["value"])
        return sorted(struct.unpack("<2Q", data))
    raise AssertionError("no object has variables")


def bpftool(words: list[str]) -> Any:
    return json.loads(subprocess.run(words, capture_output=True, check=True, timeout=PATIENCE_S).stdout)


@pytest.mark.alone
def test_losses_reported_by_a_driver_do_not_reduce_the_kernels_window(host: Host, tmp_path: Path) -> None:
    """Sender, router with a lossy link layer, receiver: a notice of each lost segment arrives in time."""
    path, sender, receiver = tmp_path / "events", host.process.pid, f"nf{os.getpid()}d"
    router = f"nf{os.getpid()}r"
    with ExitStack() as stack:
        in_router = stack.enter_context(namespace(router))
        in_receiver = stack.enter_context(namespace(receiver))
        do(
            "ip",
            "link",
            "add",
            "eth",
            "netns",
            str(sender),
            "type",
            "veth",
            "peer",
            "name",
            "wire",
            "netns",
            router,
        )
        for words in ("addr add 10.1.0.1/24 dev eth", "link set eth up", "route add default via 10.1.0.2"):
            do(*host.entering("ip", *words.split()))
        do(*in_router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        link = stack.enter_context(started(*in_router, sys.executable, "-c", LINK))
        assert link.stdout
        assert link.stdout.readline() == "up\n"
        do("ip", "-n", router, "link", "set", "air1", "netns", receiver)
        for name, words in (
            (router, "addr add 10.1.0.2/24 dev wire"),
            (router, "link set wire up"),
            (router, "addr add 10.2.0.1/24 dev air0"),
            (router, "link set air0 up"),
            (receiver, "addr add 10.2.0.2/24 dev air1"),
            (receiver, "link set air1 up"),
            (receiver, "route add default dev air1"),
        ):
            do("ip", "-n", name, *words.split())
        host.run(str(renamed("eln", NAME, tmp_path)), "--listen", "eth")
        notify = [sys.executable, "-P", "-m", "airhop", "notify", "--to", "10.1.0.1", "--socket", str(path)]
        stack.enter_context(started(*in_router, *notify))
        wait_until(path.exists)
        assert link.stdin
        link.stdin.write(f"{path}\n")
        link.stdin.flush()
        sink = stack.enter_context(started(*in_receiver, sys.executable, "-c", SINK))
        assert sink.stdout
        assert sink.stdout.readline() == "up\n"
        source = host.entering(sys.executable, "-c", SOURCE, NAME)
        sent = subprocess.run(source, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
        assert sent.stdout.strip() == "600000"
        spared, notices = counters(host)
        assert notices == 600_000 // 1448 // 40
        assert 0 < spared <= notices
    assert "the kernel has freed it" in host.run("--remove", NAME)
