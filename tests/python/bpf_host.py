"""Network and mount namespaces of a host that may have BPF objects in its kernel.

The host has its own BPF file system and /run. New kernel ids identify the objects that it loads.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bpf_objects import kernel_numbers
from live_machine import needs
from patience import PATIENCE_S

MOUNTS = "mount -t bpf bpf /sys/fs/bpf && mount -t tmpfs tmpfs /run && ip link set lo up && echo up && cat"


class Host:
    """Network and mount namespaces, in which commands run."""

    def __init__(self, process: subprocess.Popen[str], before: set[tuple[str, int]]) -> None:
        self.process = process
        self.before = before

    def entering(self, *words: str, net: bool = True) -> list[str]:
        """Return a command that runs another command in the namespaces; without `net`, in a new namespace."""
        enter = ["nsenter", "--target", str(self.process.pid), "--mount"]
        return [*enter, *(["--net"] if net else ["unshare", "--net"]), *words]

    def run(self, *words: str, code: int = 0, net: bool = True) -> str:
        """Run `airhop deploy`; return what it prints, with errors."""
        command = self.entering(sys.executable, "-P", "-m", "airhop", "deploy", *words, net=net)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def states(self) -> list[dict[str, object]]:
        """Return the states that `--status` reports."""
        states: list[dict[str, object]] = json.loads(self.run("--status", "--json"))["deployed"]
        return states

    def new_numbers(self) -> set[tuple[str, int]]:
        """Return kinds and ids of the objects that are new in the kernel."""
        return kernel_numbers() - self.before

    def has_something(self) -> bool:
        """Return whether the kernel has new objects."""
        return bool(self.new_numbers())


@contextmanager
def bpf_host() -> Iterator[Host]:
    """Create a host; at the end of the test, check that the kernel has no new objects."""
    needs("struct_ops", "namespaces", "tun", programs=("bpftool", "nsenter", "unshare", "ip"))
    before = kernel_numbers()
    command = ["unshare", "--net", "--mount", "sh", "-c", MOUNTS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        made = Host(process, before)
        yield made
        assert process.stdin
        process.stdin.close()  # the mounts, and with them all pinned links, end with the last process
        process.wait(PATIENCE_S)
        wait_until(lambda: not made.has_something())


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
