"""Open questions of Kounavis 1996 (fades, sender, clock, link layer), and possible answers ("readings")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airhop.experiments.experiment import Curve
from airhop.experiments.kounavis1996.networks import DOWN, UP, Network
from airhop.experiments.reading import Question, Reading
from airhop.scenario import SCHEME

UNIFORM = "We, instead used a more realistic model based on uniformal distributions"
WINDOW = "A maximum number of N packets can be transmitted without any acknowledgement received."
GROUP_QUOTATION = "the whole group of N packets is being transmitted again"
"""Quotation that supports the reading `blocks`: Go-Back-N sends one group after the other."""
TAHOE, RENO = "tahoe", "reno"


def questions(network: Network, curves: Sequence[Curve]) -> tuple[Question, ...]:
    """Return the open questions of the paper that affect these curves on a network."""
    recovers = any(network.plain.keys() - curve.changes.keys() for curve in curves)
    has_both = any(curve.scheme == RENO for curve in curves)
    return (
        bit_errors(network),
        sojourns(network),
        *(() if has_both else (sender(curves),)),
        CLOCK,
        ESTIMATOR,
        *((groups(network), timeout(network), uplink(network)) if recovers else ()),
    )


# ---- the channel -----------------------------------------------------------------------------------------


def bit_errors(network: Network) -> Question:
    """Return the question about the bit error rate `10E-6`: a power of ten (1e-6), or E-notation (1e-5)."""

    def reading(name: str, text: str, rests_on: str, **rates: float) -> Reading:
        return Reading(name, text, rests_on, settings=on_each(network, **rates))

    return Question(
        about="the bit error rates",
        default=Reading(
            "ber-e-notation",
            "10E-6 and 10E-2 are read as E-notation, as 1e-5 and 1e-1.",
            "Lamda_g = 10E-6 Lamda_b = 10E-2",
        ),
        others=(
            reading(
                "ber-powers",
                "10E-6 and 10E-2 are powers of ten, 1e-6 and 1e-2, as in Bakshi et al. (1997), the paper's "
                "[1].",
                "The error model we used, was the same as the one proposed in [1].",
                ber_good=1e-6,
                ber_bad=1e-2,
            ),
            reading(
                "ber-good",
                "10E-6 of the good state is E-notation, 1e-5; the bit error rate of the bad state is 1e-2, "
                "as in [1].",
                "Lamda_g = 10E-6",
                ber_bad=1e-2,
            ),
        ),
    )


def sojourns(network: Network) -> Question:
    """Return the question about the distribution of fade lengths; the paper's model and text differ."""

    def reading(law: str, text: str, rests_on: str) -> Reading:
        return Reading(law, text, rests_on, settings=on_each(network, sojourn=law))

    return Question(
        about="the distribution of the times in the good and the bad state",
        default=Reading(
            "uniform", "Good and bad times are uniform between 0 and twice their means.", UNIFORM
        ),
        others=(
            reading(
                "uniform-half",
                "Good and bad times are uniform between 0.5 and 1.5 times their means.",
                UNIFORM,
            ),
            reading(
                "exponential",
                "Good and bad times are exponential.",
                "We consider that each state's duration is exponentially distributed",
            ),
            reading(
                "constant",
                "Good and bad times are constant, as in the paper that proposed EBSN.",
                "the authors of [1], used constant values for each state's bit error rate and duration",
            ),
        ),
    )


def on_each(network: Network, **errors: object) -> dict[str, object]:
    """Return error-model settings, the same for every radio link."""
    return {path: value for key, value in errors.items() for path in network.each(f"errors.{key}")}


# ---- the sender ------------------------------------------------------------------------------------------


