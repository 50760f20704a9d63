"""Reader of the uses between modules of a crate, from `use` and from paths in the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

Module = tuple[str, ...]
"""Path of a module below its crate; the crate's root is ()."""

Graph = dict[str, set[str]]

_NOISE = re.compile(r'//[^\n]*|r#".*?"#|"(?:\\.|[^"\\])*"', re.DOTALL)
_TESTS = re.compile(r"^#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)*mod \w+ \{.*", re.MULTILINE | re.DOTALL)
_USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)
_PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")


def uses(source: Path) -> dict[Module, Graph]:
    """Return, for each module of the crate in a folder `src`, the uses between its children.

    A module uses another if it names the other or a declaration of the other, also through a re-export by a
    third module. Tests are excluded: test modules in a file, and files of tests. A parent and its child may
    use each other.
    """
    files = [file for file in sorted(source.rglob("*.rs")) if not _is_test(file)]
    codes = {_module(source, file): _code(file) for file in files}
    names = {module: dict(_imports(module, code)) for module, code in codes.items()}
    graphs: dict[Module, Graph] = {}
    for module in codes:
        for above in (module[:depth] for depth in range(len(module))):
            graphs.setdefault(above, {}).setdefault(module[len(above)], set())
    for module, code in codes.items():
        for path in _paths(module, code):
            used = _resolved(path, names)
            shared = next((i for i, (a, b) in enumerate(zip(module, used, strict=False)) if a != b), None)
            if shared is not None:
                graphs[module[:shared]][module[shared]].add(used[shared])
    return graphs


def _module(source: Path, file: Path) -> Module:
    parts = file.relative_to(source).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def _is_test(file: Path) -> bool:
    return file.stem.endswith("tests") or file.parent.name == "tests"


def _code(file: Path) -> str:
    """Return the text of a file without comments, strings and tests."""
    return _TESTS.sub("", _NOISE.sub("", file.read_text(encoding="utf-8")))


def _imports(module: Module, code: str) -> Iterator[tuple[str, Module]]:
    """Yield each name that `use` imports into a module, and its path."""
    for tree in _USE.findall(code):
        for path in _expanded(tree):
            *parts, last = path.split("::")
            last, _, alias = last.partition(" as ")
            whole = tuple(parts) if last == "self" else (*parts, last)
            yield (alias or whole[-1]), _absolute(module, whole)


def _paths(module: Module, code: str) -> Iterator[Module]:
    """Yield every path that a module names, from the crate's root."""
    yield from (path for _, path in _imports(module, code))
    for found in _PATH.findall(_USE.sub("", code)):
        yield _absolute(module, tuple(found.split("::")))


def _expanded(tree: str) -> Iterator[str]:
    """Yield the paths of a `use`: `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`."""
    head, brace, rest = " ".join(tree.split()).partition("{")
    if not brace:
        yield head.strip()
        return
    depth, item = 0, ""
    for letter in rest[: rest.rindex("}")] + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if item.strip():
                yield from (head + path for path in _expanded(item.strip()))
            item = ""
        else:
            item += letter


def _absolute(module: Module, path: Module) -> Module:
    """Return a path from the crate's root; a plain word begins in the module, or is another crate."""
    if path[0] == "crate":
        return path[1:]
    above = module
    while path and path[0] in ("super", "self"):
        above = above[:-1] if path[0] == "super" else above
        path = path[1:]
    return above + path


def _resolved(path: Module, names: dict[Module, dict[str, Module]]) -> Module:
    """Return the module that declares the item at a path; the empty path for an item of another crate."""
    for _ in range(8):  # re-exports of re-exports; a cycle does not compile
        home = next(path[:n] for n in range(len(path), -1, -1) if path[:n] in names)
        if home == path:
            return home
        behind = names[home].get(path[len(home)])
        if behind is None or behind == path:
            return home
        path = behind + path[len(home) + 1 :]
    return home
