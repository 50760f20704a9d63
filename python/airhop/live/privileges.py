"""What this user may do on this machine: what real packets need, and how to get it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from airhop import _core
from airhop.errors import InputError, did_you_mean

USES = {
    "user namespaces": "for programs at the nodes of airhop emulate",
    "TUN": "for packets to and from them",
    "real-time priority": "for punctual packets: without it some are milliseconds late",
    "struct_ops": "for the kernel to take a congestion control as BPF",
}
"""What each is good for, by the name that the core has for it."""
EMULATION_NEEDS = ("user namespaces", "TUN")
"""Without these no program can be at a node."""
RESTART = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--")
"""What makes a program root of namespaces of its own (unshare(1) of util-linux). It stays the same process,
so that signals reach it."""

_NET_ADMIN, _SYS_ADMIN = 12, 21  # numbers of capabilities (capabilities(7))


@dataclass(frozen=True)
class Privilege:
    """Something that this user may or may not do here."""

    name: str
    """`user namespaces`, `TUN`, `real-time priority` or `struct_ops`."""
    available: bool
    reason: str
    """How it is there; else what is missing, and how to get it."""

    @property
    def line(self) -> str:
        """What `airhop doctor` prints, and whatever cannot go on without it."""
        return f"{self.name:<18}  {'yes' if self.available else 'no '}  {self.reason} ({USES[self.name]})"


def privileges() -> list[Privilege]:
    """Find out what this user may do here, mostly by trying.

    Returns
    -------
    list[Privilege]
        User namespaces, TUN, real-time priority and struct_ops, in this order.
    """
    return [Privilege(*found) for found in _core.privileges()]


def privilege(name: str) -> Privilege:
    """Find out whether this user may do one thing.

    Parameters
    ----------
    name
        One of `USES`, whatever its case.

    Returns
    -------
    Privilege
        Whether, why, and the line that `airhop doctor` prints.

    Raises
    ------
    InputError
        When nothing has that name.
    """
    found = {one.name.casefold(): one for one in privileges()}
    if name.casefold() not in found:
        raise InputError(
            f"there is no privilege `{name}`.{did_you_mean(name, USES)} Known: {', '.join(USES)}."
        )
    return found[name.casefold()]


def missing() -> list[Privilege]:
    """List what programs at nodes need and this user has not."""
    return [one for one in privileges() if one.name in EMULATION_NEEDS and not one.available]


def may_make_networks() -> bool:
    """Tell whether this process may make network namespaces as it is, as root may."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # no Linux
        return False
    found = re.search(r"^CapEff:\s*([0-9a-f]+)$", status, re.MULTILINE)
    effective = int(found[1], 16) if found else 0
    return all(effective >> capability & 1 for capability in (_NET_ADMIN, _SYS_ADMIN))
