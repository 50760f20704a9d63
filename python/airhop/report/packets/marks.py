"""Packet events of a time-line, and their style."""

from __future__ import annotations

from dataclasses import dataclass

from airhop.plots.style import COLORS


@dataclass(frozen=True)
class Mark:
    """Kind of packet event and its style."""

    group: str
    text: str
    """Label in the legend and the hover card."""
    marker: str
    color: str
    size: int
    filled: bool = True
    shown: bool = True
    """True if the page shows the group initially. Groups that only repeat a loss mark start hidden."""
    height: str | None = "first byte"
    """Label of the y value in the hover card; None for a packet without a sequence number."""
    dropped: bool = False
    """True if the event is a loss. The hover card of a loss shows place and cause."""

    @property
    def symbol(self) -> str:
        """Marker of the group in the legend."""
        return self.marker if self.filled else f"{self.marker}-open"


@dataclass(frozen=True)
class LegendEntry:
    """Legend button of a group of events: style, and number of events (None if drawn as a line)."""

    group: str
    text: str
    color: str
    symbol: str
    count: int | None
    shown: bool = True

    @classmethod
    def of(cls, mark: Mark, count: int | None) -> LegendEntry:
        """Make the legend button of one kind of event."""
        return cls(mark.group, mark.text, mark.color, mark.symbol, count, mark.shown)


NEW_DATA = Mark("new", "new data", "circle", "#5b87b5", 4)
RETRANSMISSIONS = {
    "fast": Mark("fast", "fast retransmission", "triangle", "#c77700", 7),
    "recovery": Mark("recovery", "retransmission in recovery", "inverted_triangle", "#c77700", 7),
    "timeout": Mark("timeout", "retransmission after timeout", "hex", "#e03131", 9),
    "probe": Mark("probe", "tail loss probe", "diamond", "#c77700", 7),
    "notice": Mark("notice", "retransmission on ELN", "triangle", "#1f9d63", 7),
}
DATA_DROPS = {
    "channel": Mark("channel", "data lost: channel error", "x", "#e03131", 8, dropped=True),
    "collision": Mark("collision", "data lost: collision", "asterisk", "#8b5cf6", 8, dropped=True),
    "queue": Mark("queue", "data lost: queue full", "square_x", "#a8643c", 9, filled=False, dropped=True),
    "aqm": Mark("aqm", "data lost: AQM", "square_cross", "#a8643c", 9, filled=False, dropped=True),
    "agent": Mark("agent", "data lost: agent", "circle_x", "#a8643c", 9, filled=False, dropped=True),
    "route": Mark("route", "data lost: no route", "circle_cross", "#a8643c", 9, filled=False, dropped=True),
    "retries": Mark(
        "retries",
        "data discarded by the link",
        "circle",
        "#e03131",
        13,
        filled=False,
        shown=False,
        dropped=True,
    ),
}
ACK_LOST = Mark("ack-lost", "ACK lost", "y", "#0d9aa8", 9, filled=False, height="acknowledges", dropped=True)
ACK_HELD_BACK = Mark(
    "ack-held-back",
    "ACK held back by the agent",
    "dash",
    "#c77700",
    8,
    filled=False,
    height="acknowledges",
    dropped=True,
)
NOTICE_LOST = Mark("notice-lost", "notice lost", "diamond_cross", "#e03131", 9, filled=False, dropped=True)
LINK_ACK_LOST = Mark(
    "control-lost", "link ACK lost", "y", "#e03131", 9, filled=False, height=None, dropped=True
)
DUPLICATE = Mark("dupack", "duplicate ACK", "dash", "#7d8794", 6, filled=False, height="acknowledges")
MARKED = Mark("marked", "data arrives marked CE", "square", "#b5489a", 6, filled=False)
ECHO = Mark("echo", "ACK with ECE", "circle", "#b5489a", 7, filled=False, height="acknowledges")
NOTICES = {
    ("eln", "sent"): Mark("eln-sent", "ELN sent", "diamond", "#1f9d63", 8, filled=False, shown=False),
    ("eln", "received"): Mark("eln-received", "ELN received", "diamond", "#1f9d63", 7),
    ("ersn", "sent"): Mark("ersn-sent", "ERSN sent", "square_pin", "#0d9aa8", 8, filled=False, shown=False),
    ("ersn", "received"): Mark("ersn-received", "ERSN received", "square_pin", "#0d9aa8", 8),
    ("ebsn", "sent"): Mark("ebsn-sent", "EBSN sent", "star", "#a8643c", 9, filled=False, shown=False),
    ("ebsn", "received"): Mark("ebsn-received", "EBSN received", "star", "#a8643c", 9),
    ("rttn", "sent"): Mark(
        "rttn-sent", "RTTN (reconstructed) sent", "plus", "#b5489a", 9, filled=False, shown=False
    ),
    ("rttn", "received"): Mark("rttn-received", "RTTN (reconstructed) received", "plus", "#b5489a", 9),
}
SEQUENCE = (
    NEW_DATA,
    *RETRANSMISSIONS.values(),
    DUPLICATE,
    MARKED,
    ECHO,
    *DATA_DROPS.values(),
    ACK_HELD_BACK,
    ACK_LOST,
    NOTICE_LOST,
    LINK_ACK_LOST,
    *NOTICES.values(),
)
"""Marks of the time-sequence graph, in drawing order."""
AIR_LOSSES = (
    Mark("air-channel", "frame lost: channel error", "x", "#e03131", 7, height=None, dropped=True),
    Mark("air-collision", "frame lost: collision", "asterisk", "#8b5cf6", 7, height=None, dropped=True),
)
"""Marks of frames lost in the air, at the lower edge of the queue figure."""
HEIGHTS_PX = {"sequence": 460, "arrivals": 320, "window": 230, "timer": 300, "queue": 220}
"""Heights of the figures in pixels. These figures are equally high for all runs."""
ACK_COLOR = "#7d8794"
WINDOW_COLORS = {"cwnd": "#2f7fd6", "ssthresh": "#c77700", "flight": "#7d8794"}
GREY, BLUE, GOLD, CRIMSON, GREEN, VIOLET = COLORS[:6]
"""Palette colours. Colour-blind readers can tell them apart."""
TIMER_COLORS = {"rto": CRIMSON, "srtt": BLUE}
QUEUE_COLORS = ("#2f7fd6", "#c77700", "#1f9d63", "#0d9aa8", "#a8643c", "#7d8794")
"""Colours of the fullest queues; other queues are not drawn."""
