"""`airhop schemes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from airhop import catalogue
from airhop.cli.app import Json, SchemeName, With
from airhop.cli.output import console, print_json, table
from airhop.plugins import load_all


def schemes(name: SchemeName | None = None, /, *, with_: With = (), as_json: Json = False) -> int:
    """List the schemes, or describe one.

    Parameters
    ----------
    name
        The scheme to describe.
    """
    load_all(with_)
    entries = catalogue.schemes() if name is None else [catalogue.scheme(name)]
    if as_json:
        print_json(entries)
    elif name is None:
        _list(entries)
    else:
        _describe(entries[0])
    return 0


def _list(entries: list[dict[str, Any]]) -> None:
    listed = table("scheme", "family", "needs", "title", left=4)
    listed.columns[-1].no_wrap = False
    for entry in entries:
        listed.add_row(entry["name"], entry["family"], ", ".join(entry["needs"]) or "–", entry["title"])
    console().print(listed)


def _describe(entry: dict[str, Any]) -> None:
    out = console()
    out.print(f"{entry['name']}: {entry['title']}", style="bold")
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(no_wrap=True)
    lines.add_column(overflow="fold")
    lines.add_row("family", entry["family"])
    if entry["cite"]:
        lines.add_row("source", entry["cite"])
    lines.add_row("needs", ", ".join(entry["needs"]) or "nothing beyond the two ends")
    _add("parameters", [_parameter(parameter) for parameter in entry["parameters"]] or ["none"], lines)
    nothing = ["nothing: the source says it all"] if entry["cite"] else []
    _add("reconstructed", entry["reconstructed"] or nothing, lines)
    out.print(lines)


def _add(label: str, texts: Sequence[str], lines: Table) -> None:
    for index, text in enumerate(texts):
        lines.add_row("" if index else label, text)


def _parameter(parameter: dict[str, Any]) -> str:
    low, high = (f"{bound:g}" for bound in parameter["range"])
    about = f": {parameter['about']}" if parameter["about"] else ""
    return f"{parameter['name']} = {parameter['default']:g} ({low} to {high}){about}"
