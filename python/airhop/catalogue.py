"""Catalogue of schemes, as the core lists them."""

import json
import warnings
from collections.abc import Iterable
from functools import cache
from typing import Any

from airhop import _core
from airhop.added import Added, added
from airhop.errors import InputError, did_you_mean


def schemes() -> list[dict[str, Any]]:
    """List every scheme: name, title, family, preset, about, helps, cite, needs, flags, parameters and more.

    `preset` names the preset of the operating system or simulator with this scheme as default; otherwise
    None. `verified` lists the rules that were checked against a source. `reconstructed` lists the rules that
    no source states. `flags` are properties visible in a trace:

    - `paces`: the scheme sets the sending rate
    - `echoes-each-byte`: each ACK states whether the acknowledged data were marked (RFC 8257 §3.2)
    - `echoes-each-mark`: the receiver echoes each mark in one ACK

    A parameter has a name, a default and a description. A number also has a `range`, and a choice has
    `words`.

    The built-in schemes come first. Schemes of installed packages and schemes registered with `airhop.scheme`
    follow.
    """
    from airhop.plugins import load_installed

    for broken in load_installed():
        warnings.warn(broken, stacklevel=2)
    catalogue: list[dict[str, Any]] = json.loads(_core.catalogue())
    return catalogue


def built_in() -> list[dict[str, Any]]:
    """List the built-in schemes only."""
    return [entry for entry in json.loads(_core.catalogue()) if entry["name"] not in added()]


def services() -> dict[str, str]:
    """Return a description of each service of the network, by the service's name."""
    return {service["name"]: service["about"] for service in json.loads(_core.services())}


def on_real_packets() -> dict[str, tuple[str, str | None]]:
    """Return the effect of each service on packets of real hosts, with a reason or None.

    "acts": the service works as in a simulation. "to listeners": the service sends notices only to senders
    that listen for notices. "cannot": the service has no effect.
    """
    return {service["name"]: (service["on_real"], service["why"]) for service in json.loads(_core.services())}


def flagged_schemes(flag: str) -> frozenset[str]:
    """List the schemes with a flag, including schemes added by this process; see `schemes`."""
    return _flagged_schemes(flag, tuple(added().values()))


@cache
def _flagged_schemes(flag: str, _: tuple[Added, ...]) -> frozenset[str]:
    return frozenset(entry["name"] for entry in json.loads(_core.catalogue()) if flag in entry["flags"])


@cache
def flagged(choice: str, flag: str) -> frozenset[str]:
    """List the kinds of a scenario table that have a flag, such as the queues with the flag `fifo`.

    Parameters
    ----------
    choice
        Key of the table: `queue`, `errors`, `arq`, `routing`, …
    flag
        Property that a kind declares. A queue with the flag `fifo` keeps the order of packets. A queue with
        the flag `drops-early` drops packets although there is room.

    Returns
    -------
    frozenset of str
        Names of the kinds. An unknown `choice` raises KeyError.
    """
    return frozenset(name for name, kind in _kinds(choice).items() if flag in kind.get("x-flags", ()))


def defaults(choice: str, kind: str) -> dict[str, Any]:
    """Return the fixed defaults of a kind's keys, as in a scenario file.

    Raises KeyError if no table has the key `choice`, or if the table has no kind `kind`.
    """
    keys = _kinds(choice)[kind]["properties"]
    return {name: key["default"] for name, key in keys.items() if "default" in key}


@cache
def _kinds(choice: str) -> dict[str, dict[str, Any]]:
    """Return the schema of each kind of the table with the key `choice`, by the kind's name."""
    tables = json.loads(_core.schema())["properties"].values()
    keys = [table["items"]["properties"] for table in tables if "items" in table]
    found = next((table[choice] for table in keys if choice in table), None)
    if found is None:
        raise KeyError(f"scenarios have no choice `{choice}`")
    kinds = found.get("anyOf", [found])[0]["oneOf"]
    return {kind["properties"]["kind"]["const"]: kind for kind in kinds}


def families(entries: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Group schemes by family, in the order of the catalogue."""
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        found.setdefault(entry["family"], []).append(entry)
    return found


def scheme(name: str) -> dict[str, Any]:
    """Return a scheme by name; raise InputError with a suggestion for an unknown name."""
    by_name = {entry["name"]: entry for entry in schemes()}
    if name not in by_name:
        near = did_you_mean(name, by_name)
        raise InputError(f"there is no scheme `{name}`.{near} Known: {', '.join(by_name)}.")
    return by_name[name]
