"""Count headless openings and verbs of speech in the prose of the tree; run as a program, lower the ceilings.

An opening, the first words of a text, is headless if it has a question word or a pronoun in place of the noun
of the field: "What a receiver holds" for "Receive buffer". A verb of speech stands for returning, computing,
checking or storing: "Gives", "Judges", "Says", "Takes", "Tells", "Looks", "Holds". CONTRIBUTING.md, "How we
write", has the rule; `tests/python/tree/test_words.py` compares the counts with the ceilings in
`tools/words.toml`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from airhop import _core

ROOT = Path(__file__).resolve().parent.parent
CEILINGS = Path(__file__).with_suffix(".toml")

PRONOUNS = (
    "what|how|which|who|whom|whose|where|why|whether|whatever|whoever|that|those|they|their|its|so|the same"
)
HEADLESS = re.compile(
    rf"(?:{PRONOUNS}|it|this|these|when|if|(?:one|something|everything|nothing|all) (?:that|who|which))\b",
    re.I,
)
HEADLESS_ON_A_PAGE = re.compile(rf"(?:{PRONOUNS})\b", re.I)
"""Pattern of headless openings of pages; "If", "When", "This" and "It" may begin a sentence of a page."""
SPEECH = re.compile(r"(?:give|judge|say|take|tell|look|hold)s?\b", re.I)

_COMMENT = re.compile(r"^\s*//([/!])(?!/) ?(.*)$")
_PUBLIC_TYPE = re.compile(r"^\s*pub (?:unsafe )?(?:struct|enum|trait|type) (\w+)", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LEAD = re.compile(r"^(?:[-*] |\d+\. )?[\s*_\"'(`\[]*")


@dataclass(frozen=True)
class Opening:
    """First line of a piece of prose, and its place."""

    place: str
    text: str


@dataclass(frozen=True)
class Counts:
    """Openings of one crate, package or kind of description."""

    headless: int
    speech: int


def rust_comments(source: Path) -> Iterator[Opening]:
    """Yield the first line of each doc comment below a folder of Rust."""
    for file in sorted(source.rglob("*.rs")):
        before = ""
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found = _COMMENT.match(line)
            if found and found[1] != before:
                yield Opening(f"{file.relative_to(ROOT)}:{number}", found[2])
            before = found[1] if found else ""


def docstrings(package: Path) -> Iterator[Opening]:
    """Yield the first line of each docstring below a package, including docstrings of attributes."""
    for file in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")]):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for statement in _body(node):
                if isinstance(statement, ast.Expr) and isinstance(text := _constant(statement), str):
                    yield Opening(f"{file.relative_to(ROOT)}:{statement.lineno}", text.strip())


def _body(node: ast.AST) -> list[ast.stmt]:
    body = getattr(node, "body", [])
    return body if isinstance(body, list) else []  # the body of a lambda is an expression, not a list


def _constant(statement: ast.Expr) -> object:
    return statement.value.value if isinstance(statement.value, ast.Constant) else None


def descriptions(value: Any, names: Iterable[str], place: str) -> Iterator[Opening]:
    """Yield the texts under one of the names in nested dictionaries and lists."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            for text in (inner if isinstance(inner, list) else [inner]) if key in names else []:
                if isinstance(text, str):
                    yield Opening(f"{place}.{key}", text)
            yield from descriptions(inner, names, f"{place}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from descriptions(inner, names, place)


def pages(folder: Path) -> Iterator[Opening]:
    """Yield the beginning of each paragraph, item and cell of the pages at the top of docs/ and the tree."""
    by_hand = {*folder.glob("*.md"), *folder.parent.glob("*.md")} - {folder / "contributing.md"}
    for page in sorted(by_hand):
        text = _FENCE.sub(lambda block: "\n" * block[0].count("\n"), page.read_text(encoding="utf-8"))
        before = ""
        for number, line in enumerate(text.splitlines(), 1):
            place = f"{page.relative_to(ROOT)}:{number}"
            if line.startswith("|"):
                yield from (Opening(place, cell.strip()) for cell in line.strip(" |").split("|"))
            elif not line.startswith("#") and line and (not before or re.match(r"\s*(?:[-*]|\d+\.) ", line)):
                yield Opening(place, line.strip())
            before = line.strip()


@cache
def openings() -> dict[str, list[Opening]]:
    """Return the openings by place: a crate, the package, a kind of description, the pages."""
    scheme_texts = ("about", "helps", "verified", "reconstructed")
    found = {path.parent.name: list(rust_comments(path)) for path in sorted((ROOT / "crates").glob("*/src"))}
    return found | {
        "python": list(docstrings(ROOT / "python" / "airhop")),
        "keys": list(descriptions(json.loads(_core.schema()), ["description"], "schema")),
        "schemes": list(descriptions(json.loads(_core.catalogue()), scheme_texts, "catalogue")),
        "measures": list(descriptions(json.loads(_core.measures()), ["about"], "measures")),
        "services": list(descriptions(json.loads(_core.services()), ["about"], "services")),
        "docs": list(pages(ROOT / "docs")),
    }


def is_headless(where: str, opening: Opening) -> bool:
    """Return whether an opening lacks its noun."""
    pattern = HEADLESS_ON_A_PAGE if where == "docs" else HEADLESS
    return pattern.match(_LEAD.sub("", opening.text)) is not None


def is_speech(opening: Opening) -> bool:
    """Return whether an opening begins with a verb of speech."""
    return SPEECH.match(_LEAD.sub("", opening.text)) is not None


def counted() -> dict[str, Counts]:
    """Return the counts of the tree."""
    return {
        where: Counts(sum(is_headless(where, one) for one in found), sum(map(is_speech, found)))
        for where, found in openings().items()
    }


def ceilings(file: Path = CEILINGS) -> dict[str, Counts]:
    """Return the ceilings of a file."""
    return {where: Counts(**row) for where, row in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def lowered(before: Mapping[str, Counts], now: Mapping[str, Counts]) -> str:
    """Return the text of the ceilings: each is the minimum of its old value and the new count."""
    head = "# Doc comments and descriptions that may still open so. `python tools/words.py` lowers them."
    lines = [head]
    for where, new in now.items():
        old = before.get(where, Counts(0, 0))
        headless, speech = min(old.headless, new.headless), min(old.speech, new.speech)
        lines.append(f"{where} = {{ headless = {headless}, speech = {speech} }}")
    return "\n".join(lines) + "\n"


def shared_types(crates: Path = ROOT / "crates") -> dict[str, set[str]]:
    """Return public types that more than two crates declare, with the crates, by name."""
    found: dict[str, set[str]] = {}
    for file in crates.glob("*/src/**/*.rs"):
        for name in _PUBLIC_TYPE.findall(file.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(file.relative_to(crates).parts[0])
    return {name: homes for name, homes in found.items() if len(homes) > 2}


def main(arguments: list[str]) -> None:
    """Lower the ceilings to the counts; with names of crates or kinds, list the openings that count."""
    for where in arguments:
        for one in openings()[where]:
            if is_headless(where, one) or is_speech(one):
                print(f"{one.place}: {one.text.splitlines()[0]}")
    if not arguments:
        CEILINGS.write_text(lowered(ceilings(), counted()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
