"""Marks in a space-time diagram other than frames, and the style of these marks."""

from __future__ import annotations

from airhop.plots.frames import LOST_MPDU, RETRIED_MPDU
from airhop.report.packets.marks import Mark

COLLISION_COLOR = "#8b5cf6"
"""Colour of collisions in the other figures of a time-line."""
COLLISIONS = {
    "hidden": Mark("hidden", "collision: hidden terminals", "asterisk", COLLISION_COLOR, 13),
    "sending": Mark("sending", "collision: the receiver was sending", "asterisk", COLLISION_COLOR, 10),
    "sensed": Mark("sensed", "collision: senders sense each other", "asterisk", COLLISION_COLOR, 10),
    "unknown": Mark("unknown", "collision: unknown", "asterisk", COLLISION_COLOR, 10),
}
"""Marks of collisions by reason (`airhop.analysis.on_air.REASONS`). A mark is drawn at the end of the frame,
in the receiver's lane.
"""
OUTCOMES = {
    "captured": Mark("captured", "captured", "diamond", "#1f9d63", 11, filled=False),
    "channel": Mark("channel", "channel error", "x", "#e03131", 9),
    "unheard": Mark("unheard", "out of range", "circle", "#7d8794", 9, filled=False),
}
"""Marks of all outcomes of a frame except collisions."""
LOST_COLOR, RETRIED_COLOR = "#e03131", "#f2b134"
"""Colours of lost and retransmitted MPDUs. Both are visible on the bar of an A-MPDU, on light and dark pages.
"""
MPDUS = {
    "lost": Mark("lost-mpdu", LOST_MPDU, "square", LOST_COLOR, 8),
    "retried": Mark("retried-mpdu", RETRIED_MPDU, "square", RETRIED_COLOR, 8),
}
"""Marks of MPDUs in the bars of A-MPDUs: boxes of lost MPDUs, and strips below retransmitted MPDUs."""
STRIPS = {
    "heard": Mark("heard", "heard here", "line", "#7d8794", 4),
    "only-sensed": Mark("only-sensed", "only sensed", "dotted", "#7d8794", 4),
    "waiting": Mark("waiting", "has frames to send", "square", "#cfd4da", 4),
}
"""Strips along the lanes of the stations."""
LANE_PX, FRAME_PX = 38, 56
"""Height of a lane, and total height of the margins above and below the lanes, in pixels."""
