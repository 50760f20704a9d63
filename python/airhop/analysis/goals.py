"""Goals for comparing arms (throughput, completion time, delay, fairness), and starved flows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from airhop.analysis.measures import GOODPUT, class_of

Kind = Literal["throughput", "completion", "delay", "fairness"]

LIMITED = ("call", "game", "video")
"""Applications that limit the rates of their flows."""

STARVED = 0.05
"""Starvation threshold, as a fraction of an equal share of the goodput. The value is Airhop's choice. The
literature has no threshold: starvation is a ratio of two goodputs that grows without limit (Arun, Alizadeh
and Balakrishnan 2022, §2).
"""


@dataclass(frozen=True)
class Goal:
    """Metric for comparing arms, over the whole run or one class of flows."""

    kind: Kind
    column: str
    """Column of the metric in data frames, without the prefix `class_` of class metrics."""
    of: str | None = None
    """Class of flows; None for the whole run."""
    is_foremost: bool = False
    """True if a verdict prefers this goal to other goals of the same kind."""

    @property
    def metric(self) -> str:
        """Name of the metric in the formulas of a study."""
        return self.column if self.of is None else f"class.{self.of}.{self.column}"

    @property
    def is_higher_better(self) -> bool:
        """True if a higher value is better."""
        return _WORDS[self.kind].is_higher_better

    @property
    def superlative(self) -> str:
        """Superlative of the goal, with its class: `the shortest completion time of web`."""
        return _WORDS[self.kind].superlative + self._of

    @property
    def heading(self) -> str:
        """Heading of a narrow column."""
        return _WORDS[self.kind].heading.format((self.of or "").replace(" ", "\n"))

    @property
    def label(self) -> str:
        """Label of a row or menu: `completion time of web, mean, ms`."""
        return _WORDS[self.kind].label.format(self._of)

    @property
    def _of(self) -> str:
        """Suffix with the class, such as ` of web`; empty for a goal of the whole run."""
        return "" if self.of is None else f" of {self.of}"


class _Words(NamedTuple):
    """Texts about a kind of goal; `{}` stands for the class."""

    is_higher_better: bool
    superlative: str
    heading: str
    label: str


_WORDS: Mapping[Kind, _Words] = {
    "throughput": _Words(True, "the highest throughput", "throughput\nMbit/s", "throughput, Mbit/s"),
    "completion": _Words(
        False, "the shortest completion time", "completion\n{}\nms", "completion time{}, mean, ms"
    ),
    "delay": _Words(False, "the lowest delay", "delay p95\n{}\nms", "one-way delay{}, p95, ms"),
    "fairness": _Words(True, "the best fairness", "Jain\n{}", "fairness{}, Jain's index"),
}


class ClassSeen(NamedTuple):
    """Class of flows in a run."""

    name: str
    flows: int
    completes: bool
    """True if the class has transfers or requests."""
    is_datagrams: bool
    """True if the flows of the class are UDP."""
    is_limited: bool = False
    """True if the application limits the rates of its flows: calls, games and videos."""

    @property
    def competes(self) -> bool:
        """True if the flows compete for equal shares: endless flows without a rate limit."""
        return not (self.completes or self.is_limited)


class Share(NamedTuple):
    """Goodput of a flow in a run."""

    flow: str
    of: str
    """Class of the flow."""
    goodput_mbps: float


def goals(classes: Iterable[ClassSeen]) -> list[Goal]:
    """List the goals of runs with these classes, by kind of goal and in the order of the classes.

    Fairness applies to classes of several competing flows. Completion time applies to transfers and requests.
    The delay of datagrams takes precedence over the delay of TCP, because TCP delay includes the sender's own
    queue and retransmissions.
    """
    seen = list(classes)
    found = [Goal("throughput", GOODPUT)]
    found += [Goal("completion", "completion_mean_ms", one.name) for one in seen if one.completes]
    found += [Goal("delay", "delay_p95_ms", one.name, one.is_datagrams) for one in seen]
    fair = (one for one in seen if one.flows > 1 and one.competes)
    return [*found, *(Goal("fairness", "jain", one.name) for one in fair)]


def classes_in(documents: Iterable[Mapping[str, Any]]) -> list[ClassSeen]:
    """List the classes of run documents.

    Each class occurs once, with the values of the first document that contains the class.
    """
    found: dict[str, ClassSeen] = {}
    for document in documents:
        tcp = {class_of(flow) for flow in document["flows"] if flow["transport"] == "tcp"}
        for one in document.get("classes", ()):
            name, ends = one["name"], one["completion_ms"] is not None
            limited = any(kind in one for kind in LIMITED)
            found.setdefault(name, ClassSeen(name, one["flows"], ends, name not in tcp, limited))
    return list(found.values())


def shares_of(document: Mapping[str, Any]) -> list[Share]:
    """List the TCP flows of a run document that compete for an equal share.

    Transfers and requests are omitted, because such flows end. Applications that limit their rates are also
    omitted.
    """
    others = {one.name for one in classes_in([document]) if not one.competes}
    return [
        Share(flow["name"], class_of(flow), flow[GOODPUT])
        for flow in document["flows"]
        if flow["transport"] == "tcp" and class_of(flow) not in others
    ]


def starved(runs: Sequence[Sequence[Share]]) -> dict[str, list[str]]:
    """List the starved flows by class: the mean goodput is below `STARVED` of an equal share.

    `runs` are the replications of one arm. The equal share is computed over all flows in `runs`.
    """
    sums: dict[tuple[str, str], float] = {}
    for share in (share for run in runs for share in run):
        key = (share.of, share.flow)
        sums[key] = sums.get(key, 0.0) + share.goodput_mbps
    found: dict[str, list[str]] = {}
    bound = STARVED * sum(sums.values()) / max(len(sums), 1)
    for (of, flow), total in sums.items():
        if total < bound:
            found.setdefault(of, []).append(flow)
    return found
