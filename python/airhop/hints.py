"""Bases of a scenario's senders and detected traps: lines for people, beside the results."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airhop.scenario import Scenario

SHOWN = 4
"""Names that a line lists before it counts the others."""
ALIKE = 2
"""Hints about one trap that are told before the others are counted."""


@dataclass(frozen=True)
class Hint:
    """A trap: what is allowed and easily gives a false answer, and the change that gets out of it."""

    trap: str
    about: tuple[str, ...]
    """The links, flows or schemes that are in it."""
    text: str
    """Statement about them."""
    set: str | None
    """The change as `--set` takes it, if one does."""

    def __str__(self) -> str:
        """Write one line with what to set."""
        change = f": --set {shlex.quote(self.set)}" if self.set else ""
        return f"{some(self.about)}: {self.text}{change}"


def hints(scenarios: Iterable[Scenario]) -> list[Hint]:
    """List the traps of scenarios that are compared; what differs in a name alone is one hint."""
    listed = list(scenarios)
    found: dict[tuple[str, str, str | None], dict[str, None]] = {}
    for scenario in listed:
        for trap, about, text, change in scenario.core.hints():
            found.setdefault((trap, text, change), {}).update(dict.fromkeys(about))
    alone = [Hint(trap, tuple(about), text, change) for (trap, text, change), about in found.items()]
    return alone + _different_capacities(listed)


def _different_capacities(scenarios: Sequence[Scenario]) -> list[Hint]:
    """Find links whose queues are of several kinds, each with a capacity of its own.

    The defaults differ: 50 packets of drop-tail, 1000 of CoDel, 10,240 of FQ-CoDel.
    """
    if len(scenarios) < 2:
        return []
    capacities: dict[str, dict[str, int]] = {}
    for scenario in scenarios:
        for link, kind, packets in _queues(scenario):
            capacities.setdefault(link, {})[kind] = packets
    alike: dict[str, list[str]] = {}
    for link, by_kind in capacities.items():
        if len(set(by_kind.values())) > 1:
            told = ", ".join(f"{kind} {packets:,}" for kind, packets in by_kind.items())
            alike.setdefault(told, []).append(link)
    return [
        Hint(
            "queue-capacity",
            tuple(links),
            f"queues hold different numbers of packets, {told}: the comparison of kinds also compares their "
            "capacities; give each the same `packets`",
            None,
        )
        for told, links in alike.items()
    ]


def _queues(scenario: Scenario) -> Iterator[tuple[str, str, int]]:
    """List the queues of all links: path of the link, kind of the queue, capacity in packets."""
    for medium, tables in scenario.to_dict().items():
        for table in tables if isinstance(tables, list) else ():
            queues = table.get("queue", ())
            for queue in [queues] if isinstance(queues, Mapping) else queues:
                if "packets" in queue:
                    yield f"{medium}.{table['name']}", queue["kind"], queue["packets"]


def sent_once(scenarios: Iterable[Scenario]) -> str:
    """State for a caption that the link layer sends frames once; empty if any scenario repeats frames."""
    traps = [{trap for trap, *_ in scenario.core.hints()} for scenario in scenarios]
    is_once = bool(traps) and all("single-attempt" in one for one in traps)
    return "each frame sent once (attempts = 1)" if is_once else ""


def senders(scenarios: Iterable[Scenario]) -> str | None:
    """State the base of the scenarios' TCP senders; where there are several, the flows on each.

    None without a TCP flow. Schemes on different bases differ by these, too, and the line says so.
    """
    by_base: dict[str, dict[str, None]] = {}
    for scenario in scenarios:
        for base, flows in scenario.core.bases():
            by_base.setdefault(base, {}).update(dict.fromkeys(flows))
    if not by_base:
        return None
    if len(by_base) == 1:
        return next(iter(by_base))
    told = "; ".join(f"{base} ({some(flows)})" for base, flows in by_base.items())
    return f"{told}: the differences of these bases affect every comparison across them"


def lines(scenarios: Iterable[Scenario]) -> list[str]:
    """Return what a command says of the scenarios that it has run, a line each."""
    listed = list(scenarios)
    base = senders(listed)
    return [*([f"senders: {base}"] if base else []), *_of_each_trap(hints(listed))]


def pointer(told: Sequence[str]) -> str:
    """Write how many of these lines are hints, as the end of a repr; nothing where none is."""
    count = sum(line.startswith("hint: ") for line in told)
    return f"; {count} hint{'' if count == 1 else 's'}, see .hints" if count else ""


def _of_each_trap(found: Iterable[Hint]) -> list[str]:
    """Write the first hints of each trap: the points of a study may be in one in a hundred ways."""
    by_trap: dict[str, list[Hint]] = {}
    for hint in found:
        by_trap.setdefault(hint.trap, []).append(hint)
    told = []
    for alike in by_trap.values():
        told += [f"hint: {hint}" for hint in alike[:ALIKE]]
        if more := len(alike) - ALIKE:
            told += [f"hint: … and {more} more of this kind"] if more > 0 else []
    return told


def some(names: Iterable[str]) -> str:
    """List names, the first of many."""
    listed = list(names)
    more = len(listed) - SHOWN
    return ", ".join(listed[:SHOWN]) + (f" and {more} more" if more > 0 else "")
