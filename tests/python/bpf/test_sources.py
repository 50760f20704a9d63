"""Shipped objects equal those of the sources, and have the names in bpf/README.md."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bpf_objects import OBJECTS, ROOT, SOURCES, kernel_name, stem
from live_machine import needs

MOST_LETTERS = 15
"""Maximum length of a congestion control's name in a kernel, TCP_CA_NAME_MAX without the final zero."""


def test_every_source_has_a_shipped_object() -> None:
    assert [stem(one) for one in OBJECTS] == sorted(
        path.name.removesuffix(".bpf.c") for path in SOURCES.glob("*.bpf.c")
    )


@pytest.mark.parametrize("object_", OBJECTS, ids=stem)
def test_an_object_has_the_name_of_its_scheme_with_the_prefix_bpf(object_: Path) -> None:
    """The prefix prevents a conflict with the names of a kernel's own congestion controls."""
    source = SOURCES / f"{stem(object_)}.bpf.c"
    assert (ROOT / f"crates/tcp/src/schemes/{stem(object_)}.rs").exists()
    assert kernel_name(source) == f"bpf_{stem(object_)}"[:MOST_LETTERS]
    assert kernel_name(source).encode() in object_.read_bytes()


@pytest.mark.parametrize("file", sorted(SOURCES.glob("*.[ch]")), ids=lambda file: file.name)
def test_sources_and_objects_declare_a_licence_that_kernels_accept(file: Path) -> None:
    """A kernel accepts only struct_ops of GPL-compatible objects."""
    text = file.read_text(encoding="utf-8")
    assert "SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause" in text.splitlines()[0]
    declares = 'char LICENSE[] SEC("license") = "Dual BSD/GPL";' in text
    assert declares == (file.suffix == ".c")


def test_shipped_objects_equal_a_build_of_their_sources(tmp_path: Path) -> None:
    """Equal versions of clang produce equal bytes in any folder."""
    needs(programs=("clang", "llvm-strip", "make"))
    wanted = re.search(r"^CLANG_MAJOR := (\d+)$", (SOURCES / "Makefile").read_text(), re.M)
    said = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"clang version (\d+)", said)
    assert wanted and found
    if wanted[1] != found[1]:
        pytest.skip(f"objects are those of clang {wanted[1]}, and clang {found[1]} is installed")
    if not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("libbpf's headers are not installed (Debian: libbpf-dev)")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for file in [*SOURCES.glob("*.[ch]"), SOURCES / "Makefile"]:
        (elsewhere / file.name).write_bytes(file.read_bytes())
    subprocess.run(["make", "--silent", "-C", str(elsewhere), f"OUT={tmp_path}"], check=True)
    stale = [one.name for one in OBJECTS if one.read_bytes() != (tmp_path / one.name).read_bytes()]
    assert not stale, f"stale: {', '.join(stale)}; `make bpf` writes them anew"
