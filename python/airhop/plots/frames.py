"""Style of frames on the air, in print and in the report.

Types of frames differ by colour on screens, and also by brightness and hatching on paper, so that a grey
print distinguishes them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FrameStyle:
    """The style of one kind of frame."""

    text: str
    """Label in the legend."""
    color: str
    """Colour on screens."""
    ink: str
    """Brightness on paper."""
    hatch: str
    """Hatching on paper, as matplotlib's pattern."""
    letter: str
    """Letter drawn in the frame's bar."""


STYLES = {
    "rts": FrameStyle("RTS", "#c77700", "#f0dcb8", "", "R"),
    "cts": FrameStyle("CTS", "#e0b04c", "#f0dcb8", "/////", "C"),
    "data": FrameStyle("TCP data", "#2f7fd6", "#0f4c81", "", "D"),
    "tcp-ack": FrameStyle("TCP ACK", "#0d9aa8", "#7fbcc4", "", "A"),
    "other": FrameStyle("other data", "#d6336c", "#d9b3c0", "....", ""),
    "ack": FrameStyle("link ACK", "#8a94a0", "#ffffff", "", ""),
    "broadcast": FrameStyle("broadcast", "#a8643c", "#d9b8a4", "xxxx", ""),
    "a-mpdu": FrameStyle("A-MPDU", "#1b4f9c", "#5a7fa8", "", "M"),
    "block-ack": FrameStyle("BlockAck", "#5f6b78", "#ffffff", "-----", ""),
    "block-ack-req": FrameStyle("BlockAckReq", "#b8860b", "#f0dcb8", "|||||", ""),
    "cf-end": FrameStyle("CF-End", "#9a3324", "#f0dcb8", "-----", "E"),
}
"""Styles by kind of frame (`airhop.analysis.on_air.FRAMES`)."""
LOST_MPDU, RETRIED_MPDU = "lost MPDU", "retransmitted MPDU"
"""Labels of MPDUs with bit errors, and of retransmitted MPDUs, in an A-MPDU."""
