"""Open questions of the slides of Cheng and Lin 2008, and possible answers ("readings")."""

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
"""Error model of the slide "Gilbert-Elliot (GE) error model", with a mean frame error rate of 8.25 %."""
DRAWN = "TCP source and TCP destination of each connection are randomly selected"
THRESHOLD = "retry threshold: 7 for basic access mechanisms and 4 for virtual carrier-sensing mechanisms"


def _attempts(attempts: int, text: str, rests_on: str) -> Reading:
    return Reading(f"attempts-{attempts}", text, rests_on, {"wlan.field.attempts": attempts})


ATTEMPTS = Question(
    about="the MAC's retry threshold",
    default=Reading(
        "attempts-7",
        "The threshold is the retry limit of the standard that the slides describe, seven transmissions.",
        f"In standard IEEE 802.11 DCF schemes […] {THRESHOLD}",
    ),
    others=(
        _attempts(
            8,
            "RET_L counts failures and has to exceed seven, so a frame is sent eight times.",
            "If the updated RET_L exceeds a retry threshold value",
        ),
        _attempts(
            9,
            "The algorithm compares RET_L before it increments RET_L, so a frame is sent nine times.",
            "If $RET_L > \\text{retry threshold}$ […] Otherwise […] Increase the value of RET_L",
        ),
        Reading(
            "rts-cts",
            "Frames follow RTS and CTS, with the threshold of virtual carrier sensing.",
            THRESHOLD,
            {"wlan.field.access": "rts-cts", "wlan.field.attempts": 4},
        ),
    ),
)


PHYSICAL = Question(
    about="the physical layer",
    default=Reading(
        "rate-54",
        "Data is sent at 54 Mbit/s serially (no OFDM symbol padding), after a 192-bit header at 6 Mbit/s: "
        "no other rate of the standard reaches the printed goodput over one hop.",
        "1 13.97 13.95",
    ),
    others=(
        Reading("rate-48", "Data is sent at 48 Mbit/s.", settings={"wlan.field.rate": "48 Mbit/s"}),
        Reading(
            "ofdm",
            "Frames are OFDM symbols of 4 µs, as in the standard.",
            "802.11g",
            settings={"wlan.field.phy.coding": "ofdm"},
        ),
    ),
)
"""Readings of the PHY, because the slides print no rate. In the order of the readings, goodput over one hop
is 14.2, 13.6 and 13.7 Mbit/s.
"""
MAC_RULES = Question(
    about="the MAC's responses",
    default=Reading(
        "standard-answers",
        "The ACK timeout and the headers are the standard's, and every frame backs off after DIFS.",
        "standard IEEE 802.11 DCF schemes […] back-off: 0 ~ contention window (integer)",
    ),
    others=(
        Reading(
            "ns2-mac",
            "The ACK timeout and the headers are ns-2's.",
            settings={"wlan.field.preset": "ns2", "wlan.field.overhead": "34 B"},
        ),
        Reading(
            "immediate-access",
            "A frame that finds the medium idle is sent at once, as the standard allows.",
            "standard IEEE 802.11 DCF schemes",
            {"wlan.field.immediate_access": True},
        ),
    ),
)


def sender(flow: str = "ftp") -> Question:
    """Return the question of the sender's timers and initial window, which the slides lack."""
    return Question(
        about="the sender's timers",
        default=Reading(
            "rfc-2008",
            "Timers and the initial window follow the RFCs in force in 2008. The slides state only the rules "
            "of the window.",
            "Set $W_t = W / 2$ and then set $W = 1$",
        ),
        others=(
            Reading(
                "ns2-sender",
                "Timers and the initial window are ns-2's.",
                settings={f"flow.{flow}.tcp.preset": "ns2", f"flow.{flow}.tcp.rto": {}},
            ),
            Reading(
                "fitted",
                "Data is sent at 36 Mbit/s after headers of 20 µs. Both values were fitted with ns-2.35 to "
                "Reno's column of the first table; the slides print headers of 192 bits. All other values "
                "are as in ns-2.",
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
        "Routing is AODV with the rules and constants of RFC 3561. A drop at the MAC's retry limit is a "
        "broken link.",
        "The MAC layer reports a link breakage to the network layer",
    ),
    others=(
        Reading(
            "aodv-ns2",
            "Routing is AODV with the rules and constants of ns-2.",
            settings={ROUTES: OF_NS2},
        ),
        _aodv("aodv-repair", "AODV repairs a broken link near the destination locally.", repair=True),
        _aodv(
            "aodv-persistent",
            "AODV repeats a network-wide RREQ ten times (RREQ_RETRIES) before it drops the waiting packets.",
            retries=10,
        ),
        _aodv(
            "aodv-5ms",
            "AODV assumes a traversal time of 5 ms per hop instead of 40 ms, so it repeats RREQs sooner.",
            hop_time="5 ms",
        ),
    ),
)
"""Readings of on-demand routing. The paper names no protocol, but the network layer learns of broken links.
"""
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
    about="the frames that errors hit",
    default=Reading(
        "all-frames",
        "Errors hit every frame except link ACKs, also TCP's ACKs and broadcasts of the routing protocol.",
        "The frame error rate",
    ),
    others=(
        Reading(
            "unicast-frames",
            "Errors hit only the frames that the MAC retransmits. RREQs have no errors.",
            "whenever a node fails to transmit a frame […] It retransmits that frame",
            {"wlan.field.errors.strikes": "unicast"},
        ),
        Reading(
            "data-frames",
            "Errors hit only data frames. TCP's ACKs and RREQs have no errors.",
            "If a TCP data frame is discarded",
            {"wlan.field.errors.strikes": "payload"},
        ),
        Reading(
            "fading-in-time",
            "The channel may change its state every millisecond, whether or not a station sends.",
            "to mimic fading in the communication channel",
            {"wlan.field.errors.step": "1 ms"},
        ),
    ),
)

