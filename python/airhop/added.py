"""Schemes of this process that are not built in: Python classes and BPF objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from airhop.errors import InputError


@dataclass(frozen=True)
class Added:
    """Scheme that is not built into Airhop."""

    name: str
    source: str
    """Module of the scheme's Python class, or file of the BPF object."""
    digest: str
    """Digest of everything that determines the scheme's behaviour."""


_added: Mapping[str, Added] = MappingProxyType({})


def added() -> Mapping[str, Added]:
    """Return the schemes added so far, by name; later additions do not change the returned mapping."""
    return _added


def add(entry: Added, into_catalogue: Callable[[], None]) -> None:
    """Add a scheme, replacing a scheme of the same name from the same source.

    Raises InputError if another source has added a scheme of this name. If `into_catalogue` raises an error,
    no scheme is added.
    """
    global _added
    former = _added.get(entry.name)
    if former is not None and former.source != entry.source:
        raise InputError(f"scheme `{entry.name}`: {former.source} has registered one of this name already")
    into_catalogue()
    _added = MappingProxyType({**_added, entry.name: entry})
