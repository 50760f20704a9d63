"""Writes the generated pages of docs/ from the simulator itself; with --check, fails when one is stale."""

import sys
from pathlib import Path
from typing import Any

from airhop import _core, schemes

DOCS = Path(__file__).resolve().parent.parent / "docs"


def pages() -> dict[str, str]:
    """Make every generated page, by its file name."""
    return {"scenario-files.md": _core.reference(), "schemes.md": scheme_page()}


SCHEMES_HEAD = """# Schemes

A scheme is chosen by its name: `scheme = "sack"` in a flow, `--scheme sack` on the command line. What it
needs beyond the two ends, an agent at the base station, is installed with it. Where a source leaves
something open, Airhop had to choose; each such choice is listed as reconstructed.

| scheme | title | family | needs |
|---|---|---|---|
"""


def scheme_page() -> str:
    """Describe every scheme of the catalogue: source, needs, parameters, and what had to be reconstructed."""
    listed = schemes()
    return SCHEMES_HEAD + "".join(map(row, listed)) + "".join(map(section, listed))


def row(scheme: dict[str, Any]) -> str:
    """Give a scheme's line of the table."""
    name, needs = scheme["name"], ", ".join(scheme["needs"]) or "–"
    return f"| [`{name}`](#{name}) | {scheme['title']} | {scheme['family']} | {needs} |\n"


def section(scheme: dict[str, Any]) -> str:
    """Describe one scheme."""
    lines = ["", f"## {scheme['name']}", "", f"{scheme['title']}. {scheme['cite']}."]
    if scheme["parameters"]:
        lines += ["", "| parameter | default | from | to | what it is |", "|---|---|---|---|---|"]
        for p in scheme["parameters"]:
            low, high = p["range"]
            lines.append(f"| `{p['name']}` | {p['default']:g} | {low:g} | {high:g} | {p['about']} |")
    if scheme["reconstructed"]:
        lines += ["", "Reconstructed:", "", *(f"- {choice}" for choice in scheme["reconstructed"])]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the pages, or compare them with what is there."""
    stale = []
    for name, text in pages().items():
        path = DOCS / name
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    for name in stale:
        print(f"docs/{name} is stale: run `make docs`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
