"""`airhop schemes`."""

from __future__ import annotations

from typing import Any

from airhop import catalogue
from airhop.cli.app import Json
from airhop.cli.output import console, print_json, table


def schemes(name: str | None = None, /, *, as_json: Json = False) -> int:
    """List the schemes, or describe one.

    Parameters
    ----------
    name
        The scheme to describe.
    """
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
    for entry in entries:
        listed.add_row(entry["name"], entry["family"], ", ".join(entry["needs"]) or "–", entry["title"])
    console().print(listed)


def _describe(entry: dict[str, Any]) -> None:
    out = console()
    out.print(f"{entry['name']}: {entry['title']}", style="bold")
    out.print(f"family:      {entry['family']}")
    out.print(f"source:      {entry['cite']}")
    out.print(f"needs:       {', '.join(entry['needs']) or 'nothing beyond the two ends'}")
    out.print(f"parameters:  {'none' if not entry['parameters'] else ''}")
    for parameter in entry["parameters"]:
        out.print(f"  {_parameter(parameter)}")
    if entry["reconstructed"]:
        out.print("Parts of it are reconstructed: the source leaves them open.")


def _parameter(parameter: Any) -> str:
    if not isinstance(parameter, dict):
        return str(parameter)
    rest = ", ".join(
        f"{key} {value}" for key, value in parameter.items() if key != "name" and value not in ("", None)
    )
    return f"{parameter.get('name')}: {rest}"
