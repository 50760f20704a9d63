"""Law of wires that reorder packets: delay and share of late packets."""

from __future__ import annotations

from collections.abc import Iterator

from airhop.verify.trace import ROUNDING, Finding, Step, Trace, quantity, ways

_DEVIATIONS, _FEW = 7.0, 6
"""Tolerance of the number of late packets: 7 standard deviations plus 6 packets.

The false-alarm rate is 10⁻¹⁰.
"""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare the number and the delay of late packets with the configuration."""
    tables = {
        place: way.get("reorder") for link in trace.scenario.get("wired", []) for place, way in ways(link)
    }
    for place in dict.fromkeys(step.place for step in trace.steps if step.step == "late"):
        if tables.get(place) is None:
            yield Finding("late", 0.0, place, "packets are late, and nothing makes them so")
    for place, table in tables.items():
        if table is None:
            continue
        late = {step.packet: step for step in trace.steps_at(place, "late")}
        came = [step for step in trace.came_through(place) if step.step != "dropped"]
        yield from _times(trace, place, late, round(quantity(table["by"])))
        expected = len(came) * table["share"]
        off = _DEVIATIONS * (expected * (1 - table["share"])) ** 0.5 + _FEW
        if abs(len(late) - expected) > off:
            text = f"{len(late)} of {len(came)} packets are late, {expected:.1f} expected"
            yield Finding("late", trace.duration / 1e9, place, text)


def _times(trace: Trace, place: str, late: dict[int, Step], by: int) -> Iterator[Finding]:
    """Check that each late packet arrives exactly after the configured delay."""
    arrived = {step.packet: step.time for step in trace.steps_at(place, "arrived")}
    for packet, step in late.items():
        due = step.time + by
        time = arrived.get(packet)
        if (due < trace.duration - ROUNDING) if time is None else abs(time - due) > ROUNDING:
            text = f"{step.kind} {step.seq} is late by {by} ns, and does not arrive then"
            yield Finding("late", step.time / 1e9, place, text)
