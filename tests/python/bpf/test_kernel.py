"""A kernel accepts every shipped object, runs a connection with it, and then frees the object.

Objects of the user may have the names of shipped objects, so the tests identify objects by kernel ids.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpf_objects import OBJECTS, kernel_numbers, renamed, stem
from live_machine import needs
from patience import PATIENCE_S

pytestmark = pytest.mark.alone

SIZE = 3_000_000
# IPv6, and IPv4 over an IPv6 socket, because the listener's key of a connection differs between the two.
TRANSFER = """
import socket, sys, threading
name, size = sys.argv[1].encode(), int(sys.argv[2])
four, six = socket.AF_INET, socket.AF_INET6
for there, here, address in ((four, four, "127.0.0.1"), (six, six, "::1"), (four, six, "127.0.0.1")):
    server = socket.create_server((address, 0), family=there)
    client = socket.socket(here)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
    mapped = "::ffff:" if here != there else ""
    client.connect((mapped + address, server.getsockname()[1]))
    taken = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0")
    assert taken == name, taken
    peer, _ = server.accept()
    sending = threading.Thread(target=lambda: (client.sendall(bytes(size)), client.shutdown(socket.SHUT_WR)))
    sending.start()
    arrived = 0
    while data := peer.recv(1 << 16):
        arrived += len(data)
    sending.join()
    assert arrived == size, arrived
"""


def bpftool(*words: str) -> str:
    """Run bpftool; return its output, also after a failure."""
    done = subprocess.run(
        ["bpftool", "struct_ops", *words], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def available() -> list[str]:
    """Return the kernel's congestion controls."""
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()


@pytest.fixture(params=OBJECTS, ids=stem)
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Register an object under a name that no user's object has, yield the name, and unregister it."""
    needs("struct_ops", "namespaces", programs=("bpftool", "ip", "unshare"))
    before = kernel_numbers()
    name = f"tst_{stem(request.param)[:11]}"
    object_ = renamed(stem(request.param), name, tmp_path)
    registered = re.search(r"id (\d+)", bpftool("register", str(object_)))
    assert registered
    yield name
    bpftool("unregister", "id", registered[1])
    deadline = time.monotonic() + PATIENCE_S
    while kernel_numbers() - before:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_connection_transfers_data_with_the_loaded_object(loaded: str) -> None:
    assert loaded in available()
    transfer = [sys.executable, "-c", TRANSFER, loaded, str(SIZE)]
    up_and = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    done = subprocess.run(
        [*up_and, *transfer], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
