"""Privileges for live commands: whether this user has each privilege, and how to obtain it."""

from __future__ import annotations

from dataclasses import dataclass

from airhop import _core
from airhop.errors import InputError, did_you_mean

USES = {
    "namespaces": "for programs at the nodes of airhop emulate",
    "tun": "for packets to and from these programs",
    "real-time": "for low lateness: without it some packets are milliseconds late",
    "struct_ops": "for congestion controls in BPF in the kernel",
    "tcp_info": "for the windows and the congestion control of real senders",
}
"""Purpose of each privilege, by name."""
EMULATION_NEEDS = ("namespaces", "tun")
"""Privileges required to run programs at nodes."""
RESTART = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--")
"""Command that starts a program as root in new namespaces (unshare(1) of util-linux). The process ID stays
the same, so that signals reach the program.
"""


@dataclass(frozen=True)
class Privilege:
    """A privilege that this user may have or lack on this machine."""

    name: str
    """Name: `namespaces`, `tun`, `real-time`, `struct_ops` or `tcp_info`."""
    available: bool
    reason: str
    """Explanation: source of the privilege, or what is missing and how to obtain it."""

    @property
    def line(self) -> str:
        """Line of `airhop doctor`, also used as the error message if the privilege is missing."""
        return f"{self.name:<11} {self.reason}; {USES[self.name]}"


def privileges() -> list[Privilege]:
    """Determine the privileges of this user on this machine, mostly by trial.

    Returns
    -------
    list[Privilege]
        Network namespaces, TUN devices, real-time priority, BPF struct_ops and TCP_INFO, in this order.
    """
    return [Privilege(*found) for found in _core.privileges()]


def privilege(name: str) -> Privilege:
    """Determine whether this user has one privilege.

    Parameters
    ----------
    name
        Name of the privilege, a key of `USES`.

    Returns
    -------
    Privilege
        Presence and reason of the privilege, and the line of `airhop doctor`.

    Raises
    ------
    InputError
        When no privilege has that name.
    """
    found = {one.name: one for one in privileges()}
    if name not in found:
        raise InputError(
            f"there is no privilege `{name}`.{did_you_mean(name, USES)} Known: {', '.join(USES)}."
        )
    return found[name]


def missing() -> list[Privilege]:
    """List the privileges that programs at nodes require and that this user lacks."""
    return [one for one in privileges() if one.name in EMULATION_NEEDS and not one.available]
