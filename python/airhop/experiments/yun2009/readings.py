"""Open questions of Yun 2009 (parameters of schemes, losses in its network), and their readings.

A figure has the questions about the schemes in the figure. If a question concerns only one figure, it is in
the module of the figure.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.reading import SILENT, Question, Reading

TIBET_DECAY = Question(
    about="TIBET's decay",
    default=Reading(
        "tibet-0.95",
        "Each sign of congestion multiplies TIBET's RTTmin by 0.95.",
        "RTTmin is multiplied by a reducing factor less than one",
    ),
    others=tuple(
        Reading(
            f"tibet-{factor}",
            f"Each sign of congestion multiplies TIBET's RTTmin by {factor}.",
            "RTTmin is multiplied by a reducing factor less than one",
            schemes={"tibet": {"rttmin_factor": factor}},
        )
        for factor in (0.99, 0.995, 0.999)
    ),
)
WESTWOOD_RECOVERY = Question(
    about="the loss recovery of Westwood",
    default=Reading(
        "westwood-linux",
        "Westwood+ recovers by SACK and rate halving, as its open source for ns-2 does.",
        "the open sources [36] for TCP Westwood",
    ),
    others=(
        Reading(
            "westwood-newreno",
            "Westwood+ recovers as NewReno, with which its authors compare Westwood+.",
            schemes={"westwood-plus": {"recovery": "newreno"}},
        ),
        Reading(
            "westwood-reno",
            "Westwood+ recovers as Reno does.",
            "Its slow start and congestion avoidance phases are the same as those of TCP Reno.",
            schemes={"westwood-plus": {"recovery": "reno"}},
        ),
    ),
)
ESTIMATORS_RECOVERY = Question(
    about="the loss recovery of Westwood+, Veno and TIBET",
    default=Reading(
        "estimators-own",
        "Westwood+ and Veno recover as in their source code, TIBET as NewReno.",
        "the open sources [36] for TCP Westwood",
    ),
    others=(
        Reading(
            "estimators-reno",
            "Westwood+, Veno and TIBET recover as Reno, on which all three are built.",
            "TCP Reno which is the base model of many TCP variants",
            schemes={name: {"recovery": "reno"} for name in ("westwood-plus", "veno", "tibet")},
        ),
    ),
)
LHP_ACKS = Question(
    about="LHP's ACKs",
    default=Reading(
        "lhp-sack",
        "LHP's sender identifies the segment that caused an ACK by the SACK blocks.",
        "LHP premises the use of selective acknowledgement (e.g., SACK)",
    ),
    others=(
        Reading(
            "lhp-smart",
            "LHP's sender identifies the segment that caused an ACK by the number in a SMART ACK.",
            "If SMART [20] is used for LHP, whenever an ACK is lost, congestion control is invoked",
            schemes={"lhp": {"trigger": "smart"}},
        ),
    ),
)
ELN_FILTER = Question(
    about="N of the ELN filter",
    default=Reading(
        "n-2",
        "More than two consecutive ELNs indicate a disconnection.",
        "we can configure N as 2 since three consecutive failures due to channel noise is rather rare",
    ),
    others=tuple(
        Reading(
            f"n-{n}",
            f"More than {words} consecutive ELNs indicate a disconnection.",
            "For more conservative operation, we can increase N.",
            schemes={"ll-elsn": {"n": n}},
        )
        for n, words in ((3, "three"), (5, "five"))
    ),
)
JERSEY_ROUND_TRIP = Question(
    about="Jersey's round trip",
    default=Reading("jersey-current", "Jersey multiplies its estimate by the latest RTT sample."),
    others=(
        Reading(
            "jersey-minimum",
            "Jersey multiplies its estimate by the smallest RTT sample.",
            schemes={"jersey": {"rtt": "minimum"}},
        ),
    ),
)
JTCP_SEVERAL = Question(
    about="JTCP's several round trips",
    default=Reading(
        "jtcp-1",
        "JTCP reduces its window at most once per round trip.",
        "only when n duplicate ACKs have been received over several Round-Trip Time (RTT)",
    ),
    others=(
        Reading(
            "jtcp-3",
            "JTCP reduces its window at most once in three round trips.",
            "only when n duplicate ACKs have been received over several Round-Trip Time (RTT)",
            schemes={"jtcp": {"several": 3}},
        ),
    ),
)
HACK_SHIELD = Question(
    about="the rule of HACK-fixed",
    default=Reading(
        "shield-one-rtt", "For one round trip after an ELN, HACK-fixed does not count duplicate ACKs."
    ),
    others=(
        Reading(
            "shield-until-rto",
            "After an ELN, HACK-fixed does not count duplicate ACKs until the segment of the ELN is "
            "acknowledged.",
            schemes={"hack-fixed": {"shield": "until-rto"}},
        ),
    ),
)
IDEAL = Question(
    about="the knowledge of the ideal estimator",
    default=Reading(
        "ideal-fair-empty",
        "The estimator knows its share of the bottleneck, and the round trip with empty queues.",
        "the ideal BWE scheme which knows the exact available bandwidth and RTT",
    ),
    others=tuple(
        Reading(
            name,
            f"The estimator knows {what}.",
            "the ideal BWE scheme which knows the exact available bandwidth and RTT",
            schemes={"ideal-bwe": parameters},
        )
        for name, what, parameters in (
            ("ideal-whole", "the bandwidth of the whole bottleneck", {"share": "whole"}),
            ("ideal-measured", "the round trip with its queues", {"round_trip": "measured"}),
        )
    ),
)
OF_SCHEMES = (
    TIBET_DECAY,
    WESTWOOD_RECOVERY,
    ESTIMATORS_RECOVERY,
    LHP_ACKS,
    ELN_FILTER,
    JERSEY_ROUND_TRIP,
    JTCP_SEVERAL,
)
"""Questions about the schemes of Figure 6."""
ERROR_RATE = Question(
    about="the frame error rate of Figures 9 and 10",
    default=Reading(
        "fer-1",
        "One frame in a hundred is lost, as in Figure 7.",
        "Goodput versus delay offset of link buffer (n = 1, PER = 1%)",
    ),
    others=tuple(
        Reading(f"fer-{100 * fer:g}", f"{words} is lost.", SILENT, {"wlan.cell.errors.fer": fer})
        for fer, words in ((1e-3, "One frame in a thousand"), (9e-2, "One frame in eleven"))
    ),
)


def of_rivals(question: Question, path: str) -> Question:
    """Return the question for curves that set a scheme at `path` instead of for all flows."""
    return replace(
        question,
        others=tuple(
            replace(
                reading,
                schemes={},
                curves={name: {path: {"name": name, **given}} for name, given in reading.schemes.items()},
            )
            for reading in question.others
        ),
    )
