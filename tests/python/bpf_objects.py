"""The congestion controls shipped as BPF objects, and their sources."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "bpf"
OBJECTS = sorted((ROOT / "python/airhop/bpf").glob("*.bpf.o"))


def stem(object_: Path) -> str:
    """Return the object's name without the common prefix and suffix, as in its source's name."""
    return object_.name.removesuffix(".bpf.o")


def kernel_name(source: Path) -> str:
    """Return the name of the congestion control in a kernel."""
    named = re.search(r'^\t\.name = "(.*)",$', source.read_text(encoding="utf-8"), re.M)
    assert named, f"{source} registers nothing"
    return named[1]


def renamed(stem_: str, name: str, folder: Path, *, flags: int = 0) -> Path:
    """Write a copy of a shipped object with another name, unused by the user, and with these flags.

    In `struct tcp_congestion_ops` of bpf/airhop.h the flags precede the name.
    """
    data = (OBJECTS[0].parent / f"{stem_}.bpf.o").read_bytes()
    own = kernel_name(SOURCES / f"{stem_}.bpf.c").encode().ljust(16, b"\0")
    at = data.index(own)
    assert data.count(own) == 1
    made = folder / f"{name}.bpf.o"
    flags |= int.from_bytes(data[at - 4 : at], "little")
    named = flags.to_bytes(4, "little") + name.encode().ljust(16, b"\0")
    made.write_bytes(data[: at - 4] + named + data[at + 16 :])
    return made


def kernel_numbers() -> set[tuple[str, int]]:
    """Return the kernel's ids of all programs, maps and links."""
    found = set()
    for kind in ("prog", "map", "link"):
        listed = subprocess.run(["bpftool", "-j", kind], capture_output=True, text=True, check=True)
        found |= {(kind, one["id"]) for one in json.loads(listed.stdout or "[]")}
    return found
