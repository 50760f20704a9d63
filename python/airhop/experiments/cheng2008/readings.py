"""What the slides of Cheng and Lin 2008 leave open: MAC, routing, channel, schemes, networks."""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.reading import Question, Reading
from airhop.scenario import SCHEME

ROUTES = "wlan.field.routing"
ON_DEMAND = {"kind": "aodv", "preset": "ns2"}
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


def _aodv(name: str, text: str, **keys: object) -> Reading:
    return Reading(name, text, settings={ROUTES: {**ON_DEMAND, **keys}})


ON_DEMAND_ROUTING = Question(
    about="the routing protocol",
    default=Reading(
        "aodv-ns2",
        "Routes are AODV's as ns-2 has it: a frame that the MAC gives up is a broken link.",
        "The MAC layer reports a link breakage to the network layer",
    ),
    others=(
        _aodv("aodv-no-repair", "AODV tells the origin of a broken link and repairs nothing.", repair=False),
        _aodv(
            "aodv-persistent",
            "AODV repairs nothing, and asks for a route ten times in place of three before it drops packets.",
            repair=False,
            retries=10,
        ),
        _aodv(
            "aodv-5ms",
            "AODV takes a hop to last 5 ms at most, in place of 30: it asks sooner.",
            hop_time="5 ms",
        ),
        Reading(
            "aodv-rfc3561",
            "Rules and constants of AODV are those of RFC 3561.",
            settings={ROUTES: {"kind": "aodv", "preset": "rfc3561"}},
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

BELOW_TCP = (ATTEMPTS, ROUTING, EXTENDED_MAC)
"""What hangs on it in every table and figure."""
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
