"""The name of the model, under which results are kept: it changes with every source that can change one."""

from __future__ import annotations

from pathlib import Path

import pytest

from airhop import _core

ROOT = Path(__file__).parents[2]
CRATES = ("base", "engine", "net", "py", "radio", "scenario", "tcp")
"""All but `trace` and `wire`, which only watch."""


def fnv1a(parts: list[bytes]) -> int:
    """Hash parts by FNV-1a (64 bit), each after its length in eight bytes, the lowest first."""
    value = 0xCBF29CE484222325
    for part in parts:
        for byte in len(part).to_bytes(8, "little") + part:
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


@pytest.mark.skipif(not (ROOT / "crates").is_dir(), reason="needs the source tree")
def test_model_is_the_hash_of_the_simulators_sources() -> None:
    files = [ROOT / "Cargo.lock", ROOT / "Cargo.toml"]
    for crate in CRATES:
        home = ROOT / "crates" / crate
        files += [home / "Cargo.toml"]
        files += [file for file in home.glob("src/**/*.rs") if not file.name.endswith("tests.rs")]
    named = sorted((file.relative_to(ROOT).as_posix().encode(), file.read_bytes()) for file in files)
    expected = fnv1a([part for pair in named for part in pair])
    assert _core.build_info()["model"] == f"{expected:016x}", "the extension is older than the sources"
