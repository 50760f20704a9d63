"""Open questions of the slides of Cheng and Lin 2008: MAC, routing, channel, schemes, networks."""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.reading import Question, Reading
from airhop.scenario import SCHEME

ROUTES = "wlan.field.routing"
ON_DEMAND = {"kind": "aodv", "preset": "rfc3561"}
OF_NS2 = {"kind": "aodv", "preset": "ns2"}
STATIC = {"kind": "static"}
ERRORS = {
    "kind": "gilbert-elliott",
    "loss_good": 0.0155,
    "loss_bad": 0.25,
    "p_gb": 0.06,
    "p_bg": 0.15,
}
"""Slide "Gilbert-Elliot (GE) error model": mean frame error rate 8.25 %."""
DRAWN = "TCP source and TCP destination of each connection are randomly selected"
THRESHOLD = "retry threshold: 7 for basic access mechanisms and 4 for virtual carrier-sensing mechanisms"


def _attempts(attempts: int, text: str, rests_on: str) -> Reading:
    return Reading(f"attempts-{attempts}", text, rests_on, {"wlan.field.attempts": attempts})


ATTEMPTS = Question(
    about="the MAC's retry threshold",
    default=Reading(
        "attempts-7",
        "The threshold is the retry limit of the standard that the slides describe: seven transmissions.",
        f"In standard IEEE 802.11 DCF schemes […] {THRESHOLD}",
    ),
    others=(
        _attempts(
            8,
            "RET_L counts failures and has to exceed seven: eight transmissions.",
            "If the updated RET_L exceeds a retry threshold value",
        ),
        _attempts(
            9,
            "RET_L is compared before the failure is counted, as in the algorithm: nine transmissions.",
            "If $RET_L > \\text{retry threshold}$ […] Otherwise […] Increase the value of RET_L",
        ),
        Reading(
            "rts-cts",
            "Frames go out after RTS and CTS, with the threshold of virtual carrier sensing.",
            THRESHOLD,
            {"wlan.field.access": "rts-cts", "wlan.field.attempts": 4},
        ),
    ),
)


PHYSICAL = Question(
    about="the physical layer",
    default=Reading(
        "rate-54",
        "Data goes at 54 Mbit/s, bits one after the other behind a header of 192 bits at 6 Mbit/s: no other "
        "rate of the standard reaches the goodput that is printed over one hop.",
        "1 13.97 13.95",
    ),
    others=(
        Reading("rate-48", "Data goes at 48 Mbit/s.", settings={"wlan.field.rate": "48 Mbit/s"}),
        Reading(
            "ofdm",
            "Frames are OFDM symbols of 4 µs, as in the standard.",
            "802.11g",
            settings={"wlan.field.phy.coding": "ofdm"},
        ),
    ),
)
"""The slides print no rate. 14.2 Mbit/s and 13.6 and 13.7 are what these three give over one hop."""
MAC_RULES = Question(
    about="the MAC's answers",
    default=Reading(
        "standard-answers",
        "A missing ACK is noticed as the standard says, and a frame has the standard's headers; each has its "
        "back-off after DIFS.",
        "standard IEEE 802.11 DCF schemes […] back-off: 0 ~ contention window (integer)",
    ),
    others=(
        Reading(
            "ns2-mac",
            "ACK timeout and headers are ns-2's.",
            settings={"wlan.field.preset": "ns2", "wlan.field.overhead": "34 B"},
        ),
        Reading(
            "immediate-access",
            "A frame that finds the medium idle goes at once, as the standard allows.",
            "standard IEEE 802.11 DCF schemes",
            {"wlan.field.immediate_access": True},
        ),
    ),
)


def sender(flow: str = "ftp") -> Question:
    """Ask what the sender does where the slides are silent: timers and the beginning."""
    return Question(
        about="the sender's timers",
        default=Reading(
            "rfc-2008",
            "Timers and the first window are those of the RFCs of 2008; the window's rules are printed.",
            "Set $W_t = W / 2$ and then set $W = 1$",
        ),
        others=(
            Reading(
                "ns2-sender",
                "They are ns-2's.",
                settings={f"flow.{flow}.tcp.preset": "ns2", f"flow.{flow}.tcp.rto": {}},
            ),
            Reading(
                "fitted",
                "36 Mbit/s, headers of 20 µs and all else as ns-2 has it: fitted to Reno's column of the "
                "first table in ns-2.35, and against the printed 192 bits.",
                settings={
                    "wlan.field.rate": "36 Mbit/s",
                    "wlan.field.phy.header": "20 us",
                    "wlan.field.preset": "ns2",
                    "wlan.field.overhead": "34 B",
                    ROUTES: OF_NS2,
                    f"flow.{flow}.tcp.preset": "ns2",
                    f"flow.{flow}.tcp.rto": {},
                },
            ),
        ),
    )


def _aodv(name: str, text: str, **keys: object) -> Reading:
    return Reading(name, text, settings={ROUTES: {**ON_DEMAND, **keys}})


