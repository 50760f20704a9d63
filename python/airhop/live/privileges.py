"""Rights of this user on this machine: those that real packets need, and how to get them."""

from __future__ import annotations

from dataclasses import dataclass

from airhop import _core
from airhop.errors import InputError, did_you_mean

USES = {
    "namespaces": "for programs at the nodes of airhop emulate",
    "tun": "for packets to and from them",
    "real-time": "for punctual packets: without it some are milliseconds late",
    "struct_ops": "for the kernel to take a congestion control as BPF",
    "tcp_info": "for the windows and the congestion control of real senders",
}
"""Purpose of each right, by its name in the core."""
EMULATION_NEEDS = ("namespaces", "tun")
"""Without these no program can be at a node."""
RESTART = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--")
"""Command that makes a program root of its own namespaces (unshare(1) of util-linux). It stays the same
process, so signals reach it."""


@dataclass(frozen=True)
class Privilege:
    """Right that this user may have or lack here."""

    name: str
    """`namespaces`, `tun`, `real-time`, `struct_ops` or `tcp_info`."""
    available: bool
    reason: str
    """State of the right: how it is present; else the missing part, and how to get it."""

    @property
    def line(self) -> str:
        """Line of `airhop doctor`, and of an error where the right is missing."""
        return f"{self.name:<11} {self.reason}; {USES[self.name]}"


def privileges() -> list[Privilege]:
    """Find out what this user may do here, mostly by trying.

    Returns
    -------
    list[Privilege]
        Network namespaces, TUN devices, real-time priority, BPF struct_ops and TCP_INFO, in this order.
    """
    return [Privilege(*found) for found in _core.privileges()]


def privilege(name: str) -> Privilege:
    """Find out whether this user may do one thing.

    Parameters
    ----------
    name
        One of `USES`.

    Returns
    -------
    Privilege
        Presence and reason of the right, and the line of `airhop doctor`.

    Raises
    ------
    InputError
        When nothing has that name.
    """
    found = {one.name: one for one in privileges()}
    if name not in found:
        raise InputError(
            f"there is no privilege `{name}`.{did_you_mean(name, USES)} Known: {', '.join(USES)}."
        )
    return found[name]


def missing() -> list[Privilege]:
    """List what programs at nodes need and this user has not."""
    return [one for one in privileges() if one.name in EMULATION_NEEDS and not one.available]
