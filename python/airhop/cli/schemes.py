"""`airhop schemes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from airhop import catalogue
from airhop.added import added
from airhop.cli.common.app import Json, SchemeName, With
from airhop.cli.common.output import console, print_json
from airhop.objects import shipped
from airhop.plugins import load, load_all

WIDEST = 96
"""Maximum width of the output in characters. Longer lines are hard to read."""


def schemes(name: SchemeName | None = None, /, *, with_: With = (), as_json: Json = False) -> int:
    """List the schemes, or describe one.

    Parameters
    ----------
    name
        Scheme to describe; names that begin with bpf_, as in bpf_eln, are packaged BPF objects.
    """
    load_all(with_)
    if name is not None and shipped(name) and name not in added():
        load(name)
    entries = catalogue.schemes() if name is None else [catalogue.scheme(name)]
    if as_json:
        print_json(entries)
    elif name is None:
        _list(console(), entries)
    else:
        _describe(console(), entries[0])
    return 0


def _list(out: Console, entries: list[dict[str, Any]]) -> None:
    """Print a row per scheme, by family: name, title, and required services of the network."""
    longest = max(len(entry["name"]) for entry in entries)
    for family, members in catalogue.families(entries).items():
        out.print(family, style="bold")
        lines = Table.grid(padding=(0, 2, 0, 0))
        lines.add_column(no_wrap=True, min_width=longest)
        lines.add_column()
        for entry in members:
            needs = f"  [needs {', '.join(entry['needs'])}]" if entry["needs"] else ""
            lines.add_row(entry["name"], f"{entry['title']}{needs}")
        out.print(Padding(lines, (0, 0, 1, 2), expand=False))
    out.print("`airhop schemes NAME` describes a scheme: its rules, its uses and its source", style="dim")


def _describe(out: Console, entry: dict[str, Any]) -> None:
    """Print the complete entry of a scheme in the catalogue."""
    width = min(out.width, WIDEST) if out.is_terminal else out.width
    out.print(f"{entry['name']}: {entry['title']}", style="bold")
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(no_wrap=True)
    lines.add_column(overflow="fold")
    about = catalogue.services()
    needs = [f"{need}: {about[need]}" for need in entry["needs"]]
    nothing = ["nothing: the source states every rule"] if entry["cite"] else []
    for label, texts in {
        "family": [entry["family"]],
        "what it does": [entry["about"]],
        "when it helps": [entry["helps"]],
        "needs": needs or ["nothing from the network"],
        "parameters": [parameter(p) for p in entry["parameters"]] or ["none"],
        "verified": entry["verified"],
        "reconstructed": entry["reconstructed"] or nothing,
        "source": [entry["cite"]],
    }.items():
        _add(label, [text for text in texts if text], lines)
    out.print(lines, width=width)


def _add(label: str, texts: Sequence[str], lines: Table) -> None:
    for index, text in enumerate(texts):
        lines.add_row("" if index else label, text if len(texts) == 1 else f"– {text}")


def parameter(declared: dict[str, Any]) -> str:
    """Format a parameter with its default, range and description: `n = 2 (0 to 10): description`."""
    about = f": {declared['about']}" if declared["about"] else ""
    if "words" in declared:
        others = [word for word in declared["words"] if word != declared["default"]]
        return f'{declared["name"]} = "{declared["default"]}" (or {_words(others)}){about}'
    low, high = (f"{bound:g}" for bound in declared["range"])
    return f"{declared['name']} = {declared['default']:g} ({low} to {high}){about}"


def _words(words: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)