LITERAL = "Else discard the transmitted packet and then reset the contention window and RET_L"
EXTENDED_MAC = Question(
    about="the drops that TCP-CL's MAC reports as a broken link",
    default=Reading(
        "second-drop",
        "A second consecutive drop exceeds the retransmission threshold (n = 1) and is a broken link.",
        "The MAC layer may wrongly infer a link failure […] retransmission threshold: n (default $n = 1$)",
    ),
    others=(
        Reading(
            "drop-without-nak",
            "Every drop that causes no NAK is a broken link, drops of TCP ACKs included.",
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
            "A NAK is sent only if an ACK of the flow waits at the node; RET_F, the number of consecutive "
            "discards, is counted per flow.",
            "receipt of TCP ACK with the same flow",
            schemes={"tcp-cl": {"no_ack": "drop", "ret_f": "flow"}},
        ),
    ),
)
TCP_W = Question(
    about="the identity of TCP-W",
    default=Reading("westwood", "TCP-W is TCP Westwood with Reno's loss recovery.", "TCP-W"),
    others=(
        Reading("westwood-plus", "TCP-W is Westwood+.", "TCP-W", curves={"tcp-w": {SCHEME: "westwood-plus"}}),
        Reading(
            "westwood-nr",
            "TCP-W is TCP Westwood with NewReno's loss recovery.",
            "TCP-W",
            curves={"tcp-w": {SCHEME: "westwood-nr"}},
        ),
    ),
)
"""Schemes that the label TCP-W may mean. TCP-CC is no question, because only one published scheme fits that
label.
"""


def below_tcp(flow: str = "ftp", routing: Question = ROUTING) -> tuple[Question, ...]:
    """Return the questions that affect the results of a connection: layers below TCP, and the sender."""
    return (ATTEMPTS, PHYSICAL, MAC_RULES, sender(flow), routing, EXTENDED_MAC)


BELOW_TCP = below_tcp()
"""Questions that affect every table and figure."""
CLEAN_CHANNEL = Question(
    about="errors in random networks",
    default=Reading("no-errors", "Only collisions lose frames."),
    others=(
        Reading(
            "ge-errors",
            "The channel has the Gilbert-Elliott errors that the slides specify for the chain.",
            "to mimic fading in the communication channel",
            {"wlan.field.errors": ERRORS},
        ),
    ),
)
"""Readings of the errors in random networks. With errors, one hop cannot carry the printed 14.82 Mbit/s of
two connections.
"""
UDP_PLACE = Question(
    about="the path of the UDP flow",
    default=Reading("beside", "The UDP flow has one hop, 30 m beside the middle of the chain."),
    others=(
        Reading(
            "across",
            "The UDP flow crosses the chain at its middle node, from 30 m above to 30 m below.",
            "separated from their immediate neighbors by a distance of 30m",
            {"wlan.field.stations.u0": [60, 30], "wlan.field.stations.u1": [60, -30]},
        ),
        Reading(
            "along",
            "The UDP flow has the same four hops as TCP.",
            "One TCP connection and One UDP connection",
            {"flow.udp.from": "n0", "flow.udp.to": "n4"},
        ),
    ),
)
"""Readings of the UDP flow's path, because the drawing of "TCP evaluation topology2" is lost."""
