"""Access categories of the flows of a trace, those of real packets included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airhop.analysis.topology import BEST_EFFORT

if TYPE_CHECKING:
    from airhop.verify.trace import Step, Trace


def categories(trace: Trace) -> dict[str, str]:
    """Return the access category of each flow; one of real packets has that of the flow that it replaces.

    A direction of a connection that delivers nothing is in the trace and not in the document. All its frames
    have the category of its first one; without a frame, its packets are of the flow of their node.
    """
    plans = list(trace.plans.values())
    found = {
        flow["name"]: _replaced(plans, flow["name"], (flow["from"], flow["to"]))
        for flow in trace.document["flows"]
    }
    unlisted = {
        name for name in trace.tables["packets"]["flow"].cast(str).unique() if " > " in name
    } - found.keys()
    for name, category in _on_air(trace) if unlisted else ():
        if name in unlisted and category != "-":
            found.setdefault(name, category)
    for step in trace.steps if unlisted - found.keys() else ():
        if step.step == "made" and step.flow in unlisted:
            found.setdefault(step.flow, _of_node(plans, step))
    return found


def _replaced(plans: list[Mapping[str, Any]], name: str, ends: tuple[str, str]) -> str:
    """Return the category of the plan of this name, else of a plan between the ends, of either direction."""
    named = [plan for plan in plans if plan["name"] == name]
    there, back = (
        [plan for plan in plans if (plan.get("from"), plan.get("to")) == way] for way in (ends, ends[::-1])
    )
    return _first([*named, *there, *back])


def _of_node(plans: list[Mapping[str, Any]], step: Step) -> str:
    """Return the category of a plan with the node that makes a packet; its end makes a pure ACK."""
    first, other = ("to", "from") if step.kind == "ack" and "S" not in step.flags else ("from", "to")
    there, back = ([plan for plan in plans if plan.get(end) == step.place] for end in (first, other))
    return _first([*there, *back])


def _first(plans: list[Mapping[str, Any]]) -> str:
    return next((plan.get("access_category", BEST_EFFORT) for plan in plans), BEST_EFFORT)


def _on_air(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield the flow of each packet on the air, with the category of its frame, in order of time."""
    for frame in trace.frames:
        yield frame.flow, frame.category
        for mpdu in trace.mpdus.get(frame.row, ()):
            yield from ((packet.flow, frame.category) for packet in mpdu.packets)
