"""Digest of the simulator, the key of stored results, changes with every source that can change results.

Functions of the machine's C library, which no source shows, must not change results.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from airhop import _core

ROOT = Path(__file__).parents[3]
CRATES = ("base", "bpf", "engine", "net", "py", "radio", "scenario", "tcp")
"""All crates except `trace` and `wire`, which only observe."""


def fnv1a(parts: list[bytes]) -> int:
    """Hash parts by FNV-1a (64 bit), each after its length in eight bytes, the lowest first."""
    value = 0xCBF29CE484222325
    for part in parts:
        for byte in len(part).to_bytes(8, "little") + part:
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


@pytest.mark.skipif(not (ROOT / "crates").is_dir(), reason="needs the source tree")
def test_the_model_identifier_is_the_hash_of_the_simulators_sources() -> None:
    files = [ROOT / "Cargo.lock", ROOT / "Cargo.toml"]
    for crate in CRATES:
        home = ROOT / "crates" / crate
        files += [home / "Cargo.toml"]
        files += [file for file in home.glob("src/**/*.rs") if not file.name.endswith("tests.rs")]
    named = sorted((file.relative_to(ROOT).as_posix().encode(), file.read_bytes()) for file in files)
    expected = fnv1a([part for pair in named for part in pair])
    assert _core.build_info()["model"] == f"{expected:016x}", "the extension is older than the sources"


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs binutils")
def test_the_simulator_uses_no_mathematical_function_of_the_c_library() -> None:
    # The last bits of these functions differ between versions of C libraries, which Rust calls for `x.exp()`.
    # A run must use the crate libm instead. Allowed are hypot, for a distance in a message, and log2, for the
    # size of the histogram of an emulation's lateness.
    listed = subprocess.run(["nm", "-D", _core.__file__], capture_output=True, text=True, check=True)
    imported = {line.split()[-1].partition("@")[0] for line in listed.stdout.splitlines() if " U " in line}
    inexact = {"exp", "exp2", "expm1", "log", "log10", "log1p", "pow", "cbrt", "sin", "cos", "tan"}
    assert imported >= {"memcpy"}, "nm lists the imported symbols"
    assert imported & (inexact | {"atan2", "sinh", "cosh", "tanh"}) == set()
