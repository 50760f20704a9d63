"""Hints that commands print with results: TCP stacks of the senders, and misleading settings."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airhop.scenario import Scenario

SHOWN = 4
"""Maximum number of names that a line lists; further names are only counted."""
ALIKE = 2
"""Maximum number of printed hints about one trap (a kind of misleading setting). Further hints are only
counted.
"""


@dataclass(frozen=True)
class Hint:
    """Trap: a valid setting that easily leads to a wrong conclusion, and the change that avoids it."""

    trap: str
    about: tuple[str, ...]
    """Links, flows or schemes concerned."""
    text: str
    """Statement about the links, flows or schemes in `about`."""
    set: str | None
    """Argument of `--set` that avoids the trap; None if a single change does not suffice."""

    def __str__(self) -> str:
        """Format the hint as one line with the suggested setting."""
        change = f": --set {shlex.quote(self.set)}" if self.set else ""
        return f"{some(self.about)}: {self.text}{change}"


def hints(scenarios: Iterable[Scenario]) -> list[Hint]:
    """List the traps in compared scenarios; hints that differ only in names are merged."""
    listed = list(scenarios)
    found: dict[tuple[str, str, str | None], dict[str, None]] = {}
    for scenario in listed:
        for trap, about, text, change in scenario.core.hints():
            found.setdefault((trap, text, change), {}).update(dict.fromkeys(about))
    alone = [Hint(trap, tuple(about), text, change) for (trap, text, change), about in found.items()]
    return alone + _different_capacities(listed)


def _different_capacities(scenarios: Sequence[Scenario]) -> list[Hint]:
    """Find links whose queues have different kinds and different capacities in the scenarios.

    The default capacity depends on the kind: drop-tail 50 packets, CoDel 1000, FQ-CoDel 10,240.
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
    """Return a caption if the link layer never retransmits in any of the scenarios; empty otherwise."""
    traps = [{trap for trap, *_ in scenario.core.hints()} for scenario in scenarios]
    is_once = bool(traps) and all("single-attempt" in one for one in traps)
    return "each frame sent once (attempts = 1)" if is_once else ""


def senders(scenarios: Iterable[Scenario]) -> str | None:
    """Describe the TCP stack (preset and changed parameters) of the senders, or each stack with its flows.

    Returns None without a TCP flow. If stacks differ, the text warns that the stacks also affect a
    comparison.
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
    """Return the lines that a command prints about its scenarios: stacks of the senders, and hints."""
    listed = list(scenarios)
    base = senders(listed)
    return [*([f"senders: {base}"] if base else []), *_of_each_trap(hints(listed))]


def pointer(told: Sequence[str]) -> str:
    """Return the number of hints among these lines, as text for the end of a `repr`; empty without hints."""
    count = sum(line.startswith("hint: ") for line in told)
    return f"; {count} hint{'' if count == 1 else 's'}, see .hints" if count else ""


def _of_each_trap(found: Iterable[Hint]) -> list[str]:
    """Format the first `ALIKE` hints of each trap; a study may contain hundreds about one trap."""
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
    """Format at most `SHOWN` names, and the number of other names."""
    listed = list(names)
    more = len(listed) - SHOWN
    return ", ".join(listed[:SHOWN]) + (f" and {more} more" if more > 0 else "")
