"""Kernel congestion controls of real senders, by node."""

from __future__ import annotations

import base64
import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airhop import _core
from airhop.errors import InputError, PrivilegeError
from airhop.live.hosts import Hosts
from airhop.live.privileges import privilege
from airhop.plugins import loaded, objects_among
from airhop.scenario import Scenario

OF_THE_KERNEL = ("reno", "cubic", "bbr")
"""Names of schemes that are also congestion controls of the Linux kernel."""


@dataclass(frozen=True)
class Control:
    """Congestion control of the connections that one node opens."""

    node: str
    name: str
    """Name of the control in the kernel."""
    object: tuple[str, bytes] | None
    """File and bytes of a BPF object; None for a congestion control of the kernel."""


def chosen(
    scenario: Scenario, hosts: Hosts, scheme: str | None, with_: Sequence[str | Path]
) -> tuple[Scenario, list[Control]]:
    """Return the scenario and the kernels' congestion controls; simulated senders have the same controls.

    A BPF object in `with_` applies to the flows between nodes with real hosts, unless `scheme` names another
    scheme. Without an object, `scheme` may name a control of the kernel. If the object needs ECN, its
    receivers also use ECN (RFC 8257 §3.2).

    Raises InputError if `with_` has several objects and `scheme` names none. Raises PrivilegeError, with the
    line of `airhop doctor`, if this user may not load the object.
    """
    objects = objects_among(with_)
    name = scheme if scheme is not None else _only(objects)
    if name is None or name not in (*objects, *OF_THE_KERNEL):
        return scenario, []
    nodes = {node for _, node, _ in hosts.doors}
    flows = [flow for flow in scenario.to_dict()["flow"] if flow.get("transport", "tcp") == "tcp"]
    real = [flow for flow in flows if nodes.issuperset((flow["from"], flow["to"]))]
    if scheme is None:
        names = [flow["name"] for flow in real]
        written = [one for one in scenario.written_tcp_flows() if fnmatch.filter(names, one)]
        scenario = scenario.with_({f"flow.{one}.scheme": name for one in written})
    inside = {node for _, node, device in hosts.doors if device is None}
    nodes_with = {flow["from"] for flow in real} & inside
    file = objects.get(name)
    if file is None:
        return scenario, [Control(node, name, None) for node in sorted(nodes_with)]
    if nodes_with and not (right := privilege("struct_ops")).available:
        raise PrivilegeError(right.line)
    code = base64.b64decode(dict(loaded())[file])
    if _core.BpfObject(file, code).needs_ecn(name):
        # A host accepts ECN from such a SYN only if it has such a congestion control itself.
        nodes_with |= {flow["to"] for flow in real} & inside
    return scenario, [Control(node, name, (file, code)) for node in sorted(nodes_with)]


def _only(objects: dict[str, str]) -> str | None:
    if len(objects) > 1:
        raise InputError(
            f"--with loads {len(objects)} congestion controls; expected --scheme with one of"
            f" {', '.join(objects)}"
        )
    return next(iter(objects), None)
