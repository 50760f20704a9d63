"""A release has one version everywhere, allowed licences only, and a citation of every paper."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import licences
from airhop import _core

ROOT = Path(__file__).resolve().parents[3]


def toml(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def test_all_files_state_the_same_version() -> None:
    # Cargo.toml has the version, from which maturin reads it. Two documents repeat the version.
    version = toml("Cargo.toml")["workspace"]["package"]["version"]
    assert "version" in toml("pyproject.toml")["project"]["dynamic"]
    assert _core.__version__ == _core.build_info()["version"] == metadata.version("airhop") == version
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (cited,) = re.findall(r"^version: (.+)$", citation, re.MULTILINE)
    (released,) = re.findall(r"^date-released: (.+)$", citation, re.MULTILINE)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert cited == version
    # Keep a Changelog: versions newest first, each with its day.
    assert re.findall(r"^## \[(\d.*)$", changelog, re.MULTILINE)[0] == f"{version}] - {released}"


def test_licences_of_dependencies_are_allowed_and_their_notices_included() -> None:
    checked = subprocess.run(
        [sys.executable, ROOT / "tools" / "licences.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("expression", "permitted"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("GPL-3.0-only/MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("GPL-3.0-only AND MIT OR Zlib", True),  # SPDX, annex D: AND binds closer than OR
        ("GPL-3.0-only AND (MIT OR Zlib)", False),
        ("(MIT OR GPL-3.0-only) AND Zlib", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("Apache-2.0", False),  # a licence with the exception differs from the licence without
        ("MIT Zlib", False),
        ("(MIT", False),
        ("", False),
        (None, False),
    ],
)
def test_spdx_licence_expressions_are_evaluated(expression: str | None, permitted: bool) -> None:
    assert licences.permits(expression, ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"]) is permitted


def test_licences_of_macros_and_build_scripts_are_not_part_of_the_extension() -> None:
    def package(name: str, *kinds: str) -> dict[str, Any]:
        return {"id": name, "name": name, "version": "1", "targets": [{"kind": list(kinds or ["lib"])}]}

    def needs(name: str, **kinds: str | None) -> dict[str, Any]:
        return {
            "id": name,
            "deps": [{"pkg": other, "dep_kinds": [{"kind": kind}]} for other, kind in kinds.items()],
        }

    graph = {
        "packages": [
            package("airhop-py"),
            *map(package, ("linked", "tested", "built", "behind_macro")),
            package("macro", "proc-macro"),
        ],
        "workspace_members": ["airhop-py"],
        "resolve": {
            "nodes": [
                needs("airhop-py", linked=None, tested="dev", macro=None),
                needs("linked", built="build"),
                needs("macro", behind_macro=None),
                *map(needs, ("tested", "built", "behind_macro")),
            ]
        },
    }
    assert [one["name"] for one in licences.linked(graph)] == ["linked"]


def test_every_paper_of_the_experiments_can_be_cited() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    papers = {
        folder.name
        for folder in (ROOT / "python" / "airhop" / "experiments").iterdir()
        if re.fullmatch(r"[a-z]+\d{4}", folder.name)
    }
    assert set(re.findall(r"experiments (\w+);", citation)) == papers
