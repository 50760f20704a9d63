"""The source tree obeys rules that neither Cargo nor a linter checks."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from airhop.reproduction.files import ELSEWHERE
from rust_modules import uses

ROOT = Path(__file__).parents[3]
CRATES = sorted(path.parent for path in (ROOT / "crates").glob("*/tests"))


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_every_rust_test_file_is_compiled(crate: Path) -> None:
    """Cargo builds the files that `tests/main.rs` names, and silently ignores all others."""
    declared = tomllib.loads((crate / "Cargo.toml").read_text())["test"]
    programs = {Path(test["path"]).stem for test in declared}
    assert rust_files(crate / "tests") <= programs | modules(crate / "tests/main.rs")
    for room in (crate / "tests").glob("*/mod.rs"):
        assert rust_files(room.parent) <= {"mod"} | modules(room), room


def modules(file: Path) -> set[str]:
    """Return the modules that a file of Rust names."""
    return set(re.findall(r"^(?:pub )?mod (\w+);$", file.read_text(), re.M))


def rust_files(folder: Path) -> set[str]:
    """Return the files of Rust in a folder."""
    return {path.stem for path in folder.glob("*.rs")}


def test_only_test_files_mark_tests_as_alone() -> None:
    """`make test-live` collects only files `test_*.py` that contain this mark."""
    files = (ROOT / "tests/python").rglob("*.py")
    marking = [file for file in files if re.search(r"mark\.alone", file.read_text(encoding="utf-8"))]
    assert marking
    assert all(file.name.startswith("test_") for file in marking)


def test_doc_comments_contain_no_rust_example() -> None:
    """`make test` runs no doc tests, so that an example in a doc comment would not be tested."""
    fence = re.compile(r"^ *//[/!] ?```(\w*)", re.MULTILINE)
    for file in (ROOT / "crates").rglob("*.rs"):
        opening = fence.findall(file.read_text(encoding="utf-8"))[::2]
        assert set(opening) <= {"text"}, file


def test_the_docs_page_of_crates_equals_the_dependencies_in_cargo() -> None:
    """The table in docs/architecture.md has a row for each crate, with the crates that it depends on."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    table = page[page.index("| crate |") : page.index("Cargo enforces")]
    told = {
        crate: set() if users == "nothing" else set(users.split(", "))
        for crate, users in re.findall(r"^\| `(\w+)` \| .* \| ([\w, ]+) \|$", table, re.M)
    }
    manifests = {
        path.parent.name: tomllib.loads(path.read_text()) for path in (ROOT / "crates").glob("*/Cargo.toml")
    }
    used = {
        crate: {
            name.removeprefix("airhop-") for name in manifest["dependencies"] if name.startswith("airhop-")
        }
        for crate, manifest in manifests.items()
    }
    assert told == used


# ---- permitted imports ------------------------------------------------------------------------------------

PACKAGE = ROOT / "python" / "airhop"
CIRCLES: dict[frozenset[str], str] = {}
"""Packages of `airhop` that import each other, with reasons; there are none."""


def module(path: Path) -> str:
    """Return the name of a file's module, as in an import."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST, modules: set[str]) -> Iterator[str]:
    """Yield the imports of a file, including imports within functions and only for types."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules else node.module


def room(name: str) -> str:
    """Return the top-level package or module of `airhop` that contains a module, or `airhop` itself."""
    return ".".join(name.split(".")[:2])