ON_DEMAND_ROUTING = Question(
    about="the routing protocol",
    default=Reading(
        "aodv-rfc3561",
        "Routes are AODV's, with rules and constants of RFC 3561: a frame that the MAC gives up is a broken "
        "link.",
        "The MAC layer reports a link breakage to the network layer",
    ),
    others=(
        Reading(
            "aodv-ns2",
            "Rules and constants of AODV are ns-2's.",
            settings={ROUTES: OF_NS2},
        ),
        _aodv("aodv-repair", "AODV repairs a broken link near the destination on the spot.", repair=True),
        _aodv("aodv-persistent", "AODV asks for a route ten times before it drops packets.", retries=10),
        _aodv(
            "aodv-5ms",
            "AODV takes a hop to last 5 ms at most, in place of 40: it asks sooner.",
            hop_time="5 ms",
        ),
    ),
)
"""Routing is not named; what is printed is that the network layer hears of link breakage."""
ROUTING = replace(
    ON_DEMAND_ROUTING,
    others=(
        *ON_DEMAND_ROUTING.others,
        Reading(
            "static",
            "Routes are known from the beginning, and no link breaks.",
            "The nodes are assumed to be static",
            {ROUTES: STATIC},
        ),
    ),
)

STRIKES = Question(
    about="the frames that errors strike",
    default=Reading(
        "all-frames",
        "Every frame can be lost but link ACKs: segments, TCP's ACKs, what routing sends to all.",
        "The frame error rate",
    ),
    others=(
        Reading(
            "unicast-frames",
            "Errors strike the frames that the MAC repeats, and spare requests for routes.",
            "whenever a node fails to transmit a frame […] It retransmits that frame",
            {"wlan.field.errors.strikes": "unicast"},
        ),
        Reading(
            "data-frames",
            "Errors strike what carries data forward, and spare TCP's ACKs and requests for routes.",
            "If a TCP data frame is discarded",
            {"wlan.field.errors.strikes": "payload"},
        ),
        Reading(
            "fading-in-time",
            "The states change every millisecond, whether or not anybody sends.",
            "to mimic fading in the communication channel",
            {"wlan.field.errors.step": "1 ms"},
        ),
    ),
)

LITERAL = "Else discard the transmitted packet and then reset the contention window and RET_L"
EXTENDED_MAC = Question(
    about="when TCP-CL's MAC believes in a broken link",
    default=Reading(
        "second-drop",
        "Drops in a row beyond the retransmission threshold are broken links.",
        "The MAC layer may wrongly infer a link failure […] retransmission threshold: n (default $n = 1$)",
    ),
    others=(
        Reading(
            "drop-without-nak",
            "Every drop that makes no NAK is a broken link, lost ACKs among them.",
            "The MAC layer reports a link breakage to the network layer",
            schemes={"tcp-cl": {"reported": "unanswered"}},
        ),
        Reading(
            "never-broken",
            "The extended MAC reports no broken link.",
            LITERAL,
            schemes={"tcp-cl": {"reported": "never"}},
        ),
        Reading(
            "no-held-nak",
            "A NAK needs an ACK of the flow that waits at the node; RET_F is counted for the flow.",
            "receipt of TCP ACK with the same flow",
            schemes={"tcp-cl": {"no_ack": "drop", "ret_f": "flow"}},
        ),
    ),
)
TCP_W = Question(
    about="what TCP-W is",
    default=Reading("westwood", "TCP-W is TCP Westwood on Reno's recovery.", "TCP-W"),
    others=(
        Reading("westwood-plus", "TCP-W is Westwood+.", "TCP-W", curves={"tcp-w": {SCHEME: "westwood-plus"}}),
        Reading(
            "westwood-nr",
            "TCP-W is Westwood on NewReno's.",
            "TCP-W",
            curves={"tcp-w": {SCHEME: "westwood-nr"}},
        ),
    ),
)
"""Of TCP-CC, the other label without a reference, there is one candidate with a description: no question."""


def below_tcp(flow: str = "ftp", routing: Question = ROUTING) -> tuple[Question, ...]:
    """List what the results of a connection hang on, below TCP and in its sender."""
    return (ATTEMPTS, PHYSICAL, MAC_RULES, sender(flow), routing, EXTENDED_MAC)


BELOW_TCP = below_tcp()
"""Questions that affect every table and figure."""
CLEAN_CHANNEL = Question(
    about="errors in random networks",
    default=Reading("no-errors", "Frames are lost by collisions alone."),
    others=(
        Reading(
            "ge-errors",
            "The channel is that of the chain with errors.",
            "to mimic fading in the communication channel",
            {"wlan.field.errors": ERRORS},
        ),
    ),
)
"""14.82 Mbit/s for two connections is more than errors leave of one hop."""
UDP_PLACE = Question(
    about="where UDP goes",
    default=Reading("beside", "UDP goes one hop, 30 m beside the middle of the chain."),
    others=(
        Reading(
            "across",
            "UDP crosses the chain at its middle node, from 30 m above to 30 m below it.",
            "separated from their immediate neighbors by a distance of 30m",
            {"wlan.field.stations.u0": [60, 30], "wlan.field.stations.u1": [60, -30]},
        ),
        Reading(
            "along",
            "UDP goes the same four hops as TCP.",
            "One TCP connection and One UDP connection",
            {"flow.udp.from": "n0", "flow.udp.to": "n4"},
        ),
    ),
)
"""The drawing of "TCP evaluation topology2" is lost."""
