"""The congestion controls that are shipped as BPF objects, and what builds them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "bpf"
OBJECTS = sorted((ROOT / "python/airhop/bpf").glob("*.bpf.o"))


def stem(object_: Path) -> str:
    """Name the object without what all have in common; its source has the same name."""
    return object_.name.removesuffix(".bpf.o")


def kernel_name(source: Path) -> str:
    """Return the name that a kernel knows the congestion control by."""
    named = re.search(r'^\t\.name = "(.*)",$', source.read_text(encoding="utf-8"), re.M)
    assert named, f"{source} registers nothing"
    return named[1]
