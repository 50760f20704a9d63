"""Access categories of the flows in a trace, including flows of real packets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airhop.analysis.topology import BEST_EFFORT

if TYPE_CHECKING:
    from airhop.verify.trace import Trace

_ADDRESSES = re.compile(r"(?:tcp|udp) (\S+):\d+ > (\S+):\d+")
"""Addresses of both ends in the name of a flow of real packets."""


def categories(trace: Trace) -> dict[str, str]:
    """Return the access category of each flow.

    A flow of real packets has the category of the flow that it replaces.

    A real connection that delivers nothing is missing in the run document. The addresses in its name then
    identify its nodes. If an address is unknown, or if both are on one node, the category of its first frame
    applies. Without a frame, the category is guessed from another flow of real packets at the node.
    """
    found, unknown = trace.derived(_known)
    others: dict[str, str] = {}
    for flow in trace.document["flows"] if unknown else ():
        if flow["timeouts"] is None:
            others = dict.fromkeys((flow["from"], flow["to"]), found[flow["name"]]) | others
    guesses: dict[str, str] = {}
    for step in trace.steps if unknown else ():
        if step.step == "made" and step.flow in unknown:
            guesses.setdefault(step.flow, others.get(step.place, BEST_EFFORT))
    return found | guesses


def guessed(trace: Trace) -> frozenset[str]:
    """Return the flows with a guessed category."""
    return trace.derived(_known)[1]


def _known(trace: Trace) -> tuple[dict[str, str], frozenset[str]]:
    """Return the access category of each flow if known, and the names of all other flows."""
    plans = list(trace.plans.values())
    found: dict[str, str] = {}
    nodes: dict[str, str] = {}
    for flow in trace.document["flows"]:
        ends = (flow["from"], flow["to"])
        found[flow["name"]] = _replaced(plans, flow["name"], ends)
        nodes |= zip(_addresses(flow["name"]), ends, strict=False)
    names = trace.tables["packets"]["flow"].unique()
    unlisted = {name for name in names if _addresses(name)} - found.keys()
    for name in unlisted:
        source, target = (nodes.get(address) for address in _addresses(name))
        if source is not None and target is not None and source != target:
            found[name] = _replaced(plans, name, (source, target))
    for name, category in _on_air(trace) if unlisted - found.keys() else ():
        if name in unlisted and category != "-":
            found.setdefault(name, category)
    return found, frozenset(unlisted - found.keys())


def _addresses(name: str) -> tuple[str, ...]:
    """Return the addresses in the name of a flow of real packets; empty for any other name."""
    named = _ADDRESSES.match(name)
    return named.groups() if named else ()


def _replaced(plans: list[Mapping[str, Any]], name: str, ends: tuple[str, str]) -> str:
    """Return the access category of the plan with this name.

    If no plan has this name, any plan between the two ends counts, in either direction.
    """
    named = [plan for plan in plans if plan["name"] == name]
    there, back = (
        [plan for plan in plans if (plan.get("from"), plan.get("to")) == way] for way in (ends, ends[::-1])
    )
    alike = (*named, *there, *back)
    return next((plan.get("access_category", BEST_EFFORT) for plan in alike), BEST_EFFORT)


def _on_air(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield each packet's flow and the category of its frame, for all packets on the air in order of time."""
    for frame in trace.frames:
        yield frame.flow, frame.category
        for mpdu in trace.mpdus.get(frame.row, ()):
            yield from ((packet.flow, frame.category) for packet in mpdu.packets)
