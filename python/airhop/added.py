"""Schemes that this process added to Airhop's own, whatever they are written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from airhop.errors import InputError


@dataclass(frozen=True)
class Added:
    """A scheme that was added."""

    name: str
    source: str
    """Origin: the module of its class, or the file of its object."""
    digest: str
    """Digest of everything that determines its behaviour."""


_added: Mapping[str, Added] = MappingProxyType({})


def added() -> Mapping[str, Added]:
    """Return the schemes that are there now, by name: what is added later leaves it as it is."""
    return _added


def add(entry: Added, into_catalogue: Callable[[], None]) -> None:
    """Add a scheme, in place of the one that its source added under this name before.

    Raises InputError if another source has; what `into_catalogue` raises adds nothing.
    """
    global _added
    former = _added.get(entry.name)
    if former is not None and former.source != entry.source:
        raise InputError(f"scheme `{entry.name}`: {former.source} has registered one of this name already")
    into_catalogue()
    _added = MappingProxyType({**_added, entry.name: entry})
