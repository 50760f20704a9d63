"""Emulator in a real router, between two of its interfaces (`--at`), as the papers' base station.

Three network namespaces, client - router - server, joined by veth pairs. Forwarding is enabled in the router.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bpf_objects import OBJECTS, stem
from live_machine import needs
from patience import PATIENCE_S

pytestmark = pytest.mark.alone

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
SIZE = 400_000
SERVE = """
import http.server
http.server.HTTPServer(("", 8000), http.server.SimpleHTTPRequestHandler).handle_request()
"""


@dataclass(frozen=True)
class Routed:
    """Names of the three network namespaces in `ip netns`."""

    client: str
    router: str
    server: str

    def ip(self, namespace: str, *words: str) -> str:
        done = subprocess.run(
            ["ip", "-n", namespace, *words], capture_output=True, text=True, check=True, timeout=PATIENCE_S
        )
        return done.stdout

    def command(self, namespace: str, *words: str) -> list[str]:
        return ["ip", "netns", "exec", namespace, *words]


def do(*words: str) -> None:
    subprocess.run(words, check=True, timeout=PATIENCE_S)


@pytest.fixture
def routed() -> Iterator[Routed]:
    """Create client, router and server, with routes and with forwarding in the router."""
    needs("namespaces", programs=("ip", "curl", "sysctl"))
    if os.geteuid() != 0:
        pytest.skip("interfaces of this machine are root's")
    mark = f"at{os.getpid()}"
    names = Routed(f"{mark}c", f"{mark}r", f"{mark}s")
    try:
        for name in (names.client, names.router, names.server):
            do("ip", "netns", "add", name)
        for number, (host, device) in enumerate(
            ((names.server, "server"), (names.client, "client")), start=1
        ):
            veth = ("ip", "link", "add", "eth", "netns", host, "type", "veth")
            do(*veth, "peer", "name", device, "netns", names.router)
            names.ip(host, "addr", "add", f"192.168.{number}.2/24", "dev", "eth")
            names.ip(names.router, "addr", "add", f"192.168.{number}.1/24", "dev", device)
            names.ip(host, "link", "set", "eth", "mtu", "1052")
            names.ip(host, "link", "set", "eth", "up")
            names.ip(names.router, "link", "set", device, "up")
            names.ip(host, "route", "add", "default", "via", f"192.168.{number}.1")
        do(*names.command(names.router, "sysctl", "-qw", "net.ipv4.ip_forward=1"))
        yield names
    finally:
        for name in (names.client, names.router, names.server):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True, timeout=PATIENCE_S)


# Veth devices, like network cards, pass segments of 64 kB with partial checksums; the emulator must split
# them into packets of a wire. The kernel must forward nothing itself, because copies would arrive, but its
# settings must stay unchanged.
def test_a_transfer_through_the_router_uses_the_emulated_link(
    routed: Routed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(i * i % 251 for i in range(SIZE))
    (tmp_path / "blob").write_bytes(data)
    monkeypatch.chdir(tmp_path)
    rules = routed.ip(routed.router, "rule")
    server = subprocess.Popen(
        routed.command(routed.server, sys.executable, "-c", SERVE), stderr=subprocess.PIPE
    )
    words = ["emulate", "last-hop", "--at", "s=server", "--at", "d=client", "--set", "flow.ftp.scheme=snoop"]
    airhop = subprocess.Popen(
        routed.command(
            routed.router, sys.executable, "-P", "-m", "airhop", *words, "--set", "duration=6 s", "--json"
        ),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while "blackhole" not in routed.ip(routed.router, "rule") and time.monotonic() < deadline:
            time.sleep(0.05)
        curl = ["curl", "--silent", "--show-error", "--max-time", "5", "--output", "got"]
        subprocess.run(
            routed.command(routed.client, *curl, "http://192.168.1.2:8000/blob"),
            check=True,
            timeout=PATIENCE_S,
        )
        document = json.loads(airhop.communicate(timeout=PATIENCE_S)[0])
    finally:
        for process in (airhop, server):
            process.kill()
            process.wait(timeout=PATIENCE_S)
    assert hashlib.sha256((tmp_path / "got").read_bytes()).digest() == hashlib.sha256(data).digest()
    down = max(document["flows"], key=lambda flow: flow["delivered_bytes"])
    assert (down["from"], down["to"], down["transport"]) == ("s", "d", "tcp")
    assert SIZE < down["delivered_bytes"] < SIZE + 1000, "the file and a header, once"
    assert document["drops"]["agent"] > 0 or document["drops"]["channel"] == 0, "Snoop is on the path"
    assert routed.ip(routed.router, "rule") == rules


LISTEN = """
mount -t bpf bpf /sys/fs/bpf && bpftool prog loadall "$@" && tc qdisc add dev eth clsact &&
tc filter add dev eth ingress bpf direct-action object-pinned /sys/fs/bpf/eln/hear_notices
"""
"""Attach the listener of an object to a device; its pin ends with the mount namespace of this shell."""


@pytest.fixture
def hearing(routed: Routed) -> Iterator[Routed]:
    """Let the server run bpf_eln with its listener, registered by hand as in `bpf/README.md`."""
    needs("struct_ops", programs=("bpftool", "tc", "iperf3", "mount"))
    if "bpf_eln" in AVAILABLE.read_text(encoding="utf-8").split():
        pytest.skip("another emulation has a bpf_eln")
    eln = str(next(one for one in OBJECTS if stem(one) == "eln"))
    others = maps_of_notices()  # maps of a removed object may exist until its last connection has ended
    do("bpftool", "struct_ops", "register", eln)
    try:
        (notices,) = maps_of_notices() - others
        reused = ["map", "name", "airhop_notices", "id", str(notices)]
        do(*routed.command(routed.server, "sh", "-c", LISTEN, "sh", eln, "/sys/fs/bpf/eln", *reused))
        route = ("default", "via", "192.168.1.1", "congctl", "bpf_eln")
        routed.ip(routed.server, "route", "replace", *route)
        yield routed
    finally:
        do("bpftool", "struct_ops", "unregister", "name", "eln")


def maps_of_notices() -> set[int]:
    return {one["id"] for one in bpftool("map") if one.get("name") == "airhop_notices"}


def bpftool(kind: str) -> list[dict[str, Any]]:
    listed = subprocess.run(["bpftool", "-j", kind], capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(listed.stdout or "[]")
    return found


@pytest.mark.parametrize("notices", ["always", "listeners"])
def test_notices_pass_the_router_to_a_host_with_a_listener(hearing: Routed, notices: str) -> None:
    """Yun 2009 §2.1: the base station is a router, and notifies a sender of the losses of its link.

    The emulator cannot detect listeners behind an interface, so it sends notices there only on request.
    Without notices, the object behaves as Reno, whose rate here is a third; the bound is in the middle.
    """
    words = ["emulate", "last-hop", "--at", "s=server", "--at", "d=client", "--services", "ll-elsn"]
    words += ["--notices", notices, "--set", "duration=9 s", "--json"]
    airhop = subprocess.Popen(
        hearing.command(hearing.router, sys.executable, "-P", "-m", "airhop", *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    server = subprocess.Popen(
        hearing.command(hearing.client, "iperf3", "-s", "-1"), stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while hearing.ip(hearing.router, "rule").count("blackhole") < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        sent = hearing.command(hearing.server, "iperf3", "-c", "192.168.2.2", "-t", "6")
        subprocess.run(sent, check=True, capture_output=True, timeout=PATIENCE_S)
        document = json.loads(airhop.communicate(timeout=PATIENCE_S)[0])
    finally:
        for process in (airhop, server):
            process.kill()
            process.wait(timeout=PATIENCE_S)
    down = max(document["flows"], key=lambda flow: flow["delivered_bytes"])
    left = document["live"]["notices"]["sent"]["eln"]
    assert (left > 20, down["active_mbps"] > 2.5) == ((notices == "always",) * 2), (left, down)
