"""Nodes of a scenario with real hosts, and the commands at these nodes."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from airhop.errors import InputError, did_you_mean
from airhop.scenario import Scenario

_FIRST_ADDRESS = ipaddress.IPv4Address("10.0.0.1")
_BRACES = re.compile(r"(?<!\$)\{([^{}\s]+)\}")
"""Pattern of names in braces. `${X}` is excluded, because it belongs to the shell."""
_PORT = re.compile("-?[0-9]{1,9}")
_WORD = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Hosts:
    """Real hosts at nodes of a scenario."""

    doors: list[tuple[str, str, str | None]]
    """For each host: the name in messages, the node, and the interface (None for a network namespace)."""
    commands: list[tuple[str, str]]
    """Node and command (with addresses filled in), in the order of start."""
    ready: list[tuple[str, int | None, str]]
    """Readiness conditions: node, port of a listening socket or None, and otherwise a command that ends with
    0.
    """

    @property
    def has_namespace(self) -> bool:
        """True if a host runs in a network namespace."""
        return any(device is None for _, _, device in self.doors)

    @property
    def devices(self) -> list[str]:
        """Nodes that are interfaces of this machine, as named in messages."""
        return [asked for asked, _, device in self.doors if device is not None]


def hosts_of(
    scenario: Scenario,
    namespaces: Iterable[tuple[str, str, Sequence[str]]],
    devices: Iterable[tuple[str, str, str]],
    ready: Iterable[tuple[str, str, int | str]] = (),
) -> Hosts:
    """Check the nodes, and fill addresses into the commands.

    The first two elements of an entry are the name in messages and the node. The third element is a list of
    commands in `namespaces`, an interface in `devices`, and a port or a command in `ready`. Raises InputError
    if the scenario lacks a node, if a command names an unknown node, or if no command waits for a readiness
    condition.
    """
    nodes = scenario.core.nodes()
    given = list(namespaces)
    doors: list[tuple[str, str, str | None]] = []
    for asked, node, device in [*((a, n, None) for a, n, _ in given), *devices]:
        if node not in nodes:
            raise InputError(
                f"{asked}: {scenario.name} has no node `{node}`.{did_you_mean(node, nodes)}"
                f" Its nodes: {', '.join(nodes)}."
            )
        if (asked, node, device) not in doors:
            doors.append((asked, node, device))
    known = {node: str(_FIRST_ADDRESS + place) for place, node in enumerate(nodes)}
    inside = {node: known[node] for _, node, device in doors if device is None}
    commands = [(node, filled(line, inside, asked)) for asked, node, lines in given for line in lines]
    signs = [_readiness(*one, commands, inside) for one in ready]
    return Hosts(doors, commands, signs)


def _readiness(
    asked: str, node: str, sign: int | str, commands: Sequence[tuple[str, str]], inside: Mapping[str, str]
) -> tuple[str, int | None, str]:
    """Parse the condition under which a node is ready: an open port, or a command that succeeds.

    Returns the node with the port and an empty text, or with None and the command.
    """
    order = [at for at, _ in commands]
    if node not in order:
        raise InputError(f"{asked}: node `{node}` has no command.{did_you_mean(node, order)}")
    if all(at == node for at in order[order.index(node) :]):
        raise InputError(
            f"{asked}: no command waits for this condition, because no command of another node starts after "
            f"the commands of {node}; commands start in the given order"
        )
    if isinstance(sign, str) and not _PORT.fullmatch(sign):
        return node, None, filled(sign, inside, asked)
    port = int(sign)
    if not 1 <= port <= 65535:
        raise InputError(f"{asked}: expected a port from 1 to 65535, or a command")
    return node, port, ""


def filled(command: str, addresses: Mapping[str, str], asked: str) -> str:
    """Replace the names of nodes in braces by their IPv4 addresses.

    All other braces belong to the command, as in `${X}` and awk. Raises InputError if a word in braces is
    similar to the name of a node, probably a typing error.
    """

    def address(found: re.Match[str]) -> str:
        name = found[1]
        if name in addresses:
            return addresses[name]
        if _WORD.fullmatch(name) and (near := did_you_mean(name, addresses)):
            raise InputError(
                f"{asked}: `{{{name}}}` in `{command}`: node `{name}` has no program.{near}"
                f" Nodes with programs: {', '.join(addresses)}."
            )
        return found[0]

    return _BRACES.sub(address, command)
