"""Schemes that this process added to Airhop's schemes, in Python or as BPF objects."""

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
    """Origin: the module of the scheme's class, or the file of its object."""
    digest: str
    """Digest of everything that determines the scheme's behaviour."""


_added: Mapping[str, Added] = MappingProxyType({})


def added() -> Mapping[str, Added]:
    """Return a copy of the currently added schemes, by name; later additions do not change it."""
    return _added


def add(entry: Added, into_catalogue: Callable[[], None]) -> None:
    """Add a scheme; a scheme that its source added before under this name is replaced.

    Raises InputError if another source has added the name; if `into_catalogue` raises, no scheme is added.
    """
    global _added
    former = _added.get(entry.name)
    if former is not None and former.source != entry.source:
        raise InputError(f"scheme `{entry.name}`: {former.source} has registered one of this name already")
    into_catalogue()
    _added = MappingProxyType({**_added, entry.name: entry})
