"""The tree keeps its own rules, where neither Cargo nor a linter holds them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

CRATES = sorted(path.parent for path in (Path(__file__).parents[2] / "crates").glob("*/tests"))


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_every_file_of_tests_is_built(crate: Path) -> None:
    """Cargo builds what `tests/main.rs` names, and passes over a file that it does not name in silence."""
    declared = tomllib.loads((crate / "Cargo.toml").read_text())["test"]
    programs = {Path(test["path"]).stem for test in declared}
    modules = set(re.findall(r"^mod (\w+);$", (crate / "tests/main.rs").read_text(), re.M))
    assert {path.stem for path in (crate / "tests").glob("*.rs")} <= programs | modules