def rooms(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the imports between packages."""
    files = {module(path): path for path in sorted(package.rglob("*.py*")) if path.suffix in (".py", ".pyi")}
    found: dict[str, set[str]] = {room(name): set() for name in files}
    for name, path in files.items():
        used = {room(one) for one in imported(ast.parse(path.read_text()), set(files))}
        found[room(name)] |= {one for one in used if one in found} - {room(name)}
    return found


def circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Return the sets of packages that import each other, directly or indirectly."""
    reached = {start: set(graph[start]) for start in graph}
    for middle in graph:  # Warshall 1962
        for start in graph:
            if middle in reached[start]:
                reached[start] |= reached[middle]
    return {
        frozenset(other for other in reached[start] if start in reached[other])
        for start in graph
        if start in reached[start]
    }


def test_cycles_in_a_graph_are_detected() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == {frozenset("bc")}


def test_python_packages_have_no_import_cycles() -> None:
    """Imports between packages and modules of `airhop` have no cycles, including imports within functions."""
    assert circles(rooms()) == set(CIRCLES)


def test_experiments_do_not_import_plots_reports_or_reproduction() -> None:
    """Plots import no experiments, experiments no reports or reproduction, and reports no reproduction."""
    graph = rooms()
    assert "airhop.experiments" not in graph["airhop.plots"]
    assert not {"airhop.report", "airhop.reproduction"} & graph["airhop.experiments"]
    assert "airhop.reproduction" not in graph["airhop.report"]


def test_a_change_of_any_package_that_reports_use_rewrites_reports() -> None:
    """The digest that decides on rewriting a page excludes only packages that do not affect pages."""
    graph, used, found = rooms(), {"airhop.reproduction"}, {"airhop.reproduction"}
    while found:
        found = {room for one in found for room in graph[one]} - used
        used |= found
    assert "airhop.experiments" in used
    left_out = {f"airhop.{name.removesuffix('.py')}" for name in ELSEWHERE}
    assert left_out <= set(graph), "a package that no longer exists"
    assert not left_out & used


# ---- imports in Rust ------------------------------------------------------------------------------------

SOURCES = {path.parent.name: path for path in sorted((ROOT / "crates").glob("*/src"))}
RUST_CIRCLES: dict[str, set[frozenset[str]]] = {
    "base": {frozenset({"notice", "original", "packet", "routing", "segment"})},
    "bpf": {
        frozenset({"btf", "error", "fault", "kernel", "maps", "memory"}),
    },
    "live": {frozenset({"drive", "emulation", "host"})},
    "net": {
        frozenset({"agents", "links", "plan", "services"}),
        frozenset({"flow", "link", "outside", "world"}),
        frozenset({"world::build", "world::links"}),
    },
    "scenario": {frozenset({"grammar", "tables"}), frozenset({"grammar::fields", "grammar::key"})},
    "tcp": {
        frozenset({"control", "estimators", "scoreboard", "seams", "sender_state", "usage"}),
        frozenset({"schemes::bbr3::control", "schemes::bbr3::probe"}),
        frozenset({"seams::control", "seams::recovery"}),
    },
}
"""Sibling modules that use each other. A resolved cycle leaves the list, and no cycle enters it."""


def rust_circles(source: Path) -> set[frozenset[str]]:
    """Return the cycles among sibling modules, each module by its path below the crate."""
    return {
        frozenset("::".join((*parent, child)) for child in circle)
        for parent, graph in uses(source).items()
        for circle in circles(graph)
    }


@pytest.mark.parametrize("crate", SOURCES)
def test_rust_modules_have_no_cyclic_dependencies(crate: str) -> None:
    assert rust_circles(SOURCES[crate]) == RUST_CIRCLES.get(crate, set())


def test_cycles_of_rust_modules_are_detected(tmp_path: Path) -> None:
    """Uses are by `use`, in the code, or through re-exports, but not in tests, comments or strings."""
    files = {
        "lib.rs": "mod a;\nmod b;\nmod c;\npub use c::{deep::Deep, Other as Another};\n",
        "a.rs": "use crate::{b::B, std};\n",
        "b.rs": "fn f() -> super::Deep { todo!() }\n",
        "c/mod.rs": "pub(crate) mod deep;\nmod wide;\nuse crate::a::{\n    A,\n};\npub struct Other;\n",
        "c/deep.rs": "// crate::b\nuse super::wide::Wide;\n#[cfg(test)]\nmod tests {\nuse crate::d;}\n",
        "c/wide.rs": 'const TEXT: &str = "super::deep";\n',
        "d.rs": "use crate::Another;\n",
        "d_tests.rs": "use crate::d;\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert rust_circles(tmp_path) == {frozenset("abc")}
    assert uses(tmp_path)[("c",)] == {"deep": {"wide"}, "wide": set()}
    (tmp_path / "c/wide.rs").write_text("use super::deep;\n")
    assert rust_circles(tmp_path) == {frozenset("abc"), frozenset({"c::deep", "c::wide"})}
