"""Choice of the replication, and of the flow or class, that the graphs and the percentiles show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from airhop.errors import InputError, did_you_mean
from airhop.scenario import Scenario, toml_literal

KEYS = ("flow", "class", "connection", "replication")
"""Keys of the table `[view]` of a state."""
FLOW, CLASS = "flow", "class"


@dataclass(frozen=True)
class Shown:
    """Replication, flow or class, and connection."""

    rep: int = 0
    of: str = ""
    """Flow or class, as in `flow ftp` or `class bulk down`; empty for the first flow."""
    connection: int = 1
    """Number of the connection, counting from 1. Ignored if the flow's application opens none."""

    @property
    def is_class(self) -> bool:
        """True if a class is shown."""
        return self.of.startswith(f"{CLASS} ")

    @property
    def name(self) -> str:
        """Name of the flow or class."""
        return self.of.partition(" ")[2]

    def within(self, scenario: Scenario, seed: int, reps: int) -> Self:
        """Return this choice for another scenario.

        If the flow or replication does not exist there, the first one replaces it.
        """
        here = replace(self, rep=self.rep if self.rep < reps else 0)
        known = list(choices(scenario, seed, here.rep).values())
        return here if here.of in known else replace(here, of=known[0], connection=1)

    @classmethod
    def from_table(cls, table: Mapping[str, Any], name: str) -> Self:
        """Read the table `[view]` of a state.

        Raises InputError if the table is invalid. `name` is used in messages.
        """
        for key in table:
            if key not in KEYS:
                raise InputError(f"{name}: `view` has no key `{key}`.{did_you_mean(key, KEYS)}")
        if FLOW in table and CLASS in table:
            raise InputError(f"{name}: `view` has either a flow or a class, not both")
        of = next((f"{key} {table[key]}" for key in (FLOW, CLASS) if key in table), "")
        return cls(_number(table, "replication", name, 0), of, _number(table, "connection", name, 1))

    def check(self, name: str, scenario: Scenario, seed: int) -> None:
        """Raise InputError if the scenario has no such flow or class; `name` is for the message."""
        known = choices(scenario, seed, self.rep).values()
        if self.of and self.of not in known:
            raise InputError(f"{name}: view: the scenario has no {self.of}.{did_you_mean(self.of, known)}")

    def to_toml(self) -> list[str]:
        """Return the lines of the table `[view]`; empty for the first flow of the first replication."""
        if self == FIRST:
            return []
        kind, _, of = self.of.partition(" ")
        return [
            "\n[view]",
            *([f"{kind} = {toml_literal(of)}"] if of else []),
            f"connection = {self.connection}",
            f"replication = {self.rep}",
        ]


FIRST = Shown()
"""The first flow, or its first connection, in the first replication."""


def choices(scenario: Scenario, seed: int, rep: int) -> dict[str, str]:
    """Return the choices of flow and class: values of `Shown.of` by label.

    TCP flows come first, then other flows, then classes with several flows.
    """
    classes = scenario.classes(seed=seed, rep=rep)
    flows = dict.fromkeys((*scenario.tcp_flows(), *classes))
    members = list(classes.values())
    several = {name: count for name in dict.fromkeys(members) if (count := members.count(name)) > 1}
    return {f"{FLOW} {name}": f"{FLOW} {name}" for name in flows} | {
        f"{CLASS} {name}, {count} flows": f"{CLASS} {name}" for name, count in several.items()
    }


def _number(table: Mapping[str, Any], key: str, name: str, least: int) -> int:
    value = table.get(key, least)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{name}: `view.{key}` must be a whole number from {least} on, not {value!r}")
    return value
