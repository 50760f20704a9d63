"""The schemes that Airhop knows, as the core lists them."""

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

    `preset` is that of the system whose own sender it is, or None. `verified` says what was held against
    what, `reconstructed` what no source prints. `flags` are what shows in a trace: `paces` (segments leave
    at its own rate), `echoes-each-byte` (its receiver says of each ACK whether what it acknowledges was
    marked, RFC 8257 §3.2), `echoes-each-mark` (its receiver echoes each mark on one ACK).

    A parameter has a name, a default, and what it is about; a `range` if it is a number, `words` if it is one
    of these.

    The built-in ones come first, then those of installed packages and those registered with `airhop.scheme`.
    """
    from airhop.plugins import load_installed

    for broken in load_installed():
        warnings.warn(broken, stacklevel=2)
    catalogue: list[dict[str, Any]] = json.loads(_core.catalogue())
    return catalogue


def built_in() -> list[dict[str, Any]]:
    """List the schemes that come with Airhop, whatever this process registered beside them."""
    return [entry for entry in json.loads(_core.catalogue()) if entry["name"] not in added()]


def services() -> dict[str, str]:
    """Return what each service of the network does, by its name."""
    return {service["name"]: service["about"] for service in json.loads(_core.services())}


def on_real_packets() -> dict[str, tuple[str, str | None]]:
    """Return each service's effect on real packets: "acts", "to listeners" or "cannot", and why not."""
    return {service["name"]: (service["on_real"], service["why"]) for service in json.loads(_core.services())}


def flagged_schemes(flag: str) -> frozenset[str]:
    """List the schemes that have a flag, those that this process added included; see `schemes`."""
    return _flagged_schemes(flag, tuple(added().values()))


@cache
def _flagged_schemes(flag: str, _: tuple[Added, ...]) -> frozenset[str]:
    return frozenset(entry["name"] for entry in json.loads(_core.catalogue()) if flag in entry["flags"])


@cache
def flagged(choice: str, flag: str) -> frozenset[str]:
    """List the kinds of a scenario's choice that have a flag, such as the queues that are `fifo`.

    Parameters
    ----------
    choice
        The key of the choice: `queue`, `errors`, `arq`, `routing`, …
    flag
        Properties that the declaration of each kind names: a queue that is `fifo` keeps the order of its
        packets; a queue that `drops-early` drops packets although it has room for them.

    Returns
    -------
    frozenset of str
        Their names; KeyError if no table of a scenario has such a key.
    """
    return frozenset(name for name, kind in _kinds(choice).items() if flag in kind.get("x-flags", ()))


def defaults(choice: str, kind: str) -> dict[str, Any]:
    """Return the keys of a kind that have a default of their own, with it, as scenarios write it.

    KeyError if no table has such a choice, or the choice no such kind.
    """
    keys = _kinds(choice)[kind]["properties"]
    return {name: key["default"] for name, key in keys.items() if "default" in key}


@cache
def _kinds(choice: str) -> dict[str, dict[str, Any]]:
    """Return the schema of each kind of a choice, by its name."""
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
    """Return a scheme by its name; InputError with a suggestion when there is none."""
    by_name = {entry["name"]: entry for entry in schemes()}
    if name not in by_name:
        near = did_you_mean(name, by_name)
        raise InputError(f"there is no scheme `{name}`.{near} Known: {', '.join(by_name)}.")
    return by_name[name]
