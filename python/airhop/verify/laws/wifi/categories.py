"""Law of access categories: a frame and all packets in it have the access category of their flow.

IEEE 802.11-2020 §10.23.2.1: each access category has its own queue and channel access function. All MPDUs of
an A-MPDU belong to one category.
"""

from __future__ import annotations

from collections.abc import Iterator

from airhop.verify.medium import finding, media
from airhop.verify.trace import Finding, Trace


def check(trace: Trace) -> Iterator[Finding]:
    """Check all frames of cells and radio links."""
    categories = {frame.row: medium.categories for medium in media(trace) for frame in medium.frames}
    for frame in trace.frames:
        allowed = categories.get(frame.row, ("-",))
        if frame.category not in allowed:
            text = f"access category {frame.category}, of {', '.join(allowed)}"
            yield finding("category", frame, text)
            continue
        if frame.category == "-":
            continue
        if frame.flow == "-" and frame.packet == "control":
            continue  # a BlockAckReq or its response
        mpdus = trace.mpdus.get(frame.row, ())
        for flow in sorted({frame.flow, *(packet.flow for mpdu in mpdus for packet in mpdu.packets)}):
            if trace.category_of(flow) != frame.category:
                text = f"access category {frame.category}, and flow {flow} has {trace.category_of(flow)}"
                yield finding("category", frame, text)