def sender(curves: Sequence[Curve]) -> Question:
    """Return the question about the TCP version; the paper cites Tahoe, but describes a feature of Reno."""
    helped = [curve.scheme_name for curve in curves if isinstance(curve.scheme, Mapping)]
    return Question(
        about="the sender",
        default=Reading(
            TAHOE,
            "The sender is Tahoe, the sender of Jacobson and Karels (1988).",
            "The operation of TCP as presented in [5]",
        ),
        others=(
            Reading(
                RENO,
                "The sender is Reno, which halves its window and seldom enters slow start.",
                "make TCP enter the multiplicative decrease phase, or in the worst case the slow start phase",
                schemes={scheme: {"base": RENO} for scheme in helped if scheme},
                curves={curve.name: {SCHEME: RENO} for curve in curves if curve.scheme == TAHOE},
            ),
        ),
    )


CLOCK = Question(
    about="the sender's clock",
    default=Reading("tick-100", "The sender's clock has ticks of 100 ms, as in ns 1.1."),
    others=tuple(
        Reading(
            f"tick-{tick}",
            f"The sender's clock has ticks of {tick} ms, {whose}.",
            settings={"flow.ftp.tcp.rto.tick": f"{tick} ms"},
        )
        for tick, whose in ((300, "possibly as in Bakshi et al. (1997)"), (500, "as in BSD"))
    ),
)
ESTIMATOR = Question(
    about="the estimator's gains",
    default=Reading("one-gain", "Mean and deviation have the same gain, 1/8.", "v := v + g ( |Err |- v )"),
    others=(
        Reading(
            "two-gains",
            "The mean has a gain of 1/8, the deviation 1/4, as in Jacobson and Karels (1988).",
            "The operation of TCP as presented in [5]",
            settings={"flow.ftp.tcp.rto.kind": "ns2"},
        ),
    ),
)

# ---- the link layer --------------------------------------------------------------------------------------


def groups(network: Network) -> Question:
    """Return the question about Go-Back-N's window: sliding, or one group after the other."""
    return Question(
        about="Go-Back-N's group",
        default=Reading("sliding", "Each link ACK lets the sender of the link send the next frame.", WINDOW),
        others=(
            Reading(
                "blocks",
                "N frames are sent, and acknowledged, as one group.",
                GROUP_QUOTATION,
                settings=network.arq({**DOWN, "group": "blocks"}, UP),
            ),
        ),
    )


def timeout(network: Network) -> Question:
    """Return the question about Go-Back-N's timeout for a link ACK."""
    return Question(
        about="Go-Back-N's timeout",
        default=Reading(
            "timeout-least",
            "The timeout of the link is the shortest time in which the link ACK of a full window always "
            "arrives: 0.24 s with packets of 128 bytes, 2.6 s with packets of 1536 bytes.",
        ),
        others=(
            Reading(
                "timeout-1s",
                "The timeout of the link is 1 s.",
                settings=network.arq({**DOWN, "timeout": "1 s"}, UP),
            ),
        ),
    )


def uplink(network: Network) -> Question:
    """Return the question about the window of selective retransmission."""
    return Question(
        about="the uplink's window",
        default=Reading("up-8", "The uplink's window is eight frames, more than enough to fill the link."),
        others=(
            Reading(
                "up-3",
                "The uplink's window is three frames, as on the downlink.",
                settings=network.arq(DOWN, {**UP, "window": DOWN["window"]}),
            ),
        ),
    )


# ---- RTTN ------------------------------------------------------------------------------------------------

RTTN_MARGIN = Question(
    about="RTTN's margin",
    default=Reading(
        "margin-2",
        "RTTN announces the mean duration of fades plus two mean deviations.",
        "Fade duration can be measured and its average values can be stored and dynamically updated",
    ),
    others=(
        Reading(
            "margin-0",
            "RTTN announces the mean duration of fades alone.",
            "its average values can be stored",
            schemes={"rttn": {"k": 0}},
        ),
        Reading(
            "margin-4",
            "RTTN announces the mean duration of fades plus four mean deviations, as in an RTO.",
            "RTO = a + 4v",
            schemes={"rttn": {"k": 4}},
        ),
    ),
)
